"""What the record knows of a file's bytes."""

import hashlib
import os
from pathlib import Path

from centinel import addresses, kinds
from centinel.ingest.model import Observed
from centinel.record import Observation
from centinel.signatures import HEAD
from centinel.store import Store

OCTETS = "application/octet-stream"
_CHUNK = 1 << 20
_BY_NAME = {each.name: each for each in kinds.FORMATS}

EMPTY = Observed(
    0,
    hashlib.md5(b"", usedforsecurity=False).hexdigest(),
    hashlib.sha1(b"", usedforsecurity=False).hexdigest(),
    hashlib.sha256(b"").hexdigest(),
)
"""A file without a byte."""


def observed_of(store: Store, seen: Observation, path: str) -> Observed:
    """Returns size, hashes and media type of what was acquired for a path of a manifest.

    Hashes that were not taken on the way are taken from the blob. Raises OSError where it is gone.
    """
    blob = store.blob(seen.blob)
    digests = dict(seen.digests or {})
    if not digests.keys() >= {"md5", "sha1"}:
        digests = hashes_of(blob)
    mimetype = _served(seen.declared_type) or mimetype_of(None, _head(blob), path)
    return Observed(seen.size, digests["md5"], digests["sha1"], seen.blob, mimetype)


def hashes_of(path: Path) -> dict[str, str]:
    """Returns the MD5 and the SHA-1 of a file, read in chunks."""
    digests = {name: hashlib.new(name, usedforsecurity=False) for name in ("md5", "sha1")}
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            for digest in digests.values():
                digest.update(chunk)
    return {name: digest.hexdigest() for name, digest in digests.items()}


def mimetype_of(declared_type: str | None, head: bytes, path: str) -> str:
    """Returns a media type: what was served, else what the bytes show, else what the name says."""
    served = _served(declared_type)
    if served:
        return served
    by_name = kinds.format_of_extension(addresses.file_extension(path.rpartition("/")[2]))
    found = kinds.classify(declared_type, head, addresses.file_extension(path))
    shown = _BY_NAME.get(found.magic or "")
    if shown is not None and not (by_name and by_name.container == shown.name):
        return shown.types[0] if shown.types else OCTETS
    return by_name.types[0] if by_name and by_name.types else OCTETS


def _served(declared_type: str | None) -> str | None:
    """The declared type, where it declares anything."""
    served = kinds.media_type(declared_type)
    return served if served and served not in kinds.NO_DECLARATION else None


def _head(blob: Path) -> bytes:
    descriptor = os.open(blob, os.O_RDONLY)
    try:
        return os.read(descriptor, HEAD)
    finally:
        os.close(descriptor)
