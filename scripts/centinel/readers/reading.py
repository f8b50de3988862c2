"""Reads one document: the readers of its kind in order, and the one place where nothing came out.

Runs in the caller's process.  Libraries behind the readers can hang, be killed or take all memory
on odd files, and none of that can be caught, so that what reads many documents does it through
`isolation`, which calls this in a process that it may lose.
"""

import errno
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TypeVar, cast

from centinel.readers.characters import one_line
from centinel.readers.document import Document, GaveWay, HoldsNothing, Reader, Reading
from centinel.readers.finishing import Finished, finish
from centinel.readers.outcome import Outcome, Tried
from centinel.readers.registry import by_name, is_at_hand, version_of
from centinel.readers.routing import Shown, shown_by

_LONGEST_REASON = 500
"""Characters; some libraries quote the document in their errors."""

_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE})
"""Faults of this machine, whichever reader meets them."""

_NO_ORDERS: Mapping[str, Sequence[str]] = {}
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class Watch:
    """How the caller follows a reading, and what it knows from one that its process died of."""

    begins: Callable[[str], None] = lambda _: None
    """Told the name of each reader before it runs."""
    lost: Mapping[str, str] = field(default_factory=dict)
    """Readers that this document ended before, with how; they are not run again."""


_UNWATCHED = Watch()


@dataclass(frozen=True)
class _Spoke:
    """What a reader, or several page by page, had to say."""

    reader: Reader
    finished: Finished
    by_page: tuple[str | None, ...] = ()
    is_later: bool = False
    """Some of it came from a reader that is not the first."""


