"""The first screen: whether a source needs anybody, in ten figures and a sentence each."""

from dataclasses import dataclass
from enum import StrEnum

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

RESOURCES = "tables/resources.csv"
CHANGES = "tables/changes.csv"
UNDERIVABLE = "tables/underivable.csv"
DERIVATIONS = "tables/derivations.csv"


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
        _new(snapshot, news),
        _changed(news),
        _vanished(snapshot, news),
        _blocked(acquired),
        _unread(read),
        _owed(acquired, snapshot.at_least),
        _waiting(read),
        _stale(stale),
        _verified(fixity),
    )


def _complete(snapshot: Snapshot) -> Glance:
    report = snapshot.report
    level = Level.URGENT
    if report is None:
        figure, sentence = UNKNOWN, "No snapshot has been taken: 0 addresses are known."
    elif snapshot.failed:
        figure, sentence = "failed", _failure(snapshot)
    elif report.truncated:
        found = of(report.found or 0, "address", "addresses")
        figure, sentence = "cut short", f"At least {found}; how many more is not known."
    elif not report.found:
        figure = "empty"
        sentence = f"The snapshot of {day(report.taken_at)} holds 0 addresses: nothing was found."
    else:
        figure, level = "yes", Level.OK
        found = of(report.found, "address", "addresses")
        sentence = f"The snapshot of {day(report.taken_at)} lists {found}."
    return Glance("complete", "Complete", figure, sentence, "snapshot", RESOURCES, level)


def _failure(snapshot: Snapshot) -> str:
    """Why there is no new snapshot, and what stands in for it."""
    report = snapshot.report
    said = report.reason if report else None
    why = clipped(masked(said or "no reason was given"), MOST_OF_A_REASON)
    if snapshot.standing is None:
        return f"The enumeration failed ({why}), and there is no earlier snapshot."
    least = "at least " if snapshot.at_least else ""
    published = least + of(snapshot.published, "address", "addresses")
    stands = f"the snapshot of {day(snapshot.standing.at)}, of {published}, stands"
    return f"The enumeration failed ({why}): {stands}."


def _new(snapshot: Snapshot, news: News) -> Glance:
    count = snapshot.report.new if snapshot.report else None
    if count is None:
        sentence = _no_difference(snapshot)
    elif news.since is None:
        sentence = "It is the first snapshot: everything in it is new."
    else:
        sentence = f"Compared with the snapshot of {day(news.since)}."
    figure = shown(count, snapshot.at_least)
    return Glance("new", "New", figure, sentence, "news", CHANGES, Level.OK)


def _no_difference(snapshot: Snapshot) -> str:
    """Why nobody knows what is new and what vanished."""
    if snapshot.report is None:
        return "There is no snapshot to compare."
    if snapshot.failed:
        return "The enumeration failed: there is nothing to compare."
    if snapshot.report.truncated:
        return "This snapshot is cut short: what it lacks may still be there."
    return "The snapshot before was cut short: what it lacked may have been there."


def _changed(news: News) -> Glance:
    since = "since the archive began" if news.since is None else f"since {day(news.since)}"
    sentence = f"Nothing that is kept came with other content {since}."
    if news.changed:
        sentence = f"Came with other content {since}; what was kept before stays."
    figure = shown(news.changed)
    return Glance("changed", "Changed", figure, sentence, "news", CHANGES, Level.OK)


def _vanished(snapshot: Snapshot, news: News) -> Glance:
    count = snapshot.report.vanished if snapshot.report else None
    if count is None:
        sentence = _no_difference(snapshot)
    elif news.since is None:
        sentence = "It is the first snapshot: nothing can have vanished."
    else:
        sentence = f"Compared with the snapshot of {day(news.since)}."
    if count:
        sentence = f"In the snapshot of {day(news.since)}, and not any more; what was kept stays."
    level = Level.NOTICE if count else Level.OK
    return Glance("vanished", "Vanished", shown(count), sentence, "news", CHANGES, level)


def _blocked(acquired: Acquisition) -> Glance:
    counts, parts = acquired.counts, acquired.parts.blocked
    sentences = []
    if counts.blocked:
        longest = "" if counts.blocked == 1 else ", where it has lasted longest"
        groups = dict(acquired.refusals)["blocked"]
        sentences.append(f"Since {day(acquired.blocked_since)}{longest}{_most(groups)}.")
    if counts.blocked and counts.blocked == counts.asked:
        sentences.append("This is everything that was asked: a block, not an empty source.")
    if parts:
        what = of(parts, "enclosed document is", "enclosed documents are")
        sentences.append(f"{what} blocked{' too' if counts.blocked else ''}.")
    sentence = " ".join(sentences) or "No address is blocked."
    is_all = counts.blocked > 0 and counts.blocked == counts.asked
    level = Level.URGENT if is_all else Level.NOTICE if sentences else Level.OK
    figure = shown(counts.blocked)
    return Glance("blocked", "Blocked", figure, sentence, "refusals", RESOURCES, level)


