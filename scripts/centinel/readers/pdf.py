"""The readers of PDF, page by page: pdf_inspector for headings and tables, pdfium and pdftotext to
confirm it or to stand in for it."""

import io
import re

from centinel.readers.document import Document
from centinel.readers.pages import PagedFunctionReader, Pages
from centinel.readers.pdf_titles import title_in_bytes
from centinel.readers.pdfium import not_opened, read_pdfium
from centinel.readers.titles import sane_title

_UNDERLINE = re.compile(r"</?u>")
"""Markdown has no underline, and the tags would stand in the words of every link."""


def read_pdf_inspector(document: Document, wanted: tuple[int, ...] | None) -> Pages:
    """Returns the pages as markdown, and those that it takes for scanned or garbled.

    Raises `GaveWay` with the library's words where it cannot open the file.
    """
    from pdf_inspector import extract_pages_markdown_bytes

    # Pages are counted from 0 here, and from 1 by people.
    numbers = None if wanted is None else [number - 1 for number in wanted]
    try:
        found = extract_pages_markdown_bytes(document.data, numbers).pages
    except ValueError as error:
        raise not_opened(str(error)) from error
    texts = [""] * (max((page.page for page in found), default=-1) + 1)
    for page in found:
        texts[page.page] = _UNDERLINE.sub("", page.markdown)
    # Without a reason nothing is on the page that could be read: it is blank, or a drawing.
    unread = tuple(
        (page.page + 1, page.ocr_reason) for page in found if page.needs_ocr and page.ocr_reason
    )
    return Pages(tuple(texts), _title(document.data), unread=unread)


def read_pdftotext(document: Document, wanted: tuple[int, ...] | None) -> Pages:
    """Returns the pages as plain text, with what forms and annotations show on them.

    Raises `GaveWay` with poppler's words where the file is encrypted or damaged.
    """
    import pdftotext

    try:
        pages = pdftotext.PDF(io.BytesIO(document.data))
        texts = tuple(
            pages[index].replace("\f", "") if wanted is None or index + 1 in wanted else ""
            for index in range(len(pages))
        )
    except pdftotext.Error as error:
        raise not_opened(str(error) or type(error).__name__) from error
    return Pages(texts, title_in_bytes(document.data))


def _title(data: bytes) -> str | None:
    """Returns the title of a file that pdf_inspector has read already; takes 1.4 ms."""
    from pdf_inspector import detect_pdf_bytes

    try:
        return sane_title(detect_pdf_bytes(data).title)
    except ValueError:
        return None


_KINDS = frozenset({"pdf"})

pdf_inspector = PagedFunctionReader(
    "pdf_inspector",
    _KINDS,
    read_pdf_inspector,
    "pdf-inspector",
    ("pdf_inspector",),
    "pip install 'pdf-inspector>=1.25,<2'",
    is_markdown=True,
)
pdfium = PagedFunctionReader(
    "pdfium",
    _KINDS,
    read_pdfium,
    "pypdfium2",
    ("pypdfium2",),
    "pip install 'pypdfium2>=5,<6'",
)
pdftotext = PagedFunctionReader(
    "pdftotext",
    _KINDS,
    read_pdftotext,
    "pdftotext",
    ("pdftotext",),
    "apt-get install libpoppler-cpp-dev pkg-config g++ && pip install pdftotext",
)

READERS = (pdf_inspector, pdfium, pdftotext)
