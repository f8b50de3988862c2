"""The reader of CSV: a pipe table where that can be read, else rows of tab-separated cells."""

import csv
import re
from collections import Counter
from typing import Literal

from centinel.readers.charset import Charset, charset_of, is_binary, telling_sample
from centinel.readers.document import Document, GaveWay, Reading
from centinel.readers.grid import Grid
from centinel.readers.spool import Spool

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


def read_csv(document: Document) -> Reading:
    """Returns every row: as a pipe table up to 20 columns and 200 rows, else tab-separated in a
    fence.  Raises `GaveWay` where the bytes are no text, or where every cell is empty.

    Delimiter and charset are told from a sample, and the rows are read one by one, so that no more
    than the resulting text is held, and a large text goes to a file.
    """
    sample = telling_sample(document.path)
    if is_binary(sample):
        raise GaveWay("binary data, no text in any character set")
    charset = charset_of(sample, document.declared_type)
    head = sample[len(charset.mark) :].decode(charset.encoding, "replace")
    delimiter, named = _delimiter(head, document.declared_type)
    return read_rows(document, charset, delimiter, skip=named)


def read_rows(
    document: Document, charset: Charset, delimiter: str, *, skip: bool = False
) -> Reading:
    """Returns the rows of a delimited text as `read_csv` does; `skip` leaves out its first line."""
    notes = [*charset.notes]
    spool, rows = _fresh(document)
    try:
        _add_rows(rows, document, charset, delimiter, skip=skip, quoted=True)
    except (_SwallowedRows, csv.Error):
        notes.append("a quote is never closed: quotes were read as letters")
        spool.discard()
        spool, rows = _fresh(document)
        _add_rows(rows, document, charset, delimiter, skip=skip, quoted=False)
    if not rows.count:
        raise GaveWay(f"only empty cells in {rows.empty} rows")
    if rows.empty:
        notes.append(f"{rows.empty} empty rows left out")
    rows.close()
    return spool.reading(None, tuple(notes))


def _fresh(document: Document) -> tuple[Spool, Grid]:
    spool = Spool(document.scratch)
    return spool, Grid(spool)


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


def _add_rows(
    rows: Grid, document: Document, charset: Charset, delimiter: str, *, skip: bool, quoted: bool
) -> None:
    """Gives the rows of the file to `rows`; raises `_SwallowedRows` or `csv.Error` where a quoted
    field goes on beyond belief."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    limit = csv.field_size_limit(_LONGEST_QUOTED if quoted else _LONGEST_FIELD)
    try:
        with document.path.open(encoding=charset.encoding, errors="replace", newline="") as file:
            lines = (line.replace("\0", "").removeprefix("\ufeff") for line in file)
            if skip:
                next(lines, None)
            reader, read = csv.reader(lines, delimiter=delimiter, quoting=quoting), 0
            for row in reader:
                if reader.line_num - read > _FEW_LINES_QUOTED and any(
                    _swallowed(cell, delimiter, rows.columns) for cell in row
                ):
                    raise _SwallowedRows
                rows.add(row)
                read = reader.line_num
    finally:
        csv.field_size_limit(limit)


def _swallowed(cell: str, delimiter: str, columns: int) -> bool:
    """Says whether `cell` holds rows of a table that is `columns` wide so far."""
    lines = cell.count("\n")
    like_rows = columns > 2 and cell.count(delimiter) >= lines * (columns - 1)
    return lines > _MOST_LINES_QUOTED or (lines > _FEW_LINES_QUOTED and like_rows)
