"""What was said in a stretch: what is kept of it, how sure it is, and how it is written. Pure."""

import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from centinel.readers.timed_text import Cue
from centinel.record import Line
from centinel.transcribe.stretches import Stretch

UNSURE = 0.55
"""Probability below which a segment is marked: speech played backwards gave up to 0.52, speech as
it was 0.56 and more."""

UNSURE_MARK = "[?]"

_TAG = re.compile(r"(?:\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|[♪♫#\s])+|[\W_]*")
"""A text that is wholly a note about sounds: `[BLANK_AUDIO]`, `(upbeat music)`, or no word."""


@dataclass(frozen=True)
class Heard:
    """What an engine says of a stretch: seconds from its beginning, as the engine gives them."""

    start: float
    end: float
    text: str
    probability: float
    """The geometric mean of its tokens' probabilities."""


@dataclass(frozen=True)
class Segment(Line):
    """One line of a recording's segments: seconds from the beginning of the recording."""

    SPARSE: ClassVar[frozenset[str]] = frozenset()

    start: float
    end: float
    text: str
    probability: float | None

    @property
    def is_unsure(self) -> bool:
        """Whether nobody should rely on it."""
        return self.probability is None or self.probability < UNSURE

    @property
    def marked(self) -> str:
        """The text, with the mark of what is not sure."""
        return f"{UNSURE_MARK} {self.text}" if self.is_unsure else self.text


@dataclass(frozen=True)
class Kept:
    """The segments of a stretch, and how many texts about sounds were left out."""

    segments: tuple[Segment, ...]
    dropped: int


def kept(stretch: Stretch, heard: Iterable[Heard]) -> Kept:
    """Returns what is kept of a stretch, in the recording's time.

    Engines give times beyond what they were given, and texts about sounds: the first are clamped
    to the stretch, the second dropped.
    """
    segments: list[Segment] = []
    dropped = 0
    for each in heard:
        text = " ".join(each.text.split())
        if _TAG.fullmatch(text):
            dropped += bool(text)
            continue
        start, end = _within(stretch, each.start), _within(stretch, each.end)
        probability = round(each.probability, 4) if math.isfinite(each.probability) else None
        segments.append(Segment(start, max(start, end), text, probability))
    return Kept(tuple(segments), dropped)


def _within(stretch: Stretch, seconds: float) -> float:
    """A time of the stretch in the recording's time, never outside the stretch."""
    at = stretch.start + (seconds if math.isfinite(seconds) else 0.0)
    return round(min(max(at, stretch.start), stretch.end), 3)


def cues(segments: Sequence[Segment]) -> list[Cue]:
    """Returns the segments for the renderer of captions."""
    return [Cue(each.start, each.end, each.marked) for each in segments]


def web_vtt(segments: Sequence[Segment]) -> str:
    """Returns the segments as WebVTT, one cue each (W3C WebVTT: https://www.w3.org/TR/webvtt1/)."""
    blocks = ["WEBVTT"]
    for each in segments:
        end = max(each.end, each.start + 0.001)  # a cue without length is none
        text = html.escape(each.marked, quote=False)
        blocks.append(f"{_stamp(each.start)} --> {_stamp(end)}\n{text}")
    return "\n\n".join(blocks) + "\n"


def _stamp(seconds: float) -> str:
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}.{rest % 1000:03d}"
