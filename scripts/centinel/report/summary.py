"""The few figures of a source that the overview shows: `tables/summary.json`.

Kept beside the tables, so that the audit of all sources reads no record and cannot differ from the
audits of each.
"""

from dataclasses import dataclass, field
from pathlib import Path

from centinel.files import read_json, write_json
from centinel.masking import masked
from centinel.record import Json, Line
from centinel.report.figures import Figures
from centinel.report.summing import as_rows
from centinel.store import Store


@dataclass(frozen=True)
class Summary(Line):
    """One source in the audit of all."""

    source: str
    address: str
    made_at: str
    taken_at: str | None
    outcome: str | None
    """None where no snapshot was ever taken."""
    reason: str | None
    found: int | None
    truncated: bool
    live: int
    gone: int
    blocked: int
    error: int
    never_asked: int
    artifacts: int
    size: int
    texts: int
    underivable: int
    waiting: int
    unread: int
    remaining: int | None
    urgent: bool
    new: int | None
    vanished: int | None
    changed: int
    owed: int
    blocked_since: str | None
    """Where it has lasted longest."""
    stands_at: str | None
    """When the snapshot was taken that stands."""
    is_stale: bool
    """Whether that is older than an answer may become."""
    overdue: int
    verified_at: str | None
    """When all bytes had been compared with their hashes; None where not all ever were."""
    lost: int
    """Artifacts whose bytes are damaged or missing."""
    attention: list[str] = field(default_factory=list)
    over_time: list[Json] = field(default_factory=list)


def summary_of(figures: Figures, made_at: str) -> Summary:
    """Returns the summary of a source's figures."""
    report, counts = figures.snapshot.report, figures.acquired.counts
    return Summary(
        source=figures.source,
        address=figures.address,
        made_at=made_at,
        taken_at=report.taken_at if report else None,
        outcome=report.outcome if report else None,
        reason=masked(report.reason) if report and report.reason else None,
        found=report.found if report else None,
        truncated=figures.snapshot.at_least,
        live=counts.live,
        gone=counts.gone,
        blocked=counts.blocked,
        error=counts.error,
        never_asked=counts.never_asked,
        artifacts=figures.acquired.artifacts,
        size=figures.acquired.size,
        texts=figures.read.total("text"),
        underivable=figures.read.total("underivable"),
        waiting=figures.read.total("waiting"),
        unread=figures.read.total("unread"),
        remaining=figures.acquired.state.remaining,
        urgent=any(each.urgent for each in figures.needs),
        new=report.new if report else None,
        vanished=report.vanished if report else None,
        changed=figures.news.changed,
        owed=figures.acquired.owed,
        blocked_since=figures.acquired.blocked_since,
        stands_at=figures.stale.taken_at,
        is_stale=figures.stale.is_old,
        overdue=figures.stale.overdue,
        verified_at=figures.fixity.complete_at if figures.fixity else None,
        lost=figures.fixity.lost if figures.fixity else 0,
        over_time=as_rows(figures.over_time),
        attention=[each.text for each in figures.needs],
    )


def path_of(store: Store) -> Path:
    """Returns where a source's summary lies."""
    return store.tables / "summary.json"


def write(store: Store, summary: Summary) -> None:
    """Writes the summary of a source."""
    write_json(path_of(store), summary.to_json())


def read(store: Store) -> Summary | None:
    """Returns the summary of a source; None where it is missing, or of another version."""
    try:
        return Summary.from_json(read_json(path_of(store)) or {})
    except TypeError:
        return None
