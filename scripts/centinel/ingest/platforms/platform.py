"""What a platform's helper is: it says what it needs to ask, and is given the answers.

A helper sends nothing itself. `item` is a generator: it yields an `Ask`, is sent the `ApiAnswer`,
and returns the item; so a case is a list of answers, and whoever drives it chooses how to ask.

    work = platform.item(match)
    ask = next(work)
    while True:
        try:
            ask = work.send(answer_to(ask))
        except StopIteration as finished:
            return finished.value
"""

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import orjson

from centinel.ingest.landing import Page
from centinel.ingest.model import PlatformItem
from centinel.ingest.request import Request
from centinel.record import Json


@dataclass(frozen=True)
class Ask:
    """An address of an API to be asked with GET."""

    address: str
    """Canonical and public."""
    what: str
    """What is expected there, as messages and evidence name it: `the record`."""


@dataclass(frozen=True)
class ApiAnswer:
    """What an API said. Redirects were followed."""

    http_status: int | None
    """None where no answer came; `text` then says why: `robots`, or what failed."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in lower case."""
    json: Any = None
    """The value; None also where the answer is no JSON."""
    text: str = ""
    """The beginning of an answer that is no JSON, or why there is none."""
    final_url: str | None = None

    @classmethod
    def of(
        cls,
        http_status: int | None,
        headers: Mapping[str, str],
        body: bytes,
        final_url: str | None = None,
    ) -> Self:
        """Returns the answer that a body is. Never raises for any bytes."""
        content = body.removeprefix(b"\xef\xbb\xbf")
        try:
            value = _loaded(content)
        except (ValueError, RecursionError):
            text = content[:2000].decode("utf-8", "replace")
            return cls(http_status, headers, None, text, final_url)
        return cls(http_status, headers, value, "", final_url)


def _loaded(content: bytes) -> Any:
    """The value, also where a vendor's JSON has control characters or bytes that are no UTF-8."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        lax = json.loads(content.decode("utf-8", "replace"), strict=False)
        return orjson.loads(json.dumps(lax, ensure_ascii=False).encode("utf-8", "replace"))


Work = Generator[Ask, ApiAnswer, PlatformItem]


@dataclass(frozen=True)
class Match:
    """An address that a platform claims, and why."""

    platform: str
    domain: str
    """The host that was recognised, with its port where that is not the usual one."""
    platform_id: str
    """What the address names there: an id, a PID, a DOI."""
    evidence: str
    """What decided: `host`, `path`, or the part of the page."""
    address: str
    """The terminal address."""
    request: Request
    page: Page | None = None
    details: Json = field(default_factory=dict)
    """What else the address says: a version, a file, an owner."""


class Platform(Protocol):
    """One platform or product. The elements of `registry.PLATFORMS`."""

    name: str
    """The `platform` of results."""

    def match(self, request: Request, terminal_url: str, page: Page | None) -> Match | None:
        """Returns what the address names here; None where it is another platform's.

        By its exact host, or by strong evidence of the page, never by a piece of a host's name.
        Raises nothing: what is wrong with a match is for `item` to say.
        """
        ...

    def item(self, match: Match) -> Work:
        """Asks for what it needs and returns the item; raises IngestStop, and nothing else."""
        ...


def answered(work: Work, answer_to: Callable[[Ask], ApiAnswer]) -> PlatformItem:
    """Returns the item of a helper whose questions a function answers; raises IngestStop."""
    try:
        ask = next(work)
        while True:
            ask = work.send(answer_to(ask))
    except StopIteration as finished:
        item: PlatformItem = finished.value
        return item
    finally:
        work.close()
