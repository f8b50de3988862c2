"""The smallest writer of text PDFs: a general one takes ten milliseconds a page, this a tenth."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

Page = tuple[str, Sequence[str], Sequence[Sequence[object]]]
"""A heading, paragraphs, and the rows of a table or nothing."""

_LEFT, _TOP, _WIDTH, _LEADING = 64, 740, 92, 13
_COLUMNS = (0, 150, 250, 340, 430)


def pdf_of(title: str, pages: Sequence[Page]) -> bytes:
    """Returns a PDF of these pages, the first of them under the title."""
    streams = [_stream(title if not number else "", page) for number, page in enumerate(pages)]
    return _written(title, streams)


def _written(title: str, streams: Sequence[bytes]) -> bytes:
    kids = " ".join(f"{6 + 2 * number} 0 R" for number in range(len(streams)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(streams)} /Kids [{kids}] >>".encode(),
        _font("Helvetica"),
        _font("Helvetica-Bold"),
        b"<< /Title " + _string(title) + b" /Producer (bench) >>",
    ]
    for number, stream in enumerate(streams):
        objects += [_page(7 + 2 * number), _content(stream)]
    return _file(objects)


def _font(name: str) -> bytes:
    entry = f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
    return entry.encode()


def _page(content: int) -> bytes:
    fonts = "<< /Font << /F1 3 0 R /F2 4 0 R >> >>"
    box = "/MediaBox [0 0 612 792]"
    entry = f"<< /Type /Page /Parent 2 0 R {box} /Resources {fonts} /Contents {content} 0 R >>"
    return entry.encode()


def _content(stream: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)


def _file(objects: Iterable[bytes]) -> bytes:
    made = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info 5 0 R >>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(made + trailer % (len(places) + 1, start))


def _stream(title: str, page: Page) -> bytes:
    heading, prose, rows = page
    return b"\n".join([b"BT", *_lines(title, heading, prose, rows), b"ET"])


def _lines(
    title: str, heading: str, prose: Sequence[str], rows: Sequence[Sequence[object]]
) -> Iterator[bytes]:
    height = _TOP
    for size, line in ((18, title), (14, heading)):
        if line:
            yield _at(_LEFT, height, f"/F2 {size} Tf", line)
            height -= size + 10
    for paragraph in prose:
        for line in textwrap.wrap(paragraph, _WIDTH):
            yield _at(_LEFT, height, "/F1 10 Tf", line)
            height -= _LEADING
        height -= _LEADING
    for row in rows:
        for column, cell in zip(_COLUMNS, row, strict=False):
            yield _at(_LEFT + column, height, "/F1 10 Tf", str(cell))
        height -= _LEADING + 3


def _at(left: int, height: int, font: str, line: str) -> bytes:
    return f"{font} 1 0 0 1 {left} {height} Tm ".encode() + _string(line) + b" Tj"


def _string(line: str) -> bytes:
    escaped = line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return b"(" + escaped.encode("cp1252", "replace") + b")"
