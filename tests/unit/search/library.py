"""Sources with texts, made by hand, and the index over them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from centinel.configuration import Pipeline
from centinel.files import write_whole
from centinel.progress import Progress
from centinel.search.finding import Found, find
from centinel.search.updating import Updated, update
from tests.unit.report.results import (
    PIPELINE,
    SOURCE,
    Results,
    configuration,
    discovery,
    record,
    snapshot,
    state,
)


@dataclass
class Library:
    """The sources of a results folder."""

    folder: Path
    sources: dict[str, Results] = field(default_factory=dict)

    def put(
        self, address: str, text: str, source: str = "town", kind: str = "html", **changes: Any
    ) -> Path:
        """Adds a text at an address, instead of what is there; returns its file."""
        results = self.sources.setdefault(source, Results(self.folder, source))
        self.take(address, source)
        results.states.append(state(address))
        results.add(address, kind, **changes)
        file = results.store.root / str(results.derived[-1].text)
        if not file.exists() or file.read_text() != text:
            write_whole(file, text.encode())
        return file

    def take(self, address: str, source: str = "town") -> None:
        """Takes an address out of what is published."""
        results = self.sources[source]
        for lines in (results.states, results.artifacts, results.work, results.derived):
            lines[:] = [each for each in lines if address not in vars_of(each)]  # type: ignore[index]

    def update(
        self, audited: Iterable[str] | None = None, pipeline: Pipeline = PIPELINE
    ) -> Updated:
        """Writes what the sources have now, and brings the index up to date.

        `audited` names those that have a new report: all, where it is not given.
        """
        for name in self.sources if audited is None else audited:
            store = self.sources[name].write(snapshot())
            record(store, discovery())
            store.report.write_text("made")
        named = [replace(SOURCE, identifier=name) for name in self.sources]
        told = replace(configuration(self.folder, *named), pipeline=pipeline)
        return update(told, Progress("search", streams=()))

    def find(self, words: str, **bounds: Any) -> list[Found]:
        """Searches the index."""
        return find(self.folder, words, **bounds)

    def addresses(self, words: str, **bounds: Any) -> list[list[str]]:
        """The addresses of each passage that is found."""
        found = self.find(words, **bounds)
        return [[place.address for place in each.places] for each in found]


def vars_of(line: Any) -> tuple[str, ...]:
    """The address of a line, whatever it is called there."""
    return (getattr(line, "artifact", None) or line.address,)
