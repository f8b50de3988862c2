"""A wrong configuration is one line with file, key and fix; a right one is resolved."""

from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from centinel import configuration, schemas
from centinel.configuration import Configuration, load, read_yaml, seconds, size
from centinel.record import Json
from centinel.schemas import ConfigurationError
from centinel.sources import registry
from tests.unit.faulty_configurations import FAULTY_CONFIG, FAULTY_SOURCES, TOWN
from tests.unit.support import PROPERTY


def loaded(folder: Path, sources: str = TOWN, **config: Any) -> Configuration:
    """The configuration with a sources file of this text."""
    (folder / "sources.yaml").write_text(sources, "utf-8")
    found = load({"sources": "sources.yaml", "results": "results", **config}, folder)
    registry.check(found)
    return found


def said(folder: Path, sources: str = TOWN, **config: Any) -> str:
    """What is said of a wrong configuration, which is one line."""
    with pytest.raises(ConfigurationError) as caught:
        loaded(folder, sources, **config)
    line = str(caught.value)
    assert "\n" not in line
    return line


@pytest.mark.parametrize(("sources", "line"), FAULTY_SOURCES.values(), ids=FAULTY_SOURCES)
def test_each_fault_of_a_source_is_one_line_with_file_key_and_fix(
    tmp_path: Path, sources: str, line: str
) -> None:
    assert said(tmp_path, sources).startswith(line)


@pytest.mark.parametrize(("config", "line"), FAULTY_CONFIG.values(), ids=FAULTY_CONFIG)
def test_each_fault_of_the_configuration_is_one_line(
    tmp_path: Path, config: Json, line: str
) -> None:
    assert said(tmp_path, **config).startswith(line)


def test_a_missing_key_and_a_missing_file_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="the key 'sources' is missing: add it"):
        load({"results": "results"}, tmp_path)
    with pytest.raises(ConfigurationError, match=r"^nowhere.yaml: No such file .*: name a file"):
        load({"sources": "nowhere.yaml", "results": "results"}, tmp_path)


def test_a_file_in_another_encoding_is_named(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_bytes("# März".encode("latin-1"))
    with pytest.raises(ConfigurationError, match=r"^sources.yaml: not UTF-8: save it as UTF-8$"):
        read_yaml(tmp_path / "sources.yaml", "sources.yaml")


@pytest.mark.parametrize(
    "sources",
    [
        "town:\n  site: https://clerk:{}@town.example/\n",
        "town:\n  site: [https://clerk:{}@town.example/]\n",
        "town: https://clerk:{}@town.example/\n",
        "town:\n  query: https://clerk:{}@town.example/\n",
        "town:\n  rps: https://clerk:{}@town.example/\n",
        "town:\n  https://clerk:{}@town.example/: 1\n",
        "https://clerk:{}@town.example/:\n  site: https://town.example/\n",
    ],
)
@pytest.mark.parametrize("password", ["hunter2", "hun/ter2", "hunter@2", "hunter 2"])
def test_a_password_is_never_in_the_message(tmp_path: Path, sources: str, password: str) -> None:
    line = said(tmp_path, sources.format(password))
    assert password not in line
    assert "hunter" not in line
    assert line.startswith("sources.yaml: ")


def test_a_password_in_the_configuration_is_never_in_the_message(tmp_path: Path) -> None:
    line = said(tmp_path, pipeline="https://clerk:hunter2@town.example/")
    assert "hunter2" not in line


# What the command line hands over as text


def test_nested_text_of_the_command_line_becomes_what_it_means(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        strict="true",
        contact=12345,
        defaults={"rps": "0.5", "limit": "7", "max_bytes": "1000", "retry": {"error": "2h"}},
        pipeline={"pdf": {"version": "3"}, "kinds": {"version": "2"}},
    )
    town = found.sources["town"]
    assert (town.rps, town.limit, town.max_bytes) == (0.5, 7, 1000)
    assert (found.strict, found.contact) == (True, "12345")
    assert (found.pipeline.reading("pdf").version, found.pipeline.kinds_version) == (3, 2)


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("0.5", 0.5), ("true", True), ("7 MiB", "7 MiB"), ("x: [", "x: ["), ("", "")],
)
def test_text_that_is_no_number_stays_text(text: str, value: Any) -> None:
    assert schemas.coerced({"defaults": {"rps": text}}, "config") == {"defaults": {"rps": value}}


