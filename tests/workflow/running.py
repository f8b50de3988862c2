"""Runs the real `snakemake` on loopback sites, in a folder of its own, and counts its jobs."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml

PROJECT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).parent / "snakemake"
_JOB = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):", re.M)


@dataclass(frozen=True)
class Ran:
    """What one run of the workflow said and did."""

    code: int
    output: str

    @property
    def jobs(self) -> Counter[str]:
        """How many jobs of each rule were started."""
        return Counter(_JOB.findall(self.output))

    @property
    def had_nothing_to_do(self) -> bool:
        return "Nothing to be done" in self.output


@dataclass(frozen=True)
class Workflow:
    """A working folder: links to the project's files, and sources, results and logs of its own."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, sources: Mapping[str, Mapping[str, Any]]) -> "Workflow":
        """Prepares a folder so that `snakemake` in it is the project's, on these sources."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("Snakefile", "rules", "scripts", "profiles", "envs", "config"):
            (folder / name).symlink_to(PROJECT / name)
        made = cls(folder)
        made.write_sources(sources)
        return made

    @property
    def results(self) -> Path:
        return self.folder / "results"

    def write_sources(self, sources: Mapping[str, Mapping[str, Any]]) -> None:
        """Writes the sources file."""
        (self.folder / "sources.yaml").write_text(yaml.safe_dump(dict(sources)))

    def command(self, arguments: Sequence[str] = (), config: Sequence[str] = ()) -> list[str]:
        """Returns the command line of a run."""
        settings = ["sources=sources.yaml", "results=results", *config]
        return [str(PROGRAM), "--cores", "2", *arguments, "--config", *settings]

    def run(
        self,
        *arguments: str,
        config: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Ran:
        """Runs the workflow to its end."""
        process = self.start(*arguments, config=config, environment=environment)
        output, _ = process.communicate(timeout=300)
        return Ran(process.returncode, output)

    def start(
        self,
        *arguments: str,
        config: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> "subprocess.Popen[str]":
        """Starts the workflow in a process group of its own."""
        return subprocess.Popen(
            self.command(arguments, config),
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def source(self, name: str) -> Path:
        """Returns the folder of a source's results."""
        return self.results / name

    def lines(self, source: str, name: str) -> list[dict[str, Any]]:
        """Returns the objects in a file of JSON lines of a source."""
        return list(read_lines(self.source(source) / name))

    def json(self, source: str, name: str) -> dict[str, Any]:
        """Returns the object in a JSON file of a source."""
        value: dict[str, Any] = orjson.loads((self.source(source) / name).read_bytes())
        return value

    def derived(self, source: str) -> dict[str, dict[str, Any]]:
        """Returns the derived line of each artifact, for shards whose work file stands."""
        found = {}
        for path in sorted((self.source(source) / "derived").glob("*/*/*.jsonl")):
            if (self.source(source) / "work" / path.parts[-3] / path.name).exists():
                found |= {line["artifact"]: line for line in read_lines(path)}
        return found


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the objects in a file of JSON lines."""
    for line in path.read_bytes().splitlines():
        yield orjson.loads(line)


def kill(process: "subprocess.Popen[str]") -> None:
    """Kills a workflow and every job of it, as a power cut would."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
