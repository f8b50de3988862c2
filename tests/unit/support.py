"""What the unit tests share: sources, clients, histories and stores with everything filled in."""

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from hypothesis import HealthCheck, settings

from centinel.acquire import Loop
from centinel.configuration import Source
from centinel.http import Client
from centinel.progress import Progress
from centinel.readers.document import Document
from centinel.readers.outcome import Outcome
from centinel.readers.reading import read
from centinel.record import Json, Observation, Resource, Status, timestamp
from centinel.schemas import validator
from centinel.sources.source_kind import Enumeration
from centinel.sources.website import Website
from centinel.store import Store
from tests.sites.server import Answer, Site, robots

PROPERTY = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
"""How property tests run: the same examples every time, so that no other change is blamed."""

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PAGE = "text/html; charset=utf-8"

DAY = timedelta(days=1)
RETRY = {"error": DAY, "blocked": 7 * DAY, "gone": 30 * DAY}


@dataclass(frozen=True)
class Direct:
    """Reads in the test's own process, where a test can put readers of its own."""

    orders: Mapping[str, Sequence[str]]
    scratch: Path

    def read(self, document: Document, title: str | None = None) -> Outcome:
        """Returns what the readers of the document's kind make of it, a text in a file."""
        order = self.orders.get(document.kind, ())
        return read(document, order, title, self.orders).with_text_in(self.scratch)


def source(address: str = "https://town.example/", **changes: Any) -> Source:
    """A website's block with the defaults, and what a test changes in them."""
    given: dict[str, Any] = {
        "identifier": "town",
        "key": "site",
        "value": address,
        "enabled": True,
        "rps": 1000.0,
        "lang": "en",
        "limit": None,
        "match": (),
        "exclude": (),
        "revisit": 30 * DAY,
        "retry": RETRY,
        "acquire_for": timedelta(hours=1),
        "max_bytes": 256 << 20,
    }
    return Source(**{**given, **changes})


def client(folder: Path, **changes: Any) -> Client:
    """A client that neither pauses nor waits long before it asks again."""
    given: dict[str, Any] = {
        "rps": 1000.0,
        "private_is_allowed": True,
        "backoff_seconds": 0.01,
    }
    return Client(folder, **{**given, **changes})


def sha256(content: bytes) -> str:
    """The name of a blob."""
    return hashlib.sha256(content).hexdigest()


def observation(artifact: str, at: datetime = NOON, **changes: Any) -> Observation:
    """An observation of an artifact that is its own resource."""
    given: dict[str, Any] = {
        "at": timestamp(at),
        "resource": artifact,
        "artifact": artifact,
        "blob": sha256(b"bytes"),
        "size": 5,
        "fingerprint": sha256(b"bytes"),
        "declared_type": "text/plain",
        "final_url": artifact,
        "http_status": 200,
        "headers": {},
        "filename": None,
        "title": None,
    }
    return Observation(**{**given, **changes})


def status(artifact: str, liveness: str, at: datetime = NOON, **changes: Any) -> Status:
    """A status of an artifact that is its own resource."""
    given: dict[str, Any] = {
        "at": timestamp(at),
        "resource": artifact,
        "artifact": artifact,
        "liveness": liveness,
        "since": timestamp(at),
        "consecutive_failures": 0 if liveness == "live" else 1,
        "reason": "http 500",
        "http_status": 500,
    }
    return Status(**{**given, **changes})


def lines_of(path: Path) -> list[Json]:
    """The objects of a file of JSON lines."""
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


def record_of(store: Store) -> list[Json]:
    """Every line of the record, in order."""
    return [line for month in sorted(store.record.glob("*.jsonl")) for line in lines_of(month)]


def statuses_of(store: Store) -> dict[str, Json]:
    """The last status line of each artifact."""
    return {line["artifact"]: line for line in record_of(store) if line["type"] == "status"}


def observed_in(store: Store) -> list[str]:
    """The artifacts of the observation lines, in order."""
    return [line["artifact"] for line in record_of(store) if line["type"] == "observation"]


def assert_valid(lines: list[Json], schema: str) -> None:
    """Every line is what the schema says."""
    for line in lines:
        faults = [
            f"{fault.json_path}: {fault.message}" for fault in validator(schema).iter_errors(line)
        ]
        assert faults == [], line


def files_under(folder: Path) -> dict[str, bytes]:
    """Every file under a folder, by its path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def write_snapshot(store: Store, resources: list[Resource]) -> None:
    """Puts a snapshot where acquire looks for it."""
    store.snapshot.parent.mkdir(parents=True, exist_ok=True)
    content = b"".join(orjson.dumps(each.to_json()) + b"\n" for each in resources)
    store.snapshot.write_bytes(content)


class Clock:
    """A clock that a test moves."""

    def __init__(self, at: datetime = NOON) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def move(self, by: timedelta) -> None:
        """Lets time pass."""
        self.at += by


def acquire(
    store: Store, block: Source, clock: Clock, turn: int = 0, **changes: Any
) -> tuple[Loop, Json]:
    """Runs one acquire job; returns the loop and the state that it left."""
    given: dict[str, Any] = {
        "store": store,
        "source": block,
        "kind": Website(),
        "client": client(store.incoming, max_bytes=block.max_bytes),
        "progress": Progress("acquire", streams=()),
        "clock": clock,
        "stop": threading.Event(),
    }
    loop = Loop(**{**given, **changes})
    loop.run(turn)
    state: Json = orjson.loads(store.acquire_state.read_bytes())
    return loop, state


class Published(Website):
    """A source that publishes what a test says."""

    def __init__(self, *found: Enumeration | Exception) -> None:
        self.left = list(found)

    def enumerate(self, source: Source, client: Client) -> Enumeration:  # noqa: ARG002
        """Gives the next enumeration, or raises the next exception."""
        found = self.left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


def robots_of(site: Site, lines: Mapping[str, str] | None = None) -> None:
    """Serves a robots.txt without rules, or with the lines given."""
    content = robots(*(f"{key}: {value}" for key, value in (lines or {}).items()))
    site.set("/robots.txt", Answer(content, "text/plain"))
