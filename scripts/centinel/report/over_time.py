"""How a source stood over time: what it published, what was kept of it, and how it lived.

All of it from what the record tells: which address was listed from when to when, in which state
it was, and since when its bytes are kept.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from centinel.report import frames
from centinel.report.told import NEVER_ASKED, STATES, told_of
from centinel.store import Store

MOST_POINTS = 200


@dataclass(frozen=True)
class Moment:
    """One time: how many addresses were published, kept, and in which state.

    The states are those of the addresses that were published then, and are never added together.
    """

    at: str
    published: int | None
    """None where no snapshot had been taken."""
    kept: int
    """Published addresses of which bytes had been kept, whatever they answered since."""
    live: int
    gone: int
    blocked: int
    error: int
    never_asked: int
    at_least: bool = False
    """Whether the snapshot that stood then was cut short."""


@dataclass(frozen=True)
class OverTime:
    """At most `MOST_POINTS` of the times at which there is something to say, the oldest first."""

    points: tuple[Moment, ...] = ()
    left_out: int = 0
    """Times of which nothing can be said: the snapshot that stood then is not in the record."""


def over_time_of(store: Store, marker: str = "", most: int = MOST_POINTS) -> OverTime:
    """Returns how a source stood at the end of each pass and each day, thinned evenly.

    `marker` is what the source's kind adds to an address to name the artifact that stands for it.
    """
    told = told_of(store, marker)
    at = told.times["at"].to_list()
    times = told.times[thinned(forwards(at), most)]
    if times.is_empty():
        return OverTime()
    stood = times.join_asof(told.lists, on="line")
    listed, missing = _listings(store, stood["snapshot"].to_list(), told.lists)
    counts = counted(listed, _by_time(told.states, times), _by_time(told.kept, times), times.height)
    rows = stood.select("at", "truncated", has_list=pl.col("snapshot").is_not_null())
    points = [
        Moment(
            at=row["at"],
            published=row["published"] if row["has_list"] else None,
            kept=row["kept"],
            **{state: row[state] for state in STATES},
            at_least=bool(row["truncated"]),
        )
        for number, row in enumerate(pl.concat([rows, counts], how="horizontal").to_dicts())
        if number not in missing
    ]
    return OverTime(tuple(points), len(missing))


def forwards(times: Sequence[str]) -> list[int]:
    """Returns the places of the longest row of times that do not go backwards.

    What is not among them was written while the clock was wrong.
    """
    ends: list[str] = []
    places: list[int] = []
    before: list[int] = []
    for place, at in enumerate(times):
        length = bisect_right(ends, at)
        before.append(places[length - 1] if length else -1)
        ends[length : length + 1], places[length : length + 1] = [at], [place]
    found = []
    place = places[-1] if places else -1
    while place >= 0:
        found.append(place)
        place = before[place]
    return found[::-1]


def thinned(places: Sequence[int], most: int) -> list[int]:
    """Returns at most so many, at even distances, the first and the last among them."""
    if len(places) <= most:
        return list(places)
    return [places[round(each * (len(places) - 1) / (most - 1))] for each in range(most)]


def _by_time(rows: pl.DataFrame, times: pl.DataFrame) -> pl.DataFrame:
    """The rows with `time`: the place of the first time that they had happened by.

    What a wrong clock or the thinning left no time for is seen at the next.
    """
    numbered = times.select("line", time=pl.int_range(pl.len()))
    return rows.sort("line").join_asof(numbered, on="line", strategy="forward").drop_nulls("time")


def _listings(
    store: Store, stood: list[str | None], lists: pl.DataFrame
) -> tuple[pl.DataFrame, set[int]]:
    """Which address came into the list or left it, by time; and the times whose list is lost.

    A list that differs in nothing from the one before is not unpacked.
    """
    is_equal = (lists["new"] == 0) & (lists["vanished"] == 0)
    same = is_equal.fill_null(False).cum_sum() - pl.Series(range(lists.height), dtype=pl.Int64)
    content = dict(zip(lists["snapshot"], same, strict=True))
    before = pl.Series(dtype=pl.UInt64)
    last: int | None = None
    came: list[pl.DataFrame] = []
    missing: set[int] = set()
    for time, name in enumerate(stood):
        if name is None or content[name] == last:
            if time - 1 in missing and name is not None:
                missing.add(time)
            continue
        last = content[name]
        addresses = frames.snapshot_addresses(store, name)
        if addresses is None:
            missing.add(time)
            continue
        listed = addresses.hash()
        changes = ((True, listed, before), (False, before, listed))
        came += [
            pl.DataFrame({"address": these.filter(~these.is_in(those.implode()))}).with_columns(
                time=pl.lit(time, pl.Int64), listed=pl.lit(is_listed)
            )
            for is_listed, these, those in changes
        ]
        before = listed
    return pl.concat([LISTED.clear(), *came]), missing


LISTED = pl.DataFrame(schema={"address": pl.UInt64, "time": pl.Int64, "listed": pl.Boolean})


def counted(
    listed: pl.DataFrame, states: pl.DataFrame, kept: pl.DataFrame, times: int
) -> pl.DataFrame:
    """Returns how many addresses were listed at each time, how many of them kept, in which state.

    Each stretch of time for which an address stood as it did counts from its first time on, and
    against the time at which it ended.
    """
    changes = pl.concat(
        [listed, states.drop("line"), kept.drop("line").with_columns(kept=pl.lit(True))],
        how="diagonal",
    ).join(listed.select("address").unique(), on="address", how="semi")
    stretches = _stretches(changes, times).filter("listed")
    sign = pl.col("sign")
    sums = (
        pl.concat(
            [
                stretches.select("time", "state", "kept", sign=pl.lit(1)),
                stretches.select(pl.col("end").alias("time"), "state", "kept", sign=pl.lit(-1)),
            ]
        )
        .group_by("time")
        .agg(
            sign.sum().alias("published"),
            sign.filter("kept").sum().alias("kept"),
            *(sign.filter(pl.col("state") == each).sum().alias(each) for each in STATES),
        )
    )
    every = pl.DataFrame({"time": pl.int_range(times, eager=True)})
    return every.join(sums, on="time", how="left", maintain_order="left").select(
        pl.exclude("time").fill_null(0).cum_sum()
    )


_AT_FIRST = {"listed": False, "state": NEVER_ASKED, "kept": False}
"""How an address stands before anything happens to it."""


def _stretches(changes: pl.DataFrame, times: int) -> pl.DataFrame:
    """How each address stood, from `time` to `end`; the last stretch ends after all times."""
    key = ["address", "time"]
    is_first = (pl.col("address") != pl.col("address").shift()).fill_null(True)
    is_last = is_first.shift(-1, fill_value=True)
    from_the_first = (
        pl.when(is_first).then(pl.col(name).fill_null(value)).otherwise(name).alias(name)
        for name, value in _AT_FIRST.items()
    )
    return (
        changes.group_by(key)
        .agg(pl.exclude(key).drop_nulls().last())
        .sort(key)
        .with_columns(
            *from_the_first,
            end=pl.when(is_last).then(times).otherwise(pl.col("time").shift(-1)),
        )
        .with_columns(pl.col(*_AT_FIRST).forward_fill())
    )
