"""What became of the dataset requests of a source, by status."""

from dataclasses import dataclass

import polars as pl

from centinel.files import parse_line
from centinel.record import Json
from centinel.report.frames import Schema, read
from centinel.store import Store

MOST_EXAMPLES = 3

RESULTS: Schema = {
    "hit": pl.Boolean,
    "status": pl.String,
    "request": pl.String,
    "ingest_strategy": pl.String,
    "file_count": pl.Int64,
    "total_size": pl.Int64,
    "error_message": pl.String,
}
"""`request` is an object where it could be read as one: it is shown as its text."""


@dataclass(frozen=True)
class Outcome:
    """The requests that ended with one status, and some of them."""

    status: str
    is_hit: bool
    count: int
    examples: tuple[tuple[str, str | None], ...]
    """What was asked for, and why it ended so."""


@dataclass(frozen=True)
class Ingested:
    """All requests of a source."""

    requests: int
    hits: int
    files: int
    """Files of hits."""
    size: int
    """Bytes of hits whose size is known."""
    strategies: tuple[tuple[str, int], ...]
    outcomes: tuple[Outcome, ...]
    """Hits first, then the most frequent."""


def ingested_of(store: Store) -> Ingested | None:
    """Returns the figures of `ingest/results.jsonl`; None for a source that has none.

    Raises ValueError for a damaged file.
    """
    if not store.ingest_results.exists():
        return None
    rows = read(store.ingest_results, RESULTS)
    hits = rows.filter("hit")
    strategies = rows.filter(pl.col("ingest_strategy").fill_null("") != "")
    by_strategy = strategies.group_by("ingest_strategy").len().sort("ingest_strategy")
    outcomes = (
        rows.group_by("hit", "status", maintain_order=True)
        .agg(pl.len().alias("count"), pl.struct("request", "error_message").head(MOST_EXAMPLES))
        .sort("hit", "count", "status", descending=[True, True, False])
    )
    return Ingested(
        requests=rows.height,
        hits=hits.height,
        files=int(hits["file_count"].sum()),
        size=int(hits["total_size"].sum()),
        strategies=tuple(by_strategy.iter_rows()),
        outcomes=tuple(_outcome(row) for row in outcomes.iter_rows(named=True)),
    )


def _outcome(row: Json) -> Outcome:
    examples = ((_asked(each["request"]), each["error_message"]) for each in row["request"])
    return Outcome(row["status"], row["hit"], row["count"], tuple(examples))


def _asked(request: str | None) -> str:
    """The address of a request; a line that is none, as it was given."""
    asked = parse_line((request or "").encode())
    return str((asked or {}).get("base_url") or request)
