"""What the record knows of one artifact, and how that is packed into its row of the index."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter, itemgetter
from typing import Self

import orjson

from centinel.files import to_bytes
from centinel.index import Packed, Seen
from centinel.record import Json, Liveness, Observation, moment

_VALIDATORS = ("etag", "last-modified")
"""The headers of an observation that are asked with again; the others stay in the record."""

MEMBER = "!/"
"""Stands in the address of a member of an archive: when it is due, its holder's bytes say."""

EPOCH = datetime.fromtimestamp(0, UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(at: datetime) -> int:
    """Returns a time as microseconds since the epoch."""
    return (at - EPOCH) // _MICROSECOND


_IN_LINE = (
    "artifact",
    "resource",
    "blob",
    "size",
    "declared_type",
    "filename",
    "final_url",
    "title",
)
_line_of = itemgetter(*_IN_LINE)
_REST = tuple(
    each.name
    for each in fields(Observation)
    if each.name not in (*_IN_LINE, "at", "notes", "parts")
)


def _packed(seen: Json) -> Seen:
    """Packs the line of an observation: the line of `artifacts.jsonl`, and what is not in that."""
    line = dict(zip(_IN_LINE, _line_of(seen), strict=True))
    line["observed_at"] = seen["at"]
    rest = {name: seen[name] for name in _REST if name in seen}
    return Seen(to_bytes(line) + b"\n", to_bytes(rest), _text_of(seen.get("notes")))


def _unpacked(seen: Seen, parts: list[str]) -> Json:
    """Returns the line of a packed observation."""
    line = {**orjson.loads(seen.line), **orjson.loads(seen.rest), "parts": parts}
    line["at"] = line.pop("observed_at")
    line["notes"] = [] if seen.notes is None else orjson.loads(seen.notes)
    return line


def _text_of(values: list[str] | None) -> str | None:
    return to_bytes(values).decode() if values else None


@dataclass(slots=True, eq=False)
class Known:
    """What the record knows of one artifact."""

    resource: str
    liveness: str | None = None
    since: str | None = None
    consecutive_failures: int = 0
    reason: str | None = None
    last_checked: str | None = None
    http_status: int | None = None
    limit: int | None = None
    """The limit that the last refusal named, where it was one of size."""
    pause: float | None = None
    """Seconds until it is asked again, where the last answer said so."""
    unpacked_from: str | None = None
    """The blob that a member was last looked for in."""
    run: int = 0
    """The run in which it was asked for last; 0 for one before the index."""
    parts: list[str] = field(default_factory=list)
    """The parts of the latest observation."""
    _seen: Observation | Json | Seen | None = field(default=None, repr=False)
    """The latest observation, or its line, or what stands of it in its row."""

    @classmethod
    def unpacked(
        cls,
        resource: str,
        stands: bytes,
        http_status: bytes,
        asked: bytes,
        parts: str | None,
        line: bytes | None,
        rest: bytes | None,
        notes: str | None,
    ) -> Self:
        """Returns what was packed."""
        make: Callable[..., Self] = cls
        return make(
            resource,
            *orjson.loads(b"{%b}" % stands).values(),
            orjson.loads(http_status),
            *orjson.loads(asked),
            orjson.loads(parts) if parts is not None else [],
            Seen(line, rest, notes) if line is not None and rest is not None else None,
        )

    def packed(self) -> Packed:
        """Returns what stands in its row."""
        seen = self._seen
        if isinstance(seen, Observation):
            seen = seen.to_json()
        return Packed(
            stands=to_bytes(dict(zip(_STANDS, _stands(self), strict=True)))[1:-1],
            http_status=to_bytes(self.http_status),
            asked=to_bytes(_asked(self)),
            parts=_text_of(self.parts),
            checked=self._checked() if seen is not None else None,
            seen=_packed(seen) if isinstance(seen, dict) else None,
        )

    def _checked(self) -> int | None:
        """When it was seen last, where nothing but `revisit` says when it is due."""
        is_odd = self.pause is not None or self.unpacked_from is not None
        if self.liveness != Liveness.LIVE or self.last_checked is None or is_odd:
            return None
        if any(MEMBER in part for part in self.parts):
            return None
        try:
            return microseconds(moment(self.last_checked))
        except (TypeError, ValueError):
            return None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Known):
            return NotImplemented
        same = replace(other, run=self.run)
        return _state(self) == _state(same) and self.observation == other.observation

    @property
    def observation(self) -> Observation | None:
        """The latest observation, without the headers that nobody asks with again."""
        if isinstance(self._seen, Seen):
            self._seen = Observation.from_json(_unpacked(self._seen, self.parts))
        elif isinstance(self._seen, dict):
            self._seen = Observation.from_json(self._seen)
        return self._seen

    @property
    def notes(self) -> list[str]:
        """The notes of the latest observation, which need not be made for them."""
        if isinstance(self._seen, Observation):
            return self._seen.notes
        if isinstance(self._seen, Seen):
            notes = self._seen.notes
            return [] if notes is None else orjson.loads(notes)
        return (self._seen or {}).get("notes") or []

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
_STANDS = ("liveness", "since", "consecutive_failures", "reason", "last_checked")
_stands = attrgetter(*_STANDS)
_asked = attrgetter("limit", "pause", "unpacked_from", "run")

FORM = f"3 {' '.join((*_STATE, *(each.name for each in fields(Observation)), *_VALIDATORS))}"
"""What an index holds: one of another form is not used."""


def standing_as(liveness: Liveness) -> bytes:
    """Returns how `Packed.stands` begins of every artifact with this liveness."""
    return to_bytes({"liveness": liveness.value})[1:-1]
