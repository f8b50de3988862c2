"""What every process of a run took, by the rule that it belongs to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from tests.bench.corpus import PROJECT
from tests.bench.measuring import STAGES, Timed, expect, run_workflow
from tests.workflow.running import Workflow

ACCOUNTING = PROJECT / "tests" / "bench" / "accounting"
MAIN = "snakemake"
"""The process that plans: its own time, without that of the jobs."""


@dataclass(frozen=True)
class Spent:
    """What the processes of one rule took."""

    rule: str
    jobs: int
    wall: float
    """From the start of its first job to the end of its last."""
    processor: float
    peak_bytes: int
    """The most memory of any one process, a reader's included."""
    checkpoints: float
    """Of the processor seconds, those of planning again after checkpoints."""

    @property
    def row(self) -> str:
        """One line of the table."""
        megabytes = f"{self.peak_bytes / 1e6:>9.0f}"
        return f"{self.rule:<12}{self.jobs:>6}{self.wall:>10.2f}{self.processor:>10.2f}{megabytes}"


HEAD = f"{'rule':<12}{'jobs':>6}{'wall s':>10}{'CPU s':>10}{'peak MB':>9}"


@dataclass(frozen=True)
class Accounted:
    """A run of the workflow, and what its processes took."""

    timed: Timed
    spent: dict[str, Spent]

    @property
    def planning(self) -> Spent:
        """What Snakemake's own process took."""
        return self.spent[MAIN]

    def table(self) -> str:
        """One line a rule, in the order of the stages, Snakemake itself last."""
        names = [name for name in (*STAGES, MAIN) if name in self.spent]
        return "\n".join([HEAD, *(self.spent[name].row for name in names)])


def run_accounted(
    workflow: Workflow,
    cores: int,
    *arguments: str,
    config: Sequence[str] = (),
    is_single: bool = False,
) -> Accounted:
    """Runs the workflow; `is_single` makes one shard a document. Raises Failed where it failed."""
    file = workflow.folder / f"account-{len(list(workflow.folder.glob('account-*')))}.jsonl"
    paths = [str(ACCOUNTING), str(PROJECT / "scripts")]
    environment = {"PYTHONPATH": os.pathsep.join(paths), "CENTINEL_BENCH_ACCOUNT": str(file)}
    if is_single:
        environment["CENTINEL_BENCH_SINGLE"] = "1"
    timed = run_workflow(workflow, cores, *arguments, config=config, environment=environment)
    return Accounted(timed, dict(_spent(map(orjson.loads, file.read_bytes().splitlines()), timed)))


def _spent(lines: Iterable[dict[str, object]], timed: Timed) -> Iterator[tuple[str, Spent]]:
    by_rule: dict[str, list[dict[str, float]]] = {}
    for line in lines:
        by_rule.setdefault(rule_of(str(line.pop("program"))), []).append(line)  # type: ignore[arg-type]
    for rule in (*STAGES, MAIN):
        if rule in by_rule:
            yield rule, _sum_of(rule, by_rule[rule], timed)


def _sum_of(rule: str, found: list[dict[str, float]], timed: Timed) -> Spent:
    is_main = rule == MAIN
    peaks = (max(each["peak_bytes"], 0 if is_main else each["peak_of_children"]) for each in found)
    return Spent(
        rule=rule,
        jobs=len(found),
        wall=timed.wall if is_main else timed.stages.get(rule, 0.0),
        processor=sum(each["own"] + (0 if is_main else each["children"]) for each in found),
        peak_bytes=int(max(peaks)),
        checkpoints=sum(each["checkpoints"] for each in found),
    )


def rule_of(program: str) -> str:
    """Snakemake runs a copy of the rule's script: `…/tmpab12.extract.py`."""
    name = Path(program).name
    return name.split(".")[-2] if name.endswith(".py") and name.count(".") > 1 else name


@dataclass(frozen=True)
class Job:
    """What one job function took, without its imports."""

    wall: float
    processor: float
    peak_bytes: int


def run_job(folder: Path, job: str) -> Job:
    """Runs a job of `scale_child` in a folder; raises Failed where it failed."""
    return Job(**json.loads(run_module(folder, "tests.bench.scale_child", job)))


def run_module(folder: Path, module: str, *arguments: str, **environment: str) -> str:
    """Runs a module of the benchmark in a folder, and returns what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{PROJECT}{os.pathsep}{PROJECT / 'scripts'}",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    expect(done.returncode == 0, f"{module} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout
