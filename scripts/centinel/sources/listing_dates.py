"""The times that directory listings show, in the forms in which their servers write them."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

_SLASHED = re.compile(
    r"\b(\d{1,2})/(\d{1,2})/(\d{4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([AP]M)\b)?", re.I
)
"""IIS, in the order of days and months of its machine's language."""


def _iso(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _form(form: str) -> Callable[[str], datetime]:
    def read(text: str) -> datetime:
        return datetime.strptime(" ".join(text.split()), form)

    return read


def _http(text: str) -> datetime:
    return datetime.strptime(text, "%a, %d %b %Y %H:%M:%S GMT").replace(tzinfo=UTC)


FORMS: tuple[tuple[re.Pattern[str], Callable[[str], datetime]], ...] = (
    # Apache 2.4; Caddy and nginx in XML, with a T and a zone
    (
        re.compile(r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?(?!\d)"),
        _iso,
    ),
    # nginx in JSON
    (re.compile(r"\b[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT"), _http),
    # lighttpd
    (re.compile(r"\b\d{4}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2}"), _form("%Y-%b-%d %H:%M:%S")),
    # nginx, Apache 2.2
    (re.compile(r"\b\d{2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}:\d{2}"), _form("%d-%b-%Y %H:%M:%S")),
    (re.compile(r"\b\d{2}-[A-Z][a-z]{2}-\d{4} \d{2}:\d{2}"), _form("%d-%b-%Y %H:%M")),
    # IIS 6
    (
        re.compile(r"\b[A-Z][a-z]+day, [A-Z][a-z]+ \d{1,2}, \d{4}\s+\d{1,2}:\d{2}\s+[AP]M"),
        _form("%A, %B %d, %Y %I:%M %p"),
    ),
)
"""The first that is found is believed."""


def found_in(text: str, day_first: bool | None = None) -> str | None:
    """Returns the first time in a text as ISO 8601; None where there is none, or it is unclear.

    With `Z` where the zone is said, else without any: listings are in the time of their server.
    `day_first` is what `is_day_first` found for the whole listing.
    """
    for pattern, read in FORMS:
        match = pattern.search(text)
        if match:
            return _written(read, match[0])
    return _slashed(text, day_first)


def _written(read: Callable[[str], datetime], text: str) -> str | None:
    try:
        at = read(text)
    except ValueError:
        return None
    return at.isoformat() if at.tzinfo is None else _in_utc(at)


def _in_utc(at: datetime) -> str | None:
    try:
        return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return None


def is_day_first(texts: Iterable[str]) -> bool | None:
    """Returns whether times with slashes begin with the day; None where nothing shows it.

    A number above 12 shows it; else AM or PM, which go with the month first.
    """
    dates = [match for text in texts for match in _SLASHED.finditer(text)]
    first = any(int(match[1]) > 12 for match in dates)
    second = any(int(match[2]) > 12 for match in dates)
    if first != second:
        return first
    return False if not first and any(match[7] for match in dates) else None


def _slashed(text: str, day_first: bool | None) -> str | None:
    match = _SLASHED.search(text)
    if match is None or day_first is None:
        return None
    day, month = (match[1], match[2]) if day_first else (match[2], match[1])
    hour = int(match[4])
    if match[7]:
        hour = hour % 12 + (12 if match[7].upper() == "PM" else 0)
    try:
        at = datetime(int(match[3]), int(month), int(day), hour, int(match[5]), int(match[6] or 0))
    except ValueError:
        return None
    return at.isoformat()
