"""Whole PDFs through the shipped order of readers."""

from collections.abc import Callable
from types import SimpleNamespace

import pdf_inspector
import pytest
from reportlab.pdfgen.canvas import Canvas

from centinel import tools
from centinel.configuration import load_files
from centinel.readers.document import Document
from centinel.readers.outcome import Outcome
from centinel.readers.page_vote import words_of
from centinel.readers.reading import Watch, read
from tests.unit.readers.pdfs import LINES, annotation, columns, form, hidden, pdf, scan

Make = Callable[..., Document]

ORDER = ("pdf_inspector", "pdfium", "pdftotext")
LONG = (
    "The harbour was dredged in the spring of that year by a crew of nine, who found two anchors, "
    "a bell and the greater part of a steam winch in the mud beside the old cannery wharf."
)


def read_pdf(make: Make, data: bytes, order: tuple[str, ...] = ORDER) -> Outcome:
    return read(make(data, "pdf"), order)


def in_order(text: str, *parts: str) -> bool:
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def test_the_shipped_order_is_that_of_these_tests() -> None:
    pdf_readers = load_files().pipeline.reading("pdf")
    assert pdf_readers.readers == (*ORDER, "ocr")


def titled(canvas: Canvas) -> None:
    """Draws a page under a heading."""
    canvas.setFont("Helvetica-Bold", 24)
    canvas.drawString(72, 740, "Minutes of the council")
    canvas.setFont("Helvetica", 11)
    for number in range(12):
        canvas.drawString(72, 700 - 14 * number, f"{number} {LONG[:80]}")


def test_an_ordinary_document_keeps_its_headings_and_has_one_reader(make: Make) -> None:
    outcome = read_pdf(make, pdf([titled], title="Minutes of the council"))
    assert (outcome.text or "").startswith("# Minutes of the council\n")
    assert (outcome.text or "").count("Minutes of the council") == 1
    assert (outcome.reader, outcome.readers_by_page, outcome.notes) == ("pdf_inspector", (), ())


def test_a_title_stands_above_the_first_anchor_unless_the_text_opens_with_it(make: Make) -> None:
    outcome = read_pdf(make, pdf([LINES, LINES], title="Budget of 2026"))
    assert (outcome.text or "").startswith("# Budget of 2026\n\n<!-- page 1 -->\n\n")
    opens = read_pdf(make, pdf([titled, LINES], title="Minutes of the council"))
    assert (opens.text or "").startswith("<!-- page 1 -->\n\n# Minutes of the council\n")
    assert (opens.text or "").count("Minutes of the council") == 1


