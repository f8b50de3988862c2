"""Reads one document: the readers of its kind in order, and the one place where nothing came out.

Runs in the caller's process.  Libraries behind the readers can hang, be killed or take all memory
on odd files, so a caller that reads many documents does it in a child that it may lose.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from centinel.readers.characters import normalise, one_line, plain_line, strip_data_uris
from centinel.readers.document import Document, GaveWay, Reader, has_text
from centinel.readers.registry import by_name, is_at_hand, version_of

_LINE = re.compile(r"^.*\S.*$", re.MULTILINE)

_LONGEST_REASON = 500
"""Characters; some libraries quote the document in their errors."""


@dataclass(frozen=True)
class Tried:
    """A reader that gave way; the version is `None` where it is not installed here."""

    reader: str
    reader_version: str | None
    reason: str


@dataclass(frozen=True)
class Outcome:
    """What came of reading one document. `reader` is the one that gave the text."""

    outcome: Literal["text", "underivable", "waiting"]
    kind: str
    text: str | None = None
    reader: str | None = None
    reader_version: str | None = None
    recovered_by_fallback: bool = False
    title: str | None = None
    chars: int = 0
    notes: tuple[str, ...] = ()
    reason: str | None = None
    tried: tuple[Tried, ...] = ()


@dataclass(frozen=True)
class _Finished:
    text: str
    title: str | None
    notes: tuple[str, ...]


def read(document: Document, order: Sequence[str], title: str | None = None) -> Outcome:
    """Returns the text of the first reader in `order` that has any, or why none has.

    `title` is what the source calls the document; the document's own title goes before it.
    Raises ValueError where `order` names an unknown reader and OSError where the file cannot be
    looked at; whatever a reader raises is its reason for giving way.
    """
    kind, title = document.kind, one_line(title)
    if document.path.stat().st_size == 0:
        reason = "the document is empty (0 bytes)"
        return Outcome("underivable", kind, title=title, reason=reason)
    if not order:
        return Outcome("underivable", kind, title=title, reason=f"no reader for kind {kind}")
    readers = [by_name(name) for name in order]
    missing = [reader for reader in readers if not is_at_hand(reader)]
    tried: list[Tried] = []
    for reader in readers:
        if reader in missing:
            tried.append(Tried(reader.name, None, "not installed here"))
            continue
        try:
            finished = _attempt(reader, document, title)
        except GaveWay as way:
            reason = (one_line(str(way)) or "gave no reason")[:_LONGEST_REASON]
            tried.append(Tried(reader.name, version_of(reader), reason))
        else:
            return _spoke(kind, reader, finished, tuple(tried))
    return _nothing(kind, title, missing, tuple(tried))


def _attempt(reader: Reader, document: Document, title: str | None) -> _Finished:
    """Returns the finished text of one reader; raises `GaveWay`, whatever went wrong in it."""
    try:
        reading = reader.read(document)
    except (GaveWay, KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except BaseException as error:  # panics of Rust libraries are no Exception
        raise GaveWay(f"{type(error).__name__}: {error}") from error
    stripped = strip_data_uris(normalise(reading.text))
    notes = tuple(note for note in (*reading.notes, stripped.note) if note)
    if not has_text(stripped.text):
        raise GaveWay("; ".join(("no text came out", *notes)))
    own_title = one_line(reading.title)
    for known in (own_title, title):
        if known and all(_same(line[0], known) for line in _LINE.finditer(stripped.text)):
            raise GaveWay("only its title came out")
    return _Finished(_under_title(stripped.text, own_title or title), own_title or title, notes)


def _under_title(text: str, title: str | None) -> str:
    """Returns `text` between its first and last line with text, ended by one line end, under its
    title unless it opens with that."""
    first = _LINE.search(text)
    text = text[first.start() if first else 0 :].rstrip()
    if title is None or (first and _same(first[0], title)):
        return f"{text}\n"
    return f"# {title}\n\n{text}\n"


def _same(line: str, title: str) -> bool:
    """Says whether a line of markdown is `title`, marks and case aside."""
    return plain_line(line).casefold() == plain_line(title).casefold()


def _spoke(kind: str, reader: Reader, finished: _Finished, tried: tuple[Tried, ...]) -> Outcome:
    return Outcome(
        "text",
        kind,
        text=finished.text,
        reader=reader.name,
        reader_version=version_of(reader),
        recovered_by_fallback=bool(tried),
        title=finished.title,
        chars=len(finished.text),
        notes=(*(f"{one.reader}: {one.reason}" for one in tried), *finished.notes),
        tried=tried,
    )


def _nothing(
    kind: str, title: str | None, missing: list[Reader], tried: tuple[Tried, ...]
) -> Outcome:
    """Returns `waiting` where a reader that is not installed could still have read it, else
    `underivable` with the sole reader's words, or everyone's."""
    spoke = [one for one in tried if one.reader_version is not None]
    reasons = "; ".join(f"{one.reader}: {one.reason}" for one in spoke)
    if missing:
        lacks = [
            f"{one.name} is not installed here (to install it: {one.install})" for one in missing
        ]
        reason = "; ".join([*lacks, *([reasons] if reasons else [])])
        return Outcome("waiting", kind, title=title, reason=reason, tried=tried)
    sole = spoke[0].reason if len(tried) == 1 else reasons
    return Outcome("underivable", kind, title=title, reason=sole, tried=tried)
