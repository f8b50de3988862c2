"""The first screen of the audit of all sources: how many of them need somebody, and for what."""

from collections.abc import Sequence

from centinel.report.glance import NONE, Glance, Level, shown
from centinel.report.lines import Row, Total
from centinel.report.wording import UNKNOWN, clipped, day, of

FILTERS = {
    "needy": "needs:yes",
    "complete": "-snapshot=ok",
    "blocked": "-blocked=0 -blocked=–",
    "unread": "-underivable=0 -underivable=–",
    "remaining": "-remaining=0 -remaining=–",
    "oldest": "",
}
"""What a figure leaves of the table of sources: those that it counts."""

MOST_NAMES = 80
"""Characters of the names of sources in a sentence."""


def glances_of(rows: Sequence[Row], total: Total) -> tuple[Glance, ...]:
    """Returns the figures of the first screen, in the order in which they are read."""
    return (
        _needy(rows),
        _complete(rows),
        _sum("blocked", "Blocked", rows, "blocked", "Addresses"),
        _sum("unread", "Unread", rows, "underivable", "Documents that gave no text"),
        _remaining(rows, total),
        _oldest(rows),
    )


def _glance(name: str, label: str, figure: str, sentence: str, level: Level) -> Glance:
    return Glance(name, label, figure, sentence, "sources", None, level)


def _needy(rows: Sequence[Row]) -> Glance:
    needy = [row for row in rows if row.needs_somebody]
    urgent = sum(row.is_urgent for row in needy)
    level = Level.URGENT if urgent else Level.NOTICE if needy else Level.OK
    sentence = f"Of {of(len(rows), 'source', 'sources')}; {urgent or 'none'} urgently."
    return _glance("needy", "Need you", shown(len(needy)), sentence, level)


def _complete(rows: Sequence[Row]) -> Glance:
    """Sources of which the newest snapshot is not whole, or not there."""
    named = [row.source for row in rows if row.outcome != "ok"]
    sentence = f"Failed, cut short or never taken: {_names(named)}."
    if not named:
        sentence = "Each newest snapshot is whole."
    level = Level.URGENT if named else Level.OK
    return _glance("complete", "Incomplete", shown(len(named)), sentence, level)


def _sum(name: str, label: str, rows: Sequence[Row], field: str, what: str) -> Glance:
    counts = {row.source: getattr(row.summary, field) for row in rows if row.summary}
    named = [source for source, count in counts.items() if count]
    sentence = f"{what}, at {_names(named)}." if named else f"{what}: at no source."
    level = Level.NOTICE if named else Level.OK
    return _glance(name, label, shown(sum(counts.values())), sentence, level)


def _remaining(rows: Sequence[Row], total: Total) -> Glance:
    named = [row.source for row in rows if row.summary and row.summary.remaining]
    sentence = "Nothing is left to be asked for."
    if named:
        sentence = f"Requests that the next run makes, at {_names(named)}."
    elif total.remaining_at_least:
        sentence = "Not known of every source."
    figure = shown(total.remaining, total.remaining_at_least)
    level = Level.NOTICE if named else Level.OK
    return _glance("remaining", "Remaining", figure, sentence, level)


def _oldest(rows: Sequence[Row]) -> Glance:
    taken = [(row.summary.taken_at, row.source) for row in rows if row.summary]
    known = sorted((at, source) for at, source in taken if at is not None)
    if not known:
        return _glance("oldest", "Oldest", UNKNOWN, "No snapshot was taken yet.", Level.OK)
    at, source = known[0]
    return _glance("oldest", "Oldest", day(at), f"The snapshot of {source}.", Level.OK)


def _names(sources: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    if not sources:
        return NONE
    if len(sources) == 1:
        return clipped(sources[0], MOST_NAMES)
    return f"{clipped(sources[0], MOST_NAMES)} and {of(len(sources) - 1, 'other', 'others')}"
