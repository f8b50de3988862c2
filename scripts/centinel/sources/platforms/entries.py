"""What the platforms share whose records stand in a document beside others.

Such a record has no address of its own. The resource is the entry's link, which is acquired as a
page or a document; the entry itself is a part of it, `<link>#record`, whose bytes are the entry as
it stands in the document. Where several entries have one link, each is `<link>#record-<id>`.
An entry without a link is a resource of its own, `<document>#<id>`: its bytes are the entry.

The documents are asked for once in a job, when the first address is acquired. While they cannot be
had, no entry's link is acquired either: its files would not be known, and would be missed for long.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import count
from urllib.parse import quote

from centinel import addresses
from centinel.answers import Answer, Fetched
from centinel.download import Body
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import Liveness, Resource
from centinel.sources.platforms import values, walking
from centinel.sources.platforms.asking import Asking, Secret
from centinel.sources.platforms.records import Block, Catalogue, Entry, Memory, Page, Place, Walked
from centinel.sources.source_kind import Parts

RECORD = "#record"

_NUMBERS = count(1)


class Entries(ABC):
    """Acquires entries and their links; how a document is read is left to the platform."""

    name: str
    lacking = "link or id"
    media_type: str
    """What an entry is, on its own."""

    def address(self, block: Block) -> str:
        """Returns the document's address."""
        return addresses.canonical(str(block["url"])) or str(block["url"])

    def first(self, block: Block) -> str:
        """Returns the document's address."""
        return self.address(block)

    def following(self, block: Block, page: Page, rows: int) -> str | None:  # noqa: ARG002
        """Returns the further document that this one names."""
        return page.following

    def secret(self, block: Block) -> Secret | None:  # noqa: ARG002 (others need it)
        """Returns None: these documents are for everybody."""
        return None

    def beyond(self, block: Block, place: Place) -> Block | None:  # noqa: ARG002
        """Returns None: a document is had as it is."""
        return None

    @abstractmethod
    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns the entries of a document."""

    def hints(self, block: Block, walked: Walked) -> list[str]:  # noqa: ARG002 (others need it)
        """Returns nothing: one document is all there is."""
        return []

    def fetch(
        self,
        block: Block,
        asking: Asking,
        artifact: str,
        validators: Mapping[str, str],
        memory: Memory,
    ) -> Answer:
        """Gives an entry from its document; asks for all else.

        A link is asked for without validators where its entry names files: that the page is
        unchanged says nothing of them.
        """
        if memory.catalogue is None:
            memory.catalogue = self._catalogue(block, asking)
        catalogue = memory.catalogue
        if "#" in artifact:
            entry = catalogue.named.get(artifact)
            return self._written(asking.client, entry) if entry else _missing(catalogue)
        if catalogue.failed:
            return _missing(catalogue)
        names_files = any(entry.files for entry in catalogue.at.get(artifact, ()))
        return asking.get(artifact, {} if names_files else validators)

    def parts(
        self,
        block: Block,  # noqa: ARG002 (others need it)
        resource: Resource,
        fetched: Fetched,
        memory: Memory,
    ) -> Parts:
        """Returns the entries that have this link, and the files that they name."""
        catalogue = memory.catalogue or Catalogue()
        entries = catalogue.at.get(resource.address, [])
        if not entries:
            return Parts(notes=("the record is not in its document any more",))
        named = [] if "#" in resource.address else _names(resource.address, entries)
        stated = [file for entry in entries for file in entry.files]
        own = (resource.address, fetched.final_url)
        found = values.files(stated, entries[0].found_in, own)
        return replace(found, addresses=(*named, *found.addresses))

    def entry(self, block: Block, link: str | None, identifier: str | None) -> str | None:
        """Returns the address of an entry: its link, else one beneath the document's."""
        if link:
            return link
        return f"{self.address(block)}#{quote(identifier, safe='')}" if identifier else None

    def _catalogue(self, block: Block, asking: Asking) -> Catalogue:
        """The entries that the documents have now."""
        walked = walking.walk(self, block, asking)
        made = Catalogue(failed=walking.failure(self, walked), is_cut=walked.is_cut)
        for record in walked.records:
            if isinstance(record, Entry):
                made.at.setdefault(record.address, []).append(record)
        for address, entries in made.at.items():
            names = [address] if "#" in address else _names(address, entries)
            made.named.update(zip(names, entries, strict=False))
        return made

    def _written(self, client: Client, entry: Entry) -> Fetched:
        """An entry as an answer: its bytes lie in a file of ours, as a body's do."""
        path = client.folder / f"{os.getpid()}-record-{next(_NUMBERS)}"
        path.write_bytes(entry.fragment)
        digest = sha256(entry.fragment).hexdigest()
        body = Body(path, digest, len(entry.fragment), entry.fragment)
        return Fetched(entry.found_in, 200, {"content-type": self.media_type}, body)


def identity(identifier: str | None, fragment: bytes) -> str:
    """Returns what tells an entry from others with its link: its id, else its bytes."""
    return identifier or sha256(fragment).hexdigest()[:16]


def _names(link: str, entries: list[Entry]) -> list[str]:
    """The artifacts that are the entries of one link, in the same order."""
    if len(entries) == 1:
        return [link + RECORD]
    return [f"{link}{RECORD}-{quote(entry.identity, safe='')}" for entry in entries]


def _missing(catalogue: Catalogue) -> Refusal:
    """What it shows that an entry was not found."""
    if catalogue.failed:
        reason = f"the document with the records: {catalogue.failed}"
        return Refusal(Liveness.ERROR, reason, answered=False)
    if catalogue.is_cut:
        return Refusal(Liveness.ERROR, "not in the part of the document that could be read")
    return Refusal(Liveness.GONE, "not in the document any more")
