"""The words of an ingest as types, and their JSON: files, items, and why there is none. No I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, Self

from centinel.record import Json


class Stopped(StrEnum):
    """Why a helper has no item, or a file is not to be fetched. `config/` says what each means."""

    NO_PLATFORM_MATCH = "no-platform-match"
    PLATFORM_SCOPE = "platform-scope"
    """The right platform, the wrong thing: one file of a set, a concept record, a collection."""
    LINK_ONLY = "platform-link-only"
    """The platform holds no bytes, only a link to another host."""
    METADATA_ONLY = "platform-metadata-only"
    """A record that has no files, by intention."""
    RESTRICTED = "platform-restricted"
    EMBARGOED = "platform-embargoed"
    """Not public yet; `until` says when it will be, where the platform does."""
    GONE = "platform-gone"
    """Deleted, withdrawn or deaccessioned."""
    LOGIN = "platform-login"
    """Behind an account, a guestbook or terms that want a click."""
    NOT_FOUND = "platform-404"
    FORBIDDEN = "platform-forbidden"
    """An answer 401 or 403 of the API, which says nothing about the record."""
    ROBOTS = "blocked-robots"
    """The API may not be asked, by its host's robots.txt."""
    RATE_LIMITED = "platform-rate-limited"
    CHALLENGE = "platform-challenge"
    """A wall against programs: an empty body or a web page where data was asked for."""
    HTTP_ERROR = "platform-http-error"
    ERROR = "platform-error"
    """No answer: the connection failed or was given up."""
    SCHEMA_CHANGED = "platform-schema-changed"
    EMPTY_MANIFEST = "empty-manifest"
    INCOMPLETE_MANIFEST = "incomplete-manifest"
    """Fewer files were listed than the platform declares: never a success."""
    UNSAFE_PATH = "unsafe-path"
    """No path inside a folder can be made of the file's name."""


class IngestStop(Exception):
    """A request that cannot become an item. `status` is its result, the message its evidence."""

    def __init__(self, status: Stopped, message: str, until: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.until = until
        """The day, ISO 8601, on which an embargo ends."""


class Verdict(StrEnum):
    """What the bytes of a file showed; a mismatch is `mismatch:` and what differs."""

    VERIFIED = "verified"
    UNVERIFIABLE = "unverifiable"
    """Fetched, and nothing was declared that could be compared."""


MISMATCH = "mismatch:"

HASHES = ("sha256", "sha1", "md5")
"""The hashes of a manifest, the strongest first."""

HASH_LENGTHS = {"md5": 32, "sha1": 40, "sha256": 64}
"""Hexadecimal digits (RFC 1321, FIPS 180-4)."""


@dataclass(frozen=True)
class Observed:
    """What a file's bytes are."""

    size: int | None
    md5: str | None = None
    sha1: str | None = None
    sha256: str | None = None
    mimetype: str | None = None

    def to_json(self) -> Json:
        """Returns the fields in their order."""
        return _plain(self)

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Returns the record; unknown keys are ignored, a missing size raises TypeError."""
        return cls(**_known(cls, line))


@dataclass(frozen=True)
class ManifestFile:
    """One file as its platform declares it, and apart from that what its bytes showed.

    A `status` that a helper has set says why the file is not to be fetched; otherwise it is None
    until a strategy has tried.
    """

    path: str
    """Relative, safe and unique in its manifest, folders separated by `/`."""
    size: int | None = None
    """Bytes; None where the platform does not say, and 0 only where it says so."""
    md5: str | None = None
    sha1: str | None = None
    sha256: str | None = None
    mimetype: str | None = None
    platform_url: str | None = None
    """Where the platform offers the bytes."""
    extra: Json = field(default_factory=dict)
    status: str | None = None
    terminal_url: str | None = None
    terminal_dt: str | None = None
    """When the bytes were served: 14 digits, UTC."""
    observed: Observed | None = None
    verdict: str | None = None
    """A `Verdict`, or `mismatch:<what>`; None before anything was fetched."""
    evidence: str | None = None
    """The strongest thing that was compared: `sha256`, `sha1`, `md5`, `size`, or `none`."""

    @property
    def strongest(self) -> str:
        """The strongest thing that is declared and can be compared."""
        return next((name for name in (*HASHES, "size") if getattr(self, name) is not None), "none")

    def to_json(self) -> Json:
        """Returns the fields in their order, unknown ones as null."""
        return _plain(self) | {"observed": self.observed and self.observed.to_json()}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Returns the file; unknown keys are ignored, a missing path raises TypeError."""
        known = _known(cls, line)
        if known.get("observed") is not None:
            known["observed"] = Observed.from_json(known["observed"])
        return cls(**known)


@dataclass(frozen=True)
class PlatformItem:
    """A dataset as its platform describes it."""

    platform: str
    platform_domain: str
    platform_id: str
    """What identifies the dataset there, without its version: an id, a PID, a DOI."""
    manifest: tuple[ManifestFile, ...]
    requested_id: str | None = None
    """What the address named: perhaps no version, perhaps an older one."""
    resolved_id: str | None = None
    """What the platform answered with, with its version where there are versions."""
    is_latest: bool | None = None
    """Whether that is the latest version; None where the platform does not say."""
    title: str | None = None
    declared_files: int | None = None
    """How many files the platform says that there are."""
    declared_bytes: int | None = None
    incomplete: str | None = None
    """Why the manifest is not whole; such an item must never become a success."""
    web_bundle_url: str | None = None
    """The platform's own download of everything in one archive."""
    archiveorg_item_name: str | None = None
    archiveorg_item_meta: Json = field(default_factory=dict)
    metadata: Json = field(default_factory=dict)
    """What the platform answered, as evidence: the answers' JSON by what was asked."""
    licence: str | None = None
    terms: str | None = None
    """Terms of use or of access, where they are stated apart from the licence."""
    published: str | None = None
    """ISO 8601."""
    notes: tuple[str, ...] = ()

    @property
    def file_count(self) -> int:
        """How many files the manifest has."""
        return len(self.manifest)

    @property
    def total_size(self) -> int | None:
        """Bytes of all files together; None where the size of one is unknown."""
        sizes = [each.size for each in self.manifest]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def known_size(self) -> int:
        """Bytes of the files whose size is known: the total is at least that."""
        return sum(each.size or 0 for each in self.manifest)

    def with_manifest(self, manifest: tuple[ManifestFile, ...]) -> Self:
        """Returns the item with another manifest."""
        return replace(self, manifest=manifest)

    def to_json(self) -> Json:
        """Returns the fields in their order."""
        return _plain(self) | {
            "manifest": [each.to_json() for each in self.manifest],
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Returns the item; unknown keys are ignored, missing ones raise TypeError."""
        known = _known(cls, line)
        known["manifest"] = tuple(ManifestFile.from_json(each) for each in known["manifest"])
        known["notes"] = tuple(known.get("notes", ()))
        return cls(**known)


def _plain(record: Any) -> Json:
    return {each.name: getattr(record, each.name) for each in fields(record)}


def _known(cls: type, line: Mapping[str, Any]) -> Json:
    names = {each.name for each in fields(cls)}
    return {key: value for key, value in line.items() if key in names}
