"""Which reader's text stands for a page: pure, so that the rule can be tested without a document.

A reader that writes headings and tables fails quietly, with full confidence: it folds a page into
one false table, or leaves half of it out.  So its page stands only where a plain reader confirms
it.  The thresholds were measured on 1,071 files, where a chain that asks the next reader on
emptiness alone lost a tenth of the documents.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from centinel.readers.document import has_text

FALSE_TABLE_CELL = 300
"""Characters in one table cell above which the table is taken for a page that was folded into
one: seen on ordinary exports, with full confidence, no page flagged, and the order destroyed."""

WORD_RECALL = 0.8
"""Share of a plain reader's words that markdown must hold to agree with it (measured)."""

TRIGRAM_RECALL = 0.7
"""Share of its sequences of three words: the same words in another order do not agree.  With 0.6 a
box beside the text was read into its lines; 0.7 costs three pages in a hundred their headings."""

FEW_WORDS = 20
"""Up to so many words the order says nothing."""

NEARLY_MOST = 0.8
"""Share of the most words on a page that a plain reader must have to be trusted with it."""

MOST_CHARACTERS = 400_000
"""Of a page's text that are compared.  A dense page has 10,000; some hold megabytes."""

_ADDRESS = re.compile(r"\]\([^()\n]*\)")
_TAG = re.compile(r"</?[a-z]{1,6}>")
_HYPHENATED = ("-\n", "\u00ad\n", "\u2010\n")
_INVISIBLE = ("\u00ad", "\u200b")
_SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_SPACELESS}]|[^\W_{_SPACELESS}]+")
"""Scripts without spaces count by character: readers cut their lines at different places."""

_ASCII_WORD = re.compile("[a-z0-9]+")
"""The same for what has no other letters, three times as fast."""

_CELL_ENDS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Voice:
    """What one reader has for one page."""

    reader: str
    text: str
    is_markdown: bool = False

    @cached_property
    def words(self) -> list[str]:
        """Its words without marks of markdown, folded so that two readers' can be compared."""
        return words_of(self.text)

    @cached_property
    def counted(self) -> Counter[str]:
        """How often each word occurs."""
        return Counter(self.words)

    @cached_property
    def trigrams(self) -> Counter[tuple[str, str, str]]:
        """How often each sequence of three words occurs."""
        return Counter(zip(self.words, self.words[1:], self.words[2:], strict=False))


@dataclass(frozen=True)
class Choice:
    """The reader whose text stands for a page, `None` where no reader has text."""

    reader: str | None
    passed_over: tuple[tuple[str, str], ...] = ()
    """The readers that stood before it in the order, each with why its text does not stand."""


def decide(voices: Sequence[Voice]) -> Choice:
    """Returns whose text stands for a page, from the readers' in their order.

    A text in markdown stands where it is not empty, has no false table, and agrees with a plain
    reader that has nearly the most words; elsewhere the first plain reader that has nearly the
    most words does.  Where only one has text it stands, whatever it looks like.
    """
    spoken = [voice for voice in voices if has_text(voice.text)]
    if len(spoken) < 2:
        chosen = spoken[0].reader if spoken else None
        return Choice(chosen, _passed_over(voices, chosen, {}))
    doubts = {voice.reader: "no words" for voice in spoken if not voice.words}
    worded = [voice for voice in spoken if voice.words]
    plain = [voice for voice in worded if not voice.is_markdown]
    most = max((len(voice.words) for voice in plain), default=0)
    for voice in worded:
        doubt = _doubt(voice, plain, most)
        if doubt is None:
            return Choice(voice.reader, _passed_over(voices, voice.reader, doubts))
        doubts[voice.reader] = doubt
    chosen = max(spoken, key=lambda voice: len(voice.words)).reader
    return Choice(chosen, _passed_over(voices, chosen, doubts))


def words_of(text: str) -> list[str]:
    """Returns the words of plain text or markdown, folded; those of its first MOST_CHARACTERS."""
    text = text[:MOST_CHARACTERS]
    is_ascii = text.isascii()
    if not is_ascii:
        text = unicodedata.normalize("NFKC", text)
    for hyphen in _HYPHENATED if is_ascii else (*_HYPHENATED, *_INVISIBLE):
        text = text.replace(hyphen, "")
    if "](" in text:
        text = _ADDRESS.sub("] ", text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    return (_ASCII_WORD if is_ascii else _WORD).findall(text.casefold())


def longest_cell(markdown: str) -> int:
    """Returns the length of the longest cell of the tables in `markdown`, 0 where there is none."""
    rows = (line for line in markdown.splitlines() if line.lstrip().startswith("|"))
    return max((len(cell.strip()) for row in rows for cell in _CELL_ENDS.split(row)), default=0)


def _doubt(voice: Voice, plain: Sequence[Voice], most: int) -> str | None:
    """Returns why a text does not stand for its page, `None` where it does."""
    if not voice.is_markdown:
        return None if len(voice.words) >= NEARLY_MOST * most else "fewer words"
    if longest_cell(voice.text) > FALSE_TABLE_CELL:
        return "false table"
    if most == 0:
        return None
    trusted = [other for other in plain if len(other.words) >= NEARLY_MOST * most]
    if len(voice.words) >= NEARLY_MOST * most:
        trusted = list(plain)
    differences: list[str] = []
    for other in trusted:
        difference = _difference(voice, other)
        if difference is None:
            return None
        differences.append(difference)
    return max(differences)


def _difference(voice: Voice, other: Voice) -> str | None:
    """Returns what a text does with the words of a plain one, `None` where it has about all of
    them in about their order."""
    if voice.words == other.words:
        return None
    if _recall(voice.counted, other.counted) < WORD_RECALL:
        return "lacks words that plain readers have"
    if len(other.words) <= FEW_WORDS:
        return None
    # What it has beside them, such as the names of a form's fields, breaks sequences too.
    needed = TRIGRAM_RECALL * min(1.0, len(other.words) / len(voice.words))
    has_order = _recall(voice.trigrams, other.trigrams) >= needed
    return None if has_order else "mixes the order of words"


def _recall(has: Counter[Any], wanted: Counter[Any]) -> float:
    return sum(min(count, has.get(item, 0)) for item, count in wanted.items()) / wanted.total()


def _passed_over(
    voices: Sequence[Voice], chosen: str | None, doubts: dict[str, str]
) -> tuple[tuple[str, str], ...]:
    names = [voice.reader for voice in voices]
    before = names.index(chosen) if chosen is not None else len(names)
    return tuple((name, doubts.get(name, "no text")) for name in islice(names, before))
