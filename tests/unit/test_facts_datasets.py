"""The table of datasets in `tests/README.md` names tests that are there."""

import re

from tests.unit.test_facts_table import TESTS, names_in

_ROW = re.compile(r"\| (8\.[12]\.\d+) \| ([^|]+) \| ([^|]+) \|")
_TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
WANTED = [
    *(f"8.1.{number}" for number in range(1, 21)),
    *(f"8.2.{number}" for number in range(1, 38)),
]


def rows() -> list[tuple[str, str, str]]:
    """Each row of the table: its number, what went wrong, and what holds it."""
    lines = (TESTS / "README.md").read_text().splitlines()
    return [match.groups() for line in lines if (match := _ROW.fullmatch(line))]  # type: ignore[misc]


def test_every_row_is_in_the_table_once_and_in_order() -> None:
    numbers = [number for number, _, _ in rows()]
    assert numbers == WANTED


def test_every_row_names_a_test_that_is_there() -> None:
    named = {number: _TEST.findall(held) for number, _, held in rows()}
    assert [number for number, tests in named.items() if not tests] == []
    found = [each for tests in named.values() for each in tests]
    missing = [f"{file}::{name}" for file, name in found if name not in names_in(file)]
    assert len(found) > 50
    assert missing == []
