"""Reads a document page by page: which reader's text stands for each page, and what is said of it.

`read_by_page` runs the readers through its caller, which knows how to survive them; `page_vote`
decides.  Readers of last resort are asked only for pages that no other reader could read.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from centinel.readers import page_notes
from centinel.readers.document import Document, GaveWay, HoldsNothing, Reader, Reading, has_text
from centinel.readers.page_notes import Page
from centinel.readers.page_vote import Voice, decide, words_of

MOST_LAST_RESORT = 500
"""Pages of one document that are given to a reader of last resort: OCR takes 1 to 2 s a page."""

MOST_SECONDS = 1200.0
"""After which no more of them are."""

AT_ONCE = 4
"""Pages a call of it, so that the limits around a reader hold for a few pages and not for all."""

BARE = 10
"""Characters, without white space, below which a page with a picture has a stamp and no text."""

MOST_CHARACTERS = 16 << 20
"""Of all pages together; a document of 2,000 dense pages has six million."""


@dataclass(frozen=True)
class Pages:
    """What one reader has: a text for each page, '' where it found none or was not asked."""

    texts: tuple[str, ...]
    title: str | None = None
    notes: tuple[str, ...] = ()
    unread: tuple[tuple[int, str], ...] | None = None
    """Pages, counted from 1, on which it sees something that it cannot read, with its word for it;
    `None` where it does not look."""
    beside: tuple[tuple[int, str], ...] = ()
    """Lines that forms and annotations lay over a page; they stand in its text too."""
    confidence: tuple[tuple[int, float], ...] = ()
    """How sure it is of a page, 0 to 100, where it can say so."""


class PagedReader(Reader, Protocol):
    """A reader that reads page by page, and lets another's text stand where that is better."""

    @property
    def is_markdown(self) -> bool:
        """Whether it writes headings and tables, which plain readers must confirm."""
        ...

    @property
    def is_last_resort(self) -> bool:
        """Whether it is asked only for pages that no other reader could read."""
        ...

    def read_pages(self, document: Document, wanted: tuple[int, ...] | None = None) -> Pages:
        """Returns its text of the wanted pages, of all where `wanted` is `None`; the others are ''.

        Raises `GaveWay` where it cannot open the document.
        """
        ...


@dataclass(frozen=True)
class PagedFunctionReader:
    """A `PagedReader` made of one function."""

    name: str
    kinds: frozenset[str]
    function: Callable[[Document, tuple[int, ...] | None], Pages]
    distribution: str = "centinel"
    modules: tuple[str, ...] = ()
    install: str = "make setup"
    programs: tuple[str, ...] = ()
    is_markdown: bool = False
    is_last_resort: bool = False

    def read_pages(self, document: Document, wanted: tuple[int, ...] | None = None) -> Pages:
        """Returns what the function returns; raises what it raises, `GaveWay` above all."""
        return self.function(document, wanted)

    def read(self, document: Document) -> Reading:
        """Returns all pages of this reader alone; raises `GaveWay` where none has text."""
        found = read_by_page(document, [self], lambda _, function: function())
        return Reading(found.text, found.title, found.notes)


Attempt = Callable[[PagedReader, Callable[[], Pages]], Pages | None]
"""Runs a reader's function; `None` where it raised, which is then that reader's reason."""


@dataclass(frozen=True)
class ByPage:
    """The text of a document that was read page by page."""

    text: str
    title: str | None
    notes: tuple[str, ...]
    readers_by_page: tuple[str | None, ...]
    """`None` for a page without text."""
    reader: str
    """The one that gave most."""
    recovered_by_fallback: bool
    """Some of it came from another reader than the first of those that were given."""


def read_by_page(
    document: Document,
    readers: Sequence[PagedReader],
    attempt: Attempt,
    missing: Sequence[Reader] = (),
) -> ByPage:
    """Returns each page in the words of the reader that stands for it.

    `readers` are those at hand, in their order; `missing` those that are not installed here, of
    which only those of last resort matter: what the others would have had, another reader has.
    Raises `GaveWay` where no page has text; `HoldsNothing` where nothing on them could be read.
    """
    ordinary = [reader for reader in readers if not reader.is_last_resort]
    given: dict[PagedReader, Pages] = {}
    for reader in ordinary:
        own = attempt(reader, partial(reader.read_pages, document))
        if own is not None:
            given[reader] = own
    if ordinary and not given:
        raise GaveWay("no other reader could open it")
    pages = _voted(given)
    heard = list(given.values())
    left_because: list[str] = []
    for reader in (each for each in readers if each.is_last_resort):
        own_last, because = _ask_last(reader, document, attempt, pages)
        heard += own_last
        left_because += [because] if because else []
    if not any(page.reader for page in pages):
        has_looked = any(one.unread is not None for one in heard)
        is_blank = has_looked and not any(page.taken_for for page in pages)
        raise (HoldsNothing if is_blank else GaveWay)(_why_nothing(pages, left_because))
    left_because += (_not_here(one) for one in missing if getattr(one, "is_last_resort", False))
    silence = page_notes.on_silence(pages, left_because)
    return _whole(pages, readers, heard, silence)


def _not_here(reader: Reader) -> str:
    return f"{reader.name} is not installed here (to install it: {reader.install})"


