"""Tells tables that hold data from tables that lay out a page, and readies both for markdown."""

from typing import TYPE_CHECKING

from centinel.readers.tree import DROP, find, take_out, words

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_ROWS = "./tr|./thead/tr|./tbody/tr|./tfoot/tr"
_BLOCKS = ".//h1|.//h2|.//h3|.//h4|.//ul|.//ol|.//form|.//article|.//section"
_DECLARES_DATA = "./thead|./caption|./tr/th|./tbody/tr/th"
_KEPT_ATTRIBUTES = {"id", "class", "role"}

_LONG_CELL = 600
"""Characters in one cell above which a table of few rows is taken for the layout of a page."""
_FEW_ROWS = 3
_MOST_COLUMNS = 1000
"""What a colspan may claim at most, as in the HTML standard."""


def unfold_layout(tree: "Element") -> None:
    """Turns layout tables under `tree` into blocks, so that their headings and lists survive."""
    tables = list(tree.iter("table"))
    nesting = {table for table in tables if next(table.iterdescendants("table"), None) is not None}
    for table in tables:
        if _is_layout(table, nests=table in nesting):
            _unfold(table)


def give_headers(tree: "Element") -> None:
    """Gives each table under `tree` a header row, an empty one where it declares none: markdown
    knows no table without, and a row of data must not be spent on it.  Empty tables go."""
    for table in list(tree.iter("table")):
        rows = find(table, _ROWS)
        if not words(table):
            table.tag = DROP
        elif rows and not _is_header(rows[0]):
            table.insert(0, _empty_header(max(_width(row) for row in rows)))
    take_out(tree)


def _empty_header(columns: int) -> "Element":
    from lxml import etree

    head = etree.Element("thead")
    row = etree.SubElement(head, "tr")
    for _ in range(columns):
        etree.SubElement(row, "th")
    return head


def _cells(row: "Element") -> list["Element"]:
    return find(row, "./td|./th")


def _width(row: "Element") -> int:
    """Returns how many columns `row` spans."""
    spans = [cell.get("colspan", "1").strip() for cell in _cells(row)]
    return sum(min(int(span), _MOST_COLUMNS) if span.isdecimal() else 1 for span in spans)


def _is_header(row: "Element") -> bool:
    """Says whether `row` names columns: it stands in a thead, or all its cells are `<th>`."""
    parent = row.getparent()
    cells = _cells(row)
    declared = parent is not None and parent.tag == "thead"
    return bool(cells) and (declared or all(cell.tag == "th" for cell in cells))


def _is_layout(table: "Element", *, nests: bool) -> bool:
    if table.get("role") in ("presentation", "none"):
        return True
    if table.xpath(_DECLARES_DATA):
        return False
    rows = find(table, _ROWS)
    widest = max((_width(row) for row in rows), default=0)
    if nests or widest <= 1 or table.xpath(_BLOCKS):
        return True
    return len(rows) <= _FEW_ROWS and any(
        len(words(cell)) > _LONG_CELL for row in rows for cell in _cells(row)
    )


def _unfold(table: "Element") -> None:
    """Makes `table` and its own rows and cells blocks; a table inside keeps its shape."""
    parts = table.iterdescendants("tbody", "thead", "tfoot", "tr", "td", "th", "caption")
    own = [part for part in parts if next(part.iterancestors("table")) is table]
    for element in [table, *own]:
        element.tag = "div"
        for name in set(element.attrib) - _KEPT_ATTRIBUTES:
            del element.attrib[name]
