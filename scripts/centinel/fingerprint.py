"""A second hash, over normalised content: equal fingerprints are no change worth telling."""

import hashlib

from centinel.download import Body
from centinel.webpage import WebPage, without_stamps

_TEXTUAL = frozenset({"text", "markdown", "csv", "json", "xml", "captions"})
_MOST_BYTES = 10 << 20


def fingerprint(kind: str, body: Body, page: WebPage | None, parts: tuple[str, ...]) -> str:
    """Returns the lower-case hex SHA-256 of the normalised content.

    A page: the text that a person sees without tokens and stamps, and the documents that it
    encloses. Other text: with its white space folded. Everything else, and bodies over 10 MiB: the
    hash of the bytes.
    """
    if page is not None:
        seen = "\n".join([without_stamps(page.text), *parts])
        return hashlib.sha256(seen.encode("utf-8", "replace")).hexdigest()
    if kind not in _TEXTUAL or body.size > _MOST_BYTES:
        return body.sha256
    return hashlib.sha256(b" ".join(body.content().split())).hexdigest()
