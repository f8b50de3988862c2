"""Runs the real `snakemake` on loopback sites, in a folder of its own, and counts its jobs."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import psutil
import yaml

PROJECT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).parent / "snakemake"
LONGEST_RUN = 240.0
LONGEST_WAIT = 30.0
_JOB = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):", re.M)
_WILDCARDS = re.compile(r"^    wildcards: (.+)$", re.M)

Sources = Mapping[str, Mapping[str, Any]]


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
    def kinds_read(self) -> Counter[str]:
        """How many extract jobs there were of each kind."""
        wildcards = [_wildcards(line) for line in _WILDCARDS.findall(self.output)]
        return Counter(each["kind"] for each in wildcards if "kind" in each)

    @property
    def had_nothing_to_do(self) -> bool:
        return "Nothing to be done" in self.output

    @property
    def own_lines(self) -> list[str]:
        """The lines in which the workflow itself says what is wrong."""
        return [line for line in self.output.splitlines() if line.startswith("centinel: ")]

    def succeeded(self) -> "Ran":
        """Returns this run; fails with its whole output where its exit code says that it failed."""
        assert self.code == 0, self.output
        return self

    def failed(self) -> "Ran":
        """Returns this run; fails with its whole output where its exit code says success."""
        assert self.code != 0, self.output
        return self


def _wildcards(line: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in line.split(", "))
    return {name: value for name, _, value in pairs}


@dataclass
class Running:
    """A run that was started and not ended yet."""

    process: "subprocess.Popen[bytes]"
    said: Path

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def ended(self, within: float = LONGEST_RUN) -> Ran:
        """Waits for its end and returns what it said and did."""
        self.process.wait(within)
        return Ran(self.process.returncode, self.said.read_text(errors="replace"))

    def send(self, number: int) -> None:
        """Sends a signal to the run and all its jobs, as a terminal does."""
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Kills the run and all its jobs, as a power cut would."""
        self.send(signal.SIGKILL)
        self.process.wait(LONGEST_WAIT)

    def kill_main_process_only(self) -> None:
        """Kills the process that runs the workflow; its jobs are told nothing."""
        self.process.kill()
        self.process.wait(LONGEST_WAIT)


