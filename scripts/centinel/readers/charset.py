"""Bytes to text: the order of evidence about a character set that garbled the fewest pages."""

import re
from dataclasses import dataclass
from pathlib import Path

from centinel.readers.characters import normalise

_HIGH = bytes(range(0x80, 0x100))
_CONTROLS = bytes([*range(8), *range(14, 27), *range(28, 32)])
"""Without the escape character, which 7-bit Japanese is full of."""

_SAMPLE_BYTES = 64 * 1024

_TOLERATED = 0.05
"""Share of the non-ASCII bytes that may be broken in a page whose character set is still believed:
one cut or pasted character is damage, one in twenty is another character set."""

_SEVEN_BIT = re.compile(r"iso2022|^hz")
"""Encodings that are ASCII bytes throughout, so that "it is ASCII" says nothing against them."""

_MULTI_BYTE = ("cp932", "euc_jp", "gb18030", "big5", "cp949")
"""Bytes seldom form these by chance, so that their structure alone is evidence."""

_CANDIDATES = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"),
    *("iso8859_2", "iso8859_7", "koi8_r", "koi8_u"),
    *_MULTI_BYTE,
)
"""What web servers send; the detector would else answer with EBCDIC or DOS code pages."""

_SHORT_SAMPLE = 16
"""Fewer non-ASCII bytes than this carry no statistics: Western European is assumed."""


@dataclass(frozen=True)
class Decoded:
    """A decoded text, the codec that gave it, and what is doubtful about that."""

    text: str
    encoding: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Charset:
    """What the evidence says of some bytes: the codec, its byte order mark, what is doubtful."""

    encoding: str
    mark: bytes = b""
    notes: tuple[str, ...] = ()


def decode(data: bytes, declared_type: str | None = None, *, markup: bool = False) -> Decoded:
    """Returns the text of `data` by the charset that `charset_of` finds, never raises.

    Places that cannot be decoded are U+FFFD, counted in a note.
    """
    from w3lib.encoding import to_unicode

    charset = charset_of(data, declared_type, markup=markup)
    lost = _broken(data, charset.encoding)
    notes = (*charset.notes, *([f"{lost} places are no {charset.encoding}"] if lost else []))
    text = to_unicode(data[len(charset.mark) :], charset.encoding)
    return Decoded(normalise(text), charset.encoding, notes)


def charset_of(data: bytes, declared_type: str | None = None, *, markup: bool = False) -> Charset:
    """Returns the charset of `data`: byte order mark, UTF-16 by its zeros, UTF-8, the declaration
    (header, then meta where `markup`), detection, windows-1252.

    UTF-8 comes before a declaration, because bytes that happen to be UTF-8 almost always are:
    servers declare iso-8859-1 over UTF-8 pages.  What was inferred or contradicted is noted.
    """
    from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom

    marked, mark = read_bom(data)
    if marked and mark:
        return Charset(marked, mark)
    if zeros := utf16_by_zeros(data):
        return Charset(zeros, notes=(f"charset inferred: {zeros}",))
    declared = http_content_type_encoding(declared_type)
    if declared is None and markup:
        declared = html_body_declared_encoding(data)
    if data.isascii() and not (declared and _SEVEN_BIT.search(declared)):
        return Charset("utf-8")
    if not data.isascii() and _fits(data, "utf-8"):
        return Charset("utf-8", notes=_contradiction(declared, "utf-8"))
    if declared and _fits(data, declared):
        return Charset(declared)
    found = _detect(data)
    return Charset(found, notes=(f"charset inferred: {found}", *_contradiction(declared, found)))


def telling_sample(path: Path) -> bytes:
    """Returns of the file at `path` what its charset can be told from, without holding more: its
    first 64 KiB, and as much of the lines behind them that are not ASCII."""
    with path.open("rb") as file:
        head = file.read(_SAMPLE_BYTES)
        room = _SAMPLE_BYTES
        telling = [head + file.readline(_SAMPLE_BYTES)]
        for line in file:
            if not line.isascii():
                telling.append(line)
                room -= len(line)
                if room <= 0:
                    break
    return b"".join(telling)


def utf16_by_zeros(data: bytes) -> str | None:
    """Returns the UTF-16 codec of `data` without a byte order mark, `None` where it is not that.

    Latin text in UTF-16 has a zero in nearly every second byte, and in the same half of each pair.
    """
    head = data[: 4096 & ~1]
    pairs = len(head) // 2
    if pairs < 2 or 0 not in head:
        return None
    for codec, zeros, others in (
        ("utf-16-le", head[1::2].count(0), head[0::2].count(0)),
        ("utf-16-be", head[0::2].count(0), head[1::2].count(0)),
    ):
        if zeros >= 0.4 * pairs and others <= 0.02 * pairs:
            text = head[: pairs * 2].decode(codec, "replace")
            plain = sum(character.isprintable() or character.isspace() for character in text)
            return codec if plain >= 0.9 * len(text) else None
    return None


def is_binary(data: bytes) -> bool:
    """Says whether `data` is no text in any character set: zeros that are not UTF-16's, or one
    control character in ten, in the first 64 KiB."""
    from w3lib.encoding import read_bom

    head = data[:_SAMPLE_BYTES]
    if not head or read_bom(head)[0] or utf16_by_zeros(head):
        return False
    controls = len(head) - len(
        head.translate(None, bytes([*range(8), *range(14, 27), *range(28, 32)]))
    )
    return head.count(0) * 100 > len(head) or controls * 10 > len(head)


def _broken(data: bytes, encoding: str) -> int:
    """Returns how many places of `data` are no characters of `encoding`."""
    from w3lib.encoding import to_unicode

    already = data.count(b"\xef\xbf\xbd") if encoding.replace("_", "-") == "utf-8" else 0
    return max(0, to_unicode(data, encoding).count("\ufffd") - already)


def _fits(data: bytes, encoding: str) -> bool:
    """Says whether `data` can be `encoding`, a little damage allowed."""
    high = len(data) - len(data.translate(None, _HIGH))
    try:
        return _broken(data, encoding) <= _TOLERATED * high
    except (LookupError, UnicodeError):  # charset=base64 names a codec, but not one of text
        return False


def _detect(data: bytes) -> str:
    """Returns the likeliest character set by charset-normalizer, from the lines that tell."""
    from charset_normalizer import from_bytes

    telling = b"\n".join(line for line in data.splitlines() if not line.isascii())[:_SAMPLE_BYTES]
    if len(telling) - len(telling.translate(None, _HIGH)) < _SHORT_SAMPLE:
        return "cp1252"
    matches = list(from_bytes(telling, cp_isolation=list(_CANDIDATES)))
    if not matches:
        return "cp1252"
    best = max(matches, key=lambda match: (match.coherence, -match.chaos))
    believed = best.coherence > 0 or best.encoding in _MULTI_BYTE
    same = telling.decode(best.encoding, "replace") == telling.decode("cp1252", "replace")
    return best.encoding if believed and not same else "cp1252"


def _contradiction(declared: str | None, found: str) -> tuple[str, ...]:
    if declared is None or declared.replace("_", "-") == found:
        return ()
    return (f"charset declared as {declared}, read as {found}",)
