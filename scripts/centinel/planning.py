"""What is to be asked now, and when something may be asked next. Pure: no I/O, no clock."""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import overload

from centinel import members
from centinel.configuration import Source
from centinel.history import History, Known
from centinel.record import TOO_LARGE, Liveness, Observation, Resource, is_ahead, moment
from centinel.sources.source_kind import SourceKind

LONGEST_RETRY = timedelta(days=365)
"""A pause that doubles with each failure ends here."""


@dataclass(frozen=True)
class Task:
    """One artifact to be asked for."""

    resource: Resource
    artifact: str
    is_part: bool
    holder: str | None = None
    """The artifact in whose bytes a member lies; `None` for what is asked for."""


@dataclass(frozen=True)
class Tasks(Sequence[Task]):
    """Tasks, each made when it is looked at: there may be as many as addresses."""

    resources: Sequence[Resource]
    kind: SourceKind
    numbers: Sequence[int]
    """Places of resources whose own artifact is to be asked for; below zero those of others."""
    others: Sequence[Task]

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> Task: ...
    @overload
    def __getitem__(self, place: slice) -> list[Task]: ...
    def __getitem__(self, place: int | slice) -> Task | list[Task]:
        if isinstance(place, slice):
            return [self._task(number) for number in self.numbers[place]]
        return self._task(self.numbers[place])

    def _task(self, number: int) -> Task:
        if number < 0:
            return self.others[~number]
        resource = self.resources[number]
        return Task(resource, self.kind.marker(resource.address), is_part=False)


@dataclass
class Plan:
    """What is to be asked now, in order; and the earliest time at which more will be."""

    tasks: Sequence[Task] = ()
    next_due: datetime | None = None
    left_out: int = 0
    """Addresses that `match` and `exclude` keep from being acquired."""

    def later(self, due: datetime) -> None:
        """Notes a time at which something may be asked."""
        if self.next_due is None or due < self.next_due:
            self.next_due = due


class Filter:
    """`match` and `exclude` of a source."""

    def __init__(self, source: Source) -> None:
        self.match = [re.compile(each) for each in source.match]
        self.exclude = [re.compile(each) for each in source.exclude]

    def takes(self, address: str) -> bool:
        """Returns whether an address is to be acquired."""
        if self.match and not any(each.search(address) for each in self.match):
            return False
        return not any(each.search(address) for each in self.exclude)


def due_at(known: Known, source: Source, lastmod: str | None = None) -> datetime:
    """Returns when an artifact that was asked for may be asked for again.

    Live: after `revisit`, or at once where `lastmod` says that it changed since. Failed: after
    `retry`, doubled with each failure in a row. Too large: at once where the limit was raised. An
    answer may have said itself how long to pause.
    """
    if known.last_checked is None or known.liveness is None:
        return datetime.min.replace(tzinfo=UTC)
    checked = moment(known.last_checked)
    if known.liveness == Liveness.LIVE:
        modified = _moment_of_lastmod(lastmod)
        is_newer = modified is not None and modified > checked
        rest = source.revisit if known.pause is None else min(source.revisit, _seconds(known.pause))
        return min(modified or checked, checked + rest) if is_newer else checked + rest
    if (known.reason or "").startswith(TOO_LARGE):
        raised = known.limit is not None and source.max_bytes > known.limit
        return checked if raised else checked + source.revisit
    pause = source.retry[known.liveness] if known.pause is None else _seconds(known.pause)
    for _ in range(known.consecutive_failures - 1):
        if pause >= LONGEST_RETRY:
            break
        pause *= 2
    return checked + min(pause, LONGEST_RETRY)


def _seconds(pause: float) -> timedelta:
    return timedelta(seconds=min(pause, LONGEST_RETRY.total_seconds()))


def _moment_of_lastmod(lastmod: str | None) -> datetime | None:
    """The time in a sitemap's lastmod (W3C date and time); None for other forms."""
    try:
        stated = datetime.fromisoformat(lastmod or "")
    except ValueError:
        return None
    return stated if stated.tzinfo else stated.replace(tzinfo=UTC)


def plan(
    resources: Sequence[Resource],
    history: History,
    source: Source,
    kind: SourceKind,
    at: datetime,
) -> Plan:
    """Returns what is to be asked at a time: new addresses, then what is owed or due again.

    `resources` are sorted by address.
    Work is the snapshot minus the resources whose marker is in the record. Parts that an artifact
    was found to have are owed until they are observed or refused.
    """
    planner = _Planner(history, source, kind, at)
    for number, resource in enumerate(resources):
        planner.take(number, resource)
    planner.made.tasks = Tasks(resources, kind, planner.numbers(resources), planner.others)
    return planner.made


