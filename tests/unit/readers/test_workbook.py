import io
from collections.abc import Callable
from datetime import date, datetime, time, timedelta

import openpyxl as library
import pytest
from openpyxl.comments import Comment

from centinel.readers.document import Document, GaveWay, Reader
from centinel.readers.workbook import calamine, openpyxl
from tests.unit.readers.packages import odf, ole, xlsx

Make = Callable[..., Document]
BOTH = pytest.mark.parametrize("reader", [calamine, openpyxl], ids=lambda reader: reader.name)
STYLES = (
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<numFmts><numFmt numFmtId="164" formatCode="0.00%"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs>'
    "</styleSheet>"
)


def saved(book: library.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def text_row(number: int, *cells: str, attributes: str = "") -> str:
    """Returns a row of SpreadsheetML with these texts."""
    inside = "".join(
        f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{cell}</t></is></c>'
        for place, cell in enumerate(cells)
        if cell
    )
    return f'<row r="{number}"{attributes}>{inside}</row>'


@BOTH
def test_values_are_written_as_a_person_sees_them(make: Make, reader: Reader) -> None:
    book = library.Workbook()
    sheet = book.active
    sheet.title = "Permits"
    sheet.append(["Name", "Count", "Cost", "Day", "Moment", "Hour", "Took", "Paid", "Text"])
    sheet.append(
        [
            *("Ann", 42, 0.1 + 0.2, date(2026, 5, 1), datetime(2026, 5, 1, 3, 4, 5)),
            *(time(14, 30), timedelta(hours=30, minutes=5), True, "a | b\nc  d"),
        ]
    )
    sheet.append(["Bob", -1.5, 1e15, None, datetime(2026, 12, 31), None, None, False, "007"])
    assert reader.read(make(saved(book), "spreadsheet")).text.splitlines() == [
        "## Permits",
        "",
        "| Name | Count | Cost | Day | Moment | Hour | Took | Paid | Text |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        "| Ann | 42 | 0.3 | 2026-05-01 | 2026-05-01 03:04:05 | 14:30:00 | 30:05:00 | TRUE"
        " | a \\| b c d |",
        "| Bob | -1.5 | 1000000000000000 |  | 2026-12-31 |  |  | FALSE | 007 |",
    ]


@BOTH
def test_each_sheet_is_a_section_and_hidden_ones_say_so(make: Make, reader: Reader) -> None:
    sheets = {"Open": text_row(1, "x"), "Back": text_row(1, "y"), "None": ""}
    states = {"Back": "hidden"}
    reading = reader.read(make(xlsx(sheets, states=states), "spreadsheet"))
    assert reading.text == "## Open\n\nx\n\n## Back (hidden sheet)\n\ny\n\n## None\n"
    assert reading.notes == ("sheet Back is hidden", "empty sheets: None")


@BOTH
def test_hidden_rows_are_kept_and_marked(make: Make, reader: Reader) -> None:
    rows = (
        text_row(1, "Name", "Ward")
        + text_row(2, "Ann", "one")
        + text_row(3, "Bob", attributes=' hidden="1"')
    )
    columns = '<cols><col min="1" max="1" hidden="1"/></cols>'
    content = f"{columns}<sheetData>{rows}</sheetData>"
    reading = reader.read(make(xlsx({"A": content}), "spreadsheet"))
    assert "| Ann | one |  |\n| Bob |  | (hidden row) |" in reading.text
    assert reading.notes == (
        "sheet A: 1 hidden rows, marked",
        "sheet A: columns are hidden, and kept",
    )


@BOTH
def test_shares_errors_and_formulas_without_a_value(make: Make, reader: Reader) -> None:
    rows = (
        '<row r="3"><c r="B3" s="1"><v>0.26</v></c><c r="C3" s="2"><v>0.1234</v></c>'
        '<c r="D3" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="E3"><f>A1+1</f></c>'
        '<c r="F3"><f>A1+2</f><v></v></c><c r="G3"><f>A1</f><v>7</v></c></row>'
    )
    data = xlsx({"A": rows}, {"xl/styles.xml": STYLES})
    reading = reader.read(make(data, "spreadsheet"))
    assert "| 26% | 12.34% | #DIV/0! | 7 |" in reading.text
    assert reading.notes == ("sheet A: 2 formulas without a computed value, left empty",)


def test_an_error_without_a_word_takes_none_from_its_neighbour(make: Make) -> None:
    cells = '<c r="A1" t="e"/><c r="B1" t="e"><f>1/0</f><v>#REF!</v></c><c r="C1"><v>5</v></c>'
    text = calamine.read(make(xlsx({"A": f'<row r="1">{cells}</row>'}), "spreadsheet")).text
    assert "| #REF! | 5 |" in text


@BOTH
def test_tables_of_a_sheet_stand_apart_without_empty_pipes(make: Make, reader: Reader) -> None:
    book = library.Workbook()
    sheet = book.active
    sheet["C2"] = "Budget 2026"
    sheet.merge_cells("C2:F2")
    for place, row in enumerate(
        [["Fund", None, "Amount"], ["General", None, 10], [], ["Parks", None, 5]]
    ):
        for column, value in enumerate(row):
            sheet.cell(4 + place, 3 + column, value)
    sheet["F12"], sheet["G12"], sheet["F13"], sheet["G13"] = "Name", "Title", "Ann", "Clerk"
    text = reader.read(make(saved(book), "spreadsheet")).text
    assert text == (
        "## Sheet\n\nBudget 2026\n\n"
        "| Fund | Amount |\n| --- | --- |\n| General | 10 |\n| Parks | 5 |\n\n"
        "| Name | Title |\n| --- | --- |\n| Ann | Clerk |\n"
    )


@pytest.mark.parametrize("cell", ["# of permits", "``` x", "~~~"])
def test_a_lone_cell_is_a_paragraph_whatever_it_opens_with(make: Make, cell: str) -> None:
    data = xlsx({"A": text_row(1, cell)})
    assert calamine.read(make(data, "spreadsheet")).text == f"## A\n\n\\{cell}\n"


def test_a_sheet_without_cells_is_said(make: Make) -> None:
    book = library.Workbook()
    book.active["A1"] = 7
    book.create_chartsheet("Trend")
    reading = calamine.read(make(saved(book), "spreadsheet"))
    assert reading.text == "## Sheet\n\n7\n"
    assert reading.notes == ("sheet Trend holds no cells, and was not read",)


@BOTH
def test_comments_follow_the_sheets(make: Make, reader: Reader) -> None:
    book = library.Workbook()
    book.active["B2"] = 7
    book.active["B2"].comment = Comment("Estimated,\nnot final", "Ann")
    book.create_sheet("Next")["A1"] = 8
    text = reader.read(make(saved(book), "spreadsheet")).text
    sheets = "## Sheet\n\n7\n\n## Next\n\n8\n"
    assert text == f"{sheets}\n## Comments\n\n- Sheet B2: Estimated, not final\n"


@BOTH
def test_large_sheets_are_tab_separated_with_every_row(make: Make, reader: Reader) -> None:
    rows = "".join(text_row(n, f"a{n}", "", f"c{n}") for n in range(1, 302) if n != 250)
    lines = reader.read(make(xlsx({"A": rows}), "spreadsheet")).text.splitlines()
    assert lines[:4] == ["## A", "", "```", "a1\t\tc1"]
    assert lines[-2:] == ["a301\t\tc301", "```"]
    assert len(lines) == 304


@BOTH
def test_a_workbook_of_empty_sheets_has_no_text(make: Make, reader: Reader) -> None:
    with pytest.raises(GaveWay, match="a workbook of 2 empty sheets"):
        reader.read(make(xlsx({"One": "", "Two": '<row r="1"><c r="A1"/></row>'}), "spreadsheet"))


@BOTH
def test_an_encrypted_workbook_says_so(make: Make, reader: Reader) -> None:
    data = ole(["EncryptedPackage", "EncryptionInfo"])
    with pytest.raises(GaveWay, match="the document is encrypted"):
        reader.read(make(data, "spreadsheet"))


def test_an_opendocument_workbook_is_read(make: Make) -> None:
    cell = (
        '<table:table-cell office:value-type="{}" office:{}="{}"><text:p>{}</text:p>'
        "</table:table-cell>"
    )
    row = cell.format("string", "string-value", "Ann", "Ann") + cell.format(
        "float", "value", "42", "42.00"
    )
    body = f'<table:table table:name="A"><table:table-row>{row}</table:table-row></table:table>'
    text = calamine.read(make(odf("spreadsheet", body), "spreadsheet")).text
    assert text == "## A\n\n|  |  |\n| --- | --- |\n| Ann | 42 |\n"


def test_a_document_is_no_workbook(make: Make) -> None:
    with pytest.raises(GaveWay, match="the bytes are odt, which this reader does not take"):
        calamine.read(make(odf("text", "<text:p>x</text:p>"), "spreadsheet"))
