"""The record replayed: the newest knowledge of each artifact, and the good snapshots."""

from dataclasses import dataclass, field, fields, replace

from centinel.journal import Torn, read_record, read_snapshot
from centinel.record import SESSIONS_DROPPED, Discovery, Json, Liveness, Observation, Status
from centinel.store import Store

_VALIDATORS = ("etag", "last-modified")
"""The headers of an observation that are asked with again; the others stay in the record."""

_OBSERVED = frozenset(
    each.name
    for each in fields(Observation)
    if each.name not in ("parts", "notes", *Observation.SPARSE)
)

MOST_REFUSED_PAGES = 1000
"""Pages of refusals that are remembered: a host has one or two, unless they differ by stamps."""


@dataclass(slots=True)
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
    _observation: Observation | None = None
    _line: Json | None = field(default=None, compare=False, repr=False)
    """The latest observation as it stands in the record: most are never looked at again."""

    @property
    def observation(self) -> Observation | None:
        """The latest observation, without the headers that nobody asks with again."""
        if self._line is not None:
            self._observation, self._line = (
                _without_headers(Observation.from_json(self._line)),
                None,
            )
        return self._observation

    def see(self, at: str, http_status: int | None, pause: float | None = None) -> None:
        """Takes note that the artifact was seen: it is live."""
        if self.liveness != Liveness.LIVE:
            self.liveness, self.since = Liveness.LIVE.value, at
        self.consecutive_failures, self.reason, self.limit = 0, None, None
        self.http_status, self.last_checked, self.pause = http_status, at, pause

    def keep(self, observation: Observation | Json) -> None:
        """Keeps the latest observation, as it is or as its line."""
        if isinstance(observation, Observation):
            self._observation, self._line = _without_headers(observation), None
        else:
            self._observation, self._line = None, observation


def _without_headers(observation: Observation) -> Observation:
    headers = observation.headers
    return replace(
        observation, headers={key: headers[key] for key in _VALIDATORS if key in headers}
    )


@dataclass
class History:
    """The newest knowledge of each artifact, and every enumeration."""

    artifacts: dict[str, Known] = field(default_factory=dict)
    discoveries: list[Discovery] = field(default_factory=list)
    torn: Torn = field(default_factory=Torn)
    lines: int = 0
    refused_pages: dict[str, dict[str, Status]] = field(default_factory=dict)
    """By the hash of a page that came with refusals: the first two addresses with it."""

    def known(self, artifact: str) -> Known | None:
        """Returns what the record knows of an artifact; None where it knows nothing."""
        return self.artifacts.get(artifact)

    def observed(self, artifact: str) -> Observation | None:
        """Returns the latest observation of an artifact."""
        known = self.artifacts.get(artifact)
        return known.observation if known else None

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
        known.keep(observation)

    def _artifact(self, artifact: str, resource: str) -> Known:
        known = self.artifacts.get(artifact)
        if known is None:
            known = self.artifacts[artifact] = Known(resource)
        return known

    def note(self, status: Status) -> None:
        """Takes a status."""
        known = self._artifact(status.artifact, status.resource)
        known.liveness, known.since = status.liveness, status.since
        known.consecutive_failures, known.reason = status.consecutive_failures, status.reason
        known.http_status, known.last_checked = status.http_status, status.at
        known.limit, known.pause = status.limit, status.pause
        known.unpacked_from = status.unpacked_from
        if status.page and len(self.refused_pages) < MOST_REFUSED_PAGES:
            refused = self.refused_pages.setdefault(status.page, {})
            if len(refused) < 2:
                refused[status.artifact] = status

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
    artifact, headers = line["artifact"], line["headers"]
    line["headers"] = {key: headers[key] for key in _VALIDATORS if key in headers}
    # One string for an address that stands three times in most lines.
    for name in ("resource", "final_url"):
        if line[name] == artifact:
            line[name] = artifact
    known = history._artifact(artifact, line["resource"])
    known.see(line["at"], line["http_status"], line.get("pause"))
    known.unpacked_from = line.get("unpacked_from")
    known.keep(line)


def _take_status(history: History, line: Json) -> None:
    history.note(Status.from_json(line))


def _take_discovery(history: History, line: Json) -> None:
    history.discoveries.append(Discovery.from_json(line))


_TAKERS = {
    "observation": _take_observation,
    "status": _take_status,
    "discovery": _take_discovery,
}


def replay(store: Store) -> History:
    """Returns the history that the whole record tells."""
    history = History()
    for line in read_record(store, history.torn):
        history.add(line)
    # The raw lines are large: only what is asked again stays in memory.
    for known in history.artifacts.values():
        _ = known.observation
    return history


def originals(store: Store, history: History) -> dict[str, str]:
    """Returns, by address, how the newest snapshot's source wrote it where it had a session."""
    last = history.last_good_discovery()
    if last is None or last.snapshot is None or not last.figures.get(SESSIONS_DROPPED):
        return {}
    resources = read_snapshot(store, last.snapshot)
    return {each.address: each.original for each in resources if each.original}
