"""One measured process: `python -m tests.bench.acquire_child loop`, in a folder of its own.

`bare` asks for the addresses in `addresses.txt` with requests and hashes the bodies. `snapshot` and
`loop` do what the jobs enumerate and acquire do, for the source in `sources.yaml`. Each prints what
it took as JSON, without its imports.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

SOURCE = "pages"
ADDRESSES = Path("addresses.txt")
LOG = Path("acquire.log")


def bare() -> dict[str, Any]:
    """Asks one after the other in one session; nothing is kept but the hashes."""
    import requests

    addresses = ADDRESSES.read_text().split()
    session, hashes = requests.Session(), []

    def ask() -> None:
        for address in addresses:
            answer = session.get(address, timeout=60)
            answer.raise_for_status()
            hashes.append(hashlib.sha256(answer.content).hexdigest())

    return _measured(ask) | {"pages": len(hashes), "bodies": _digest(hashes)}


def snapshot() -> dict[str, Any]:
    """Takes the snapshot, as the job enumerate does."""
    from centinel import locks
    from centinel import snapshot as snapshots

    store, source, kind, client = _parts()
    with locks.held(store.record_lock):
        return _measured(lambda: snapshots.take(store, source, kind, client))


def loop() -> dict[str, Any]:
    """Acquires what is due, as scripts/acquire.py does, with what Snakemake puts before it."""
    from snakemake.iocontainers import Snakemake  # noqa: F401 (the job's process holds it too)
    from snakemake.logging import logger  # noqa: F401

    from centinel import jobs, locks
    from centinel.acquire import Loop
    from centinel.files import read_lines
    from centinel.turns import read_turn

    with jobs.job(f"acquire {SOURCE}", str(LOG)) as progress:
        store, source, kind, client = _parts()
        client.stop = stop = jobs.stop_event()
        with locks.held(store.record_lock, jobs.LOCK_SECONDS):
            acquiring = Loop(store, source, kind, client, progress, stop=stop)
            turn = read_turn(store)
            made = _measured(lambda: acquiring.run(turn))
    left = json.loads(store.acquire_state.read_bytes())["remaining"]
    hashes = [line["blob"] for line in read_lines(store.artifacts)]
    counts = acquiring.counts
    return made | {"pages": counts["asked"], "left": left, "bodies": _digest(hashes)}


def _parts() -> tuple[Any, Any, Any, Any]:
    """The store, the source, its kind and the client of the source in this folder."""
    from centinel.configuration import load, read_yaml
    from centinel.http import Client
    from centinel.schemas import PROJECT
    from centinel.sources.registry import kind_of
    from centinel.store import Store

    files = (PROJECT / "config/config.yaml", PROJECT / "config/pipeline.yaml")
    given = {key: value for path in files for key, value in read_yaml(path, path.name).items()}
    given |= {"sources": "sources.yaml", "results": "results"}
    given.pop("crumbs", None)
    configuration = load(given)
    source = configuration.sources[SOURCE]
    kind, store = kind_of(source), Store(configuration.results, SOURCE)
    client = Client(
        folder=store.incoming,
        contact=configuration.contact,
        rps=source.rps,
        max_bytes=source.max_bytes,
        private_is_allowed=kind.private_is_allowed(source),
    )
    return store, source, kind, client


def _measured(work: Callable[[], object]) -> dict[str, Any]:
    wall, processor = time.perf_counter(), time.process_time()
    work()
    taken = {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
    }
    return taken | {"peak_bytes": _peak_bytes()}


def _peak_bytes() -> int:
    """The most memory that this process held; what getrusage says may be its parent's."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    stated = [int(line.split()[1]) for line in lines if line.startswith("VmHWM:")]
    return 1024 * (stated[0] if stated else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def _digest(hashes: Iterable[str]) -> str:
    """One hash of all bodies, whatever their order."""
    return hashlib.sha256("".join(sorted(hashes)).encode()).hexdigest()


MODES: dict[str, Callable[[], dict[str, Any]]] = {
    "bare": bare,
    "snapshot": snapshot,
    "loop": loop,
}


def main() -> int:
    """Runs one mode and prints what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=MODES)
    print(json.dumps(MODES[parser.parse_args().mode]()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
