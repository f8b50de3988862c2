"""The rows that stand in a page: those of a small table all, of a large one the most telling.

They are read from `tables/`, so that what a page shows and what a spreadsheet shows is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from centinel.record import NOT_MODIFIED
from centinel.store import Store

MOST_ROWS = 500
"""Of one table: a browser sorts and filters them between two frames."""

MOST_WEIGHT = 400_000
"""Characters of one table, about: a page with all of its tables stays below 3 MB."""

LONGEST_CELL = 1000
"""Characters of a text that weigh; longer ones are clipped where they are shown."""

NOT_READ = "not read"
NEVER_ASKED = "never asked"


@dataclass(frozen=True)
class Rows:
    """The rows of one table that a page has."""

    name: str
    """As the file is called: `resources` for `tables/resources.csv`."""
    shown: tuple[Mapping[str, Any], ...]
    count: int
    """Of all rows that there are."""

    @property
    def rest(self) -> int:
        """How many are in the file alone."""
        return self.count - len(self.shown)

    @property
    def is_whole(self) -> bool:
        """Whether the page has all of them."""
        return not self.rest

    @property
    def file(self) -> str:
        """The file that has all of them, relative to the source's folder."""
        return f"tables/{self.name}.csv"


def rows_of(store: Store) -> dict[str, Rows]:
    """Returns the rows of a source's page by the name of their table; reads `tables/`."""
    return {
        "resources": taken("resources", _resources(store), "liveness"),
        "artifacts": taken("artifacts", _artifacts(store), "outcome"),
        "underivable": taken("underivable", _underivable(store), "kind"),
    }


def taken(name: str, table: pl.LazyFrame, sort: str, order: str = "address") -> Rows:
    """Returns the rows of a table that a page has room for, in the order of `order`, a column in
    which no two rows are the same.

    Of each sort one in turn, so that a thousand blocked addresses do not hide the one error.
    """
    # Only what decides is read of all rows: a table of a hundred thousand is not held in memory.
    all_rows = table.select(order, sort).collect(engine="streaming")
    turn = pl.int_range(pl.len()).over(sort, order_by=order)
    chosen = all_rows.with_columns(turn.alias("turn")).sort("turn", sort, order).head(MOST_ROWS)
    found = table.filter(pl.col(order).is_in(chosen[order].implode())).collect(engine="streaming")
    shown = (
        chosen.select(order)
        .join(found, on=order, how="left", maintain_order="left")
        .filter(_weight(table).cum_sum() <= MOST_WEIGHT)
        .sort(order)
    )
    return Rows(name, tuple(shown.iter_rows(named=True)), all_rows.height)


def _weight(table: pl.LazyFrame) -> pl.Expr:
    """About how many characters a row adds to a page."""
    texts = [name for name, kind in table.collect_schema().items() if kind == pl.String]
    lengths = (pl.col(each).str.len_chars().fill_null(0) for each in texts)
    return pl.sum_horizontal(each.clip(upper_bound=LONGEST_CELL) for each in lengths)


def _resources(store: Store) -> pl.LazyFrame:
    return pl.scan_parquet(store.tables / "resources.parquet").select(
        "address",
        pl.col("liveness").fill_null(NEVER_ASKED),
        pl.col("reason").replace(NOT_MODIFIED, None),
        "since",
        "last_checked",
        "consecutive_failures",
        "in_snapshot",
        pl.col("owed").list.len().fill_null(0),
    )


def _artifacts(store: Store) -> pl.LazyFrame:
    """Each artifact with what reading it gave."""
    read = pl.scan_parquet(store.tables / "derivations.parquet").select(
        "artifact",
        "outcome",
        "version",
        "recovered_by_fallback",
        "chars",
        "text",
        "reason",
        pl.concat_str("reader", "reader_version", separator=" ", ignore_nulls=True).alias("reader"),
        pl.col("title").alias("own_title"),
    )
    return (
        pl.scan_parquet(store.tables / "artifacts.parquet")
        .join(read, on="artifact", how="left")
        .select(
            pl.col("artifact").alias("address"),
            (pl.col("artifact") != pl.col("resource")).alias("is_enclosure"),
            "kind",
            "size",
            "blob",
            "version",
            pl.col("outcome").fill_null(NOT_READ),
            pl.col("reader").replace("", None),
            pl.col("recovered_by_fallback").fill_null(value=False).alias("is_recovered"),
            "chars",
            "text",
            "reason",
            pl.coalesce("own_title", "title").alias("title"),
        )
    )


def _underivable(store: Store) -> pl.LazyFrame:
    return pl.scan_parquet(store.tables / "underivable.parquet").select(
        pl.col("artifact").alias("address"), "kind", "version", "reason", "tried", "blob"
    )
