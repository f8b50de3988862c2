"""Which other sources does a job acquire while it waits for its own?

One request a second leaves a machine idle, and only a few jobs wait on the network at once.  So an
acquire job starts others of its run beside its own source: companions, each in a process of its
own, which add to the record and to nothing else.  The source's own job finds it there, and writes
the outputs.
"""

import gc
import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from centinel import addresses, forked, jobs, locks
from centinel.acquire import Loop
from centinel.answers import Answer
from centinel.belonging import Run
from centinel.configuration import Configuration, Source
from centinel.download import Download, Interrupted
from centinel.http import Client
from centinel.progress import Progress
from centinel.share import Share
from centinel.sources.registry import kind_of
from centinel.store import Store

MOST_RPS = 10.0
"""A source that may be asked more often is acquired by its own job alone: it soon has its turn, and
each answer takes a millisecond of a processor (measured), which would be taken from the readers."""

FIRST_SECONDS = 1.0
"""A job that ends sooner starts no companion."""

LOOK_SECONDS = 0.2
"""How often it is looked whether a companion has ended, or is called back by its own job."""

FILL_SECONDS = 2.0
"""How often others are looked for while there is room."""

GRACE_SECONDS = 2.0
"""What the request under way may still take when its companion is called back."""

END_SECONDS = 15.0
"""A companion that takes longer is killed: its own job waits for the lock, `jobs.LOCK_SECONDS`."""


def acquire(
    configuration: Configuration, source: Source, turn: int, progress: Progress
) -> Counter[str]:
    """Acquires what is due of a source, with others beside it; returns what came of its own.

    Raises OSError for a fault of this machine, and Busy where another run holds the record.
    """
    run = Run.from_environment()
    with _companions(configuration, source, run, progress):
        stop = jobs.stop_event()
        store = Store(configuration.results, source.identifier)
        with locks.held(store.record_lock, jobs.LOCK_SECONDS):
            share = Share.of(store, run.name if run else "")
            _loop(configuration, source, share, progress, stop).run(turn)
            Share.forget(store)
    return share.counts


@contextmanager
def _companions(
    configuration: Configuration, source: Source, run: Run | None, progress: Progress
) -> Iterator[None]:
    """Has others of the run acquired while the block runs."""
    others: list[str] = []
    if run is not None:
        run.claim(source.identifier)
        others = list(_others(configuration, source, run))
    if run is None or not others:
        yield
        return
    try:
        number = forked.start(_Keeper(configuration, source, run, progress, others).work)
    except OSError as error:
        logging.warning("nothing is acquired beside it: %s", error)
        yield
        return
    try:
        yield
    finally:
        forked.end([number], END_SECONDS + GRACE_SECONDS)


def _others(configuration: Configuration, own: Source, run: Run) -> Iterator[str]:
    """The sources with a job of this kind in the run, of those for which pauses take most time.

    Where the kernel does not end a process with the one that started it, there are none.
    """
    if not configuration.beside or sys.platform != "linux":
        return
    for name in sorted(run.work.acquired - {own.identifier}):
        source = configuration.sources.get(name)
        if source and source.rps <= MOST_RPS and kind_of(source).is_paced:
            yield name


def _loop(
    configuration: Configuration,
    source: Source,
    share: Share,
    progress: Progress,
    stop: jobs.Stop,
) -> Loop:
    kind, store = kind_of(source), Store(configuration.results, source.identifier)
    client = _Client(
        folder=store.incoming,
        contact=configuration.contact,
        rps=source.rps,
        max_bytes=source.max_bytes,
        private_is_allowed=kind.private_is_allowed(source),
        robots_unreachable=source.robots_unreachable,
        stop=stop,
    )
    return Loop(store, source, kind, client, progress, stop=stop, share=share)


class _Client(Client):
    """Sends no further request once the job is called back."""

    stop: jobs.Stop

    def _once(
        self, address: str, headers: Mapping[str, str], download: Download
    ) -> tuple[Answer | str, float]:
        if self.stop.is_near:
            raise Interrupted
        return super()._once(address, headers, download)


