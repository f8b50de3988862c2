"""The bodies of the synthetic site: every one different, the same bytes on every machine.

A document is made from its number alone, in well under a millisecond, so that a site of a hundred
thousand needs no memory. Nothing is compressed: what zlib makes differs from build to build.
"""

from __future__ import annotations

import json
import random
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from tests.bench.portable import pdf_of
from tests.sites.town.other_files import delimited, zip_of
from tests.sites.town.prose import (
    MONTHS,
    PEOPLE,
    PLACES,
    SENTENCES,
    STREETS,
    dice,
    draw,
    paragraphs,
)

SECTIONS = (
    *("council", "finance", "fire", "harbour", "library", "news"),
    *("parks", "permits", "planning", "roads", "services", "water"),
)
TOPICS = tuple(SENTENCES)
KINDS_OF_PAPER = ("Notice", "Report", "Minutes", "Guide", "Decision", "Plan", "Study", "Agenda")

POOL = 240
"""Paragraphs a topic, drawn once: to draw each page's own would cost more than to serve it."""


@dataclass(frozen=True)
class Format:
    """One format of the site: its share in a hundred, and how a document of it is made."""

    name: str
    share: int
    extension: str
    content_type: str
    make: Callable[[int], bytes]


def format_of(number: int) -> Format:
    """Returns the format of a document: any hundred in a row has the mix, well stirred."""
    return _SLOTS[number * 37 % 100]


def path_of(number: int) -> str:
    """Returns where a document is served."""
    section = SECTIONS[number % len(SECTIONS)]
    return f"/{section}/{number:06d}{format_of(number).extension}"


def title_of(number: int) -> str:
    """Returns the title of a document, which no other has."""
    source = dice(f"title {number}")
    what, street, month = draw(source, KINDS_OF_PAPER), draw(source, STREETS), draw(source, MONTHS)
    return f"{what} {number} on {street}, {month}"


def html(number: int) -> bytes:
    """A page of 8 to 40 kB: a large menu, a region of headings, paragraphs and tables, a footer."""
    source = dice(f"page {number}")
    title = title_of(number)
    body = [f"<h1>{escape(title)}</h1>", _lead(number, source)]
    for part in range(1 + int(source.random() ** 1.5 * 15)):
        body += _section(source, part)
    opening, closing = _LANDMARKS[int(source.random() * len(_LANDMARKS))]
    content = "\n".join([opening, *body, closing])
    return _FRAME.format(title=escape(title), menu=_menu(), content=content).encode()


def _lead(number: int, source: random.Random) -> str:
    """The first paragraph; one page in three also names a document of the site."""
    said = (
        f"<p>File {number} is kept by {draw(source, PEOPLE)} and concerns {draw(source, PLACES)}."
    )
    paper = _paper_before(number)
    if source.random() < 1 / 3 and paper is not None:
        said += f' The whole text is in <a href="{path_of(paper)}">{escape(title_of(paper))}</a>.'
    return f"{said}</p>"


def _paper_before(number: int) -> int | None:
    """The last pdf before a document: looking back, so that a longer site changes no page."""
    before = range(number - 1, max(number - 100, -1), -1)
    return next((each for each in before if format_of(each).name == "pdf"), None)


def _section(source: random.Random, part: int) -> Iterator[str]:
    topic = draw(source, TOPICS)
    yield f"<h2>{part + 1}. {topic.capitalize()} at {escape(draw(source, PLACES))}</h2>"
    for paragraph in _prose(source, topic, 2 + int(source.random() * 5)):
        yield f"<p>{escape(paragraph)}</p>"
    if source.random() < 0.4:
        yield _table(_rows(source, 4 + int(source.random() * 14)))


