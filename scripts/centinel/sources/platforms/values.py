"""Reads what vendors send: each value for itself, so that a changed shape costs the least."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from centinel import addresses
from centinel.record import Json, timestamp
from centinel.schemas import one_line
from centinel.sources.source_kind import Parts

MOST_PARTS = 1000
"""Files of one record, so that one odd record does not fill a job; the rest is counted."""

CHANGED = "schema changed"
"""How a reason begins where a record no longer has the shape that its vendor documents."""

WEB_PAGE = "a web page instead of a record: probably blocked, or an error that is served as a page"


class Unreadable(Exception):
    """An answer that is not what the vendor documents; the message says what it is."""


def is_web_page(content: bytes) -> bool:
    """Returns whether bytes open as a web page does."""
    start = content[:512].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))


def parsed(content: bytes) -> Any:
    """Returns the JSON value of an answer; raises Unreadable.

    A byte order mark, bytes that are no UTF-8 and control characters are met.
    """
    if is_web_page(content):
        raise Unreadable(WEB_PAGE)
    try:
        return json.loads(content.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"{CHANGED}: no JSON ({error})") from None


def mapping(value: Any, what: str = "") -> Json:
    """Returns an object; raises Unreadable for something else where `what` names it, else {}."""
    if isinstance(value, dict):
        return value
    if what:
        raise Unreadable(f"{CHANGED}: {what} is no object")
    return {}


def rows(value: Any, what: str) -> list[Any]:
    """Returns a list; raises Unreadable for something else."""
    if not isinstance(value, list):
        raise Unreadable(f"{CHANGED}: {what} is no list")
    return value


def listed(value: Any) -> list[Any]:
    """Returns a list, [] for nothing, and another value as the only one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def text(value: Any) -> str | None:
    """Returns a text that says something, on one line and fit for UTF-8; None for all else."""
    if not isinstance(value, str):
        return None
    return one_line(value.encode("utf-8", "replace").decode()) or None


def identifier(value: Any) -> str | None:
    """Returns an id, which some vendors write as a number and some as text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 1 << 63 else None
    return text(value)


def count(value: Any) -> int | None:
    """Returns a declared count; None for what is none."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 16:
        return int(value)
    is_one = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
    return value if is_one else None


def first_text(record: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Returns the first of the fields that says something."""
    return next((said for name in names if (said := text(record.get(name)))), None)


def moment(value: Any) -> str | None:
    """Returns when something was changed, in ISO 8601; a time without a zone is meant in UTC.

    Reads ISO 8601, the dates of RFC 822 that RSS has, and milliseconds since 1970. None for all
    else, such as the recurrences that `modified` may be in DCAT-US.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return _of_milliseconds(value)
    stated = text(value)
    if stated is None:
        return None
    try:
        return date.fromisoformat(stated).isoformat()
    except ValueError:
        at = _of_text(stated)
    if at is None:
        return None
    return timestamp(at if at.tzinfo else at.replace(tzinfo=UTC))


def _of_text(stated: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at: datetime = read(stated)
            at.astimezone(UTC)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return at
    return None


def _of_milliseconds(value: int) -> str | None:
    try:
        return timestamp(datetime.fromtimestamp(value / 1000, UTC))
    except (ValueError, OverflowError, OSError):
        return None


def files(stated: Iterable[Any], base: str, own: Iterable[str]) -> Parts:
    """Returns the parts that a record names as files, wherever they are, each once, in order.

    `own` are the record's own addresses. What is no http(s) address is counted in a note.
    """
    found: dict[str, str | None] = {}
    unusable = 0
    for each in stated:
        address = text(each)
        if address is None:
            continue
        target = addresses.canonical(address, base)
        if target is None:
            unusable += 1
        else:
            found.setdefault(target, addresses.original(address, base))
    for each in own:
        found.pop(each, None)
    kept = tuple(found)[:MOST_PARTS]
    dropped = len(found) - len(kept)
    notes = [f"{unusable} files have no http address: left out"] if unusable else []
    if dropped:
        notes.append(f"{dropped} files more than {MOST_PARTS} were not taken")
    return Parts(kept, tuple(notes), {each: said for each in kept if (said := found[each])})
