"""Whether an office document is locked, which some libraries do not notice: they read the bytes.

Sources: [MS-OFFCRYPTO] 2.3.4 (packages), [MS-DOC] 2.5.2 (FibBase), [MS-PPT] 2.3.2
(CurrentUserAtom), OpenDocument 1.3 part 2, section 3.4.
"""

import re
import zipfile
import zlib

from centinel.readers.containers import is_encrypted_package
from centinel.readers.document import Document

_SECTOR = 512
_WORD = b"\xec\xa5"
_WORD_FLAGS = 0x0A
_IS_ENCRYPTED = 0x0100
_SLIDES = re.compile(rb"\xf6\x0f.{4}\x14\0\0\0\xdf\xc4\xd1\xf3", re.DOTALL)
"""The record of the last user, with the mark that stands there for an encrypted presentation."""
_LARGEST_MANIFEST = 1 << 20


def is_encrypted(document: Document, name: str) -> bool:
    """Says whether a document of the format `name` (`ole` where nothing shows which) is encrypted.

    Old workbooks are left to their library, which tells.
    """
    if name == "ole":
        return is_encrypted_package(document.data)
    if name == "doc":
        return _is_locked_word(document.data)
    if name == "ppt":
        return _SLIDES.search(document.data) is not None
    return name in ("odt", "odp", "ods") and _is_locked_package(document)


def _is_locked_word(data: bytes) -> bool:
    """Looks at the first block of a Word document: streams begin on a sector."""
    place = data.find(_WORD, _SECTOR)
    while place >= 0:
        if place % _SECTOR == 0:
            flags = int.from_bytes(data[place + _WORD_FLAGS : place + _WORD_FLAGS + 2], "little")
            return bool(flags & _IS_ENCRYPTED)
        place = data.find(_WORD, place + 1)
    return False


def _is_locked_package(document: Document) -> bool:
    try:
        with (
            zipfile.ZipFile(document.path) as archive,
            archive.open("META-INF/manifest.xml") as manifest,
        ):
            return b"encryption-data" in manifest.read(_LARGEST_MANIFEST)
    except (zipfile.BadZipFile, zlib.error, OSError, KeyError, ValueError, RuntimeError, EOFError):
        return False
