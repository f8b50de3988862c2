"""What the tests of the query kind share."""

from pathlib import Path
from typing import Any

import orjson

from centinel.answers import Fetched
from centinel.configuration import Source
from centinel.download import Body
from centinel.record import Json, Resource
from centinel.snapshot import take
from centinel.sources.query import Query
from centinel.sources.source_kind import Enumeration
from centinel.store import Store
from tests.unit.support import Clock, acquire, client, sha256, source

HOME = "https://town.example"


def query(platform: str, **keys: Any) -> Source:
    """A source with a query of this platform."""
    return source(key="query", value={"platform": platform, **keys})


def enumerated(block: Source, folder: Path, **changes: Any) -> Enumeration:
    """What an enumeration of the source gives."""
    return Query().enumerate(block, client(folder / "incoming", **changes))


def addresses_of(found: Enumeration) -> list[str]:
    """The addresses that were found, in order."""
    return [each.address for each in found.resources]


def fetched(value: Any, address: str = f"{HOME}/record") -> Fetched:
    """An answer with these bytes, or with this value as JSON."""
    content = value if isinstance(value, bytes) else orjson.dumps(value)
    body = Body(Path("/nowhere"), sha256(content), len(content), content)
    return Fetched(address, 200, {"content-type": "application/json"}, body)


def parts_of(block: Source, value: Any, address: str) -> Any:
    """The parts that a record names, asked without a job."""
    return Query().parts(block, Resource(address), fetched(value, address), "json")


def acquired(store: Store, block: Source, clock: Clock | None = None) -> Json:
    """Takes a snapshot, acquires it, and returns the state that the job left."""
    clock, kind = clock or Clock(), Query()
    report = take(store, block, kind, client(store.incoming), clock)
    assert report.reason is None
    _, state = acquire(store, block, clock, kind=kind)
    return state


def bytes_of(store: Store) -> dict[str, bytes]:
    """The bytes of each artifact, verified against their names."""
    lines = [orjson.loads(line) for line in store.artifacts.read_bytes().splitlines()]
    found = {}
    for line in lines:
        content = store.blob(line["blob"]).read_bytes()
        assert sha256(content) == line["blob"]
        assert len(content) == line["size"]
        found[line["artifact"]] = content
    return found


def observations_of(store: Store) -> dict[str, Json]:
    """The last observation line of each artifact."""
    lines = [
        orjson.loads(line)
        for month in sorted(store.record.glob("*.jsonl"))
        for line in month.read_bytes().splitlines()
    ]
    return {line["artifact"]: line for line in lines if line["type"] == "observation"}
