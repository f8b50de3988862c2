"""What a zip or OLE container really is, told from its whole bytes, and whether it is safe to open.

Sources: APPNOTE.TXT 6.3 (zip), ISO/IEC 29500-2 (packages of Office Open XML), OpenDocument 1.3
part 2 (packages), EPUB OCF 3.3, [MS-CFB] (OLE).
"""

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from typing import IO

from centinel.readers.document import Document, GaveWay

ZIP = b"PK\x03\x04"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_END_RECORD = b"PK\x05\x06"

MOST_ENTRIES = 5_000
MOST_UNPACKED = 512 << 20
MOST_UNPACKED_WORKBOOK = 2 << 30
"""Bytes. A sheet of a million rows is half a gigabyte of XML and honest; workbooks are read as
streams, so that their bound is one of time, while other documents are held whole."""
MOST_RATIO = 200
SMALL_UNPACKED = 64 << 20
"""Bytes. Up to here the ratio says nothing: what repeats itself packs at any ratio (deflate ends
at 1032 to 1), and harms nobody while it is small."""

_NO_ZIP = (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, struct.error)
"""What the standard library raises of files that are no zip, or no whole one."""

_DEFLATE_RATIO = 1032
"""The most that deflate can gain (zlib's technical details), so that little cannot lie much."""
_CHUNK = 256 << 10
_MOST_MIMETYPE = 256
_LONGEST_CONTENT_TYPES = 1 << 20
_MOST_LOCAL_HEADERS = 20_000

_MIMETYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.text-master": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
}

_MAIN_PARTS = (
    (b"wordprocessingml.document.main", "docx"),
    (b"wordprocessingml.template.main", "dotx"),
    (b"ms-word.document.macroenabled.main", "docm"),
    (b"ms-word.template.macroenabledtemplate.main", "docm"),
    (b"presentationml.presentation.main", "pptx"),
    (b"presentationml.template.main", "pptx"),
    (b"presentationml.slideshow.main", "ppsx"),
    (b"ms-powerpoint.presentation.macroenabled.main", "pptm"),
    (b"ms-powerpoint.slideshow.macroenabled.main", "pptm"),
    (b"ms-powerpoint.template.macroenabled.main", "pptm"),
    (b"spreadsheetml.sheet.main", "xlsx"),
    (b"spreadsheetml.template.main", "xltx"),
    (b"ms-excel.sheet.macroenabled.main", "xlsm"),
    (b"ms-excel.template.macroenabled.main", "xlsm"),
    (b"ms-excel.sheet.binary.macroenabled.main", "xlsb"),
)
"""Content types of the part that a package opens with; the first that is named is believed."""

_FOLDERS = (
    ("word/document", "docx"),
    ("ppt/presentation", "pptx"),
    ("xl/workbook.bin", "xlsb"),
    ("xl/workbook", "xlsx"),
    ("word/", "docx"),
    ("ppt/", "pptx"),
    ("xl/", "xlsx"),
    ("META-INF/container.xml", "epub"),
)
"""Names of entries, for packages whose list of content types is lost or silent."""

_STREAMS = (
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("__properties_version1.0", "outlook"),
)
"""Streams that only one format has. Embedded objects have storages of their own, so that the
first entry in the directory decides."""

_ENCRYPTED_STREAMS = ("EncryptedPackage", "EncryptionInfo")
_DIRECTORY_ENTRY = 128
_END_RECORD_ROOM = 65_557
_MOST_DIRECTORY = 4 << 20
"""Bytes of a zip's directory: 5,000 entries of 800 bytes, more than any package has."""


def format_of(document: Document) -> str | None:
    """Returns the format (a name of `kinds.FORMATS`) of a zip or OLE container: `docx`, `xls`,
    `epub`, ...; `zip` for a zip that holds no office document.

    `None` where the bytes are no container, or one whose content does not show (an encrypted
    package, an unknown OLE file).  Damaged zips are told by the headers of their entries.
    """
    head = document.head
    if head.startswith(OLE):
        return _ole_format(document.data)
    if head.startswith((ZIP, _END_RECORD)):
        return _zip_format(document)
    return None


