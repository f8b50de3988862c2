"""The facts of one source as tables: `tables/*.parquet` for programs, `*.csv` for people."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from centinel.files import read_json
from centinel.masking import masked
from centinel.report.frames import CHANGES, CRUMBS, Frames, Schema
from centinel.store import Store

NAMES = ("resources", "artifacts", "derivations", "underivable", "changes", "crumbs")

UNDERIVABLE: Schema = {
    "artifact": pl.String,
    "resource": pl.String,
    "blob": pl.String,
    "kind": pl.String,
    "version": pl.Int64,
    "reason": pl.String,
    "at": pl.String,
    "tried": pl.List(pl.String),
    "underivable": pl.String,
    "notes": pl.List(pl.String),
}
"""`tried` has one text a reader: its name, its version and its reason."""

BATCH = 10_000
"""Lines of a file that are a table in memory at once."""

SEPARATOR = " | "
"""Between the elements of a list in a cell."""

_FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
"""What spreadsheets take for a formula when a cell begins with it."""

_HAS_USER = "://[^/]*@"


def write(store: Store, frames: Frames) -> None:
    """Writes every table in both forms, each whole or not at all; passwords are masked.

    Changes and crumbs come from their files, in little memory however long those are: the record
    of a source grows with every year.
    """
    tables = {
        "resources": frames.resources.lazy(),
        "artifacts": frames.artifacts.lazy(),
        "derivations": frames.derived.lazy(),
        "underivable": underivable(store, frames.derived).lazy(),
        "changes": _lines(store.changes, CHANGES),
        "crumbs": _lines(store.crumbs, CRUMBS),
    }
    store.tables.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        shown = tables[name].map_batches(without_passwords, streamable=True)
        _write(store.tables / f"{name}.parquet", shown.sink_parquet)
        _write(store.tables / f"{name}.csv", for_spreadsheets(shown).sink_csv)


def _lines(path: Path, schema: Schema) -> pl.LazyFrame:
    """The lines of a file, read when they are written; none where there is no such file."""
    if not path.exists() or not path.stat().st_size:
        return pl.LazyFrame(schema=schema)
    return pl.scan_ndjson(path, schema=dict(schema), batch_size=BATCH)


def underivable(store: Store, derived: pl.DataFrame) -> pl.DataFrame:
    """Returns what was tried and gave no text, with what each reader said of it."""
    lines = derived.filter(pl.col("outcome") == "underivable")
    records = dict.fromkeys(lines["underivable"].drop_nulls())
    rows = [(path, *_tried(store.root / path)) for path in records]
    schema: Schema = {name: UNDERIVABLE[name] for name in ("underivable", "at", "tried")}
    said = pl.DataFrame(rows, schema=schema, orient="row")
    joined = lines.join(said, on="underivable", how="left", maintain_order="left")
    return joined.select(list(UNDERIVABLE))


def _tried(path: Path) -> tuple[str | None, list[str]]:
    """When a record was made, and what each reader said; empty where it is not there any more."""
    record = read_json(path) or {}
    tried = [
        f"{each.get('reader')} {each.get('reader_version')}: {each.get('reason')}"
        for each in record.get("tried", ())
    ]
    return record.get("at"), tried


def without_passwords(table: pl.DataFrame) -> pl.DataFrame:
    """Returns the table with passwords in addresses replaced, in lists too."""
    for name, kind in table.schema.items():
        if kind == pl.String and table[name].str.contains(_HAS_USER).any():
            table = table.with_columns(pl.col(name).map_elements(masked, pl.String))
        elif kind == pl.List and table[name].list.join(" ").str.contains(_HAS_USER).any():
            hidden = pl.element().map_elements(masked, pl.String)
            table = table.with_columns(pl.col(name).list.eval(hidden))
    return table


def for_spreadsheets(table: pl.LazyFrame) -> pl.LazyFrame:
    """Returns the table without lists, and without text that a spreadsheet would run."""
    lists = pl.col(pl.List(pl.String))
    flat = table.with_columns(
        pl.when(lists.list.len() > 0).then(lists.list.join(SEPARATOR)).name.keep()
    )
    text = pl.col(pl.String)
    return flat.with_columns(
        pl.when(text.str.contains(_FORMULA)).then("'" + text).otherwise(text).name.keep()
    )


def _write(path: Path, write_to: Callable[[Path], object]) -> None:
    with _whole(path) as temporary:
        write_to(temporary)


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Yields a file beside its place, and renames it there where nothing went wrong."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
