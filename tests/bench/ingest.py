"""How fast datasets are ingested, and in how much memory: `make bench-ingest`.

Serves datasets on this machine and measures, in temporary folders on disk, the worker against a
bare requests loop that takes the same three hashes: many small files, and some large ones; then the
memory of one very large file, and what a second run over finished requests asks. No time includes
imports. Ends with 1 where something failed; a goal that is short does not end it so.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.corpus import PROJECT
from tests.bench.goals import Goal
from tests.bench.ingest_site import served
from tests.bench.measuring import Failed, expect

SMALL, SMALL_SIZE = 2_000, 2_000
LARGE, LARGE_SIZE = 20, 100 * 10**6
HUGE_SIZE = 5 * 10**9
ROUNDS = 3


@dataclass(frozen=True)
class Bench:
    """Where is served, and where is measured."""

    address: str
    folder: Path

    def child(self, what: str, count: int, size: int, name: str) -> dict[str, Any]:
        """Runs one measured process in a folder of its own, or in that of an earlier one."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        _configure(folder)
        command = [sys.executable, "-m", "tests.bench.ingest_child", what]
        done = subprocess.run(
            [*command, f"{self.address}/{count}/{size}"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": f"{PROJECT}{os.pathsep}{PROJECT / 'scripts'}"},
            capture_output=True,
            text=True,
            check=False,
        )
        expect(done.returncode == 0, f"{what} ended with {done.returncode}:\n{done.stderr}")
        took: dict[str, Any] = json.loads(done.stdout)
        expect(took["hit"], f"{what} of {count} files of {size} bytes: {took}")
        return took

    def ratio(self, count: int, size: int, rounds: int) -> float:
        """How many times as long as the bare loop the worker takes; both are run in turn."""
        walls: dict[str, list[float]] = {"bare": [], "ingest": []}
        for number in range(rounds):
            bodies = set()
            for what, taken in walls.items():
                name = f"{what}-{count}-{size}-{number}"
                took = self.child(what, count, size, name)
                expect(took["files"] == count, f"{took['files']} of {count} files came")
                taken.append(took["wall"])
                bodies.add(took["bodies"])
                shutil.rmtree(self.folder / name)
            expect(len(bodies) == 1, "not the same bytes were fetched")
            print(
                f"{count} files of {size} bytes, round {number + 1}: "
                + ", ".join(f"{what} {taken[-1]:.2f} s" for what, taken in walls.items()),
                flush=True,
            )
        return median(walls["ingest"]) / median(walls["bare"])


def _configure(folder: Path) -> None:
    """The project's configuration with a limit that lets the sets through."""
    config = folder / "config"
    if config.exists():
        return
    config.mkdir()
    for name in ("config.yaml", "sources.yaml", "crumbs.yaml"):
        shutil.copyfile(PROJECT / "config" / name, config / name)
    pipeline = (PROJECT / "config" / "pipeline.yaml").read_text()
    raised = pipeline.replace("limits: {files: 200,", "limits: {files: 5000,")
    expect(raised != pipeline, "the limit of files stands elsewhere in config/pipeline.yaml")
    (config / "pipeline.yaml").write_text(raised)


def measure(bench: Bench, part: int, rounds: int) -> list[Goal]:
    """Measures everything, with a part of the sizes (1: all of them)."""
    small = bench.ratio(max(SMALL // part, 1), SMALL_SIZE, rounds)
    large = bench.ratio(LARGE, LARGE_SIZE // part, rounds)
    huge = bench.child("ingest", 1, HUGE_SIZE // part, "huge")
    first = bench.child("ingest", 50, SMALL_SIZE, "twice")
    second = bench.child("ingest", 50, SMALL_SIZE, "twice")
    expect(first["requests"] > 50, "the first run asked for no files")
    return [
        Goal("ingest of many small files / bare loop", small, 3.5),
        Goal("ingest of large files / bare loop", large, 1.3),
        Goal("memory of one very large file", huge["peak_bytes"] / 1e6, 150, unit="MB"),
        Goal("requests of a second run", second["requests"], 0),
    ]


def main() -> int:
    """Measures and says the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=1, help="measure this part of the sizes: 10")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    build = PROJECT / "build"
    build.mkdir(exist_ok=True)
    try:
        with tempfile.TemporaryDirectory(dir=build) as folder, served() as address:
            bench = Bench(address, Path(folder))
            for goal in measure(bench, arguments.part, arguments.rounds):
                goal.say()
    except Failed as error:
        print(f"bench-ingest: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
