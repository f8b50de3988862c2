"""PDFs that the tests make for themselves."""

import io
from collections.abc import Callable, Sequence

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Canvas], object]
LINES = ["The council approved the budget.", "The vote was five to two."]


def pdf(
    pages: Sequence[Sequence[str] | Draw],
    title: str | None = None,
    password: str | None = None,
) -> bytes:
    """Returns a PDF of lines a page, or of what is drawn on it; one without lines holds a box."""
    buffer = io.BytesIO()
    encryption = None if password is None else StandardEncryption(password, ownerPassword="owner")
    canvas = Canvas(buffer, encrypt=encryption, invariant=True)
    if title is not None:
        canvas.setTitle(title)
    for page in pages:
        if callable(page):
            page(canvas)
        else:
            _lines(canvas, page)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _lines(canvas: Canvas, lines: Sequence[str]) -> None:
    if not lines:
        canvas.rect(100, 100, 300, 300, fill=1)
    for number, line in enumerate(lines):
        canvas.drawString(72, 760 - 16 * number, line)


def picture(lines: Sequence[str], size: int = 40) -> Image.Image:
    """Returns a page of letter size at 200 dpi with lines of text, as a scanner sees it."""
    sheet = Image.new("L", (1700, 2200), 255)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size)
    for number, line in enumerate(lines):
        pen.text((200, 200 + 2 * size * number), line, fill=0, font=font)
    return sheet


def scan(lines: Sequence[str], stamp: str = "") -> Draw:
    """Returns what draws a picture of lines over the page, and a stamp that is text."""

    def draw(canvas: Canvas) -> None:
        canvas.drawImage(ImageReader(picture(lines)), 0, 0, 612, 792)
        canvas.drawString(280, 20, stamp)

    return draw


def hidden(lines: Sequence[str]) -> Draw:
    """Returns what draws a picture of lines, with the same lines behind it as invisible text."""

    def draw(canvas: Canvas) -> None:
        scan(lines)(canvas)
        text = canvas.beginText(72, 700)
        text.setTextRenderMode(3)
        text.textLines(lines)
        canvas.drawText(text)

    return draw


def form(label: str, value: str) -> Draw:
    """Returns what draws a label, and a field with a value beside it."""

    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, label)
        canvas.acroForm.textfield(name="field", value=value, x=150, y=690, width=200, height=20)

    return draw


def annotation(text: str) -> Draw:
    """Returns what lays a text over the page, of which nothing stands on the page itself."""

    def draw(canvas: Canvas) -> None:
        canvas.freeTextAnnotation(text, DA="/Helv 12 Tf 0 g", Rect=(72, 600, 500, 650))

    return draw


def columns(left: Sequence[str], right: Sequence[str]) -> Draw:
    """Returns what draws two columns of lines side by side."""

    def draw(canvas: Canvas) -> None:
        for x, lines in ((72, left), (330, right)):
            for number, line in enumerate(lines):
                canvas.drawString(x, 760 - 16 * number, line)

    return draw
