"""The table in `tests/README.md` of what earlier systems got wrong names tests that are there."""

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
_ROW = re.compile(r"\| (2[01]\.\w+) \| ([^|]+) \| ([^|]+) \|")
_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
_LEFT_OUT = re.compile(
    r"left out: (?:transcripts|an index|not of this project"
    r"|platforms that are not in this version)"
)
WANTED = [
    *(f"20.{number}" for number in range(1, 119)),
    *(f"21.{letter}" for letter in "abcdefghijklmnopqrstuvw"),
    *(f"21.{number}" for number in range(1, 24)),
]


def rows() -> list[tuple[str, str, str]]:
    """Each row of the table: its number, what went wrong, and what holds it."""
    lines = (TESTS / "README.md").read_text().splitlines()
    return [match.groups() for line in lines if (match := _ROW.fullmatch(line))]  # type: ignore[misc]


@cache
def names_in(file: str) -> frozenset[str]:
    """The names of the tests that a file defines; none where it is not there."""
    path = TESTS / file
    body = ast.parse(path.read_text()).body if path.is_file() else []
    return frozenset(each.name for each in body if isinstance(each, ast.FunctionDef))


def test_every_row_is_in_the_table_once_and_in_order() -> None:
    assert [number for number, _, _ in rows()] == WANTED


def test_every_row_names_a_test_or_says_why_it_has_none() -> None:
    bare = [
        number
        for number, _, held in rows()
        if bool(_TEST.search(held)) == bool(_LEFT_OUT.fullmatch(held))
    ]
    assert bare == []


def test_every_test_that_is_named_is_there() -> None:
    named = [found for _, _, held in rows() for found in _TEST.findall(held)]
    missing = [f"{file}::{name}" for file, name in named if name not in names_in(file)]
    assert len(named) > 100
    assert missing == []
    assert all(name.startswith("test_") for _, name in named)
