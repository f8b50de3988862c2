"""Text too large for memory, written to a file piece by piece as it stands."""

import re
from collections.abc import Iterator

from centinel.readers.characters import normalise
from centinel.readers.charset import Charset, charset_of, is_binary, telling_sample
from centinel.readers.document import IN_MEMORY, Document, GaveWay, Reading
from centinel.readers.spool import Spool

PIECE = 1 << 20
"""Characters that are read at once, to the end of their line where that is not as far again."""
_HEAD = 64 * 1024
_RUN = re.compile("`{3,}")


def is_large(document: Document) -> bool:
    """Says whether the text of a document is streamed rather than held."""
    return document.path.stat().st_size > IN_MEMORY


def told_charset(document: Document, *, markup: bool = False) -> tuple[Charset, str]:
    """Returns the charset of a text that is not held, by what tells most of it, and its first
    64 KiB; raises `GaveWay` where the bytes are no text."""
    sample = telling_sample(document.path)
    if is_binary(sample):
        raise GaveWay("binary data, no text in any character set")
    charset = charset_of(sample, document.declared_type, markup=markup)
    return charset, sample[len(charset.mark) : _HEAD].decode(charset.encoding, "replace")


def stream_text(document: Document, charset: Charset) -> Reading:
    """Returns the text as it stands, in a file."""
    spool = Spool(document.scratch)
    for piece in _pieces(document, charset):
        spool.write(piece)
    return spool.reading(None, charset.notes)


def stream_code(document: Document, language: str, *, markup: bool = False) -> Reading:
    """Returns the text in a fence, in a file, with a note that its form was not checked."""
    charset, _ = told_charset(document, markup=markup)
    runs = (_RUN.findall(piece) for piece in _pieces(document, charset))
    longest = max((len(run) for found in runs for run in found), default=2)
    fence = "`" * (longest + 1)
    spool = Spool(document.scratch)
    spool.write(f"{fence}{language}\n")
    for piece in _pieces(document, charset):
        spool.write(piece)
    spool.write(f"\n{fence}\n")
    size = document.path.stat().st_size >> 20
    unchecked = f"{size:,} MiB: whether it is well-formed was not looked at"
    return spool.reading(None, (*charset.notes, unchecked))


def _pieces(document: Document, charset: Charset) -> Iterator[str]:
    with document.path.open(encoding=charset.encoding, errors="replace") as lines:
        while piece := lines.read(PIECE):
            yield normalise(piece + lines.readline(PIECE))
