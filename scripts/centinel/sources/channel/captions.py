"""Which caption track of a recording is kept: what was said, in the wanted language. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from centinel.record import Json

FORMATS = ("json3", "vtt", "srt", "ttml")
"""What is taken, in this order: only json3 has the times of words."""

DETECT = "auto"
"""What `lang` says where each recording's own language is wanted."""

_NO_CAPTIONS = frozenset({"live_chat", "rechat", "comments", "danmaku"})
"""Tracks that hold what the audience wrote."""

_ORIGINAL = "-orig"
"""How YouTube ends the name of an automatic track in the language that was spoken."""


@dataclass(frozen=True)
class Track:
    """One caption track, in one format."""

    language: str
    """As the vendor names it: `en`, `en-US`, `en-orig`."""
    is_manual: bool
    format: str
    entry: Json
    """What yt-dlp says of it: its address."""

    @property
    def spoken_of(self) -> str:
        """How it was made, for a note."""
        made = "by a person" if self.is_manual else "automatic"
        return f"captions: {self.language}, {made}, {self.format}"


@dataclass(frozen=True)
class Choice:
    """The track that is kept, if any, and what is to be said of it."""

    track: Track | None
    notes: tuple[str, ...]


def choose(info: Json, lang: str) -> Choice:
    """Returns the track to keep for a language: manual before automatic.

    A track in a variant (`en-US`, `en-orig`) is one in the language. Where there is none, the one
    in the language that was spoken is kept, and a note says so. What a machine translated is not
    what was said, and never taken.
    """
    own = info.get("language") if isinstance(info.get("language"), str) else None
    manual, automatic = manual_of(info), automatic_of(info)
    wanted = [own] if lang == DETECT else [lang]
    for language in filter(None, wanted):
        if track := _in(language, manual, automatic):
            return Choice(track, (track.spoken_of,))
    spoken = [name for name in automatic if name.endswith(_ORIGINAL)] or list(automatic)
    for language in (own, *spoken[:1], *(list(manual)[:1] if lang == DETECT else ())):
        if language and (track := _in(language, manual, automatic)):
            notes = [track.spoken_of]
            if lang != DETECT:
                notes.append(f"no captions in {lang}: those in the language that was spoken")
            return Choice(track, tuple(notes))
    return Choice(None, (_none(lang, [*manual, *automatic]),))


def _none(lang: str, others: Iterable[str]) -> str:
    named = sorted(set(others))
    there = f" (there are: {', '.join(named[:10])})" if named else ""
    which = "" if lang == DETECT else f" in {lang}"
    return f"no captions{which}{there}: the sound is kept"


def manual_of(info: Json) -> dict[str, list[Json]]:
    """Returns the tracks that people made, by language."""
    return dict(_tracks(info.get("subtitles")))


def automatic_of(info: Json) -> dict[str, list[Json]]:
    """Returns the tracks that a machine heard, by language, without those that it translated."""
    found = {}
    for name, entries in _tracks(info.get("automatic_captions")):
        heard = [each for each in entries if "tlang=" not in str(each.get("url"))]
        if heard:
            found[name] = heard
    return found


def _tracks(value: Any) -> Iterator[tuple[str, list[Json]]]:
    for name, entries in value.items() if isinstance(value, dict) else ():
        if not isinstance(name, str) or name in _NO_CAPTIONS or not isinstance(entries, list):
            continue
        usable = [each for each in entries if isinstance(each, dict) and each.get("ext") in FORMATS]
        if usable:
            yield name, usable


def _in(
    language: str, manual: dict[str, list[Json]], automatic: dict[str, list[Json]]
) -> Track | None:
    for tracks, is_manual in ((manual, True), (automatic, False)):
        names = sorted(tracks, key=lambda name: (_distance(name, language), name))
        if names and _distance(names[0], language) < _OTHER:
            entries = tracks[names[0]]
            best = min(entries, key=lambda each: FORMATS.index(each["ext"]))
            return Track(names[0], is_manual, best["ext"], best)
    return None


_OTHER = 4


def _distance(name: str, language: str) -> int:
    """How far a track's name is from a language: itself, the original of it, a variant, another.

    `en` finds `en`, `en-orig` and `en-US`; `en-US` finds `en-US`, `en` and `en-GB`.
    """
    had, wanted = name.lower().replace("_", "-"), language.lower().replace("_", "-")
    bare = had.removesuffix(_ORIGINAL)
    if had == wanted:
        return 0
    if bare == wanted:
        return 1
    primary = wanted.partition("-")[0].removesuffix(_ORIGINAL)
    if bare == primary:
        return 2
    return 3 if bare.partition("-")[0] == primary else _OTHER
