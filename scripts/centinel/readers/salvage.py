"""The last reader of office documents: what is left of a damaged zip, by its entries' own headers.

A download that broke off has lost the central directory at the end of a zip, and no library opens
it then; the parts before the break are whole.  They are packed anew, and read by anydoc.  Of 82
truncated documents 62 gave their text so.
"""

import io
import tempfile
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from centinel.readers.containers import MOST_ENTRIES, ZIP, check_zip, local_headers
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading
from centinel.readers.office import office_format, read_with_anydoc
from centinel.readers.workbook import read_with_calamine

_MOST_BYTES = 128 << 20
"""Bytes that are unpacked in all."""
_STEP = 4096
"""Packed bytes given to the decompressor at once, so that what comes before a fault is kept."""


@dataclass(frozen=True)
class _Entry:
    name: str
    content: bytes
    is_whole: bool


def read_salvaged(document: Document) -> Reading:
    """Returns what anydoc reads of the parts that can still be unpacked, and notes how many those
    are.  Raises `GaveWay` where the zip is not damaged, or too little is left of it."""
    name = office_format(document)
    if not document.head.startswith(ZIP):
        raise GaveWay(f"the bytes are {name}, no zip")
    check_zip(document)
    if not _is_damaged(document):
        raise GaveWay("the zip is not damaged")
    entries = _entries(document.data)
    if not entries:
        raise GaveWay("no part of the damaged zip can be unpacked")
    reading = _read_anew(document, _packed(entries))
    whole = sum(entry.is_whole for entry in entries)
    cut = f", and {len(entries) - whole} in part" if whole < len(entries) else ""
    note = f"the file is damaged: {whole} of its parts were recovered{cut}; text may be missing"
    return replace(reading, notes=(note, *reading.notes))


def _read_anew(document: Document, packed: bytes) -> Reading:
    """Returns what the first reader of the kind makes of the zip packed anew, or the next."""
    with tempfile.NamedTemporaryFile(dir=document.scratch, suffix=".zip") as file:
        file.write(packed)
        file.flush()
        anew = Document(Path(file.name), document.kind, scratch=document.scratch)
        if document.kind == "spreadsheet":
            with suppress(Exception):
                return read_with_calamine(anew)
        return read_with_anydoc(anew)


def _is_damaged(document: Document) -> bool:
    """Says whether the standard library finds a fault: in the directory, or in an entry."""
    try:
        with zipfile.ZipFile(document.path) as archive:
            entries = archive.infolist()
            if len(entries) > MOST_ENTRIES or sum(e.file_size for e in entries) > _MOST_BYTES:
                return False
            return archive.testzip() is not None
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError, RuntimeError):
        return True


def _entries(data: bytes) -> list[_Entry]:
    found: dict[str, _Entry] = {}
    left = _MOST_BYTES
    for name, method, start, packed in local_headers(data):
        if not name or name.endswith("/") or len(found) >= MOST_ENTRIES:
            continue
        if method == zipfile.ZIP_DEFLATED:
            content, is_whole = _inflated(data, start, left)
        elif method == zipfile.ZIP_STORED:
            content = data[start : start + min(packed, left)]
            is_whole = len(content) == packed
        else:
            continue
        left -= len(content)
        if left <= 0:
            raise GaveWay(f"a damaged zip that unpacks to more than {_MOST_BYTES >> 20} MiB")
        if content and (name not in found or is_whole):
            found[name] = _Entry(name, content, is_whole)
    return list(found.values())


def _inflated(data: bytes, start: int, most: int) -> tuple[bytes, bool]:
    """Returns what inflates from `start`, at most `most` bytes, and whether it came to its end."""
    inflate = zlib.decompressobj(-15)
    pieces: list[bytes] = []
    size = 0
    try:
        for place in range(start, len(data), _STEP):
            pieces.append(inflate.decompress(data[place : place + _STEP], most - size + 1))
            size += len(pieces[-1])
            if inflate.eof or size > most:
                break
    except zlib.error:
        pass
    return b"".join(pieces), inflate.eof


def _packed(entries: list[_Entry]) -> bytes:
    """Returns a zip of the entries, the type of the package first where a format asks for that."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for entry in sorted(entries, key=lambda entry: entry.name != "mimetype"):
            archive.writestr(zipfile.ZipInfo(entry.name), _mended(entry))
    return packed.getvalue()


def _mended(entry: _Entry) -> bytes:
    """Returns the content of an entry; XML that breaks off, or is broken inside, with what can be
    parsed of it and every element closed."""
    if not entry.name.endswith((".xml", ".rels", ".xhtml", ".html")):
        return entry.content
    from lxml import etree

    for recover in (False, True):
        parser = etree.XMLParser(
            recover=recover, resolve_entities=False, no_network=True, load_dtd=False
        )
        try:
            root = etree.fromstring(entry.content, parser)
        except (etree.XMLSyntaxError, ValueError):
            continue
        if root is not None and recover:
            return etree.tostring(root, encoding="utf-8")
        break
    return entry.content


zip_salvage = FunctionReader(
    "zip_salvage",
    frozenset({"document", "spreadsheet"}),
    read_salvaged,
    "firecrawl-anydoc",
    ("anydoc", "lxml"),
)

READERS = (zip_salvage,)
