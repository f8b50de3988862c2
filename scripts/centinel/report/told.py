"""What the lines of a record tell of its addresses, as columns: enough to count any time of it.

The record is read in pieces, each reduced before the next. What was told is kept in a file beside
the record, so that the next audit reads only the lines that came since. The file may be deleted at
any time; where it does not fit the record, or another version wrote it, it is made again.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass

import orjson
import polars as pl

from centinel.files import to_bytes, whole
from centinel.kept import Mark, marks_of, read_on
from centinel.record import Liveness
from centinel.report import frames
from centinel.store import Store

NEVER_ASKED = "never_asked"
STATES = (*(each.value for each in Liveness), NEVER_ASKED)

LINES: frames.Schema = {
    "type": pl.String,
    "at": pl.String,
    "artifact": pl.String,
    "liveness": pl.String,
    "outcome": pl.String,
    "truncated": pl.Boolean,
    "snapshot": pl.String,
    "new": pl.Int64,
    "vanished": pl.Int64,
}
TELLING = ("discovery", "observation", "status")
"""Types of lines that tell of addresses: a check of the blobs is no time at which they changed."""

TIMES: frames.Schema = {"line": pl.Int64, "at": pl.String, "pass": pl.Int64}
LISTS: frames.Schema = {
    "line": pl.Int64,
    "snapshot": pl.String,
    "truncated": pl.Boolean,
    "new": pl.Int64,
    "vanished": pl.Int64,
}
TURNS: frames.Schema = {"address": pl.UInt64, "line": pl.Int64, "state": pl.Enum(STATES)}
KEPT: frames.Schema = {"address": pl.UInt64, "line": pl.Int64}

FORM = f"2 polars {pl.__version__}"
"""What a kept file holds: the hashes in it are those of one version of polars."""


def _empty(schema: frames.Schema) -> pl.DataFrame:
    return pl.DataFrame(schema=dict(schema))


@dataclass(frozen=True)
class Told:
    """What the lines of a record tell; `line` is the place of a line in it, `address` a hash."""

    times: pl.DataFrame
    """The last line of each pass and day."""
    lists: pl.DataFrame
    """The enumerations that gave a snapshot."""
    states: pl.DataFrame
    """The lines at which an address came into another state."""
    kept: pl.DataFrame
    """The line of the first bytes of each address."""
    lines: int = 0
    passes: int = 0

    @classmethod
    def nothing(cls) -> "Told":
        """Returns what no line tells."""
        return cls(_empty(TIMES), _empty(LISTS), _empty(TURNS), _empty(KEPT))


def told_of(store: Store, marker: str) -> Told:
    """Returns what the whole record tells; `marker` is what names an address's own artifact."""
    before, read = _recalled(store, marker)
    return tell_on(before, frames.record_lines(store, LINES, read), marker)


def keep(store: Store, marker: str) -> None:
    """Keeps what the record tells, where it has lines that are not in what is kept."""
    marks = marks_of(store)
    before, read = _recalled(store, marker)
    until = {mark.name: mark.size for mark in marks}
    if read == until:
        return
    told = tell_on(before, frames.record_lines(store, LINES, read, until), marker)
    tables = {"times": told.times, "lists": told.lists, "states": told.states, "kept": told.kept}
    named = [table.with_columns(table=pl.lit(name)) for name, table in tables.items()]
    said = {
        "form": f"{FORM} {marker}",
        "marks": to_bytes([astuple(mark) for mark in marks]).decode(),
        "lines": str(told.lines),
        "passes": str(told.passes),
    }
    with whole(store.over_time) as stream:
        pl.concat(named, how="diagonal").write_parquet(stream, metadata=said)


def _recalled(store: Store, marker: str) -> tuple[Told, dict[str, int]]:
    """What is kept, and how far each file of the record was read for it."""
    try:
        said = pl.read_parquet_metadata(store.over_time)
        marks = [Mark(*each) for each in orjson.loads(said["marks"])]
        read = read_on(store, marks) if said["form"] == f"{FORM} {marker}" else None
        if read is None:
            return Told.nothing(), {}
        rows = pl.read_parquet(store.over_time)
        return _unpacked(rows, int(said["lines"]), int(said["passes"])), read
    except (FileNotFoundError, KeyError, TypeError, ValueError, pl.exceptions.PolarsError):
        return Told.nothing(), {}


