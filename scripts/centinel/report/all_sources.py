"""The first screen of the audit of all sources: how many of them need somebody, and for what."""

from collections.abc import Callable, Sequence

from centinel.report.glance import NONE, Glance, Level, shown
from centinel.report.lines import Row, Total
from centinel.report.summary import Summary
from centinel.report.wording import UNKNOWN, clipped, day, number, of

FILTERS = {
    "needy": "needs:yes",
    "complete": "-snapshot=ok",
    **{
        name: f"-{name}=0 -{name}=unknown -{name}=–"
        for name in ("new", "vanished", "changed", "blocked", "unread", "owed", "remaining")
    },
    "stale": "stale=yes",
    "verified": "",
}
"""By the name of a figure: the filter that leaves those sources in the table which it counts."""

MOST_OF_A_NAME = 32


def glances_of(rows: Sequence[Row], total: Total) -> tuple[Glance, ...]:
    """Returns the figures of the first screen, in the order in which they are read."""
    known = [row.summary for row in rows if row.summary is not None]
    sums = total.sums
    return (
        _needy(rows),
        _complete(rows),
        _count("new", "New", shown(total.new, total.new_at_least), known, lambda each: each.new),
        _count("changed", "Changed", shown(sums["changed"]), known, lambda each: each.changed),
        _vanished(known, total),
        _blocked(known, total),
        _unread(known, total),
        _remaining(known, total),
        _stale(known),
        _verified(known),
    )


def _glance(
    name: str, label: str, figure: str, sentence: str, *, level: Level = Level.OK
) -> Glance:
    return Glance(name, label, figure, sentence, "sources", None, level)


def _noticed(is_noticed: object) -> Level:
    return Level.NOTICE if is_noticed else Level.OK


def _count(
    name: str,
    label: str,
    figure: str,
    known: Sequence[Summary],
    count: Callable[[Summary], int | None],
    *,
    is_noticed: bool = False,
) -> Glance:
    """A sum over sources, and where it comes from."""
    named = [each.source for each in known if count(each)]
    sentence = f"At {_names(named)}." if named else "At no source."
    return _glance(name, label, figure, sentence, level=_noticed(is_noticed and named))


def _needy(rows: Sequence[Row]) -> Glance:
    needy = [row for row in rows if row.needs_somebody]
    urgent = sum(row.is_urgent for row in needy)
    level = Level.URGENT if urgent else _noticed(needy)
    urgently = number(urgent) if urgent else NONE
    sentence = f"Of {of(len(rows), 'source', 'sources')}; {urgently} urgently."
    return _glance("needy", "Need you", shown(len(needy)), sentence, level=level)


def _complete(rows: Sequence[Row]) -> Glance:
    """Sources of which the newest snapshot is not whole, or not there."""
    named = [row.source for row in rows if row.outcome != "ok"]
    sentence = "Each newest snapshot is whole."
    if named:
        sentence = f"Newest snapshot failed, cut short or never taken: {_names(named)}."
    level = Level.URGENT if named else Level.OK
    return _glance("complete", "Incomplete", shown(len(named)), sentence, level=level)


def _vanished(known: Sequence[Summary], total: Total) -> Glance:
    figure = shown(total.vanished, total.vanished_at_least)
    return _count(
        "vanished", "Vanished", figure, known, lambda each: each.vanished, is_noticed=True
    )


def _blocked(known: Sequence[Summary], total: Total) -> Glance:
    named = [each.source for each in known if each.blocked]
    since = min((each.blocked_since for each in known if each.blocked_since), default=None)
    sentence = "No address is blocked."
    if named:
        sentence = f"At {_names(named)}; since {day(since)}, where it has lasted longest."
    figure = shown(total.sums["blocked"])
    return _glance("blocked", "Blocked", figure, sentence, level=_noticed(named))


def _unread(known: Sequence[Summary], total: Total) -> Glance:
    figure = shown(total.sums["underivable"])
    return _count(
        "unread", "Not readable", figure, known, lambda each: each.underivable, is_noticed=True
    )


def _remaining(known: Sequence[Summary], total: Total) -> Glance:
    named = [each.source for each in known if each.remaining or each.owed]
    owed = total.sums["owed"]
    sentence = f"At {_names(named)}. " if named else ""
    sentence += f"{of(owed, 'part of a page is', 'parts of pages are')} owed." if owed else ""
    if total.remaining_at_least and not named:
        sentence = "How much remains is not known of every source."
    figure = shown(total.remaining, total.remaining_at_least)
    sentence = sentence.strip() or "Nothing is left to be asked for."
    return _glance("remaining", "Still to fetch", figure, sentence, level=_noticed(named))


def _stale(known: Sequence[Summary]) -> Glance:
    stale = [each.source for each in known if each.is_stale]
    stand = sorted((each.stands_at, each.source) for each in known if each.stands_at)
    if not stand:
        return _glance("stale", "Stale", UNKNOWN, "No snapshot was taken yet.")
    oldest = f"The oldest snapshot is of {day(stand[0][0])}, at {_names([stand[0][1]])}."
    return _glance("stale", "Stale", shown(len(stale)), oldest, level=_noticed(stale))


def _verified(known: Sequence[Summary]) -> Glance:
    lost = sum(each.lost for each in known)
    whole = [each.verified_at for each in known if each.verified_at]
    sentence = "No source has had all of its files checked."
    if whole:
        sentence = f"The file that was checked longest ago: {day(min(whole))}."
    if lost:
        what = of(lost, "artifact has", "artifacts have")
        sentence = f"{what} bytes that are damaged or missing. {sentence}"
    figure = f"{number(len(whole))} of {number(len(known))}" if whole else "never"
    level = Level.URGENT if lost else Level.OK
    return _glance("verified", "Verified", figure, sentence, level=level)


def _names(sources: Sequence[str]) -> str:
    """The first of some sources, and how many others there are."""
    first = clipped(sources[0], MOST_OF_A_NAME)
    if len(sources) == 1:
        return first
    return f"{first} and {of(len(sources) - 1, 'other', 'others')}"
