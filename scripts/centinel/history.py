"""The record replayed: the newest knowledge of each artifact, and the good snapshots."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Self

import orjson

from centinel.files import to_bytes
from centinel.index import Busy, Index, marks_of, read_on
from centinel.journal import Torn, read_record, read_snapshot
from centinel.record import SESSIONS_DROPPED, Discovery, Json, Liveness, Observation, Status
from centinel.store import Store

_VALIDATORS = ("etag", "last-modified")
"""The headers of an observation that are asked with again; the others stay in the record."""

WORTH_KEEPING = 10_000
"""Lines: so many are not read twice where the job that read them dies."""

_OBSERVED = frozenset(
    each.name
    for each in fields(Observation)
    if each.name not in ("parts", "notes", *Observation.SPARSE)
)

MOST_REFUSED_PAGES = 1000
"""Pages of refusals that are remembered: a host has one or two, unless they differ by stamps."""


@dataclass(slots=True, eq=False)
class Known:
    """What the record knows of one artifact."""

    resource: str
    liveness: str | None = None
    since: str | None = None
    consecutive_failures: int = 0
    reason: str | None = None
    http_status: int | None = None
    last_checked: str | None = None
    limit: int | None = None
    """The limit that the last refusal named, where it was one of size."""
    pause: float | None = None
    """Seconds until it is asked again, where the last answer said so."""
    unpacked_from: str | None = None
    """The blob that a member was last looked for in."""
    parts: list[str] = field(default_factory=list)
    """The parts of the latest observation."""
    run: int = 0
    """The run in which it was asked for last; 0 for one before the index."""
    _seen: Observation | Json | bytes | None = field(default=None, repr=False)
    """The latest observation, or its line: most are never looked at again."""

    @classmethod
    def unpacked(cls, resource: str, state: bytes, seen: bytes | None) -> Self:
        """Returns what was packed."""
        make: Callable[..., Self] = cls
        return make(resource, *orjson.loads(state), seen)

    def packed(self) -> tuple[bytes, bytes | None]:
        """Returns its state, and the line of the latest observation."""
        seen = self._seen
        if isinstance(seen, Observation):
            seen = seen.to_json()
        return to_bytes(_state(self)), to_bytes(seen) if isinstance(seen, dict) else seen

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Known):
            return NotImplemented
        same = replace(other, run=self.run)
        return _state(self) == _state(same) and self.observation == other.observation

    @property
    def observation(self) -> Observation | None:
        """The latest observation, without the headers that nobody asks with again."""
        if isinstance(self._seen, bytes):
            self._seen = Observation.from_json(orjson.loads(self._seen))
        elif isinstance(self._seen, dict):
            self._seen = Observation.from_json(self._seen)
        return self._seen

    @property
    def notes(self) -> list[str]:
        """The notes of the latest observation, which need not be made for them."""
        if isinstance(self._seen, Observation):
            return self._seen.notes
        seen = orjson.loads(self._seen) if isinstance(self._seen, bytes) else self._seen
        return (seen or {}).get("notes") or []

    def see(self, at: str, http_status: int | None, pause: float | None = None) -> None:
        """Takes note that the artifact was seen: it is live."""
        if self.liveness != Liveness.LIVE:
            self.liveness, self.since = Liveness.LIVE.value, at
        self.consecutive_failures, self.reason, self.limit = 0, None, None
        self.http_status, self.last_checked, self.pause = http_status, at, pause

    def keep(self, line: Json) -> None:
        """Keeps the line of the latest observation, without what is not asked for again."""
        headers = line["headers"]
        line["headers"] = {key: headers[key] for key in _VALIDATORS if key in headers}
        self._seen, self.parts = line, line.get("parts") or []


_STATE = tuple(each.name for each in fields(Known) if each.name not in ("resource", "_seen"))
_state = attrgetter(*_STATE)

FORM = f"1 {' '.join((*_STATE, *(each.name for each in fields(Observation)), *_VALIDATORS))}"
"""What an index holds: one of another form is not used."""


@dataclass
class History:
    """The newest knowledge of each artifact, and every enumeration."""

    artifacts: Index[Known] = field(default_factory=lambda: Index.new(None, Known.unpacked))
    discoveries: list[Discovery] = field(default_factory=list)
    torn: Torn = field(default_factory=Torn)
    lines: int = 0
    refused_pages: dict[str, dict[str, Status]] = field(default_factory=dict)
    """By the hash of a page that came with refusals: the first two addresses with it."""
    run: int = 0
    """Counts the runs since the index was made; 0 while the record is replayed."""

    def known(self, artifact: str) -> Known | None:
        """Returns what the record knows of an artifact; None where it knows nothing."""
        known: Known | None = self.artifacts.get(artifact)
        return known

    def observed(self, artifact: str) -> Observation | None:
        """Returns the latest observation of an artifact."""
        known = self.artifacts.get(artifact)
        return known.observation if known else None

    def was_asked(self, artifact: str) -> bool:
        """Returns whether the artifact was asked for in this run."""
        known = self.artifacts.get(artifact)
        return known is not None and known.run == self.run

    def last_good_discovery(self) -> Discovery | None:
        """Returns the latest enumeration that gave a snapshot."""
        return next((each for each in reversed(self.discoveries) if each.outcome == "ok"), None)

    def add(self, line: Json) -> None:
        """Takes a line of the record; lines of other types are counted and left."""
        self.lines += 1
        take = _TAKERS.get(line.get("type"))  # type: ignore[arg-type]
        try:
            if take:
                take(self, line)
        except (TypeError, KeyError) as error:
            self.torn.places.append(f"line {self.lines}: {error}")

    def see(self, observation: Observation) -> None:
        """Takes an observation: its artifact is live."""
        known = self._artifact(observation.artifact, observation.resource)
        known.see(observation.at, observation.http_status, observation.pause)
        known.unpacked_from = observation.unpacked_from
        known.keep(observation.to_json())
        self._put(observation.artifact, known)

    def _artifact(self, artifact: str, resource: str) -> Known:
        return self.artifacts.get(artifact) or Known(resource)

    def _put(self, artifact: str, known: Known) -> None:
        known.run = self.run
        self.artifacts[artifact] = known

    def note(self, status: Status) -> None:
        """Takes a status."""
        known = self._artifact(status.artifact, status.resource)
        known.liveness, known.since = status.liveness, status.since
        known.consecutive_failures, known.reason = status.consecutive_failures, status.reason
        known.http_status, known.last_checked = status.http_status, status.at
        known.limit, known.pause = status.limit, status.pause
        known.unpacked_from = status.unpacked_from
        self._put(status.artifact, known)
        if status.page and len(self.refused_pages) < MOST_REFUSED_PAGES:
            refused = self.refused_pages.setdefault(status.page, {})
            if len(refused) < 2:
                refused[status.artifact] = status

    def keep(self, store: Store) -> None:
        """Keeps the index; everything that the history took must stand in the record."""
        refused = self.refused_pages.items()
        self.artifacts.keep(
            marks_of(store),
            {
                "form": FORM,
                "run": self.run,
                "lines": self.lines,
                "torn": self.torn.places,
                "discoveries": [each.to_json() for each in self.discoveries],
                "refused_pages": {
                    page: [each.to_json() for each in statuses.values()]
                    for page, statuses in refused
                },
            },
        )

    def next_status(
        self,
        at: str,
        resource: str,
        artifact: str,
        liveness: Liveness,
        reason: str,
        http_status: int | None,
        size: int | None = None,
        limit: int | None = None,
        page: str | None = None,
        pause: float | None = None,
        unpacked_from: str | None = None,
    ) -> Status:
        """Returns the status line that follows from what is known: `since` moves with the state."""
        known = self.artifacts.get(artifact)
        same = known is not None and known.liveness == liveness
        failures = known.consecutive_failures if known else 0
        return Status(
            at=at,
            resource=resource,
            artifact=artifact,
            liveness=liveness,
            since=known.since if known and same and known.since else at,
            consecutive_failures=0 if liveness == Liveness.LIVE else failures + 1,
            reason=reason,
            http_status=http_status,
            size=size,
            limit=limit,
            page=page,
            pause=pause,
            unpacked_from=unpacked_from,
        )


def _take_observation(history: History, line: Json) -> None:
    """Keeps the line as it is: only the latest of an artifact is ever made into an observation."""
    if not line.keys() >= _OBSERVED:
        raise TypeError(f"missing: {', '.join(sorted(_OBSERVED - line.keys()))}")
    known = history._artifact(line["artifact"], line["resource"])
    known.see(line["at"], line["http_status"], line.get("pause"))
    known.unpacked_from = line.get("unpacked_from")
    known.keep(line)
    history._put(line["artifact"], known)


def _take_status(history: History, line: Json) -> None:
    history.note(Status.from_json(line))


def _take_discovery(history: History, line: Json) -> None:
    history.discoveries.append(Discovery.from_json(line))


_TAKERS = {
    "observation": _take_observation,
    "status": _take_status,
    "discovery": _take_discovery,
}


def replay(store: Store, *, is_kept: bool = True) -> History:
    """Returns the history that the whole record tells.

    Reads only what the index beside the record does not hold, and keeps the index. Use it under the
    record's lock; without the lock with `is_kept=False`, which writes nothing.
    """
    try:
        history, read = _recalled(store, is_kept)
    except Busy:
        history, read, is_kept = History(), {}, False
    run, history.run, before = history.run, 0, history.lines
    for line in read_record(store, history.torn, read):
        history.add(line)
    history.run = run + 1
    if is_kept and history.lines - before >= WORTH_KEEPING:
        history.keep(store)
    return history


def _recalled(store: Store, is_kept: bool) -> tuple[History, dict[str, int]]:
    """What the index knows, and how far each file of the record was read for it."""
    index = Index.kept(store.index, FORM, Known.unpacked, is_changed=is_kept)
    if index is not None:
        try:
            read = read_on(store, index.marks())
            is_current = read == {mark.name: mark.size for mark in marks_of(store)}
            if read is not None and (is_kept or is_current):
                return _told(index), read
        except (ValueError, TypeError, KeyError):
            pass  # damaged: it is made again
        index.close()
    return History(Index.new(store.index if is_kept else None, Known.unpacked)), {}


def _told(index: Index[Known]) -> History:
    """What the index holds besides the artifacts."""
    history = History(index)
    history.run, history.lines, history.torn.places = index.facts("run", "lines", "torn")
    discoveries, refused = index.facts("discoveries", "refused_pages")
    history.discoveries = [Discovery.from_json(each) for each in discoveries]
    for page, lines in refused.items():
        statuses = map(Status.from_json, lines)
        history.refused_pages[page] = {each.artifact: each for each in statuses}
    return history


def originals(store: Store, history: History) -> dict[str, str]:
    """Returns, by address, how the newest snapshot's source wrote it where it had a session."""
    last = history.last_good_discovery()
    if last is None or last.snapshot is None or not last.figures.get(SESSIONS_DROPPED):
        return {}
    resources = read_snapshot(store, last.snapshot)
    return {each.address: each.original for each in resources if each.original}
