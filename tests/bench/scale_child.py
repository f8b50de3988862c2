"""One measured job of a large archive: `python -m tests.bench.scale_child report`, in its folder.

Each mode does what the job of that name does on an archive that `synthetic.py` made, without
Snakemake and without a request. Prints what it took as JSON, without its imports.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from snakemake.iocontainers import Snakemake  # noqa: F401 (a job's process holds it too)
from snakemake.logging import logger  # noqa: F401

from centinel import classify as planning
from centinel import locks, snapshot
from centinel.acquire import Loop
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


def enumerate_() -> None:
    """Takes the snapshot again; it is the same."""
    found = (read_json(store.snapshot_report) or {})["found"]
    with locks.held(store.record_lock):
        snapshot.take(store, source, Told(found), client)


def acquire() -> None:
    """Acquires where nothing is due."""
    with locks.held(store.record_lock):
        Loop(store, source, Told(0), client, SILENT).run(read_turn(store))


def classify() -> None:
    """Plans the shards where every kind is known."""
    planning.run(store, configuration.pipeline.kinds_version)


def extract() -> None:
    """Runs every shard where all texts are kept, one after the other."""
    synthetic.extract(store, configuration)


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
}


def main() -> None:
    """Runs one job and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", choices=JOBS)
    print(json.dumps(_measured(JOBS[parser.parse_args().job])), flush=True)


if __name__ == "__main__":
    main()
