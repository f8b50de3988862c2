"""From what a reader gave to the text that is kept: its characters, its title, its end."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from centinel.readers.characters import normalise, one_line, plain_line, strip_data_uris
from centinel.readers.document import GaveWay, Reading, has_text

_LINE = re.compile(r"^.*\S.*$", re.MULTILINE)
_ANCHOR = re.compile(r"<!-- page [0-9]+ -->")
"""What stands before each page of a document that has several."""

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Finished:
    """A text as it is kept, or the file that holds it."""

    title: str | None
    notes: tuple[str, ...]
    chars: int
    text: str | None = None
    file: Path | None = None


def finish(reading: Reading, title: str | None) -> Finished:
    """Returns the text of a reading under its title, `title` where it has none of its own.

    Raises `GaveWay` where nothing but white space, data: URIs and the title came out: the one place
    where a text is found to be none.
    """
    own_title = one_line(reading.title)
    known = own_title or title
    if reading.file is not None:
        file = _titled(reading.file, known) if known else reading.file
        return Finished(known, reading.notes, _characters_in(file), file=file)
    stripped = strip_data_uris(normalise(reading.text))
    notes = tuple(note for note in (*reading.notes, stripped.note) if note)
    if not has_text(stripped.text):
        raise GaveWay("; ".join(("no text came out", *notes)))
    for name in (own_title, title):
        if name and all(_same(line, name) for line in _lines(stripped.text)):
            raise GaveWay("only its title came out")
    text = _under_title(stripped.text, known)
    return Finished(known, notes, len(text), text)


def _under_title(text: str, title: str | None) -> str:
    """Returns `text` between its first and last line with text, ended by one line end, under its
    title unless it opens with that."""
    first = _LINE.search(text)
    text = text[first.start() if first else 0 :].rstrip()
    if title is None or _same(next(_lines(text), ""), title):
        return f"{text}\n"
    return f"# {title}\n\n{text}\n"


def _lines(text: str) -> Iterator[str]:
    """Gives the lines of a text that are neither empty nor the anchor of a page."""
    lines = (line[0] for line in _LINE.finditer(text))
    return (line for line in lines if not _ANCHOR.fullmatch(line))


def _same(line: str, title: str) -> bool:
    """Says whether a line of markdown is `title`, marks and case aside."""
    return plain_line(line).casefold() == plain_line(title).casefold()


def _titled(file: Path, title: str) -> Path:
    """Returns a file beside `file` with its text under `title`; `file` itself is gone."""
    titled = file.with_name(f"{file.name}.titled")
    with file.open("rb") as source, titled.open("wb") as stream:
        stream.write(f"# {title}\n\n".encode("utf-8", "replace"))
        shutil.copyfileobj(source, stream, _CHUNK)
    file.unlink()
    return titled


def _characters_in(file: Path) -> int:
    with file.open(encoding="utf-8", errors="replace", newline="") as stream:
        return sum(map(len, iter(lambda: stream.read(_CHUNK), "")))
