import io
from collections.abc import Callable

import docx as python_docx
import pptx
import pytest

from centinel.readers.document import Document, GaveWay, HoldsNothing, Reader
from centinel.readers.encryption import is_encrypted
from centinel.readers.office import anydoc, xberg
from tests.unit.readers.packages import docx, odf, ole, paragraph, xlsx, zip_of

Make = Callable[..., Document]
BOTH = pytest.mark.parametrize("reader", [anydoc, xberg], ids=lambda reader: reader.name)
ROW = '<row r="1"><c r="A1"><v>1</v></c></row>'


def word() -> bytes:
    document = python_docx.Document()
    document.core_properties.title = "Agenda of May"
    document.add_heading("Items", 1)
    document.add_paragraph("The council meets.")
    document.add_paragraph("Budget", style="List Bullet")
    document.add_paragraph("Parks", style="List Bullet")
    table = document.add_table(2, 2)
    for place, text in enumerate(["Name", "Vote", "Ann", "yes"]):
        table.cell(place // 2, place % 2).text = text
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def slides() -> bytes:
    deck = pptx.Presentation()
    for title, text in (("Plan", "Roads first"), ("Cost", "Ten million")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


@BOTH
def test_a_word_document_keeps_its_structure(make: Make, reader: Reader) -> None:
    reading = reader.read(make(word(), "document"))
    assert reading.title == "Agenda of May"
    assert [line for line in reading.text.splitlines() if line] == [
        "# Items",
        "The council meets.",
        "- Budget",
        "- Parks",
        "| Name | Vote |",
        "| --- | --- |",
        "| Ann | yes |",
    ]


@BOTH
def test_slides_are_sections(make: Make, reader: Reader) -> None:
    text = reader.read(make(slides(), "document")).text
    lines = [line.lstrip("#- ") for line in text.splitlines() if line.strip("-")]
    assert lines == ["Plan", "Roads first", "Cost", "Ten million"]
    assert "## Plan" in text


@BOTH
@pytest.mark.parametrize(
    "data",
    [
        docx(paragraph("The council meets.")),
        odf("text", "<text:p>The council meets.</text:p>"),
        rb"{\rtf1\ansi{\info{\title Agenda}}\pard The council meets.\par}",
    ],
    ids=["docx", "odt", "rtf"],
)
def test_each_format_is_told_by_its_bytes(make: Make, reader: Reader, data: bytes) -> None:
    assert reader.read(make(data, "document")).text.strip() == "The council meets."


@BOTH
def test_an_encrypted_document_says_so(make: Make, reader: Reader) -> None:
    with pytest.raises(GaveWay, match="the document is encrypted"):
        reader.read(make(ole(["EncryptedPackage", "EncryptionInfo"]), "document"))


def locked_slides() -> bytes:
    user = b"\0\0\xf6\x0f\x20\0\0\0\x14\0\0\0\xdf\xc4\xd1\xf3"
    return ole(["PowerPoint Document", "Current User"], user)


def locked_word(flags: bytes) -> bytes:
    block = b"\xec\xa5\xc1\0" + bytes(6) + flags + bytes(500)
    return ole(["WordDocument", "1Table", "Data"], block)


@BOTH
@pytest.mark.parametrize(
    "data",
    [
        locked_word(b"\0\x01"),
        locked_slides(),
        odf("text", "", {"META-INF/manifest.xml": "<m><encryption-data/></m>"}),
    ],
    ids=["doc", "ppt", "odt"],
)
def test_bytes_that_are_encrypted_are_not_read_as_text(
    make: Make, reader: Reader, data: bytes
) -> None:
    with pytest.raises(HoldsNothing, match="the document is encrypted"):
        reader.read(make(data, "document"))


def test_an_open_word_document_is_not_taken_for_an_encrypted_one(make: Make) -> None:
    assert not is_encrypted(make(locked_word(b"\xf0\x12"), "document"), "doc")
    assert not is_encrypted(make(ole(["WordDocument"]), "document"), "doc")


@BOTH
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xffWPC\x10\x00\x00\x00", "WordPerfect: no reader takes this format"),
        (b"%!PS-Adobe-3.0\n", "PostScript: no reader takes this format"),
        (zip_of({"plan.dwg": b"AC1027"}), "the bytes are zip, no office document"),
        (ole(["Contents"]), "the bytes are ole, no office document"),
        (b"%PDF-1.7", "the bytes are pdf, no office document"),
        (b"\x00\x01\x02", "the bytes are of no known format, no office document"),
    ],
)
def test_what_is_not_read_says_so(make: Make, reader: Reader, data: bytes, reason: str) -> None:
    with pytest.raises(GaveWay, match=reason):
        reader.read(make(data, "document"))


@BOTH
def test_a_document_without_text_has_none(make: Make, reader: Reader) -> None:
    with pytest.raises(GaveWay):
        reader.read(make(docx("<w:p/>"), "document"))


@pytest.mark.parametrize(
    ("markdown", "reason"),
    [
        ("![](data:image/png;base64,AAAA)\n\n![A seal](image1.png)", "nothing but 2 images"),
        ('<a id="top"></a>\n', "no text|only"),
    ],
)
def test_images_and_anchors_are_no_text(
    make: Make, monkeypatch: pytest.MonkeyPatch, markdown: str, reason: str
) -> None:
    monkeypatch.setattr("anydoc.to_markdown_bytes", lambda _: markdown)
    with pytest.raises(GaveWay, match=reason):
        anydoc.read(make(docx(paragraph("x")), "document"))


def test_an_image_leaves_its_description(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    markdown = 'Below:\n\n![The town seal](image1.png "x")<a id="seal"></a>'
    monkeypatch.setattr("anydoc.to_markdown_bytes", lambda _: markdown)
    assert anydoc.read(make(docx(paragraph("x")), "document")).text == "Below:\n\nThe town seal"


def test_the_names_of_empty_sheets_are_no_text(make: Make) -> None:
    with pytest.raises(GaveWay, match=r"only the names of sheets|no text"):
        anydoc.read(make(xlsx({"One": "", "Two": ""}), "spreadsheet"))


def test_a_workbook_says_that_its_values_are_as_shown(make: Make) -> None:
    reading = anydoc.read(make(xlsx({"A": ROW}), "spreadsheet"))
    assert "| 1 |" in reading.text
    assert reading.notes == (
        "values as they are shown, rounded; hidden sheets and rows are left out",
    )
