"""The readers of workbooks: python-calamine, which is fast and gives values; then openpyxl, which
streams what calamine would hold whole."""

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from centinel.readers.containers import MOST_UNPACKED_WORKBOOK, check_zip
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading
from centinel.readers.office import office_format
from centinel.readers.ooxml import MOST_HELD, Piece, Sheet, Workbook
from centinel.readers.properties import title_of
from centinel.readers.sheets import Row, Sheets, percent_text, row_texts, value_text
from centinel.readers.spans import largest_in_ods, largest_in_xlsb

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

_XML_WORKBOOKS = frozenset({"xlsx", "xlsm", "xltx"})
_WORKBOOKS = _XML_WORKBOOKS | {"xlsb", "xls", "ods"}
_OPENED_AS = {"xltx": "xlsx"}
_LARGEST = {"xlsb": largest_in_xlsb, "ods": largest_in_ods}


def read_with_calamine(document: Document) -> Reading:
    """Returns a section for each sheet; raises `GaveWay` where no cell has a value, where the
    library fails, and where the cells lie so far apart that it could not hold what is between."""
    from python_calamine import CalamineError, PasswordError, load_workbook

    name = workbook_format(document, _WORKBOOKS)
    if (largest := _LARGEST.get(name)) and (cells := largest(document.path)) > MOST_HELD:
        raise GaveWay(f"a sheet spans {cells:,} cells; {MOST_HELD:,} are held")
    sheets = Sheets(document.scratch)
    try:
        with _named(document, name) as path:
            if name in _XML_WORKBOOKS:
                with zipfile.ZipFile(path) as archive:
                    _add_pieces(sheets, path, Workbook(archive), document.scratch)
            else:
                with load_workbook(path) as book:
                    _add_whole(sheets, book)
    except PasswordError as error:
        raise GaveWay("the document is encrypted") from error
    except (CalamineError, zipfile.BadZipFile) as error:
        raise GaveWay(str(error)) from error
    return sheets.reading(title_of(document))


def read_with_openpyxl(document: Document) -> Reading:
    """Returns what `read_with_calamine` does, from a stream: 20 times slower, in little memory."""
    from warnings import catch_warnings, simplefilter

    from openpyxl import load_workbook

    workbook_format(document, _XML_WORKBOOKS)
    sheets = Sheets(document.scratch)
    # From a stream: by a path it asks for an extension, which blobs have none of.
    with catch_warnings(), document.path.open("rb") as file, zipfile.ZipFile(file) as archive:
        simplefilter("ignore")  # of styles and extensions that it leaves out
        package = Workbook(archive)
        parts = {sheet.name: sheet for sheet in package.sheets()}
        book = load_workbook(file, read_only=True, data_only=True)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what the file declares may be a lie
            told = _told(package, parts.get(sheet.title))
            rows = (
                Row([_styled(cell) for cell in row], number in told.hidden)
                for number, row in enumerate(sheet.iter_rows())
            )
            sheets.add(sheet.title, rows, is_hidden=sheet.sheet_state != "visible")
            _add_comments(sheets, package, parts.get(sheet.title))
            told.note(sheets, sheet.title)
    return sheets.reading(title_of(document))


def workbook_format(document: Document, taken: frozenset[str]) -> str:
    """Returns the format of a workbook that is safe to open; raises `GaveWay` where it is none of
    `taken`, or a bomb."""
    name = office_format(document)
    if name not in taken:
        raise GaveWay(f"the bytes are {name}, which this reader does not take")
    check_zip(document, MOST_UNPACKED_WORKBOOK)
    return name


@contextmanager
def _named(document: Document, name: str) -> Iterator[Path]:
    """Gives the file under a name that ends as its format does: without that, the library tries
    one format after the other, and cannot say what is wrong with any."""
    with TemporaryDirectory(dir=document.scratch) as folder:
        path = Path(folder) / f"workbook.{_OPENED_AS.get(name, name)}"
        path.symlink_to(document.path.resolve())
        yield path


