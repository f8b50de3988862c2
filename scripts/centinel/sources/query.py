"""A paged vendor API or catalogue: enumerated page by page; a record is acquired with its files."""

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from centinel import addresses
from centinel.answers import Answer, Fetched
from centinel.configuration import Source
from centinel.http import Client
from centinel.record import Resource
from centinel.sources.platforms import walking
from centinel.sources.platforms.asking import Asking
from centinel.sources.platforms.records import Memory
from centinel.sources.platforms.registry import platform_of
from centinel.sources.platforms.values import Unreadable
from centinel.sources.source_kind import Enumeration, Parts


@dataclass
class _Job:
    """What is kept while one client acquires one source."""

    source: Source
    client: "weakref.ref[Client]"
    memory: Memory = field(default_factory=Memory)


class Query:
    """`query: {platform: …, …}`."""

    key = "query"
    is_paced = True

    def __init__(self) -> None:
        self._job: _Job | None = None

    def address(self, source: Source) -> str:
        """Returns what the query asks, without its paging."""
        return platform_of(source.value).address(source.value)

    def private_is_allowed(self, source: Source) -> bool:
        """Returns whether the configured server itself is at a private or loopback address."""
        return addresses.is_private(urlsplit(self.address(source)).hostname or "")

    def enumerate(self, source: Source, client: Client) -> Enumeration:
        """Asks for every page of the query."""
        platform, block = platform_of(source.value), source.value
        asking = Asking(client, platform.secret(block))
        walked = walking.walk(platform, block, asking)
        found = walking.enumeration(platform, block, walked)
        found.notes.insert(0, client.rules(platform.first(block)).note)
        return found

    def marker(self, resource: str) -> str:
        """Returns the record itself: a file that never comes must not ask for it for ever."""
        return resource

    def fetch(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Asks for a record, for a file that one names, or for an entry of a document."""
        platform, block = platform_of(source.value), source.value
        asking = Asking(client, platform.secret(block))
        return platform.fetch(block, asking, artifact, validators, self._memory(source, client))

    fetch_part = fetch

    def parts(
        self,
        source: Source,
        resource: Resource,
        fetched: Fetched,
        kind: str,  # noqa: ARG002 (other kinds need it)
    ) -> Parts:
        """Returns the files that a record names; where its shape has changed, a note says so."""
        is_same = self._job is not None and self._job.source == source
        memory = self._job.memory if self._job and is_same else Memory()
        platform = platform_of(source.value)
        try:
            return platform.parts(source.value, resource, fetched, memory)
        except Unreadable as error:
            return Parts(notes=(f"files not known: {error}",))

    def _memory(self, source: Source, client: Client) -> Memory:
        """The memory of this job; another job's is dropped."""
        job = self._job
        if job is None or job.client() is not client or job.source != source:
            job = self._job = _Job(source, weakref.ref(client))
        return job.memory
