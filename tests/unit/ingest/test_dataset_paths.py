"""Names of files become paths that are safe, unique, and as they were where they may be."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.ingest.paths import LONGEST_PATH, LONGEST_SEGMENT, safe_paths
from tests.unit.support import PROPERTY


def paths(*names: str) -> list[str]:
    """The paths of some names."""
    return [each.path for each in safe_paths(names)]


def test_a_good_name_stays_as_it_is() -> None:
    names = ["a.csv", "EvID/deep/er/b  c.h5", "name", "Čísla/δ.txt", ".hidden", "a:b", "x%20y"]
    assert paths(*names) == names
    assert [each.note for each in safe_paths(names)] == [None] * len(names)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../../etc/passwd", "leads out of its folder"),
        ("a/../../b", "leads out of its folder"),
        ("..\\..\\b", "leads out of its folder"),
        ("/etc/passwd", "is absolute"),
        ("\\\\server\\share", "is absolute"),
        ("C:\\data.csv", "is absolute"),
        ("a\0.csv", "has a NUL in it"),
        ("", "names no file"),
        (".", "names no file"),
        ("folder/", "names no file"),
    ],
)
def test_a_name_that_leads_out_is_refused_alone(name: str, reason: str) -> None:
    bad, good = safe_paths([name, "good.csv"])
    assert (bad.is_refused, bad.path) == (True, "unsafe-1")
    assert bad.note == f"{name!r}: {reason}"
    assert (good.path, good.is_refused, good.note) == ("good.csv", False, None)


def test_the_same_name_twice_is_two_files() -> None:
    found = safe_paths(["a.csv", "a.csv", "d/a.csv", "a.csv"])
    assert [each.path for each in found] == ["a.csv", "a (2).csv", "d/a.csv", "a (3).csv"]
    assert found[1].note == "'a.csv' is there twice: kept as 'a (2).csv'"


def test_a_name_that_is_there_very_often_takes_no_longer() -> None:
    found = paths(*["a.csv"] * 20_000)
    assert (len(set(found)), found[-1]) == (20_000, "a (20000).csv")


def test_names_that_differ_in_case_alone_are_two_files() -> None:
    assert paths("Data.CSV", "data.csv", "STRASSE", "straße") == [
        "Data.CSV",
        "data (2).csv",
        "STRASSE",
        "straße (2)",
    ]


def test_a_file_is_not_where_a_folder_has_to_be() -> None:
    assert paths("data", "data/a.csv", "Data/b.csv") == ["data (2)", "data/a.csv", "Data/b.csv"]


def test_one_letter_in_two_encodings_is_one_name() -> None:
    assert paths("e\u0301.csv", "\u00e9.csv") == ["\u00e9.csv", "\u00e9 (2).csv"]


def test_what_is_too_long_keeps_its_beginning_and_its_extension() -> None:
    found = safe_paths(["x" * 300 + ".csv", "x" * 301 + ".csv"])
    for each in found:
        assert len(each.path.encode()) <= LONGEST_SEGMENT
        assert each.path.startswith("xxxx")
        assert each.path.endswith(".csv")
        assert each.note is not None
    assert found[0].path != found[1].path


def test_a_path_that_is_too_deep_is_kept_under_a_short_folder() -> None:
    deep = "/".join(["folder"] * 300)
    path = paths(f"{deep}/a.csv")[0]
    assert path.endswith("/a.csv")
    assert len(path) < 30


def test_separators_of_other_systems_are_folders() -> None:
    found = safe_paths(["raw\\2021\\a.csv", "./b//c.csv", "line\nbreak.csv"])
    assert [each.path for each in found] == ["raw/2021/a.csv", "b/c.csv", "line_break.csv"]
    assert all(each.note for each in found)


@PROPERTY
@given(
    names=st.lists(
        st.text(max_size=12)
        | st.lists(st.sampled_from(["a", "A", "..", ".", "", "\0", "é", "C:"]), max_size=5).map(
            "/".join
        )
        | st.text(min_size=250, max_size=300),
        max_size=8,
    )
)
def test_any_names_become_safe_and_unique_paths(names: list[str]) -> None:
    found = safe_paths(names)
    assert len(found) == len(names)
    keys = [each.path.casefold() for each in found]
    assert len(set(keys)) == len(keys)
    for each in found:
        parts = PurePosixPath(each.path).parts
        assert not PurePosixPath(each.path).is_absolute()
        assert ".." not in parts
        assert "\0" not in each.path
        assert "\\" not in each.path
        assert each.path == "/".join(parts)
        assert all(len(part.encode()) <= 255 for part in parts)
        assert len(each.path.encode()) <= LONGEST_PATH + 20
    folders = {
        str(parent).casefold() for each in found for parent in PurePosixPath(each.path).parents
    }
    assert not folders & set(keys)
