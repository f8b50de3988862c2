"""How large a rectangle the cells of a sheet span, looked up before a library holds it whole.

Sources: [MS-XLSB] 2.4.857 (BrtWsDim), OpenDocument 1.3 part 3, section 9 (tables).
"""

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_CHUNK = 1 << 20
_START = 256 << 10
"""Bytes of a binary sheet in which its dimensions stand: among its first records."""
_MOST_RECORDS = 2_000
_DIMENSIONS = 148

_BINARY_SHEET = re.compile(r"xl/worksheets/.*\.bin")
_TOKEN = re.compile(
    rb"<(/?)table:(table|table-row|table-cell|covered-table-cell)(?=[\s/>])([^<>]*)>"
)
_ROWS = re.compile(rb"number-rows-repeated=[\"'](\d{1,9})")
_COLUMNS = re.compile(rb"number-columns-repeated=[\"'](\d{1,9})")


def largest_in_xlsb(path: Path) -> int:
    """Returns the cells of the largest rectangle that a sheet of a binary workbook declares; 0
    where none does, or the file cannot be looked at."""
    return max(
        (_declared(start) for start in _starts(path, re.compile(r"xl/worksheets/.*\.bin"))),
        default=0,
    )


def largest_in_ods(path: Path) -> int:
    """Returns the cells of the largest rectangle that the filled cells of a sheet span, repeated
    ones as often as they are; 0 where the file cannot be looked at."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("content.xml") as content:
            return _largest(content)
    except (zipfile.BadZipFile, zlib.error, OSError, KeyError, RuntimeError, EOFError):
        return 0


def _starts(path: Path, wanted: re.Pattern[str]) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                if wanted.fullmatch(name):
                    with archive.open(name) as part:
                        yield part.read(_START)
    except (zipfile.BadZipFile, zlib.error, OSError, KeyError, RuntimeError, EOFError):
        return


def _declared(data: bytes) -> int:
    place = 0
    for _ in range(_MOST_RECORDS):
        number, place = _variable(data, place, 2)
        size, place = _variable(data, place, 4)
        if place >= len(data):
            return 0
        if number == _DIMENSIONS:
            first, last, left, right = (
                int.from_bytes(data[place + at : place + at + 4], "little") for at in (0, 4, 8, 12)
            )
            return max(0, last - first + 1) * max(0, right - left + 1)
        place += size
    return 0


def _variable(data: bytes, place: int, most: int) -> tuple[int, int]:
    """Returns a number of up to `most` bytes, seven bits each, and the place behind it."""
    number = 0
    for shift in range(0, 7 * most, 7):
        byte = data[place] if place < len(data) else 0
        number |= (byte & 0x7F) << shift
        place += 1
        if byte < 0x80:
            break
    return number, place


def _largest(content: IO[bytes]) -> int:
    largest = rows = height = width = columns = 0
    repeat, is_filled = 1, False
    for closes, name, attributes in _tokens(content):
        if name == b"table":
            largest = max(largest, height * width)
            rows = height = width = 0
        elif name == b"table-row":
            if not closes:
                repeat, columns, is_filled = _times(_ROWS, attributes), 0, False
            if closes or attributes.endswith(b"/"):
                rows += repeat
                height = rows if is_filled else height
        elif not closes:
            columns += _times(_COLUMNS, attributes)
            if b"value-type" in attributes or not attributes.endswith(b"/"):
                width, is_filled = max(width, columns), True
    return max(largest, height * width)


def _times(pattern: re.Pattern[bytes], attributes: bytes) -> int:
    found = pattern.search(attributes)
    return int(found[1]) if found else 1


def _tokens(content: IO[bytes]) -> Iterator[tuple[bytes, bytes, bytes]]:
    held = b""
    while chunk := content.read(_CHUNK):
        held += chunk
        end = 0
        for token in _TOKEN.finditer(held):
            end = token.end()
            yield token[1], token[2], token[3]
        # What follows the last token may be the start of one; no tag is longer than a chunk.
        held = held[max(end, len(held) - _CHUNK) :]
