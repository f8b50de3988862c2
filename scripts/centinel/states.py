"""What acquire writes of what it knows: the bytes of each artifact, how each resource stands."""

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from operator import itemgetter

from centinel import planning
from centinel.files import to_bytes
from centinel.history import History
from centinel.index import Resting
from centinel.known import Known
from centinel.record import Resource, ResourceState
from centinel.sources.source_kind import SourceKind

_Asked = tuple[str, Resting | Known]


def state_lines(
    resources: Iterable[Resource],
    history: History,
    kind: SourceKind,
    takes: Callable[[str], bool],
) -> Iterator[bytes]:
    """Yields the line of each resource that is published, or ever was asked for.

    `resources` are sorted by address, and so is what is yielded. Most lines are put together from
    columns of the index: an object for each takes five times as long.
    """
    own = ((each.artifact, each) for each in history.artifacts.resting() if _is_own(each, kind))
    asked: Iterator[_Asked] = merge(
        own, history.artifacts.of_others(kind.marker), key=itemgetter(0)
    )
    for address, is_published, seen in _together((each.address for each in resources), asked):
        if isinstance(seen, Resting) and seen.owes_nothing(is_lost=bool(history.lost)):
            yield b'{"address":%b,%b,"in_snapshot":%b,"owed":[],"http_status":%b}\n' % (
                to_bytes(address),
                seen.stands,
                b"true" if is_published else b"false",
                seen.http_status,
            )
            continue
        known = seen if isinstance(seen, Known) else history.known(kind.marker(address))
        state = _state(address, is_published, known, planning.owed(known, history, takes))
        yield to_bytes(state.to_json()) + b"\n"


def _is_own(each: Resting, kind: SourceKind) -> bool:
    return kind.marker(each.artifact) == each.artifact


def _together(
    published: Iterator[str], asked: Iterator[_Asked]
) -> Iterator[tuple[str, bool, Resting | Known | None]]:
    """Yields each address of either once: whether it is published, and what was asked of it."""
    address, entry = next(published, None), next(asked, None)
    while address is not None or entry is not None:
        if entry is None or (address is not None and address < entry[0]):
            passed, seen = address, None
        else:
            passed, seen = entry
            entry = next(asked, None)
        yield str(passed), passed == address, seen
        while address == passed:
            address = next(published, None)


def _state(address: str, is_published: bool, known: Known | None, owed: list[str]) -> ResourceState:
    return ResourceState(
        address=address,
        liveness=known.liveness if known else None,
        since=known.since if known else None,
        consecutive_failures=known.consecutive_failures if known else 0,
        reason=known.reason if known else None,
        last_checked=known.last_checked if known else None,
        in_snapshot=is_published,
        owed=owed,
        http_status=known.http_status if known else None,
    )
