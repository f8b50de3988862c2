"""Sheets of Office Open XML workbooks, looked at as streams before a library holds them whole.

What the library does not tell stands in the XML: hidden rows, the words of errors, which numbers
are shares of a hundred, formulas without a value, and how large a rectangle the cells span.
Source: ISO/IEC 29500-1, part 18 (SpreadsheetML).
"""

import posixpath
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from centinel.readers.document import GaveWay
from centinel.readers.exchange import exchanged

if TYPE_CHECKING:
    from lxml import etree

PIECE = 32 << 20
"""Bytes of a sheet's XML that are looked at, and given to the library, at once: about 100,000 rows
of ten columns, which cost it 100 MB."""

MOST_HELD = 8 << 20
"""Cells of a rectangle that the library holds whole: 24 bytes each, and 70 while it reads them."""

_CHUNK = 1 << 20
_LARGEST_PART = 64 << 20
"""Bytes of the parts beside the sheets that are parsed: styles, the list of sheets."""
_MOST_MARKS = 200_000

# No tag holds a "<" before its end, so that each of these takes linear time on any bytes.
_MAY_BE_SHEET = re.compile(r".*(?<!sharedStrings)\.xml", re.IGNORECASE)
_MAIN = re.compile(rb"<((?:\w+:)?)sheetData\b[^<>]*?(/?)>")
_DIMENSION = re.compile(rb"<(?:\w+:)?dimension\b[^<>]*?/>")
_HIDDEN_COLUMN = re.compile(rb"<(?:\w+:)?col\b[^<>]*\bhidden=[\"'](?:1|true)[\"'][^<>]*>")
_ROW = re.compile(rb"<(?:\w+:)?row\b[^<>]*?\sr=[\"'](\d{1,7})[\"']")
_HIDDEN_ROW = re.compile(rb"<(?:\w+:)?row\b([^<>]*\shidden=[\"'](?:1|true)[\"'][^<>]*)>")
_NUMBER = re.compile(rb"\sr=[\"'](\d{1,7})[\"']")
_REFERENCE = re.compile(rb"\sr=[\"']([A-Z]{1,3})(\d{1,7})[\"']")
_WIDE_REFERENCE = re.compile(rb' r="[A-Z]{3}\d')
_BROAD_REFERENCE = re.compile(rb' r="[A-Z]{2}\d')
_ODDLY_WRITTEN = (b" r='", b"\tr=", b"\nr=", b"\rr=")
"""References that the two above would miss; nobody's workbooks have them."""
_NO_VALUE = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\b[^<>]*/>)"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
_ERROR = re.compile(
    rb"<(?:\w+:)?c\b([^<>]*\st=[\"']e[\"'][^<>]*)(?<!/)>"
    rb"(?:<(?:\w+:)?f\b[^<>]*(?:/>|>[^<]*</(?:\w+:)?f>))?<(?:\w+:)?v>([^<]{1,40})</"
)
_PERCENT_FORMATS = frozenset({"9", "10"})
"""Built-in number formats that show a percent sign (18.8.30)."""

Place = tuple[int, int]
"""Row and column, both from 0."""


@dataclass(frozen=True)
class Sheet:
    """A sheet of the workbook, and where its XML lies."""

    name: str
    part: str
    is_hidden: bool = False
    has_cells: bool = True
    """It is no chart, dialogue or sheet of macros."""


@dataclass(frozen=True)
class Piece:
    """Whole rows of a sheet, and what their XML tells of them; rows from 0."""

    xml: bytes
    """A worksheet of its own, with only these rows."""
    is_whole: bool
    """It is all of its sheet."""
    first_row: int = 0
    last_row: int = 0
    columns: int = 0
    """At least as many as the rows have."""
    hidden: frozenset[int] = frozenset()
    errors: dict[Place, str] = field(default_factory=dict)
    percents: frozenset[Place] = frozenset()
    without_value: int = 0
    """Formulas for which the workbook holds no value."""
    hidden_columns: int = 0

    @property
    def rectangle(self) -> int:
        """Cells between the first row and the last, filled or not: what a library holds."""
        return (self.last_row - self.first_row + 1) * self.columns


