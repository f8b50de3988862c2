"""`centinel ingest`: requests on standard input, results on standard output."""

import argparse
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING

from centinel.files import to_bytes

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[argparse.ArgumentParser]

DONE, FAULT = 0, 2
"""Exit codes: the second where this machine, not a request, is at fault."""


def add(commands: "Commands") -> None:
    """Adds the command to the console command's."""
    parser = commands.add_parser(
        "ingest",
        help="turn dataset landing pages into verified filesets",
        description="Reads requests as JSON lines on standard input (or addresses and DOIs, one a "
        "line) and writes results as JSON lines on standard output, in order. What is acquired is "
        "kept under DIR/ingest; a request that is finished is answered from there. A line that is "
        "no request has the status bad-request. Exit code: 0, or 2 for a fault of this machine.",
    )
    parser.add_argument(
        "target", metavar="URL", nargs="?", help="one request, instead of the input"
    )
    parser.add_argument(
        "--results", metavar="DIR", default="results", help="where things are kept (results)"
    )
    parser.add_argument(
        "--rps",
        type=_rate,
        metavar="N",
        help="requests a second to one host, instead of the configuration's",
    )
    parser.add_argument("--force", action="store_true", help="ask again, also for what is finished")
    parser.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    from centinel import jobs, locks
    from centinel.configuration import load_files
    from centinel.download import Interrupted
    from centinel.ingest.database import DatabaseError
    from centinel.ingest.worker import SOURCE, Worker
    from centinel.store import Store

    results = Path(chosen.results)
    store = Store(results, SOURCE)
    worker = Worker.of(load_files(Path.cwd()), results)
    worker.client.rps = chosen.rps or worker.client.rps
    worker.client.stop = worker.loop.stop = jobs.stop_event()
    lines = _Lines(sys.stdin.buffer, chosen.target, chosen.force, worker.client.stop.is_set)
    lines.end_with_signals()
    try:
        with locks.held(store.run_lock), locks.held(store.record_lock, jobs.LOCK_SECONDS):
            for row in worker.run(lines):
                sys.stdout.buffer.write(to_bytes(row) + b"\n")
                sys.stdout.buffer.flush()
    except Interrupted:
        return _said("ended by a signal: the next run goes on", 130)
    except locks.Busy as error:
        return _said(f"{error}: wait for it, or give another --results", FAULT)
    except (DatabaseError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        return _said(str(error), FAULT)
    return DONE


def _rate(text: str) -> float:
    rate = float(text)
    if not 0 < rate < float("inf"):
        raise argparse.ArgumentTypeError("give a number above 0")
    return rate


@dataclass
class _Lines:
    """The requests as they come."""

    stream: IO[bytes]
    target: str | None
    is_forced: bool
    is_stopped: Callable[[], bool]
    is_waiting: bool = False

    def __iter__(self) -> Iterator[str]:
        given = [self.target.encode()] if self.target else self._read()
        for line in given:
            text = line.decode("utf-8", "replace")
            yield _forced(text) if self.is_forced else text

    def _read(self) -> Iterator[bytes]:
        """Line by line: iteration over a pipe would wait for more."""
        from centinel.download import Interrupted

        while True:
            self.is_waiting = True
            if self.is_stopped():  # by a signal that came while nobody waited
                raise Interrupted
            line = self.stream.readline()
            self.is_waiting = False
            if not line:
                return
            yield line

    def end_with_signals(self) -> None:
        """Lets a signal end the wait for a line; elsewhere it does what it did before."""
        from centinel.download import Interrupted

        def end(number: int, frame: FrameType | None) -> None:
            before[number](number, frame)
            if self.is_waiting:
                raise Interrupted

        before: dict[int, Callable[[int, FrameType | None], object]] = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before[number] = _callable(signal.getsignal(number))
            signal.signal(number, end)


def _callable(handler: object) -> Callable[[int, FrameType | None], object]:
    return handler if callable(handler) else lambda *_: None


def _forced(line: str) -> str:
    """A request that is asked again though it is finished; what is none stays as it is."""
    from centinel.ingest.lines import given, parsed
    from centinel.ingest.request import BadRequest

    asked = parsed(line)
    if isinstance(asked, BadRequest):
        return line
    kept = given(line)
    said = kept if isinstance(kept, dict) else asked.to_json()
    return to_bytes({**said, "force_recrawl": True}).decode()


def _said(message: str, code: int) -> int:
    print(f"centinel: {message}", file=sys.stderr, flush=True)
    return code
