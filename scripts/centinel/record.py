"""The words of the record as types, and their JSON. No I/O.

Every class names the line that it stands for. `from_json` takes the fields that it knows and
ignores others, since more fields may stand beside these in records of another version.
"""

from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, Self

Json = dict[str, Any]


class Liveness(StrEnum):
    """What the last request for an address showed. The three failures are never added together."""

    LIVE = "live"
    GONE = "gone"
    BLOCKED = "blocked"
    ERROR = "error"


NOT_MODIFIED = "not-modified"
"""The reason of a status that records an answer 304: seen, and unchanged."""

SESSIONS_DROPPED = "sessions_dropped"
"""The figure of an enumeration that counts the addresses from which a session was dropped."""

TOO_LARGE = "too-large"
"""How the reason of an artifact over `max_bytes` begins."""


def timestamp(at: datetime) -> str:
    """Returns ISO 8601 in UTC with microseconds, which sorts as text."""
    # A fifth of the time of strftime, and there are several a line.
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


CLOCK_TOLERANCE = timedelta(days=1)
"""How far the clocks of two machines that work on one record may be apart."""


def moment(text: str) -> datetime:
    """Returns the time that `timestamp` wrote; raises ValueError for another form."""
    at: datetime = datetime.fromisoformat(text)
    return at


def is_ahead(said: str | None, at: datetime) -> bool:
    """Says whether a time of the record lies ahead of now: the clock was wrong, and was set back.

    Nothing would be asked again until that time came.
    """
    return said is not None and moment(said) > at + CLOCK_TOLERANCE


class Line:
    """A line of JSON: a dataclass that reads itself from a dictionary and writes itself to one."""

    __slots__ = ()
    TYPE: ClassVar[str | None] = None
    SPARSE: ClassVar[frozenset[str]] = frozenset()
    """Fields that are left out of the line where they are unknown."""

    @classmethod
    def from_json(cls, line: Json) -> Self:
        """Returns the record; raises TypeError when a field that it must have is missing."""
        known = _names(cls)
        if line.keys() <= known.keys():  # most lines, and a third of the time
            return cls(**line)
        return cls(**{key: value for key, value in line.items() if key in known})

    def to_json(self) -> Json:
        """Returns the line's fields in their order, `type` first where the line has one."""
        line: Json = {} if self.TYPE is None else {"type": self.TYPE}
        for name in _names(type(self)):
            value = getattr(self, name)
            if value is None and name in self.SPARSE:
                continue
            line[name] = value
        return line


_NAMES: dict[type, dict[str, None]] = {}


def _names(cls: type) -> dict[str, None]:
    """The names of a record's fields, in their order; looked up once a class."""
    known = _NAMES.get(cls)
    if known is None:
        known = _NAMES[cls] = dict.fromkeys(each.name for each in fields(cls))
    return known


@dataclass(frozen=True, slots=True)
class Resource(Line):
    """An address that a source publishes: one line of `snapshot.jsonl`."""

    SPARSE: ClassVar[frozenset[str]] = frozenset({"lastmod", "title", "hint", "original"})

    address: str
    lastmod: str | None = None
    title: str | None = None
    hint: str | None = None
    """`page` or `document`; a document is not scanned for enclosures."""
    original: str | None = None
    """The address with the session that was dropped from it: in kept snapshots only."""


@dataclass(frozen=True)
class SnapshotReport(Line):
    """How a snapshot was taken: `snapshot.json`."""

    source: str
    method: str
    taken_at: str
    outcome: str
    reason: str | None
    found: int | None
    truncated: bool | None
    new: int | None
    vanished: int | None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    figures: Json = field(default_factory=dict)


