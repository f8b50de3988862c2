"""The worker: requests in, results out, over the acquire loop with a source of its own."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from centinel import planning
from centinel.acquire import PUT_OFF, Loop
from centinel.configuration import Configuration, Source, source_of_block
from centinel.files import read_lines
from centinel.http import Client
from centinel.ingest import database, statuses
from centinel.ingest.lines import given, key_of, parsed, spelt
from centinel.ingest.request import BadRequest, Request
from centinel.ingest.results import Results
from centinel.ingest.settings import settings_of
from centinel.ingest.writing import Finisher, Pair, Spool, save, write
from centinel.journal import now, read_record
from centinel.planning import Task
from centinel.progress import Progress
from centinel.record import IngestRequest, Json, Resource, timestamp
from centinel.sources.datasets import Datasets
from centinel.store import Store

SOURCE = "ingest"
"""The id under which the worker keeps what it acquires."""

_BLOCK: Json = {"datasets": "-", "acquire_for": "36500d"}
"""The worker has no list and no bound of time: it ends with its input."""


@dataclass
class Worker:
    """Ingests one request after the other. Use it under the locks of its store."""

    store: Store
    source: Source
    client: Client
    clock: Callable[[], datetime] = now
    _asked: dict[str, tuple[str, Request | BadRequest]] = field(default_factory=dict)
    """Every request that was ever made, with its line, by what it goes by."""
    _made: Spool = field(default_factory=Spool)
    """What this run made of requests."""
    _unsaved: list[Json] = field(default_factory=list)

    @classmethod
    def of(cls, configuration: Configuration, results: Path) -> "Worker":
        """Returns the worker that keeps what it acquires under a folder of results."""
        source = source_of_block(configuration, SOURCE, _BLOCK)
        store = Store(results, SOURCE)
        client = Client(
            folder=store.incoming,
            contact=configuration.contact,
            rps=source.rps,
            max_bytes=source.max_bytes,
            robots_unreachable=source.robots_unreachable,
        )
        return cls(store, source, client)

    def __post_init__(self) -> None:
        self.kind = Datasets(self.clock)
        progress = Progress(SOURCE, streams=(sys.stderr,))
        self.loop = Loop(self.store, self.source, self.kind, self.client, progress, self.clock)
        self.loop.stop = self.client.stop

    def run(self, lines: Iterable[str]) -> Iterator[Json]:
        """Yields the result of each line, in order; empty lines have none.

        What was asked is in the record before its result is given. When the input ends, the files
        of results are written whole, and the database. Raises DatabaseError and OSError, and
        Interrupted when it is ended by a signal, after the same.
        """
        self._begin()
        self._listened = self.clock()
        try:
            for line in lines:
                if line.strip():
                    yield self._result(line.strip())
        finally:
            self._end()

    def _begin(self) -> None:
        """Takes up the requests of earlier runs from the record."""
        for line in read_record(self.store):
            if line.get("type") == "request":
                self._note(spelt(line["request"]))
        self.loop.begin([Resource(each) for each in self._addresses()])
        settings = settings_of(self.source.ingest)
        made = Results(
            self.store, self.loop.history, settings, self.source.max_bytes, clock=self.clock
        )
        self.finisher = Finisher(made, lambda: self.client)

    def _addresses(self) -> list[str]:
        found = (each for _, each in self._asked.values())
        return sorted({each.address for each in found if isinstance(each, Request)})

    def _note(self, line: str) -> tuple[str, Request | BadRequest]:
        """Takes note of a request; returns what it goes by, and what it is."""
        asked = parsed(line)
        key = key_of(line, asked)
        self._asked[key] = (line, asked)
        return key, asked

    def _result(self, line: str) -> Json:
        """The result of one line; what is unexpected is a result as well."""
        known = len(self._asked)
        key, asked = self._note(line)
        if len(self._asked) > known:
            address = asked.address if isinstance(asked, Request) else None
            at = self.clock()
            self.loop.journal.add(at, IngestRequest(timestamp(at), address, given(line)))
        if isinstance(asked, Request):
            self._acquire(asked)
        pair = self._put_off(self.finisher.finished(line, asked))
        self._made.put(key, pair)
        self._unsaved.append(pair[0])
        if len(self._unsaved) >= database.AT_ONCE:
            with suppress(database.DatabaseError):  # said when all is written at the end
                save(self.store.results, self._unsaved)
            self._unsaved.clear()
        return pair[0]

    def _put_off(self, pair: Pair) -> Pair:
        """Says why what was just to be asked was not."""
        row, entity = pair
        if row["status"] == statuses.NO_CAPTURE and row["manifest"] is None:
            row = {
                **row,
                "error_message": "put off: its host did not answer several times in a row",
            }
        return row, entity

    def _acquire(self, request: Request) -> None:
        """Asks for what is not in the record, and for what is due again."""
        self.kind.expect(self.source, self.client, request)
        at = self.clock()
        # A worker may live for weeks: each request is a run, in which nothing is asked twice.
        self.loop.history.run += 1
        if at - self._listened >= PUT_OFF:
            self.loop.listen_again()
            self._listened = at
        self.loop.ask(self._tasks(request, at))

    def _tasks(self, request: Request, at: datetime) -> list[Task]:
        """What is to be asked now: by the loop's rules, or also before its time, by force."""
        planned = self._planned(request, at)
        if not request.force_recrawl:
            return planned
        return [
            each
            for each in self._planned(request, at + 2 * statuses.LONGEST)
            if not each.is_part or each in planned or not self._is_settled(each.artifact)
        ]

    def _is_settled(self, artifact: str) -> bool:
        """Whether the bytes are here, and are what was declared of them."""
        known = self.loop.history.known(artifact)
        return known is not None and known.observation is not None and known.pause is None

    def _planned(self, request: Request, at: datetime) -> list[Task]:
        resources = [Resource(request.address)]
        planned = planning.plan(resources, self.loop.history, self.source, self.kind, at)
        # What was lost of other requests is asked for with them.
        return [task for task in planned.tasks if task.is_named]

    def _end(self) -> None:
        """Writes the rows of all requests that were ever made, and what acquire knows."""
        self.loop.journal.commit()
        self.loop.resources = [Resource(each) for each in self._addresses()]
        self.loop.end(0)
        before = Spool()
        before.load(self.store)
        is_made_again = not before or database.is_missing(self.store.results)
        write(self.store, (self._pair(key, before) for key in self._asked))
        rows = read_lines(self.store.ingest_results) if is_made_again else self._made.rows()
        save(self.store.results, rows)

    def _pair(self, key: str, before: Spool) -> Pair:
        """What was made of a request in this run, else earlier, else what the record tells."""
        pair = self._made.get(key) or before.get(key)
        return pair or self.finisher.finished(*self._asked[key])
