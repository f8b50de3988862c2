"""A platform's archive of everything: what is inside it, read in bounds, and by manifest."""

import errno
import hashlib
import lzma
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from centinel.files import read_json, write_json
from centinel.ingest.manifest import DECLARED_PATH
from centinel.ingest.model import ManifestFile, Observed
from centinel.ingest.observing import mimetype_of
from centinel.record import Json
from centinel.signatures import HEAD
from centinel.store import Store

MOST_MEMBERS = 100_000
LARGEST_DIRECTORY = 64 << 20
"""Bytes of the list of members, which is read into memory."""

_CHUNK = 1 << 20
_TAIL = 22 + 65_535
"""The end record of an archive and the longest comment behind it (APPNOTE, 4.3.16)."""


class BadArchive(Exception):
    """The archive cannot be read, or not within the bounds; the message says why."""


@dataclass(frozen=True)
class Bundle:
    """What is inside an archive."""

    members: Mapping[str, Observed] = field(default_factory=dict)
    reason: str | None = None
    """Why it could not be read to its end."""

    def to_json(self) -> Json:
        """Returns the fields in their order."""
        members = {name: each.to_json() for name, each in self.members.items()}
        return {"members": members, "reason": self.reason}


def bundle_of(store: Store, sha256: str, most_bytes: int) -> Bundle:
    """Returns what is inside a blob, from the note beside the results where it was read before."""
    note = store.ingest_bundle(sha256)
    said = read_json(note)
    if said is not None:
        members = {name: Observed.from_json(each) for name, each in said["members"].items()}
        return Bundle(members, said["reason"])
    try:
        bundle = Bundle(read_members(store.blob(sha256), most_bytes))
    except BadArchive as error:
        bundle = Bundle(reason=str(error))
    write_json(note, bundle.to_json())
    return bundle


def read_members(path: Path, most_bytes: int) -> dict[str, Observed]:
    """Returns every file of an archive by its name, as it is inside: streamed, never unpacked.

    Raises BadArchive for what is no archive, is damaged or encrypted, names a member twice, or is
    over a bound: MOST_MEMBERS, LARGEST_DIRECTORY, and `most_bytes` of all members together.
    """
    try:
        with path.open("rb") as stream:
            _check_directory(stream)
            with zipfile.ZipFile(stream) as archive:
                return _members(archive, most_bytes)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError) as error:
        raise BadArchive(f"the archive cannot be read: {error}") from None
    except (ValueError, struct.error, OverflowError) as error:
        raise BadArchive(f"the archive cannot be read: {error}") from None
    except OSError as error:
        # A place before the beginning, and what bz2 says of its own; all else is this machine's.
        if error.errno not in (None, errno.EINVAL):
            raise
        raise BadArchive(f"the archive cannot be read: {error}") from None
    except (NotImplementedError, RuntimeError) as error:
        raise BadArchive(f"the archive is packed or locked in another way: {error}") from None


def _check_directory(stream: BinaryIO) -> None:
    """Looks at how large the list of members says it is, before it is read into memory."""
    size = stream.seek(0, 2)
    start = max(size - _TAIL - 20, 0)
    stream.seek(start)
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise BadArchive("no end of an archive: it is none, or is cut")
    (directory,) = struct.unpack_from("<I", tail, at + 12)
    if directory == 0xFFFFFFFF and at >= 20 and tail[at - 20 : at - 16] == b"PK\x06\x07":
        (where,) = struct.unpack_from("<Q", tail, at - 12)
        stream.seek(min(where, size))
        record = stream.read(56)
        directory = struct.unpack_from("<Q", record, 40)[0] if len(record) == 56 else directory
    if directory > LARGEST_DIRECTORY:
        raise BadArchive(f"the list of members is {directory} bytes, over {LARGEST_DIRECTORY}")
    stream.seek(0)


def _members(archive: zipfile.ZipFile, most_bytes: int) -> dict[str, Observed]:
    infos = [each for each in archive.infolist() if not each.is_dir()]
    if len(infos) > MOST_MEMBERS:
        raise BadArchive(f"{len(infos)} members, over {MOST_MEMBERS}")
    twice = [name for name, count in Counter(each.filename for each in infos).items() if count > 1]
    if twice:
        raise BadArchive(f"{twice[0]!r} stands twice in it")
    found: dict[str, Observed] = {}
    left = most_bytes
    for info in infos:
        found[info.filename] = seen = _member(archive, info, left)
        left -= seen.size or 0
    return found


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, left: int) -> Observed:
    digests = [hashlib.new(each, usedforsecurity=False) for each in ("md5", "sha1", "sha256")]
    size, head = 0, b""
    with archive.open(info) as stream:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if size > left:
                raise BadArchive(f"{info.filename!r} unpacks to more than all may be together")
            head = head or chunk[:HEAD]
            for digest in digests:
                digest.update(chunk)
    md5, sha1, sha256 = (digest.hexdigest() for digest in digests)
    return Observed(size, md5, sha1, sha256, mimetype_of(None, head, info.filename))


def members_for(
    files: Iterable[ManifestFile], members: Mapping[str, Observed]
) -> dict[str, str | None]:
    """Returns for each path of a manifest the name of its member; None where there is none.

    By its path, or by its name as declared; as they are, else below the one folder that everything
    lies in.
    """
    inside = {name.lstrip("/"): name for name in members}
    roots = {name.partition("/")[0] for name in inside if "/" in name}
    if len(roots) == 1:
        root = roots.pop() + "/"
        inside = {
            **{name.removeprefix(root): whole for name, whole in inside.items()},
            **inside,
        }
    found: dict[str, str | None] = {}
    for file in files:
        names = (file.path, str(file.extra.get(DECLARED_PATH, file.path)))
        found[file.path] = next((inside[each] for each in names if each in inside), None)
    return found
