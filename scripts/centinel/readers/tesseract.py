"""Recognises the text of one picture with the program tesseract, and how sure that is."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from centinel import tools

PROGRAM = "tesseract"
INSTALL = "apt-get install tesseract-ocr"

FALLBACK = "eng"
"""Read with where none of the languages that are wanted is installed; it comes with the program."""

SECONDS = 45.0
"""For one picture. A dense page takes 1 to 2 s; four of these stay under a reader's limit."""

_ONE_THREAD = {"OMP_THREAD_LIMIT": "1"}
"""With its own choice of threads a page takes seven times as long on two cores (measured)."""

_WORD = "5"
"""The level of a word in the table that tesseract writes."""


@dataclass(frozen=True)
class Recognised:
    """The text of a picture, and the mean confidence of its words, 0 to 100; 0 without words."""

    text: str
    confidence: float


def recognise(picture: bytes, languages: Iterable[str], dots_per_inch: int) -> Recognised:
    """Returns what stands on a picture (PNM, PNG); raises `tools.ToolError`."""
    command = [PROGRAM, "-", "-", "-l", "+".join(languages), "--psm", "3"]
    completed = tools.run(
        [*command, "--dpi", str(dots_per_inch), "tsv"],
        deadline=SECONDS,
        input_bytes=picture,
        environment=_ONE_THREAD,
    )
    return from_table(completed.stdout.decode("utf-8", "replace"))


def from_table(table: str) -> Recognised:
    """Returns the text of tesseract's table: its lines, with a blank line between paragraphs."""
    lines: dict[tuple[str, ...], list[str]] = {}
    confidences: list[float] = []
    for row in table.splitlines():
        cells = row.split("\t")
        if len(cells) < 12 or cells[0] != _WORD or not cells[11].strip():
            continue
        lines.setdefault(tuple(cells[1:5]), []).append(cells[11].strip())
        confidences.append(float(cells[10]))
    text, paragraph = "", None
    for place, words in lines.items():
        if text:
            text += "\n" if place[:3] == paragraph else "\n\n"
        text, paragraph = text + " ".join(words), place[:3]
    return Recognised(text, sum(confidences) / len(confidences) if confidences else 0.0)


def usable(languages: Iterable[str]) -> tuple[tuple[str, ...], str | None]:
    """Returns those of the languages that are installed, and a note on those that are not.

    Where none is, it is FALLBACK, and no language where that is not there either.
    Raises `tools.ToolError` where tesseract does not say which it has.
    """
    wanted, there = tuple(languages), _installed()
    lacking = [each for each in wanted if each not in there]
    if not lacking:
        return wanted, None
    found = tuple(each for each in wanted if each in there)
    found = found or tuple(each for each in (FALLBACK,) if each in there)
    packages = " ".join(f"tesseract-ocr-{each.lower().replace('_', '-')}" for each in lacking)
    note = f"OCR lacks {', '.join(lacking)} (to install: apt-get install {packages})"
    return found, f"{note}: read as {', '.join(found)}" if found else note


@lru_cache
def _installed() -> frozenset[str]:
    completed = tools.run([PROGRAM, "--list-langs"], deadline=tools.VERSION_SECONDS)
    # The first line is a heading that names the folder.
    return frozenset(completed.stdout.decode("utf-8", "replace").split("\n")[1:])
