"""The part `sources` of `make bench-scale`: many sources of a hundred documents each."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.bench.goals import Goal
from tests.bench.scale_measuring import run_accounted, run_module
from tests.bench.synthetic import SITE, identifiers
from tests.workflow.running import Workflow

DOCUMENTS = 100
NOTHING_SECONDS = 10
CHECKPOINT_SECONDS = 60
TRIES = 2


def measure(folder: Path, sources: int, cores: int) -> None:
    """Plans and finishes every source by the workflow, then runs with nothing to do.

    The archives are made without a request and without Snakemake. Without their `work/` and what
    follows from it, every source's checkpoint and shards run, and each finished checkpoint has
    Snakemake plan again.
    """
    names = identifiers(sources)
    workflow = Workflow.make(folder / "sources", {each: {"site": f"{SITE}/"} for each in names})
    arguments = ("--sources", str(sources), "--documents", str(DOCUMENTS))
    run_module(workflow.folder, "tests.bench.synthetic", *arguments)
    for name in names:
        for made in ("work", "derived", "tables"):
            shutil.rmtree(workflow.source(name) / made)
        (workflow.source(name) / "report.html").unlink()
    first = run_accounted(workflow, cores)
    print(f"\n{sources} sources of {DOCUMENTS} documents:\n{first.table()}", flush=True)
    jobs = first.timed.jobs
    print(f"{', '.join(f'{count} {rule}' for rule, count in sorted(jobs.items()))}\n", flush=True)
    idle = [run_accounted(workflow, cores) for _ in range(TRIES)]
    print(f"nothing to do: {max(each.planning.peak_bytes for each in idle) / 1e6:.0f} MB")
    Goal(
        f"nothing to do over {sources} sources",
        min(each.timed.wall for each in idle),
        NOTHING_SECONDS,
        unit="s",
    ).say()
    Goal(
        f"planning again after {sources} checkpoints, CPU",
        first.planning.checkpoints,
        CHECKPOINT_SECONDS,
        unit="s",
    ).say()
