"""Figures as people read them: counts, sizes, times, and text that strangers wrote."""

import re
from datetime import UTC, datetime, timedelta

UNKNOWN = "unknown"

_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff\u2028\u2029]")


def number(count: int) -> str:
    """Returns a count with its thousands set apart."""
    return f"{count:,}"


def counted(count: int | None, at_least: bool | None = False) -> str:
    """Returns a count that may be unknown, or may be only the least that it can be."""
    if count is None:
        return UNKNOWN
    return f"at least {number(count)}" if at_least else number(count)


def figure(value: object) -> str:
    """Returns a figure of whatever type a snapshot gave it."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, int) else str(value)


def of(count: int, one: str, many: str) -> str:
    """Returns the count with its noun: `1 address`, `2 addresses`."""
    return f"{number(count)} {one if count == 1 else many}"


def size(count: int) -> str:
    """Returns bytes in the largest decimal unit that gives at least one: `1.2 MB`."""
    value, unit = float(count), 0
    while value >= 999.95 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{count:,} B" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"


def share(part: int, whole: int) -> float:
    """Returns a part of a whole in percent; 0 of nothing."""
    return 100 * part / whole if whole else 0.0


def percent(value: float) -> str:
    """Returns a share such that only nothing is `0%` and only everything is `100%`."""
    if 0 < value < 1:
        return "<1%"
    return ">99%" if 99 < value < 100 else f"{value:.0f}%"


def time(text: str | None) -> str:
    """Returns a time of the record for the eye; text of another form as it stands."""
    if text is None:
        return UNKNOWN
    try:
        return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return text


def day(text: str | None) -> str:
    """Returns the day of a time of the record."""
    return time(text).partition(" ")[0]


def span(length: timedelta) -> str:
    """Returns a length of time in its largest unit: `3 days`, `5 hours`, `under an hour`."""
    if length >= timedelta(days=1):
        return of(length.days, "day", "days")
    hours = int(length.total_seconds() // 3600)
    return of(hours, "hour", "hours") if hours else "under an hour"


def clipped(text: str, most: int) -> str:
    """Returns a text of at most so many characters, with an ellipsis for what is left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def printable(text: str) -> str:
    """Returns the text with a mark for each character that a page cannot hold or show."""
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", re.sub(r"[\t\r\n]+", " ", text))
