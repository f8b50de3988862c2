"""The results of a source whose requests stand in a list."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime

from centinel import planning
from centinel.configuration import Source
from centinel.files import read_lines
from centinel.history import replay
from centinel.http import Client
from centinel.ingest.request import BadRequest, Request
from centinel.ingest.results import Results
from centinel.ingest.settings import settings_of
from centinel.ingest.writing import Finisher, save, write
from centinel.journal import now
from centinel.sources.datasets import requests_in
from centinel.store import Store


def write_results(
    store: Store, source: Source, contact: str = "", clock: Callable[[], datetime] = now
) -> Counter[str]:
    """Writes a row a request, the entities, the items and the table; returns how many ended how.

    The rows are made from the record. Requests are those of the list; where it is gone, those of
    the snapshot. Raises OSError for a fault of this machine, DatabaseError where the database
    cannot be had: then the files stand already.
    """
    settings = settings_of(source.ingest)
    takes = planning.Filter(source).takes
    made = Results(store, replay(store), settings, source.max_bytes, clock, takes)
    finisher = Finisher(made, lambda: _client(store, source, contact))
    pairs = (finisher.finished(line, asked) for line, asked in _requests(store, source))
    counts = write(store, pairs)
    save(store.results, read_lines(store.ingest_results))
    return counts


def _requests(store: Store, source: Source) -> Iterator[tuple[str, Request | BadRequest]]:
    listed = requests_in(source)
    if listed is not None:
        yield from ((line, asked) for _, line, asked in listed)
        return
    for line in read_lines(store.snapshot):
        yield line["address"], Request("dataset", line["address"])


def _client(store: Store, source: Source, contact: str) -> Client:
    return Client(store.incoming, contact, source.rps, private_is_allowed=False)