def _most(groups: Groups) -> str:
    """The most frequent reason, after what was said before it."""
    if not groups.shown:
        return ""
    first = groups.shown[0]
    why = clipped(masked(first.label), MOST_OF_A_REASON)
    if groups.count == first.count:
        return f": {why}"
    return f"; most often, {number(first.count)} of {number(groups.count)}: {why}"


def _unread(read: Readings) -> Glance:
    count = read.total("underivable")
    sentence, level = "Everything that was tried gave a text.", Level.OK
    if count:
        what = "It was tried and gave no text" if count == 1 else "They were tried and gave no text"
        sentence, level = f"{what}{_most(read.underivable)}.", Level.NOTICE
    figure = shown(count)
    return Glance("unread", "Not readable", figure, sentence, "underivable", UNDERIVABLE, level)


def _owed(acquired: Acquisition, at_least: bool) -> Glance:
    """What is left to be fetched: a figure for each, since owed parts are among what remains."""
    remaining, owed = acquired.state.remaining, acquired.owed
    sentences = []
    if owed:
        what = of(owed, "enclosed document is", "enclosed documents are")
        where = of(acquired.owing, "page", "pages")
        sentences.append(f"{what} owed, on {where}: neither fetched nor refused for good.")
    if remaining is None:
        sentences.append("How much remains is not known: no acquire has ended yet.")
    elif remaining:
        least = "At least " if at_least else ""
        what = of(remaining, "request remains", "requests remain")
        sentences.append(f"{least}{what}: the next plain run goes on.")
    sentence = " ".join(sentences) or "Nothing is left to be asked for."
    figure = shown(owed or remaining, at_least and not owed and bool(remaining))
    level = Level.NOTICE if sentences else Level.OK
    return Glance("owed", "Still to fetch", figure, sentence, "problems", RESOURCES, level)


def _waiting(read: Readings) -> Glance:
    waiting, unread = read.total("waiting"), read.total("unread")
    missing = read.waiting_for_readers
    sentences = []
    if waiting - missing:
        what = of(waiting - missing, "recording waits", "recordings wait")
        sentences.append(f"{what} for a transcript.")
    if missing:
        what = of(missing, "document waits", "documents wait")
        sentences.append(f"{what} for a program or a model that is not installed here.")
    if unread:
        what = of(unread, "document has", "documents have")
        sentences.append(f"{what} not been read at the version that is wanted.")
    sentence = " ".join(sentences) or "Nothing waits to be read."
    level = Level.NOTICE if missing or unread else Level.OK
    figure = shown(waiting + unread)
    return Glance("waiting", "Still to read", figure, sentence, "waiting", DERIVATIONS, level)


def _stale(stale: Stale) -> Glance:
    figure = UNKNOWN if stale.age is None else span(stale.age)
    taken = day(stale.taken_at)
    sentences = [f"The snapshot of {taken} is the newest good one."]
    if stale.taken_at is None:
        sentences = ["There is no snapshot."]
    elif stale.age is None:
        sentences = [f"The snapshot is of {taken}, which is still to come: a clock is wrong."]
    elif stale.is_old:
        sentences = [f"The snapshot of {taken}: time for a new one (-R enumerate)."]
    if stale.overdue:
        what = of(stale.overdue, "live address was", "live addresses were")
        sentences.append(f"{what} last asked more than {span(stale.revisit)} ago.")
    if stale.older_texts:
        what = of(stale.older_texts, "text is", "texts are")
        sentences.append(f"{what} of another version than the one that is wanted.")
    is_known = stale.age is not None or stale.taken_at is None
    is_notice = stale.is_old or stale.overdue or stale.older_texts or not is_known
    level = Level.NOTICE if is_notice else Level.OK
    return Glance("stale", "Age", figure, " ".join(sentences), "stale", RESOURCES, level)


def _verified(fixity: Fixity | None) -> Glance:
    level, figure = Level.OK, "never"
    if fixity is None:
        sentence = (
            "Never checked whether files on disk are still whole: snakemake results/.verified."
        )
    else:
        figure = day(fixity.complete_at) if fixity.complete_at else "in part"
        files = of(fixity.files, "file was", "files were")
        sentence = f"{files} checked, and had the bytes that they were kept with."
        if fixity.complete_at is None:
            whole = f"{number(len(fixity.shards))} of {of(fixity.count, 'part', 'parts')}"
            sentence = f"{whole} checked, the last on {day(fixity.latest)}."
            level = Level.NOTICE
        if fixity.damaged or fixity.missing:
            found = f"{number(fixity.damaged)} damaged and {number(fixity.missing)} missing"
            mended = "All of them are whole again."
            if fixity.lost:
                what = of(fixity.lost, "artifact", "artifacts")
                mended = f"The bytes of {what} are not here now."
            sentence = f"Of {of(fixity.files, 'file', 'files')}, {found}. {mended}"
            level = Level.URGENT if fixity.lost else Level.NOTICE
    return Glance("verified", "Verified", figure, sentence, "fixity", None, level)