def is_encrypted_package(data: bytes) -> bool:
    """Says whether an OLE file is the wrapping of an encrypted Office Open XML package."""
    return data.startswith(OLE) and _first_stream(data, _ENCRYPTED_STREAMS) is not None


def check_zip(document: Document, most_unpacked: int = MOST_UNPACKED) -> None:
    """Raises `GaveWay` where a zip would explode: too many entries, too large when unpacked, or
    packed tighter than documents are.  Declared sizes are checked against what comes out, where a
    lie could matter.  A zip without a central directory passes: no reader opens it either.
    """
    if not document.head.startswith(b"PK"):
        return
    try:
        with document.path.open("rb") as stream:
            if _has_too_many(stream):
                raise GaveWay(f"a zip of more than {MOST_ENTRIES:,} entries")
            with zipfile.ZipFile(stream) as archive:
                _check_sizes(archive.infolist(), most_unpacked)
                _check_content(stream, archive.infolist(), most_unpacked)
    except _NO_ZIP:
        return


def local_headers(data: bytes) -> Iterable[tuple[str, int, int, int]]:
    """Yields name, method, position of the content and declared packed size of each local header
    in `data`, whether a central directory stands or not."""
    position, seen = data.find(ZIP), 0
    while 0 <= position <= len(data) - 30 and seen < _MOST_LOCAL_HEADERS:
        fixed = data[position : position + 30]
        name_length = int.from_bytes(fixed[26:28], "little")
        start = position + 30 + name_length + int.from_bytes(fixed[28:30], "little")
        name = data[position + 30 : position + 30 + name_length].decode("utf-8", "replace")
        method = int.from_bytes(fixed[8:10], "little")
        yield name, method, start, int.from_bytes(fixed[18:22], "little")
        position, seen = data.find(ZIP, position + 4), seen + 1


def _ole_format(data: bytes) -> str | None:
    if _first_stream(data, _ENCRYPTED_STREAMS):
        return None
    return dict(_STREAMS).get(_first_stream(data, [name for name, _ in _STREAMS]) or "")


def _first_stream(data: bytes, names: Iterable[str]) -> str | None:
    """Returns the one of `names` whose entry comes first in the directory of an OLE file."""
    found = [(place, name) for name in names if (place := _entry(data, name)) is not None]
    return min(found)[1] if found else None


def _entry(data: bytes, name: str) -> int | None:
    """Returns where a directory entry of this name lies: entries are 128 bytes, on multiples."""
    wanted = name.encode("utf-16-le") + b"\0\0"
    place = data.find(wanted, 512)
    while place >= 0:
        length = int.from_bytes(data[place + 64 : place + 66], "little")
        if place % _DIRECTORY_ENTRY == 0 and length == len(wanted):
            return place
        place = data.find(wanted, place + 2)
    return None


def _zip_format(document: Document) -> str:
    try:
        with document.path.open("rb") as stream:
            if _has_too_many(stream):
                return _damaged_format(document.data)
            with zipfile.ZipFile(stream) as archive:
                names = archive.namelist()
                mimetype = _start_of(archive, "mimetype", _MOST_MIMETYPE)
                types = _start_of(archive, "[Content_Types].xml", _LONGEST_CONTENT_TYPES)
    except _NO_ZIP:
        return _damaged_format(document.data)
    return _format_by(names, mimetype, types)


