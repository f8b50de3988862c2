"""Whether text is a table without saying so: records that a mark parts, or that have one length.

Registers and indexes are published as plain text: one of 32 fields with pipes between them, one of
1.13 GB in records of 174 characters.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_DELIMITERS = ("|", "\t", ";", ",")
_FEWEST_COLUMNS = {"|": 3, "\t": 3, ";": 4, ",": 4}
"""Prose has commas and semicolons too, but not as many in every line."""
_FEWEST_LINES = 8
_FEWEST_LINES_FIXED = 20
_SHORTEST_RECORD = 40
"""Characters. Shorter lines of one length are codes or numbers, one to a line."""
_SAME = 0.95
_MOST_LINES = 400


@dataclass(frozen=True)
class Shape:
    """How the records of a text are laid out: one of the two."""

    delimiter: str | None = None
    columns: int = 0
    width: int = 0

    @property
    def note(self) -> str:
        """One line for the derivation."""
        if self.delimiter is None:
            return f"fixed-width records of {self.width} characters"
        named = {"\t": "tabs"}.get(self.delimiter, self.delimiter)
        return f"looks like records: {self.columns} columns separated by {named}"


def shape_of(head: str, *, is_cut: bool) -> Shape | None:
    """Returns how the lines of `head`, the start of a text, are laid out as records; `None` where
    they are not.  With `is_cut` the last line is no whole one."""
    lines = head.splitlines()[: -1 if is_cut else None][:_MOST_LINES]
    filled = [line for line in lines if line.strip()]
    if len(filled) < _FEWEST_LINES or len(filled) < _SAME * len(lines) or _is_markdown(filled):
        return None
    return _delimited(filled) or _fixed(filled)


def _is_markdown(lines: Sequence[str]) -> bool:
    """Says whether a line is the rule under the head of a pipe table, or text art."""
    return any(not line.strip(" \t|:-+=") for line in lines)


def _delimited(lines: Sequence[str]) -> Shape | None:
    for delimiter in _DELIMITERS:
        if lines[-1].count(delimiter) < _FEWEST_COLUMNS[delimiter] - 1:
            continue
        try:
            widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter))
        except csv.Error:
            continue
        columns, count = widths.most_common(1)[0]
        if columns >= _FEWEST_COLUMNS[delimiter] and count >= _SAME * widths.total():
            return Shape(delimiter, columns)
    return None


def _fixed(lines: Sequence[str]) -> Shape | None:
    if len(lines) < _FEWEST_LINES_FIXED:
        return None
    width, count = Counter(map(len, lines)).most_common(1)[0]
    has_fields = sum(" " in line for line in lines) >= _SAME * len(lines)  # base64 has none
    if width < _SHORTEST_RECORD or count < _SAME * len(lines) or not has_fields:
        return None
    return Shape(width=width)
