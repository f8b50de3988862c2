"""How fast the workflow is: `make bench`.

Serves a synthetic site on this machine and measures, in temporary folders, a first run of the real
workflow against the same library calls in a bare process pool, a run with nothing to do, and one
with a single new document. Ends with 0 where a goal is short, with 1 where something failed.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import FrameType
from typing import NoReturn

from tests.bench.bare import SOURCE
from tests.bench.corpus import Served, served
from tests.bench.goals import Goal
from tests.bench.measuring import (
    STAGES,
    Failed,
    Neighbours,
    Timed,
    count_readings,
    expect,
    readings,
    run_bare,
    run_workflow,
    settings,
)
from tests.workflow.running import Workflow

DOCUMENTS = 1900
CORES = 2
ROUNDS = 2
TRIES = 3
"""Runs with nothing to do, and runs with one new document: the best of each counts."""

FEW = 20
"""Documents of the run before all others, which shows what a run costs whatever it does."""

Measure = Callable[[Workflow, int], Timed]


@dataclass(frozen=True)
class Bench:
    """What is measured, and where."""

    site: Served
    documents: int
    cores: int
    folder: Path

    def workflow(self, name: str, **more: object) -> Workflow:
        """Returns a new working folder on the site."""
        sources = settings(self.site.address)
        sources[SOURCE] |= more
        return Workflow.make(self.folder / name, sources)


@dataclass(frozen=True)
class Pair:
    """The bare pool and the workflow on the same site, one after the other."""

    bare: Timed
    workflow: Timed


@dataclass(frozen=True)
class Update:
    """What the workflow does on a site that it knows, each several times."""

    nothing: list[Timed]
    one_new: list[Timed]

    @property
    def extract_jobs(self) -> int:
        """The most extract jobs that one new document gave."""
        return max(each.jobs.get("extract", 0) for each in self.one_new)


def fixed_cost(bench: Bench) -> Timed:
    """Runs the workflow on few documents; it also warms what the first measured run would pay."""
    return run_workflow(bench.workflow("few", limit=FEW), bench.cores)


def rounds(bench: Bench, count: int) -> tuple[list[Pair], Workflow]:
    """Runs the pair so many times, each time the other one first, on a machine that others share.

    Returns the pairs, and the folder of the last workflow. Raises Failed where the two differ.
    """
    pairs: list[Pair] = []
    for number in range(count):
        bare, workflow = bench.workflow(f"bare-{number}"), bench.workflow(f"workflow-{number}")
        turns: list[tuple[Measure, Workflow]] = [(run_bare, bare), (run_workflow, workflow)]
        turns = turns if number % 2 == 0 else turns[::-1]
        timed = {measure: measure(where, bench.cores) for measure, where in turns}
        pairs.append(Pair(timed[run_bare], timed[run_workflow]))
        _compare(bench, bare, workflow)
        shutil.rmtree(bare.folder)
        if number < count - 1:
            shutil.rmtree(workflow.folder)
        took = f"bare pool {pairs[-1].bare.wall:.1f} s, workflow {pairs[-1].workflow.wall:.1f} s"
        print(f"round {number + 1}: {took}", flush=True)
    return pairs, workflow


def _compare(bench: Bench, bare: Workflow, workflow: Workflow) -> None:
    """The comparison is one only where both read every document, and read the same."""
    count = count_readings(workflow)
    expect(count == bench.documents, f"{count} of {bench.documents} were read")
    same = readings(workflow) == readings(bare)
    expect(same, "the workflow and the bare pool read differently")


def update(bench: Bench, workflow: Workflow) -> Update:
    """Runs a finished workflow with nothing to do, then on a site that has one more page."""
    return Update(
        [_nothing(bench, workflow) for _ in range(TRIES)],
        [_one_new(bench, workflow) for _ in range(TRIES)],
    )


def _nothing(bench: Bench, workflow: Workflow) -> Timed:
    timed = run_workflow(workflow, bench.cores)
    expect(timed.ran.had_nothing_to_do, f"there was something to do:\n{timed.ran.output}")
    return timed


def _one_new(bench: Bench, workflow: Workflow) -> Timed:
    address = bench.site.add_page()
    timed = run_workflow(workflow, bench.cores, "-R", "enumerate")
    line = workflow.derived(SOURCE).get(address, {})
    expect(line.get("outcome") == "text", f"the new page {address} was not read")
    return timed


def table(pairs: list[Pair], updated: Update, few: Timed) -> str:
    """Returns wall seconds by stage: medians of the pairs, and of the short runs."""
    bare, workflow = [each.bare for each in pairs], [each.workflow for each in pairs]
    columns = {
        "bare pool": bare,
        "workflow": workflow,
        "one new": updated.one_new,
        "nothing": updated.nothing,
        f"only {FEW}": [few],
    }
    figures = {stage: _seconds_of(stage) for stage in STAGES}
    figures["start, plan, wait"] = lambda timed: timed.rest
    figures["in all"] = lambda timed: timed.wall
    figures["processor"] = lambda timed: timed.processor
    lines = [f"{'seconds':<18}" + "".join(f"{name:>11}" for name in columns)]
    for name, figure in figures.items():
        cells = (median(map(figure, runs)) for runs in columns.values())
        lines.append(f"{name:<18}" + "".join(f"{cell:>11.2f}" for cell in cells))
    return "\n".join(lines)


def _seconds_of(stage: str) -> Callable[[Timed], float]:
    return lambda timed: timed.stages.get(stage, 0.0)


def goals(bench: Bench, pairs: list[Pair], updated: Update) -> list[Goal]:
    """Returns the goals with what was measured."""
    over = median(each.workflow.wall for each in pairs) / median(each.bare.wall for each in pairs)
    return [
        Goal(
            f"nothing to do over {bench.documents} documents", _best(updated.nothing), 2, unit="s"
        ),
        Goal("one new document", _best(updated.one_new), 8, unit="s"),
        Goal("extract jobs for one new document", updated.extract_jobs, 1),
        Goal("workflow over bare pool", over, 1.7),
    ]


def _best(runs: list[Timed]) -> float:
    return min(each.wall for each in runs)


def measure(bench: Bench, count: int) -> None:
    """Measures all of it and prints it."""
    neighbours = Neighbours(bench.site.process.pid)
    few = fixed_cost(bench)
    pairs, workflow = rounds(bench, count)
    updated = update(bench, workflow)
    jobs = pairs[-1].workflow.jobs
    print(
        f"\n{bench.documents} documents, {bench.cores} cores, {count} rounds; the workflow's jobs:"
    )
    print(f"{', '.join(f'{number} {rule}' for rule, number in sorted(jobs.items()))}")
    print(f"Other processes took {neighbours.share():.0%} of this machine meanwhile.\n")
    print(f"{table(pairs, updated, few)}\n", flush=True)
    for goal in goals(bench, pairs, updated):
        goal.say()


def end(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


def main() -> int:
    """Measures; returns 1 where something failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.workflow", description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--cores", type=int, default=CORES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folder", type=Path, help="where to work (default: the system's own)")
    arguments = parser.parse_args()
    # An ended run leaves nothing behind: neither its processes nor its folder.
    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    with tempfile.TemporaryDirectory(prefix="centinel-bench-", dir=arguments.folder) as name:
        try:
            with served(arguments.documents) as site:
                bench = Bench(site, arguments.documents, arguments.cores, Path(name))
                measure(bench, arguments.rounds)
        except (Failed, OSError, RuntimeError) as error:
            print(f"bench: failed: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
