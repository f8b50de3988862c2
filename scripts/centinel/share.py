"""What a run has done of a source so far: passed on between the jobs that acquire it in turn."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Self

from centinel.configuration import Source
from centinel.files import read_json, write_json
from centinel.history import History
from centinel.record import Json
from centinel.store import Store


@dataclass
class Share:
    """The bounds that were used up, and what came of it."""

    run: str = ""
    """Of which run: the bounds are one run's. What came of it counts until it was written."""
    index_run: int | None = None
    """The number by which the index knows what was asked in it."""
    asked: int = 0
    """Addresses that were asked for, of those that `limit` bounds."""
    seconds: float = 0.0
    """Of those that `acquire_for` bounds."""
    is_done: bool = False
    """Nothing more may be asked in this run."""
    counts: Counter[str] = field(default_factory=Counter)
    unanswered: Counter[str] = field(default_factory=Counter)
    """By host: addresses in a row that it did not answer."""
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, store: Store, run: str) -> Self:
        """Returns what was passed on to this run; of an earlier one, what came of it."""
        told = read_json(store.share)
        if told is None:
            return cls(run)
        try:
            counts: Counter[str] = Counter(told.pop("counts"))
            if told["run"] != run:
                return cls(run, counts=counts, warnings=told["warnings"])
            return cls(counts=counts, unanswered=Counter(told.pop("unanswered")), **told)
        except (KeyError, TypeError):  # of another version of this project
            return cls(run)

    def count_on(self, history: History) -> None:
        """Goes on under the number of the others: what they asked for is not asked again."""
        if self.index_run is None:
            self.index_run = history.run
        history.run = self.index_run

    def begin(self, store: Store, source: Source) -> None:
        """Passes on that somebody is at it: who is killed leaves nothing of `limit`."""
        replace(self, asked=source.limit or self.asked).write(store)

    def write(self, store: Store) -> None:
        """Passes it on."""
        write_json(store.share, self.to_json())

    def to_json(self) -> Json:
        """Returns what `config/schemas/share.schema.yaml` describes."""
        return {**vars(self), "counts": dict(self.counts), "unanswered": dict(self.unanswered)}

    @staticmethod
    def forget(store: Store) -> None:
        """Takes it away: everything that it says was written."""
        store.share.unlink(missing_ok=True)
