"""What a platform's pages and records become; no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from centinel.answers import Answer, Fetched

Block = Mapping[str, Any]
"""What stands behind `query` in a source's block; the schema has checked it."""


Place = int | str
"""Where a record stands in the order of a list."""


@dataclass(frozen=True)
class Record:
    """One record of a query, as far as a snapshot needs it."""

    address: str
    title: str | None = None
    lastmod: str | None = None
    identity: str = ""
    """What tells it from other records at the same address."""
    original: str | None = None
    """The address with the session that was dropped from it."""
    place: Place | None = None
    """Its place in the order in which the platform asks for records, where it can go on from it."""


@dataclass(frozen=True)
class Entry(Record):
    """A record that stands in a document beside others, and has no address of its own."""

    fragment: bytes = b""
    """The entry as it stands in the document."""
    files: tuple[str, ...] = ()
    """Addresses of files, as the entry states them, absolute where it could be known."""
    found_in: str = ""
    """The address of the document."""


@dataclass(frozen=True)
class Page:
    """One page of a query."""

    records: tuple[Record, ...]
    unusable: int = 0
    """Rows that lack what makes an address."""
    total: int | None = None
    """How many records the whole query has, where the vendor declares it."""
    following: str | None = None
    """The next page, where this one names it."""
    cap: int | None = None
    """How many rows a page has at most, where that is known."""
    is_complete: bool = False
    """Whether the document says of itself that it is all there is."""
    warnings: tuple[str, ...] = ()
    """Why the page is not whole, or not quite what the vendor documents: the snapshot is cut."""
    branches: tuple[str, ...] = ()
    """Further lists that it names, each with records of its own."""

    @property
    def size(self) -> int:
        """How many rows the page had."""
        return len(self.records) + self.unusable


@dataclass
class Walked:
    """What the pages of a query gave."""

    records: list[Record] = field(default_factory=list)
    requests: int = 0
    parts: int = 0
    """How often a list that ended early was gone on with behind its last record."""
    rows: int = 0
    unusable: int = 0
    repeated: int = 0
    """Rows whose record was there before."""
    total: int | None = None
    """The largest total that a page declared."""
    last: Page | None = None
    """The last page that was read."""
    stopped: str | None = None
    """Why the walk broke off, where a page could not be had or read."""
    http_status: int | None = None
    """The status of the answer that ended it, where there was one."""
    cuts: list[str] = field(default_factory=list)
    """Why what was found may not be all."""
    remarks: list[str] = field(default_factory=list)
    """Warnings that leave the snapshot whole."""

    @property
    def is_cut(self) -> bool:
        """Whether there may be records that were not found."""
        return bool(self.stopped or self.cuts)


@dataclass
class Catalogue:
    """The entries of documents that are the only place where these records stand."""

    at: dict[str, list[Entry]] = field(default_factory=dict)
    """By the address of the resource."""
    named: dict[str, Entry] = field(default_factory=dict)
    """By the address of the artifact that is the entry itself."""
    failed: str | None = None
    """Why there are none."""
    is_cut: bool = False


@dataclass
class Memory:
    """What a platform keeps over one job."""

    answers: dict[str, Answer] = field(default_factory=dict)
    """Answers that came with a record and were not handed over yet."""
    catalogue: Catalogue | None = None

    def forget_answers(self) -> None:
        """Drops the answers that nobody asked for, and the files of their bodies."""
        for answer in self.answers.values():
            if isinstance(answer, Fetched):
                answer.body.discard()
        self.answers.clear()
