"""Transcripts as texts: what the rule `extract` is given for recordings in place of readers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from centinel.readers.document import Document, GaveWay, Reading
from centinel.readers.finishing import finish
from centinel.readers.outcome import Outcome, Tried
from centinel.readers.timed_text import render
from centinel.transcribe.spoken import cues, web_vtt
from centinel.transcribe.transcript import Shelf, Transcript

NOT_TRANSCRIBED = "not transcribed yet"


@dataclass(frozen=True)
class Transcripts:
    """Makes texts of the transcripts that are there; the others are waited for."""

    shelf: Shelf
    scratch: Path
    """A folder for texts, which are the caller's to take."""
    missing: str | None = None
    """What this machine lacks to transcribe, and what mends it."""

    def __enter__(self) -> Self:
        self.scratch.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        for left in self.scratch.iterdir():
            left.unlink()
        self.scratch.rmdir()

    def read(self, document: Document, title: str | None = None) -> Outcome:
        """Returns a recording's text under its title: the source's, else that of its container."""
        found = self.shelf.find(document.path.name)
        if found is None:
            reason = self.missing or NOT_TRANSCRIBED
            return Outcome("waiting", document.kind, reason=reason)
        return self._outcome(document, found, title or found.title)

    def _outcome(self, document: Document, found: Transcript, title: str | None) -> Outcome:
        engine, version = found.provenance["engine"], found.provenance["engine_version"]
        if found.reason is not None:
            tried = (Tried(engine, version, found.reason),)
            return Outcome("underivable", document.kind, reason=found.reason, tried=tried)
        try:
            finished = finish(Reading(render(cues(found.segments)), notes=found.notes), title)
        except GaveWay as error:
            tried = (Tried(engine, version, str(error)),)
            return Outcome("underivable", document.kind, reason=str(error), tried=tried)
        captions = self.scratch / f"{document.path.name}.vtt"
        captions.write_text(web_vtt(found.segments), "utf-8", "replace")
        outcome = Outcome(
            "text",
            document.kind,
            finished.text,
            reader=engine,
            reader_version=version,
            title=finished.title,
            chars=finished.chars,
            notes=finished.notes,
            beside=(captions,),
            details={"transcript": dict(found.provenance)},
        )
        return outcome.with_text_in(self.scratch)