@dataclass
class _Keeper:
    """The process that starts companions and calls them back.

    One of its own: the job itself waits for answers, and has threads, of which a process that is
    started meanwhile would inherit whatever they hold.
    """

    configuration: Configuration
    own: Source
    run: Run
    progress: Progress
    others: list[str]
    _held: dict[str, int] = field(default_factory=dict)
    """By source: the process that acquires it."""
    _called: dict[str, float] = field(default_factory=dict)
    """By source that was called back: when its process is killed."""
    _failed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._enumerated, self._began = self.run.work.enumerated, self.run.began

    def work(self, stop: jobs.Stop) -> None:
        """Keeps companions until it is told to end; they have all ended when it does."""
        gc.freeze()  # what the companions share is not written to
        fill_at = time.monotonic() + FIRST_SECONDS
        try:
            while not stop.wait(LOOK_SECONDS):
                self._look()
                if time.monotonic() >= fill_at:
                    self._fill()
                    fill_at = time.monotonic() + FILL_SECONDS
        finally:
            forked.end(self._held.values(), END_SECONDS)

    def _look(self) -> None:
        """Takes leave of those that ended, and calls back those whose own job has begun."""
        for name, number in list(self._held.items()):
            code = forked.exit_code(number)
            if code is not None:
                del self._held[name]
                self._called.pop(name, None)
                if code:
                    self._failed.add(name)
            elif name in self._called:
                if time.monotonic() >= self._called[name]:
                    forked.kill(number)
            elif self.run.is_claimed(name):
                self._called[name] = time.monotonic() + END_SECONDS
                forked.call_back(number)

    def _fill(self) -> None:
        room = self.configuration.beside - len(self._held)
        if room <= 0:
            return
        hosts = {self._host(each) for each in (self.own.identifier, *self._held)}
        for name in self._waiting():
            host = self._host(name)
            # Two sources of one host share its pace: the one would wait for the other.
            if host not in hosts and self._start(name):
                hosts.add(host)
                room -= 1
                if not room:
                    return

    def _host(self, name: str) -> str:
        source = self.configuration.sources[name]
        return addresses.host(kind_of(source).address(source))

    def _waiting(self) -> list[str]:
        """The sources that may be acquired now; those with the shortest snapshots first."""
        found = []
        for name in self.others:
            if name in self._held or name in self._failed or self.run.is_claimed(name):
                continue
            store = Store(self.configuration.results, name)
            size = self._size_of_snapshot(store)
            if size and not Share.of(store, self.run.name).is_done:
                found.append((size, name))
        return [name for _, name in sorted(found)]

    def _size_of_snapshot(self, store: Store) -> int:
        """The bytes of a snapshot that stands; 0 for one that is to be taken in this run."""
        is_to_be_new = store.source in self._enumerated
        try:
            taken, size = store.snapshot_report.stat(), store.snapshot.stat().st_size
        except OSError:
            return 0
        return 0 if is_to_be_new and taken.st_mtime_ns < self._began else size

    def _start(self, name: str) -> bool:
        """Starts a companion; not where somebody else holds its record."""
        lock_path = Store(self.configuration.results, name).record_lock
        try:
            # The new process inherits the lock, and holds it alone once the file is closed here.
            with locks.take(lock_path):
                if self.run.is_claimed(name):
                    return False
                self._held[name] = forked.start(partial(self._acquire, name), GRACE_SECONDS)
        except (locks.Busy, OSError):
            return False
        return True

    def _acquire(self, name: str, stop: jobs.Stop) -> None:
        """The work of a companion, which has the lock."""
        source = self.configuration.sources[name]
        store = Store(self.configuration.results, name)
        share = Share.of(store, self.run.name)
        share.begin(store, source)
        said = f"{name}, beside {self.own.identifier}"
        progress = Progress(f"acquire {said}", streams=self.progress.streams[1:])
        try:
            loop = _loop(self.configuration, source, share, progress, stop)
            share.is_done = loop.run_beside()
        except Exception:
            share.is_done = True  # its own job meets the same fault, and says so
            raise
        finally:
            with suppress(OSError):
                share.write(store)
            logging.info("%s: %s", said, dict(share.counts))
