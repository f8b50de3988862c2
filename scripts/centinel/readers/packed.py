"""The entries of archives: zip, tar, and what gzip, bzip2 and xz pack.

Everything in them may be hostile: sizes lie, names lead elsewhere, a megabyte holds a petabyte.
Nothing is ever written by a name from an archive, and nothing is unpacked beyond the bounds here.
"""

import bz2
import errno
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, cast

from centinel.readers.characters import one_line
from centinel.readers.entries import Bomb, Raw, Unreadable

MOST_RATIO = 200
SMALL_UNPACKED = 64 << 20
"""Bytes. Up to here the ratio says nothing: what repeats itself packs at any ratio (deflate ends
at 1032 to 1), and harms nobody while it is small."""

MOST_UNPACKED = 4 << 30
"""Bytes that are unpacked to see what a packed tar holds; the rest is not looked at."""

_MOST_DIRECTORY = 16 << 20
"""Bytes of a zip's central directory, about 200,000 entries: all of it is held at once."""

_MOST_XZ_MEMORY = 256 << 20
"""Bytes. The highest preset of xz asks for 65 MiB; a header may ask for 4 GiB."""

_MOST_MEMBERS_OF_TAR = 200_000
_BLOCK = 512
_END_RECORD = b"PK\x05\x06"
_END_RECORD_ROOM = 65_557

_LONGEST_REASON = 300
"""Characters."""

_ODD_POSITIONS = frozenset({None, errno.EINVAL, errno.EOVERFLOW})
"""Of an OSError: none where a library raised it, and what a seek to nowhere gives."""


def is_damage(error: Exception) -> bool:
    """Says whether an error is the fault of the file; one of this machine has a number."""
    return not isinstance(error, OSError) or error.errno in _ODD_POSITIONS


def entries_of(path: Path, name: str | None = None) -> Iterator[Raw]:
    """Yields the entries of an archive in its order; folders are none.

    `name` is what the archive is called, for what is packed without a name.  Raises `Bomb` where
    it would explode, and `Unreadable` where it is no archive that is known here or is damaged:
    entries before the damage were yielded.
    """
    with path.open("rb") as stream:
        head = stream.read(_BLOCK)
        stream.seek(0)
        try:
            yield from _walker(head)(path, stream, name)
        except (Bomb, Unreadable):
            raise
        except Exception as error:  # the libraries raise a dozen sorts of odd archives
            if not is_damage(error):
                raise
            raise Unreadable(damage(error)) from error


def damage(error: Exception) -> str:
    """Returns what an error says of a file, on one line; some quote names of any length."""
    said = one_line(str(error)) or type(error).__name__
    return f"damaged: {said[:_LONGEST_REASON]}"


_Walker = Callable[[Path, IO[bytes], str | None], Iterator[Raw]]


def _walker(head: bytes) -> _Walker:
    for signature, walker in _WALKERS:
        if head.startswith(signature):
            return walker
    if _is_tar(head):
        return _walk_tar
    known = next((name for mark, name in _NOT_OPENED if head.startswith(mark)), None)
    raise Unreadable(f"{known} archives are not opened here" if known else "no known archive")


def _is_tar(head: bytes) -> bool:
    """Says whether a block is the header of a tar: its checksum is right (POSIX.1-1988 on)."""
    if len(head) < _BLOCK or not head.strip(b"\0"):
        return False
    try:
        stated = tarfile.nti(head[148:156])  # type: ignore[attr-defined]
        return stated in tarfile.calc_chksums(head)  # type: ignore[attr-defined]
    except tarfile.TarError:
        return False


def _walk_zip(path: Path, stream: IO[bytes], _: str | None) -> Iterator[Raw]:
    _check_directory(stream)
    with zipfile.ZipFile(stream) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        unpacked, size = sum(info.file_size for info in infos), path.stat().st_size
        if unpacked > allowed(size):
            raise Bomb(
                f"a bomb: {size:,} bytes unpack to {unpacked:,}, {unpacked // max(1, size):,} to 1"
            )
        for info in infos:
            yield Raw(
                _zip_name(info),
                info.file_size,
                _zip_date(info),
                left_out="a link" if info.external_attr >> 28 == 0xA else None,
                fault="encrypted" if info.flag_bits & 1 else None,
                open=lambda info=info: archive.open(info),  # type: ignore[misc]
            )


def _check_directory(stream: IO[bytes]) -> None:
    """Raises `Bomb` where a zip's directory is too large to be read."""
    stream.seek(0, io.SEEK_END)
    stream.seek(max(0, stream.tell() - _END_RECORD_ROOM))
    tail = stream.read()
    stream.seek(0)
    place = tail.rfind(_END_RECORD)
    room = int.from_bytes(tail[place + 12 : place + 16], "little") if place >= 0 else 0
    if room == 0xFFFFFFFF:
        wide = tail.rfind(b"PK\x06\x06", 0, place)
        room = int.from_bytes(tail[wide + 40 : wide + 48], "little") if wide >= 0 else 0
    if room > _MOST_DIRECTORY:
        raise Bomb(f"a directory of {room:,} bytes, the limit is {_MOST_DIRECTORY:,}")


def _zip_name(info: zipfile.ZipInfo) -> str:
    """Returns an entry's name: many programs write UTF-8 and do not say so."""
    if info.flag_bits & 0x800:
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.orig_filename


def _zip_date(info: zipfile.ZipInfo) -> str | None:
    try:
        return f"{datetime(*info.date_time):%Y-%m-%d %H:%M}"
    except ValueError:
        return None


