"""What a platform answers, so that one kind of source serves them all."""

from collections.abc import Mapping
from typing import Protocol

from centinel.answers import Answer, Fetched
from centinel.record import Resource
from centinel.sources.platforms.asking import Asking, Secret
from centinel.sources.platforms.records import Block, Memory, Page, Place, Walked
from centinel.sources.source_kind import Parts


class Platform(Protocol):
    """One product or standard. The elements of `registry.PLATFORMS`."""

    name: str
    """What a block's `platform` says, and the method of an enumeration."""

    lacking: str
    """What a row lacks that gives no record."""

    def address(self, block: Block) -> str:
        """Returns what the query asks, without its paging."""
        ...

    def secret(self, block: Block) -> Secret | None:
        """Returns what is added to requests and recorded nowhere."""
        ...

    def first(self, block: Block) -> str:
        """Returns the address of the first page."""
        ...

    def read(self, block: Block, fetched: Fetched) -> Page:
        """Returns what a page says; raises Unreadable."""
        ...

    def following(self, block: Block, page: Page, rows: int) -> str | None:
        """Returns the address of the page behind so many rows; None where the walk ends."""
        ...

    def beyond(self, block: Block, place: Place) -> Block | None:
        """Returns the block of what stands behind a record; None where that cannot be asked for.

        Records at the same place may be in it again.
        """
        ...

    def hints(self, block: Block, walked: Walked) -> list[str]:
        """Returns notes on what a walk gave, where there is something to know."""
        ...

    def fetch(
        self,
        block: Block,
        asking: Asking,
        artifact: str,
        validators: Mapping[str, str],
        memory: Memory,
    ) -> Answer:
        """Asks for a record or for one of its parts."""
        ...

    def parts(self, block: Block, resource: Resource, fetched: Fetched, memory: Memory) -> Parts:
        """Returns the parts of a record that was fetched just now; raises Unreadable."""
        ...
