"""What is to be asked now, and when something may be asked next. Pure: no I/O, no clock."""

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import overload

from centinel import members
from centinel.configuration import Source
from centinel.history import History
from centinel.index import LATEST
from centinel.known import EPOCH, Known, microseconds
from centinel.record import (
    CLOCK_TOLERANCE,
    TOO_LARGE,
    Liveness,
    Observation,
    Resource,
    is_ahead,
    moment,
)
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
    is_named: bool = True
    """Whether the snapshot, or what it leads to, still names it."""


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
    if len(resources) > FEW_TASKS:
        planner.resting = Rests(history, source, at)
    for number, resource in enumerate(resources):
        planner.take(number, resource)
    planner.take_lost()
    if planner.resting is not None and planner.resting.next_due is not None:
        planner.made.later(planner.resting.next_due)
    planner.made.tasks = Tasks(resources, kind, planner.numbers(resources), planner.others)
    return planner.made


FEW_TASKS = 1000
"""Up to so many, what is left is planned from them alone; more are a walk over the snapshot."""


def plan_on(before: Plan, history: History, source: Source, kind: SourceKind, at: datetime) -> Plan:
    """Returns what is left of a plan of few tasks once they were asked, as `plan` would say.

    Of all other resources nothing was due, and the time of the next stands in the plan.
    """
    named = (task.resource for task in before.tasks if task.is_named)
    resources = {each.address: each for each in named}
    left = plan([resources[each] for each in sorted(resources)], history, source, kind, at)
    left.left_out = before.left_out
    if before.next_due is not None:
        left.later(before.next_due)
    return left


class Rests:
    """Says of resources, asked in their order, that nothing of them is due, as far as columns of
    the index tell: most of a large source is passed by without an object for each."""

    def __init__(self, history: History, source: Source, at: datetime) -> None:
        self._at = microseconds(at)
        self._revisit = source.revisit // timedelta(microseconds=1)
        self._is_bounded = bool(source.match or source.exclude or history.lost)
        """Whether parts are to be looked at one by one."""
        self._latest = self._at + CLOCK_TOLERANCE // timedelta(microseconds=1)
        """What was seen later was seen by a clock that was wrong."""
        self._rows = history.artifacts.resting(self._latest)
        self._row = next(self._rows, None)
        self._soonest = LATEST

    def passes(self, resource: Resource) -> bool:
        """Returns whether nothing of a resource is due; False where it is to be looked up."""
        row, address = self._row, resource.address
        while row is not None and row.artifact < address:
            row = self._row = next(self._rows, None)
        if row is None or row.artifact != address or row.checked is None:
            return False
        due = row.checked + self._revisit
        if row.least is not None:
            due = -1 if self._is_bounded else min(due, row.least + self._revisit)
        if resource.lastmod is not None:
            modified = _microseconds_of_lastmod(resource.lastmod)
            if modified is not None and modified > row.checked:
                due = min(due, modified)
        if row.checked > self._latest or due <= self._at:
            return False
        self._soonest = min(self._soonest, due)
        return True

    @property
    def next_due(self) -> datetime | None:
        """When something is due of what was passed by; None where nothing was."""
        return None if self._soonest == LATEST else EPOCH + timedelta(microseconds=self._soonest)


@lru_cache(maxsize=4096)
def _microseconds_of_lastmod(lastmod: str) -> int | None:
    modified = _moment_of_lastmod(lastmod)
    return None if modified is None else microseconds(modified)


class _Planner:
    """One walk over a snapshot; keeps numbers, since there may be as many tasks as addresses."""

    def __init__(self, history: History, source: Source, kind: SourceKind, at: datetime) -> None:
        self.history, self.source, self.kind, self.at = history, source, kind, at
        self.takes = Filter(source).takes
        self.made = Plan()
        self.new = array("q")
        self.again = array("q")
        self.others: list[Task] = []
        self.resting: Rests | None = None
        """Without it each resource is looked up, which is faster where they are few."""
        self._last: str | None = None
        self._places: dict[str, int] = {}
        """Where an artifact stands among the others."""
        lost = (history.known(each) for each in history.lost)
        self._with_losses = {known.resource for known in lost if known}
        """Resources of which something was lost on disk."""
        self._reached: set[str] = set()
        """What was lost and is named still."""

    def take(self, number: int, resource: Resource) -> None:
        """Plans a resource, and the parts of its newest observation."""
        if resource.address == self._last:
            return
        self._last = resource.address
        if not self.takes(resource.address):
            self.made.left_out += 1
            return
        marker = self.kind.marker(resource.address)
        is_plain = marker == resource.address and marker not in self._with_losses
        if self.resting is not None and is_plain and self.resting.passes(resource):
            return
        known = self.history.known(marker)
        if known is None:
            self.new.append(number)
            return
        if self._is_owed_again(marker) or self._is_due(known, resource.lastmod):
            self.again.append(number)
        for holder, part, seen in parts_under(known, self.history, self.takes):
            if members.holder_of(part) != holder.artifact:
                if self._is_owed_again(part) or self._is_due(seen, None):
                    self._add(Task(resource, part, is_part=True))
            # Where the holder's own bytes are lost, there is nothing to unpack before they come.
            elif holder.artifact not in self.history.lost and (
                self._is_owed_again(part) or is_due_member(seen, holder, self.source)
            ):
                self._add(Task(resource, part, is_part=True, holder=holder.artifact))

    def _is_owed_again(self, artifact: str) -> bool:
        is_owed = self.history.is_owed_again(artifact)
        if is_owed:
            self._reached.add(artifact)
        return is_owed

    def take_lost(self) -> None:
        """Plans what was lost of what nothing names any more: its address may still answer."""
        for artifact in sorted(self.history.lost.keys() - self._reached):
            known = self.history.known(artifact)
            seen = known.observation if known else None
            if seen is None or not self.history.is_owed_again(artifact):
                continue
            is_part = artifact != self.kind.marker(seen.resource)
            resource = Resource(seen.resource, title=None if is_part else seen.title)
            holder = members.holder_of(artifact) if seen.unpacked_from else None
            if self._may_be_had(artifact, seen, holder):
                self._add(Task(resource, artifact, is_part, holder, is_named=False))

    def _may_be_had(self, artifact: str, seen: Observation, holder: str | None) -> bool:
        """Whether an artifact may be asked for, or taken out of what holds it still."""
        if not (self.takes(seen.resource) and self.takes(artifact)):
            return False
        if holder is None:
            return True
        held = self.history.observed(holder)
        return held is not None and artifact in held.parts and holder not in self.history.lost

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

    A member is owed until it was looked for in its holder's newest bytes; what was lost on disk is
    owed until it was asked for again.
    """
    return [
        part
        for holder, part, seen in parts_under(known, history, takes)
        if (
            seen is None or seen.unpacked_from != holder.blob
            if members.holder_of(part) == holder.artifact
            else _is_owed(seen)
        )
        or history.is_owed_again(part)
    ]


def _is_owed(part: Known | None) -> bool:
    """Never asked, or failed for a passing reason. Gone, blocked and too large are answers."""
    if part is None:
        return True
    if part.observation is not None or part.liveness != Liveness.ERROR:
        return False
    return not (part.reason or "").startswith(TOO_LARGE)