ANYTHING = st.recursive(
    st.none() | st.text(max_size=5) | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@PROPERTY
@given(ANYTHING)
def test_coercion_takes_whatever_it_is_given(value: Any) -> None:
    coerced = schemas.coerced({"defaults": value, "pipeline": value}, "config")
    assert coerced.keys() == {"defaults", "pipeline"}


# What values mean


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90s", 90), ("15m", 900), ("12h", 43200), ("30d", 2592000), ("1.5h", 5400), ("0s", 0)],
)
def test_durations_are_read(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1000, 1000),
        ("1 B", 1),
        ("2kB", 2000),
        ("2 KiB", 2048),
        ("3 MB", 3_000_000),
        ("256 MiB", 268_435_456),
        ("1 GB", 10**9),
        ("1 GiB", 1 << 30),
    ],
)
def test_sizes_are_read(value: int | str, expected: int) -> None:
    assert size(value) == expected


def test_a_duration_beyond_the_calendar_is_a_very_long_one(tmp_path: Path) -> None:
    found = loaded(tmp_path, TOWN + "  revisit: 999999999999d\n")
    assert timedelta(days=36000) < found.sources["town"].revisit < timedelta(days=37000)


def test_a_block_goes_before_the_defaults_and_those_before_what_is_built_in(tmp_path: Path) -> None:
    sources = TOWN + "  rps: 5\n  retry: {gone: 9d}\n"
    defaults = {"rps": 2, "lang": "fi", "retry": {"error": "2d"}, "exclude": ["/calendar/"]}
    town = loaded(tmp_path, sources, defaults=defaults).sources["town"]
    assert (town.rps, town.lang, town.exclude) == (5.0, "fi", ("/calendar/",))
    expected = {"error": timedelta(days=2), "blocked": timedelta(days=7), "gone": timedelta(days=9)}
    assert town.retry == expected
    assert town.revisit == timedelta(days=30)
    assert town.acquire_for == timedelta(hours=1)


def test_without_any_settings_the_documented_defaults_hold(tmp_path: Path) -> None:
    town = loaded(tmp_path).sources["town"]
    assert (town.rps, town.lang, town.limit, town.max_bytes) == (1.0, "en", None, 256 << 20)
    assert (town.match, town.exclude, town.enabled) == ((), (), True)
    days = {name: pause.days for name, pause in town.retry.items()}
    assert days == {"error": 1, "blocked": 7, "gone": 30}


def test_sources_are_sorted_and_an_empty_file_has_none(tmp_path: Path) -> None:
    both = "b:\n  site: https://b.example/\na:\n  site: https://a.example/\n"
    assert list(loaded(tmp_path, both).sources) == ["a", "b"]
    assert loaded(tmp_path, "").sources == {}


def test_a_block_says_which_kind_it_is(tmp_path: Path) -> None:
    town = loaded(tmp_path).sources["town"]
    assert (town.identifier, town.key, town.value) == ("town", "site", "https://town.example/")
    assert registry.kind_of(town).key == "site"


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8707/",
        "http://[::1]:8707/a",
        "https://town.example",
        "https://town.example/~clerk@home/?a=b:c",
        "https://münchen.example/",
    ],
)
def test_addresses_of_every_form_are_taken(tmp_path: Path, address: str) -> None:
    assert loaded(tmp_path, f"town:\n  site: {address}\n").sources["town"].value == address


