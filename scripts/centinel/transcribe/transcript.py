"""What became of a recording, and how it lies on disk until its texts are made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from centinel.files import read_json, read_lines, write_json, write_lines
from centinel.record import Json
from centinel.store import Store
from centinel.transcribe.spoken import Segment


@dataclass(frozen=True)
class Transcript:
    """What is said in a recording, or why there is nothing."""

    segments: tuple[Segment, ...]
    reason: str | None = None
    """Why there is nothing; None where there is something."""
    notes: tuple[str, ...] = ()
    title: str | None = None
    """The one in the container."""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def nothing(cls, reason: str, provenance: Json) -> Self:
        """Returns the transcript of a recording in which there is nothing to hear."""
        return cls((), reason, provenance=provenance)


@dataclass(frozen=True)
class Shelf:
    """Where the transcripts of one kind, version and model lie: segments, and a line on each."""

    store: Store
    kind: str
    version: str
    """As in paths, with the model: `1-tiny.en`."""

    def keep(self, blob: str, transcript: Transcript) -> None:
        """Writes a transcript: the segments first, then what says that they are whole."""
        if transcript.reason is None:
            write_lines(self._segments(blob), transcript.segments)
        number, _, model = self.version.partition("-")
        about = {
            "blob": blob,
            "kind": self.kind,
            "version": int(number),
            "model": model,
            "outcome": "text" if transcript.reason is None else "underivable",
            "reason": transcript.reason,
            "title": transcript.title,
            "notes": list(transcript.notes),
            "transcript": dict(transcript.provenance),
        }
        write_json(self.store.recording_file(self.kind, self.version, blob), about)

    def find(self, blob: str) -> Transcript | None:
        """Returns the transcript of a recording; None where it has none, or not all of it."""
        about = read_json(self.store.recording_file(self.kind, self.version, blob))
        if about is None:
            return None
        reason, notes = about["reason"], tuple(about["notes"])
        segments: tuple[Segment, ...] = ()
        if reason is None:
            path = self._segments(blob)
            if not path.exists():
                return None
            segments = tuple(Segment.from_json(line) for line in read_lines(path))
        return Transcript(segments, reason, notes, about["title"], about["transcript"])

    def find_made(self, blob: str) -> Transcript | None:
        """Returns the transcript that a text on disk was made of, where only the line on it is
        gone; None where there is none."""
        folder = self.store.text_file(self.kind, self.version, blob).parent
        for path in sorted(folder.glob(f"{blob}*.json")):
            derivation = read_json(path) or {}
            if "transcript" in derivation and self._segments(blob).exists():
                made = tuple(Segment.from_json(each) for each in read_lines(self._segments(blob)))
                if len(made) == derivation["transcript"]["segments"]:
                    notes, title = tuple(derivation["notes"]), derivation["title"]
                    return Transcript(made, None, notes, title, derivation["transcript"])
        return None

    def partial(self, blob: str) -> Path:
        """Where a transcription that is under way keeps what it has."""
        return self._segments(blob).with_suffix(".part")

    def _segments(self, blob: str) -> Path:
        return self.store.segments_file(self.kind, self.version, blob)