@dataclass
class _Attempts:
    """The readers of one document, one after the other, and why each gave way."""

    document: Document
    title: str | None
    watch: Watch
    tried: list[Tried] = field(default_factory=list)
    missing: list[Reader] = field(default_factory=list)
    is_empty: bool = False
    """A reader said that there is nothing in it for any reader."""

    def run(self, order: Sequence[str]) -> _Spoke | None:
        """Returns what the first reader with text says, `None` where none has any."""
        for is_paged, readers in groupby(self._at_hand(order), key=_is_paged):
            # Not a list: what follows the reader that speaks is not even looked for.
            speak = self._by_page if is_paged else self._first
            spoke = speak(readers)
            if spoke is not None:
                return spoke
        return None

    def refuse(self, order: Sequence[str], reason: str) -> None:
        """Notes that none of these readers is asked, and why."""
        self.tried += [Tried(name, version_of(by_name(name)), reason) for name in order]

    def _at_hand(self, order: Sequence[str]) -> Iterator[Reader]:
        for name in order:
            reader = by_name(name)
            if not is_at_hand(reader):
                self.missing.append(reader)
                self.tried.append(Tried(name, None, "not installed here"))
            elif name in self.watch.lost:
                self._gave_way(reader, self.watch.lost[name])
            else:
                yield reader

    def _first(self, readers: Iterator[Reader]) -> _Spoke | None:
        for reader in readers:
            finished = self._attempt(reader, partial(self._read, reader))
            if finished is not None:
                return _Spoke(reader, finished, is_later=bool(self.tried))
        return None

    def _read(self, reader: Reader) -> Finished:
        return finish(reader.read(self.document), self.title)

    def _by_page(self, paged: Iterator[Reader]) -> _Spoke | None:
        """Lets readers of pages decide together; what one of them lacks costs only its voice."""
        from centinel.readers.pages import PagedReader, read_by_page

        readers = cast(list[PagedReader], list(paged))
        is_later = any(one.reader_version is not None for one in self.tried)
        try:
            found = read_by_page(self.document, readers, self._attempt, self.missing)
            finished = finish(Reading(found.text, found.title, found.notes), self.title)
        except GaveWay as way:
            self.is_empty |= isinstance(way, HoldsNothing)
            silent = {each.reader for each in self.tried}
            for reader in readers:
                if reader.name not in silent:
                    self._gave_way(reader, str(way))
            return None
        names = {name for name in found.readers_by_page if name}
        by_page = found.readers_by_page if len(names) > 1 else ()
        self.tried = [one for one in self.tried if one.reader_version is not None]
        is_later |= found.recovered_by_fallback
        return _Spoke(by_name(found.reader), finished, by_page, is_later)

    def _attempt(self, reader: Reader, function: Callable[[], _Made]) -> _Made | None:
        """Returns what a reader makes, `None` where it gave way: whatever went wrong in it."""
        self.watch.begins(reader.name)
        try:
            return function()
        except (KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except GaveWay as way:
            self.is_empty |= isinstance(way, HoldsNothing)
            self._gave_way(reader, str(way))
        except BaseException as error:  # panics of Rust libraries are no Exception
            if isinstance(error, OSError) and error.errno in _NO_ROOM:
                raise  # a large text did not fit on the disk: no word about the document
            self._gave_way(reader, _in_words_of(error))
        return None

    def _gave_way(self, reader: Reader, why: str) -> None:
        reason = (one_line(why) or "gave no reason")[:_LONGEST_REASON]
        self.tried.append(Tried(reader.name, version_of(reader), reason))


def read(
    document: Document,
    order: Sequence[str],
    title: str | None = None,
    orders: Mapping[str, Sequence[str]] = _NO_ORDERS,
    watch: Watch = _UNWATCHED,
) -> Outcome:
    """Returns the text of the first reader in `order` that has any, or why none has.

    `title` is what the source calls the document; the document's own title goes before it.
    `orders` has the readers of every kind: where the bytes are plainly of another kind than the
    document's, the readers of that kind are asked instead, and the outcome says so.
    Raises ValueError where an order names an unknown reader and OSError where the file cannot be
    looked at; whatever a reader raises is its reason for giving way.
    """
    title = one_line(title)
    if document.path.stat().st_size == 0:
        reason = "the document is empty (0 bytes)"
        return Outcome("underivable", document.kind, title=title, reason=reason)
    attempts = _Attempts(document, title, watch)
    shown = shown_by(document)
    found = _open_as(shown, document.kind) if shown else None
    if shown is not None and found is not None:
        attempts.refuse(order, found)
        attempts.document = replace(document, kind=shown.kind)
        order = orders.get(shown.kind, ())
    spoke = attempts.run(order)
    if spoke is not None:
        return _text(document.kind, spoke, attempts.tried, found)
    if not order:
        nobody = f"no reader for kind {attempts.document.kind}"
        reason = "; ".join(each for each in (found, nobody) if each)
        tried = tuple(attempts.tried)
        return Outcome("underivable", document.kind, title=title, reason=reason, tried=tried)
    return _nothing(document.kind, attempts)


def _in_words_of(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "took too much memory"
    return ": ".join(part for part in (type(error).__name__, str(error)) if part)


def _is_paged(reader: Reader) -> bool:
    return hasattr(reader, "read_pages")


def _open_as(shown: Shown, kind: str) -> str:
    return f"the bytes are {shown.format} (of kind {shown.kind}), not {kind}"


def _text(kind: str, spoke: _Spoke, tried: list[Tried], found: str | None) -> Outcome:
    own = [each for each in tried if each.reason != found]
    finished = spoke.finished
    return Outcome(
        "text",
        kind,
        text=finished.text,
        reader=spoke.reader.name,
        reader_version=version_of(spoke.reader),
        readers_by_page=spoke.by_page,
        recovered_by_fallback=spoke.is_later,
        title=finished.title,
        chars=finished.chars,
        notes=(
            *([found] if found else []),
            *(f"{each.reader}: {each.reason}" for each in own),
            *finished.notes,
        ),
        tried=tuple(tried),
        file=finished.file,
    )


def _nothing(kind: str, attempts: _Attempts) -> Outcome:
    """Returns `waiting` where a reader that is not installed could still have read it, else
    `underivable` with the sole reader's words, or everyone's."""
    title, tried = attempts.title, tuple(attempts.tried)
    spoke = [one for one in tried if one.reader_version is not None]
    reasons = _in_words(spoke)
    if attempts.missing and not attempts.is_empty:
        lacks = [
            f"{one.name} is not installed here (to install it: {one.install})"
            for one in attempts.missing
        ]
        reason = "; ".join([*lacks, *([reasons] if reasons else [])])
        return Outcome("waiting", kind, title=title, reason=reason, tried=tried)
    sole = spoke[0].reason if len(tried) == 1 else reasons
    return Outcome("underivable", kind, title=title, reason=sole, tried=tried)


def _in_words(tried: Sequence[Tried]) -> str:
    """Returns why each gave way, those with one reason together."""
    by_reason: dict[str, list[str]] = {}
    for one in tried:
        by_reason.setdefault(one.reason, []).append(one.reader)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in by_reason.items())
