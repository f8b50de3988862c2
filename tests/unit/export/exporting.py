"""What the tests of exports share: a record with all that can stand in one, and WARC files read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from centinel.journal import Journal
from centinel.record import Discovery, Line, Observation, Status, moment, timestamp
from centinel.store import Store
from tests.unit.support import NOON, observation, sha256, status

SITE = "https://town.example"


@dataclass(frozen=True)
class Read:
    """One record of a WARC file."""

    kind: str
    uri: str | None
    named: dict[str, str]
    http_status: str | None
    http: dict[str, str]
    payload: bytes
    file: str

    @property
    def identifier(self) -> str:
        return self.named["WARC-Record-ID"]

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The fields of a metadata record."""
        lines = self.payload.decode().splitlines()
        pairs = [line.partition(": ") for line in lines]
        return [(name, value) for name, _, value in pairs]


def read(paths: Sequence[Path]) -> list[Read]:
    """Every record of WARC files, in order."""
    return [each for path in paths for each in _read(path)]


def _read(path: Path) -> list[Read]:
    found = []
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            http = record.http_headers
            found.append(
                Read(
                    record.rec_type,
                    record.rec_headers.get_header("WARC-Target-URI"),
                    dict(record.rec_headers.headers),
                    http.get_statuscode() if http else None,
                    dict(http.headers) if http else {},
                    record.raw_stream.read(),
                    path.name,
                )
            )
    return found


def of_kind(records: Sequence[Read], kind: str) -> list[Read]:
    """The records of one WARC type."""
    return [each for each in records if each.kind == kind]


@dataclass
class Kept:
    """A source whose record is written line by line, each a minute after the one before."""

    store: Store
    at: datetime = NOON

    def add(self, line: Line, body: bytes | None = None) -> None:
        """Adds a line as it is, and the bytes that it names."""
        journal = Journal(self.store)
        journal.add(moment(line.at), line, body)  # type: ignore[attr-defined]
        journal.commit()
        self.at += timedelta(minutes=1)

    def see(self, artifact: str, body: bytes, **changes: object) -> Observation:
        """Adds an observation with its bytes."""
        known = {"blob": sha256(body), "size": len(body), "fingerprint": sha256(body)}
        seen = observation(artifact, self.at, **{**known, **changes})
        self.add(seen, body)
        return seen

    def note(self, artifact: str, liveness: str, **changes: object) -> Status:
        """Adds a status."""
        said = status(artifact, liveness, self.at, **changes)
        self.add(said)
        return said

    def discover(self, found: int) -> None:
        """Adds an enumeration."""
        at = timestamp(self.at)
        self.add(Discovery(at, "sitemap", "ok", None, found, False, "record/snapshots/x.jsonl.gz"))
