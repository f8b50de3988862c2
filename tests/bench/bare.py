"""The library's own calls without Snakemake: what the workflow is compared with.

`python -m tests.bench.bare --cores 2` works in the present folder, as a run of the workflow does,
and prints the seconds of each stage as JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from centinel import classify, locks, snapshot
from centinel.acquire import Loop
from centinel.configuration import Configuration, load, read_yaml
from centinel.extract import Extract
from centinel.http import Client
from centinel.progress import Progress
from centinel.readers.isolation import Isolation
from centinel.record import Json
from centinel.sources.registry import kind_of
from centinel.store import Store
from centinel.turns import read_turn

SOURCE = "corpus"
SILENT = Progress("bench", streams=())

Seconds = dict[str, float]


def run(configuration: Configuration, cores: int) -> Seconds:
    """Archives and reads the source once, stage after stage; returns the seconds of each."""
    seconds: Seconds = {}
    store = Store(configuration.results, SOURCE)
    with _timed(seconds, "enumerate"), locks.held(store.record_lock):
        _enumerate(configuration, store)
    with _timed(seconds, "acquire"), locks.held(store.record_lock):
        _acquire(configuration, store)
    with _timed(seconds, "classify"):
        classify.run(store, configuration.pipeline.kinds_version)
    with _timed(seconds, "extract"):
        _extract_all(configuration, store, cores)
    with _timed(seconds, "report"):
        _report(configuration, store)
    with _timed(seconds, "overview"):
        _overview(configuration)
    return seconds


@contextmanager
def _timed(seconds: Seconds, stage: str) -> Iterator[None]:
    started = time.perf_counter()
    yield
    seconds[stage] = time.perf_counter() - started


def _enumerate(configuration: Configuration, store: Store) -> None:
    source = configuration.sources[SOURCE]
    snapshot.take(store, source, kind_of(source), _client(configuration, store))


def _acquire(configuration: Configuration, store: Store) -> None:
    source = configuration.sources[SOURCE]
    client = _client(configuration, store)
    Loop(store, source, kind_of(source), client, SILENT).run(read_turn(store))


def _client(configuration: Configuration, store: Store) -> Client:
    source = configuration.sources[SOURCE]
    return Client(
        folder=store.incoming,
        contact=configuration.contact,
        rps=source.rps,
        max_bytes=source.max_bytes,
        private_is_allowed=kind_of(source).private_is_allowed(source),
    )


def _extract_all(
    configuration: Configuration, store: Store, cores: int, only: str | None = None
) -> None:
    """Reads every shard in a pool: forked and the largest first, which is the fastest there is."""
    shards = [each for each in classify.work_files(store) if only in (None, each[0])]
    shards.sort(key=lambda each: store.work_file(*each).stat().st_size, reverse=True)
    forked = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(cores, mp_context=forked) as pool:
        jobs = [pool.submit(_extract, store, kind, configuration, shard) for kind, shard in shards]
        for job in jobs:
            job.result()


def _extract(store: Store, kind: str, configuration: Configuration, shard: str) -> None:
    pipeline = configuration.pipeline
    with Isolation(pipeline.orders, store.scratch(kind, shard), configuration.limits) as reads:
        Extract(store, kind, pipeline.reading(kind).version, reads, SILENT).run(shard)


def _report(configuration: Configuration, store: Store) -> None:
    from centinel import changes, crumbs
    from centinel.report import source as audit

    changes.write(store)
    crumbs.write(store, crumbs.standing(configuration))
    audit.write(store, configuration.sources[SOURCE], configuration.pipeline)


def _overview(configuration: Configuration) -> None:
    from centinel.report import overview

    overview.write(configuration)


def read_again(kind: str, cores: int) -> Seconds:
    """Reads all of one kind at its second version; returns the seconds."""
    seconds: Seconds = {}
    configuration = configuration_here({kind: {"version": 2}})
    with _timed(seconds, "extract"):
        _extract_all(configuration, Store(configuration.results, SOURCE), cores, kind)
    return seconds


def configuration_here(pipeline: Json | None = None) -> Configuration:
    """Returns what a run of the workflow in the present folder is told; `pipeline` goes over it."""
    files = ("config/config.yaml", "config/pipeline.yaml")
    given = {key: value for name in files for key, value in read_yaml(Path(name), name).items()}
    for kind, block in (pipeline or {}).items():
        given["pipeline"][kind] |= block
    return load({**given, "sources": "sources.yaml", "results": "results"})


def main() -> int:
    """Runs once and prints the seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--again", help="a kind, of which everything is read a second time")
    arguments = parser.parse_args()
    if arguments.again:
        print(json.dumps(read_again(arguments.again, arguments.cores)))
    else:
        print(json.dumps(run(configuration_here(), arguments.cores)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
