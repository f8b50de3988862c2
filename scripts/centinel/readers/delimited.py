"""The reader of CSV: a pipe table where that can be read, else rows of tab-separated cells."""

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from centinel.readers.characters import normalise
from centinel.readers.charset import Charset, charset_of, is_binary, telling_sample
from centinel.readers.document import Document, GaveWay, Reading

MOST_COLUMNS = 20
MOST_ROWS = 200
"""The largest pipe table: beyond, columns cannot be followed, and the pipes are half the text."""

_DELIMITERS = (",", ";", "\t", "|")
_SNIFFED_ROWS = 100

_LONGEST_QUOTED = 1024 * 1024
_MOST_LINES_QUOTED = 200
_FEW_LINES_QUOTED = 3
"""A quoted field beyond the first two was never closed and swallowed the rows behind it; one of
more than a few lines was, if those are cut by the delimiter like rows."""

_LONGEST_FIELD = 256 * 1024 * 1024

_SEPARATOR_LINE = re.compile(r"sep=([^\w\s\"]|\t)\s*", re.IGNORECASE)
"""Excel's own first line, which names the delimiter."""


class _SwallowedRows(Exception):
    """A quote was opened and never closed."""


@dataclass
class _Rows:
    """What was read so far: the rows, while they may still be a pipe table, else their text."""

    narrow: list[list[str]] = field(default_factory=list)
    wide: io.StringIO | None = None
    count: int = 0
    columns: int = 0
    empty: int = 0

    def add(self, row: list[str]) -> None:
        """Takes one row, without the empty cells at its end; an empty row is counted only."""
        while row and not row[-1]:
            row.pop()
        if not row:
            self.empty += 1
            return
        self.count += 1
        self.columns = max(self.columns, len(row))
        if self.wide is None and (self.columns > MOST_COLUMNS or self.count > MOST_ROWS):
            self.wide = io.StringIO()
            for earlier in self.narrow:
                self.wide.write("\t".join(earlier) + "\n")
            self.narrow = []
        if self.wide is None:
            self.narrow.append(row)
        else:
            self.wide.write("\t".join(row) + "\n")


def read_csv(document: Document) -> Reading:
    """Returns every row: as a pipe table up to 20 columns and 200 rows, else tab-separated in a
    fence.  Raises `GaveWay` where the bytes are no text, or where every cell is empty.

    Delimiter and charset are told from a sample, and the rows are read one by one, so that no more
    than the resulting text is held.
    """
    sample = telling_sample(document.path)
    if is_binary(sample):
        raise GaveWay("binary data, no text in any character set")
    charset = charset_of(sample, document.declared_type)
    head = sample[len(charset.mark) :].decode(charset.encoding, "replace")
    delimiter, named = _delimiter(head, document.declared_type)
    notes = [*charset.notes]
    try:
        rows = _read_rows(document, charset, delimiter, skip=named, quoted=True)
    except (_SwallowedRows, csv.Error):
        notes.append("a quote is never closed: quotes were read as letters")
        rows = _read_rows(document, charset, delimiter, skip=named, quoted=False)
    if not rows.count:
        raise GaveWay(f"only empty cells in {rows.empty} rows")
    if rows.empty:
        notes.append(f"{rows.empty} empty rows left out")
    return Reading(_text(rows), None, tuple(notes))


def _delimiter(head: str, declared_type: str | None) -> tuple[str, bool]:
    """Returns the delimiter, and whether the first line does nothing but name it."""
    if named := _SEPARATOR_LINE.fullmatch(head.partition("\n")[0]):
        return named[1], True
    if "tab-separated" in (declared_type or ""):
        return "\t", False
    lines = [line for line in head.splitlines()[: 2 * _SNIFFED_ROWS] if line.strip()]
    lines = lines[:_SNIFFED_ROWS]
    return max(_DELIMITERS, key=lambda delimiter: _agreement(lines, delimiter)), False


def _agreement(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Returns the share of rows that `delimiter` cuts into the commonest number of cells, and
    that number; none where most rows are not cut at all."""
    widths = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter))
    cut = [(count, width) for width, count in widths.items() if width > 1]
    count, width = max(cut, default=(0, 0))
    return count / max(1, sum(widths.values())), width


def _read_rows(
    document: Document, charset: Charset, delimiter: str, *, skip: bool, quoted: bool
) -> _Rows:
    """Returns the rows of the file; raises `_SwallowedRows` or `csv.Error` where a quoted field
    goes on beyond belief."""
    rows = _Rows()
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    limit = csv.field_size_limit(_LONGEST_QUOTED if quoted else _LONGEST_FIELD)
    try:
        with document.path.open(encoding=charset.encoding, errors="replace", newline="") as file:
            lines = (line.replace("\0", "").removeprefix("\ufeff") for line in file)
            if skip:
                next(lines, None)
            for row in csv.reader(lines, delimiter=delimiter, quoting=quoting):
                if any(_swallowed(cell, delimiter, rows.columns) for cell in row):
                    raise _SwallowedRows
                rows.add([" ".join(normalise(cell).split()) for cell in row])
    finally:
        csv.field_size_limit(limit)
    return rows


def _swallowed(cell: str, delimiter: str, columns: int) -> bool:
    """Says whether `cell` holds rows of a table that is `columns` wide so far."""
    lines = cell.count("\n")
    like_rows = columns > 2 and cell.count(delimiter) >= lines * (columns - 1)
    return lines > _MOST_LINES_QUOTED or (lines > _FEW_LINES_QUOTED and like_rows)


def _text(rows: _Rows) -> str:
    if rows.wide is None:
        return _pipe_table(rows.narrow, rows.columns)
    body = rows.wide.getvalue()
    longest = max((len(run) for run in re.findall("`{3,}", body)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}\n{body}{fence}"


def _pipe_table(rows: list[list[str]], columns: int) -> str:
    """Returns `rows` as a markdown table; the first row heads it if it looks like names, else an
    empty one does, so that no row of data is spent."""
    names = rows[0]
    heads = len(names) == columns > 0 and all(names) and not any(map(_is_number, names))
    header, data = (names, rows[1:]) if heads else ([""] * columns, rows)
    lines = [_pipe_row(header, columns), _pipe_row(["---"] * columns, columns)]
    return "\n".join(lines + [_pipe_row(row, columns) for row in data])


def _pipe_row(row: list[str], columns: int) -> str:
    cells = [cell.replace("|", "\\|") for cell in row] + [""] * (columns - len(row))
    return f"| {' | '.join(cells)} |"


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+$€£(]*[\d.,\s]+[%)]*", cell) is not None
