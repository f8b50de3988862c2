"""How much of one text is in another: words, and runs of words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w+")
_ADDRESS = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)

SHINGLE = 4


def plain(markdown: str) -> str:
    """Returns a text without the addresses of its links and its page anchors."""
    return _ADDRESS.sub("]", _COMMENT.sub(" ", markdown))


def words(text: str) -> list[str]:
    """Returns the words of a text: compatible forms folded, case kept, no marks."""
    return _WORD.findall(unicodedata.normalize("NFKC", plain(text)))


def holds(text: Sequence[str], sequence: str) -> bool:
    """Says whether the words of `sequence` stand in `text` one after the other."""
    return f" {' '.join(words(sequence))} " in f" {' '.join(text)} "


def runs(tokens: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    """Returns how often each run of so many tokens occurs; a shorter text is one run."""
    if len(tokens) <= length:
        return Counter([tuple(tokens)] if tokens else [])
    return Counter(zip(*(tokens[offset:] for offset in range(length)), strict=False))


def recall(found: Counter[tuple[str, ...]], wanted: Counter[tuple[str, ...]]) -> float:
    """Returns the share of the wanted runs that were found, 1 where none are wanted."""
    return (found & wanted).total() / wanted.total() if wanted else 1.0


def f1(pairs: Iterable[tuple[str, str]]) -> tuple[float, float, float]:
    """Returns F1, precision and recall of (true, found) texts as the article extraction benchmark
    counts them: runs of four tokens, each page with the same weight."""
    precisions, recalls = [], []
    for true, found in pairs:
        wanted = runs(_TOKEN.findall(true), SHINGLE)
        had = runs(_TOKEN.findall(found), SHINGLE)
        precisions.append(recall(wanted, had) if had else 0.0)
        recalls.append(recall(had, wanted))
    precision, recalled = (sum(each) / len(each) for each in (precisions, recalls))
    return 2 * precision * recalled / (precision + recalled), precision, recalled
