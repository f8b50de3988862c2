"""Which files lie among the blobs of a shard? Listed folder by folder, never all at once."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum

from centinel.classify import shard_name
from centinel.fixity.findings import count_of
from centinel.store import DAMAGED, SIDECAR, Store

_FOLDER = re.compile(r"[0-9a-f]{2}")
_HASH = re.compile(r"[0-9a-f]{64}")
_TEMPORARY = re.compile(r"\..*\.tmp", re.DOTALL)
"""What `files.whole` calls a file that is on its way to its place."""


class Found(Enum):
    """What a file among the blobs is, by its name and its place."""

    BLOB = "blob"
    SET_ASIDE = "set aside"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Entry:
    """One file."""

    found: Found
    name: str
    path: str


def is_hash(value: object) -> bool:
    """Returns whether something is the hash of a blob, as the record spells it."""
    return isinstance(value, str) and _HASH.fullmatch(value) is not None


def is_of(sha256: str, shard: str) -> bool:
    """Returns whether a blob belongs to a shard."""
    return shard_name(sha256, count_of(shard)) == shard


def files_of(store: Store, shard: str) -> Iterator[Entry]:
    """Yields the files of a shard that are no sidecars and no temporary files.

    What lies in no folder of blobs belongs to the first shard. Raises OSError where a folder
    cannot be read.
    """
    for folder in _entries(f"{store.blobs}"):
        is_folder = _FOLDER.fullmatch(folder.name) and folder.is_dir()
        if not is_of(f"{folder.name}000000" if is_folder else "00000000", shard):
            continue
        if not is_folder:
            yield from _strays(folder)
            continue
        for inner in _entries(folder.path):
            if _FOLDER.fullmatch(inner.name) and inner.is_dir():
                yield from _leaf(inner, folder.name + inner.name)
            else:
                yield from _strays(inner)


def _leaf(folder: "os.DirEntry[str]", prefix: str) -> Iterator[Entry]:
    """The files of a folder in which blobs lie."""
    for entry in _entries(folder.path):
        hash_, _, rest = entry.name.partition(".")
        is_of_blob = _HASH.fullmatch(hash_) and hash_.startswith(prefix) and entry.is_file()
        if is_of_blob and not rest:
            yield Entry(Found.BLOB, entry.name, entry.path)
        elif is_of_blob and entry.name.endswith(DAMAGED):
            yield Entry(Found.SET_ASIDE, hash_, entry.path)
        elif not (is_of_blob and entry.name == f"{hash_}{SIDECAR}"):
            yield from _strays(entry)


def _strays(entry: "os.DirEntry[str]") -> Iterator[Entry]:
    """What does not belong here; of a folder each file in it, and the folder where it is empty, or
    may not be looked into."""
    if entry.is_dir(follow_symlinks=False):
        with suppress(PermissionError):
            inner = _entries(entry.path)
            for each in inner:
                yield from _strays(each)
            if inner:
                return
    if not _TEMPORARY.fullmatch(entry.name):
        yield Entry(Found.UNKNOWN, entry.name, entry.path)


def _entries(folder: str) -> "list[os.DirEntry[str]]":
    """What a folder holds, by name; nothing where it is not there."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda each: each.name)
    except FileNotFoundError:
        return []
