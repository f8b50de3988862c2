import io
import re
from collections.abc import Callable

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from centinel import tools
from centinel.readers import ocr as module
from centinel.readers import tesseract
from centinel.readers.document import Document, GaveWay, HoldsNothing
from centinel.readers.ocr import MOST_PIXELS, ocr
from centinel.readers.reading import read
from tests.sites.town.scans import scanned
from tests.unit.readers.pdfs import LINES, pdf, picture, scan

Make = Callable[..., Document]

ORDER = ["pdf_inspector", "pdfium", "pdftotext", "ocr"]
TEXT = ["The council approved the budget", "of the harbour by five votes to two."]
needs_tesseract = pytest.mark.skipif(
    not tools.is_installed("tesseract"), reason="tesseract is not installed"
)


def saved(image: Image.Image, name: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, name, **options)  # type: ignore[arg-type]
    return buffer.getvalue()


class Seen:
    """Stands in tesseract's place: keeps the sizes of the pictures, and says what it is told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[tuple[int, int]] = []
        self.languages: list[tuple[str, ...]] = []
        self.says: list[tesseract.Recognised | tools.ToolError] = []
        monkeypatch.setattr(tesseract, "usable", lambda languages: (tuple(languages), None))
        monkeypatch.setattr(tesseract, "recognise", self._recognise)

    def _recognise(
        self, content: bytes, languages: tuple[str, ...], dots_per_inch: int
    ) -> tesseract.Recognised:
        assert dots_per_inch == 200
        with Image.open(io.BytesIO(content)) as image:
            assert (image.format, image.mode) == ("PPM", "L")
            self.sizes.append(image.size)
        self.languages.append(languages)
        said = self.says.pop(0) if self.says else tesseract.Recognised("Seen", 90.0)
        if isinstance(said, tools.ToolError):
            raise said
        return said


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    return Seen(monkeypatch)


def test_pages_are_rendered_at_200_dots_per_inch(make: Make, seen: Seen) -> None:
    def letter(canvas: Canvas) -> None:
        canvas.setPageSize((612, 792))
        scan(TEXT)(canvas)

    assert ocr.read_pages(make(pdf([letter]), "pdf")).texts == ("Seen",)
    assert seen.sizes == [(1700, 2200)]


@pytest.mark.parametrize("size", [(14400, 14400), (14400, 10), (3, 14400)])
def test_pages_of_metres_are_rendered_within_bounds(
    make: Make, seen: Seen, size: tuple[int, int]
) -> None:
    def huge(canvas: Canvas) -> None:
        canvas.setPageSize(size)
        canvas.rect(0, 0, size[0] / 2, size[1] / 2, fill=1)

    ocr.read_pages(make(pdf([huge]), "pdf"))
    ((width, height),) = seen.sizes
    assert width * height <= MOST_PIXELS * 1.01
    assert max(width, height) < 32_767


def test_only_wanted_pages_are_rendered(make: Make, seen: Seen) -> None:
    document = make(pdf([scan(TEXT), scan(TEXT), scan(TEXT)]), "pdf")
    assert ocr.read_pages(document, (2,)).texts == ("", "Seen", "")
    assert ocr.read_pages(document, ()).texts == ("", "", "")
    assert len(seen.sizes) == 1


def test_blank_pages_cost_no_recognition(make: Make, seen: Seen) -> None:
    def blank(_: Canvas) -> None:
        pass

    assert ocr.read_pages(make(pdf([blank, blank]), "pdf")).texts == ("", "")
    assert seen.sizes == []


def test_the_languages_of_the_document_are_asked_for(make: Make, seen: Seen) -> None:
    document = make(pdf([scan(TEXT)]), "pdf")
    ocr.read_pages(Document(document.path, "pdf", languages=("deu", "fra")))
    assert seen.languages == [("deu", "fra")]


def test_a_page_that_fails_costs_only_itself(make: Make, seen: Seen) -> None:
    slow = tools.ToolError("tesseract", "timed-out", detail="not ended after 45 s")
    seen.says = [slow, tesseract.Recognised("Two", 90.0)]
    pages = ocr.read_pages(make(pdf([scan(TEXT), scan(TEXT)]), "pdf"))
    assert pages.texts == ("", "Two")
    assert pages.notes == ("OCR of page 1 failed (tesseract: timed-out: not ended after 45 s)",)


@pytest.mark.parametrize(
    ("kind", "confidence", "is_text"),
    [("pdf", 29.0, False), ("pdf", 31.0, True), ("image", 59.0, False), ("image", 61.0, True)],
)
def test_what_is_hardly_recognised_is_no_text(
    make: Make, seen: Seen, kind: str, confidence: float, is_text: bool
) -> None:
    seen.says = [tesseract.Recognised("0a ~ l|", confidence)]
    content = pdf([scan(TEXT)]) if kind == "pdf" else saved(picture(TEXT), "PNG")
    pages = ocr.read_pages(make(content, kind))
    assert bool(pages.texts[0]) is is_text
    assert pages.confidence == ((1, confidence),)


def test_a_picture_without_legible_text_says_so(make: Make, seen: Seen) -> None:
    seen.says = [tesseract.Recognised("0a ~ l|", 12.0)]
    why = "no text on page 1 of 1, and by OCR nothing legible (mean confidence 12 of 100)"
    with pytest.raises(GaveWay, match=f"^{re.escape(why)}$"):
        ocr.read(make(saved(picture(TEXT), "JPEG"), "image"))


@pytest.mark.usefixtures("seen")
def test_frames_of_a_tiff_are_pages_and_those_of_an_animation_are_not(make: Make) -> None:
    frames = [picture([word]) for word in ("One", "Two", "Three")]
    more = {"save_all": True, "append_images": frames[1:]}
    assert len(ocr.read_pages(make(saved(frames[0], "TIFF", **more), "image")).texts) == 3
    assert len(ocr.read_pages(make(saved(frames[0], "GIF", **more), "image")).texts) == 1


def test_a_large_picture_is_made_smaller_and_a_huge_one_is_not_opened(
    make: Make, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = Image.new("L", (5000, 4000), 255)
    large.paste(0, (0, 0, 50, 50))
    content = saved(large, "PNG")
    ocr.read_pages(make(content, "image"))
    ((width, height),) = seen.sizes
    assert 0.9 * MOST_PIXELS < width * height <= MOST_PIXELS
    monkeypatch.setattr(module, "MOST_OPENED_PIXELS", 1_000_000)
    pages = ocr.read_pages(make(content, "image"))
    assert pages.notes == ("OCR of page 1 failed (a picture of 5000x4000 is too large)",)


@pytest.mark.usefixtures("seen")
def test_an_icon_holds_nothing(make: Make) -> None:
    icon = Image.effect_noise((64, 64), 50)
    with pytest.raises(HoldsNothing, match="a picture of 64x64 holds no lines of text"):
        ocr.read_pages(make(saved(icon, "PNG"), "image"))


@pytest.mark.usefixtures("seen")
@pytest.mark.parametrize("content", [b"<svg/>", b"AC1024", b"\x89PNG\r\n\x1a\nbroken"])
def test_what_is_no_picture_gives_way_without_naming_the_file(make: Make, content: bytes) -> None:
    document = make(content, "image")
    with pytest.raises(GaveWay, match="no format of pictures") as gave_way:
        ocr.read_pages(document)
    assert str(document.path) not in str(gave_way.value)


@pytest.mark.usefixtures("seen")
def test_a_picture_that_is_cut_short_is_said(make: Make) -> None:
    content = saved(Image.effect_noise((400, 400), 50), "PNG")
    pages = ocr.read_pages(make(content[: len(content) // 2], "image"))
    assert pages.texts == ("",)
    assert "OCR of page 1 failed" in pages.notes[0]


@needs_tesseract
def test_a_scanned_page_among_others_is_read(make: Make) -> None:
    outcome = read(make(pdf([LINES, scan(TEXT), []]), "pdf"), ORDER)
    assert outcome.readers_by_page[1:] == ("ocr", None)
    assert "five votes to two" in (outcome.text or "")
    assert outcome.recovered_by_fallback
    assert "no text on page 3 of 3, by OCR neither" in outcome.notes


@needs_tesseract
def test_a_scanned_document_is_read_by_ocr_in_its_version(make: Make) -> None:
    outcome = read(make(scanned(), "pdf"), ORDER)
    assert (outcome.outcome, outcome.reader) == ("text", "ocr")
    assert (outcome.reader_version or "").startswith("tesseract ")
    assert "DEED OF GIFT" in (outcome.text or "")


@needs_tesseract
def test_a_letter_that_was_scanned_to_a_picture_is_read(make: Make) -> None:
    outcome = read(make(saved(picture(TEXT), "TIFF"), "image"), ["ocr"])
    assert " ".join(TEXT) in " ".join((outcome.text or "").split())


@needs_tesseract
def test_noise_is_no_letter(make: Make) -> None:
    outcome = read(make(saved(Image.effect_noise((900, 900), 90), "PNG"), "image"), ["ocr"])
    assert outcome.outcome == "underivable"
    assert "by OCR" in (outcome.reason or "")


def without_tesseract(monkeypatch: pytest.MonkeyPatch) -> None:
    real = tools.is_installed
    monkeypatch.setattr(tools, "is_installed", lambda name: name != "tesseract" and real(name))


def test_a_scanned_document_waits_where_tesseract_is_missing(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_tesseract(monkeypatch)
    outcome = read(make(pdf([scan(TEXT), scan(TEXT)]), "pdf"), ORDER)
    assert outcome.outcome == "waiting"
    reason = outcome.reason or ""
    assert reason.startswith("ocr is not installed here (to install it: apt-get install tesser")
    assert "pages 1-2 of 2 need OCR (scanned)" in reason


def test_a_blank_document_waits_for_nobody(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    without_tesseract(monkeypatch)
    outcome = read(make(pdf([[], []]), "pdf"), ORDER)
    assert outcome.outcome == "underivable"
    assert "no text on pages 1-2 of 2" in (outcome.reason or "")


def test_a_scanned_page_is_no_reason_to_keep_a_document_waiting(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_tesseract(monkeypatch)
    outcome = read(make(pdf([LINES, scan(TEXT)]), "pdf"), ORDER)
    assert (outcome.outcome, outcome.recovered_by_fallback) == ("text", False)
    assert outcome.notes == (
        "page 2 of 2 needs OCR (scanned): ocr is not installed here "
        "(to install it: apt-get install tesseract-ocr)",
    )