def _unpacked(rows: pl.DataFrame, lines: int, passes: int) -> Told:
    times, lists, states, kept = (
        rows.filter(pl.col("table") == name).select(
            pl.col(each).cast(kind) for each, kind in schema.items()
        )
        for name, schema in (("times", TIMES), ("lists", LISTS), ("states", TURNS), ("kept", KEPT))
    )
    return Told(times, lists, states, kept, lines, passes)


def tell_on(before: Told, chunks: Iterable[pl.DataFrame], marker: str) -> Told:
    """Returns what is told by these lines after those before."""
    times, lists, states, kept = (
        [each] for each in (before.times, before.lists, before.states, before.kept)
    )
    start, passes = before.lines, before.passes
    for chunk in chunks:
        is_discovery = (pl.col("type") == "discovery").fill_null(False)
        numbered = chunk.with_columns(
            line=pl.int_range(pl.len(), dtype=pl.Int64) + start,
            is_discovery=is_discovery,
        ).with_columns(pl.col("is_discovery").cum_sum().cast(pl.Int64).alias("pass") + passes)
        start += chunk.height
        passes += int(numbered["is_discovery"].sum())
        times.append(_alone(_last_of_days(numbered.filter(pl.col("type").is_in(TELLING)))))
        is_good = is_discovery & (pl.col("outcome") == "ok") & pl.col("snapshot").is_not_null()
        lists.append(_alone(numbered.filter(is_good).select(*LISTS)))
        answers = _answers(numbered, marker)
        states.append(_turns(answers))
        kept.append(_first(answers.filter("has_bytes")))
    return Told(
        times=_last_of_days(pl.concat(times)),
        lists=pl.concat(lists),
        states=_turns(pl.concat(states)),
        kept=_first(pl.concat(kept)),
        lines=start,
        passes=passes,
    )


def _alone(lines: pl.DataFrame) -> pl.DataFrame:
    """Copies a few lines: as they are, they would hold the text of their whole chunk in memory."""
    return pl.DataFrame(lines.rows(), schema=lines.schema, orient="row")


def _first(lines: pl.DataFrame) -> pl.DataFrame:
    return lines.group_by("address").agg(pl.col("line").min())


def _last_of_days(lines: pl.DataFrame) -> pl.DataFrame:
    """The last line of each pass, and of each day of a pass that goes on for several."""
    timed = lines.filter(pl.col("at").is_not_null()).select("line", "at", "pass")
    day = pl.col("at").str.head(10).alias("day")
    return timed.group_by("pass", day).last().sort("line").select("line", "at", "pass")


def _answers(lines: pl.DataFrame, marker: str) -> pl.DataFrame:
    """What was answered for the artifacts that stand for an address."""
    has_bytes = pl.col("type") == "observation"
    state = pl.when(has_bytes).then(pl.lit(Liveness.LIVE.value)).otherwise("liveness")
    artifact = pl.col("artifact")
    return lines.filter(
        pl.col("type").is_in(["observation", "status"]) & artifact.str.ends_with(marker)
    ).select(
        artifact.str.strip_suffix(marker).hash().alias("address"),
        "line",
        state.cast(pl.Enum(STATES), strict=False).alias("state"),
        has_bytes.alias("has_bytes"),
    )


def _turns(answers: pl.DataFrame) -> pl.DataFrame:
    """The answers, in the order of their lines, that showed another state than the one before of
    the same address."""
    ordered = answers.select("address", "line", "state").sort("address", maintain_order=True)
    is_same = (pl.col("address") == pl.col("address").shift()) & (
        pl.col("state") == pl.col("state").shift()
    )
    return ordered.filter(~is_same.fill_null(False) & pl.col("state").is_not_null())
