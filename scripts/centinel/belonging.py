"""Which run does a job belong to, and has that run ended?

On one machine the kernel knows: the process of the run is there, or it is not.  On a cluster a job
is no child of its run and may be anywhere, so it looks at a file that stands for the run, on the
file system that they share.  The next run on the same source removes it.
"""

import ctypes
import os
import select
import shutil
import signal
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Self

from centinel.files import read_json, write_json
from centinel.record import Json

RUN_VARIABLE = "CENTINEL_RUN"
"""The environment variable that tells jobs which run they belong to."""

LOOK_SECONDS = 5.0
"""How often a job on another machine looks whether its run still stands."""

OVER = "centinel: the run that started this job has ended"

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Work:
    """The sources that a run has certain jobs for."""

    enumerated: frozenset[str] = frozenset()
    acquired: frozenset[str] = frozenset()

    def to_json(self) -> Json:
        """Returns what the file of the run says of it."""
        return {each.name: sorted(getattr(self, each.name)) for each in fields(self)}


@dataclass(frozen=True)
class Run:
    """One run of the workflow, as its jobs know it."""

    machine: str
    """Of whose processes `process` is one."""
    process: int
    place: Path
    """The file that stands for the run, `results/.runs/<number>.json`."""
    inherited: frozenset[str] = frozenset()
    """The sources on which a run was killed before this one took its place."""

    @classmethod
    def begin(
        cls, results: Path, touched: Iterable[str], overall: bool, work: Work | None = None
    ) -> Self:
        """Takes the place of runs that were killed, tells jobs through the environment.

        The caller holds the locks of what it touches: whoever stands for that has ended.
        """
        work = work or Work()
        sources = sorted(touched)
        run = cls(this_machine(), os.getpid(), _new_place(results))
        _claims(run.place).mkdir(parents=True, exist_ok=True)
        told = {"host": os.uname().nodename, "process": run.process, "sources": sources}
        write_json(run.place, {**told, "overall": overall, **work.to_json()})
        # After its own file stands, so that what a kill leaves here is inherited in its turn.
        inherited = _displace(results, {*sources, *(["."] if overall else [])}, run.place)
        os.environ[RUN_VARIABLE] = f"{run.machine}:{run.process}:{run.place}"
        return replace(run, inherited=frozenset(inherited))

    @classmethod
    def from_environment(cls) -> Self | None:
        """Returns the run that started this process; None where it was started by hand."""
        machine, _, rest = os.environ.get(RUN_VARIABLE, "").partition(":")
        number, _, place = rest.partition(":")
        return cls(machine, int(number), Path(place)) if number.isdigit() and place else None

    def end(self) -> None:
        """Takes away what stands for the run."""
        self.place.unlink(missing_ok=True)
        self._elsewhere.unlink(missing_ok=True)
        shutil.rmtree(_claims(self.place), ignore_errors=True)

    @property
    def name(self) -> str:
        """What no other run is called."""
        return self.place.stem

    @property
    def work(self) -> Work:
        """What it has jobs for; nothing where it is over."""
        told = read_json(self.place) or {}
        return Work(*(frozenset(told.get(each.name, ())) for each in fields(Work)))

    @property
    def began(self) -> int:
        """When it began, in nanoseconds since the epoch, by the clock of its file system."""
        return self.place.stat().st_mtime_ns

    def claim(self, source: str) -> None:
        """Says that the source's own job has begun: nobody else acquires from it in this run."""
        with suppress(OSError):  # the run is over, or the disk is full: no fault of this job
            (_claims(self.place) / source).touch()

    def is_claimed(self, source: str) -> bool:
        """Returns whether the source's own job has begun."""
        return (_claims(self.place) / source).exists()

    @property
    def stands(self) -> bool:
        """Whether its file is there: opened, since a network file system answers a mere question
        from memory. One that cannot answer is no word about the run."""
        try:
            self.place.open("rb").close()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    def waiter(self) -> Callable[[], None]:
        """Returns a function that returns when the run has ended.

        Ends this process where it has already.
        """
        wait = self._wait_for_process() if self.machine == this_machine() else None
        if wait is None:
            with suppress(OSError):
                self._elsewhere.touch()
            wait = self._wait_for_place
        return wait

    @property
    def _elsewhere(self) -> Path:
        return elsewhere(self.place)

    def _wait_for_process(self) -> Callable[[], None] | None:
        if not hasattr(os, "pidfd_open"):
            return None
        try:
            descriptor = os.pidfd_open(self.process)
        except ProcessLookupError:
            sys.exit(OVER)
        except OSError:
            return None

        def wait() -> None:
            select.select([descriptor], [], [])

        return wait

    def _wait_for_place(self) -> None:
        while self.stands:
            time.sleep(LOOK_SECONDS)


def end_with_run() -> None:
    """Sends this job SIGTERM when the run that it belongs to ends, however it ends.

    Ends it at once where the run is over already.  A shell stands between the process of the run
    and this one, so the signal of a dead parent is not enough.
    """
    end_with_parent()
    run = Run.from_environment()
    if run is None:
        return
    if not run.stands:
        sys.exit(OVER)
    _watch(run.waiter())


def end_with_parent() -> None:
    """Has the kernel send this process SIGTERM when the one that started it dies, on Linux."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def this_machine() -> str:
    """Returns what is the same for processes that see each other: a kernel's start, and a space of
    process numbers (containers have their own)."""
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{start}.{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return os.uname().nodename.replace(":", "-")


def elsewhere(place: Path) -> Path:
    """Returns the mark of a run that has jobs on other machines."""
    return place.with_suffix(".elsewhere")


def _watch(wait: Callable[[], None]) -> None:
    main = threading.main_thread().ident or 0

    def watch() -> None:
        wait()
        signal.pthread_kill(main, signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="end with the run").start()


def _displace(results: Path, touched: set[str], own: Path) -> set[str]:
    """Removes what stands for runs that were killed, and waits for jobs of theirs elsewhere.

    Returns the sources that they had touched and this run touches; for the others of theirs
    something stands on, until a run touches those.
    """
    marks = []
    inherited: set[str] = set()
    for place in sorted(set(_folder(results).glob("*.json")) - {own}):
        told = read_json(place) or {}
        sources = set(told.get("sources", ()))
        if touched & {*sources, *(["."] if told.get("overall") else [])}:
            if sources - touched:
                rest = {**told, "sources": sorted(sources - touched), "overall": False}
                write_json(_new_place(results), rest)
            place.unlink(missing_ok=True)
            shutil.rmtree(_claims(place), ignore_errors=True)
            marks.append(elsewhere(place))
            inherited |= sources & touched
    left = [mark for mark in marks if mark.exists()]
    if left:
        seconds = 2 * LOOK_SECONDS
        said = f"an earlier run was killed; {seconds:.0f} s for its jobs on other machines to end"
        print(f"centinel: {said}", file=sys.stderr, flush=True)
        time.sleep(seconds)
    for mark in left:
        mark.unlink(missing_ok=True)
    return inherited


def _new_place(results: Path) -> Path:
    return _folder(results) / f"{uuid.uuid4().hex}.json"


def _claims(place: Path) -> Path:
    """A file for each source whose own acquire job has begun."""
    return place.with_suffix(".begun")


def _folder(results: Path) -> Path:
    return results / ".runs"
