"""The files of one WARC export: split by size, and in their place together or not at all."""

import os
import shutil
import zlib
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Self
from uuid import NAMESPACE_URL, uuid5

from warcio.warcwriter import WARCWriter

from centinel import __version__
from centinel.export.warc_fields import Headers, as_fields
from centinel.files import sync
from centinel.record import Json
from centinel.store import Store, file_hash

FORMAT = "WARC/1.1"
"""ISO 28500:2017; its dates have microseconds, as those of the record do."""

_FIELDS = "application/warc-fields"

_SAMPLE = 1 << 16
_PACKED = 0.98
"""What a sample shrinks to, of bytes that are packed already: packing those again takes all the
time (14 MB a second, measured) and gains nothing."""


class _Member:
    """One gzip member: a record, which warcio ends with one `flush`."""

    def __init__(self, out: BinaryIO, level: int) -> None:
        self._out = out
        self._packer = zlib.compressobj(level, zlib.DEFLATED, zlib.MAX_WBITS | 16)

    def write(self, content: bytes) -> None:
        self._out.write(self._packer.compress(content))

    def flush(self) -> None:
        self._out.write(self._packer.flush())


def _level(payload: Any) -> int:
    """How hard a payload is packed: not at all, where a sample shows that it is packed already."""
    place = payload.tell()
    sample = payload.read(_SAMPLE)
    payload.seek(place)
    is_packed = len(sample) == _SAMPLE and len(zlib.compress(sample, 1)) > _PACKED * _SAMPLE
    return 0 if is_packed else 6


@dataclass
class WarcFiles:
    """Takes records one after another; `finish` puts the files into their place."""

    store: Store
    size: int
    """Bytes; a file that has as many is followed by another. What belongs together stays so."""
    counts: dict[str, int] = field(default_factory=dict)
    """Records of each WARC type."""
    _written: list[Path] = field(default_factory=list)
    _stream: BinaryIO | None = None
    _writer: Any = None

    def __enter__(self) -> Self:
        for left in self.store.export.glob(".warc.*.tmp"):
            shutil.rmtree(left)  # of a job that was killed
        self._folder = self.store.export / f".warc.{os.getpid()}.tmp"
        self._folder.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream:
            self._stream.close()
        shutil.rmtree(self._folder)

    def begin(self, date: str) -> None:
        """Opens the first file, or the next where this one is full; `date` is the next record's."""
        if self._stream is not None and self._stream.tell() < self.size:
            return
        path = self._folder / self.store.warc(len(self._written) + 1).name
        if self._stream is not None:
            self.say(f"end/{path.name}", date, [("continued_in", path.name)])
            self._close()
        self._stream = path.open("wb")
        self._writer = WARCWriter(None, gzip=False, warc_version=FORMAT)
        self._written.append(path)
        self._introduce(path.name, date)

    def _introduce(self, name: str, date: str) -> None:
        about = {
            "software": f"centinel/{__version__}",
            "format": "WARC File Format 1.1",
            "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
            "isPartOf": self.store.source,
            "description": f"the record of the source {self.store.source}; "
            f"all files of this export are named in {self.store.warc_list.name}",
        }
        named = {"WARC-Filename": name, "Content-Type": _FIELDS}
        self.add("warcinfo", f"info/{name}", "", date, as_fields([*about.items()]), named)

    def identifier(self, key: str) -> str:
        """Returns the id of a record, which the same record of the same source always has."""
        return f"<urn:uuid:{uuid5(NAMESPACE_URL, f'centinel:{self.store.source}/{key}')}>"

    def say(
        self, key: str, date: str, fields: Headers, uri: str = "", about: str | None = None
    ) -> None:
        """Writes a metadata record; `about` is the id of the record that it describes."""
        named = {"WARC-Refers-To": about} if about else {}
        block = as_fields(fields)
        self.add("metadata", key, uri, date, block, {**named, "Content-Type": _FIELDS})

    def add(
        self,
        kind: str,
        key: str,
        uri: str,
        date: str,
        payload: bytes | BinaryIO,
        named: dict[str, str],
        http_headers: Any = None,
        length: int | None = None,
    ) -> str:
        """Writes a record of a WARC type; returns its id. A stream has its `length` beside it."""
        if isinstance(payload, bytes):
            length, payload = len(payload), BytesIO(payload)
        identifier = self.identifier(key)
        record = self._writer.create_warc_record(
            uri,
            kind,
            payload=payload,
            length=length,
            warc_headers_dict={"WARC-Record-ID": identifier, "WARC-Date": date, **named},
            http_headers=http_headers,
        )
        self.put(kind, record)
        return identifier

    def again(
        self, key: str, uri: str, date: str, digest: str, first: tuple[str, str, str], headers: Any
    ) -> str:
        """Writes a revisit: the payload of `first` (address, date, id) again; returns its id."""
        identifier = self.identifier(key)
        record = self._writer.create_revisit_record(
            uri,
            digest,
            first[0],
            first[1],
            http_headers=headers,
            warc_headers_dict={
                "WARC-Record-ID": identifier,
                "WARC-Date": date,
                "WARC-Refers-To": first[2],
            },
        )
        self.put("revisit", record)
        return identifier

    def put(self, kind: str, record: Any) -> None:
        """Writes a record as warcio made it, with the digest of its block, as a gzip member."""
        assert self._stream is not None
        self._writer.out = _Member(self._stream, _level(record.raw_stream))
        self._writer.write_record(record)
        self.counts[kind] = self.counts.get(kind, 0) + 1

    def _close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def finish(self) -> list[Json]:
        """Puts the files into their place, in that of all earlier ones; returns what they are."""
        self._close()
        found: list[Json] = []
        for path in self._written:
            with path.open("rb") as stream:
                sha256 = file_hash(stream.fileno())
            found.append({"name": path.name, "size": path.stat().st_size, "sha256": sha256})
            sync(path)
        for earlier in self.store.warcs():
            earlier.unlink()
        for path in self._written:
            path.rename(self.store.export / path.name)
        sync(self.store.export)
        return found
