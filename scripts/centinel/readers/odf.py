"""The reader of OpenDocument files by odfpy: text, presentations and workbooks.

odfpy parses, and this writes: headings, paragraphs, lists, tables, notes and comments.  What a few
bytes may blow up to billions (`text:c`, repeated cells and rows) is bounded here.
Source: OpenDocument 1.3 part 3.
"""

import zipfile
from collections.abc import Iterator
from typing import Any

from centinel.readers.containers import check_zip
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading, has_text
from centinel.readers.grid import cell_text, pipe_table
from centinel.readers.office import office_format
from centinel.readers.properties import title_of
from centinel.readers.sheets import Row, Sheets

_LARGEST_CONTENT = 64 << 20
"""Bytes of XML that odfpy is given: it makes ten times as much of them in memory."""
_MOST_CELLS = 1_000_000
"""Cells of a table, repeated ones as often as they are."""
_MOST_COLUMNS = 16_384

_TEXT_NODES = (3, 4)
_LEFT_OUT = frozenset({"tracked-changes", "forms", "scripts", "automatic-styles", "notes-style"})
_SPACES = frozenset({"s", "tab", "line-break"})
_ROW_GROUPS = frozenset({"table-rows", "table-header-rows", "table-row-group"})
_LISTED = frozenset({"list-item", "list-header"})


def read_with_odfpy(document: Document) -> Reading:
    """Returns an OpenDocument file as markdown, a workbook with a section for each sheet.

    Raises `GaveWay` where it is no such file, is encrypted, or holds more than is safe.
    """
    name = office_format(document)
    if name not in ("odt", "odp", "ods"):
        raise GaveWay(f"the bytes are {name}, no OpenDocument file")
    check_zip(document)
    _check_content(document)
    from odf.opendocument import load

    try:
        body = load(str(document.path)).body
        return _workbook(document, body) if name == "ods" else _text(document, body)
    except RecursionError as error:
        raise GaveWay("its elements are nested too deeply") from error


def _check_content(document: Document) -> None:
    with zipfile.ZipFile(document.path) as archive:
        if archive.getinfo("content.xml").file_size > _LARGEST_CONTENT:
            raise GaveWay(f"its content is over {_LARGEST_CONTENT >> 20} MiB of XML")


def _text(document: Document, body: Any) -> Reading:
    text = "\n\n".join(block for block in _blocks(body) if has_text(block))
    if not has_text(text):
        raise GaveWay("no text in its paragraphs")
    return Reading(text, title_of(document))


def _workbook(document: Document, body: Any) -> Reading:
    sheets = Sheets(document.scratch)
    for spreadsheet in body.childNodes:
        for table in _elements(spreadsheet):
            if _name(table) == "table":
                sheets.add(_attribute(table, "name") or "", _rows(table))
    return sheets.reading(title_of(document))


def _blocks(node: Any) -> Iterator[str]:
    """Yields the blocks of markdown under `node`, in order."""
    for child in _elements(node):
        name = _name(child)
        if name == "h":
            level = _number(_attribute(child, "outline-level"), 1, 6)
            yield f"{'#' * level} {_inline(child)}" if has_text(_inline(child)) else ""
        elif name == "p":
            yield _inline(child)
        elif name == "list":
            yield "\n".join(_listed(child, 0))
        elif name == "table":
            rows = [row.cells for row in _rows(child) if any(row.cells)]
            yield "\n".join(pipe_table(rows)) if rows else ""
        elif name == "notes":
            yield "\n".join(f"> {line}" for line in _blocks(child) if has_text(line))
        elif name not in _LEFT_OUT:
            yield from _blocks(child)


def _listed(node: Any, depth: int) -> Iterator[str]:
    """Yields the lines of a list, those of the lists in it further in."""
    for item in _elements(node):
        if _name(item) not in _LISTED:
            continue
        mark = "- "
        for child in _elements(item):
            if _name(child) == "list":
                yield from _listed(child, depth + 1)
            elif has_text(line := _inline(child)):
                yield f"{'  ' * depth}{mark}{line}"
                mark = "  "


def _inline(node: Any) -> str:
    """Returns the text under `node` on one line."""
    return cell_text("".join(_pieces(node)))


def _pieces(node: Any) -> Iterator[str]:
    for child in node.childNodes:
        if child.nodeType in _TEXT_NODES:
            yield str(child.data)
            continue
        name = _name(child)
        if name in _SPACES:
            yield " "  # however many `text:c` asks for
        elif name in ("creator", "date") or name in _LEFT_OUT:
            continue
        elif name == "a":
            yield _link(child)
        elif name in ("note-body", "annotation"):
            yield f" ({_inline(child)}) "
        elif name in ("p", "h", "list-item", "table-cell"):
            yield f" {_inline(child)} "
        else:
            yield from _pieces(child)


def _link(node: Any) -> str:
    label, address = _inline(node), _attribute(node, "href") or ""
    shown = label and address and not address.startswith(("#", "data:"))
    return (
        f"[{label}](<{address}>)"
        if shown and " " in address
        else (f"[{label}]({address})" if shown else label)
    )


def _rows(table: Any) -> Iterator[Row]:
    """Yields the rows of a table, repeated ones as often as they are; raises `GaveWay` where that
    would be too many."""
    left = _MOST_CELLS
    for element in _row_elements(table):
        cells = _cells(element)
        times = _number(_attribute(element, "number-rows-repeated"), 1, 1 << 31)
        if not cells:
            yield Row([])
            continue
        left -= times * len(cells)
        if left < 0:
            raise GaveWay(f"a table of more than {_MOST_CELLS:,} cells, repeated ones counted")
        is_hidden = _attribute(element, "visibility") in ("collapse", "filter")
        for _ in range(times):
            yield Row(list(cells), is_hidden)


def _row_elements(node: Any) -> Iterator[Any]:
    for child in _elements(node):
        if _name(child) == "table-row":
            yield child
        elif _name(child) in _ROW_GROUPS:
            yield from _row_elements(child)


def _cells(row: Any) -> list[str]:
    """Returns the cells of one row, without the empty ones at its end."""
    cells: list[str] = []
    empty = 0
    for cell in _elements(row):
        if _name(cell) not in ("table-cell", "covered-table-cell"):
            continue
        times = _number(_attribute(cell, "number-columns-repeated"), 1, 1 << 31)
        text = _cell(cell)
        if not text:
            empty += times
            continue
        if len(cells) + empty + times > _MOST_COLUMNS:
            raise GaveWay(f"a row of more than {_MOST_COLUMNS:,} cells")
        cells += [""] * empty + [text] * times
        empty = 0
    return cells


def _cell(cell: Any) -> str:
    """Returns a cell as it is shown, a date in its ISO form."""
    date = _attribute(cell, "date-value")
    return date or _inline(cell) or _attribute(cell, "value") or ""


def _elements(node: Any) -> Iterator[Any]:
    return (child for child in node.childNodes if child.nodeType not in _TEXT_NODES)


def _name(element: Any) -> str:
    return str(element.qname[1])


def _attribute(element: Any, name: str) -> str | None:
    found = (value for (_, local), value in (element.attributes or {}).items() if local == name)
    value = next(found, None)
    return None if value is None else str(value)


def _number(value: str | None, least: int, most: int) -> int:
    try:
        return min(max(int(value or least), least), most)
    except ValueError:
        return least


odfpy = FunctionReader(
    "odfpy", frozenset({"document", "spreadsheet"}), read_with_odfpy, "odfpy", ("odf",)
)

READERS = (odfpy,)
