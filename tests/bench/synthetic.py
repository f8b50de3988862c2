"""An archive of any size without a request and without a reading: `results/` of a synthetic site.

`python -m tests.bench.synthetic --documents 100000` makes, in the present folder, what a first run
on the site of `documents.py` would leave, but for the bodies, which are short. The library's own
writers write all of it, so that its form cannot differ from a run's. The same number gives the
same files, but for times.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from pathlib import Path

import yaml

from centinel import changes, classify, crumbs, locks, snapshot
from centinel.acquire import Loop
from centinel.answers import Answer
from centinel.configuration import Configuration, Source, load, read_yaml
from centinel.extract import Extract
from centinel.files import to_bytes
from centinel.http import Client
from centinel.progress import Progress
from centinel.readers.document import Document
from centinel.readers.outcome import Outcome, Tried
from centinel.record import Liveness, Observation, Resource, Status, timestamp
from centinel.report import overview
from centinel.report import source as audit
from centinel.schemas import PROJECT
from centinel.sources.source_kind import Enumeration
from centinel.sources.website import Website
from centinel.store import Store
from centinel.turns import read_turn
from tests.bench import documents

SITE = os.environ.get("CENTINEL_BENCH_SITE", "https://town.example")
"""Where the documents are; nobody is there, unless a benchmark serves them."""

SOURCE = "corpus"
SOURCES = Path("sources.yaml")
SILENT = Progress("bench", streams=())

REFUSED_OF = 50
"""One address in so many is refused."""

SAME_OF = 97
"""One address in so many has the bytes of a page that is no page: an error served as 200."""

UNREADABLE_OF = 31
"""One text in so many cannot be read."""

_REFUSALS = (
    (Liveness.GONE, "answered 404", 404),
    (Liveness.BLOCKED, "robots.txt denies it", None),
    (Liveness.ERROR, "answered 503", 503),
)


class Told(Website):
    """A website whose addresses need not be asked for: a number says them."""

    def __init__(self, count: int) -> None:
        self.count = count

    def enumerate(self, source: Source, client: Client) -> Enumeration:  # noqa: ARG002
        """Returns the addresses of the synthetic site."""
        resources = [Resource(address_of(number), "2020-01-06") for number in range(self.count)]
        return Enumeration("sitemap", resources)

    def fetch(
        self,
        source: Source,  # noqa: ARG002
        client: Client,  # noqa: ARG002
        artifact: str,
        validators: Mapping[str, str],  # noqa: ARG002
    ) -> Answer:
        """Raises RuntimeError: the archive holds everything."""
        raise RuntimeError(f"{artifact} was asked for")


@dataclass(frozen=True)
class Written:
    """Writes in place of a reader: a short text, or none of one document in so many."""

    scratch: Path

    def read(self, document: Document, title: str | None = None) -> Outcome:  # noqa: ARG002
        """Returns what the document's own hash decides."""
        draw = int(document.path.name[:8], 16)
        if draw % UNREADABLE_OF == 0:
            tried = (Tried("synthetic", "1", f"page {draw % 9} is damaged"),)
            return Outcome("underivable", document.kind, reason=tried[0].reason, tried=tried)
        text = f"# Document {draw}\n\nWhat it says.\n"
        notes = (f"page {draw % 7} of 7 has no text",) if draw % 10 == 0 else ()
        made = Outcome(
            "text",
            document.kind,
            text,
            "synthetic",
            "1",
            recovered_by_fallback=draw % 20 == 0,
            title=f"Document {draw}",
            chars=len(text),
            notes=notes,
        )
        return made.with_text_in(self.scratch)


def address_of(number: int) -> str:
    """Returns the address of a document."""
    return SITE + documents.path_of(number)


def make(configuration: Configuration, identifier: str, count: int) -> None:
    """Makes the archive of one source, stage after stage, and its reports."""
    store, source = Store(configuration.results, identifier), configuration.sources[identifier]
    kind = Told(count)
    client = Client(folder=store.incoming, contact="", rps=1)
    store.root.mkdir(parents=True, exist_ok=True)
    with locks.held(store.record_lock):
        snapshot.take(store, source, kind, client)
        _write_record(store, count)
        Loop(store, source, kind, client, SILENT).run(read_turn(store))
    classify.run(store, configuration.pipeline.kinds_version)
    extract(store, configuration)
    report(store, configuration)


def extract(store: Store, configuration: Configuration) -> None:
    """Reads every shard, without a reader."""
    with scratch(store) as folder:
        for kind, shard in classify.work_files(store):
            version = configuration.pipeline.reading(kind).version
            Extract(store, kind, version, Written(folder), SILENT).run(shard)


@contextmanager
def scratch(store: Store) -> Iterator[Path]:
    """Gives a folder for texts on their way, while the block runs."""
    folder = store.root / "scratch"
    folder.mkdir(exist_ok=True)
    yield folder
    folder.rmdir()


def report(store: Store, configuration: Configuration) -> None:
    """Does what the job report does."""
    changes.write(store)
    crumbs.write(store, crumbs.standing(configuration))
    audit.write(store, configuration.sources[store.source], configuration.pipeline)


