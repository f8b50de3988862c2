"""The title that a PDF gives itself, found without opening it."""

import re
from html import unescape

from centinel.readers.titles import sane_title

_INFO = re.compile(rb"/Info\s+(\d+)\s+(\d+)\s+R")
_TITLE = re.compile(
    rb"/Title\s*(?:\(((?:[^()\\]|\\.|\([^()]*\))*)\)|<([0-9A-Fa-f\s]*)>)", re.DOTALL
)
_XMP_TITLE = re.compile(rb"<dc:title>.{0,200}?<rdf:li[^>]*>([^<]{1,2000})</rdf:li>", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|\r\n|.)", re.DOTALL)
_ESCAPED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"", b"f": b"", b"\n": b"", b"\r\n": b""}


def title_in_bytes(data: bytes) -> str | None:
    """Returns the title in the information dictionary or the XMP packet, where either lies open in
    `data`, else `None`.

    Opens nothing and so survives every file, unlike the library that may just have died of one.
    """
    if b"/Encrypt" in data:
        return None
    return sane_title(_information_title(data)) or sane_title(_packet_title(data))


def _information_title(data: bytes) -> str | None:
    reference = next(iter(_INFO.findall(data)[-1:]), None)  # the last one is the newest
    if reference is None:
        return None
    number, generation = (int(part) for part in reference)
    opened = list(re.finditer(rb"(?<!\d)%d\s+%d\s+obj\b" % (number, generation), data))
    if not opened:
        return None
    start = opened[-1].end()
    title = _TITLE.search(data, start, max(start, data.find(b"endobj", start)))
    if title is None:
        return None
    literal, hexadecimal = title.groups()
    if hexadecimal is not None:
        digits = b"".join(hexadecimal.split()).decode("ascii")
        return _decoded(bytes.fromhex(digits + "0" * (len(digits) % 2)))
    return _decoded(_ESCAPE.sub(_unescaped, literal))


def _packet_title(data: bytes) -> str | None:
    packet = _XMP_TITLE.search(data)
    return unescape(packet[1].decode("utf-8", "replace")) if packet else None


def _unescaped(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    octal = code[:1] in b"01234567"
    return bytes([int(code, 8) & 0xFF]) if octal else _ESCAPED.get(code, code)


def _decoded(raw: bytes) -> str:
    """Returns a PDF text string: UTF-16 or UTF-8 by its mark, else nearly Latin-1."""
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:].decode("utf-8", "replace")
    return raw.decode("cp1252", "replace")
