"""What a person should look at, in plain words and in order."""

from collections.abc import Iterator
from dataclasses import dataclass

from centinel.masking import masked
from centinel.report.acquisition import Acquisition, Snapshot
from centinel.report.fixity import Fixity
from centinel.report.ingested import Ingested
from centinel.report.over_time import OverTime
from centinel.report.readings import Readings
from centinel.report.stale import Stale
from centinel.report.wording import clipped, day, number, of, span

MOST_OF_A_REASON = 300


@dataclass(frozen=True)
class Attention:
    """One sentence, and the part of the page that says more."""

    text: str
    section: str
    urgent: bool = False
    """Whether what the report shows is not whole, or not to be trusted, until it is mended."""
    glance: str | None = None
    """The figure of the first screen that says the same."""


def needs(
    snapshot: Snapshot,
    acquired: Acquisition,
    read: Readings,
    ingested: Ingested | None = None,
    stale: Stale | None = None,
    fixity: Fixity | None = None,
    over_time: OverTime | None = None,
) -> tuple[Attention, ...]:
    """Returns what needs somebody, the gravest first; nothing where nothing does."""
    return (
        *_of_snapshot(snapshot),
        *_of_fixity(fixity),
        *_of_refusals(acquired),
        *_of_what_is_left(acquired, snapshot.at_least),
        *_of_readings(read),
        *_of_requests(ingested),
        *_of_the_rest(snapshot, acquired),
        *_of_age(stale),
        *_of_lost_snapshots(over_time),
    )


def _of_lost_snapshots(over_time: OverTime | None) -> Iterator[Attention]:
    if over_time and over_time.left_out:
        what = of(over_time.left_out, "point in time is", "points in time are")
        why = "the snapshot that stood then is not in the record, or is damaged"
        yield Attention(f"{what} not shown: {why}.", "over-time")


def _of_fixity(fixity: Fixity | None) -> Iterator[Attention]:
    if fixity and fixity.lost:
        what = of(fixity.lost, "artifact", "artifacts")
        text = f"The bytes of {what} are damaged or missing on disk."
        yield Attention(text, "fixity", True, "verified")


def _of_age(stale: Stale | None) -> Iterator[Attention]:
    if stale and stale.is_old and stale.age:
        text = f"The snapshot is {span(stale.age)} old: time for a new one (-R enumerate)."
        yield Attention(text, "stale", glance="stale")


def _of_requests(ingested: Ingested | None) -> Iterator[Attention]:
    misses = ingested.requests - ingested.hits if ingested else 0
    if ingested and misses:
        of_all = of(ingested.requests, "dataset request", "dataset requests")
        yield Attention(f"{number(misses)} of {of_all} gave no verified set.", "datasets")


def _of_snapshot(snapshot: Snapshot) -> Iterator[Attention]:
    report = snapshot.report
    if report is None:
        yield Attention(
            "No snapshot has been taken: 0 addresses are known.", "snapshot", True, "complete"
        )
        return
    if snapshot.failed:
        least = "at least " if snapshot.at_least else ""
        published = least + of(snapshot.published, "address", "addresses")
        why = clipped(masked(report.reason or "no reason was given"), MOST_OF_A_REASON)
        stands = (
            f"the last good snapshot, of {published}, stands"
            if snapshot.standing
            else f"there is no earlier one to stand in for it, so {published} are known"
        )
        yield Attention(f"The enumeration failed ({why}): {stands}.", "snapshot", True, "complete")
    elif report.truncated:
        found = of(report.found or 0, "address", "addresses")
        text = f"The snapshot is cut short: at least {found}, how many more is not known."
        yield Attention(text, "snapshot", True, "complete")
    elif report.found == 0:
        text = "The snapshot holds 0 addresses: nothing was found."
        yield Attention(text, "snapshot", True, "complete")


def _of_refusals(acquired: Acquisition) -> Iterator[Attention]:
    counts, parts = acquired.counts, acquired.parts
    since = day(acquired.blocked_since)
    if counts.blocked and counts.blocked == counts.asked:
        yield Attention(
            f"Everything that was asked is blocked: {of(counts.blocked, 'address', 'addresses')}, "
            f"since {since}. This is a block, not an empty source.",
            "refusals",
            True,
            "blocked",
        )
    elif counts.blocked == 1:
        yield Attention(f"1 address is blocked, since {since}.", "refusals", glance="blocked")
    elif counts.blocked:
        text = f"{number(counts.blocked)} addresses are blocked, the first since {since}."
        yield Attention(text, "refusals", glance="blocked")
    if parts.blocked:
        what = of(parts.blocked, "enclosed document is", "enclosed documents are")
        yield Attention(f"{what} blocked.", "refusals", glance="blocked")
    if counts.error:
        what = of(counts.error, "address", "addresses")
        yield Attention(f"{what} answered with an error, or not at all.", "refusals")


def _of_what_is_left(acquired: Acquisition, at_least: bool) -> Iterator[Attention]:
    if acquired.owed:
        what = of(acquired.owed, "enclosed document is", "enclosed documents are")
        where = of(acquired.owing, "page", "pages")
        yield Attention(
            f"{what} owed, on {where}: neither fetched yet nor refused for good.",
            "problems",
            glance="owed",
        )
    if acquired.state.remaining:
        what = of(acquired.state.remaining, "request remains", "requests remain")
        least = "At least " if at_least else ""
        text = f"{least}{what}: the next plain run goes on."
        yield Attention(text, "addresses", glance="owed")


def _of_readings(read: Readings) -> Iterator[Attention]:
    if underivable := read.total("underivable"):
        what = of(underivable, "document was", "documents were")
        yield Attention(f"{what} tried and gave no text.", "underivable", glance="unread")
    if unread := read.total("unread"):
        what = of(unread, "document has", "documents have")
        text = f"{what} not been read at the version that is wanted."
        yield Attention(text, "reading", glance="waiting")
    if read.waiting_for_readers:
        what = of(read.waiting_for_readers, "document waits", "documents wait")
        text = f"{what} for a program or a model that is not installed here."
        yield Attention(text, "waiting", glance="waiting")


def _of_the_rest(snapshot: Snapshot, acquired: Acquisition) -> Iterator[Attention]:
    if acquired.state.put_off:
        what = of(acquired.state.put_off, "address was", "addresses were")
        yield Attention(f"{what} put off: the host did not answer.", "addresses")
    if acquired.torn:
        what = of(len(acquired.torn), "line of the record is", "lines of the record are")
        yield Attention(f"{what} torn: skipped, and kept as it stands.", "record")
    if snapshot.report is not None and snapshot.report.vanished:
        what = of(snapshot.report.vanished, "address", "addresses")
        text = f"{what} vanished from the snapshot since the one before."
        yield Attention(text, "news", glance="vanished")
