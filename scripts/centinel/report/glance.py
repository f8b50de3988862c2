"""The first screen: whether a source needs anybody, in ten figures and a sentence each."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from centinel.changes import CHANGED
from centinel.masking import masked
from centinel.report.acquisition import Acquisition, Snapshot
from centinel.report.fixity import Fixity
from centinel.report.groups import Groups
from centinel.report.news import News
from centinel.report.readings import Readings
from centinel.report.stale import Stale
from centinel.report.wording import UNKNOWN, clipped, counted, day, number, of, span

MOST_OF_A_REASON = 160


class Level(StrEnum):
    """Whether somebody should look."""

    OK = "ok"
    NOTICE = "notice"
    URGENT = "urgent"
    """What the report shows is not whole, or not to be trusted, until it is mended."""


@dataclass(frozen=True)
class Glance:
    """One figure of the first screen."""

    name: str
    label: str
    figure: str
    """Ready for the eye: `at least 1,204`, `unknown`, `none`."""
    sentence: str
    section: str
    """The part of the page that says more."""
    rows: str | None
    """The table behind it, relative to the source's folder."""
    level: Level


NONE = "none"


def shown(count: int | None, at_least: bool = False) -> str:
    """Returns a count for the first screen."""
    return NONE if count == 0 and not at_least else counted(count, at_least)


def glances_of(
    snapshot: Snapshot,
    acquired: Acquisition,
    read: Readings,
    news: News,
    stale: Stale,
    fixity: Fixity | None,
) -> tuple[Glance, ...]:
    """Returns the first screen of one source, in the order in which it is read."""
    return (
        _complete(snapshot),
        _new(snapshot),
        _changed(news),
        _vanished(snapshot),
        _blocked(acquired),
        _unread(read),
        _owed(acquired, snapshot.at_least),
        _waiting(read),
        _stale(stale),
        _verified(fixity),
    )


RESOURCES = "tables/resources.csv"
CHANGES = "tables/changes.csv"
UNDERIVABLE = "tables/underivable.csv"
DERIVATIONS = "tables/derivations.csv"


def _complete(snapshot: Snapshot) -> Glance:
    report = snapshot.report
    if report is None:
        figure, sentence, level = UNKNOWN, "No snapshot has been taken yet.", Level.URGENT
    elif snapshot.failed:
        why = clipped(masked(report.reason or "no reason was given"), MOST_OF_A_REASON)
        figure, level = "failed", Level.URGENT
        sentence = f"The newest enumeration failed: {why}."
    elif report.truncated:
        figure, level = "cut short", Level.URGENT
        sentence = f"At least {of(report.found or 0, 'address', 'addresses')} are published."
    else:
        figure, level = "yes", Level.OK if report.found else Level.URGENT
        sentence = f"{of(report.found or 0, 'address', 'addresses')} in the newest snapshot."
    return Glance("complete", "Complete", figure, sentence, "snapshot", RESOURCES, level)


def _new(snapshot: Snapshot) -> Glance:
    count = snapshot.report.new if snapshot.report else None
    sentence = "Addresses that the snapshot before did not have."
    figure = shown(count, snapshot.at_least)
    return Glance("new", "New", figure, sentence, "news", CHANGES, Level.OK)


def _changed(news: News) -> Glance:
    sentence = "Documents whose bytes are others than before."
    count = news.count(CHANGED)
    return Glance("changed", "Changed", shown(count), sentence, "news", CHANGES, Level.OK)


def _vanished(snapshot: Snapshot) -> Glance:
    count = snapshot.report.vanished if snapshot.report else None
    sentence = "Addresses that the newest snapshot does not have any more."
    level = Level.NOTICE if count else Level.OK
    return Glance("vanished", "Vanished", shown(count), sentence, "news", CHANGES, level)


def _blocked(acquired: Acquisition) -> Glance:
    counts = acquired.counts
    sentence = "No published address is blocked."
    level = Level.OK
    if counts.blocked:
        sentence = f"Since {day(acquired.blocked_since)}, where it has lasted longest."
        level = Level.URGENT if counts.blocked == counts.asked else Level.NOTICE
    figure = shown(counts.blocked)
    return Glance("blocked", "Blocked", figure, sentence, "refusals", RESOURCES, level)


def _most(groups: Groups, one: str, many: str) -> str:
    first = groups.shown[0]
    return f"{clipped(masked(first.label), MOST_OF_A_REASON)}, for {of(first.count, one, many)}"


def _unread(read: Readings) -> Glance:
    count = read.total("underivable")
    sentence, level = "Everything that was tried gave a text.", Level.OK
    if count:
        sentence = f"Most often: {_most(read.underivable, 'document', 'documents')}."
        level = Level.NOTICE
    figure = shown(count)
    return Glance("unread", "Unread", figure, sentence, "underivable", UNDERIVABLE, level)


def _owed(acquired: Acquisition, at_least: bool) -> Glance:
    remaining = acquired.state.remaining
    sentence, level = "Nothing is left to be asked for.", Level.OK
    if acquired.owed or remaining:
        level = Level.NOTICE
        sentence = f"{number(acquired.owed)} parts are owed; {counted(remaining, at_least)} remain."
    figure = shown(acquired.owed)
    return Glance("owed", "Owed", figure, sentence, "problems", RESOURCES, level)


def _waiting(read: Readings) -> Glance:
    count = read.total("waiting") + read.total("unread")
    sentence, level = "Nothing waits to be read.", Level.OK
    if read.waiting.shown:
        sentence = f"Most often: {_most(read.waiting, 'document', 'documents')}."
        level = Level.NOTICE if read.waiting_for_readers else Level.OK
    return Glance("waiting", "Waiting", shown(count), sentence, "waiting", DERIVATIONS, level)


def _stale(stale: Stale) -> Glance:
    figure = UNKNOWN if stale.age is None else span(stale.age)
    sentence = f"The snapshot that stands is of {day(stale.taken_at)}."
    level = Level.NOTICE if stale.is_old or stale.overdue > timedelta(0).days else Level.OK
    return Glance("stale", "Stale", figure, sentence, "stale", RESOURCES, level)


def _verified(fixity: Fixity | None) -> Glance:
    if fixity is None:
        sentence = "The bytes on disk were never compared with their hashes: run verify."
        return Glance("verified", "Verified", "never", sentence, "fixity", None, Level.OK)
    is_damaged = bool(fixity.damaged or fixity.missing)
    sentence = f"{number(fixity.damaged)} damaged, {number(fixity.missing)} missing."
    level = Level.URGENT if is_damaged else Level.OK
    figure = day(fixity.complete_at)
    return Glance("verified", "Verified", figure, sentence, "fixity", None, level)
