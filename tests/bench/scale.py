"""How the workflow holds at size: `make bench-scale N=100000`, PARTS="jobs sources" for some of it.

`jobs`: what each job's function takes on an archive of N documents that was made without a request
and without a reading, and how it grows from N/100 over N/10. `workflow`: a site of N documents on
this machine, by the workflow and in a bare pool, then nothing to do, one new document, and one
kind read again. `new`: nothing to do and one new document, on an archive as that of `jobs`.
`sources`: many sources of few documents. `turns`: how long until each of many paced sources has had
its turn. `single`: one job a document. `finding`: `current/` and the search index, from nothing,
again, and with one new document. Ends with 0 where a goal is short, with 1 where something failed.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.bench import scale_finding, scale_jobs, scale_sources, scale_turns, scale_workflow
from tests.bench.measuring import Failed
from tests.bench.workflow import end

DOCUMENTS = 20_000
CORES = 2
SOURCES = 200


@dataclass(frozen=True)
class Asked:
    """What is measured, and where."""

    documents: int
    cores: int
    sources: int
    folder: Path
    each: int
    """Documents of each source, where many are asked at their pace."""
    rps: float


PARTS: dict[str, Callable[[Asked], None]] = {
    "jobs": lambda asked: scale_jobs.measure(asked.folder, asked.documents),
    "workflow": lambda asked: scale_workflow.measure(asked.folder, asked.documents, asked.cores),
    "new": lambda asked: scale_workflow.measure_new(asked.folder, asked.documents, asked.cores),
    "sources": lambda asked: scale_sources.measure(asked.folder, asked.sources, asked.cores),
    "turns": lambda asked: scale_turns.measure(
        asked.folder, asked.sources, asked.cores, asked.each, asked.rps
    ),
    "single": lambda asked: scale_workflow.measure_single(
        asked.folder, min(asked.documents, scale_workflow.MOST_SINGLE), asked.cores
    ),
    "finding": lambda asked: scale_finding.measure(asked.folder, asked.documents),
}


def main() -> int:
    """Measures the parts one after the other; returns 1 where something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.scale", description=__doc__)
    parser.add_argument("parts", nargs="*", default=[], help=f"of {', '.join(PARTS)}: all")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--cores", type=int, default=CORES)
    parser.add_argument("--sources", type=int, default=SOURCES)
    parser.add_argument("--each", type=int, default=scale_sources.DOCUMENTS, help="for turns")
    parser.add_argument("--rps", type=float, default=1.0, help="for turns")
    parser.add_argument("--folder", type=Path, help="where to work (default: the system's own)")
    arguments = parser.parse_args()
    if unknown := [each for each in arguments.parts if each not in PARTS]:
        parser.error(f"no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    with tempfile.TemporaryDirectory(prefix="centinel-scale-", dir=arguments.folder) as name:
        given = {key: value for key, value in vars(arguments).items() if key != "parts"}
        asked = Asked(**{**given, "folder": Path(name)})
        for part in arguments.parts or PARTS:
            print(f"\n== {part} ==", flush=True)
            try:
                PARTS[part](asked)
            except (Failed, OSError, RuntimeError) as error:
                print(f"bench: {part} failed: {error}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
