from collections.abc import Iterator
from pathlib import Path

import pytest

from centinel import tools
from centinel.readers import tesseract

HEAD = (
    "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
)
LANGUAGES = """#!/bin/sh
echo 'List of available languages in "/nowhere" (3):'
printf '%s\\n' eng osd deu
"""


def row(block: int, paragraph: int, line: int, confidence: float, text: str, level: int = 5) -> str:
    place = "\t".join(map(str, (level, 1, block, paragraph, line, 1)))
    return f"{place}\t0\t0\t1\t1\t{confidence}\t{text}"


def test_words_become_lines_and_paragraphs_with_their_mean_confidence() -> None:
    table = [
        HEAD,
        row(1, 1, 0, -1, "", level=3),
        row(1, 1, 1, 90, "Deed"),
        row(1, 1, 1, 80, "of"),
        row(1, 1, 2, 70, "gift"),
        row(1, 2, 1, 60, "The"),
        row(2, 1, 1, 100, "end"),
        row(2, 1, 1, 95, " "),
    ]
    found = tesseract.from_table("\n".join(table))
    assert found == tesseract.Recognised("Deed of\ngift\n\nThe\n\nend", 80.0)


@pytest.mark.parametrize("table", ["", HEAD, "5\tbroken", f"{HEAD}\n{row(1, 1, 1, 95, ' ')}"])
def test_a_table_without_words_is_no_text(table: str) -> None:
    assert tesseract.from_table(table) == tesseract.Recognised("", 0.0)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts a program in tesseract's place that has three languages."""
    path = tmp_path / "tesseract"
    path.write_text(LANGUAGES)
    path.chmod(0o755)
    monkeypatch.setattr(tesseract, "PROGRAM", str(path))
    tesseract._installed.cache_clear()
    yield
    tesseract._installed.cache_clear()


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(
    ("wanted", "found", "note"),
    [
        (("eng",), ("eng",), None),
        (("deu", "eng"), ("deu", "eng"), None),
        (
            ("eng", "chi_sim"),
            ("eng",),
            "OCR lacks chi_sim (to install: apt-get install tesseract-ocr-chi-sim): read as eng",
        ),
        (
            ("fra",),
            ("eng",),
            "OCR lacks fra (to install: apt-get install tesseract-ocr-fra): read as eng",
        ),
    ],
)
def test_a_language_that_is_not_installed_is_said(
    wanted: tuple[str, ...], found: tuple[str, ...], note: str | None
) -> None:
    assert tesseract.usable(wanted) == (found, note)


@pytest.mark.usefixtures("program")
def test_without_any_language_nothing_is_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract, "FALLBACK", "xxx")
    assert tesseract.usable(["fra"])[0] == ()


def test_a_missing_program_is_an_error_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract, "PROGRAM", "no-such-program-of-centinel")
    with pytest.raises(tools.ToolError, match="not-installed"):
        tesseract.recognise(b"", ["eng"], 200)
