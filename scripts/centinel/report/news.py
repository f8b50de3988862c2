"""What changed between the snapshot before and the newest one, and since."""

from dataclasses import dataclass

import polars as pl

from centinel.changes import APPEARED, CHANGED, Change
from centinel.history import History

MOST_EVENTS = 500


@dataclass(frozen=True)
class News:
    """The events since the snapshot before the newest one."""

    since: str | None
    """When that was taken; None where there are not two: all events count then."""
    counts: tuple[tuple[str, int], ...]
    """By event, the most frequent first."""
    events: tuple[Change, ...]
    """The newest first; of a first snapshot without the addresses that appeared in it: all did."""
    rest: int
    """Events that are not among them."""
    changed: int = 0
    """Artifacts that came with other content; one may have done so several times."""


def news_of(changes: pl.DataFrame, history: History, most: int = MOST_EVENTS) -> News:
    """Returns what is new, from the lines of `changes.jsonl` in their order."""
    good = [each.at for each in history.discoveries if each.outcome == "ok"]
    since = good[-2] if len(good) > 1 else None
    recent = changes if since is None else changes.filter(_is_since(since, good[-1]))
    counts = recent.group_by("event").len().sort("len", "event", descending=[True, False])
    told = recent if since is not None else recent.filter(pl.col("event") != APPEARED)
    shown = told.tail(most).reverse()
    return News(
        since=since,
        counts=tuple(counts.iter_rows()),
        events=tuple(Change(**row) for row in shown.iter_rows(named=True)),
        rest=recent.height - shown.height,
        changed=recent.filter(pl.col("event") == CHANGED)["artifact"].n_unique(),
    )


def _is_since(since: str, newest: str) -> pl.Expr:
    """Whether an event came after a snapshot. Where the clock ran ahead then, and was set back
    before the newest one, only what came with that and later is known to have."""
    at = pl.col("at")
    return at > since if since <= newest else at >= newest
