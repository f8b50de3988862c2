"""How all sources together stood over time, from the points of each."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import polars as pl

from centinel.record import Json
from centinel.report.frames import Schema
from centinel.report.over_time import MOST_POINTS, Moment, OverTime, thinned
from centinel.report.told import STATES

POINT: Schema = {
    "at": pl.String,
    "published": pl.Int64,
    "kept": pl.Int64,
    **dict.fromkeys(STATES, pl.Int64),
    "at_least": pl.Boolean,
}

_ADDED = ("published", "kept", *STATES)
"""Each is added over sources, and never to another."""


def as_rows(over_time: OverTime) -> list[Json]:
    """Returns the points as they are kept in a summary."""
    return [asdict(each) for each in over_time.points]


def summed(points: Iterable[Sequence[Json]], most: int = MOST_POINTS) -> OverTime:
    """Returns how all sources together stood at each of their times, thinned evenly.

    `points` are those of each source. At a time of another, a source stands as at its last before
    it; before its first it has nothing. Where one does not know how much it publishes, the sum is
    the least that it can be. Nothing where no source has two points: there is no course yet.
    """
    each = [rows for rows in points if rows]
    if not any(len(rows) > 1 for rows in each):
        return OverTime()
    told = pl.concat(
        pl.DataFrame(rows, schema=dict(POINT), orient="row").with_columns(source=pl.lit(number))
        for number, rows in enumerate(each)
    ).sort("at")
    times = told.select(pl.col("at").unique().sort())
    times = times[thinned(range(times.height), most)]
    grid = times.join(told.select("source").unique(), how="cross").sort("at")
    stood = _asof(grid, told)
    sums = (
        stood.group_by("at")
        .agg(
            *(pl.col(name).sum() for name in _ADDED),
            (pl.col("at_least") | pl.col("published").is_null()).any().alias("at_least"),
            pl.col("published").is_not_null().any().alias("is_known"),
        )
        .sort("at")
        .with_columns(pl.when("is_known").then("published").alias("published"))
        .drop("is_known")
    )
    return OverTime(tuple(Moment(**row) for row in sums.iter_rows(named=True)))


def _asof(grid: pl.DataFrame, told: pl.DataFrame) -> pl.DataFrame:
    """The last point of each source at or before each time: by the place of a time, since texts
    cannot be compared so."""
    at = pl.concat([grid["at"], told["at"]]).unique().sort()
    places = pl.DataFrame({"at": at}).with_row_index("place")
    left = grid.join(places, on="at", how="left").sort("place")
    right = told.join(places, on="at", how="left").sort("place").drop("at")
    return left.join_asof(right, on="place", by="source", check_sortedness=False).drop_nulls("kept")
