"""The loop that acquires, for every kind of source; knows none of them."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from centinel import addresses, crumbs, errorpages, planning
from centinel.answers import Answer, Fetched, NotModified
from centinel.configuration import Source
from centinel.download import Interrupted
from centinel.files import write_json, write_rendered
from centinel.fingerprint import fingerprint
from centinel.history import History, originals, replay
from centinel.http import Client
from centinel.journal import Journal, now
from centinel.liveness import Refusal
from centinel.looking import Looked, look_at
from centinel.masking import masked
from centinel.planning import Task
from centinel.progress import Progress
from centinel.published import Published
from centinel.record import (
    NOT_MODIFIED,
    Liveness,
    Observation,
    Resource,
    timestamp,
)
from centinel.share import Share
from centinel.sources.source_kind import Parts, SourceKind
from centinel.states import state_lines
from centinel.store import Store
from centinel.titles import Titles
from centinel.unpacking import Unpacking
from centinel.webpage import WebPage

DEAF_AFTER = 5
"""Addresses in a row that a host did not answer: the rest of that host is put off, unasked."""

PUT_OFF = timedelta(hours=1)


@dataclass
class Loop:
    """One acquire job over one source."""

    store: Store
    source: Source
    kind: SourceKind
    client: Client
    progress: Progress
    clock: Callable[[], datetime] = now
    stop: threading.Event = field(default_factory=threading.Event)
    history: History = field(default_factory=History)
    resources: Sequence[Resource] = ()
    share: Share = field(default_factory=Share)
    """What this run did of the source, here and before."""
    _put_off: set[str] = field(default_factory=set)
    _planned: planning.Plan | None = None
    _unpacked: set[str] = field(default_factory=set)
    """Members that were looked for in this run."""

    def run(self, turn: int) -> None:
        """Acquires what is due, within the source's bounds, and writes what is known after it.

        Raises OSError for a fault of this machine: what was committed before it stands.
        """
        with self._planning() as plan:
            try:
                self.ask(plan.tasks)
            except Interrupted:
                self.warnings.append("ended by a signal: the next run goes on")
            self.end(turn)

    def run_beside(self) -> bool:
        """Acquires as `run` does, and leaves what is known after it to the source's own job.

        Returns whether all was asked for that may be; raises as `run` does.
        """
        with self._planning() as plan:
            is_done = False
            with suppress(Interrupted):
                self.ask(plan.tasks)
                is_done = not self.stop.is_set()
            self._keep()
        return is_done

    @contextmanager
    def _planning(self) -> Iterator[planning.Plan]:
        """Gives what is due; what fails leaves the index as it was, or none where it may be bad."""
        self.begin(Published(self.store.snapshot))
        try:
            self._planned = self._plan()
            yield self._planned
        except (Interrupted, OSError):
            self.history.artifacts.close()
            raise
        except Exception:
            self.history.artifacts.drop()
            raise

    @property
    def counts(self) -> Counter[str]:
        return self.share.counts

    @property
    def warnings(self) -> list[str]:
        return self.share.warnings

    def begin(self, resources: Sequence[Resource]) -> None:
        """Gets ready to ask for what these resources are, sorted by address: replays the record."""
        self.client.stop = self.stop
        self.takes = planning.Filter(self.source).takes
        self._empty_incoming()
        self.resources = resources
        self.history = replay(self.store)
        self.share.count_on(self.history)
        self._asked_before = self.counts["asked"]
        self._originals = originals(self.store, self.history)
        self._ledger = crumbs.Ledger(self.store)
        self._titles = Titles(self.history, self._bytes_of)
        self._errors = errorpages.ErrorPages(self.history, self._bytes_of)
        self.journal = Journal(self.store, self.clock)
        self._members = Unpacking(
            self.store,
            self.source,
            self.history,
            self.journal,
            self.clock,
            self.stop,
            self.counts,
            self.warnings,
            self.takes,
        )

    def ask(self, tasks: Sequence[Task]) -> None:
        """Asks for artifacts and their parts, within the bounds; all of it is committed after it.

        Raises Interrupted when the run is ended meanwhile.
        """
        began = time.monotonic()
        try:
            self._ask(tasks)
        finally:
            self.share.seconds += time.monotonic() - began
            self.journal.commit()

    def end(self, turn: int) -> None:
        """Writes what is known after everything was asked."""
        self._keep()
        self._write(turn)

    def _keep(self) -> None:
        self._ledger.flush()
        self.history.keep(self.store)

    def _plan(self) -> planning.Plan:
        return planning.plan(self.resources, self.history, self.source, self.kind, self.clock())

    def _empty_incoming(self) -> None:
        """What a killed job left on its way; nothing in there is named by the record."""
        if self.store.incoming.exists():
            for left in self.store.incoming.iterdir():
                left.unlink()

    def _ask(self, tasks: Sequence[Task]) -> None:
        until = time.monotonic() + self.source.acquire_for.total_seconds() - self.share.seconds
        limit = self.source.limit or self.share.asked + len(tasks)
        for number, task in enumerate(tasks):
            if self.share.asked >= limit or time.monotonic() >= until or self.stop.is_set():
                return
            if task.artifact in self._unpacked or self.history.was_asked(task.artifact):
                continue
            if task.holder is not None:
                self._take_members(task.resource, task.holder)
                continue
            if self._is_deaf(task.artifact):
                continue
            parts = self._one(task)
            self.share.asked += 1
            for part in parts:
                if self._is_deaf(part.artifact):
                    continue
                self._one(part)
                self._say(len(tasks) - number - 1)
            self._say(len(tasks) - number - 1)

    def _take_members(self, resource: Resource, holder: str) -> None:
        """Takes what an artifact holds out of its bytes: nothing is asked for."""
        self._unpacked |= self._members.take(resource.address, holder)

    def _say(self, left: int) -> None:
        refused = {name: self.counts[name] for name in ("blocked", "gone", "error")}
        self.progress.maybe(self.counts["asked"] - self._asked_before, left, refused)

    def listen_again(self) -> None:
        """Forgets which hosts did not answer: what was put off may be asked for."""
        self.share.unanswered.clear()
        self._put_off.clear()

    def _is_deaf(self, artifact: str) -> bool:
        if self.share.unanswered[addresses.host(artifact)] < DEAF_AFTER:
            return False
        self._put_off.add(artifact)
        return True

    def _one(self, task: Task) -> list[Task]:
        """Asks for one artifact and records what came; returns the parts to ask for next."""
        if self.journal.is_due():
            self.journal.commit()
        answer = self._answer(task)
        self.counts["asked"] += 1
        if isinstance(answer, Fetched):
            seen = look_at(answer)
            refusal = self._soft_error(task, seen)
            if refusal is None:
                return self._store(task, seen)
            answer.body.discard()
            self._refuse(task, refusal, seen.page)
            return []
        if isinstance(answer, NotModified):
            self.counts["unchanged"] += 1
            self._refuse(task, Refusal(Liveness.LIVE, NOT_MODIFIED, answer.http_status))
        else:
            self._refuse(task, answer)
        return []

    def _soft_error(self, task: Task, seen: Looked) -> Refusal | None:
        answer = seen.answer
        refusal = seen.soft_error()
        if refusal or seen.page is None or answer.http_status is None:
            return refusal
        return self._errors.refusal(task.artifact, seen.page, answer.http_status, answer.final_url)

    def _answer(self, task: Task) -> Answer:
        """One odd input never ends a run: what is unexpected is a failure of that one address."""
        validators = self._validators(task.artifact)
        try:
            fetch = self.kind.fetch_part if task.is_part else self.kind.fetch
            answer = fetch(self.source, self.client, task.artifact, validators)
        except (Interrupted, OSError):
            raise
        except Exception as error:
            if self.stop.is_set():  # what a signal broke off shows nothing of an address
                raise Interrupted from error
            return Refusal(Liveness.ERROR, f"unexpected: {type(error).__name__}: {error}")
        if isinstance(answer, NotModified) and not validators:
            return Refusal(Liveness.ERROR, "http 304 to an unconditional request", 304)
        return answer

    def _validators(self, artifact: str) -> dict[str, str]:
        """What makes the request conditional; nothing where the bytes are not there any more."""
        seen = self.history.observed(artifact)
        if seen is None or not self.store.blob(seen.blob).exists():
            return {}
        return dict(seen.headers)

    def _store(self, task: Task, seen: Looked) -> list[Task]:
        observation = self._observation(task, seen)
        self.share.unanswered[addresses.host(task.artifact)] = 0
        before = self.history.observed(task.artifact)
        if before is not None and before.fingerprint != observation.fingerprint:
            self.counts["changed"] += 1
        self.counts["stored"] += 1
        self.counts["bytes"] += observation.size
        self.history.see(observation)
        self._ledger.note(observation, seen.page)
        self.journal.add(self.clock(), observation, seen.answer.body.held)
        self._take_members(task.resource, task.artifact)
        return [
            Task(task.resource, part, is_part=True)
            for part in observation.parts
            if self.history.known(part) is None and self.takes(part)
        ]

    def _bytes_of(self, blob: str) -> bytes | None:
        path = self.store.blob(blob)
        if not path.exists():
            self.journal.commit()  # it may be on its way
        return path.read_bytes() if path.exists() else None

    def _observation(self, task: Task, seen: Looked) -> Observation:
        answer, body = seen.answer, seen.answer.body
        found = self._parts(task, seen)
        return Observation(
            at=timestamp(self.clock()),
            resource=task.resource.address,
            artifact=task.artifact,
            blob=body.sha256,
            size=body.size,
            fingerprint=fingerprint(seen.kind, body, seen.page, found.addresses),
            declared_type=answer.declared_type,
            final_url=answer.final_url,
            http_status=answer.http_status,
            headers=dict(answer.headers),
            filename=answer.filename,
            title=self._title(task, seen),
            parts=list(found.addresses),
            notes=[*seen.notes, *found.notes],
            originals=self._written(task, found) or None,
            digests=dict(body.digests) or None,
            pause=answer.pause,
        )

    def _title(self, task: Task, seen: Looked) -> str | None:
        if task.is_part:
            given = self._titles.of_part(task.resource, task.artifact, seen.answer.body.sha256)
            return given or seen.answer.title
        self._titles.note(task.resource.address, seen.page)
        return task.resource.title or seen.answer.title

    def _written(self, task: Task, found: Parts) -> dict[str, str]:
        """How an artifact and its parts are written where they are named, session and all."""
        own = self._originals.get(task.artifact)
        return {**({task.artifact: own} if own else {}), **found.originals}

    def _parts(self, task: Task, seen: Looked) -> Parts:
        """The parts that a resource's own artifact names, and those that any artifact holds."""
        named = Parts() if task.is_part else self._named(task, seen)
        held = self._members.parts(task.artifact, seen.kind, seen.answer.body)
        return replace(
            named, addresses=named.addresses + held.addresses, notes=named.notes + held.notes
        )

    def _named(self, task: Task, seen: Looked) -> Parts:
        """The parts of an artifact; what is unexpected costs the parts, never the bytes."""
        try:
            return self.kind.parts(self.source, task.resource, seen.answer, seen.kind)
        except (Interrupted, OSError):
            raise
        except Exception as error:  # noqa: BLE001 (the edge of a unit of work)
            return Parts(notes=(f"parts not found: unexpected: {type(error).__name__}: {error}",))

    def _refuse(self, task: Task, refusal: Refusal, page: WebPage | None = None) -> None:
        self.counts[str(refusal.liveness.value)] += 1
        host = addresses.host(task.artifact)
        self.share.unanswered[host] = 0 if refusal.answered else self.share.unanswered[host] + 1
        status = self.history.next_status(
            timestamp(self.clock()),
            task.resource.address,
            task.artifact,
            refusal.liveness,
            masked(refusal.reason),
            refusal.http_status,
            refusal.size,
            refusal.limit,
            errorpages.evidence_in(task.artifact, refusal, page),
            refusal.pause,
        )
        self.history.note(status)
        self.journal.add(self.clock(), status)

    def _write(self, turn: int) -> None:
        """Writes what is known now; `turn` moves on where something is left that may be asked."""
        write_rendered(self.store.artifacts, self.history.artifacts.lines())
        states = state_lines(self.resources, self.history, self.kind, self.takes)
        write_rendered(self.store.resources, states)
        after = self._left()
        is_left = any(task.artifact not in self._put_off for task in after.tasks)
        due = [] if after.next_due is None else [after.next_due]
        if self._put_off:
            due.append(self.clock() + PUT_OFF)
            self.warnings.append(
                f"{len(self._put_off)} addresses were put off: their host did not answer"
            )
        write_json(
            self.store.acquire_state,
            {
                "turn": turn + 1 if is_left else turn,
                "next_due": timestamp(min(due)) if due else None,
                "written_at": timestamp(self.clock()),
                "remaining": len(after.tasks),
                "left_out": after.left_out,
                "put_off": len(self._put_off),
                "counts": dict(sorted(self.counts.items())),
                "torn": self.history.torn.places,
                "warnings": [*self.warnings, *self._verdicts()],
            },
        )

    def _left(self) -> planning.Plan:
        """What is to be asked after this run."""
        before, at = self._planned, self.clock()
        if before is None or len(before.tasks) > planning.FEW_TASKS:
            return self._plan()
        if not before.tasks:
            return before
        return planning.plan_on(before, self.history, self.source, self.kind, at)

    def _verdicts(self) -> Iterable[str]:
        if self.counts["blocked"] and self.counts["blocked"] == self.counts["asked"]:
            yield "everything that was asked is blocked: this is a block, not an empty source"
