"""Reads one document, by the same table and readers as the workflow, and stores nothing."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from centinel import addresses, enclosures, kinds, webpage
from centinel.answers import Fetched
from centinel.configuration import Configuration
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.masking import masked
from centinel.readers import registry as readers
from centinel.readers.document import Document
from centinel.readers.isolation import Isolation
from centinel.readers.outcome import Outcome
from centinel.record import Claim, Json
from centinel.signatures import HEAD
from centinel.webpage import WebPage


class NotHad(Exception):
    """The target could not be had; the message says why."""


@dataclass(frozen=True)
class Checked:
    """What is said of one document."""

    target: str
    final_url: str | None
    http_status: int | None
    size: int
    claim: Claim
    outcome: Outcome
    followed: "tuple[Checked | NotFollowed, ...]" = ()
    """The documents that the page encloses, where they were asked for."""

    @property
    def inferred(self) -> bool:
        """Whether nothing but the name says what it is: neither its server nor its bytes."""
        return self.claim.decided_by == "extension"

    def to_json(self) -> Json:
        """Returns everything as one JSON object."""
        return {
            "target": masked(self.target),
            "final_url": self.final_url,
            "http_status": self.http_status,
            "size": self.size,
            "kind": self.claim.kind,
            "decided_by": self.claim.decided_by,
            "declared_type": self.claim.declared_type,
            "magic": self.claim.magic,
            "extension": self.claim.extension,
            "inferred": self.inferred,
            "outcome": self.outcome.outcome,
            "reader": self.outcome.reader,
            "reader_version": self.outcome.reader_version,
            "readers_by_page": list(self.outcome.readers_by_page) or None,
            "recovered_by_fallback": self.outcome.recovered_by_fallback,
            "notes": [*self.claim.notes, *self.outcome.notes],
            "title": self.outcome.title,
            "chars": self.outcome.chars,
            "reason": self.outcome.reason,
            "tried": [
                {
                    "reader": each.reader,
                    "reader_version": each.reader_version,
                    "reason": each.reason,
                }
                for each in self.outcome.tried
            ],
            "text": self.outcome.text,
            "followed": [each.to_json() for each in self.followed],
        }

    def facts(self) -> list[str]:
        """Returns the facts for a person, a line each."""
        found = self.to_json()
        inferred = ", inferred from the name alone" if self.inferred else ""
        lines = [
            f"kind: {found['kind']} (decided by {found['decided_by']}{inferred})",
            f"evidence: type {found['declared_type'] or 'none'}, bytes {found['magic'] or 'none'}, "
            f"extension {found['extension'] or 'none'}",
            f"size: {found['size']} bytes",
            f"outcome: {found['outcome']}",
        ]
        if self.http_status is not None:
            lines.insert(0, f"answer: {found['http_status']} at {found['final_url']}")
        if found["reader"]:
            fallback = "yes" if found["recovered_by_fallback"] else "no"
            lines.append(
                f"reader: {found['reader']} {found['reader_version']}, by fallback: {fallback}"
            )
            lines.append(f"characters: {found['chars']}")
        if found["title"]:
            lines.append(f"title: {found['title']}")
        if found["reason"]:
            lines.append(f"reason: {found['reason']}")
        return lines + [f"note: {note}" for note in found["notes"]]


@dataclass(frozen=True)
class NotFollowed:
    """A document that a page encloses, which could not be had."""

    target: str
    reason: str

    def to_json(self) -> Json:
        """Returns it as one JSON object."""
        target = masked(self.target)
        return {"target": target, "outcome": None, "reason": self.reason}

    def facts(self) -> list[str]:
        """Returns the facts for a person, a line each."""
        return [f"could not be had: {self.reason}"]


def check(target: str, configuration: Configuration, *, follow: bool = False) -> Checked:
    """Reads the document at an address or in a file; with `follow`, what the page encloses too.

    Raises NotHad where it cannot be had, ConfigurationError where the pipeline names no reader.
    """
    readers.check(configuration)
    with (
        tempfile.TemporaryDirectory(prefix="centinel-check-") as folder,
        Isolation(
            configuration.pipeline.orders, Path(folder) / "scratch", configuration.limits
        ) as reads,
    ):
        if not target.lower().startswith(("http://", "https://")):
            return _file(target, reads)
        client = _client(target, configuration, Path(folder))
        answer = _had(client, target)
        checked = _answer(target, answer, reads)
        if not follow:
            return checked
        followed = tuple(_followed(answer, client, reads))
        return replace(checked, followed=followed)


def _client(target: str, configuration: Configuration, folder: Path) -> Client:
    private = addresses.is_private(urlsplit(target).hostname or "")
    return Client(folder, configuration.contact, private_is_allowed=private)


def _had(client: Client, target: str) -> Fetched:
    """Returns what an address answers with; raises NotHad."""
    address = addresses.canonical(target)
    if address is None:
        raise NotHad("it is no http address")
    answer = client.get(address)
    if isinstance(answer, Refusal):
        raise NotHad(f"{answer.liveness}: {answer.reason}")
    if not isinstance(answer, Fetched):
        raise NotHad("http 304 to an unconditional request")
    return answer


def _answer(target: str, answer: Fetched, reads: Isolation) -> Checked:
    extension = addresses.served_extension(answer.final_url, answer.filename)
    claim = kinds.classify(answer.declared_type, answer.body.head, extension)
    outcome = _read(answer.body.path, claim, reads)
    return Checked(target, answer.final_url, answer.http_status, answer.body.size, claim, outcome)


def _followed(answer: Fetched, client: Client, reads: Isolation) -> Iterator[Checked | NotFollowed]:
    """Yields the documents that the page in an answer encloses, none where it is no page."""
    page = _page(answer)
    if page is None:
        return
    for address in enclosures.find(page, answer.final_url).addresses:
        try:
            yield _answer(address, _had(client, address), reads)
        except NotHad as error:
            yield NotFollowed(address, str(error))


def _page(answer: Fetched) -> WebPage | None:
    extension = addresses.served_extension(answer.final_url, answer.filename)
    claim = kinds.classify(answer.declared_type, answer.body.head, extension)
    return webpage.page_of(answer) if kinds.encloses(claim.kind) else None


def _file(target: str, reads: Isolation) -> Checked:
    path = Path(target)
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
        size = path.stat().st_size
    except OSError as error:
        raise NotHad(error.strerror or str(error)) from None
    claim = kinds.classify(None, head, addresses.file_extension(path.name))
    return Checked(target, None, None, size, claim, _read(path, claim, reads))


def _read(path: Path, claim: Claim, reads: Isolation) -> Outcome:
    if claim.kind in kinds.RECORDINGS:
        return Outcome("waiting", claim.kind, reason=kinds.NOT_TRANSCRIBED)
    return reads.read(Document(path, claim.kind, claim.declared_type)).with_text_in_memory()