def _write_record(store: Store, count: int) -> None:
    """One line an address, a second apart, and the bytes that the lines name.

    Not through the journal: it syncs a group to disk before the next, which takes longer than all
    else here.
    """
    began = datetime.now(UTC) - timedelta(hours=1)
    links = []
    with store.record_month(began).open("ab") as stream:
        for number in range(count):
            at = timestamp(began + timedelta(microseconds=number))
            line = _refused(number, at) if number % REFUSED_OF == 7 else _observed(number, at)
            stream.write(to_bytes(line.to_json()) + b"\n")
            if isinstance(line, Observation):
                _write_blob(store.blob(line.blob), _body(number))
                if line.declared_type and line.declared_type.startswith("text/html"):
                    links.append(crumbs.PageLinks(line.artifact, line.blob, list(_links(number))))
    crumbs.keep(store, links)


def _observed(number: int, at: str) -> Observation:
    body, form = _body(number), documents.format_of(number)
    blob = sha256(body).hexdigest()
    address = address_of(number)
    return Observation(
        at=at,
        resource=address,
        artifact=address,
        blob=blob,
        size=len(body),
        fingerprint=blob,
        declared_type=form.content_type,
        final_url=address,
        http_status=200,
        headers=_headers(number, form.content_type, len(body)),
        filename=None,
        title=None,
        parts=list(_parts(number)),
        notes=["1 enclosure left out: it is denied"] if number % 40 == 0 else [],
    )


def _refused(number: int, at: str) -> Status:
    liveness, reason, status = _REFUSALS[number % len(_REFUSALS)]
    address = address_of(number)
    return Status(at, address, address, liveness.value, at, 1, reason, status)


def _headers(number: int, content_type: str, size: int) -> dict[str, str]:
    return {
        "date": "Mon, 02 Mar 2026 09:00:00 GMT",
        "content-type": content_type,
        "content-length": str(size),
        "last-modified": "Mon, 06 Jan 2020 09:00:00 GMT",
        "etag": f'"{number:x}-{size:x}"',
        "server": "nginx",
    }


def served(number: int) -> tuple[bytes, dict[str, str]]:
    """Returns the bytes and the headers of a document."""
    body = _body(number)
    return body, _headers(number, documents.format_of(number).content_type, len(body))


def _body(number: int) -> bytes:
    """A few bytes that open as what the document is."""
    form = documents.format_of(number)
    if number % SAME_OF == 0:
        return _OPENINGS.get(form.name, b"") + b"The page that you asked for is not here.\n"
    return _OPENINGS.get(form.name, b"") + f"Document {number}\n".encode()


_OPENINGS = {
    "html": b"<!doctype html><title>Page</title><p>",
    "pdf": b"%PDF-1.7\n",
    "json": b"[]\n",
    "xml": b'<?xml version="1.0"?>\n',
    "docx": b"PK\x03\x04",
    "png": b"\x89PNG\r\n\x1a\n",
}


def _parts(number: int) -> tuple[str, ...]:
    """One page in three names the last paper before it, as those of the served site do."""
    if number % 3 or documents.format_of(number).name != "html":
        return ()
    before = range(number - 1, max(number - 20, -1), -1)
    papers = (each for each in before if documents.format_of(each).name == "pdf")
    return tuple(address_of(each) for each in islice(papers, 1))


def _links(number: int) -> Iterator[dict[str, str | int]]:
    """Two hosts that all pages link to, and one in ten of a thousand others."""
    yield {"host": "state.example", "links": 2, "example": "https://state.example/"}
    yield {"host": "social.example", "links": 1, "example": "https://social.example/town"}
    if number % 10 == 0:
        host = f"partner-{number // 10 % 1000}.example"
        yield {"host": host, "links": 1, "example": f"https://{host}/"}


def _write_blob(path: Path, body: bytes) -> None:
    """Makes the folder only where it is not there: most are, at this size."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    try:
        descriptor = os.open(path, flags, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, flags, 0o666)
    try:
        os.write(descriptor, body)
    finally:
        os.close(descriptor)


def configuration_of(sources: int = 1) -> Configuration:
    """Returns what a run in the present folder is told; writes the sources file where it is not."""
    if not SOURCES.exists():
        blocks = {identifier: {"site": f"{SITE}/"} for identifier in identifiers(sources)}
        SOURCES.write_text(yaml.safe_dump(blocks))
    files = (PROJECT / "config/config.yaml", PROJECT / "config/pipeline.yaml")
    given = {key: value for path in files for key, value in read_yaml(path, path.name).items()}
    given.pop("crumbs", None)
    return load({**given, "sources": str(SOURCES), "results": "results"})


def identifiers(sources: int) -> list[str]:
    """Returns the names of so many sources."""
    return [SOURCE] if sources == 1 else [f"{SOURCE}-{number:03d}" for number in range(sources)]


def main() -> None:
    """Makes one archive, or as many sources of so many documents each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--sources", type=int, default=1)
    arguments = parser.parse_args()
    configuration = configuration_of(arguments.sources)
    for identifier in identifiers(arguments.sources):
        make(configuration, identifier, arguments.documents)
    overview.write(configuration)


if __name__ == "__main__":
    main()
