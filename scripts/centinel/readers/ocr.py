"""The reader of last resort: pages that are pictures, recognised by tesseract.

A PDF's pages are rendered by PDFium; a picture's own frames are opened by Pillow.  Every picture is
bounded in pixels before it is made, whatever size its page claims.
"""

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

from centinel import tools
from centinel.readers import tesseract
from centinel.readers.document import Document, GaveWay, HoldsNothing
from centinel.readers.page_notes import ranges
from centinel.readers.pages import PagedFunctionReader, Pages
from centinel.readers.pdfium import opened

if TYPE_CHECKING:
    from PIL.Image import Image

DOTS_PER_INCH = 200
"""At which words were recognised without loss on simulated scans."""

MOST_PIXELS = 8_000_000
"""Of one picture: A3 at 200 dpi has 7.7 million; a page of ten metres is rendered coarser.  The
worst picture, noise, takes 2 s of processor time with these, 4.5 s with 12 million (measured)."""

LONGEST_SIDE = 30_000
"""Pixels; tesseract refuses more than 32,767."""

MOST_OPENED_PIXELS = 100_000_000
"""Of a picture file, as it says before it is decoded: 100 MB in shades of grey."""

SMALLEST_SIDE = 100
"""Pixels; what is smaller is an icon or a rule, and holds no lines."""

LEAST_CONTRAST = 16
"""Between the lightest and the darkest of 256 shades; a page with less is blank."""

LEAST_CONFIDENCE = {"pdf": 30.0, "image": 60.0}
"""Mean confidence below which nothing was recognised.  What tesseract makes of photographs has 0 to
30, of screens and charts 50 to 96 (measured); a page of a PDF is more likely to hold text."""


@dataclass(frozen=True)
class _Source:
    """Where the pictures of a document come from."""

    count: int
    picture: Callable[[int], "Image"]
    """Gives a page, from 1, in shades of grey; raises OSError, ValueError or RuntimeError."""


def read_ocr(document: Document, wanted: tuple[int, ...] | None) -> Pages:
    """Returns the text that is recognised on the wanted pages, with the confidence in each.

    Raises `GaveWay` where the document does not open, or tesseract cannot work.
    """
    try:
        languages, lacking = tesseract.usable(document.languages)
    except tools.ToolError as error:
        raise GaveWay(str(error)) from error
    if not languages:
        raise GaveWay(lacking or "no language")
    with _SOURCES[document.kind](document) as source:
        numbers = range(1, source.count + 1) if wanted is None else wanted
        texts = [""] * source.count
        confidences: list[tuple[int, float]] = []
        failed: dict[str, list[int]] = {}
        for number in numbers:
            try:
                found = _recognised(source.picture(number), languages)
            except (tools.ToolError, OSError, ValueError, RuntimeError) as error:
                failed.setdefault(str(error), []).append(number)
                continue
            if found.text:
                confidences.append((number, found.confidence))
            if found.confidence >= LEAST_CONFIDENCE[document.kind]:
                texts[number - 1] = found.text
    faults = [f"OCR of {ranges(pages)} failed ({why})" for why, pages in failed.items()]
    notes = (*([lacking] if lacking else []), *faults)
    return Pages(tuple(texts), notes=notes, confidence=tuple(confidences))


def _recognised(picture: "Image", languages: tuple[str, ...]) -> tesseract.Recognised:
    shades = [shade for shade, count in enumerate(picture.histogram()) if count]
    if shades[-1] - shades[0] < LEAST_CONTRAST:
        return tesseract.Recognised("", 0.0)
    buffer = io.BytesIO()
    picture.save(buffer, "PPM")
    return tesseract.recognise(buffer.getvalue(), languages, DOTS_PER_INCH)


@contextmanager
def _pdf(document: Document) -> Iterator[_Source]:
    with opened(document) as pdf:

        def picture(number: int) -> "Image":
            page = pdf[number - 1]
            width, height = page.get_size()
            bitmap = page.render(scale=_scale(width, height, DOTS_PER_INCH / 72), grayscale=True)
            image: Image = bitmap.to_pil().copy()
            bitmap.close()
            page.close()
            return image

        yield _Source(len(pdf), picture)


@contextmanager
def _image(document: Document) -> Iterator[_Source]:
    """Gives the frames of a picture: all of a TIFF, whose frames are pages; else the first."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # bounded here
    try:
        opened_image = Image.open(document.path)
    except UnidentifiedImageError as error:  # its words are the file's path
        raise GaveWay("no format of pictures that can be recognised") from error
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise GaveWay(f"the picture does not open ({error})") from error
    with opened_image as image:
        if min(image.size) < SMALLEST_SIDE:
            raise HoldsNothing(f"a picture of {image.width}x{image.height} holds no lines of text")

        def picture(number: int) -> Image.Image:
            image.seek(number - 1)
            if image.width * image.height > MOST_OPENED_PIXELS:
                raise ValueError(f"a picture of {image.width}x{image.height} is too large")
            grey = ImageOps.exif_transpose(image).convert("L")
            scale = _scale(grey.width, grey.height, 1.0)
            if scale == 1.0:
                return grey
            return grey.resize((int(grey.width * scale) or 1, int(grey.height * scale) or 1))

        frames = getattr(image, "n_frames", 1) if image.format == "TIFF" else 1
        yield _Source(frames, picture)


def _scale(width: float, height: float, usual: float) -> float:
    """Returns the scale that makes a page the usual size, or as large as a picture may be."""
    most = sqrt(MOST_PIXELS / max(width * height, 1e-6))
    return min(usual, most, LONGEST_SIDE / max(width, height, 1e-6))


_SOURCES = {"pdf": _pdf, "image": _image}

ocr = PagedFunctionReader(
    "ocr",
    frozenset(_SOURCES),
    read_ocr,
    modules=("pypdfium2", "PIL"),
    programs=(tesseract.PROGRAM,),
    install=tesseract.INSTALL,
    is_last_resort=True,
)

READERS = (ocr,)
