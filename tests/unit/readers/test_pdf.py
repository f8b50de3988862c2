import io
from collections.abc import Callable
from types import SimpleNamespace

import pdf_inspector as library
import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from centinel.readers.document import Document, GaveWay, Reader
from centinel.readers.pdf import pdf_inspector, pdftotext
from centinel.readers.pdf_titles import title_in_bytes

Make = Callable[..., Document]


def pdf(pages: list[list[str]], title: str | None = None, password: str | None = None) -> bytes:
    """Returns a PDF of lines a page; a page without lines holds a drawing."""
    buffer = io.BytesIO()
    encryption = StandardEncryption(password) if password else None
    canvas = Canvas(buffer, encrypt=encryption)
    if title is not None:
        canvas.setTitle(title)
    for lines in pages:
        if not lines:
            canvas.rect(100, 100, 300, 300, fill=1)
        for number, line in enumerate(lines):
            canvas.drawString(72, 760 - 16 * number, line)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


READERS = pytest.mark.parametrize("reader", [pdf_inspector, pdftotext], ids=lambda r: r.name)
LINES = ["The council approved the budget.", "The vote was five to two."]


@READERS
def test_pages_are_read_in_order_without_form_feeds(make: Make, reader: Reader) -> None:
    data = pdf([["First page of the minutes."], ["Second page of the minutes."]])
    text = reader.read(make(data, "pdf")).text
    assert text.index("First page") < text.index("Second page")
    assert "\n\n" in text
    assert "\f" not in text


@READERS
@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Minutes of 3 May", "Minutes of 3 May"),
        ("Microsoft Word - x.doc", None),
        ("untitled", None),
    ],
)
def test_the_title_is_what_a_person_wrote(
    make: Make, reader: Reader, title: str, expected: str | None
) -> None:
    assert reader.read(make(pdf([LINES], title), "pdf")).title == expected


@READERS
def test_an_encrypted_file_gives_way_with_the_words_of_the_library(
    make: Make, reader: Reader
) -> None:
    with pytest.raises(GaveWay, match=r"(?i)encrypted|unlock"):
        reader.read(make(pdf([LINES], password="secret"), "pdf"))


@READERS
def test_a_damaged_file_gives_way(make: Make, reader: Reader) -> None:
    with pytest.raises(GaveWay, match=r"\w"):
        reader.read(make(b"%PDF-1.4\nnothing here", "pdf"))


@READERS
def test_pages_without_text_give_way_with_their_number(make: Make, reader: Reader) -> None:
    with pytest.raises(GaveWay, match=r"no text.*2"):
        reader.read(make(pdf([[], []]), "pdf"))


def page(number: int, markdown: str, reason: str | None = None) -> SimpleNamespace:
    needs = reason is not None
    return SimpleNamespace(page=number, markdown=markdown, needs_ocr=needs, ocr_reason=reason)


def answer(monkeypatch: pytest.MonkeyPatch, *pages: SimpleNamespace) -> None:
    """Makes the library answer with these pages."""
    result = SimpleNamespace(pages=list(pages))
    monkeypatch.setattr(library, "extract_pages_markdown_bytes", lambda _: result)


def test_pages_that_need_ocr_are_noted_as_ranges_from_one(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = [page(number, "", "scanned") for number in (1, 2, 3, 6)]
    answer(monkeypatch, page(0, "Text"), *scans)
    reading = pdf_inspector.read(make(pdf([LINES]), "pdf"))
    assert reading.text == "Text"
    assert reading.notes == ("pages 2-4, 7 of 5 need OCR (scanned)",)


def test_only_scanned_pages_give_way_naming_them(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, page(0, "", "no_text"))
    with pytest.raises(GaveWay, match=r"^no text; page 1 of 1 needs OCR \(no_text\)$"):
        pdf_inspector.read(make(pdf([LINES]), "pdf"))


def test_a_false_table_gives_way(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, page(0, f"|a|{'b' * 301}|\n|---|---|"))
    with pytest.raises(GaveWay, match="false table: a cell of 301 characters"):
        pdf_inspector.read(make(pdf([LINES]), "pdf"))


def test_a_long_line_outside_a_table_is_no_false_table(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, page(0, "word " * 100 + "\n\n|a \\| b|c|"))
    assert pdf_inspector.read(make(pdf([LINES]), "pdf")).text.endswith("|a \\| b|c|")


def test_encoding_trouble_is_noted_and_underlines_are_dropped(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, page(0, "<u>Vote</u> of \ufffd\ufffd"))
    reading = pdf_inspector.read(make(pdf([LINES]), "pdf"))
    assert reading.text == "Vote of \ufffd\ufffd"
    assert reading.notes == ("encoding trouble: 2 characters without a meaning",)


def test_pdftotext_notes_the_pages_without_text(make: Make) -> None:
    reading = pdftotext.read(make(pdf([LINES, [], []]), "pdf"))
    assert reading.notes == ("no text on pages 2-3 of 3",)


@pytest.mark.parametrize(
    ("information", "title"),
    [
        (b"/Title(Vote (final) d\\351cid\\\n\\351)", "Vote (final) décidé"),
        (b"/Title <FEFF00e9 0074 0065>", "éte"),
        (b"/Title(\\8 days)", "8 days"),
        (b"/Author(x)", None),
    ],
)
def test_a_title_is_found_without_opening_the_file(information: bytes, title: str | None) -> None:
    data = b"5 0 obj<<" + information + b">>endobj trailer<</Info 5 0 R>>"
    assert title_in_bytes(data) == title
    assert title_in_bytes(data + b"/Encrypt 9 0 R") is None


def test_a_title_is_found_in_the_packet() -> None:
    packet = b"<dc:title><rdf:Alt><rdf:li xml:lang='x'>A &amp; B</rdf:li></rdf:Alt></dc:title>"
    assert title_in_bytes(packet) == "A & B"
