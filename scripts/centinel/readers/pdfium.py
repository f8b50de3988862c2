"""The reader of PDF by PDFium: plain text in the order of the page, and what lies over the page.

PDFium's text of a page leaves out what forms and annotations show; it is had by flattening them
into the page, of which a second text is then taken.
"""

import logging
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from centinel.readers.document import Document, GaveWay
from centinel.readers.pages import Pages
from centinel.readers.titles import sane_title

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

PICTURE_SHARE = 0.05
"""Share of a page without text that a picture covers where the page is taken for scanned: a strip
of a few lines, and no emblem."""

MOST_OBJECTS = 2000
"""Of a page that are looked at for pictures; a scan has one, or a few strips."""

FEW_CHARACTERS = 10
"""Below which a page is looked at for pictures."""

_HYPHEN = re.compile("[\x02\ufffe\u00ad](?:\r?\n)?")
"""What PDFium writes for a hyphen that only the end of the line put there."""

_LINE_END = re.compile("\r\n?")
_PASSWORD = re.compile(r"encrypt|unlock|password", re.IGNORECASE)


def read_pdfium(document: Document, wanted: tuple[int, ...] | None) -> Pages:
    """Returns the pages as plain text, and those without text that a picture covers.

    Raises `GaveWay` with PDFium's words where the file is encrypted or damaged.
    """
    with opened(document) as pdf:
        sheets = [
            _sheet(pdf, index) if wanted is None or index + 1 in wanted else _Sheet()
            for index in range(len(pdf))
        ]
        title = sane_title(pdf.get_metadata_value("Title"))
    return Pages(
        tuple(sheet.text for sheet in sheets),
        title,
        tuple(sheet.fault for sheet in sheets if sheet.fault),
        tuple((number, "a picture") for number, sheet in enumerate(sheets, 1) if sheet.has_picture),
        tuple((number, line) for number, sheet in enumerate(sheets, 1) for line in sheet.laid_over),
    )


@contextmanager
def opened(document: Document) -> Iterator["PdfDocument"]:
    """Gives a PDF that is open, with its forms; raises `GaveWay` where it does not open."""
    from pypdfium2 import PdfDocument, PdfiumError

    logging.getLogger("pypdfium2").setLevel(logging.ERROR)  # it warns of every XFA form
    try:
        pdf = PdfDocument(document.data)
    except PdfiumError as error:
        raise not_opened(str(error)) from error
    try:
        with suppress(PdfiumError):  # without its forms it is still a document
            pdf.init_forms()
        yield pdf
    finally:
        pdf.close()


@dataclass(frozen=True)
class _Sheet:
    """What one page has."""

    text: str = ""
    laid_over: tuple[str, ...] = ()
    """Lines of forms and annotations, which stand in `text` too."""
    has_picture: bool = False
    """A picture stands where text does not."""
    fault: str | None = None


def not_opened(said: str) -> GaveWay:
    """Returns why a library could not open a file: encrypted ones are told from damaged ones."""
    if _PASSWORD.search(said):
        return GaveWay(f"encrypted, and it does not open without a password ({said})")
    return GaveWay(f"damaged, or no PDF ({said})")


def _sheet(pdf: "PdfDocument", index: int) -> _Sheet:
    from pypdfium2 import PdfiumError

    try:
        page = pdf[index]
        text = _text(page)
        is_laid_over = _is_laid_over(page)
        has_picture = len("".join(text.split())) < FEW_CHARACTERS and _has_picture(page)
        page.close()
        if is_laid_over:
            whole = _flattened(pdf, index)
            before = Counter(text.splitlines())
            lines = list((Counter(whole.splitlines()) - before).elements())
            return _Sheet(whole, tuple(line for line in lines if line.strip()), has_picture)
    except PdfiumError as error:
        return _Sheet(fault=f"pdfium: page {index + 1} does not load ({error})")
    return _Sheet(text, has_picture=has_picture)


def _flattened(pdf: "PdfDocument", index: int) -> str:
    """Returns a page's text with what forms and annotations show, as if it were printed on it."""
    from pypdfium2 import raw

    page = pdf[index]
    raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY)
    page.close()  # flattening leaves the page as it was loaded
    page = pdf[index]
    text = _text(page)
    page.close()
    return text


def _text(page: "PdfPage") -> str:
    textpage = page.get_textpage()
    text: str = textpage.get_text_bounded()
    textpage.close()
    return _LINE_END.sub("\n", _HYPHEN.sub("", text))


def _is_laid_over(page: "PdfPage") -> bool:
    """Says whether anything but links lies over a page."""
    from pypdfium2 import raw

    nothing = (raw.FPDF_ANNOT_LINK, raw.FPDF_ANNOT_POPUP)
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        subtype = raw.FPDFAnnot_GetSubtype(annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        if subtype not in nothing:
            return True
    return False


def _has_picture(page: "PdfPage") -> bool:
    """Says whether pictures cover as much of a page as a few lines of text would."""
    from pypdfium2 import PdfiumError, raw

    covered = 0.0
    for picture in islice(page.get_objects([raw.FPDF_PAGEOBJ_IMAGE], max_depth=3), MOST_OBJECTS):
        with suppress(PdfiumError):
            left, bottom, right, top = picture.get_bounds()
            covered += abs((right - left) * (top - bottom))
    width, height = page.get_size()
    return bool(covered >= PICTURE_SHARE * width * height > 0)
