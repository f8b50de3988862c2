from collections.abc import Callable
from types import SimpleNamespace

import pdf_inspector as library
import pytest

from centinel.readers.document import Document, GaveWay, HoldsNothing, Reader
from centinel.readers.pages import PagedReader
from centinel.readers.pdf import pdf_inspector, pdfium, pdftotext
from centinel.readers.pdf_titles import title_in_bytes
from tests.unit.readers.pdfs import LINES, annotation, form, pdf, scan

Make = Callable[..., Document]

EACH = [pdf_inspector, pdfium, pdftotext]
READERS = pytest.mark.parametrize("reader", EACH, ids=lambda r: r.name)


@READERS
def test_pages_are_read_in_order_without_form_feeds(make: Make, reader: Reader) -> None:
    data = pdf([["First page of the minutes."], ["Second page of the minutes."]])
    text = reader.read(make(data, "pdf")).text
    assert text.index("First page") < text.index("<!-- page 2 -->") < text.index("Second page")
    assert "\f" not in text
    assert "\r" not in text


@READERS
def test_only_wanted_pages_are_read(make: Make, reader: PagedReader) -> None:
    document = make(pdf([["First of all."], ["Second of all."], ["Third of all."]]), "pdf")
    texts = reader.read_pages(document, (2,)).texts
    assert ["Second" in text for text in texts[:2]] == [False, True]
    assert not "".join(texts[2:]).strip()


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
    make: Make, reader: PagedReader, title: str, expected: str | None
) -> None:
    assert reader.read_pages(make(pdf([LINES], title), "pdf")).title == expected


@READERS
def test_an_encrypted_file_is_told_from_a_damaged_one(make: Make, reader: PagedReader) -> None:
    with pytest.raises(GaveWay, match=r"^encrypted, and it does not open without a password \(\w"):
        reader.read_pages(make(pdf([LINES], password="secret"), "pdf"))
    with pytest.raises(GaveWay, match=r"^damaged, or no PDF \(\w"):
        reader.read_pages(make(b"%PDF-1.4\nnothing here", "pdf"))


@READERS
def test_an_encrypted_file_that_opens_without_a_password_is_read(
    make: Make, reader: PagedReader
) -> None:
    texts = reader.read_pages(make(pdf([LINES], password=""), "pdf")).texts
    assert "approved the budget" in texts[0]


@pytest.mark.parametrize("reader", [pdf_inspector, pdfium], ids=lambda r: r.name)
def test_pages_without_anything_to_read_are_no_reason_to_wait(make: Make, reader: Reader) -> None:
    with pytest.raises(HoldsNothing, match=r"^no text on pages 1-2 of 2$"):
        reader.read(make(pdf([[], []]), "pdf"))


def test_a_reader_that_does_not_look_for_pictures_does_not_say_that_there_are_none(
    make: Make,
) -> None:
    with pytest.raises(GaveWay, match=r"^no text on pages 1-2 of 2$") as gave_way:
        pdftotext.read(make(pdf([[], []]), "pdf"))
    assert not isinstance(gave_way.value, HoldsNothing)


@pytest.mark.parametrize("reader", [pdf_inspector, pdfium], ids=lambda r: r.name)
def test_scanned_pages_are_told_from_blank_ones(make: Make, reader: PagedReader) -> None:
    document = make(pdf([LINES, scan(["Seen"]), []]), "pdf")
    unread = reader.read_pages(document).unread
    assert unread is not None
    assert [number for number, _ in unread] == [2]


@READERS
def test_the_value_of_a_field_is_read(make: Make, reader: PagedReader) -> None:
    texts = reader.read_pages(make(pdf([form("Name", "Adelaide Marsh")]), "pdf")).texts
    assert "Name" in texts[0]
    assert "Adelaide Marsh" in texts[0]


def test_what_lies_over_a_page_is_known_as_such(make: Make) -> None:
    pages = pdfium.read_pages(make(pdf([LINES, form("Name", "Adelaide Marsh")]), "pdf"))
    assert pages.beside == ((2, "Adelaide Marsh"),)


def test_a_text_that_is_only_laid_over_the_page_is_read(make: Make) -> None:
    assert "Read me" in pdftotext.read(make(pdf([annotation("Read me")]), "pdf")).text


def test_hyphens_that_the_end_of_a_line_made_join_their_word(make: Make) -> None:
    lines = ["It was said that the coun-", "cil would vote on the harbour."]
    text = pdfium.read(make(pdf([lines]), "pdf")).text
    assert not {"\x02", "\ufffe"} & set(text)


def page(number: int, markdown: str, reason: str | None = None) -> SimpleNamespace:
    needs = reason is not None
    return SimpleNamespace(page=number, markdown=markdown, needs_ocr=needs, ocr_reason=reason)


def answer(monkeypatch: pytest.MonkeyPatch, *pages: SimpleNamespace) -> None:
    """Makes the library answer with these pages."""
    result = SimpleNamespace(pages=list(pages))
    monkeypatch.setattr(library, "extract_pages_markdown_bytes", lambda *_: result)


def test_pages_that_need_ocr_are_noted_as_ranges_from_one(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = [page(number, "", "scanned") for number in (1, 2, 3, 5)]
    answer(monkeypatch, page(0, "Text"), *scans, page(4, ""))
    reading = pdf_inspector.read(make(pdf([LINES]), "pdf"))
    assert reading.text == "<!-- page 1 -->\n\nText"
    assert reading.notes == ("pages 2-4, 6 of 6 need OCR (scanned)", "no text on page 5 of 6")


def test_only_scanned_pages_give_way_naming_them(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, page(0, "", "no_text"))
    with pytest.raises(GaveWay, match=r"^no text; page 1 of 1 needs OCR \(no_text\)$"):
        pdf_inspector.read(make(pdf([LINES]), "pdf"))


def test_encoding_trouble_is_noted_and_underlines_are_dropped(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(monkeypatch, page(0, "<u>Vote</u> of \ufffd\ufffd"))
    reading = pdf_inspector.read(make(pdf([LINES]), "pdf"))
    assert reading.text == "Vote of \ufffd\ufffd"
    assert reading.notes == ("encoding trouble: 2 characters without a meaning",)


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
