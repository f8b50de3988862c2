"""Runs what is compared, each in a folder of its own, and says how long it and its stages took."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import psutil

from tests.bench.bare import SOURCE
from tests.bench.corpus import PROJECT
from tests.workflow.running import Ran, Workflow

STAGES = ("enumerate", "acquire", "classify", "extract", "report", "overview")


class Failed(Exception):
    """Something did not do what it has to do; the message says what."""


def expect(holds: bool, what: str) -> None:
    """Raises Failed, with what was expected, where it does not hold."""
    if not holds:
        raise Failed(what)


@dataclass(frozen=True)
class Timed:
    """One run: its wall time, the processor time of all its processes, and that of its stages."""

    wall: float
    processor: float
    stages: dict[str, float]
    """Wall seconds."""
    jobs: dict[str, int]
    ran: Ran

    @property
    def rest(self) -> float:
        """What no stage accounts for: starting, planning, and waiting between them."""
        return self.wall - sum(self.stages.values())


def settings(address: str) -> dict[str, dict[str, object]]:
    """Returns the sources file: the site, without a pause between requests."""
    return {SOURCE: {"site": f"{address}/", "rps": 100_000, "acquire_for": "6h"}}


def run_workflow(
    workflow: Workflow,
    cores: int,
    *arguments: str,
    config: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Timed:
    """Runs the real workflow to its end; raises Failed where its exit code is not 0."""
    began = time.time()
    wall, processor = time.perf_counter(), _processor_seconds()
    with workflow.started(
        "--cores", str(cores), *arguments, config=config, environment=environment
    ) as running:
        running.process.wait()  # with a timeout it would look only every 50 ms
        wall = time.perf_counter() - wall
        ran = running.ended()
    expect(ran.code == 0, f"snakemake ended with {ran.code}:\n{ran.output}")
    stages = _stages_since(workflow.folder, began)
    return Timed(wall, _processor_seconds() - processor, stages, dict(ran.jobs), ran)


def run_bare(workflow: Workflow, cores: int, *arguments: str) -> Timed:
    """Runs the same library calls in a pool, in the folder of a workflow that is never run."""
    wall, processor = time.perf_counter(), _processor_seconds()
    process = subprocess.run(
        [sys.executable, "-m", "tests.bench.bare", "--cores", str(cores), *arguments],
        cwd=workflow.folder,
        env={**os.environ, "PYTHONPATH": f"{PROJECT}{os.pathsep}{PROJECT / 'scripts'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - wall
    ran = Ran(process.returncode, process.stdout + process.stderr)
    expect(ran.code == 0, f"the bare pool ended with {ran.code}:\n{ran.output}")
    stages = json.loads(process.stdout)
    return Timed(wall, _processor_seconds() - processor, stages, {}, ran)


def _processor_seconds() -> float:
    """Of all children that have ended, and of theirs."""
    times = os.times()
    return times.children_user + times.children_system


@dataclass(frozen=True)
class Neighbours:
    """What else the machine did since this was made: figures beside busy neighbours mislead."""

    site: int
    """The process that serves the site, which is none of them."""
    began: float = field(default_factory=time.perf_counter)
    busy: float = field(default_factory=lambda: _busy_seconds())
    own: float = field(default_factory=lambda: _processor_seconds() + time.process_time())

    def share(self) -> float:
        """Returns the share of the machine's processors that other processes took."""
        served = psutil.Process(self.site).cpu_times()
        own = _processor_seconds() + time.process_time() - self.own + served.user + served.system
        there = (time.perf_counter() - self.began) * (os.cpu_count() or 1)
        return max(_busy_seconds() - self.busy - own, 0.0) / there


def _busy_seconds() -> float:
    """Of all processors since the machine started."""
    times = psutil.cpu_times()
    return float(sum(times) - times.idle - times.iowait - times.guest - times.guest_nice)


def _stages_since(folder: Path, began: float) -> dict[str, float]:
    """Wall seconds from the start of a rule's first job to the end of its last, as Snakemake
    itself noted them; only those of the jobs that started after `began`."""
    spans = defaultdict(list)
    for path in (folder / ".snakemake" / "metadata").rglob("*"):
        if path.is_file():
            noted = orjson.loads(path.read_bytes())
            if (noted.get("starttime") or 0) >= began and noted.get("endtime"):
                spans[noted["rule"]].append((noted["starttime"], noted["endtime"]))
    return {
        rule: max(end for _, end in times) - min(start for start, _ in times)
        for rule, times in spans.items()
    }


def readings(workflow: Workflow) -> dict[str, bytes]:
    """Returns a hash of every file of derived lines, by its path: what was read, and what came."""
    root = workflow.source(SOURCE) / "derived"
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).digest()
        for path in sorted(root.rglob("*.jsonl"))
    }


def count_readings(workflow: Workflow) -> int:
    """Returns how many derived lines there are."""
    files = (workflow.source(SOURCE) / "derived").rglob("*.jsonl")
    return sum(path.read_bytes().count(b"\n") for path in files)