FEW_TASKS = 1000
"""Up to so many, what is left is planned from them alone; more are a walk over the snapshot."""


def plan_on(before: Plan, history: History, source: Source, kind: SourceKind, at: datetime) -> Plan:
    """Returns what is left of a plan of few tasks once they were asked, as `plan` would say.

    Of all other resources nothing was due, and the time of the next stands in the plan.
    """
    resources = {task.resource.address: task.resource for task in before.tasks}
    left = plan([resources[each] for each in sorted(resources)], history, source, kind, at)
    left.left_out = before.left_out
    if before.next_due is not None:
        left.later(before.next_due)
    return left


class _Planner:
    """One walk over a snapshot; keeps numbers, since there may be as many tasks as addresses."""

    def __init__(self, history: History, source: Source, kind: SourceKind, at: datetime) -> None:
        self.history, self.source, self.kind, self.at = history, source, kind, at
        self.takes = Filter(source).takes
        self.made = Plan()
        self.new = array("q")
        self.again = array("q")
        self.others: list[Task] = []
        self._last: str | None = None
        self._places: dict[str, int] = {}
        """Where an artifact stands among the others."""

    def take(self, number: int, resource: Resource) -> None:
        """Plans a resource, and the parts of its newest observation."""
        if resource.address == self._last:
            return
        self._last = resource.address
        if not self.takes(resource.address):
            self.made.left_out += 1
            return
        known = self.history.known(self.kind.marker(resource.address))
        if known is None:
            self.new.append(number)
            return
        if self._is_due(known, resource.lastmod):
            self.again.append(number)
        for holder, part, seen in parts_under(known, self.history, self.takes):
            if members.holder_of(part) != holder.artifact:
                if self._is_due(seen, None):
                    self._add(Task(resource, part, is_part=True))
            elif is_due_member(seen, holder, self.source):
                self._add(Task(resource, part, is_part=True, holder=holder.artifact))

    def _is_due(self, known: Known | None, lastmod: str | None) -> bool:
        due = due_at(known, self.source, lastmod) if known else self.at
        if known and is_ahead(known.last_checked, self.at):
            due = self.at
        if due > self.at:
            self.made.later(due)
        return due <= self.at

    def _add(self, task: Task) -> None:
        """A part of several artifacts is asked for once; a member is taken out where it lies."""
        place = self._places.get(task.artifact)
        if place is None:
            place = self._places[task.artifact] = len(self.others)
            self.others.append(task)
            self.again.append(~place)
        elif task.holder is not None:
            self.others[place] = task

    def numbers(self, resources: Sequence[Resource]) -> "array[int]":
        """Returns the tasks in order, without parts that are resources to be asked for."""
        markers = (self.kind.marker(resources[each].address) for each in self._of_resources())
        twice = {~self._places[each] for each in markers if each in self._places}
        return self.new + array("q", (each for each in self.again if each not in twice))

    def _of_resources(self) -> Iterator[int]:
        if self._places:
            yield from self.new
            yield from (each for each in self.again if each >= 0)


DEEPEST = 1 + members.DEEPEST
"""Parts of parts: a document that a page encloses, and the archives in archives in that."""


def parts_under(
    known: Known | None, history: History, takes: Callable[[str], bool], depth: int = DEEPEST
) -> Iterator[tuple[Observation, str, Known | None]]:
    """Yields the parts of an artifact, and theirs: what names each, its address, what is known."""
    seen = known.observation if known and known.parts and depth else None
    for part in seen.parts if seen else ():
        if seen and takes(part):
            inner = history.known(part)
            yield seen, part, inner
            if inner and inner.parts:
                yield from parts_under(inner, history, takes, depth - 1)


def is_due_member(member: Known | None, holder: Observation, source: Source) -> bool:
    """Returns whether a member is to be taken out of its holder's bytes: once, until they change,
    or until the limit that it was over is raised. Time alone never makes it due."""
    if member is None or member.unpacked_from != holder.blob:
        return True
    return member.limit is not None and source.max_bytes > member.limit


def owed(known: Known | None, history: History, takes: Callable[[str], bool]) -> list[str]:
    """Returns the parts of an artifact, and theirs, that are neither observed nor refused for good.

    A member is owed until it was looked for in its holder's newest bytes.
    """
    return [
        part
        for holder, part, seen in parts_under(known, history, takes)
        if (
            seen is None or seen.unpacked_from != holder.blob
            if members.holder_of(part) == holder.artifact
            else _is_owed(seen)
        )
    ]


def _is_owed(part: Known | None) -> bool:
    """Never asked, or failed for a passing reason. Gone, blocked and too large are answers."""
    if part is None:
        return True
    if part.observation is not None or part.liveness != Liveness.ERROR:
        return False
    return not (part.reason or "").startswith(TOO_LARGE)
