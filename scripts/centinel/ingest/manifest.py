"""A manifest of what a platform lists: typed hashes, safe paths, and whether it is whole."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from centinel.ingest.model import HASH_LENGTHS, ManifestFile, Stopped
from centinel.ingest.paths import safe_paths
from centinel.record import Json

ALTERNATIVES = "alternatives"
"""In a file's `extra`: other addresses of the same bytes, where `platform_url` gives none."""

DECLARED_PATH = "declared_path"
"""In a file's `extra`: its name as the platform declares it, where its path is another one."""

REASON = "reason"
"""In a file's `extra`: why it is not to be fetched, where its `status` says so."""

DOUBTFUL = "doubtful"
"""In a file's `extra`: what its platform is known to declare of other bytes at times.

A hash or a size of these that agrees verifies the file; one that differs shows nothing.
"""

UNTIL = "until"
"""In a file's `extra`: the day on which its embargo ends."""

_HEX = re.compile(r"[0-9a-f]+")
_NAMED = re.compile(r"([A-Za-z][A-Za-z0-9_-]{1,15})[:=](.+)")
_BY_LENGTH = {length: name for name, length in HASH_LENGTHS.items()}


@dataclass(frozen=True)
class Hashes:
    """The hashes of one file, as far as a manifest has a place for them."""

    md5: str | None = None
    sha1: str | None = None
    sha256: str | None = None
    others: tuple[Json, ...] = ()
    """Of other types, or not of the form of theirs: `type` and `value` as stated."""

    @property
    def extra(self) -> Json:
        """What goes into the file's `extra`."""
        return {"checksums": list(self.others)} if self.others else {}


def hashes(*stated: tuple[Any, Any]) -> Hashes:
    """Returns the hashes of pairs of a type and a value; the first of a type counts.

    Types are read in any spelling (`SHA-256`, `sha256`). Where the type is None it is read from a
    prefix (`md5:…`, `sha256:…`), else from the number of digits. Values become lower case.
    """
    found: dict[str, str] = {}
    others: list[Json] = []
    for kind, value in stated:
        if not isinstance(value, str) or not value.strip():
            continue
        name, digits = _typed(kind, value.strip())
        if name in HASH_LENGTHS and _HEX.fullmatch(digits) and len(digits) == HASH_LENGTHS[name]:
            found.setdefault(name, digits)
        else:
            others.append({"type": name, "value": value.strip()[:300]})
    return Hashes(found.get("md5"), found.get("sha1"), found.get("sha256"), tuple(others))


def _typed(kind: Any, value: str) -> tuple[str | None, str]:
    prefixed = _NAMED.fullmatch(value)
    if prefixed:
        kind, value = prefixed[1], prefixed[2].strip()
    digits = value.lower()
    if not isinstance(kind, str):
        return (_BY_LENGTH.get(len(digits)) if _HEX.fullmatch(digits) else None), digits
    return kind.strip().lower().replace("-", "").replace("_", ""), digits


def manifest(files: Iterable[ManifestFile]) -> tuple[tuple[ManifestFile, ...], tuple[str, ...]]:
    """Returns the files with safe and unique paths, in order, and notes on what was changed.

    The paths that are given are names as the platform declares them. One that is refused gets the
    status `unsafe-path`; the other files of the set are not touched by it.
    """
    listed = list(files)
    made: list[ManifestFile] = []
    notes: list[str] = []
    for file, safe in zip(listed, safe_paths(each.path for each in listed), strict=True):
        declared = {} if safe.path == file.path else {DECLARED_PATH: _writable(file.path)}
        extra = {**file.extra, **declared}
        status = file.status
        if safe.is_refused:
            status, extra[REASON] = Stopped.UNSAFE_PATH, safe.note
        if safe.note:
            notes.append(safe.note)
        made.append(replace(file, path=safe.path, extra=extra, status=status))
    return tuple(made), tuple(notes)


def refused(file: ManifestFile, status: Stopped, reason: str, **more: Any) -> ManifestFile:
    """Returns the file with why it is not to be fetched."""
    return replace(file, status=status, extra={**file.extra, REASON: reason, **more})


def shortfall(listed: int, declared: int | None, what: str = "files") -> str | None:
    """Returns why a list is not whole; None where no more is declared than was listed."""
    if declared is None or listed >= declared:
        return None
    return f"{declared} {what} are declared, {listed} were listed"


def _writable(name: str) -> str:
    """The name as databases can hold it: PostgreSQL's JSON has no NUL."""
    return name.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
