"""What acquire writes of what it knows: the bytes of each artifact, how each resource stands."""

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter

from centinel import planning
from centinel.history import History
from centinel.record import Artifact, Resource, ResourceState
from centinel.sources.source_kind import SourceKind


def artifacts_of(history: History) -> Iterator[Artifact]:
    """Yields the latest observation of each artifact, sorted by artifact."""
    return (
        Artifact(
            artifact=name,
            resource=seen.resource,
            blob=seen.blob,
            size=seen.size,
            declared_type=seen.declared_type,
            filename=seen.filename,
            final_url=seen.final_url,
            title=seen.title,
            observed_at=seen.at,
        )
        for name, known in history.artifacts.items()
        if (seen := known.observation) is not None
    )


def states_of(
    resources: Iterable[Resource],
    history: History,
    kind: SourceKind,
    takes: Callable[[str], bool],
) -> Iterator[ResourceState]:
    """Yields the liveness of each resource that is published, or ever was asked for.

    `resources` are sorted by address, and so is what is yielded.
    """
    published = ((each.address, None) for each in resources)
    asked = history.artifacts.of_resources(kind.marker)
    for address, told in groupby(merge(published, asked, key=itemgetter(0)), key=itemgetter(0)):
        said = [known for _, known in told]
        known = said[-1] or history.known(kind.marker(address))
        yield ResourceState(
            address=address,
            liveness=known.liveness if known else None,
            since=known.since if known else None,
            consecutive_failures=known.consecutive_failures if known else 0,
            reason=known.reason if known else None,
            last_checked=known.last_checked if known else None,
            in_snapshot=None in said,
            owed=planning.owed(known, history, takes),
            http_status=known.http_status if known else None,
        )
