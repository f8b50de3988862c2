"""What happened to a source's resources over time, told from the record and its kept snapshots."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from centinel.files import write_lines
from centinel.journal import read_record, read_snapshot
from centinel.record import Json, Line, Liveness
from centinel.store import Store

APPEARED = "appeared"
CHANGED = "changed"
VANISHED = "vanished"
BECAME = {Liveness.GONE: "became gone", Liveness.BLOCKED: "became blocked"}
CAME_BACK = "came back"


@dataclass(frozen=True)
class Change(Line):
    """One event: one line of `changes.jsonl`."""

    at: str
    resource: str
    artifact: str | None
    """The artifact that it happened to; None where it is about the source's list."""
    event: str
    before: str | None
    after: str | None
    """Hashes of blobs for `changed`, else words: a liveness, or how it stood in the list."""


@dataclass(slots=True)
class _Artifact:
    """The last that was seen of one artifact."""

    liveness: str | None = None
    fingerprint: str | None = None
    blob: str | None = None


@dataclass
class _Teller:
    """Walks the record once, and tells what changed from line to line."""

    addresses_in: Callable[[str], set[str]]
    artifacts: dict[str, _Artifact] = field(default_factory=dict)
    listed: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    last_was_cut: bool = False

    def tell(self, line: Json) -> Iterator[Change]:
        teller = {
            "observation": self._observation,
            "status": self._status,
            "discovery": self._discovery,
        }.get(str(line.get("type")))
        return teller(line) if teller else iter(())

    def _observation(self, line: Json) -> Iterator[Change]:
        known = self.artifacts.setdefault(line["artifact"], _Artifact())
        yield from self._liveness(line, known, Liveness.LIVE)
        if known.fingerprint not in (None, line["fingerprint"]):
            yield _change(line, CHANGED, known.blob, line["blob"])
        known.fingerprint, known.blob = line["fingerprint"], line["blob"]

    def _status(self, line: Json) -> Iterator[Change]:
        known = self.artifacts.setdefault(line["artifact"], _Artifact())
        yield from self._liveness(line, known, line["liveness"])

    def _liveness(self, line: Json, known: _Artifact, after: str) -> Iterator[Change]:
        before, known.liveness = known.liveness, after
        if before == after:
            return
        if after == Liveness.LIVE and before in BECAME:
            yield _change(line, CAME_BACK, before, after)
        # An error says nothing of the address: what was gone before it is still gone after it.
        elif after == Liveness.ERROR and before in BECAME:
            known.liveness = before
        # What was never seen otherwise did not become anything.
        elif after in BECAME and before is not None:
            yield _change(line, BECAME[Liveness(after)], before, after)

    def _discovery(self, line: Json) -> Iterator[Change]:
        if line["outcome"] != "ok" or not line.get("snapshot"):
            return
        is_cut = bool(line["truncated"])
        # Equal lists are not unpacked: most snapshots of most sources are.
        if line.get("new") != 0 or line.get("vanished") != 0:
            listed = self.addresses_in(line["snapshot"])
            if not self.last_was_cut:
                yield from self._listed(line["at"], listed, is_cut)
            self.listed = listed if not is_cut else self.listed | listed
        self.last_was_cut = is_cut

    def _listed(self, at: str, listed: set[str], is_cut: bool) -> Iterator[Change]:
        for address in sorted(listed - self.listed):
            back = address in self.left
            self.left.discard(address)
            event, before = (CAME_BACK, VANISHED) if back else (APPEARED, None)
            yield Change(at, address, None, event, before, "listed")
        if not is_cut:
            for address in sorted(self.listed - listed):
                self.left.add(address)
                yield Change(at, address, None, VANISHED, "listed", None)


def _change(line: Json, event: str, before: str | None, after: str | None) -> Change:
    return Change(line["at"], line["resource"], line["artifact"], event, before, after)


def tell(lines: Iterable[Json], addresses_in: Callable[[str], set[str]]) -> Iterator[Change]:
    """Yields the events that a record's lines tell, in their order.

    `addresses_in` gives the addresses of a kept snapshot by its name. Nothing is said to have
    vanished from, or appeared after, a list that was cut.
    """
    teller = _Teller(addresses_in)
    for line in lines:
        yield from teller.tell(line)


def write(store: Store) -> None:
    """Writes `changes.jsonl` of a source, from its whole record."""

    def addresses_in(name: str) -> set[str]:
        return {each.address for each in read_snapshot(store, name)}

    write_lines(store.changes, tell(read_record(store), addresses_in))
