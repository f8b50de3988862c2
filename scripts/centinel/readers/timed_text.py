"""Cues with times into paragraphs with times: one rendering for captions and for transcripts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

LONG_ENOUGH = 600
"""Characters from which on a paragraph ends with its sentence."""

TOO_LONG = 1200
"""Characters from which on a paragraph ends anywhere: automatic captions know no full stops."""

LONGEST_PAUSE = 10.0
"""Seconds.  What is said after a longer silence has a time of its own."""

TOUCHING = 1.0
"""Seconds between two cues of one roll; what is said again later was said again."""

ROLLING = 0.3
"""Share of the cues that open with the lines before and go on, from which on a track rolls: half
or all of the cues of automatic captions do, about none of those that somebody wrote."""

_SENTENCE_ENDS = (".", "?", "!")


@dataclass(frozen=True)
class Cue:
    """What is shown or said from `start` to `end`, in seconds; lines are kept in `text`."""

    start: float
    end: float
    text: str
    speaker: str | None = None


@dataclass(frozen=True)
class Merged:
    """Cues without what each repeats of the one before, and how many cues repeated something."""

    cues: tuple[Cue, ...]
    repeating: int = 0


def render(cues: Iterable[Cue]) -> str:
    """Returns the cues as paragraphs `[HH:MM:SS] text`, blank lines between them, in the order of
    their starts; a speaker who is named stands before the text.

    A paragraph ends with a sentence from 600 characters on, anywhere from 1,200 on, before a
    pause of more than 10 s, and where the speaker changes.  Times before zero are zero.
    """
    paragraphs: list[str] = []
    open_cues: list[Cue] = []
    end = 0.0
    for cue in sorted(cues, key=lambda each: each.start):
        text = " ".join(cue.text.split())
        if not text:
            continue
        is_new = cue.start > end + LONGEST_PAUSE or _speaker(open_cues) != cue.speaker
        if open_cues and is_new:
            paragraphs.append(_paragraph(open_cues))
            open_cues = []
        open_cues.append(replace(cue, text=text))
        end = max(end, cue.end, cue.start)
        if _is_full(open_cues):
            paragraphs.append(_paragraph(open_cues))
            open_cues = []
    if open_cues:
        paragraphs.append(_paragraph(open_cues))
    return "\n\n".join(paragraphs)


def _speaker(cues: Sequence[Cue]) -> str | None:
    return cues[0].speaker if cues else None


def _is_full(cues: Sequence[Cue]) -> bool:
    length = sum(len(cue.text) for cue in cues) + len(cues) - 1
    ends = cues[-1].text.endswith(_SENTENCE_ENDS)
    return length >= TOO_LONG or (length >= LONG_ENOUGH and ends)


def _paragraph(cues: Sequence[Cue]) -> str:
    speaker = f"{cues[0].speaker}: " if cues[0].speaker else ""
    return f"[{clock(cues[0].start)}] {speaker}{' '.join(cue.text for cue in cues)}"


def clock(seconds: float) -> str:
    """Returns `HH:MM:SS` of a time, cut to whole seconds; more digits after 99 hours."""
    whole = max(0, int(seconds))
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def without_repeats(cues: Sequence[Cue]) -> Merged:
    """Returns the cues without what a rolling track says twice: each line of it stays on the
    screen while the next appears, and so stands in the next cue as well.

    A track rolls where three cues in ten open with the lines before and go on; in others, who
    says a line twice is believed, and only cues that are the same in everything are one.
    """
    distinct = tuple(dict.fromkeys(cues))
    repeats = [_repeated(*pair) for pair in pairwise(distinct)]
    going_on = sum(
        0 < repeated < len(cue.text.split())
        for cue, repeated in zip(distinct[1:], repeats, strict=True)
    )
    if going_on < max(1, ROLLING * len(distinct)):
        return Merged(distinct, len(cues) - len(distinct))
    kept: list[Cue] = list(distinct[:1])
    for cue, repeated in zip(distinct[1:], repeats, strict=True):
        words = cue.text.split()
        if repeated and repeated == len(words):
            kept[-1] = replace(kept[-1], end=max(kept[-1].end, cue.end))
        elif repeated:
            kept.append(replace(cue, text=" ".join(words[repeated:])))
        else:
            kept.append(cue)
    repeating = sum(map(bool, repeats)) + len(cues) - len(distinct)
    return Merged(tuple(kept), repeating)


def _repeated(before: Cue, cue: Cue) -> int:
    """Returns with how many words of the cue before `cue` opens: whole lines of it, or a last
    line that goes on; 0 where it does not follow at once."""
    if cue.start > before.end + TOUCHING or cue.speaker != before.speaker:
        return 0
    shown, lines = before.text.split(), [line.split() for line in cue.text.splitlines()]
    words = cue.text.split()
    ends = {sum(map(len, lines[:number])) for number in range(1, len(lines) + 1)}
    last = len(before.text.splitlines()[-1].split()) if shown else 0
    longest = min(len(shown), len(words))
    return next(
        (
            count
            for count in range(longest, 0, -1)
            if shown[-count:] == words[:count] and (count in ends or count >= last)
        ),
        0,
    )
