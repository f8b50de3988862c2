"""The README's dictionary names the columns that the tables have, and its one-liners run."""

import re
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

from centinel.files import write_json
from centinel.history import History
from centinel.report import frames, tables
from centinel.store import Store
from tests.readme import TEXT, asked, lines_of, shown
from tests.unit.report.results import AT, PIPELINE, SITE, Results, snapshot, state

TYPES = {
    "text": pl.String,
    "integer": pl.Int64,
    "boolean": pl.Boolean,
    "list of text": pl.List(pl.String),
}

_TABLE = re.compile(r"\| `(\w+)` \| \| \| one row .+ \|")
_COLUMN = re.compile(r"\| \| `(\w+)` \| ([\w ]+) \| .+ \|")


def dictionary() -> dict[str, dict[str, object]]:
    """The columns of each table, in their order, as the README has them."""
    found: dict[str, dict[str, object]] = {}
    section = TEXT.partition("Every column of every table</summary>")[2].partition("</details>")[0]
    for line in section.splitlines():
        if table := _TABLE.fullmatch(line):
            columns = found.setdefault(table[1], {})
        elif column := _COLUMN.fullmatch(line):
            assert column[1] not in columns, f"{line}: a second time"
            columns[column[1]] = TYPES[column[2]]
        else:
            assert not line or line.startswith(("| table ", "|---")), line
    return found


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """Results of a town, below the present folder: a row in each table."""
    monkeypatch.chdir(tmp_path)
    results = Results(Path("results"), states=[state(SITE, "blocked", reason="http 403")])
    results.add(SITE + "x.pdf", "pdf", "underivable")
    results.add(SITE, notes=["one", "two"])
    store = results.write(snapshot())
    change = {"at": AT, "resource": SITE, "artifact": None, "event": "appeared", "before": None}
    write_json_line(store.changes, {**change, "after": "listed"})
    crumb = {"host": "a.example", "links": 2, "pages": 1, "example": "https://a.example/"}
    write_json_line(store.crumbs, {**crumb, "carriers": [SITE], "ruling": "open", "note": None})
    tables.write(store, frames.load(store, PIPELINE, History()))
    return store


def write_json_line(path: Path, value: dict[str, object]) -> None:
    write_json(path, value)
    path.write_bytes(b" ".join(path.read_bytes().split(b"\n")) + b"\n")


def test_the_dictionary_has_every_column_with_its_type_and_no_other(town: Store) -> None:
    stated = dictionary()
    assert tuple(stated) == tables.NAMES
    for name, columns in stated.items():
        there = pl.read_parquet_schema(town.tables / f"{name}.parquet")
        assert list(columns.items()) == list(there.items()), name
        header = (town.tables / f"{name}.csv").read_text().splitlines()[0]
        assert header.split(",") == list(columns)


def test_every_table_of_the_fixture_has_rows(town: Store) -> None:
    for name in tables.NAMES:
        assert pl.read_parquet(town.tables / f"{name}.parquet").height > 0, name


@pytest.mark.usefixtures("town")
def test_the_lines_for_polars_run_as_they_stand() -> None:
    outcomes, blocked = shown()
    assert set(outcomes.rows()) == {("pdf", "underivable", 1), ("html", "text", 1)}
    assert blocked.select("address", "reason").rows() == [(SITE, "http 403")]


@pytest.mark.usefixtures("town")
def test_the_lines_for_duckdb_run_as_they_stand() -> None:
    reasons, events, notes = (asked(line) for line in lines_of("sql"))
    assert [(kind, documents) for kind, _, documents in reasons] == [("pdf", 1)]
    assert events == [("appeared", 1, datetime(2026, 3, 4, 5, 6, 7))]
    assert notes == [(SITE, "one"), (SITE, "two")]
