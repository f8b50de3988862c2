"""The first screen of the audit of all sources: how many of them need somebody, and for what."""

from collections.abc import Sequence

from centinel.report.glance import NONE, Glance, Level, shown
from centinel.report.lines import Row, Total
from centinel.report.wording import UNKNOWN, clipped, day, number, of

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
        _differing("new", "New", rows, total.new, total.new_at_least),
        _differing("vanished", "Vanished", rows, total.vanished, total.vanished_at_least),
        _blocked(rows),
        _sum("unread", "Not readable", rows, "underivable", "Documents that gave no text"),
        _sum("owed", "Owed", rows, "owed", "Documents that a page carries, not fetched yet"),
        _remaining(rows, total),
        _oldest(rows),
        _verified(rows),
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


def _differing(name: str, label: str, rows: Sequence[Row], count: int, at_least: bool) -> Glance:
    """What the newest snapshots have, or have not any more, beside those before them."""
    named = [row.source for row in rows if row.summary and getattr(row.summary, name)]
    unknown = [row.source for row in rows if row.summary and getattr(row.summary, name) is None]
    sentence = f"Addresses, at {_names(named)}." if named else "Addresses: at no source."
    if unknown:
        sentence += f" Not known of {_names(unknown)}."
    level = Level.NOTICE if named and name == "vanished" else Level.OK
    return _glance(name, label, shown(count, at_least), sentence, level)


def _blocked(rows: Sequence[Row]) -> Glance:
    since = [each.blocked_since for row in rows if (each := row.summary) and each.blocked_since]
    what = f"Addresses, where longest since {day(min(since))}" if since else "Addresses"
    return _sum("blocked", "Blocked", rows, "blocked", what)


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
    known = [(each.stands_at, row.source) for row in rows if (each := row.summary)]
    taken = sorted((at, source) for at, source in known if at is not None)
    if not taken:
        return _glance("oldest", "Oldest", UNKNOWN, "No snapshot was taken yet.", Level.OK)
    at, source = taken[0]
    sentence = f"The snapshot of {clipped(source, MOST_NAMES)}."
    named = [row.source for row in rows if row.summary and row.summary.is_stale]
    if named:
        sentence += f" Time for a new one (-R enumerate): {_names(named)}."
    level = Level.NOTICE if named else Level.OK
    return _glance("oldest", "Oldest", day(at), sentence, level)


def _verified(rows: Sequence[Row]) -> Glance:
    """Whether the bytes on disk are still what they were."""
    known = {row.source: row.summary for row in rows if row.summary}
    lost = [source for source, each in known.items() if each.lost]
    checked = [each.verified_at for each in known.values() if each.verified_at]
    figure, level = f"{number(len(checked))} of {number(len(rows))}", Level.OK
    sentence = "Sources of which every file on disk was checked."
    if checked:
        sentence += f" The oldest check: {day(min(checked))}."
    if lost:
        level, sentence = Level.URGENT, f"Bytes are damaged or missing on disk, at {_names(lost)}."
    return _glance("verified", "Verified", figure if checked else "never", sentence, level)


def _names(sources: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    if not sources:
        return NONE
    if len(sources) == 1:
        return clipped(sources[0], MOST_NAMES)
    return f"{clipped(sources[0], MOST_NAMES)} and {of(len(sources) - 1, 'other', 'others')}"
