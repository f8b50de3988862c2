"""The figures of what a source publishes and of what its addresses answered."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from centinel.history import History
from centinel.record import NOT_MODIFIED, Discovery, Json, Liveness, SnapshotReport
from centinel.report.frames import Frames
from centinel.report.groups import Groups, alike, grouped

MOST_PROBLEMS = 200
SAME_BYTES = 3
"""Addresses with the same bytes from which on they are worth a look: error pages served as 200."""

NOT_KEPT = "live, and nothing kept"
"""Stands beside the failures: such an address is none of them."""

FAILURES = (Liveness.BLOCKED, Liveness.ERROR, Liveness.GONE)
"""In the order in which they are shown; they are never added together."""

OWED = "owed"


@dataclass(frozen=True)
class Snapshot:
    """The newest snapshot; where it failed, also the good one that stands."""

    report: SnapshotReport | None
    """None where no snapshot was ever taken."""
    standing: Discovery | None
    published: int
    """Addresses of the snapshot that stands."""

    @property
    def failed(self) -> bool:
        """Whether the newest enumeration gave no snapshot."""
        return self.report is not None and self.report.outcome != "ok"

    @property
    def taken_at(self) -> str | None:
        """When the snapshot that stands was taken; None where there is none."""
        if self.report is not None and not self.failed:
            return self.report.taken_at
        return self.standing.at if self.standing else None

    @property
    def at_least(self) -> bool:
        """Whether every count of published addresses is only the least that it can be."""
        if self.report is not None and not self.failed:
            return bool(self.report.truncated)
        return self.standing is not None and bool(self.standing.truncated)


@dataclass(frozen=True)
class Counts:
    """How many addresses are in which state. The failures are never added together."""

    live: int = 0
    gone: int = 0
    blocked: int = 0
    error: int = 0
    never_asked: int = 0

    @property
    def asked(self) -> int:
        """How many were asked for, whatever they answered."""
        return self.live + self.gone + self.blocked + self.error

    @property
    def published(self) -> int:
        """How many there are, asked for or not."""
        return self.asked + self.never_asked


@dataclass(frozen=True)
class Problem:
    """An address that did not give what it should."""

    problem: str
    """A failure, or `owed`."""
    address: str
    reason: str | None
    since: str | None
    consecutive_failures: int
    last_checked: str | None
    owed: int


@dataclass(frozen=True)
class Problems:
    """Some of them, of each sort, and how many of each sort are not shown."""

    shown: tuple[Problem, ...]
    hidden: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class State:
    """What the last acquire said of itself; None where it did not."""

    remaining: int | None = None
    left_out: int | None = None
    put_off: int | None = None
    next_due: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    warnings: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()


@dataclass(frozen=True)
class Acquisition:
    """What the addresses of a source answered."""

    counts: Counts
    """Of the addresses in the snapshot that stands."""
    counts_outside: Counts
    """Of those that are not in it any more."""
    blocked_since: str | None
    owing: int
    """Addresses of which parts are owed."""
    owed: int
    state: State
    artifacts: int
    enclosures: int
    blobs: int
    size: int
    """Of the distinct blobs."""
    refusals: tuple[tuple[str, Groups], ...]
    """By failure, then by reason."""
    refused_parts: tuple[tuple[str, Groups], ...]
    parts: Counts
    """Of parts whose last request was refused."""
    same_bytes: Groups
    notes: Groups
    problems: Problems
    torn: tuple[str, ...] = field(default=())


def snapshot_of(report: Json | None, history: History, resources: pl.DataFrame) -> Snapshot:
    """Returns what the last enumeration found, and what stands where it failed."""
    made = SnapshotReport.from_json(report) if report is not None else None
    has_good_one = made is not None and made.outcome == "ok"
    return Snapshot(
        report=made,
        standing=None if has_good_one else history.last_good_discovery(),
        published=int(resources["in_snapshot"].sum()),
    )


def state_of(acquire: Json | None) -> State:
    """Returns what `acquire.json` says."""
    said = acquire or {}
    return State(
        remaining=said.get("remaining"),
        left_out=said.get("left_out"),
        put_off=said.get("put_off"),
        next_due=said.get("next_due"),
        counts=tuple(sorted(said.get("counts", {}).items())),
        warnings=tuple(said.get("warnings", ())),
        torn=tuple(said.get("torn", ())),
    )


def acquisition_of(frames: Frames, state: State, history: History) -> Acquisition:
    """Returns the figures of what was asked for and what came."""
    published = frames.resources.filter("in_snapshot")
    blocked = published.filter(pl.col("liveness") == Liveness.BLOCKED.value)
    owed = frames.resources["owed"].list.len()
    blobs = frames.artifacts.select("blob", "size").unique("blob")
    return Acquisition(
        counts=counts_of(published),
        counts_outside=counts_of(frames.resources.filter(~pl.col("in_snapshot"))),
        blocked_since=blocked.select(pl.col("since").min()).item(),
        owing=int((owed > 0).sum()),
        owed=int(owed.sum()),
        state=state,
        artifacts=frames.artifacts.height,
        enclosures=frames.artifacts.filter(pl.col("artifact") != pl.col("resource")).height,
        blobs=blobs.height,
        size=int(blobs["size"].sum()),
        refusals=(*_refusals(published), *_not_kept(published)),
        refused_parts=_refusals(frames.refused_parts),
        parts=counts_of(frames.refused_parts),
        same_bytes=_same_bytes(frames.artifacts),
        notes=grouped(alike(frames.acquired_notes, "note"), ["label"]),
        problems=problems_of(frames.resources),
        torn=tuple(sorted({*history.torn.places, *state.torn})),
    )


def counts_of(addresses: pl.DataFrame) -> Counts:
    """Returns how many rows are in which state, from their column `liveness`."""
    found = {
        row["liveness"]: row["len"]
        for row in addresses.group_by("liveness").len().iter_rows(named=True)
    }
    return Counts(
        **{each.value: found.get(each.value, 0) for each in Liveness},
        never_asked=found.get(None, 0),
    )


def _refusals(addresses: pl.DataFrame) -> tuple[tuple[str, Groups], ...]:
    """One entry a failure that there is: reasons are counted within it, never across."""
    found = (
        (each.value, grouped(addresses.filter(pl.col("liveness") == each.value), ["reason"]))
        for each in FAILURES
    )
    return tuple((liveness, groups) for liveness, groups in found if groups.count)


def _not_kept(addresses: pl.DataFrame) -> Iterator[tuple[str, Groups]]:
    """Yields the addresses that are live and had nothing to keep, such as a stream to come."""
    has_reason = pl.col("reason").is_not_null() & (pl.col("reason") != NOT_MODIFIED)
    live = addresses.filter((pl.col("liveness") == Liveness.LIVE.value) & has_reason)
    if live.height:
        yield NOT_KEPT, grouped(live, ["reason"])


def _same_bytes(artifacts: pl.DataFrame) -> Groups:
    shared = artifacts.filter(pl.col("blob").is_duplicated())
    named = shared.rename({"artifact": "address"}).with_columns(
        pl.col("size").cast(pl.String), pl.col("blob").alias("bytes")
    )
    return grouped(named, ["kind", "size", "bytes"], at_least=SAME_BYTES)


def problems_of(resources: pl.DataFrame, most: int = MOST_PROBLEMS) -> Problems:
    """Returns addresses that failed or owe parts: as many of each sort as there is room for.

    One of each sort in turn, so that a thousand blocked addresses do not hide the one error.
    """
    order = pl.Enum([*(each.value for each in FAILURES), OWED])
    sort = pl.when(pl.col("owed").list.len() > 0).then(pl.lit(OWED))
    is_failure = pl.col("liveness").is_in([each.value for each in FAILURES])
    found = (
        resources.with_columns(
            pl.when(is_failure).then("liveness").otherwise(sort).cast(order).alias("problem"),
            pl.col("owed").list.len().fill_null(0).alias("owed"),
        )
        .filter(pl.col("problem").is_not_null())
        .sort("problem", "address")
        .with_columns(pl.int_range(pl.len()).over("problem").alias("turn"))
    )
    shown = found.sort("turn", "problem").head(most).sort("problem", "address")
    left = (
        found.group_by("problem")
        .len()
        .join(shown.group_by("problem").agg(pl.len().alias("shown")), on="problem", how="left")
    )
    hidden = left.with_columns(
        (pl.col("len") - pl.col("shown").fill_null(0)).alias("hidden")
    ).filter(pl.col("hidden") > 0)
    fields = list(Problem.__dataclass_fields__)
    return Problems(
        shown=tuple(Problem(**row) for row in shown.select(fields).iter_rows(named=True)),
        hidden=tuple(hidden.sort("problem").select("problem", "hidden").iter_rows()),
    )
