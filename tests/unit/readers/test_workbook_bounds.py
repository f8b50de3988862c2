"""Workbooks that are too large, or look so."""

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from centinel.readers import ooxml, sheets
from centinel.readers.document import Document, GaveWay
from centinel.readers.ooxml import Workbook
from centinel.readers.sheets import Row, Sheets
from centinel.readers.spans import largest_in_ods, largest_in_xlsb
from centinel.readers.spool import Spool
from centinel.readers.workbook import calamine, openpyxl
from tests.unit.readers.packages import SHEET_NAMESPACE, odf, xlsx, zip_of

Make = Callable[..., Document]

FAR = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'


def rows(count: int, hidden: int = 0) -> str:
    """Returns rows of a number, a shared string and an error, one of them hidden."""
    marks = {hidden: ' hidden="1"'}
    return "".join(
        f'<row r="{n}"{marks.get(n, "")}><c r="A{n}"><v>{n}</v></c>'
        f'<c r="B{n}" t="s"><v>{n % 2}</v></c><c r="C{n}" t="e"><v>#N/A</v></c></row>'
        for n in range(1, count + 1)
    )


SHARED = {
    "xl/sharedStrings.xml": f'<sst xmlns="{SHEET_NAMESPACE}">'
    "<si><t>even</t></si><si><t>odd</t></si></sst>"
}
STRINGS = (
    '<Relationship Id="s" Target="sharedStrings.xml" Type="http://schemas.openxmlformats.org/'
    'officeDocument/2006/relationships/sharedStrings"/>'
)


def test_a_sheet_whose_cells_lie_far_apart_is_left_to_the_reader_that_streams(make: Make) -> None:
    document = make(xlsx({"A": FAR}), "spreadsheet")
    tracemalloc.start()
    with pytest.raises(GaveWay, match="sheet A spans 17,179,869,184 cells; 8,388,608 are held"):
        calamine.read(document)
    assert tracemalloc.get_traced_memory()[1] < 10 << 20
    tracemalloc.stop()
    assert openpyxl.read(document).text == "## A\n\n1\n\n2\n"


@pytest.mark.parametrize("far", ['<c r="XFD1048576"/>', "<c r='ZZ1048576'><v>2</v></c>"])
def test_a_row_that_lies_about_its_number_is_found_out(make: Make, far: str) -> None:
    lie = f'<row r="1"><c r="A1"><v>1</v></c>{far}</row>'
    with pytest.raises(GaveWay, match=r"sheet A spans [\d,]+ cells"):
        calamine.read(make(xlsx({"A": lie}), "spreadsheet"))


def test_what_a_sheet_declares_is_not_what_it_spans(make: Make) -> None:
    cells = '<row r="1"><c r="A1"><v>1</v></c></row>'
    content = f'<dimension ref="A1:XFD1048576"/><sheetData>{cells}</sheetData>'
    document = make(xlsx({"A": content}), "spreadsheet")
    assert openpyxl.read(document).text == "## A\n\n1\n"
    assert calamine.read(document).text == "## A\n\n1\n"


def with_strings(count: int, hidden: int = 0) -> bytes:
    packed = io.BytesIO(xlsx({"A": rows(count, hidden), "B": rows(1)}, SHARED))
    parts = {}
    with zipfile.ZipFile(packed) as archive:
        for name in archive.namelist():
            parts[name] = archive.read(name).decode()
    links = "xl/_rels/workbook.xml.rels"
    parts[links] = parts[links].replace("</Relationships>", f"{STRINGS}</Relationships>")
    return zip_of(parts)


def test_a_large_sheet_is_read_in_pieces_that_give_the_same_text(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = make(with_strings(3000, hidden=2500), "spreadsheet")
    whole = calamine.read(document)
    monkeypatch.setattr(ooxml, "PIECE", 40_000)
    monkeypatch.setattr(ooxml, "_CHUNK", 1_000)
    with zipfile.ZipFile(document.path) as archive:
        package = Workbook(archive)
        pieces = list(package.pieces(package.sheets()[0]))
    assert len(pieces) > 5
    assert not any(piece.is_whole for piece in pieces)
    assert calamine.read(document) == whole
    assert "3000\teven\t#N/A\n" in whole.text
    assert "2500\teven\t#N/A\t(hidden row)\n" in whole.text
    assert "sheet A: 1 hidden rows, marked" in whole.notes


def test_a_row_larger_than_a_piece_is_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ooxml, "PIECE", 1_000)
    monkeypatch.setattr(ooxml, "_CHUNK", 100)
    cells = "".join(f'<c r="A1"><v>{n}</v></c>' for n in range(500))
    with pytest.raises(GaveWay, match="a row of more than"):
        calamine.read(make(xlsx({"A": f'<row r="1">{cells}</row>'}), "spreadsheet"))


def test_what_is_cut_is_counted(tmp_path: Path) -> None:
    written = Sheets(tmp_path, most_cells=10)
    written.add("Long", (Row([str(n), "x"]) for n in range(8)))
    written.add("After", [Row(["y"])])
    reading = written.reading(None)
    assert "4\tx" not in reading.text
    assert "| 4 | x |\n\n## After" in reading.text
    assert reading.notes == (
        "sheet Long: 3 of 8 rows were cut",
        "sheet After: 1 of 1 rows were cut",
        "empty sheets: After",
    )


def test_a_large_workbook_goes_to_a_file(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = make(with_strings(3000), "spreadsheet")
    document = Document(document.path, "spreadsheet", scratch=tmp_path)
    in_memory = calamine.read(document).text
    monkeypatch.setattr(sheets, "Spool", partial(Spool, in_memory=1000))
    reading = calamine.read(document)
    assert reading.text == ""
    assert reading.file is not None
    assert reading.file.parent == tmp_path
    assert reading.file.read_text() == in_memory


@pytest.mark.parametrize(
    ("body", "cells"),
    [
        ("<table:table-row><table:table-cell office:value-type='x'/></table:table-row>", 1),
        (
            '<table:table-row table:number-rows-repeated="1048576"><table:table-cell '
            'office:value-type="float" table:number-columns-repeated="16384"/></table:table-row>',
            1048576 * 16384,
        ),
        (
            "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>"
            '<table:table-cell table:number-columns-repeated="1023"/></table:table-row>'
            '<table:table-row table:number-rows-repeated="1048575"><table:table-cell/>'
            "</table:table-row>",
            1,
        ),
    ],
)
def test_repeated_cells_of_opendocument_are_counted_where_they_are_filled(
    make: Make, body: str, cells: int
) -> None:
    document = make(odf("spreadsheet", f"<table:table>{body}</table:table>"), "spreadsheet")
    assert largest_in_ods(document.path) == cells


def test_a_binary_workbook_declares_its_rectangle(make: Make) -> None:
    first = b"\x81\x01\x00"
    record = b"\x94\x01\x10" + b"".join(n.to_bytes(4, "little") for n in (0, 1_048_575, 0, 16_383))
    binary = {
        "xl/workbook.bin": b"",
        "xl/worksheets/sheet1.bin": first + record + bytes(50),
    }
    document = make(zip_of(binary), "spreadsheet")
    assert largest_in_xlsb(document.path) == 1_048_576 * 16_384
    with pytest.raises(GaveWay, match="a sheet spans 17,179,869,184 cells"):
        calamine.read(document)
    assert largest_in_xlsb(make(b"PK\x03\x04 no zip", "spreadsheet").path) == 0
