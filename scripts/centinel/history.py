"""The record replayed: the newest knowledge of each artifact, and the good snapshots."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

from centinel.index import Index
from centinel.journal import Torn, read_record, read_snapshot
from centinel.kept import Busy, marks_of, read_on
from centinel.known import FORM, Known
from centinel.record import SESSIONS_DROPPED, Discovery, Json, Liveness, Observation, Status
from centinel.store import Store

WORTH_KEEPING = 10_000
"""Lines: so many are not read twice where the job that read them dies."""

_OBSERVED = frozenset(
    each.name
    for each in fields(Observation)
    if each.name not in ("parts", "notes", *Observation.SPARSE)
)

MOST_REFUSED_PAGES = 1000
"""Pages of refusals that are remembered: a host has one or two, unless they differ by stamps."""


@dataclass
class History:
    """The newest knowledge of each artifact, and every enumeration."""

    artifacts: Index[Known] = field(default_factory=lambda: Index.new(None, Known.unpacked))
    discoveries: list[Discovery] = field(default_factory=list)
    torn: Torn = field(default_factory=Torn)
    lines: int = 0
    refused_pages: dict[str, dict[str, Status]] = field(default_factory=dict)
    """By the hash of a page that came with refusals: the first two addresses with it."""
    lost: dict[str, bool] = field(default_factory=dict)
    """Artifacts whose newest bytes were found damaged or missing on disk, until they are observed
    again: whether they were asked for since."""
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

    def is_owed_again(self, artifact: str) -> bool:
        """Returns whether an artifact's bytes were lost on disk, and not asked for since."""
        return self.lost.get(artifact) is False

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
        if artifact in self.lost:
            # What is live has its bytes: they came now, or are whole, since nothing else is asked
            # conditionally.
            if known.liveness == Liveness.LIVE:
                del self.lost[artifact]
            else:
                self.lost[artifact] = True

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
                "lost": self.lost,
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


def _take_fixity(history: History, line: Json) -> None:
    """Only the newest bytes of an artifact can be asked for."""
    for each in line["lost"]:
        seen = history.observed(each["artifact"])
        if seen is not None and seen.blob == each["blob"]:
            history.lost[each["artifact"]] = False


_TAKERS = {
    "observation": _take_observation,
    "status": _take_status,
    "discovery": _take_discovery,
    "fixity": _take_fixity,
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
    discoveries, refused, lost = index.facts("discoveries", "refused_pages", "lost")
    history.lost.update(lost)
    history.discoveries = [Discovery.from_json(each) for each in discoveries]
    for page, lines in refused.items():
        statuses = map(Status.from_json, lines)
        history.refused_pages[page] = {each.artifact: each for each in statuses}
    return history


@contextmanager
def replayed(store: Store) -> Iterator[History]:
    """Gives the history that the whole record tells, as `replay` does; leaves no file open.

    What is unexpected may come of damage to the index that nobody saw: it is made again then.
    """
    history = replay(store)
    try:
        yield history
    except OSError:
        raise
    except Exception:
        history.artifacts.drop()
        raise
    finally:
        history.artifacts.close()


def originals(store: Store, history: History) -> dict[str, str]:
    """Returns, by address, how the newest snapshot's source wrote it where it had a session."""
    last = history.last_good_discovery()
    if last is None or last.snapshot is None or not last.figures.get(SESSIONS_DROPPED):
        return {}
    resources = read_snapshot(store, last.snapshot)
    return {each.address: each.original for each in resources if each.original}
