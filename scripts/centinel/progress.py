"""A line every ten seconds, so that a person sees that a long job lives."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TextIO

EVERY_SECONDS = 10.0


@dataclass
class Progress:
    """Says how far a job is: done, left, refused by kind, rate, time left."""

    name: str
    every: float = EVERY_SECONDS
    streams: tuple[TextIO, ...] = (sys.stderr,)
    _started: float = field(default_factory=time.monotonic)
    _said: float = field(default_factory=time.monotonic)

    def maybe(self, done: int, left: int, refused: Mapping[str, int]) -> None:
        """Says a line where ten seconds have passed since the last."""
        if time.monotonic() - self._said >= self.every:
            self.say(self.line(done, left, refused))

    def line(self, done: int, left: int, refused: Mapping[str, int]) -> str:
        """Returns the line."""
        seconds = max(time.monotonic() - self._started, 1e-9)
        rate = done / seconds
        counts = ", ".join(f"{count} {name}" for name, count in refused.items())
        wait = _spoken(left / rate) if rate else "unknown"
        said = f"{self.name}: {done} done, {left} left, {counts}"
        return f"{said}; {rate:.1f} a second; time left {wait}"

    def say(self, text: str) -> None:
        """Writes a line to every stream at once."""
        self._said = time.monotonic()
        for stream in self.streams:
            print(text, file=stream, flush=True)


def _spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02}m" if hours else f"{minutes}m{rest:02}s"
