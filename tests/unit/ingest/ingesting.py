"""What the tests of the worker share: platforms on the loopback interface, and one run."""

from pathlib import Path
from typing import Any

import orjson

from centinel.ingest.worker import SOURCE, Worker
from centinel.record import Json
from centinel.store import Store
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.unit.support import Clock, assert_valid, client, lines_of, source


def worker(results: Path, platforms: DatasetPlatforms, clock: Clock, **ingest: Any) -> Worker:
    """A worker that takes the platforms for the public ones, and does not pause."""
    said = {"hosts": platforms.hosts, **ingest}
    max_bytes = said.pop("max_bytes", 64 << 30)
    block = source("-", identifier=SOURCE, key="datasets", ingest=said, max_bytes=max_bytes)
    store = Store(results, SOURCE)
    asking = client(store.incoming, max_bytes=max_bytes, backoff_seconds=0.001)
    return Worker(store, block, asking, clock)


def ingest(
    results: Path,
    platforms: DatasetPlatforms,
    *lines: str | Json,
    clock: Clock | None = None,
    **said: Any,
) -> list[Json]:
    """Runs the worker over requests; every row and every file that it leaves is valid."""
    given = [each if isinstance(each, str) else orjson.dumps(each).decode() for each in lines]
    rows = list(worker(results, platforms, clock or Clock(), **said).run(given))
    store = Store(results, SOURCE)
    assert_valid(rows, "ingest_result")
    assert_valid(lines_of(store.ingest_results), "ingest_result")
    assert_valid(lines_of(store.ingest_filesets), "ingest_entity")
    return rows


def one(results: Path, platforms: DatasetPlatforms, line: str | Json, **said: Any) -> Json:
    """The row of a single request."""
    (row,) = ingest(results, platforms, line, **said)
    return row


def statuses(row: Json) -> dict[str, str]:
    """The status of each file, by its path."""
    return {each["path"]: each["status"] for each in row["manifest"]}


def verdicts(row: Json) -> dict[str, str]:
    """The verdict on each file, by its path."""
    return {each["path"]: each["verdict"] for each in row["manifest"]}
