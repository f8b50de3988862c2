"""The readers of PDF: pdf_inspector for headings and tables, pdftotext for what that leaves out."""

import io
import re
from collections.abc import Iterable

from centinel.readers.document import Document, FunctionReader, GaveWay, Reading, has_text
from centinel.readers.pdf_titles import title_in_bytes
from centinel.readers.titles import sane_title

FALSE_TABLE_CELL = 300
"""Characters in one table cell above which the table is taken for a page that was folded into
one: seen on ordinary exports, with full confidence, no page flagged, and the order destroyed."""

_CELL_ENDS = re.compile(r"(?<!\\)\|")

_UNDERLINE = re.compile(r"</?u>")
"""Markdown has no underline, and the tags would stand in the words of every link."""


def read_pdf_inspector(document: Document) -> Reading:
    """Returns the pages as markdown, with a note on those that need OCR.

    Raises `GaveWay` with the library's words where it cannot open the file, and where no page has
    text, or a table is so implausible that the order of the words is doubtful.
    """
    from pdf_inspector import extract_pages_markdown_bytes

    try:
        pages = extract_pages_markdown_bytes(document.data).pages
    except ValueError as error:
        raise GaveWay(str(error)) from error
    # Pages are counted from 0 here, and from 1 by people.
    scanned = [page.page + 1 for page in pages if page.needs_ocr]
    reasons = sorted({page.ocr_reason for page in pages if page.needs_ocr and page.ocr_reason})
    why = f" ({', '.join(reasons)})" if reasons else ""
    needs = "need" if len(scanned) > 1 else "needs"
    needs_ocr = f"{_pages(scanned)} of {len(pages)} {needs} OCR{why}" if scanned else None
    text = _UNDERLINE.sub("", _joined(page.markdown for page in pages))
    if not has_text(text):
        raise GaveWay(f"no text; {needs_ocr}" if needs_ocr else f"no text on {len(pages)} pages")
    longest = _longest_cell(text)
    if longest > FALSE_TABLE_CELL:
        raise GaveWay(f"false table: a cell of {longest} characters")
    lost = text.count("\ufffd")
    encoding = f"encoding trouble: {lost} characters without a meaning" if lost else None
    return Reading(text, _title(document.data), tuple(n for n in (needs_ocr, encoding) if n))


def read_pdftotext(document: Document) -> Reading:
    """Returns the pages as plain text, with a note on those without any.

    Raises `GaveWay` with poppler's words where the file is encrypted or damaged, and where no page
    has text.
    """
    import pdftotext

    try:
        pages = [page.replace("\f", "") for page in pdftotext.PDF(io.BytesIO(document.data))]
    except pdftotext.Error as error:
        raise GaveWay(str(error) or type(error).__name__) from error
    empty = [number for number, page in enumerate(pages, 1) if not has_text(page)]
    text = _joined(pages)
    if not has_text(text):
        raise GaveWay(f"no text on {len(pages)} pages")
    note = (f"no text on {_pages(empty)} of {len(pages)}",) if empty else ()
    return Reading(text, title_in_bytes(document.data), note)


def _joined(pages: Iterable[str]) -> str:
    return "\n\n".join(page.strip("\n") for page in pages if has_text(page))


def _pages(numbers: list[int]) -> str:
    """Returns "page 3" or "pages 1-3, 7": a scanned book of 400 pages is one range."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1][-1] = number
        else:
            ranges.append([number, number])
    parts = [f"{low}-{high}" if high > low else f"{low}" for low, high in ranges]
    return f"page{'s' if len(numbers) > 1 else ''} {', '.join(parts)}"


def _longest_cell(markdown: str) -> int:
    """Returns the length of the longest cell of the tables in `markdown`, 0 where there is none."""
    rows = (line for line in markdown.splitlines() if line.lstrip().startswith("|"))
    return max((len(cell.strip()) for row in rows for cell in _CELL_ENDS.split(row)), default=0)


def _title(data: bytes) -> str | None:
    """Returns the title of a file that pdf_inspector has read already; takes 1.4 ms."""
    from pdf_inspector import detect_pdf_bytes

    try:
        return sane_title(detect_pdf_bytes(data).title)
    except ValueError:
        return None


pdf_inspector = FunctionReader(
    "pdf_inspector",
    frozenset({"pdf"}),
    read_pdf_inspector,
    "pdf-inspector",
    ("pdf_inspector",),
    "pip install 'pdf-inspector>=1.25,<2'",
)
pdftotext = FunctionReader(
    "pdftotext",
    frozenset({"pdf"}),
    read_pdftotext,
    "pdftotext",
    ("pdftotext",),
    "apt-get install libpoppler-cpp-dev pkg-config g++ && pip install pdftotext",
)

READERS = (pdf_inspector, pdftotext)