def _table(rows: Sequence[Sequence[object]]) -> str:
    head, *others = rows
    lines = ["<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in others]
    return "\n".join(["<table>", *lines, "</table>"])


def _rows(source: random.Random, count: int) -> list[list[object]]:
    """A heading row, and so many rows of a place's year."""
    rows: list[list[object]] = [["Street", "Month", "Measured", "Cost"]]
    for _ in range(count):
        measured, cost = int(source.random() * 900), int(source.random() * 90_000)
        rows.append([draw(source, STREETS), draw(source, MONTHS), measured, f"${cost:,}"])
    return rows


@lru_cache
def _pool(topic: str) -> list[str]:
    return paragraphs(f"pool {topic}", (topic,), POOL)


def _prose(source: random.Random, topic: str, count: int) -> list[str]:
    """So many paragraphs on a topic, none of them twice."""
    pool = _pool(topic)
    first = int(source.random() * (len(pool) - count))
    return pool[first : first + count]


@lru_cache
def _menu() -> str:
    links = (
        f'<li class="menu__item menu__item--level-2"><a class="menu__link" '
        f'href="/{section}/about-{number}">{section.capitalize()}: {topic}</a></li>'
        for section in SECTIONS
        for number, topic in enumerate(TOPICS[:5])
    )
    return "\n".join(links)


_LANDMARKS = (
    *[('<main id="content">', "</main>")] * 15,
    *[('<article class="story">', "</article>")] * 2,
    ('<div role="main">', "</div>"),
    *[('<div class="column">', "</div>")] * 2,
)

_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} | Port Alder</title>
<link rel="stylesheet" href="/assets/town.css">
<script>window.settings = {{"path": "/", "consent": false, "analytics": "none"}};</script>
</head>
<body class="page page--civic">
<header class="banner"><a class="skip" href="#content">Skip to content</a>
<form role="search" action="/search"><input name="q"><button>Search</button></form>
<nav aria-label="Sections"><ul class="menu">
{menu}
</ul></nav></header>
{content}
<footer><p>Town Hall, 1 Quay Street, Port Alder. Open Monday to Friday, 8:30 to 16:30.</p>
<p><a href="/about/contact">Contact</a> | <a href="/about/privacy">Privacy</a></p></footer>
</body>
</html>
"""


def pdf(number: int) -> bytes:
    """A PDF of one to five pages of text, each with a heading, and with a table on some."""
    source = dice(f"paper {number}")
    pages = []
    for _ in range(1 + int(source.random() * 5)):
        topic = draw(source, TOPICS)
        heading = f"{topic.capitalize()} at {draw(source, PLACES)}"
        prose = _prose(source, topic, 3 + int(source.random() * 4))
        rows = _rows(source, 6) if source.random() < 0.3 else []
        pages.append((heading, prose, rows))
    return pdf_of(title_of(number), pages)


def csv(number: int) -> bytes:
    """A table of 20 to 220 rows."""
    source = dice(f"table {number}")
    rows = _rows(source, 20 + int(source.random() * 200))
    return delimited([["file", *rows[0]], *([number, *row] for row in rows[1:])])


def json_file(number: int) -> bytes:
    """The same, as JSON."""
    source = dice(f"records {number}")
    head, *rows = _rows(source, 10 + int(source.random() * 60))
    records = [dict(zip(map(str, head), row, strict=True)) for row in rows]
    return json.dumps({"file": number, "records": records}).encode()


def xml(number: int) -> bytes:
    """The same, as XML."""
    source = dice(f"elements {number}")
    lines = "\n".join(
        f"  <entry street={street!r}><month>{month}</month><measured>{measured}</measured></entry>"
        for street, month, measured, _ in _rows(source, 10 + int(source.random() * 60))[1:]
    )
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<entries file="{number}">'
    return f"{head}\n{lines}\n</entries>\n".encode()


def text(number: int) -> bytes:
    """A notice in plain text."""
    source = dice(f"text {number}")
    prose = _prose(source, draw(source, TOPICS), 2 + int(source.random() * 8))
    return "\n\n".join([title_of(number).upper(), *prose, ""]).encode()


def markdown(number: int) -> bytes:
    """A guide in markdown."""
    source = dice(f"guide {number}")
    prose = _prose(source, draw(source, TOPICS), 2 + int(source.random() * 8))
    steps = [f"## Step {step}\n\n{each}" for step, each in enumerate(prose, 1)]
    return "\n\n".join([f"# {title_of(number)}", *steps, ""]).encode()


def word(number: int) -> bytes:
    """What opens as a docx: the two parts that one must have."""
    source = dice(f"letter {number}")
    prose = [title_of(number), *_prose(source, draw(source, TOPICS), 4)]
    body = "".join(f"<w:p><w:r><w:t>{escape(each)}</w:t></w:r></w:p>" for each in prose)
    document = (
        f'<?xml version="1.0"?><w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
    )
    parts = {"[Content_Types].xml": _CONTENT_TYPES, "word/document.xml": document}
    return zip_of({name: content.encode() for name, content in parts.items()})


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_CONTENT_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
    'officedocument.wordprocessingml.document.main+xml"/></Types>'
)


def png(number: int) -> bytes:
    """A grey picture of 96 by 96 points."""
    noise = random.Random(f"picture {number}").getrandbits(8 * 97 * 96).to_bytes(97 * 96, "big")
    rows = b"".join(b"\x00" + noise[97 * row : 97 * row + 96] for row in range(96))
    size = struct.pack(">2I5B", 96, 96, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", size), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in parts)


def _chunk(name: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
    )


_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

FORMATS = (
    Format("html", 70, "", "text/html; charset=utf-8", html),
    Format("pdf", 20, ".pdf", "application/pdf", pdf),
    Format("csv", 3, ".csv", "text/csv; charset=utf-8", csv),
    Format("json", 2, ".json", "application/json", json_file),
    Format("xml", 1, ".xml", "application/xml", xml),
    Format("text", 1, ".txt", "text/plain; charset=utf-8", text),
    Format("markdown", 1, ".md", "text/markdown; charset=utf-8", markdown),
    Format("docx", 1, ".docx", _DOCX, word),
    Format("png", 1, ".png", "image/png", png),
)

_SLOTS = tuple(each for each in FORMATS for _ in range(each.share))
