"""What became of the dataset requests of a source, by status."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from centinel.files import read_lines
from centinel.store import Store

MOST_EXAMPLES = 3


@dataclass(frozen=True)
class Outcome:
    """The requests that ended with one status, and some of them."""

    status: str
    is_hit: bool
    count: int
    examples: tuple[tuple[str, str | None], ...]
    """What was asked for, and why it ended so."""


@dataclass(frozen=True)
class Ingested:
    """All requests of a source."""

    requests: int
    hits: int
    files: int
    """Files of hits."""
    size: int
    """Bytes of hits whose size is known."""
    strategies: tuple[tuple[str, int], ...]
    outcomes: tuple[Outcome, ...]
    """Hits first, then the most frequent."""


def ingested_of(store: Store) -> Ingested | None:
    """Returns the figures of `ingest/results.jsonl`; None for a source that has none.

    Raises ValueError for a damaged file.
    """
    if not store.ingest_results.exists():
        return None
    counts: Counter[tuple[bool, str]] = Counter()
    strategies: Counter[str] = Counter()
    examples: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
    files = size = 0
    for row in read_lines(store.ingest_results):
        counts[row["hit"], row["status"]] += 1
        if row["ingest_strategy"]:
            strategies[row["ingest_strategy"]] += 1
        if row["hit"]:
            files += row["file_count"] or 0
            size += row["total_size"] or 0
        some = examples[row["status"]]
        if len(some) < MOST_EXAMPLES:
            some.append((_asked(row["request"]), row["error_message"]))
    order = sorted(counts.items(), key=lambda each: (not each[0][0], -each[1], each[0][1]))
    return Ingested(
        requests=counts.total(),
        hits=sum(count for (is_hit, _), count in counts.items() if is_hit),
        files=files,
        size=size,
        strategies=tuple(sorted(strategies.items())),
        outcomes=tuple(
            Outcome(status, is_hit, count, tuple(examples[status]))
            for (is_hit, status), count in order
        ),
    )


def _asked(request: object) -> str:
    if isinstance(request, dict):
        return str(request.get("base_url") or request)
    return str(request)