def _voted(given: Mapping[PagedReader, Pages]) -> list[Page]:
    """Returns the pages as the ordinary readers decide them together."""
    pages = []
    beside = _by_number(own.beside for own in given.values())
    unread = _by_number(own.unread or () for own in given.values())
    for number in range(1, max((len(own.texts) for own in given.values()), default=0) + 1):
        voices = [
            Voice(reader.name, _text_of(own, number), reader.is_markdown)
            for reader, own in given.items()
        ]
        choice = decide(voices)
        text = next((one.text for one in voices if one.reader == choice.reader), "")
        text = _with_lines(text, beside.get(number, ()))
        is_bare = len("".join(text[:1000].split())) < BARE
        taken_for = next(iter(unread.get(number, ())), None)
        pages.append(Page(number, text, choice.reader, choice.passed_over, taken_for, is_bare))
    return pages


def _ask_last(
    reader: PagedReader, document: Document, attempt: Attempt, pages: list[Page]
) -> tuple[list[Pages], str | None]:
    """Gives a reader the pages that nobody could read, those that show something first.

    Returns what it had, and why it was not asked for more, where it was not.
    """
    if not pages:  # it stands alone: asked for no page, it says how many there are
        own = attempt(reader, partial(reader.read_pages, document, ()))
        count = len(own.texts) if own is not None else 0
        pages += [_unseen(number) for number in range(1, count + 1)]
    heard: list[Pages] = []
    wanted = [page for page in pages if page.is_open]
    wanted += [page for page in pages if not page.is_open and not has_text(page.text)]
    until = time.monotonic() + MOST_SECONDS
    for start in range(0, len(wanted), AT_ONCE):
        if start >= MOST_LAST_RESORT:
            return heard, f"no more than {MOST_LAST_RESORT} pages of a document are given to it"
        if time.monotonic() > until:
            return heard, f"no more than {MOST_SECONDS:.0f} s are given to it for a document"
        some = sorted(wanted[start : start + AT_ONCE], key=lambda page: page.number)
        numbers = tuple(page.number for page in some)
        own = attempt(reader, partial(reader.read_pages, document, numbers))
        if own is None:
            return heard, f"{reader.name} gave way"
        _take(reader, own, some)
        heard.append(own)
    return heard, None


def _unseen(number: int) -> Page:
    """Returns a page of which nobody knows what it holds."""
    return Page(number, "", None, taken_for="a picture", is_bare=True)


def _take(reader: PagedReader, own: Pages, pages: Sequence[Page]) -> None:
    """Lets a reader of last resort have the pages of which it read more than the others."""
    confidence = dict(own.confidence)
    for page in pages:
        page.was_asked = True
        page.confidence = confidence.get(page.number)
        text = _text_of(own, page.number)
        if has_text(text) and len(words_of(text)) >= len(words_of(page.text)):
            page.text, page.reader, page.is_recognised = text, reader.name, True


def _why_nothing(pages: Sequence[Page], left_because: Sequence[str]) -> str:
    said = page_notes.on_silence(pages, left_because)
    return "; ".join(["no text", *said] if any(page.is_open for page in pages) else said)


def _whole(
    pages: Sequence[Page],
    readers: Sequence[PagedReader],
    heard: Sequence[Pages],
    silence: Sequence[str],
) -> ByPage:
    text, cut = _joined(pages)
    amounts = {reader.name: 0 for reader in readers}
    for page in pages:
        if page.reader is not None:
            amounts[page.reader] += len(page.text)
    own_notes = dict.fromkeys(note for own in heard for note in own.notes)
    notes = (*page_notes.on_reading(pages), *silence, *own_notes, cut)
    return ByPage(
        text=text,
        title=next((own.title for own in heard if own.title), None),
        notes=tuple(note for note in notes if note),
        readers_by_page=tuple(page.reader for page in pages),
        reader=max(amounts, key=lambda name: amounts[name]),
        recovered_by_fallback=any(page.reader not in (None, readers[0].name) for page in pages),
    )


def _joined(pages: Sequence[Page]) -> tuple[str, str | None]:
    """Returns the pages with text under their anchors, and what was cut, if anything was."""
    parts: list[str] = []
    left = MOST_CHARACTERS
    for page in pages:
        if not has_text(page.text):
            continue
        if len(page.text) > left:
            parts.append(page.text[:left])
            return "\n\n".join(parts), f"cut on page {page.number} at {MOST_CHARACTERS} characters"
        left -= len(page.text)
        text = page.text.strip("\n")
        parts.append(f"<!-- page {page.number} -->\n\n{text}" if len(pages) > 1 else text)
    return "\n\n".join(parts), None


def _with_lines(text: str, lines: Sequence[str]) -> str:
    """Returns a text with the lines of forms and annotations of which it lacks a word."""
    if not lines:
        return text
    has = set(words_of(text))
    lacking = [line for line in lines if not has.issuperset(words_of(line))]
    return "\n\n".join((text.rstrip("\n"), "\n".join(lacking))) if lacking else text


def _text_of(own: Pages, number: int) -> str:
    return own.texts[number - 1] if number <= len(own.texts) else ""


def _by_number(several: Iterable[Sequence[tuple[int, str]]]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for each in several:
        for number, said in each:
            found.setdefault(number, []).append(said)
    return found