@dataclass(frozen=True)
class Discovery(Line):
    """One enumeration, in the record."""

    TYPE: ClassVar[str | None] = "discovery"

    at: str
    method: str
    outcome: str
    reason: str | None
    found: int | None
    truncated: bool | None
    snapshot: str | None
    """The kept snapshot, relative to the source's folder; `None` where it failed."""
    new: int | None = None
    vanished: int | None = None
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    figures: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Observation(Line):
    """One successful acquisition of an artifact; always with bytes."""

    TYPE: ClassVar[str | None] = "observation"
    SPARSE: ClassVar[frozenset[str]] = frozenset({"originals", "digests", "pause", "unpacked_from"})

    at: str
    resource: str
    artifact: str
    blob: str
    size: int
    fingerprint: str
    declared_type: str | None
    final_url: str
    http_status: int | None
    headers: dict[str, str]
    filename: str | None
    title: str | None
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    originals: dict[str, str] | None = None
    """By address, its own and those of its parts: how it was written, where it had a session."""
    digests: dict[str, str] | None = None
    """Hashes of the bytes besides `blob`, where the source's kind takes some: `md5`, `sha1`."""
    pause: float | None = None
    """Seconds until it is asked for again, where that is sooner than `revisit`."""
    unpacked_from: str | None = None
    """The blob that holds a member's bytes: they were not asked for."""


@dataclass(frozen=True, slots=True)
class Status(Line):
    """What a request without bytes showed of an artifact's address."""

    TYPE: ClassVar[str | None] = "status"
    SPARSE: ClassVar[frozenset[str]] = frozenset(
        {"size", "limit", "page", "pause", "unpacked_from"}
    )

    at: str
    resource: str
    artifact: str
    liveness: str
    since: str
    consecutive_failures: int
    reason: str
    http_status: int | None
    size: int | None = None
    """Bytes that were announced or counted, where the reason is a limit."""
    limit: int | None = None
    """The limit in bytes that was in force, where the reason is a limit."""
    page: str | None = None
    """A hash of what a person reads on the page that came with a refusal."""
    pause: float | None = None
    """Seconds until it is asked again, instead of the source's `retry`; they double."""
    unpacked_from: str | None = None
    """The blob that a member could not be had from: it is tried again where that changes."""


@dataclass(frozen=True, slots=True)
class FixityCheck(Line):
    """Some of the blobs compared with their hashes and with the record; says nothing of an address:
    what was lost was lost here."""

    TYPE: ClassVar[str | None] = "fixity"

    at: str
    shard: str
    """Which blobs, by hash: `<i>-of-<n>`."""
    files: int
    """Blobs that were hashed."""
    bytes: int
    damaged: list[str]
    """Hashes of blobs that had other bytes; they lie beside their place as `<sha256>.damaged`."""
    missing: list[str]
    """Hashes of blobs that the record names and that were not there."""
    unknown: int
    """Files among the blobs that the record does not name."""
    lost: list[Json]
    """For each artifact that was observed with such a blob: `resource`, `artifact`, `blob`,
    `found` (`damaged` or `missing`)."""


@dataclass(frozen=True, slots=True)
class IngestRequest(Line):
    """A request that the worker was given, so that its results can be made again."""

    TYPE: ClassVar[str | None] = "request"

    at: str
    resource: str | None
    """The address that is asked for it; None for a line that is no request."""
    request: Json | str


@dataclass(frozen=True, slots=True)
class Artifact(Line):
    """The latest observation of an artifact: one line of `artifacts.jsonl`."""

    artifact: str
    resource: str
    blob: str
    size: int
    declared_type: str | None
    filename: str | None
    final_url: str
    title: str | None
    observed_at: str


@dataclass(frozen=True, slots=True)
class ResourceState(Line):
    """The liveness of a resource: one line of `resources.jsonl`; never asked: liveness is null."""

    address: str
    liveness: str | None
    since: str | None
    consecutive_failures: int
    reason: str | None
    last_checked: str | None
    in_snapshot: bool
    owed: list[str] = field(default_factory=list)
    http_status: int | None = None


@dataclass(frozen=True)
class Claim(Line):
    """What a blob is, under one set of evidence."""

    kind: str
    decided_by: str
    """`declared`, `magic`, `extension` or `none`."""
    declared_type: str | None
    magic: str | None
    extension: str | None
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Derived(Line):
    """What reading an artifact gave: one line of `derived/<kind>/v<N>/<shard>.jsonl`."""

    artifact: str
    resource: str
    blob: str
    kind: str
    version: int
    outcome: str
    text: str | None
    underivable: str | None
    reader: str | None
    reader_version: str | None
    readers_by_page: list[str | None] | None
    """The reader of each page where they differ; None in it is a page without text."""
    recovered_by_fallback: bool
    title: str | None
    chars: int
    notes: list[str]
    reason: str | None
