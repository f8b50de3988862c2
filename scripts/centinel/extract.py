"""Reads one shard: texts that are on disk for this version stay, the others are made."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from centinel import kinds
from centinel.classify import Work
from centinel.files import read_json, read_lines, write_json, write_lines
from centinel.journal import now
from centinel.progress import Progress
from centinel.readers.document import Document
from centinel.readers.outcome import Outcome
from centinel.record import Derived, Json, timestamp
from centinel.store import NOT_INTACT, Store


class Reads(Protocol):
    """What reads a document: `readers.isolation.Isolation`, which may be lost to one."""

    def read(self, document: Document, title: str | None = None) -> Outcome:
        """Returns what came of it, a text in a file that is the caller's to take."""
        ...


@dataclass
class Extract:
    """The reading of one kind at one version."""

    store: Store
    kind: str
    version: int
    reads: Reads
    progress: Progress
    clock: Callable[[], datetime] = now
    languages: tuple[str, ...] = ("eng",)
    """What documents may be written in, for readers that must know."""
    model: str | None = None
    """What stands behind the version in the paths of recordings."""

    @property
    def path_version(self) -> str:
        """The version as paths spell it."""
        return f"{self.version}-{self.model}" if self.model else f"{self.version}"

    def run(self, shard: str) -> None:
        """Writes the shard's lines, one an artifact; raises OSError for a fault of this machine."""
        work = [Work.from_json(line) for line in read_lines(self.store.work_file(self.kind, shard))]
        output = self.store.derived_file(self.kind, self.path_version, shard)
        # All are read before the file is begun: a killed job leaves no half of it.
        write_lines(output, list(self._lines(work)))

    def make_texts(self, blob: str) -> list[Derived]:
        """Makes the texts of one blob now, whatever shard waits for others; returns their lines."""
        shards = sorted((self.store.work / self.kind).glob("*.jsonl"))
        work = (Work.from_json(line) for shard in shards for line in read_lines(shard))
        return [self._line(each) for each in work if each.blob == blob]

    def _lines(self, work: list[Work]) -> Iterable[Derived]:
        underivable = 0
        for number, each in enumerate(work, 1):
            line = self._line(each)
            underivable += line.outcome == "underivable"
            yield line
            self.progress.maybe(number, len(work) - number, {"underivable": underivable})

    def _line(self, work: Work) -> Derived:
        """The line of one artifact: from what is on disk for this version, else by reading it."""
        kept = self._kept(work)
        if kept is not None:
            return kept
        # A recording's bytes, gigabytes of them, were verified by the job that transcribed it.
        if self.kind not in kinds.RECORDINGS and not self.store.is_intact(work.blob):
            return self._derived(work, {"outcome": "underivable", "reason": NOT_INTACT})
        path = self.store.blob(work.blob)
        document = Document(path, self.kind, work.declared_type, languages=self.languages)
        outcome = self.reads.read(document, work.title)
        return _KEEPERS[outcome.outcome](self, work, outcome)

    def _kept(self, work: Work) -> Derived | None:
        version, identifier = self.path_version, work.identifier
        text = self.store.text_file(self.kind, version, identifier)
        derivation = read_json(text.with_suffix(".json"))
        if derivation is not None and _has_size(text, derivation.get("bytes")):
            return self._derived(work, {**derivation, "text": self.store.relative(text)})
        path = self.store.underivable_file(self.kind, version, identifier)
        nothing = read_json(path)
        if nothing is not None:
            return self._derived(
                work,
                {
                    "outcome": "underivable",
                    "underivable": self.store.relative(path),
                    "reason": nothing["reason"],
                },
            )
        return None

    def _keep_text(self, work: Work, outcome: Outcome) -> Derived:
        """The text first, then its derivation: where that stands, the text is whole."""
        path = self.store.text_file(self.kind, self.path_version, work.identifier)
        path.parent.mkdir(parents=True, exist_ok=True)
        assert outcome.file is not None
        size = outcome.file.stat().st_size
        for each in outcome.beside:
            each.replace(path.with_suffix(each.suffix))
        outcome.file.replace(path)
        derivation = {
            "blob": work.blob,
            "kind": self.kind,
            "version": self.version,
            "outcome": "text",
            "reader": outcome.reader,
            "reader_version": outcome.reader_version,
            "readers_by_page": list(outcome.readers_by_page) or None,
            "recovered_by_fallback": outcome.recovered_by_fallback,
            "title": outcome.title,
            "chars": outcome.chars,
            "notes": list(outcome.notes),
            "bytes": size,
            "at": timestamp(self.clock()),
            **outcome.details,
        }
        write_json(path.with_suffix(".json"), derivation)
        return self._derived(work, {**derivation, "text": self.store.relative(path)})

    def _keep_underivable(self, work: Work, outcome: Outcome) -> Derived:
        path = self.store.underivable_file(self.kind, self.path_version, work.identifier)
        write_json(
            path,
            {
                "blob": work.blob,
                "kind": self.kind,
                "version": self.version,
                "reason": outcome.reason,
                "at": timestamp(self.clock()),
                "tried": [
                    {
                        "reader": each.reader,
                        "reader_version": each.reader_version,
                        "reason": each.reason,
                    }
                    for each in outcome.tried
                ],
            },
        )
        return self._derived(
            work,
            {
                "outcome": "underivable",
                "underivable": self.store.relative(path),
                "reason": outcome.reason,
            },
        )

    def _keep_nothing(self, work: Work, outcome: Outcome) -> Derived:
        """What waits for a reader is not kept: it is tried again when the reader is there."""
        return self._derived(work, {"outcome": "waiting", "reason": outcome.reason})

    def _derived(self, work: Work, found: Json) -> Derived:
        return Derived(
            artifact=work.artifact,
            resource=work.resource,
            blob=work.blob,
            kind=self.kind,
            version=self.version,
            outcome=found["outcome"],
            text=found.get("text"),
            underivable=found.get("underivable"),
            reader=found.get("reader"),
            reader_version=found.get("reader_version"),
            readers_by_page=found.get("readers_by_page"),
            recovered_by_fallback=found.get("recovered_by_fallback", False),
            title=found.get("title"),
            chars=found.get("chars", 0),
            notes=[*work.notes, *found.get("notes", [])],
            reason=found.get("reason"),
        )


_KEEPERS = {
    "text": Extract._keep_text,
    "underivable": Extract._keep_underivable,
    "waiting": Extract._keep_nothing,
}


def _has_size(path: Path, size: int | None) -> bool:
    """Whether a text is there whole: a power cut can leave a name without its bytes."""
    try:
        return path.stat().st_size == size
    except FileNotFoundError:
        return False
