"""What a kind of source answers, so that one loop serves them all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from centinel.answers import Answer, Fetched
from centinel.configuration import Source
from centinel.http import Client
from centinel.record import Json, Resource


@dataclass
class Enumeration:
    """What one enumeration found, and everything about it that must reach the report."""

    method: str
    resources: list[Resource] = field(default_factory=list)
    reason: str | None = None
    """Why it failed; None where it gave a snapshot."""
    truncated: bool = False
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    figures: Json = field(default_factory=dict)

    def cut(self, warning: str) -> None:
        """Says that the snapshot is not complete, and why."""
        self.truncated = True
        self.warnings.append(warning)


@dataclass(frozen=True)
class Parts:
    """The artifacts that one artifact was found to have, each at its own address."""

    addresses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    originals: Mapping[str, str] = field(default_factory=dict)
    """By address: how it was written, where a session was dropped from it."""


class SourceKind(Protocol):
    """One kind of source. The elements of `registry.SOURCE_KINDS`."""

    key: str
    """The key of a source's block that says its kind."""

    is_paced: bool
    """Whether acquiring it is mostly the pauses between requests, and breaking it off costs little:
    then others are acquired beside it, and it beside others."""

    def address(self, source: Source) -> str:
        """Returns what the source is at, as one line: a new one makes a new snapshot due."""
        ...

    def private_is_allowed(self, source: Source) -> bool:
        """Returns whether addresses outside the public network may be asked."""
        ...

    def enumerate(self, source: Source, client: Client) -> Enumeration:
        """Returns every address that the source publishes now, or says why it could not."""
        ...

    def marker(self, resource: str) -> str:
        """Returns the artifact whose observation shows that the resource was acquired."""
        ...

    def fetch(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Asks for a resource's own artifact."""
        ...

    def fetch_part(
        self, source: Source, client: Client, artifact: str, validators: Mapping[str, str]
    ) -> Answer:
        """Asks for a part that `parts` named: most kinds as for any artifact."""
        ...

    def parts(self, source: Source, resource: Resource, fetched: Fetched, kind: str) -> Parts:
        """Returns the parts that a resource's own artifact was found to have."""
        ...
