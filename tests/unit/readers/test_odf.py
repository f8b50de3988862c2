import io
from collections.abc import Callable

import pytest
from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
from odf.table import Table, TableCell, TableRow
from odf.text import H, List, ListItem, P

from centinel.readers import odf as reader_of_odf
from centinel.readers.document import Document, GaveWay
from centinel.readers.odf import odfpy
from tests.unit.readers.packages import docx, odf, paragraph

Make = Callable[..., Document]


def text_cell(text: str, times: int = 1) -> str:
    """Returns a cell with this text, or an empty one, so many times."""
    repeated = f' table:number-columns-repeated="{times}"' if times > 1 else ""
    inside = f"<text:p>{text}</text:p>" if text else ""
    return f"<table:table-cell{repeated}>{inside}</table:table-cell>"


def sheet(*rows: str) -> bytes:
    return odf("spreadsheet", f'<table:table table:name="A">{"".join(rows)}</table:table>')


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row{attributes}>{''.join(cells)}</table:table-row>"


def test_a_text_keeps_its_headings_lists_and_tables(make: Make) -> None:
    document = OpenDocumentText()
    document.text.addElement(H(outlinelevel=2, text="Items"))
    document.text.addElement(P(text="The council meets."))
    outer, inner = List(), List()
    for target, texts in ((inner, ["Roads"]), (outer, ["Budget", "Parks"])):
        for text in texts:
            item = ListItem()
            item.addElement(P(text=text))
            target.addElement(item)
    outer.lastChild.addElement(inner)
    document.text.addElement(outer)
    table = Table()
    for texts in (["Name", "Vote"], ["Ann", "yes"]):
        line = TableRow()
        for text in texts:
            cell = TableCell()
            cell.addElement(P(text=text))
            line.addElement(cell)
        table.addElement(line)
    document.text.addElement(table)
    stream = io.BytesIO()
    document.write(stream)
    assert odfpy.read(make(stream.getvalue(), "document")).text == (
        "## Items\n\nThe council meets.\n\n- Budget\n- Parks\n  - Roads\n\n"
        "| Name | Vote |\n| --- | --- |\n| Ann | yes |"
    )


def test_inline_marks_become_text(make: Make) -> None:
    body = (
        '<text:p>See<text:s text:c="3"/><text:a xmlns:x="http://www.w3.org/1999/xlink"'
        ' x:href="http://a.example/b">the <text:span>plan</text:span></text:a>'
        "<text:tab/>now<text:line-break/>twice"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body>"
        "<text:p>A note.</text:p></text:note-body></text:note></text:p>"
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
    )
    text = odfpy.read(make(odf("text", body), "document")).text
    assert text == "See [the plan](http://a.example/b) now twice1 (A note.)"


def test_slides_and_their_notes_are_read(make: Make) -> None:
    body = (
        "<draw:page><draw:frame><draw:text-box><text:p>Plan</text:p></draw:text-box></draw:frame>"
        "</draw:page><draw:page><draw:frame><draw:text-box><text:list><text:list-item>"
        "<text:p>Roads</text:p></text:list-item></text:list></draw:text-box></draw:frame>"
        "</draw:page>"
    )
    assert odfpy.read(make(odf("presentation", body), "document")).text == "Plan\n\n- Roads"


def test_a_workbook_is_read_with_dates_hidden_rows_and_repeats(make: Make) -> None:
    document = OpenDocumentSpreadsheet()
    table = Table(name="Permits")
    header = TableRow()
    for text in ("Name", "Day"):
        cell = TableCell()
        cell.addElement(P(text=text))
        header.addElement(cell)
    table.addElement(header)
    line = TableRow(numberrowsrepeated=2, visibility="collapse")
    named = TableCell()
    named.addElement(P(text="Ann"))
    dated = TableCell(valuetype="date", datevalue="2026-05-01")
    dated.addElement(P(text="1 May"))
    line.addElement(named)
    line.addElement(dated)
    table.addElement(line)
    document.spreadsheet.addElement(table)
    stream = io.BytesIO()
    document.write(stream)
    reading = odfpy.read(make(stream.getvalue(), "spreadsheet"))
    assert reading.text.splitlines()[-2:] == ["| Ann | 2026-05-01 | (hidden row) |"] * 2
    assert reading.notes == ("sheet Permits: 2 hidden rows, marked",)


def test_empty_repeats_cost_nothing(make: Make) -> None:
    data = sheet(
        row(text_cell("x"), text_cell("", 16_000), text_cell("y")),
        row(text_cell("", 16_384), attributes=' table:number-rows-repeated="1048575"'),
        row(text_cell("z")),
    )
    assert "| x | y |" in odfpy.read(make(data, "spreadsheet")).text


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (
            row(text_cell("x", 100), attributes=' table:number-rows-repeated="1048576"'),
            "a table of more than 1,000,000 cells",
        ),
        (row(text_cell("x", 2_000_000_000)), "a row of more than 16,384 cells"),
        (row(text_cell("", 2_000_000_000), text_cell("x")), "a row of more than 16,384 cells"),
    ],
)
def test_repeats_of_what_is_filled_are_bounded(make: Make, rows: str, reason: str) -> None:
    with pytest.raises(GaveWay, match=reason):
        odfpy.read(make(sheet(rows), "spreadsheet"))


def test_spaces_are_not_counted_out(make: Make) -> None:
    body = '<text:p>a<text:s text:c="2000000000"/>b</text:p>'
    assert odfpy.read(make(odf("text", body), "document")).text == "a b"


def test_deep_nesting_gives_way(make: Make) -> None:
    body = "<text:section>" * 20_000 + "<text:p>x</text:p>" + "</text:section>" * 20_000
    with pytest.raises(GaveWay, match="nested too deeply"):
        odfpy.read(make(odf("text", body), "document"))


def test_too_much_content_gives_way(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_of_odf, "_LARGEST_CONTENT", 1000)
    with pytest.raises(GaveWay, match="its content is over"):
        odfpy.read(make(odf("text", "<text:p>x</text:p>" * 100), "document"))


def test_an_encrypted_file_says_so(make: Make) -> None:
    manifest = "<manifest><encryption-data checksum-type='SHA1'/></manifest>"
    data = odf("text", "", {"META-INF/manifest.xml": manifest})
    with pytest.raises(GaveWay, match="the document is encrypted"):
        odfpy.read(make(data, "document"))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (docx(paragraph("x")), "the bytes are docx, no OpenDocument file"),
        (odf("text", "<text:p> </text:p>"), "no text in its paragraphs"),
        (sheet(row(text_cell(""))), "a workbook of 1 empty sheets"),
    ],
)
def test_what_holds_nothing_for_it_gives_way(make: Make, data: bytes, reason: str) -> None:
    with pytest.raises(GaveWay, match=reason):
        odfpy.read(make(data, "document"))
