"""The reader of captions: WebVTT, SRT, TTML and the JSON of YouTube, as paragraphs with times."""

import html
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any, Literal

from centinel.readers.charset import decode, is_binary
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading
from centinel.readers.timed_text import Cue, render, without_repeats

if TYPE_CHECKING:
    from webvtt import Caption

_ARROW = "-->"
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?(?:[ \t]+([^<>]*))?>|</v>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<\d[\d:.]*>|</>")
_OVERRIDE = re.compile(r"\{\\[^{}]*\}")
"""`{\\an8}` and the like, which converters leave in SRT."""

_TIMES = re.compile(r"\s*(?:\d+:)?\d+:\d\d?[.,]\d+\s*-->\s*(?:\d+:)?\d+:\d\d?[.,]\d")
_INDEX = re.compile(r"\s*\d+\s*\n.*-->")


@dataclass(frozen=True)
class _Found:
    """What a format gave: its cues, how many have no time or no sense, and how many no text
    (beside those that are among the cues)."""

    cues: tuple[Cue, ...]
    broken: int = 0
    empty: int = 0
    notes: tuple[str, ...] = ()


def read_captions(document: Document) -> Reading:
    """Returns what was said, in paragraphs that open with their time.

    What a rolling track repeats is said once; cues without text, broken and repeated ones are
    counted in the notes.  Raises `GaveWay` where the bytes are no captions, or have no cue.
    A track knows no title of its own: that is its recording's.
    """
    if is_binary(document.data):
        raise GaveWay("binary data, no text in any character set")
    decoded = decode(document.data, document.declared_type)
    found = _format_of(decoded.text)(decoded.text)
    spoken = [cue for cue in found.cues if cue.text.strip()]
    merged = without_repeats(spoken)
    counts = {
        "broken cues left out": found.broken,
        "cues without text left out": found.empty + len(found.cues) - len(spoken),
        "cues that repeat the one before merged": merged.repeating,
    }
    counted = tuple(f"{count} {what}" for what, count in counts.items() if count)
    notes = (*decoded.notes, *found.notes, *counted)
    if not spoken:
        raise GaveWay("; ".join(("no cues", *notes)))
    return Reading(render(merged.cues), None, notes)


def _format_of(text: str) -> Callable[[str], _Found]:
    start = text.lstrip()[:1]
    if start == "{":
        return _json3
    if start == "<":
        return _timed_text
    if text.lstrip().startswith("WEBVTT"):
        return _vtt
    if _ARROW in text:
        return _srt
    raise GaveWay("neither WebVTT, SRT, TTML nor caption JSON")


def _vtt(text: str) -> _Found:
    return _cues_of(text, _parsed(text.lstrip(), "vtt"))


def _srt(text: str) -> _Found:
    """SRT; where it has no numbers, or times like WebVTT's, it is read as that without a head."""
    if _INDEX.match(text):
        captions = _parsed(text.strip(), "srt")
        if captions:
            return _cues_of(text, captions)
    lines = (
        line.replace(",", ".", 2) if _TIMES.match(line) else line for line in text.splitlines()
    )
    return _cues_of(text, _parsed("\n".join(["WEBVTT\n", *lines]), "vtt"))


def _parsed(text: str, name: Literal["vtt", "srt"]) -> "list[Caption]":
    import webvtt

    try:
        return list(webvtt.from_buffer(StringIO(text), format=name).captions)
    except webvtt.errors.MalformedFileError as error:
        raise GaveWay(f"no {name.upper()}: {error}") from error


def _cues_of(text: str, captions: "list[Caption]") -> _Found:
    """The library drops cues that have no text, or times that it cannot read, and says nothing:
    they are counted here by the arrow that each has."""
    arrows = [line for line in text.splitlines() if _ARROW in line]
    timed = sum(_TIMES.match(line) is not None for line in arrows)
    cues = tuple(cue for caption in captions for cue in _voices(caption))
    return _Found(cues, len(arrows) - timed, max(0, timed - len(captions)))


def _voices(caption: "Caption") -> Iterator[Cue]:
    """Yields a cue for each voice in a caption, in the order in which they speak."""
    start, end = _seconds(caption.start), _seconds(caption.end)
    raw, speaker, position = caption.raw_text, None, 0
    pieces: list[tuple[str | None, str]] = []
    for mark in _VOICE.finditer(raw):
        pieces.append((speaker, raw[position : mark.start()]))
        speaker, position = " ".join(html.unescape(mark[1] or "").split()) or None, mark.end()
    pieces.append((speaker, raw[position:]))
    shown = [(each, _shown(piece)) for each, piece in pieces]
    spoken = [(each, piece) for each, piece in shown if piece]
    for each, piece in spoken or [(None, "")]:
        yield Cue(start, end, piece, each)


def _shown(text: str) -> str:
    """Returns the lines that a cue shows: no tags, no overrides, entities undone."""
    plain = html.unescape(_TAG.sub("", _OVERRIDE.sub("", text)))
    lines = (" ".join(line.split()) for line in plain.splitlines())
    return "\n".join(line for line in lines if line)


def _seconds(clock: str) -> float:
    """Returns the seconds of the library's `HH:MM:SS.mmm`."""
    hours, minutes, seconds = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def _timed_text(text: str) -> _Found:
    from centinel.readers.ttml import read_ttml

    timed = read_ttml(text)
    return _Found(timed.cues, timed.broken, notes=(timed.note,) if timed.note else ())


def _json3(text: str) -> _Found:
    """YouTube's own JSON.  Half its events only put a line end behind the text before."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GaveWay(f"invalid JSON: {error}") from error
    events = value.get("events") if isinstance(value, dict) else None
    if not isinstance(events, list):
        raise GaveWay("JSON without caption events")
    cues, broken = [], 0
    for event in events:
        segments = event.get("segs") if isinstance(event, dict) else None
        if segments is None and isinstance(event, dict):
            continue  # an event that sets up a window shows nothing
        start, length = _milliseconds(event, "tStartMs"), _milliseconds(event, "dDurationMs")
        words = _words(segments)
        if start is None or words is None:
            broken += 1
            continue
        cues.append(Cue(start, start + max(0.0, length or 0.0), words))
    return _Found(tuple(cues), broken)


def _milliseconds(event: Any, name: str) -> float | None:
    """Returns a time of an event in seconds, `None` where it has none."""
    value = event.get(name) if isinstance(event, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value / 1000 if abs(value) < 1e12 and math.isfinite(value) else None


def _words(segments: Any) -> str | None:
    """Returns the joined text of an event's segments, `None` where they are none."""
    if not isinstance(segments, list) or not all(isinstance(each, dict) for each in segments):
        return None
    texts = (each.get("utf8") for each in segments)
    joined = "".join(text for text in texts if isinstance(text, str))
    return "\n".join(" ".join(line.split()) for line in joined.strip().splitlines())


captions = FunctionReader(
    "captions",
    frozenset({"captions"}),
    read_captions,
    modules=("webvtt", "lxml", "w3lib", "charset_normalizer"),
    install="pip install 'webvtt-py>=0.6,<0.7' lxml w3lib charset-normalizer",
)

READERS = (captions,)