def test_numbers_as_ids_are_ids(tmp_path: Path) -> None:
    assert list(loaded(tmp_path, "2024:\n  site: https://town.example/\n").sources) == ["2024"]


def test_a_kind_that_the_pipeline_does_not_name_has_no_readers(tmp_path: Path) -> None:
    pipeline = loaded(tmp_path, pipeline={"pdf": {"version": 2, "readers": ["pdftotext"]}}).pipeline
    assert pipeline.reading("pdf") == configuration.Reading(2, ("pdftotext",))
    assert pipeline.reading("mail") == configuration.Reading(1, ())
    assert pipeline.reading("unheard-of") == configuration.Reading(1, ())


def test_scanned_pages_are_in_english_unless_the_pipeline_says_otherwise(tmp_path: Path) -> None:
    assert loaded(tmp_path).pipeline.languages == ("eng",)
    ocr = {"languages": ["deu", "chi_sim", "script/Cyrillic"]}
    found = loaded(tmp_path, pipeline={"ocr": ocr})
    assert found.pipeline.languages == ("deu", "chi_sim", "script/Cyrillic")


def test_what_the_run_was_told_is_kept_whole(tmp_path: Path) -> None:
    found = loaded(tmp_path, contact="clerk@town.example")
    assert found.as_given["blocks"] == {"town": {"site": "https://town.example/"}}
    assert found.as_given["contact"] == "clerk@town.example"
    assert found.results == tmp_path / "results"


def test_the_configuration_of_the_project_is_right() -> None:
    found = configuration.load_files(schemas.PROJECT)
    registry.check(found)
    assert found.pipeline.reading("html").readers[0] == "marked"
    assert found.sources["town"].key == "site"


def test_a_folder_without_configuration_uses_that_of_the_project(tmp_path: Path) -> None:
    assert configuration.load_files(tmp_path).as_given["sources"] == "config/sources.yaml"


@pytest.mark.parametrize("path", sorted(schemas.FOLDER.glob("*.yaml")), ids=lambda path: path.name)
def test_every_schema_is_one(path: Path) -> None:
    name = path.name.removesuffix(".schema.yaml")
    schemas.validator(name).check_schema(schemas.schema(name))


IDENTIFIERS = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True)


@settings(PROPERTY, max_examples=60)
@given(IDENTIFIERS, st.integers(1, 10**6), st.sampled_from("smhd"), st.integers(1, 10**9))
def test_what_is_written_down_is_what_is_read(
    identifier: str, number: int, unit: str, limit: int
) -> None:
    block = {"site": "https://town.example/", "revisit": f"{number}{unit}", "limit": limit}
    with TemporaryDirectory() as folder:
        found = loaded(Path(folder), yaml.safe_dump({identifier: block})).sources[identifier]
    length = {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]
    assert found.limit == limit
    assert found.revisit.total_seconds() == min(number * length, configuration.LONGEST_SECONDS)


def test_a_merge_key_is_read_and_its_own_keys_win(tmp_path: Path) -> None:
    sources = (
        "one: &one\n  site: https://one.example/\n  limit: 3\n  rps: 5\n"
        "two:\n  <<: *one\n  site: https://two.example/\n"
    )
    two = loaded(tmp_path, sources).sources["two"]
    assert (two.value, two.limit, two.rps) == ("https://two.example/", 3, 5.0)


@pytest.mark.parametrize("rps", [".nan", ".inf"])
def test_a_pace_is_a_number(tmp_path: Path, rps: str) -> None:
    line = said(tmp_path, f"town:\n  site: https://town.example/\n  rps: {rps}\n")
    assert line == "sources.yaml: town.rps: not a number: give one above 0"


def test_a_version_is_a_whole_number_in_the_path(tmp_path: Path) -> None:
    version = loaded(tmp_path, pipeline={"pdf": {"version": 2.0}}).pipeline.reading("pdf").version
    assert (version, type(version)) == (2, int)