class _Told:
    """What the XML of a sheet tells beside its values, piece by piece."""

    def __init__(self) -> None:
        self.hidden: set[int] = set()
        self._without_value = 0
        self._hidden_columns = 0

    def take(self, piece: Piece, sheet: Sheet) -> None:
        """Takes what a piece tells; raises `GaveWay` where its cells lie too far apart."""
        if piece.rectangle > MOST_HELD:
            span = f"sheet {sheet.name} spans {piece.rectangle:,} cells"
            raise GaveWay(f"{span}; {MOST_HELD:,} are held")
        self.add(piece)

    def add(self, piece: Piece) -> None:
        self.hidden |= piece.hidden
        self._without_value += piece.without_value
        self._hidden_columns = piece.hidden_columns

    def note(self, sheets: Sheets, name: str) -> None:
        if self._without_value:
            many = f"{self._without_value:,} formulas"
            sheets.note(f"sheet {name}: {many} without a computed value, left empty")
        if self._hidden_columns:
            sheets.note(f"sheet {name}: columns are hidden, and kept")


def _told(package: Workbook, sheet: Sheet | None) -> _Told:
    told = _Told()
    for piece in package.pieces(sheet) if sheet else ():
        told.add(piece)
    return told


def _add_comments(sheets: Sheets, package: Workbook, sheet: Sheet | None) -> None:
    if sheet is not None:
        for cell, said in package.comments(sheet):
            sheets.comment(sheet.name, cell, said)


def _add_whole(sheets: Sheets, book: "CalamineWorkbook") -> None:
    for place, meta in enumerate(book.sheets_metadata):
        rows = book.get_sheet_by_index(place).iter_rows()
        cells = (Row(row_texts(row)) for row in rows)
        sheets.add(meta.name, cells, is_hidden=str(meta.visible).endswith("Hidden"))


def _add_pieces(sheets: Sheets, path: Path, package: Workbook, scratch: Path) -> None:
    """Adds the sheets of a workbook of XML."""
    from python_calamine import load_workbook

    with ExitStack() as stack:
        # With a large sheet the file itself stays closed: its shared strings would be held twice.
        large = package.is_large
        book = None if large else stack.enter_context(load_workbook(path))
        for sheet in package.sheets():
            if not sheet.has_cells:
                sheets.note(f"sheet {sheet.name} holds no cells, and was not read")
                continue
            told = _Told()
            rows = _rows(book, sheet, package, scratch, told)
            sheets.add(sheet.name, rows, is_hidden=sheet.is_hidden)
            _add_comments(sheets, package, sheet)
            told.note(sheets, sheet.name)


def _rows(
    book: "CalamineWorkbook | None", sheet: Sheet, package: Workbook, scratch: Path, told: _Told
) -> Iterator[Row]:
    """Yields the rows of one sheet, by the library, with what the XML tells beside: from `book`,
    without it piece by piece."""
    from python_calamine import load_workbook

    if book is not None:
        for piece in package.pieces(sheet):
            told.take(piece, sheet)
            yield from _values(book.get_sheet_by_name(sheet.name), piece)
        return
    with package.alone(sheet, scratch) as holding:
        for piece in package.pieces(sheet):
            told.take(piece, sheet)
            with load_workbook(holding(piece.xml)) as part:
                yield from _values(part.get_sheet_by_name(sheet.name), piece)


def _values(sheet: "CalamineSheet", piece: Piece) -> Iterator[Row]:
    top, left = sheet.start or (0, 0)
    values = islice(sheet.iter_rows(), top, None) if piece.is_whole else sheet.to_python()
    marked = {row for row, _ in (*piece.errors, *piece.percents)}
    for number, row in enumerate(values, top):
        cells = row_texts(row)
        if number in marked:
            for place in range(len(row)):
                at = (number, place + left)
                if at in piece.percents:
                    cells[place] = percent_text(row[place])
                elif at in piece.errors:
                    cells[place] = piece.errors[at]
        yield Row(cells, number in piece.hidden)


def _styled(cell: Any) -> str:
    """Returns the text of a cell of openpyxl, as its number format shows it."""
    value = cell.value
    if isinstance(value, int | float) and "%" in (cell.number_format or ""):
        return percent_text(value)
    return value_text(value)


_KINDS = frozenset({"spreadsheet"})
calamine = FunctionReader(
    "calamine", _KINDS, read_with_calamine, "python-calamine", ("python_calamine", "lxml")
)
openpyxl = FunctionReader("openpyxl", _KINDS, read_with_openpyxl, "openpyxl", ("openpyxl", "lxml"))

READERS = (calamine, openpyxl)
