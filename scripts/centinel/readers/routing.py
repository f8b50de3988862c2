"""Which kind a document's own bytes show, where that is not the kind that it was given.

The kind of a blob follows what its server declared.  Its readers then refuse bytes that are plainly
something else, and those of what the bytes show are tried.
"""

from dataclasses import dataclass

from centinel import kinds
from centinel.readers.charset import is_binary
from centinel.readers.containers import OLE, ZIP, format_of
from centinel.readers.document import Document
from centinel.signatures import signature


@dataclass(frozen=True)
class Shown:
    """What the bytes are: the format, and its kind."""

    format: str
    kind: str


_PACKED = frozenset({"document", "spreadsheet", "zip-container", "mail"})
"""Kinds whose formats share a container: only the whole bytes say which of them it is."""

_TEXTUAL = frozenset({"html", "xml", "json", "csv", "text", "markdown", "captions", "mail"})

_CONTRADICTED_BY = {
    "html": frozenset({"csv", "json", "captions", "mail"}),
    "json": frozenset({"html", "xml", "csv"}),
    "xml": frozenset({"csv", "json"}),
    "captions": frozenset({"html"}),
    "mail": frozenset({"html"}),
}
"""Which kinds of text bytes that open so cannot be; for the others the mark is no proof."""

_MAY_BE_TEXT = {
    "spreadsheet": Shown("csv", "csv"),  # the type of Excel is what many servers say of CSV
    "document": Shown("text", "text"),
    "pdf": Shown("text", "text"),
    "zip-container": Shown("text", "text"),
    "archive": Shown("text", "text"),
    "other": Shown("text", "text"),
}
"""What bytes without any signature are read as, where they are text under a kind that is not."""


def shown_by(document: Document) -> Shown | None:
    """Returns what the bytes of a document show, `None` where that is its kind or says nothing."""
    name = signature(document.head)
    shown = kinds.kind_of_signature(name)
    if name is None or shown is None:
        as_text = _MAY_BE_TEXT.get(document.kind)
        return as_text if as_text and not is_binary(document.head) else None
    if document.head.startswith((ZIP, OLE)) and document.kind in _PACKED | _TEXTUAL:
        whole = format_of(document)
        sharpened = kinds.kind_of_signature(whole)
        if whole is None or sharpened is None:
            return None if document.kind in _PACKED else Shown(name, shown)
        return None if sharpened == document.kind else Shown(whole, sharpened)
    if document.kind in _TEXTUAL and shown in _TEXTUAL:
        contradicts = document.kind in _CONTRADICTED_BY.get(shown, ())
        return Shown(name, shown) if contradicts else None
    return None if kinds.may_be(name, document.kind) else Shown(name, shown)
