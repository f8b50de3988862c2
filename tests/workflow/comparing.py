"""Compares what two readings of one record left."""

from pathlib import Path

import polars as pl

TIMES_OF_READING = frozenset({("underivable", "at")})
"""Tables and their columns that say when something was read."""


def differing_columns(one: Path, other: Path) -> set[tuple[str, str]]:
    """Returns the columns, with their tables, in which two sources' tables differ.

    Rows count in their order. Times of reading are left out.
    """
    names = sorted(path.stem for path in (one / "tables").glob("*.parquet"))
    assert names == sorted(path.stem for path in (other / "tables").glob("*.parquet")) != []
    return {
        (name, column)
        for name in names
        for column in _differing(_table(one, name), _table(other, name))
        if (name, column) not in TIMES_OF_READING
    }


def _table(source: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(source / "tables" / f"{name}.parquet")


def _differing(one: pl.DataFrame, other: pl.DataFrame) -> list[str]:
    assert one.schema == other.schema
    return [column for column in one.columns if not one[column].equals(other[column])]
