"""One measured job of a large archive: `python -m tests.bench.scale_child report`, in its folder.

Each mode does what the job of that name does on an archive that `synthetic.py` made, without
Snakemake and without a request. `new-enumerate`, `new-acquire` and `new-extract` do what those jobs
do for one more document, in this order, with `classify` before the last. Prints what it took as
JSON, without its imports.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from hashlib import sha256

from snakemake.iocontainers import Snakemake  # noqa: F401 (a job's process holds it too)
from snakemake.logging import logger  # noqa: F401

from centinel import classify as planning
from centinel import locks, snapshot
from centinel.acquire import Loop
from centinel.answers import Answer, Fetched
from centinel.configuration import Source
from centinel.download import Body
from centinel.extract import Extract
from centinel.files import read_json
from centinel.http import Client
from centinel.report import overview as audits
from centinel.store import Store
from centinel.turns import read_turn
from tests.bench import synthetic
from tests.bench.acquire_child import _measured
from tests.bench.synthetic import SILENT, SOURCE, Told

configuration = synthetic.configuration_of()
source = configuration.sources[SOURCE]
store = Store(configuration.results, SOURCE)
client = Client(folder=store.incoming, contact="", rps=1)


class Served(Told):
    """Serves the last of its documents, and no other."""

    def fetch(
        self,
        source: Source,
        client: Client,
        artifact: str,
        validators: Mapping[str, str],
    ) -> Answer:
        """Returns the document; raises RuntimeError for another."""
        number = self.count - 1
        if artifact != synthetic.address_of(number):
            return super().fetch(source, client, artifact, validators)
        body, headers = synthetic.served(number)
        name = sha256(body).hexdigest()
        held = Body(store.incoming / name, name, len(body), body, is_in_memory=True)
        return Fetched(artifact, 200, headers, held)


def _found() -> int:
    return int((read_json(store.snapshot_report) or {})["found"])


def _enumerate(count: int) -> None:
    with locks.held(store.record_lock):
        snapshot.take(store, source, Told(count), client)


def enumerate_() -> None:
    """Takes the snapshot again; it is the same."""
    _enumerate(_found())


def enumerate_new() -> None:
    """Takes a snapshot with one more document."""
    _enumerate(_found() + 1)


def _acquire(kind: Told) -> None:
    with locks.held(store.record_lock):
        Loop(store, source, kind, client, SILENT).run(read_turn(store))


def acquire() -> None:
    """Acquires where nothing is due."""
    _acquire(Told(0))


def acquire_new() -> None:
    """Acquires the one document that is new."""
    _acquire(Served(_found()))


def classify() -> None:
    """Plans the shards where every kind is known."""
    planning.run(store, configuration.pipeline.kinds_version)


def extract() -> None:
    """Runs every shard where all texts are kept, one after the other."""
    synthetic.extract(store, configuration)


def extract_new() -> None:
    """Runs the shard that the one new document is in."""
    name = sha256(synthetic.served(_found() - 1)[0]).hexdigest().encode()
    for kind, shard in planning.work_files(store):
        if name in store.work_file(kind, shard).read_bytes():
            version = configuration.pipeline.reading(kind).version
            with synthetic.scratch(store) as scratch:
                Extract(store, kind, version, synthetic.Written(scratch), SILENT).run(shard)


def report() -> None:
    """Writes the audit of the source."""
    synthetic.report(store, configuration)


def overview() -> None:
    """Writes the audit of all sources."""
    audits.write(configuration)


JOBS: dict[str, Callable[[], None]] = {
    "acquire": acquire,
    "classify": classify,
    "extract": extract,
    "report": report,
    "overview": overview,
    "enumerate": enumerate_,
    "new-enumerate": enumerate_new,
    "new-acquire": acquire_new,
    "new-extract": extract_new,
}


def main() -> None:
    """Runs one job and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", choices=JOBS)
    print(json.dumps(_measured(JOBS[parser.parse_args().job])), flush=True)


if __name__ == "__main__":
    main()