@dataclass(frozen=True)
class Workflow:
    """A working folder: links to the project's files, and sources, results and logs of its own."""

    folder: Path
    results_name: str = "results"
    config: tuple[str, ...] = field(default=())

    @classmethod
    def make(cls, folder: Path, sources: Sources, results: str = "results") -> "Workflow":
        """Prepares a folder so that `snakemake` in it is the project's, on these sources."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("Snakefile", "rules", "scripts", "profiles", "envs", "config"):
            (folder / name).symlink_to(PROJECT / name)
        made = cls(folder, results)
        made.write_sources(sources)
        return made

    def copy(self, folder: Path) -> "Workflow":
        """Copies the folder with all that was made in it; Snakemake's paths are relative."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Workflow(folder, self.results_name)

    @property
    def results(self) -> Path:
        return self.folder / self.results_name

    def write_sources(self, sources: Sources) -> None:
        """Writes the sources file."""
        (self.folder / "sources.yaml").write_text(yaml.safe_dump(dict(sources)))

    def command(self, arguments: Sequence[str] = (), config: Sequence[str] = ()) -> list[str]:
        """Returns the command line of a run."""
        settings = ["sources=sources.yaml", f"results={self.results_name}", *config]
        return [str(PROGRAM), "--cores", "2", *arguments, "--config", *settings]

    def run(
        self,
        *arguments: str,
        config: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Ran:
        """Runs the workflow to its end."""
        with self.started(*arguments, config=config, environment=environment) as running:
            return running.ended()

    @contextmanager
    def started(
        self,
        *arguments: str,
        config: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[Running]:
        """Starts the workflow in a process group of its own, which ends with the block."""
        said = self.folder / f"said-{time.monotonic_ns()}.txt"
        with said.open("wb") as stream:
            process = subprocess.Popen(
                self.command(arguments, config),
                cwd=self.folder,
                env={**_clean_environment(), **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield Running(process, said)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(LONGEST_WAIT)

    def processes(self, script: str = "") -> list[psutil.Process]:
        """Returns the living processes that work in this folder, of one script where it is named.

        A job's process is called after its script; those that only wait for it are not counted.
        """
        return [each for each in psutil.process_iter() if _works_in(each, self.folder, script)]

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

    def record(self, source: str) -> list[dict[str, Any]]:
        """Returns the lines of a source's record, without torn ones."""
        months = sorted((self.source(source) / "record").glob("*.jsonl"))
        return [line for month in months for line in _whole_lines(month)]

    def observed(self, source: str) -> set[str]:
        """Returns the artifacts that the record says were acquired."""
        return {line["artifact"] for line in self.record(source) if line["type"] == "observation"}

    def blobs(self, source: str) -> dict[str, str]:
        """Returns the blob of each artifact that acquire knows."""
        return {line["artifact"]: line["blob"] for line in self.lines(source, "artifacts.jsonl")}

    def states(self, source: str) -> dict[str, dict[str, Any]]:
        """Returns what is known of each address."""
        return {line["address"]: line for line in self.lines(source, "resources.jsonl")}

    def derived(self, source: str) -> dict[str, dict[str, Any]]:
        """Returns the derived line of each artifact, for shards whose work file stands."""
        return {line["artifact"]: line for line in self.derived_lines(source)}

    def derived_lines(self, source: str) -> list[dict[str, Any]]:
        """Returns all derived lines, of the highest version, whose work file stands."""
        newest: dict[tuple[str, str], Path] = {}
        for path in (self.source(source) / "derived").glob("*/*/*.jsonl"):
            kind, version = path.parts[-3], int(path.parts[-2].removeprefix("v").partition("-")[0])
            known = newest.get((kind, path.name))
            if not (self.source(source) / "work" / kind / path.name).exists():
                continue
            if known is None or version > int(known.parts[-2].removeprefix("v").partition("-")[0]):
                newest[kind, path.name] = path
        return [line for _, path in sorted(newest.items()) for line in read_lines(path)]

    def texts(self, source: str) -> dict[str, bytes]:
        """Returns all markdown files of a source by their path under `text/`."""
        root = self.source(source) / "text"
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.md")}

    def times(self, source: str, pattern: str) -> dict[str, int]:
        """Returns when each file of a source that fits a pattern was written, by its path."""
        root = self.source(source)
        files = (path for path in root.glob(pattern) if path.is_file())
        return {path.relative_to(root).as_posix(): path.stat().st_mtime_ns for path in files}

    def reports(self) -> set[str]:
        """Returns the reports that stand, relative to the results."""
        pages = [*self.results.glob("report.html"), *self.results.glob("*/report.html")]
        return {page.relative_to(self.results).as_posix() for page in pages}

    def leftovers(self, source: str) -> list[str]:
        """Returns the temporary files in a source's folder, and bodies that are no blobs yet."""
        root = self.source(source)
        files = [path for path in root.rglob("*") if path.is_file()]
        temporary = [
            p for p in files if p.suffix == ".tmp" or "incoming" in p.parts or ".scratch." in str(p)
        ]
        return sorted(path.relative_to(root).as_posix() for path in temporary)


def _clean_environment() -> dict[str, str]:
    """This process's environment without what would lead a run elsewhere, or past the loopback."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SNAKEMAKE_")}
    kept.pop("CENTINEL_RUN", None)
    return {**kept, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


def _works_in(process: psutil.Process, folder: Path, script: str) -> bool:
    try:
        if process.status() == psutil.STATUS_ZOMBIE or process.cwd() != str(folder):
            return False
        called = process.cmdline()
    except (psutil.Error, OSError):
        return False
    return not script or (len(called) > 1 and called[1].endswith(f".{script}"))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yields the objects in a file of JSON lines."""
    for line in path.read_bytes().splitlines():
        yield orjson.loads(line)


def _whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_bytes().splitlines():
        with suppress(orjson.JSONDecodeError):
            yield orjson.loads(line)


def wait_until(holds: Callable[[], bool], what: str, within: float = LONGEST_WAIT) -> None:
    """Looks every 10 ms whether something holds; fails where it does not within the seconds."""
    until = time.monotonic() + within
    while not holds():
        assert time.monotonic() < until, f"not within {within:.0f} s: {what}"
        time.sleep(0.01)
