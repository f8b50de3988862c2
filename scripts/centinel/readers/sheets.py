"""The sheets of a workbook as markdown: a section each, values as a person sees them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from pathlib import Path

from centinel.readers.characters import one_line
from centinel.readers.document import GaveWay, Reading
from centinel.readers.grid import MOST_ROWS, Grid, cell_text
from centinel.readers.spool import Spool

MOST_CELLS = 20_000_000
"""Cells of a workbook that become text: about 200 MB of it, and half a minute with the fastest
library.  A million rows of twenty columns fit; what is beyond is cut, and counted."""

_OPENS_BLOCK = re.compile(r"#{1,6}\s|`{3}|~{3}")
HIDDEN_ROW = "(hidden row)"
_MANY_NAMES = 10


@dataclass(frozen=True)
class Row:
    """The cells of one row, as text, and whether the workbook hides it."""

    cells: list[str]
    is_hidden: bool = False


class Sheets:
    """The sections of one workbook, written as their rows come."""

    def __init__(self, folder: Path, most_cells: int = MOST_CELLS) -> None:
        self._spool = Spool(folder)
        self._left = most_cells
        self._is_first = True
        self._has_cells = False
        self._empty: list[str] = []
        self._comments: list[str] = []
        self._notes: list[str] = []

    def add(self, name: str, rows: Iterable[Row], *, is_hidden: bool = False) -> None:
        """Writes one sheet, a hidden row with a mark behind its cells.  Rows beyond the bound on
        cells are counted in a note."""
        name = one_line(name) or "(no name)"
        self._begin(f"{name} (hidden sheet)" if is_hidden else name)
        if is_hidden:
            self._notes.append(f"sheet {name} is hidden")
        blocks = _Blocks(self._spool)
        seen = cut = hidden = 0
        for row in rows:
            seen += 1
            if self._left <= 0:
                cut += 1
                continue
            hidden += row.is_hidden
            self._left -= blocks.add(row)
        blocks.close()
        self._has_cells |= blocks.count > 0
        if not blocks.count:
            self._empty.append(name)
        if hidden:
            self._notes.append(f"sheet {name}: {hidden:,} hidden rows, marked")
        if cut:
            self._notes.append(f"sheet {name}: {cut:,} of {seen:,} rows were cut")

    def comment(self, name: str, cell: str, said: str) -> None:
        """Adds a comment on a cell of a sheet; comments follow the sheets, as notes do a text."""
        if said.strip():
            self._comments.append(f"- {cell_text(f'{name} {cell}')}: {cell_text(said)}\n")

    def note(self, note: str) -> None:
        """Adds what a reader noticed itself."""
        self._notes.append(note)

    def reading(self, title: str | None) -> Reading:
        """Returns the text; raises `GaveWay` where no sheet has a cell: names are no text."""
        if not self._has_cells and not self._comments:
            self._spool.discard()
            raise GaveWay(f"a workbook of {len(self._empty)} empty sheets")
        if self._comments:
            self._begin("Comments")
            self._spool.write("\n" + "".join(self._comments))
        if self._empty:
            self._notes.append(f"empty sheets: {_names(self._empty)}")
        return self._spool.reading(title, tuple(self._notes))

    def _begin(self, heading: str) -> None:
        self._spool.write(f"## {heading}\n" if self._is_first else f"\n## {heading}\n")
        self._is_first = False


class _Blocks:
    """The tables of one sheet.  Empty rows part them, unless what follows lies under the columns of
    the table before and has no names of its own: such a row only gives air."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._grid: Grid | None = None
        self._table: list[Row] = []
        self._block: list[Row] = []
        self.count = 0

    def add(self, row: Row) -> int:
        """Takes one row; returns how many cells it has, without the empty ones at its end."""
        cells = row.cells
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            self.count += 1
        if self._grid is not None:
            self._grid.add([*cells, HIDDEN_ROW] if cells and row.is_hidden else cells)
        elif cells:
            self._block.append(row)
            if len(self._block) > MOST_ROWS:
                self._overflow()
        elif self._block:
            self._end_block()
        return len(cells)

    def close(self) -> None:
        """Writes what is held."""
        if self._block:
            self._end_block()
        self._write_table()
        if self._grid is not None:
            self._grid.close()
            self._spool.write("\n")

    def _overflow(self) -> None:
        """Goes on in one table that is written as it comes, through empty rows as well."""
        self._write_table()
        self._spool.write("\n")
        self._grid = Grid(self._spool)
        for row in self._block:
            self._grid.add([*row.cells, HIDDEN_ROW] if row.is_hidden else row.cells)
        self._block = []

    def _end_block(self) -> None:
        if not self._goes_on():
            self._write_table()
        self._table += self._block
        self._block = []

    def _goes_on(self) -> bool:
        """Says whether the block belongs to the table before it."""
        if not self._table or len(self._table) + len(self._block) > MOST_ROWS:
            return False
        first = [cell for cell in self._block[0].cells if cell]
        has_names = not any(cell[0].isdigit() or cell[0] in "-+.$€£(" for cell in first)
        return not has_names and _filled(self._block) <= _filled(self._table)

    def _write_table(self) -> None:
        if not self._table:
            return
        rows = _without_empty_columns(_marked(self._table))
        self._spool.write("\n")
        if len(rows) == 1 and len(rows[0]) == 1:
            self._spool.write(_paragraph(rows[0][0]))
        else:
            grid = Grid(self._spool)
            for row in rows:
                grid.add(row)
            grid.close()
        self._spool.write("\n")
        self._table = []


