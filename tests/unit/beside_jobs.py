"""What the tests of companions share: a run of several sources, and acquire jobs as processes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import yaml

from centinel.belonging import Run, Work
from centinel.record import Json, Resource
from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.children import SCRIPTS, wait_until
from tests.unit.support import PAGE, lines_of, write_snapshot

JOB = """
import json, sys
from pathlib import Path
from centinel import beside, jobs
from centinel.configuration import load

beside.FIRST_SECONDS, beside.FILL_SECONDS, beside.LOOK_SECONDS = 0.0, 0.05, 0.02
for name, value in json.loads(sys.argv[2]).items():
    setattr(beside, name, value)
with jobs.job(f"acquire {sys.argv[1]}", f"{sys.argv[1]}.log") as progress:
    configuration = load(json.loads(Path("config.json").read_text()))
    beside.acquire(configuration, configuration.sources[sys.argv[1]], 0, progress)
"""

RPS = 10.0
"""The quickest pace of a companion."""


@dataclass
class Jobs:
    """A run on several sites, whose acquire jobs the test starts."""

    folder: Path
    sites: dict[str, Site]
    blocks: dict[str, dict[str, Any]] = field(default_factory=dict)
    beside: int = 8

    def publish(self, name: str, *paths: str) -> None:
        """Serves a page at each path, and puts a snapshot of them where acquire looks for it."""
        site = self.sites[name]
        site.set("/robots.txt", Answer(b"", "text/plain"))
        for path in paths:
            site.set(path, Answer(f"<!doctype html><p>{name} {path}</p>".encode(), PAGE))
        addresses = sorted(site.address + path for path in paths)
        write_snapshot(self.store(name), [Resource(each) for each in addresses])
        self.store(name).snapshot_report.write_text("{}")
        self.blocks.setdefault(name, {"site": f"{site.address}/", "rps": RPS})

    def begin(self, acquired: Iterable[str] | None = None, enumerated: Iterable[str] = ()) -> Run:
        """Begins a run, as whose child each job is started."""
        names = list(self.blocks)
        work = Work(frozenset(enumerated), frozenset(names if acquired is None else acquired))
        (self.folder / "sources.yaml").write_text(yaml.safe_dump(self.blocks))
        given = {"sources": "sources.yaml", "results": "results", "beside": self.beside}
        (self.folder / "config.json").write_text(json.dumps(given))
        return Run.begin(self.results.absolute(), names, False, work)

    @contextmanager
    def started(self, name: str, **changed: float) -> Iterator["subprocess.Popen[bytes]"]:
        """Starts the acquire job of a source; `changed` constants of the module."""
        process = subprocess.Popen(
            [sys.executable, "-c", JOB, name, json.dumps(changed)],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(SCRIPTS)},
            stdin=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def run(self, name: str, **changed: float) -> None:
        """Runs the acquire job of a source to its end."""
        with self.started(name, **changed) as process:
            assert process.wait(60) == 0, self.log(name)

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def store(self, name: str) -> Store:
        return Store(self.results, name)

    def observed(self, name: str) -> list[str]:
        """The paths that the record says were acquired, in their order."""
        lines = [line for month in self.store(name).record_months() for line in lines_of(month)]
        prefix = self.sites[name].address
        return [
            line["artifact"].removeprefix(prefix) for line in lines if line["type"] == "observation"
        ]

    def wait_for(self, name: str, count: int) -> None:
        """Waits until so many artifacts of a source stand in its record."""
        wait_until(lambda: len(self.observed(name)) >= count, f"{count} of {name} are acquired")

    def asked(self, name: str) -> list[str]:
        """The paths that were asked for, besides robots.txt."""
        return [path for path in self.sites[name].paths() if path != "/robots.txt"]

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text()

    def share(self, name: str) -> Json:
        value: Json = json.loads(self.store(name).share.read_text())
        return value

    def state(self, name: str) -> Json:
        value: Json = json.loads(self.store(name).acquire_state.read_text())
        return value


@contextmanager
def jobs_of(folder: Path, *names: str) -> Iterator[Jobs]:
    """Gives sites under these names, and a folder for their run."""
    with ExitStack() as opened:
        yield Jobs(folder, {name: opened.enter_context(Site()) for name in names})


def companions(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """The processes of a job besides itself: the one that keeps the companions, and those."""
    return psutil.Process(process.pid).children(recursive=True)