class Workbook:
    """The package of a workbook, opened."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.is_large = any(
            entry.file_size >= PIECE and _MAY_BE_SHEET.fullmatch(entry.filename)
            for entry in archive.infolist()
        )
        """A sheet of it comes in more than one piece."""
        self._percent_styles = _percent_pattern(_percent_styles(self._part("xl/styles.xml")))

    def sheets(self) -> list[Sheet]:
        """Returns the sheets in order; raises `GaveWay` where the list of them cannot be read."""
        links = {link: (kind, target) for link, kind, target in self._links("xl/workbook.xml")}
        found = []
        for element in self._elements("xl/workbook.xml", "{*}sheet"):
            ids = [str(value) for name, value in element.items() if str(name).endswith("}id")]
            kind, part = links.get(ids[0] if ids else "", ("", ""))
            is_hidden = str(element.get("state", "visible")) != "visible"
            sheet = Sheet(
                str(element.get("name", "")), part, is_hidden, kind.endswith("/worksheet")
            )
            found.append(sheet)
        if not found:
            raise GaveWay("the list of sheets cannot be read")
        return found

    def comments(self, sheet: Sheet) -> list[tuple[str, str]]:
        """Returns the comments on the cells of `sheet`: the cell's name, and what is said of it."""
        return [
            (str(comment.get("ref", "")), "".join(str(t.text or "") for t in comment.iter("{*}t")))
            for _, kind, part in self._links(sheet.part)
            if kind.endswith("/comments")
            for comment in self._elements(part, "{*}comment")
        ]

    def pieces(self, sheet: Sheet) -> Iterator[Piece]:
        """Yields the rows of `sheet` in pieces; nothing where its part is missing or no sheet of
        cells.  Raises `GaveWay` where one row is larger than a piece may be."""
        try:
            part = self._archive.open(sheet.part)
        except KeyError:
            return
        with part as stream:
            for xml, is_whole in _cut(stream):
                yield _looked_at(xml, is_whole, self._percent_styles)

    def alone(self, sheet: Sheet, folder: Path) -> AbstractContextManager[Callable[[bytes], Path]]:
        """Gives a function that returns a workbook in which `sheet` holds other rows."""
        return exchanged(self._archive, sheet.part, folder)

    def _links(self, part: str) -> list[tuple[str, str, str]]:
        """Returns id, type and target of each part that `part` names."""
        folder, name = posixpath.split(part)
        return [
            (
                str(link.get("Id")),
                str(link.get("Type")),
                posixpath.normpath(posixpath.join("/", folder, str(link.get("Target")))).lstrip(
                    "/"
                ),
            )
            for link in self._elements(f"{folder}/_rels/{name}.rels", "{*}Relationship")
        ]

    def _elements(self, part: str, tag: str) -> "list[etree._Element]":
        """Returns the elements of a part, none where it cannot be parsed."""
        from lxml import etree

        try:
            root = etree.fromstring(self._part(part), _parser())
        except (etree.XMLSyntaxError, ValueError):
            return []
        return [] if root is None else list(root.iter(tag))

    def _part(self, name: str) -> bytes:
        try:
            with self._archive.open(name) as part:
                return part.read(_LARGEST_PART)
        except KeyError:
            return b""


def _parser() -> "etree.XMLParser":
    from lxml import etree

    return etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, recover=True)


def _percent_styles(styles: bytes) -> list[str]:
    """Returns the indices of the cell styles that show a percent sign."""
    from lxml import etree

    if not styles:
        return []
    root = etree.fromstring(styles, _parser())
    if root is None:
        return []
    own = {
        str(each.get("numFmtId"))
        for each in root.iter("{*}numFmt")
        if "%" in str(each.get("formatCode", ""))
    }
    formats = root.find("{*}cellXfs")
    shown = own | _PERCENT_FORMATS
    cells = [] if formats is None else list(formats)
    return [str(place) for place, each in enumerate(cells) if each.get("numFmtId") in shown]


def _percent_pattern(styles: list[str]) -> re.Pattern[bytes] | None:
    if not styles:
        return None
    return re.compile(
        rb"<(?:\w+:)?c\b([^<>]*\ss=[\"'](?:%s)[\"'][^<>]*)>" % "|".join(styles).encode()
    )


