"""Archives that the tests make for themselves, honest and hostile."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterable

File = tuple[str, bytes]

PACKERS = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def zip_of(files: Iterable[File], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of files, all of one date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files:
            info = zipfile.ZipInfo(name, (2026, 3, 1, 12, 30, 0))
            info.compress_type = method
            archive.writestr(info, content)
    return buffer.getvalue()


def tar_of(files: Iterable[File], *others: tarfile.TarInfo) -> bytes:
    """A tar of files, all of one date, and of what else is given."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1772368200
            archive.addfile(info, io.BytesIO(content))
        for info in others:
            archive.addfile(info)
    return buffer.getvalue()


def link(name: str, target: str, sort: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    """An entry of a tar that leads somewhere else, or is a device."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = sort, target
    return info


def encrypted(content: bytes) -> bytes:
    """The zip with every entry marked as encrypted."""
    changed = bytearray(content)
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = changed.find(mark)
        while place >= 0:
            changed[place + offset] |= 1
            place = changed.find(mark, place + 4)
    return bytes(changed)


def lying(content: bytes, size: int) -> bytes:
    """The zip with every entry declaring another unpacked size."""
    changed = bytearray(content)
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = changed.find(mark)
        while place >= 0:
            changed[place + offset : place + offset + 4] = size.to_bytes(4, "little")
            place = changed.find(mark, place + 4)
    return bytes(changed)


def damaged(content: bytes, words: bytes) -> bytes:
    """The archive with one byte of stored content changed."""
    place = content.index(words)
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
