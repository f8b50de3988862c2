"""Questions to an API, and what its answers mean where they are none."""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from centinel import addresses
from centinel.ingest.model import IngestStop, Stopped
from centinel.ingest.platforms.platform import ApiAnswer, Ask
from centinel.record import Json
from centinel.sources.platforms.values import text

MOST_PAGES = 1000
"""Requests for the files of one dataset; a list that goes on after them is not whole."""

_MEANINGS = {
    401: Stopped.LOGIN,
    403: Stopped.FORBIDDEN,
    404: Stopped.NOT_FOUND,
    410: Stopped.GONE,
    429: Stopped.RATE_LIMITED,
    451: Stopped.GONE,
}
"""RFC 9110, section 15.5; RFC 6585; RFC 7725."""

_CHALLENGES = ("x-amzn-waf-action", "cf-mitigated")
"""Headers with which two large walls say that they want a browser."""

Asked = Generator[Ask, ApiAnswer, ApiAnswer]
Got = Generator[Ask, ApiAnswer, Json]
Meanings = Mapping[int, Stopped]


def ask(address: str, what: str) -> Asked:
    """Asks for an address; returns the answer, whatever it is."""
    answer = yield Ask(addresses.canonical(address) or address, what)
    return answer


def whole(address: str, what: str, meanings: Meanings | None = None) -> Asked:
    """Asks for an address; returns the answer, which has a JSON value.

    `meanings` are what answers of this API mean where that is not what they usually do. Raises
    IngestStop for every other answer.
    """
    answer = yield from ask(address, what)
    stopped = judged(answer, address, what, meanings or {})
    if stopped is not None:
        raise stopped
    return answer


def get(address: str, what: str, meanings: Meanings | None = None) -> Got:
    """Asks for an address as `whole` does; returns the object that it gives."""
    answer = yield from whole(address, what, meanings)
    return obj(answer.json, what)


def judged(answer: ApiAnswer, address: str, what: str, meanings: Meanings) -> IngestStop | None:
    """Returns what stops an ingest at an answer; None where the answer has a JSON value."""
    status = answer.http_status
    where = f"{what} ({address})"
    if status is None:
        meaning = Stopped.ROBOTS if answer.text == "robots" else Stopped.ERROR
        return IngestStop(meaning, f"{where}: {answer.text or 'no answer'}")
    is_page = answer.text.lstrip()[:15].lower().startswith(("<!doctype html", "<html"))
    if any(name in answer.headers for name in _CHALLENGES):
        return IngestStop(Stopped.CHALLENGE, f"{where}: http {status}, a wall against programs")
    if status in (202, 204) or (status == 200 and is_page):
        given = "a web page" if is_page else "an answer without data"
        return IngestStop(Stopped.CHALLENGE, f"{where}: http {status} with {given}")
    if status >= 400:
        meaning = meanings.get(status) or _MEANINGS.get(status, Stopped.HTTP_ERROR)
        if status == 403 and answer.headers.get("x-ratelimit-remaining") == "0":
            meaning = Stopped.RATE_LIMITED
        return IngestStop(meaning, f"{where}: http {status}{_said(answer.json)}")
    if answer.json is None:
        return changed(f"{where}: http {status} and no JSON")
    return None


def _said(value: Any) -> str:
    """What an error's JSON says: each of these platforms has one of these keys."""
    if not isinstance(value, dict):
        return ""
    errors = value.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else value
    found = [first.get(key) for key in ("message", "detail", "error")] if _is_dict(first) else []
    said = next(filter(None, map(text, found)), None)
    return f": {said[:300]}" if said else ""


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def changed(what: str) -> IngestStop:
    """Returns the stop for JSON that is not what the vendor documents."""
    return IngestStop(Stopped.SCHEMA_CHANGED, f"schema changed: {what}")


def obj(value: Any, what: str) -> Json:
    """Returns an object; raises IngestStop for something else."""
    if not isinstance(value, dict):
        raise changed(f"{what} is no object")
    return value


def rows(value: Any, what: str) -> list[Any]:
    """Returns a list; raises IngestStop for something else."""
    if not isinstance(value, list):
        raise changed(f"{what} is no list")
    return value


def name_of(value: Any, what: str) -> str:
    """Returns a file's name as it is, white space too; raises IngestStop where there is none."""
    if not isinstance(value, str) or not value:
        raise changed(f"{what} has no name")
    return value


def usable(value: Any, base: str) -> str | None:
    """Returns the canonical form of an address that a platform states; None where it is none."""
    return addresses.canonical(value, base) if isinstance(value, str) and value.strip() else None


@dataclass
class Walk:
    """The pages of a list, as they come."""

    rows: list[Any] = field(default_factory=list)
    pages: int = 0
    total: int | None = None
    """How many rows the platform declares; the largest that a page said."""
    incomplete: str | None = None
    """Why the list is not whole, where its end was not reached."""


@dataclass(frozen=True)
class Sheet:
    """One page of a list."""

    rows: list[Any]
    following: str | None
    """The address of the next page; None at the end."""
    total: int | None = None


def walk(
    first: str, what: str, read: Callable[[ApiAnswer, str, Walk], Sheet], meanings: Meanings
) -> Generator[Ask, ApiAnswer, Walk]:
    """Asks for a list to its end; `read` is given an answer, its address, and what came before.

    The first page that cannot be had stops the ingest; a later one leaves the list incomplete, as
    does a list that comes back to a page, gives the same rows again, or goes on for ever.
    """
    found, seen, address = Walk(), set[str](), addresses.canonical(first) or first
    before: list[Any] = []
    while found.pages < MOST_PAGES:
        seen.add(address)
        answer = yield from ask(address, f"{what}, page {found.pages + 1}")
        stopped = judged(answer, address, what, meanings)
        try:
            if stopped is not None:
                raise stopped
            sheet = read(answer, address, found)
        except IngestStop as stop:
            if not found.pages:
                raise
            found.incomplete = f"{what}, page {found.pages + 1}: {stop.message}"
            return found
        if sheet.rows and sheet.rows == before:
            found.incomplete = f"{what}: the same rows again: its paging has no effect"
            return found
        found.pages += 1
        found.rows += sheet.rows
        before = sheet.rows
        if sheet.total is not None:
            found.total = max(sheet.total, found.total or 0)
        if sheet.following is None:
            return found
        address = addresses.canonical(sheet.following) or sheet.following
        if address in seen:
            found.incomplete = f"{what}: page {found.pages} names an earlier one as the next"
            return found
    found.incomplete = f"{what}: stopped after {MOST_PAGES} pages, with a next one left"
    return found
