"""Which lines do many documents of a source share? Menus, addresses of offices, notices. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SEEN_IN = 5
"""Documents: at two, lines of single documents are taken for shared ones; at ten, hardly any is."""

LONG_ENOUGH = 12
"""Characters: a shorter line is a word or a number, and may be anybody's."""

LEARNED_FROM = 500
"""Documents at most; more of them change nothing."""

_MARKS = "|;,\t"
_LEAST_FIELDS = 3


@dataclass(frozen=True)
class Shared:
    """The lines that documents of a source share."""

    lines: frozenset[str] = frozenset()

    def divided(self, paragraph: Sequence[str]) -> tuple[list[str], list[str]]:
        """Returns a paragraph's own lines, and the shared ones; of records all are its own."""
        if not self.lines or is_record_like(paragraph):
            return list(paragraph), []
        own = [line for line in paragraph if line not in self.lines]
        return own, [line for line in paragraph if line in self.lines]


def learned(documents: Iterable[Iterable[str]]) -> Shared:
    """Returns the lines that at least SEEN_IN of the documents have."""
    seen: Counter[str] = Counter()
    for lines in documents:
        seen.update({line for line in lines if len(line) >= LONG_ENOUGH})
    return Shared(frozenset(line for line, count in seen.items() if count >= SEEN_IN))


def sample(paths: Sequence[str]) -> list[str]:
    """Returns at most LEARNED_FROM of them, at even distances: the same ones every time."""
    return list(paths[:: max(1, -(-len(paths) // LEARNED_FROM))])


def is_worth_learning(documents: int, learned_from: int) -> bool:
    """Returns whether what was learned from so few documents may be wrong for so many."""
    return min(documents, LEARNED_FROM) >= 2 * max(learned_from, 1) or (
        learned_from < SEEN_IN <= documents
    )


def is_record_like(paragraph: Sequence[str]) -> bool:
    """Returns whether a paragraph is rows: of a table, or with the same mark equally often."""
    if any(line.startswith("|") for line in paragraph):
        return True
    if len(paragraph) < 2:
        return False
    counts = ({line.count(mark) for line in paragraph} for mark in _MARKS)
    return any(len(each) == 1 and each.pop() >= _LEAST_FIELDS - 1 for each in counts)