def test_a_page_folded_into_a_table_is_had_from_another_reader(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded = f"|{' '.join(LINES * 9)}|x|\n|---|---|"
    page = SimpleNamespace(page=0, markdown=folded, needs_ocr=False, ocr_reason=None)
    result = SimpleNamespace(pages=[page])
    monkeypatch.setattr(pdf_inspector, "extract_pages_markdown_bytes", lambda *_: result)
    outcome = read_pdf(make, pdf([LINES * 9]))
    assert (outcome.reader, outcome.recovered_by_fallback) == ("pdfium", True)
    assert outcome.notes == ("pdf_inspector: false table on page 1",)
    assert "|" not in (outcome.text or "")


def test_a_document_of_which_only_the_title_is_readable_has_no_text(make: Make) -> None:
    outcome = read_pdf(make, pdf([["Agenda"], ["Agenda"]], title="Agenda"))
    assert outcome.outcome == "underivable"
    assert "only its title came out" in (outcome.reason or "")


def test_two_columns_are_read_one_after_the_other(make: Make) -> None:
    left = [f"Left {word} of the story runs on" for word in ("one", "two", "three", "four")]
    right = [f"Right {word} of the story goes by" for word in ("one", "two", "three", "four")]
    text = read_pdf(make, pdf([columns(left * 4, right * 4)])).text or ""
    assert {"left", "right", "four"} <= set(words_of(text))
    assert in_order(text, "Left one", "Left four", "Right one")


def test_what_stands_only_in_an_annotation_or_a_field_is_read(make: Make) -> None:
    outcome = read_pdf(
        make, pdf([LINES, annotation("Approved with thanks"), form("Owner", "Marsh")])
    )
    assert in_order(
        outcome.text or "", "<!-- page 2 -->", "Approved with thanks", "<!-- page 3 -->"
    )
    assert in_order(outcome.text or "", "Owner", "Marsh")
    assert outcome.readers_by_page == ("pdf_inspector", "pdftotext", "pdf_inspector")


def test_an_encrypted_file_says_so_and_waits_for_nobody(make: Make) -> None:
    outcome = read_pdf(make, pdf([LINES], password="secret"))
    assert outcome.outcome == "underivable"
    assert (outcome.reason or "").count("encrypted, and it does not open without a password") == 3
    opened = read_pdf(make, pdf([LINES], password=""))
    assert "approved the budget" in (opened.text or "")


def test_a_damaged_table_of_places_does_not_lose_the_text(make: Make) -> None:
    data = pdf([LINES, LINES])
    start = data.rindex(b"startxref")
    broken = data[:start] + b"startxref\n99999999\n%%EOF\n"
    assert (read_pdf(make, broken).text or "").count("approved the budget") == 2


def test_a_file_that_is_cut_in_half_says_that_it_is_damaged(make: Make) -> None:
    data = pdf([LINES, LINES])
    outcome = read_pdf(make, data[: len(data) // 2])
    assert outcome.outcome == "underivable"
    assert "damaged, or no PDF" in (outcome.reason or "")


def test_empty_pages_are_counted_and_cost_nothing(make: Make) -> None:
    outcome = read_pdf(make, pdf([LINES, [], [], LINES]))
    assert outcome.notes == ("no text on pages 2-3 of 4",)
    assert "<!-- page 2 -->" not in (outcome.text or "")
    assert "<!-- page 4 -->" in (outcome.text or "")


def test_three_hundred_pages_are_read_in_order(make: Make) -> None:
    text = read_pdf(make, pdf([[f"Sheet {n} of the ledger.", LONG[:90]] for n in range(300)])).text
    assert text is not None
    assert in_order(text, *(f"Sheet {n} of" for n in range(300)))
    assert text.count("<!-- page ") == 300


def test_a_text_layer_that_the_first_reader_takes_for_scanned_is_read(make: Make) -> None:
    outcome = read_pdf(make, pdf([hidden(LINES), scan(LINES)]))
    assert outcome.readers_by_page == ()
    assert (outcome.outcome, outcome.reader) == ("text", "pdfium")
    assert "approved the budget" in (outcome.text or "")
    assert "page 2 of 2 needs OCR (scanned)" in outcome.notes
    assert "page 1 may be read badly or in part (invisible_text_layer)" in outcome.notes


def test_a_pdf_that_is_declared_as_word_names_its_scanned_pages(make: Make) -> None:
    document = make(pdf([LINES, scan(LINES)]), "document", "application/msword")
    outcome = read(document, ["anydoc"], orders={"pdf": ORDER})
    assert "approved the budget" in (outcome.text or "")
    assert "page 2 of 2 needs OCR (scanned)" in outcome.notes


@pytest.mark.parametrize("lost", ORDER)
def test_a_reader_that_died_costs_only_its_voice(make: Make, lost: str) -> None:
    watch = Watch(lost={lost: "the process was ended by SIGSEGV"})
    outcome = read(make(pdf([LINES, LINES]), "pdf"), ORDER, watch=watch)
    assert (outcome.text or "").count("approved the budget") == 2
    assert f"{lost}: the process was ended by SIGSEGV" in outcome.notes


@pytest.mark.parametrize("only", ORDER)
def test_each_reader_is_enough(make: Make, only: str) -> None:
    outcome = read_pdf(make, pdf([LINES, LINES], title="Budget"), (only,))
    assert (outcome.reader, outcome.recovered_by_fallback) == (only, False)
    assert (outcome.text or "").startswith("# Budget\n\n<!-- page 1 -->")


@pytest.mark.slow
@pytest.mark.skipif(not tools.is_installed("tesseract"), reason="tesseract is not installed")
def test_a_scanned_file_of_many_pages_is_read_page_by_page(make: Make) -> None:
    pages = [scan([f"Sheet {n} of the ledger", "is kept in the vault"]) for n in range(20)]
    outcome = read_pdf(make, pdf(pages), (*ORDER, "ocr"))
    assert in_order(outcome.text or "", *(f"Sheet {n} of the ledger" for n in range(20)))
    assert (outcome.reader, outcome.notes[0][:27]) == ("ocr", "OCR of pages 1-20 (scanned)")