def _cut(stream: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yields worksheets of at most about `PIECE` bytes, cut between rows, and whether it is one."""
    held = stream.read(PIECE)
    opened = _MAIN.search(held)
    if opened is None or opened[2]:
        yield held, True
        return
    ends = b"</" + opened[1] + b"sheetData>"
    start = _DIMENSION.sub(b"", held[: opened.end()])
    close = ends + b"</" + opened[1] + b"worksheet>"
    if len(held) < PIECE:
        yield held, True
        return
    held = held[opened.end() :]
    while True:
        more = stream.read(max(PIECE - len(held), _CHUNK))
        held += more
        end = held.find(ends)
        if end >= 0 or not more:
            yield start + (held[:end] if end >= 0 else held) + close, False
            return
        place = _last_row(held, opened[1])
        if place <= 0:
            raise GaveWay(f"a row of more than {PIECE >> 20} MiB")
        yield start + held[:place] + close, False
        held = held[place:]


def _last_row(held: bytes, prefix: bytes) -> int:
    tag = b"<" + prefix + b"row"
    return max(held.rfind(tag + b" "), held.rfind(tag + b">"))


def _looked_at(xml: bytes, is_whole: bool, percent_style: re.Pattern[bytes] | None) -> Piece:
    rows = [int(number) - 1 for number in _ROW.findall(xml)]
    first, last, columns = _span(xml, rows)
    opened = _MAIN.search(xml)
    return Piece(
        xml,
        is_whole,
        first,
        last,
        columns,
        hidden=_hidden_rows(xml),
        errors=_errors(xml),
        percents=_places(percent_style, xml) if percent_style else frozenset(),
        without_value=_without_value(xml),
        hidden_columns=len(_HIDDEN_COLUMN.findall(xml, 0, opened.start() if opened else len(xml))),
    )


def _span(xml: bytes, rows: list[int]) -> tuple[int, int, int]:
    """Returns the first row, the last, and how many columns there are at most.  Exact only where
    the cheap bound, by the letters of the widest reference, would be large."""
    first, last = min(rows, default=0), max(rows, default=xml.count(b"row"))
    if not any(odd in xml for odd in _ODDLY_WRITTEN) and not _WIDE_REFERENCE.search(xml):
        columns = 702 if _BROAD_REFERENCE.search(xml) else 26
        further = re.compile(rb' r="[A-Z]{1,3}\d{%d,}' % (len(str(last + 1)) + 1))
        if (last - first + 1) * columns <= MOST_HELD and not further.search(xml):
            return first, last, columns
    letters: set[bytes] = set()
    numbers: set[bytes] = set()
    for column, number in _REFERENCE.findall(xml):
        letters.add(column)
        numbers.add(number)
    found = [int(number) - 1 for number in numbers]
    return (
        min(first, *found) if found else first,
        max(last, *found) if found else last,
        max(map(_column, letters), default=0) + 1,
    )


def _without_value(xml: bytes) -> int:
    if b"<f" not in xml and b":f" not in xml:
        return 0
    return sum(1 for _ in _NO_VALUE.finditer(xml))


def _hidden_rows(xml: bytes) -> frozenset[int]:
    if b"hidden=" not in xml:
        return frozenset()
    numbers = (_NUMBER.search(attributes) for attributes in _HIDDEN_ROW.findall(xml))
    return frozenset(int(number[1]) - 1 for number in numbers if number)


def _errors(xml: bytes) -> dict[Place, str]:
    if b't="e"' not in xml and b"t='e'" not in xml:
        return {}
    found: dict[Place, str] = {}
    for match in _ERROR.finditer(xml):
        place = _place(match[1])
        if place is not None and len(found) < _MOST_MARKS:
            found[place] = match[2].decode("utf-8", "replace")
    return found


def _places(pattern: re.Pattern[bytes], xml: bytes) -> frozenset[Place]:
    """Returns where the cells are whose attributes fit; the first `_MOST_MARKS` of them."""
    found: set[Place] = set()
    for match in pattern.finditer(xml):
        place = _place(match[1])
        if place is not None:
            found.add(place)
        if len(found) >= _MOST_MARKS:
            break
    return frozenset(found)


def _place(attributes: bytes) -> Place | None:
    reference = _REFERENCE.search(attributes)
    return (int(reference[2]) - 1, _column(reference[1])) if reference else None


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
