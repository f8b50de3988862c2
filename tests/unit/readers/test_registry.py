import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pytest

import centinel
from centinel.readers.registry import READERS, by_name, is_at_hand, readers_for, version_of

SCRIPTS = Path(centinel.__file__).parents[1]


def test_names_are_unique_and_find_their_reader() -> None:
    assert len({reader.name for reader in READERS}) == len(READERS)
    assert all(by_name(reader.name) is reader for reader in READERS)


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'scribe'.*marked.*pdf_inspector.*whole_page"):
        by_name("scribe")


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("html", ["marked", "readability", "whole_page"]),
        ("pdf", ["pdf_inspector", "pdfium", "pdftotext", "ocr"]),
        ("csv", ["text", "csv"]),
        ("image", ["ocr"]),
        ("video", []),
    ],
)
def test_a_kind_has_its_readers(kind: str, names: list[str]) -> None:
    found = [reader.name for reader in readers_for(kind)]
    assert [name for name in names if name in found] == names
    assert bool(found) == bool(names)


def test_every_reader_is_at_hand_here_and_has_a_version() -> None:
    for reader in READERS:
        if not is_at_hand(reader):  # programs are optional, libraries are not
            assert reader.programs, reader.name
            continue
        assert version_of(reader) != "unknown", reader.name
    assert version_of(by_name("marked")) == version("trafilatura")
    assert version_of(by_name("text")) == centinel.__version__


def test_a_missing_module_is_not_at_hand() -> None:
    missing = replace(by_name("text"), modules=("no_such_module",), distribution="no-such")  # type: ignore[type-var]
    assert not is_at_hand(missing)
    assert version_of(missing) == "unknown"


def test_a_missing_program_is_not_at_hand() -> None:
    program = "no-such-program-of-centinel"
    missing = replace(by_name("text"), programs=(program,))  # type: ignore[type-var]
    assert not is_at_hand(missing)
    assert version_of(missing) == "unknown"


def test_importing_the_registry_imports_no_reading_library() -> None:
    heavy = "{'lxml', 'trafilatura', 'html_to_markdown', 'pdf_inspector', 'pypdfium2', 'PIL'}"
    code = f"import sys; import centinel.readers.registry; print({heavy} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=SCRIPTS, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