def _paragraph(text: str) -> str:
    """Returns a lone cell as a paragraph: "# of permits" is no heading, backticks open no code."""
    return f"\\{text}" if _OPENS_BLOCK.match(text) else text


def _filled(rows: list[Row]) -> set[int]:
    """Returns the columns in which any of `rows` has a cell."""
    return {place for row in rows for place, cell in enumerate(row.cells) if cell}


def _marked(rows: list[Row]) -> list[list[str]]:
    """Returns the cells of `rows`, the mark of hidden ones in a column behind all others."""
    width = max(len(row.cells) for row in rows)
    return [
        [*row.cells, *[""] * (width - len(row.cells)), HIDDEN_ROW] if row.is_hidden else row.cells
        for row in rows
    ]


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    """Returns `rows` without the columns that none of them fills: merged cells leave those."""
    width = max(map(len, rows))
    filled = {place for row in rows for place, cell in enumerate(row) if cell}
    if len(filled) == width:
        return rows
    return [[cell for place, cell in enumerate(row) if place in filled] for row in rows]


def row_texts(values: Iterable[object]) -> list[str]:
    """Returns the text of each cell of a row, as `value_text` does."""
    texts = _TEXTS
    return [texts.get(type(value), _any)(value) for value in values]


def value_text(value: object) -> str:
    """Returns a cell's value as a person sees it: whole numbers without a point, 15 digits at most
    (what Excel keeps), ISO dates and times, durations in hours, TRUE and FALSE."""
    return _TEXTS.get(type(value), _any)(value)


def percent_text(value: object) -> str:
    """Returns the text of a cell that its style shows as a share of a hundred."""
    return f"{value * 100:.10g}%" if isinstance(value, int | float) else value_text(value)


def _number(value: float) -> str:
    text = f"{value:.15g}"
    if "e" in text and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return text


def _moment(value: datetime) -> str:
    if value.time() == time():
        return value.date().isoformat()
    return value.replace(microsecond=0).isoformat(" ")


def _duration(value: timedelta) -> str:
    seconds = round(value.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    return f"{'-' if seconds < 0 else ''}{hours}:{rest // 60:02}:{rest % 60:02}"


def _any(value: object) -> str:
    return "" if value is None else cell_text(str(value))


_TEXTS: dict[type, Callable[..., str]] = {
    str: cell_text,
    int: str,
    float: _number,
    bool: lambda value: "TRUE" if value else "FALSE",
    datetime: _moment,
    date: date.isoformat,
    time: lambda value: value.replace(microsecond=0).isoformat(),
    timedelta: _duration,
}


def _names(names: list[str]) -> str:
    more = len(names) - _MANY_NAMES
    return ", ".join(names[:_MANY_NAMES]) + (f" and {more} more" if more > 0 else "")
