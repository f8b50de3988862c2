"""A scanned PDF: pages that are pictures of text, with no text behind them."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT, SCALE = 416, 544, 4

DEED = (
    (
        "DEED OF GIFT",
        "The heirs of the cannery give to the town the strip of land",
        "between the rail spur and the high water mark, to be kept",
        "as a public walk for as long as the tide comes in.",
    ),
    (
        "SCHEDULE OF BOUNDARIES",
        "Beginning at the iron pin beside the weigh scale, thence north",
        "forty chains along the fence to the mouth of the creek.",
    ),
)


def scanned(sheets: Sequence[Sequence[str]] = DEED) -> bytes:
    """A PDF of one picture a page, in black and white, as a town's scanner makes it."""
    kids = " ".join(f"{3 + 3 * number} 0 R" for number in range(len(sheets)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(sheets)} >>".encode(),
    ]
    for number, lines in enumerate(sheets):
        objects.extend(_sheet(3 + 3 * number, lines))
    return _assembled(objects)


def _sheet(first: int, lines: Sequence[str]) -> list[bytes]:
    """Page, content and picture of one sheet, the page being object number `first`."""
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {first + 1} 0 R "
        f"/Resources << /XObject << /Scan {first + 2} 0 R >> >> >>"
    )
    picture = run_lengths(_bitmap(lines))
    kind = (
        f"/Type /XObject /Subtype /Image /Width {WIDTH * SCALE} /Height {HEIGHT * SCALE} "
        "/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /RunLengthDecode "
    )
    return [
        page.encode(),
        _stream(b"q 612 0 0 792 0 0 cm /Scan Do Q", ""),
        _stream(picture, kind),
    ]


def _bitmap(lines: Sequence[str]) -> bytes:
    sheet = Image.new("1", (WIDTH, HEIGHT), 1)
    pen = ImageDraw.Draw(sheet)
    # The bitmap font looks the same everywhere; others depend on the FreeType that is there.
    font = ImageFont.load_default_imagefont()
    for number, line in enumerate(lines):
        pen.text((24, 40 + 18 * number), line, fill=0, font=font)
    return sheet.resize((WIDTH * SCALE, HEIGHT * SCALE), Image.Resampling.NEAREST).tobytes()


def run_lengths(data: bytes) -> bytes:
    """The RunLengthDecode filter of PDF, backwards, with every byte in a run."""
    out = bytearray()
    start = 0
    while start < len(data):
        end = start + 1
        while end < len(data) and end - start < 128 and data[end] == data[start]:
            end += 1
        length = end - start
        # 0 announces one literal byte; 257 - n announces n times the next byte.
        out += bytes((0 if length == 1 else 257 - length, data[start]))
        start = end
    return bytes(out) + b"\x80"


def _stream(content: bytes, entries: str) -> bytes:
    head = f"<< {entries}/Length {len(content)} >>\nstream\n".encode()
    return head + content + b"\nendstream"


def _assembled(objects: Sequence[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    for place in places:
        out += f"{place:010d} 00000 n \n".encode()
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\n".encode()
    return bytes(out) + f"startxref\n{table}\n%%EOF\n".encode()