def _start_of(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    try:
        with archive.open(name) as stream:
            return stream.read(most)
    except (*_NO_ZIP, KeyError, RuntimeError, zlib.error):
        return b""


def _damaged_format(data: bytes) -> str:
    names: list[str] = []
    starts = {"mimetype": b"", "[Content_Types].xml": b""}
    for name, method, start, packed in local_headers(data):
        names.append(name)
        if starts.get(name) == b"":
            starts[name] = _inflated_start(data, method, start, packed)
    return _format_by(names, starts["mimetype"], starts["[Content_Types].xml"])


def _inflated_start(data: bytes, method: int, start: int, packed: int) -> bytes:
    if method == zipfile.ZIP_STORED:
        return data[start : start + min(packed, _LONGEST_CONTENT_TYPES)]
    try:
        inflate = zlib.decompressobj(-15)
        return inflate.decompress(data[start : start + _CHUNK], _LONGEST_CONTENT_TYPES)
    except zlib.error:
        return b""


def _format_by(names: list[str], mimetype: bytes, types: bytes) -> str:
    by_mimetype = _MIMETYPES.get(mimetype.decode("ascii", "replace").strip().lower())
    if by_mimetype:
        return by_mimetype
    lowered = types.lower()
    first = [(place, name) for mark, name in _MAIN_PARTS if (place := lowered.find(mark)) >= 0]
    if first:
        return min(first)[1]
    plain = [name.replace("\\", "/").removeprefix("/") for name in names]
    for start, name in _FOLDERS:
        if any(each.startswith(start) for each in plain):
            return name
    return "zip"


def _has_too_many(stream: IO[bytes]) -> bool:
    """Says whether the end record declares too many entries, or too large a directory of them:
    reading them all is the harm."""
    stream.seek(0, io.SEEK_END)
    stream.seek(max(0, stream.tell() - _END_RECORD_ROOM))
    tail = stream.read()
    place = tail.rfind(_END_RECORD)
    if place < 0:
        return False
    count = int.from_bytes(tail[place + 10 : place + 12], "little")
    size = int.from_bytes(tail[place + 12 : place + 16], "little")
    return count > MOST_ENTRIES or size > _MOST_DIRECTORY


def _check_sizes(entries: list[zipfile.ZipInfo], most_unpacked: int) -> None:
    if len(entries) > MOST_ENTRIES:
        raise GaveWay(f"a zip of more than {MOST_ENTRIES:,} entries")
    unpacked = sum(entry.file_size for entry in entries)
    packed = max(1, sum(entry.compress_size for entry in entries))
    if unpacked > most_unpacked:
        raise GaveWay(
            f"a zip that unpacks to {unpacked >> 20:,} MiB; {most_unpacked >> 20:,} are opened"
        )
    if unpacked > SMALL_UNPACKED and unpacked > MOST_RATIO * packed:
        raise GaveWay(f"a zip packed {unpacked // packed:,} to 1, a bomb: {MOST_RATIO} is opened")


def _check_content(stream: IO[bytes], entries: list[zipfile.ZipInfo], most_unpacked: int) -> None:
    """Raises where more comes out of the entries than they declare, and more than may be held."""
    liable = [entry for entry in entries if _may_lie(entry)]
    if sum(entry.compress_size for entry in liable) * _DEFLATE_RATIO <= SMALL_UNPACKED:
        return
    honest = sum(entry.file_size for entry in entries)
    excess = 0
    for entry in liable:
        excess += max(0, _unpacked_size(stream, entry, most_unpacked) - entry.file_size)
        if honest + excess > most_unpacked:
            raise GaveWay(
                f"a zip that declares {honest >> 20:,} MiB and unpacks to more than "
                f"{most_unpacked >> 20:,}, a bomb"
            )


_PACKED_ALREADY = re.compile(r"\.(?:png|jpe?g|gif|emf|wmf|tiff?|mp[34]|m4a|wav|avi|mov)$", re.I)


def _may_lie(entry: zipfile.ZipInfo) -> bool:
    """Says whether readers unpack the entry, and could get more than it declares."""
    return (
        entry.compress_type == zipfile.ZIP_DEFLATED
        and entry.compress_size * _DEFLATE_RATIO > max(entry.file_size, _CHUNK)
        and not _PACKED_ALREADY.search(entry.filename)
    )


def _unpacked_size(stream: IO[bytes], entry: zipfile.ZipInfo, most: int) -> int:
    """Returns how many bytes an entry really inflates to, counted up to `most`."""
    stream.seek(entry.header_offset)
    fixed = stream.read(30)
    lengths = int.from_bytes(fixed[26:28], "little") + int.from_bytes(fixed[28:30], "little")
    stream.seek(lengths, io.SEEK_CUR)
    inflate, size, left = zlib.decompressobj(-15), 0, entry.compress_size
    try:
        while left > 0 and size <= most and not inflate.eof:
            packed = stream.read(min(_CHUNK, left))
            left = left - len(packed) if packed else 0
            while packed and size <= most and not inflate.eof:
                size += len(inflate.decompress(packed, 4 * _CHUNK))
                packed = inflate.unconsumed_tail
    except zlib.error:
        pass
    return size