def _walk_tar(_: Path, stream: IO[bytes], __: str | None) -> Iterator[Raw]:
    yield from _tar_entries(stream, allowed(stream.seek(0, io.SEEK_END)), stream)


def _tar_entries(stream: IO[bytes], most: int, seekable: IO[bytes] | None = None) -> Iterator[Raw]:
    if seekable is not None:
        seekable.seek(0)
    mode = "r:" if seekable is not None else "r|"
    with tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
        unpacked = number = 0
        while (info := archive.next()) is not None:
            archive.members, number = [], number + 1  # what was passed is not kept
            if number > _MOST_MEMBERS_OF_TAR:
                raise Unreadable(f"more than {_MOST_MEMBERS_OF_TAR:,} entries: the rest not listed")
            if info.isdir():
                continue
            unpacked += info.size if info.isreg() else 0
            if unpacked > most:
                raise Bomb(f"a bomb: it unpacks to more than {most:,} bytes")
            yield Raw(
                info.name,
                info.size if info.isreg() else None,
                _tar_date(info),
                left_out=_no_file(info),
                open=lambda info=info: _opened(archive, info),  # type: ignore[misc]
            )


def _no_file(info: tarfile.TarInfo) -> str | None:
    if info.isreg():
        return None
    return "a link" if info.issym() or info.islnk() else "a device"


def _opened(archive: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    opened = archive.extractfile(info)
    if opened is None:
        raise Unreadable("no file")
    return opened


def _tar_date(info: tarfile.TarInfo) -> str | None:
    try:
        return f"{datetime.fromtimestamp(info.mtime, UTC):%Y-%m-%d %H:%M}"
    except (ValueError, OverflowError, OSError):
        return None


class _Counted(io.RawIOBase):
    """A stream that raises `Bomb` where more comes out of it than may."""

    def __init__(self, stream: IO[bytes], size: int) -> None:
        super().__init__()
        self._stream, self._size, self._most = stream, size, allowed(size)
        self._passed = 0

    def readable(self) -> bool:
        """It can only be read."""
        return True

    def readinto(self, buffer: "memoryview[int] | bytearray") -> int:  # type: ignore[override]
        """Fills the buffer from the stream, and counts."""
        chunk = self._stream.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._passed += len(chunk)
        if self._passed > self._most:
            raise Bomb(f"a bomb: {self._size:,} bytes unpack to more than {self._most:,}")
        if self._passed > MOST_UNPACKED:
            raise Unreadable(f"not looked at beyond {MOST_UNPACKED:,} unpacked bytes")
        return len(chunk)


def allowed(size: int) -> int:
    """Returns how many bytes a file of `size` bytes may unpack to."""
    return max(SMALL_UNPACKED, MOST_RATIO * size)


def _packed(opener: Callable[[IO[bytes]], IO[bytes]], extensions: tuple[str, ...]) -> _Walker:
    """Returns the walker of a compression: a tar in it is listed, else it holds one file."""

    def walk(path: Path, stream: IO[bytes], name: str | None) -> Iterator[Raw]:
        size = path.stat().st_size
        inner = io.BufferedReader(_Counted(opener(stream), size), 1 << 16)
        head = inner.peek(_BLOCK)[:_BLOCK]
        if _is_tar(head):
            yield from _tar_entries(inner, allowed(size))
        else:
            stated = _gzip_name(path) if opener is _open_gzip else None
            yield Raw(stated or _inner_name(name, extensions), open=lambda: inner)

    return walk


def _inner_name(name: str | None, extensions: tuple[str, ...]) -> str:
    """Returns what `name` is called without the extension of its compression."""
    path = PurePosixPath(name or "content")
    return path.stem if path.suffix.lower() in extensions else f"{path.name}.content"


def _gzip_name(path: Path) -> str | None:
    """Returns the name in the head of a gzip file (RFC 1952, FNAME), without folders."""
    with path.open("rb") as stream:
        head = stream.read(4096)
    flags, place = head[3], 10
    if not flags & 8:
        return None
    if flags & 4:
        place += 2 + int.from_bytes(head[10:12], "little")
    name, end, _ = head[place:].partition(b"\0")
    if not end:
        return None
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError:
        text = name.decode("latin-1")
    return text.replace("\\", "/").rpartition("/")[2] or None


def _open_gzip(stream: IO[bytes]) -> IO[bytes]:
    return cast(IO[bytes], gzip.GzipFile(fileobj=stream))


def _open_bzip2(stream: IO[bytes]) -> IO[bytes]:
    return bz2.BZ2File(stream)


def _open_xz(stream: IO[bytes]) -> IO[bytes]:
    decompressor = lzma.LZMADecompressor(memlimit=_MOST_XZ_MEMORY)
    decompressor.decompress(stream.read(4096), max_length=1)
    stream.seek(0)
    return lzma.LZMAFile(stream)


_WALKERS: tuple[tuple[bytes, _Walker], ...] = (
    (b"PK\x03\x04", _walk_zip),
    (_END_RECORD, _walk_zip),
    (b"\x1f\x8b", _packed(_open_gzip, (".gz", ".tgz"))),
    (b"BZh", _packed(_open_bzip2, (".bz2", ".tbz2", ".tbz"))),
    (b"\xfd7zXZ\x00", _packed(_open_xz, (".xz", ".txz"))),
)

_NOT_OPENED = (
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"WARC/", "warc"),
)
