"""Rows of cells as markdown: a pipe table where that can be read, else tab-separated in a fence.

The one renderer of what is tabular: csv, sheets of workbooks, records in text.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from centinel.readers.characters import normalise
from centinel.readers.spool import Spool

MOST_COLUMNS = 20
MOST_ROWS = 200
"""The largest pipe table: beyond, columns cannot be followed, and the pipes are half the text."""

_FENCE_RUN = re.compile("`{3,}")
_SHORTEST_FENCE = 3


def cell_text(value: str) -> str:
    """Returns the text of a cell on one line, its white space folded."""
    is_clean = "\t" not in value and _is_plain(value)
    return value if is_clean else " ".join(normalise(value).split())


def _is_plain(line: str) -> bool:
    """Says whether `line`, cells between tabs, is what `cell_text` makes of each: most rows are,
    and are found so five times faster than they are made so."""
    return (
        line.replace("\t", "").isprintable()
        and "  " not in line
        and " \t" not in line
        and "\t " not in line
        and line[:1] != " "
        and line[-1:] != " "
    )


@dataclass
class Grid:
    """Rows that are written to `spool` as they come, once they are too many for a pipe table."""

    spool: Spool
    count: int = 0
    columns: int = 0
    empty: int = 0
    _narrow: list[str] = field(default_factory=list)
    _fence: str = ""

    def add(self, row: list[str]) -> None:
        """Takes the cells of one row, without the empty ones at its end; an empty row is counted
        only."""
        line = "\t".join(row)
        if not _is_plain(line) or line.count("\t") != len(row) - 1:
            line = "\t".join([cell_text(cell) for cell in row])
        line = line.rstrip("\t")
        if not line:
            self.empty += 1
            return
        self.count += 1
        self.columns = max(self.columns, line.count("\t") + 1)
        if self._fence:
            self._write_wide(line)
            return
        self._narrow.append(line)
        if self.columns > MOST_COLUMNS or self.count > MOST_ROWS:
            self._widen()

    def close(self) -> None:
        """Writes what is held, and ends the table."""
        if self._fence:
            self.spool.write(self._fence)
        elif self._narrow:
            rows = [line.split("\t") for line in self._narrow]
            self.spool.write("\n".join(pipe_table(rows)))
        self._narrow = []

    def _widen(self) -> None:
        """Goes over to tab-separated rows, in a fence longer than any run in the rows so far."""
        runs = _FENCE_RUN.findall("\n".join(self._narrow))
        longest = max(map(len, runs), default=_SHORTEST_FENCE - 1)
        self._fence = "`" * (longest + 1)
        self.spool.write(f"{self._fence}\n")
        for line in self._narrow:
            self._write_wide(line)
        self._narrow = []

    def _write_wide(self, line: str) -> None:
        # A later row that is nothing but such a run would end the fence: indented it does not.
        closes = line.startswith(self._fence) and not line.strip("`")
        self.spool.write(f"    {line}\n" if closes else f"{line}\n")


def pipe_table(rows: list[list[str]]) -> Iterable[str]:
    """Yields the lines of `rows` as a markdown table; the first row heads it if it looks like
    names, else an empty one does, so that no row of data is spent."""
    columns = max(map(len, rows))
    names = rows[0]
    heads = len(names) == columns > 0 and all(names) and not any(map(_is_number, names))
    header, data = (names, rows[1:]) if heads else ([""] * columns, rows)
    yield _pipe_row(header, columns)
    yield _pipe_row(["---"] * columns, columns)
    for row in data:
        yield _pipe_row(row, columns)


def _pipe_row(row: list[str], columns: int) -> str:
    cells = [cell.replace("|", "\\|") for cell in row] + [""] * (columns - len(row))
    return f"| {' | '.join(cells)} |"


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[-+$€£(]*[\d.,\s]+[%)]*", cell) is not None
