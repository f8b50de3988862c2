"""The title in the properties of an office document, read without the library that may refuse it.

Sources: ISO/IEC 29500-2 annex E (core properties), OpenDocument 1.3 part 3 (meta.xml), EPUB 3.3
(package document), [MS-OLEPS] (property sets), Rich Text Format 1.9.1 (`\\info`).
"""

import codecs
import re
import zipfile
import zlib
from html import unescape

from centinel.readers.containers import OLE, ZIP
from centinel.readers.document import Document
from centinel.readers.titles import sane_title

_LARGEST_PART = 1 << 20
"""Bytes of a part that are looked at: properties are a few hundred."""
_LONGEST_TITLE = 1000

_PROPERTY_PARTS = re.compile(r"docProps/core\.xml|meta\.xml|.*\.opf", re.IGNORECASE)
_DC_TITLE = re.compile(rb"<(?:\w+:)?title(?:\s[^>]*)?>([^<]{1,2000})</(?:\w+:)?title>")
_ROOT_FILE = re.compile(rb"<(?:\w+:)?rootfile\s[^>]*full-path=[\"']([^\"']+)")

_SUMMARY = bytes.fromhex("e0859ff2f94f6810ab9108002b27b3d9")
"""FMTID_SummaryInformation, which opens the one section that holds the title."""
_CODE_PAGE, _TITLE = 1, 2
_STRING, _WIDE_STRING = 0x1E, 0x1F
_MOST_PROPERTIES = 100
_UNICODE_PAGES = {1200: "utf-16-le", 65001: "utf-8"}

_RTF_TITLE = re.compile(rb"\{\\title\b ?((?:[^{}\\]|\\.){1,4000})\}", re.DOTALL)
_RTF_PAGE = re.compile(rb"\\ansicpg(\d{3,5})")
_RTF_PIECE = re.compile(
    rb"\\'([0-9a-fA-F]{2})|\\u(-?\d{1,6}) ?(?:\\'[0-9a-fA-F]{2}|[^\\{}])?|\\([\\{}])"
    rb"|\\[a-z]+-?\d* ?|([^\\\r\n]+)|[\r\n]+|\\.",
    re.DOTALL,
)


def title_of(document: Document) -> str | None:
    """Returns the title that the document's own properties give it; `None` where they have none, a
    program wrote it, or they cannot be read.  Opens no more than the properties."""
    head = document.head
    if head.startswith(ZIP):
        return sane_title(_package_title(document))
    if head.startswith(OLE):
        return sane_title(_summary_title(document.data))
    if head.lstrip().startswith(b"{\\rtf"):
        return sane_title(_rtf_title(document.data))
    return None


def _package_title(document: Document) -> str | None:
    try:
        with zipfile.ZipFile(document.path) as archive:
            for name in _property_parts(archive):
                with archive.open(name) as part:
                    found = _DC_TITLE.search(part.read(_LARGEST_PART))
                if found:
                    return unescape(found[1].decode("utf-8", "replace"))
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, KeyError, EOFError):
        return None
    return None


def _property_parts(archive: zipfile.ZipFile) -> list[str]:
    """Returns the parts that may hold the title; of an EPUB, the package that it opens with."""
    names = archive.namelist()
    if "META-INF/container.xml" in names:
        with archive.open("META-INF/container.xml") as part:
            root = _ROOT_FILE.search(part.read(_LARGEST_PART))
        return [root[1].decode("utf-8", "replace")] if root else []
    return [name for name in names if _PROPERTY_PARTS.fullmatch(name)][:3]


def _summary_title(data: bytes) -> str | None:
    """Returns the title in the first set of summary properties.  Streams of property sets lie in
    one piece nearly always; one in pieces gives a title that is garbled or none."""
    place = data.find(_SUMMARY)
    if place < 28:
        return None
    start = place - 28 + _number(data, place + 16)
    offsets = {
        _number(data, at): start + _number(data, at + 4)
        for at in range(
            start + 8, start + 8 + 8 * min(_number(data, start + 4), _MOST_PROPERTIES), 8
        )
    }
    if _TITLE not in offsets:
        return None
    page = _number(data, offsets[_CODE_PAGE] + 4) & 0xFFFF if _CODE_PAGE in offsets else 1252
    at = offsets[_TITLE]
    kind, length = _number(data, at), min(_number(data, at + 4), _LONGEST_TITLE)
    if kind == _WIDE_STRING:
        raw, page = data[at + 8 : at + 8 + 2 * length], 1200
    elif kind == _STRING:
        raw = data[at + 8 : at + 8 + length]
    else:
        return None
    return raw.decode(_codec(page), "replace").partition("\0")[0]


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _codec(page: int) -> str:
    name = _UNICODE_PAGES.get(page, f"cp{page}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name


def _rtf_title(data: bytes) -> str | None:
    found = _RTF_TITLE.search(data[:_LARGEST_PART])
    if found is None:
        return None
    page = _RTF_PAGE.search(data[:1000])
    codec = _codec(int(page[1])) if page else "cp1252"
    parts = []
    for piece in _RTF_PIECE.finditer(found[1]):
        hexadecimal, number, escaped, plain = piece.groups()
        if hexadecimal:
            parts.append(bytes.fromhex(hexadecimal.decode()).decode(codec, "replace"))
        elif number:
            parts.append(chr(int(number) % 0x10000))
        elif escaped or plain:
            parts.append((escaped or plain).decode(codec, "replace"))
    return "".join(parts)
