import zipfile
from collections.abc import Callable

import pytest

from centinel.readers import salvage
from centinel.readers.document import Document, GaveWay
from centinel.readers.reading import read
from centinel.readers.salvage import zip_salvage
from tests.unit.readers.packages import docx, odf, ole, paragraph, xlsx, zip_of

Make = Callable[..., Document]

DOCUMENT = ["anydoc", "xberg", "odfpy", "zip_salvage"]
SPREADSHEET = ["calamine", "openpyxl", "anydoc", "odfpy", "zip_salvage"]
ROWS = '<row r="1"><c r="A1"><v>42</v></c></row>'
LONG = docx("".join(paragraph(f"Item {n} of the agenda {n * 7919}") for n in range(400)))


def without_directory(data: bytes) -> bytes:
    return data[: data.rfind(b"PK\x01\x02")][: data.find(b"PK\x01\x02")]


@pytest.mark.parametrize(
    ("data", "kind", "order", "text"),
    [
        (docx(paragraph("The council meets.")), "document", DOCUMENT, "The council meets."),
        (odf("text", "<text:p>Der Rat tagt.</text:p>"), "document", DOCUMENT, "Der Rat tagt."),
        (xlsx({"Permits": ROWS}), "spreadsheet", SPREADSHEET, "## Permits\n\n42"),
    ],
    ids=["docx", "odt", "xlsx"],
)
def test_a_zip_without_its_directory_is_read_all_the_same(
    make: Make, data: bytes, kind: str, order: list[str], text: str
) -> None:
    outcome = read(make(without_directory(data), kind), order)
    assert outcome.text == f"{text}\n"
    assert outcome.reader == "zip_salvage"
    assert outcome.recovered_by_fallback
    assert outcome.notes[-1].startswith("the file is damaged: ")
    assert outcome.notes[-1].endswith("of its parts were recovered; text may be missing")


def test_a_document_that_breaks_off_inside_its_text_is_read_up_to_there(make: Make) -> None:
    start = LONG.find(b"word/document.xml")
    reading = zip_salvage.read(make(LONG[: start + (len(LONG) - start) // 2], "document"))
    assert "Item 100 of the agenda 791900" in reading.text
    assert "Item 399" not in reading.text
    assert reading.notes == (
        "the file is damaged: 2 of its parts were recovered, and 1 in part; text may be missing",
    )


def test_a_damaged_part_is_mended_as_far_as_it_can_be_parsed(make: Make) -> None:
    body = paragraph("First.") + "<w:p><w:r><w:t>Second & third</w:t></w:r>"
    reading = zip_salvage.read(make(without_directory(docx(body)), "document"))
    assert reading.text == "First.\n\nSecond  third\n"


def test_the_title_of_a_damaged_document_is_kept(make: Make) -> None:
    parts = {"docProps/core.xml": "<p><dc:title xmlns:dc='d'>Agenda of May</dc:title></p>"}
    data = without_directory(docx(paragraph("The council meets."), parts))
    assert zip_salvage.read(make(data, "document")).title == "Agenda of May"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (docx(paragraph("x")), "the zip is not damaged"),
        (ole(["WordDocument"]), "the bytes are doc, no zip"),
        (docx(paragraph("x"))[:20], "no office document"),
        (without_directory(zip_of({"a.jpg": b"\xff\xd8"})), "no office document"),
    ],
)
def test_what_cannot_be_mended_gives_way(make: Make, data: bytes, reason: str) -> None:
    with pytest.raises(GaveWay, match=reason):
        zip_salvage.read(make(data, "document"))


def test_a_damaged_bomb_is_not_unpacked(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(salvage, "_MOST_BYTES", 1 << 20)
    bomb = without_directory(docx("", {"word/media.xml": bytes(64 << 20)}))
    with pytest.raises(GaveWay, match="unpacks to more than 1 MiB"):
        zip_salvage.read(make(bomb, "document"))


def test_entries_that_are_packed_otherwise_are_left_out(make: Make) -> None:
    data = without_directory(zip_of({"word/document.xml": "x" * 1000}, zipfile.ZIP_LZMA))
    with pytest.raises(GaveWay, match="no part of the damaged zip can be unpacked"):
        zip_salvage.read(make(data, "document"))
