"""What was heard so far: appended stretch by stretch, so that a killed job goes on where it was."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from centinel.files import parse_line, to_bytes, write_all
from centinel.record import Json
from centinel.transcribe.stretches import Stretch


@dataclass(frozen=True)
class Part:
    """One stretch that is done: its lines are final."""

    stretch: Stretch
    segments: tuple[Json, ...] = ()
    dropped: int = 0
    language: str | None = None
    language_probability: float | None = None
    reason: str | None = None
    """Why there is nothing: the engine failed on it."""

    def to_json(self) -> Json:
        """Returns the line."""
        return {
            "stretch": [self.stretch.first, self.stretch.last],
            "segments": list(self.segments),
            "dropped": self.dropped,
            "language": self.language,
            "language_probability": self.language_probability,
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, line: Json) -> Self:
        """Returns the part that `to_json` wrote; raises KeyError and TypeError for others."""
        return cls(
            Stretch(*line["stretch"]),
            tuple(line["segments"]),
            line["dropped"],
            line["language"],
            line["language_probability"],
            line["reason"],
        )


@dataclass
class Partial:
    """The file of a transcription that is under way; a context manager that closes it."""

    path: Path
    settings: Json
    """With which it is made: what was made with others is not gone on with."""
    parts: dict[Stretch, Part] = field(default_factory=dict)
    _stream: BinaryIO | None = None

    def __enter__(self) -> Self:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        usable = self._read()
        self._stream = self.path.open("r+b" if usable else "wb", buffering=0)
        if usable:
            self._stream.truncate(usable)
            self._stream.seek(usable)
        else:
            self._write({"settings": self.settings})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._stream is not None:
            self._stream.close()

    def add(self, part: Part) -> None:
        """Keeps a stretch that is done, on the disk; raises OSError where that cannot be."""
        self._write(part.to_json())
        self.parts[part.stretch] = part

    def remove(self) -> None:
        """Removes the file: its transcript stands elsewhere."""
        self.path.unlink(missing_ok=True)

    def _write(self, line: Json) -> None:
        assert self._stream is not None
        write_all(self._stream.fileno(), to_bytes(line) + b"\n")
        os.fsync(self._stream.fileno())

    def _read(self) -> int:
        """Takes the parts that are there; returns up to which byte the file can be used."""
        usable = 0
        for number, (end, line) in enumerate(self._lines()):
            if number == 0:
                if line.get("settings") != self.settings:
                    return 0
            else:
                try:
                    part = Part.from_json(line)
                except (KeyError, TypeError):
                    return usable
                self.parts[part.stretch] = part
            usable = end
        return usable

    def _lines(self) -> Iterator[tuple[int, Json]]:
        """Yields whole lines with the byte at which each ends, up to the first torn one."""
        end = 0
        try:
            stream = self.path.open("rb")
        except FileNotFoundError:
            return
        with stream:
            for raw in stream:
                line = parse_line(raw) if raw.endswith(b"\n") else None
                if line is None:
                    return
                end += len(raw)
                yield end, line
