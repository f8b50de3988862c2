"""Starts the measured processes, each in a folder of its own, and reads what they took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
import yaml

from tests.bench.acquire_child import ADDRESSES, SOURCE
from tests.bench.corpus import PROJECT
from tests.bench.measuring import Failed, expect

SCRAPY_PYTHON = PROJECT / "build" / "venv-bench" / "bin" / "python"
SCRAPY = PROJECT / "tests" / "bench" / "acquire_scrapy.py"
MEMORY_SYSTEMS = frozenset({"tmpfs", "ramfs"})


@dataclass(frozen=True)
class Took:
    """What one process took, without its imports."""

    wall: float
    processor: float
    """Seconds of its own processor time, also that in the kernel."""
    peak_bytes: int
    pages: int = 0
    bodies: str = ""
    """A hash of the hashes of all bodies: the same where the same was fetched."""
    left: int = 0
    """How many addresses the acquire loop says are left."""

    @property
    def peak_megabytes(self) -> float:
        """The most memory it held, in 10^6 bytes."""
        return self.peak_bytes / 1e6


@dataclass(frozen=True)
class Place:
    """The folder of one measured process, with its source."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, site: str, addresses: Sequence[str], **more: object) -> Place:
        """Makes the folder for addresses of a site; `more` goes into the source's block."""
        folder.mkdir()
        (folder / ADDRESSES).write_text("\n".join(addresses) + "\n")
        block = {"site": f"{site}/", "rps": 100_000, "acquire_for": "6h", **more}
        (folder / "sources.yaml").write_text(yaml.safe_dump({SOURCE: block}))
        return cls(folder)

    @property
    def record(self) -> Path:
        """The folder of the record."""
        return self.folder / "results" / SOURCE / "record"

    def child(self, mode: str) -> Took:
        """Runs one of the modes of `acquire_child` here."""
        return self._took([sys.executable, "-m", "tests.bench.acquire_child", mode])

    def scrapy(self, at_once: int) -> Took:
        """Runs Scrapy on the addresses; `at_once` requests, 0 for its own default."""
        command = [str(SCRAPY_PYTHON), str(SCRAPY), str(ADDRESSES), "--at-once", str(at_once)]
        return self._took(command)

    def acquired(self) -> Took:
        """Takes the snapshot, which does not count, then acquires."""
        self.child("snapshot")
        return self.child("loop")

    def lengthen(self, times: int) -> None:
        """Makes the record so many times as long as the snapshot."""
        module = "tests.bench.acquire_record"
        self._run([sys.executable, "-m", module, str(self.record), str(times)])

    def _took(self, command: Sequence[str]) -> Took:
        return Took(**json.loads(self._run(command)))

    def _run(self, command: Sequence[str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        expect(done.returncode == 0, said)
        return done.stdout


def _environment() -> Mapping[str, str]:
    """This one, with the project on the path and no proxy between the server and its clients."""
    path = f"{PROJECT}{os.pathsep}{PROJECT / 'scripts'}"
    return {**os.environ, "PYTHONPATH": path, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}


def check_is_on_disk(folder: Path) -> None:
    """Raises Failed where a folder lies in memory: syncing costs nothing there."""
    mounts = {each.mountpoint: each.fstype for each in psutil.disk_partitions(all=True)}
    here = next(str(each) for each in (folder, *folder.parents) if str(each) in mounts)
    if mounts[here] in MEMORY_SYSTEMS:
        raise Failed(f"{folder} lies in memory ({mounts[here]}): name one on disk with --folder")
