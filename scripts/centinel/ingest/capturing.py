"""What a landing page and its platform said, in one document: the artifact `<address>#metadata`.

It holds every answer of the platform's API as it was served, what was made of them, and what is to
be fetched; so that results are made from the record alone, and a helper can be run again on it.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Self

from centinel import addresses
from centinel.answers import Fetched
from centinel.ingest.landing import Page
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms import registry
from centinel.ingest.platforms.platform import ApiAnswer, Ask, answered
from centinel.ingest.request import Request
from centinel.ingest.settings import Settings
from centinel.ingest.statuses import TOO_LARGE_SIZE
from centinel.ingest.strategies import Choice, Strategy, choose, kept_manifest
from centinel.readers.page import LARGEST_PAGE
from centinel.record import Json
from centinel.webpage import page_of

METADATA = "#metadata"
"""What follows a landing address in the name of its platform's metadata (DESIGN, section 1)."""

FORM = 1
"""The form of the document; raised when readers of it would misunderstand an older one."""

_KEPT_HEADERS = ("content-type", "content-disposition", "content-length", "link", "etag")

Asking = Callable[[Ask], tuple[ApiAnswer, Json]]
"""Asks an API; returns the answer for the helper, and what is kept of it."""


_canonical = lru_cache(maxsize=1 << 14)(addresses.canonical)
"""Several ask for the artifact of each file, and a set may have thousands."""


@dataclass(frozen=True)
class Stop:
    """Why there is no fileset to fetch."""

    status: str
    message: str
    until: str | None = None

    def to_json(self) -> Json:
        """Returns the fields in their order."""
        return {"status": self.status, "message": self.message, "until": self.until}


