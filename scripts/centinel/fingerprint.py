"""A second hash, over normalised content: equal fingerprints are no change worth telling."""

import hashlib
from pathlib import Path

_TEXTUAL = frozenset({"html", "text", "markdown", "csv", "json", "xml", "captions"})
_MOST_BYTES = 10 << 20


def fingerprint(kind: str, blob: str, body: Path, size: int) -> str:
    """Returns the lower-case hex SHA-256 of the content with its white space folded.

    The blob's own hash for kinds that are not text, and for bodies over 10 MiB.
    """
    if kind not in _TEXTUAL or size > _MOST_BYTES:
        return blob
    return hashlib.sha256(b" ".join(body.read_bytes().split())).hexdigest()
