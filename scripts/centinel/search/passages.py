"""Splits a text into passages that can be cited: each on one page, or from one second on. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from centinel import kinds
from centinel.readers.characters import plain_line
from centinel.search.shared import Shared

LONG_ENOUGH = 1000
"""Characters from which on a passage ends with its paragraph: about what a person reads at once."""

TOO_LONG = 4000
"""Characters from which on it ends with the line: a table may have a million rows."""

TIMED = kinds.RECORDINGS | {"captions"}
"""Kinds whose paragraphs open with the time at which they are said."""

_PAGE = re.compile(r"<!-- page ([0-9]{1,9}) -->$")
_TIME = re.compile(r"\[([0-9]{2,9}):([0-9]{2}):([0-9]{2})\] ")
_MARKED = re.compile(r"[*_`\\\[#]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A few paragraphs of a text, and where they stand in it."""

    page: int | None
    second: int | None
    body: str
    shared: str
    """Lines that many documents of the source have: they are found, behind all others."""


@dataclass
class _Open:
    """A passage that is being put together."""

    shared_lines: Shared
    page: int | None
    second: int | None = None
    length: int = 0
    body: list[str] = field(default_factory=list)
    shared: list[str] = field(default_factory=list)

    def add(self, paragraph: list[str]) -> None:
        own, shared = self.shared_lines.divided(paragraph)
        self.length += sum(map(len, paragraph))
        for lines, kept in ((own, self.body), (shared, self.shared)):
            if lines:
                kept.append("\n".join(lines))

    def ended(self) -> Iterator[Passage]:
        """Yields the passage, unless nothing was added, and begins the next one."""
        if self.length:
            yield Passage(self.page, self.second, "\n\n".join(self.body), "\n\n".join(self.shared))
        self.length, self.body, self.shared = 0, [], []


def passages_of(
    lines: Iterable[str], shared: Shared, *, is_paged: bool, is_timed: bool
) -> Iterator[Passage]:
    """Yields the passages of a text, in their order.

    Anchors of pages count where it was read page by page, since any text may quote one; without
    one, such a text has a single page. Times are those of recordings and captions.
    """
    opening = ([_PAGE] if is_paged else []) + ([_TIME] if is_timed else [])
    made = _Open(shared, page=1 if is_paged else None)
    for paragraph in _paragraphs(lines, opening):
        anchor = _PAGE.match(paragraph[0]) if is_paged else None
        time = _TIME.match(paragraph[0]) if is_timed else None
        if anchor or time or made.length >= LONG_ENOUGH:
            yield from made.ended()
        if anchor:
            made.page = int(anchor[1])
            paragraph = paragraph[1:]
        if time:
            hours, minutes, seconds = map(int, time.groups())
            made.second = hours * 3600 + minutes * 60 + seconds
            paragraph = [paragraph[0][time.end() :], *paragraph[1:]]
        if paragraph:
            made.add(paragraph)
    yield from made.ended()


def _paragraphs(lines: Iterable[str], opening: Sequence[re.Pattern[str]]) -> Iterator[list[str]]:
    """Lines between empty ones, as they read; what is too long ends with a line, and what opens a
    page or has a time begins one."""
    paragraph: list[str] = []
    length = 0
    for raw in lines:
        line = readable(raw)
        is_over = not line or length >= TOO_LONG or any(each.match(line) for each in opening)
        if paragraph and is_over:
            yield paragraph
            paragraph, length = [], 0
        if line:
            paragraph.append(line)
            length += len(line)
    if paragraph:
        yield paragraph


def readable(line: str) -> str:
    """Returns a line without marks of markdown and addresses of links; rows of tables stay."""
    line = line.strip()
    if line.startswith("|") or not _MARKED.search(line) or _TIME.match(line):
        return line
    return plain_line(line)