@dataclass(frozen=True)
class Capture:
    """What one address was found to be."""

    landing: Json
    """`address`, `final_url`, `http_status`, `headers`, `sha256`, `size`, `title`."""
    match: Json | None = None
    """`platform`, `domain`, `platform_id`, `evidence`; None where no platform claims it."""
    item: PlatformItem | None = None
    stop: Stop | None = None
    strategy: str | None = None
    reason: str | None = None
    """Why this strategy."""
    answers: tuple[Json, ...] = ()
    form: int = FORM
    max_bytes: int | None = None
    """The limit of one file that was in force."""

    def to_json(self) -> Json:
        """Returns the document. The answers stand in it once, as they were served."""
        item = replace(self.item, metadata={}).to_json() if self.item else None
        return {
            "form": self.form,
            "landing": self.landing,
            "match": self.match,
            "item": item,
            "stop": self.stop.to_json() if self.stop else None,
            "strategy": self.strategy,
            "reason": self.reason,
            "max_bytes": self.max_bytes,
            "answers": list(self.answers),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Returns the capture; raises KeyError or TypeError for what is none."""
        return cls(
            landing=dict(value["landing"]),
            match=value["match"],
            item=PlatformItem.from_json(value["item"]) if value["item"] else None,
            stop=Stop(**value["stop"]) if value["stop"] else None,
            strategy=value["strategy"],
            reason=value["reason"],
            answers=tuple(value["answers"]),
            form=value["form"],
            max_bytes=value["max_bytes"],
        )

    @property
    def address(self) -> str:
        """The landing address that was asked."""
        return str(self.landing["address"])

    def artifact_of(self, file: ManifestFile) -> str | None:
        """Returns the artifact that holds a file's bytes; None where it has no usable address."""
        address = _canonical(file.platform_url or "")
        if address in (self.landing["final_url"], self.address):
            return self.address
        return address

    @property
    def bundle(self) -> str | None:
        """The artifact that holds all files, where the strategy fetches them in one."""
        if self.strategy is None or not Strategy(self.strategy).is_bundled or self.item is None:
            return None
        return addresses.canonical(self.item.web_bundle_url or "")

    def is_wanted(self, file: ManifestFile) -> bool:
        """Returns whether a file is to be fetched: nothing speaks against it before it is asked."""
        return file.status is None and not self.is_too_large(file)

    def is_too_large(self, file: ManifestFile) -> bool:
        """Returns whether a file declares more bytes than one may have: it is never begun."""
        return file.size is not None and self.max_bytes is not None and file.size > self.max_bytes

    def parts(self) -> tuple[str, ...]:
        """Returns the artifacts that belong to it, the landing page first."""
        wanted: list[str | None] = [self.address]
        if self.bundle is not None:
            wanted.append(self.bundle)
        elif self.strategy is not None and self.item is not None:
            wanted += [
                self.artifact_of(each) for each in self.item.manifest if self.is_wanted(each)
            ]
        return tuple(dict.fromkeys(each for each in wanted if each is not None))

    def files(self) -> dict[str, ManifestFile]:
        """Returns the files that are fetched one by one, by their artifact."""
        if self.item is None or self.bundle is not None:
            return {}
        found = ((self.artifact_of(each), each) for each in self.item.manifest)
        return {name: each for name, each in found if name is not None}


@dataclass
class _Taking:
    """One capture while it is made."""

    landing: Json
    settings: Settings
    max_bytes: int
    answers: list[Json] = field(default_factory=list)
    match: Json | None = None

    def run(self, request: Request, terminal: str, page: Page, asking: Asking) -> Capture:
        try:
            platform, match = registry.recognise(request, terminal, page)
            self.match = {
                "platform": match.platform,
                "domain": match.domain,
                "platform_id": match.platform_id,
                "evidence": match.evidence,
            }
            item = answered(platform.item(match), lambda ask: self._asked(asking, ask))
        except IngestStop as stop:
            return self._made(stop=Stop(str(stop.status), stop.message, stop.until))
        if item.incomplete:
            stop_ = Stop(str(Stopped.INCOMPLETE_MANIFEST), item.incomplete)
            return self._made(item=item, stop=stop_)
        return self._chosen(item)

    def _chosen(self, item: PlatformItem) -> Capture:
        choice = choose(item, self.settings.strategies, self.settings.limits)
        if choice.strategy is None:
            item = item.with_manifest(kept_manifest(item.manifest, self.settings.limits))
            return self._made(item=item, stop=_stop_of(choice))
        return self._made(item=item, strategy=str(choice.strategy), reason=choice.reason)

    def _asked(self, asking: Asking, ask: Ask) -> ApiAnswer:
        answer, kept = asking(ask)
        self.answers.append(kept)
        return answer

    def _made(self, **more: Any) -> Capture:
        return Capture(
            self.landing,
            self.match,
            answers=tuple(self.answers),
            max_bytes=self.max_bytes,
            **more,
        )


def _stop_of(choice: Choice) -> Stop:
    return Stop(choice.status or TOO_LARGE_SIZE, choice.reason)


def capture(
    request: Request,
    landing: Fetched,
    asking: Asking,
    settings: Settings,
    max_bytes: int,
) -> Capture:
    """Returns what a landing page was found to be; asks its platform's API through `asking`.

    `max_bytes` is what one file may have. Raises nothing of its own: every end is in the capture.
    """
    terminal = settings.hosts.public(landing.final_url)
    body = landing.body
    page = Page(
        terminal,
        landing.http_status,
        dict(landing.headers),
        body.content() if body.size <= LARGEST_PAGE else body.start,
        body.size,
    )
    said = {
        "address": request.address,
        "final_url": terminal,
        "http_status": landing.http_status,
        "headers": {key: landing.headers[key] for key in _KEPT_HEADERS if key in landing.headers},
        "sha256": body.sha256,
        "size": body.size,
        "title": _title(landing, page),
    }
    return _Taking(said, settings, max_bytes).run(request, terminal, page, asking)


def _title(landing: Fetched, page: Page) -> str | None:
    if not page.is_web_page:
        return None
    opened = page_of(landing)
    return (opened.title if opened else None) or None


def kept_answer(ask: Ask, answer: ApiAnswer, body: bytes | None, reason: str | None) -> Json:
    """Returns what is kept of an answer: its bytes as text, and their hash."""
    text = None if body is None else body.decode("utf-8", "replace")
    return {
        "address": ask.address,
        "what": ask.what,
        "http_status": answer.http_status,
        "final_url": answer.final_url,
        "sha256": None if body is None else hashlib.sha256(body).hexdigest(),
        "reason": reason,
        "body": text,
    }
