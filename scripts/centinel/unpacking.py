"""What the loop asks about members: which an artifact has, and their bytes into the record.

Nothing here asks the network: bytes come out of blobs.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from centinel import addresses, kinds, members, planning
from centinel.configuration import Source
from centinel.download import Body, Interrupted
from centinel.fingerprint import fingerprint
from centinel.history import History
from centinel.journal import Journal
from centinel.liveness import Refusal
from centinel.masking import masked
from centinel.members import Holder, Member
from centinel.record import Liveness, Observation, timestamp
from centinel.signatures import HEAD
from centinel.sources.source_kind import Parts
from centinel.store import Store


@dataclass
class Unpacking:
    """The members of one source, in one acquire job."""

    store: Store
    source: Source
    history: History
    journal: Journal
    clock: Callable[[], datetime]
    stop: threading.Event
    counts: Counter[str]
    warnings: list[str]
    takes: Callable[[str], bool]

    def parts(self, artifact: str, kind: str, body: Body) -> Parts:
        """Returns the members that the bytes of an artifact hold, none for most kinds; what is
        unexpected costs the members, never the bytes."""
        if not kinds.holds_members(kind):
            return Parts()
        above = members.holders_of(artifact)
        if len(above) >= members.DEEPEST:
            depth = members.DEEPEST
            return Parts(notes=(f"members not taken: {depth} archives deep already",))
        if any(seen.blob == body.sha256 for seen in map(self.history.observed, above) if seen):
            return Parts(notes=("members not taken: the archive holds itself",))
        self.store.incoming.mkdir(parents=True, exist_ok=True)
        try:
            room = self._room(artifact, above[-1]) if above else members.room(self.source.max_bytes)
            return members.parts_of(Holder(artifact, body.path, kind), room)
        except (Interrupted, OSError):
            raise
        except Exception as error:  # noqa: BLE001 (the edge of a unit of work)
            return Parts(notes=(f"members not found: {type(error).__name__}: {error}",))
        finally:
            if body.is_in_memory:
                body.discard()  # the file was only made to be looked into

    def _room(self, artifact: str, outermost: str) -> members.Room:
        """What the members of an address have left, the inner archive itself aside."""
        known = self.history.known(outermost)
        count = size = 0
        for _, part, seen in planning.parts_under(known, self.history, self.takes):
            if not part.startswith(f"{artifact}{members.MARK}"):
                count += 1
                size += seen.observation.size if seen and seen.observation else 0
        return members.room(self.source.max_bytes, count, size)

    def take(self, resource: str, holder: str) -> set[str]:
        """Records the members of an artifact that are due, and theirs; returns their addresses.

        Raises Interrupted when the run is being ended: what is left is owed. Where the bytes of
        the holder are lost, its members stay owed until they are acquired again.
        """
        looked_for: set[str] = set()
        waiting = [holder]
        while waiting:
            seen = self.history.observed(waiting.pop())
            due = self._due(seen) if seen else []
            looked_for.update(due)
            if seen is None or not due or not self._has_bytes(seen):
                continue
            for address, got in self._unpacked(seen, due):
                if isinstance(got, Refusal):
                    self._refuse(resource, address, seen.blob, got)
                elif self._store(resource, address, seen.blob, got).parts:
                    waiting.append(address)
                if self.stop.is_set():
                    raise Interrupted
        return looked_for

    def _due(self, holder: Observation) -> list[str]:
        return [
            part
            for part in holder.parts
            if members.holder_of(part) == holder.artifact
            and self.takes(part)
            and (
                planning.is_due_member(self.history.known(part), holder, self.source)
                or self.history.is_owed_again(part)
            )
        ]

    def _has_bytes(self, holder: Observation) -> bool:
        if not self.store.blob(holder.blob).exists():
            self.journal.commit()  # they may be on their way
        if self.store.is_intact(holder.blob):
            return True
        self.warnings.append(f"members of {holder.artifact} wait: its blob is missing or damaged")
        return False

    def _unpacked(
        self, holder: Observation, due: list[str]
    ) -> Iterator[tuple[str, Member | Refusal]]:
        """Yields each member that is due; one odd archive never ends a run."""
        path, left = self.store.blob(holder.blob), dict.fromkeys(due)
        with path.open("rb") as stream:
            head = stream.read(HEAD)
        extension = addresses.served_extension(holder.final_url, holder.filename)
        kind = kinds.classify(holder.declared_type, head, extension).kind
        held, largest = Holder(holder.artifact, path, kind), self.source.max_bytes
        try:
            for address, got in members.unpack(held, due, largest, self.store.incoming):
                del left[address]
                yield address, got
        except (Interrupted, OSError):
            raise
        except Exception as error:  # noqa: BLE001 (the edge of a unit of work)
            reason = f"unexpected: {type(error).__name__}: {error}"
            yield from ((address, Refusal(Liveness.ERROR, reason)) for address in left)

    def _store(self, resource: str, address: str, blob: str, member: Member) -> Observation:
        body, extension = member.body, addresses.extension(address)
        kind = kinds.classify(member.declared_type, body.head, extension).kind
        found = self.parts(address, kind, body)
        observation = Observation(
            at=timestamp(self.clock()),
            resource=resource,
            artifact=address,
            blob=body.sha256,
            size=body.size,
            fingerprint=fingerprint(kind, body, None, ()),
            declared_type=member.declared_type,
            final_url=address,
            http_status=None,
            headers={},
            filename=member.filename,
            title=None,
            parts=list(found.addresses),
            notes=list(found.notes),
            unpacked_from=blob,
        )
        before = self.history.observed(address)
        if before is not None and before.fingerprint != observation.fingerprint:
            self.counts["changed"] += 1
        self.counts["unpacked"] += 1
        self.counts["stored"] += 1
        self.counts["bytes"] += observation.size
        self.history.see(observation)
        self.journal.add(self.clock(), observation, body.held)
        return observation

    def _refuse(self, resource: str, address: str, blob: str, refusal: Refusal) -> None:
        self.counts[str(refusal.liveness.value)] += 1
        status = self.history.next_status(
            timestamp(self.clock()),
            resource,
            address,
            refusal.liveness,
            masked(refusal.reason),
            None,
            refusal.size,
            refusal.limit,
            unpacked_from=blob,
        )
        self.history.note(status)
        self.journal.add(self.clock(), status)
