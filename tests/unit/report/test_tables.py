"""The tables: their columns, also of nothing, and what a spreadsheet must not run."""

import csv
from pathlib import Path

import polars as pl
import pytest

from centinel.changes import Change
from centinel.crumbs import Crumb
from centinel.files import write_json, write_lines
from centinel.history import History
from centinel.masking import masked
from centinel.report import frames, tables
from centinel.store import Store
from tests.unit.report.results import AT, PIPELINE, SITE, Results, snapshot, state

COLUMNS = {
    "resources": dict(frames.RESOURCES),
    "artifacts": {**frames.ARTIFACTS, "kind": pl.String},
    "derivations": dict(frames.DERIVED),
    "underivable": dict(tables.UNDERIVABLE),
    "changes": dict(frames.CHANGES),
    "crumbs": dict(frames.CRUMBS),
}

FROM_FILES = ("changes", "crumbs")


def write(store: Store) -> None:
    tables.write(store, frames.load(store, PIPELINE, History()))


def cells(store: Store, name: str) -> list[dict[str, str]]:
    with (store.tables / f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("name", tables.NAMES)
def test_empty_tables_have_their_columns(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path, "town")
    write(store)
    assert dict(pl.read_parquet_schema(store.tables / f"{name}.parquet")) == COLUMNS[name]
    header = (store.tables / f"{name}.csv").read_text("utf-8")
    assert header == ",".join(COLUMNS[name]) + "\n"


def test_full_tables_have_the_same_columns(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE, owed=[SITE + "a", SITE + "b"])])
    results.add(SITE + "x", "pdf", "underivable", claims=("one", "two"))
    store = results.write(snapshot())
    write(store)
    for name, columns in COLUMNS.items():
        table = pl.read_parquet(store.tables / f"{name}.parquet")
        assert dict(table.schema) == columns
        assert table.height == (0 if name in FROM_FILES else 1)
    assert cells(store, "resources")[0]["owed"] == f"{SITE}a | {SITE}b"
    assert cells(store, "derivations")[0]["notes"] == "one | two"
    assert cells(store, "artifacts")[0]["kind"] == "pdf"


def test_underivable_says_what_each_reader_said(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "x.pdf", "pdf", "underivable")
    results.add(SITE + "lost.pdf", "pdf", "underivable", underivable=None, reason="no blob")
    results.add(SITE + "text")
    store = results.write(snapshot())
    tried = [{"reader": "pdftotext", "reader_version": "3.0", "reason": "locked"}]
    path = results.derived[0].underivable
    assert path is not None
    write_json(store.root / path, {"at": "2026-01-01T00:00:00.000000Z", "tried": tried})
    write(store)
    lost, read = cells(store, "underivable")
    assert read["tried"] == "pdftotext 3.0: locked"
    assert read["at"] == "2026-01-01T00:00:00.000000Z"
    assert (lost["reason"], lost["tried"]) == ("no blob", "")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_what_a_spreadsheet_would_run_is_guarded(tmp_path: Path, start: str) -> None:
    results = Results(tmp_path)
    results.add(SITE, title=f"{start}cmd|' /C calc'!A0", notes=[f"{start}1+1"])
    store = results.write(snapshot())
    write(store)
    (line,) = cells(store, "derivations")
    assert line["title"] == f"'{start}cmd|' /C calc'!A0"
    assert line["notes"] == f"'{start}1+1"
    assert pl.read_parquet(store.tables / "derivations.parquet")["title"][0].startswith(start)


def test_numbers_are_not_guarded(tmp_path: Path) -> None:
    store = Results(tmp_path, states=[state(SITE, consecutive_failures=-1)]).write(snapshot())
    write(store)
    assert cells(store, "resources")[0]["consecutive_failures"] == "-1"


def test_passwords_are_masked_also_in_lists(tmp_path: Path) -> None:
    secret = "https://me:secret@town.example/a"
    results = Results(
        tmp_path, states=[state(secret, "error", reason=f"at {secret}", owed=[secret])]
    )
    store = results.write(snapshot())
    write(store)
    for file in store.tables.iterdir():
        assert b"secret" not in file.read_bytes()
    assert cells(store, "resources")[0]["owed"] == masked(secret)


def test_quotes_commas_and_lines_survive(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE, title='a "b", c\nd é 漢')
    store = results.write(snapshot())
    write(store)
    assert cells(store, "artifacts")[0]["title"] == 'a "b", c\nd é 漢'


def test_a_failed_write_leaves_the_old_table_and_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path, "town")
    write(store)
    before = (store.tables / "resources.csv").read_bytes()

    def full(_: pl.LazyFrame, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.LazyFrame, "sink_csv", full)
    with pytest.raises(OSError, match="No space"):
        write(store)
    assert (store.tables / "resources.csv").read_bytes() == before
    assert not [each for each in store.tables.iterdir() if each.name.startswith(".")]


def test_changes_and_crumbs_are_those_of_their_files_in_their_order(tmp_path: Path) -> None:
    store = Store(tmp_path, "town")
    told = [
        Change(AT, f"{SITE}{number}", None, "appeared", None, "listed")
        for number in range(2 * tables.BATCH + 1)
    ]
    secret = "https://me:secret@a.example/"
    write_lines(store.changes, told)
    write_lines(store.crumbs, [Crumb("a.example", 3, 2, secret, [SITE, secret], "open")])
    write(store)
    changes = pl.read_parquet(store.tables / "changes.parquet")
    assert changes.to_dicts() == [each.to_json() for each in told]
    assert [each["resource"] for each in cells(store, "changes")] == [e.resource for e in told]
    (crumb,) = cells(store, "crumbs")
    assert (crumb["links"], crumb["pages"], crumb["note"]) == ("3", "2", "")
    assert crumb["example"] == masked(secret)
    assert crumb["carriers"] == f"{SITE} | {masked(secret)}"
