"""The record of a source as WARC: every observation with its bytes, and what is said of it."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, BinaryIO

from warcio.statusandheaders import StatusAndHeaders

from centinel import kinds
from centinel.addresses import served_extension
from centinel.export.warc_fields import (
    Headers,
    fields_of,
    headers_of,
    is_answer,
    is_of_the_web,
    one_line,
    status_line,
    target,
)
from centinel.export.warc_files import WarcFiles
from centinel.files import write_json
from centinel.journal import Torn, read_record
from centinel.progress import Progress
from centinel.record import Discovery, Json, Line, Observation, Status, timestamp
from centinel.signatures import HEAD
from centinel.store import Store, file_hash

SIZE = 1 << 30
"""Bytes; a file that has as many is followed by another. WARC 1.1, annex C: about 1 GB."""

_IN_MEMORY = 1 << 20
"""Bytes; a larger blob is read from its file, more than once."""

_NEVER = timestamp(datetime(1970, 1, 1, tzinfo=UTC))
"""The date of the file of a record that has no line."""


class Unfit(Exception):
    """A blob is not what the record says: the message says how."""


@dataclass
class _Export:
    """One export on its way."""

    store: Store
    files: WarcFiles
    torn: Torn = field(default_factory=Torn)
    lines: Counter[str] = field(default_factory=Counter)
    without_bytes: list[Json] = field(default_factory=list)
    _first: dict[tuple[bool, str], tuple[str, str, str]] = field(default_factory=dict)
    """Where a payload stands: address, date and id, by whether it was an answer, and its hash."""

    @property
    def number(self) -> int:
        """The number of the line of the record: ids are made of it, since lines only come after."""
        return self.lines.total()

    def take(self, line: Json) -> None:
        """Writes what a line of the record says; lines of other types are counted and left."""
        name = str(line.get("type"))
        self.lines[name] += 1
        if name not in _TYPES:
            return
        form, write = _TYPES[name]
        try:
            said = form.from_json(line)
        except TypeError as error:
            self.torn.places.append(f"line {self.number}: {error}")
        else:
            self.files.begin(line["at"])
            write(self, line, said)

    def status(self, line: Json, said: Status) -> None:
        """A refusal, a failure or an unchanged answer: metadata of its address."""
        self.files.say(f"{self.number}", said.at, fields_of(line), target(said.artifact))

    def discovery(self, line: Json, said: Discovery) -> None:
        """How complete the list of addresses was."""
        self.files.say(f"{self.number}", said.at, fields_of(line))

    def observation(self, line: Json, seen: Observation) -> None:
        """The bytes as a response, or as a resource where no server gave them; or why not."""
        more: Headers = []
        about = None
        try:
            about, more = self._payload(seen)
        except Unfit as error:
            fault = {"artifact": seen.artifact, "at": seen.at, "blob": seen.blob}
            self.without_bytes.append({**fault, "reason": str(error)})
            more = [("payload", f"not in this export: {error}")]
        fields = [*fields_of(line), *more]
        self.files.say(f"{self.number}/about", seen.at, fields, target(seen.artifact), about)

    def _payload(self, seen: Observation) -> tuple[str, Headers]:
        """Writes the bytes, or where they stand already; returns the record's id and their kind."""
        answered = is_answer(seen)
        served_at = seen.final_url if answered else seen.artifact
        uri, key = target(served_at), (answered, seen.blob)
        digest = f"sha256:{seen.blob}"
        first = self._first.get(key)
        with _opened(self.store, seen.blob, is_known=first is not None) as (stream, size):
            head = stream.read(HEAD)
            stream.seek(0)
            http_headers = _http(seen, size) if answered else None
            if first:
                name = f"{self.number}"
                about = self.files.again(name, uri, seen.at, digest, first, http_headers)
            else:
                named = {"WARC-Payload-Digest": digest}
                if not answered:
                    declared = kinds.media_type(seen.declared_type)
                    named["Content-Type"] = one_line(declared) or "application/octet-stream"
                about = self.files.add(
                    "response" if answered else "resource",
                    f"{self.number}",
                    uri,
                    seen.at,
                    stream,
                    named,
                    http_headers,
                    size,
                )
                first = self._first[key] = (uri, seen.at, about)
        if served_at != seen.artifact and is_of_the_web(seen.artifact):
            # What was asked led there: the same payload, and no headers, since those are not kept.
            asked = f"{self.number}/asked"
            self.files.again(asked, target(seen.artifact), seen.at, digest, first, None)
        return about, _kind(seen, head)


def _http(seen: Observation, size: int) -> Any:
    """The head of the answer, as it holds for the bytes that are kept."""
    line = status_line(seen.http_status or 0)
    return StatusAndHeaders(line, headers_of(seen.headers, size), protocol="HTTP/1.1")


def _kind(seen: Observation, head: bytes) -> Headers:
    """What the table of kinds makes of the bytes, as `classify` does."""
    extension = served_extension(seen.final_url, seen.filename)
    claim = kinds.classify(seen.declared_type, head, extension)
    said = [("kind", claim.kind), ("kind_decided_by", claim.decided_by)]
    return said + [("kind_note", note) for note in claim.notes]


@contextmanager
def _opened(store: Store, sha256: str, is_known: bool) -> Iterator[tuple[BinaryIO, int]]:
    """Gives a blob's bytes, a large one as a file; raises Unfit for one that is not whole.

    One `is_known` was verified in this export, and is not hashed again.
    """
    path = store.blob(sha256)
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        is_set_aside = store.damaged_blob(sha256).exists()
        raise Unfit("damaged" if is_set_aside else "missing") from None
    with stream:
        if not is_known and file_hash(stream.fileno()) != sha256:
            raise Unfit("damaged")
        size = stream.seek(0, 2)
        stream.seek(0)
        if size > _IN_MEMORY or is_known:
            yield stream, size
        else:
            yield BytesIO(stream.read()), size


def _count(store: Store) -> int:
    """How many lines the record has."""
    total = 0
    for month in store.record_months():
        with month.open("rb") as stream:
            total += sum(1 for _ in stream)
    return total


_TYPES: dict[str, tuple[type[Line], Callable[[_Export, Json, Any], None]]] = {
    "observation": (Observation, _Export.observation),
    "status": (Status, _Export.status),
    "discovery": (Discovery, _Export.discovery),
}
"""The types of lines that are exported; requests for datasets are none, since they are people's."""


def write(store: Store, size: int = SIZE, progress: Progress | None = None) -> Json:
    """Writes the whole record of a source as WARC files, and the list of them; returns the list.

    The same record gives the same bytes. A blob that is missing or damaged has a metadata record
    and a place in `without_bytes`, and no payload. Raises OSError for a fault of this machine.
    """
    total = _count(store)
    with WarcFiles(store, size) as files:
        export = _Export(store, files)
        for line in read_record(store, export.torn):
            export.take(line)
            if progress:
                missing = {"without bytes": len(export.without_bytes)}
                progress.maybe(export.number, total - export.number, missing)
        if not files.counts:
            files.begin(_NEVER)
        written = files.finish()
    result: Json = {
        "source": store.source,
        "format": "WARC/1.1",
        "files": written,
        "records": dict(sorted(files.counts.items())),
        "lines": dict(sorted(export.lines.items())),
        "left_out": {name: n for name, n in sorted(export.lines.items()) if name not in _TYPES},
        "without_bytes": export.without_bytes,
        "torn": export.torn.places,
    }
    write_json(store.warc_list, result)
    return result
