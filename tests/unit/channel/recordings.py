"""What the tests of channels share: the vendor's JSON, the fake program, and one run."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from centinel import robots
from centinel.acquire import Loop
from centinel.configuration import Source
from centinel.http import Client
from centinel.record import Json
from centinel.snapshot import take
from centinel.sources.channel.channel import Channel
from centinel.store import Store
from tests.unit.channel import fake_ytdlp
from tests.unit.support import Clock, acquire, source

TOWN = "https://www.youtube.com/@town"
RELEASED = "2026.02.20"
"""Nine days before the clock of the tests."""

JSON3 = json.dumps(
    {
        "wireMagic": "pb3",
        "events": [
            {"tStartMs": 1000, "dDurationMs": 2000, "segs": [{"utf8": "The meeting is open."}]}
        ],
    }
)


def identifier(number: int) -> str:
    """The id of a video."""
    return f"video{number:06d}"


def watch(number: int) -> str:
    """The address of a video."""
    return f"https://www.youtube.com/watch?v={identifier(number)}"


def entry(number: int, **changes: Any) -> Json:
    """An entry of a flat list, as yt-dlp gives it for a tab."""
    return {
        "_type": "url",
        "ie_key": "Youtube",
        "id": identifier(number),
        "url": watch(number),
        "title": f"Council meeting {number}",
        "duration": 3600.0,
        "view_count": 7 * number,
        **changes,
    }


def playlist(*entries: Any, **changes: Any) -> Json:
    """A list as yt-dlp gives it."""
    return {"_type": "playlist", "id": "UC1", "title": "Town", "entries": list(entries), **changes}


def video(number: int, **changes: Any) -> Json:
    """What yt-dlp knows of a video: one automatic track, translations of it, two formats."""
    timed = "https://www.youtube.com/api/timedtext?v="
    tracks = {
        "en-orig": [
            {"ext": ext, "url": f"{timed}{identifier(number)}&lang=en&fmt={ext}"}
            for ext in ("json3", "srv1", "ttml", "vtt")
        ],
        "fr": [{"ext": "json3", "url": f"{timed}{identifier(number)}&lang=en&tlang=fr&fmt=json3"}],
    }
    return {
        "id": identifier(number),
        "title": f"Council meeting {number}",
        "description": "The regular meeting of the town council.",
        "uploader": "Town of Alder",
        "upload_date": "20260203",
        "timestamp": 1770112800,
        "duration": 3600,
        "chapters": [{"start_time": 0, "end_time": 60, "title": "Roll call"}],
        "tags": ["council"],
        "language": "en",
        "live_status": "not_live",
        "availability": "public",
        "view_count": 12,
        "epoch": 1770112811,
        "webpage_url": watch(number),
        "extractor": "youtube",
        "subtitles": {"live_chat": [{"ext": "json", "url": "https://www.youtube.com/chat"}]},
        "automatic_captions": tracks,
        "formats": [
            {"format_id": "18", "ext": "mp4", "vcodec": "avc1", "url": f"{watch(number)}&itag=18"},
            {
                "format_id": "139",
                "ext": "m4a",
                "vcodec": "none",
                "url": f"{watch(number)}&itag=139",
            },
        ],
        **changes,
    }


def track_of(number: int, ext: str = "json3") -> str:
    """Where the automatic track of `video` is."""
    return f"https://www.youtube.com/api/timedtext?v={identifier(number)}&lang=en&fmt={ext}"


def sound_of(number: int) -> str:
    """Where the sound of `video` is."""
    return f"{watch(number)}&itag=139"


class Admitting(Client):
    """A client that knows the rules of every host, and so asks nobody for them."""

    def rules(self, address: str) -> robots.Rules:  # noqa: ARG002
        """Rules that allow everything."""
        return robots.parse(b"")


@dataclass
class Vendor:
    """The fake program and what it answers, by address."""

    folder: Path
    answers: dict[str, Json] = field(default_factory=dict)

    def says(self, address: str, **answer: Any) -> None:
        """Answers so from now on."""
        self.answers[address] = answer
        (self.folder / "answers.json").write_text(json.dumps(self.answers))

    def is_of(self, version: str) -> None:
        """Is a yt-dlp of this version."""
        (self.folder / "version").write_text(version)

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of every call, without those for its version."""
        path = self.folder / "calls.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def forget(self) -> None:
        """Empties the log of calls."""
        (self.folder / "calls.jsonl").unlink(missing_ok=True)


def installed(folder: Path, patch: pytest.MonkeyPatch) -> Vendor:
    """Puts the fake program on the PATH, before any other."""
    folder.mkdir()
    program = folder / "yt-dlp"
    program.write_text(f"#!{sys.executable}\n{Path(fake_ytdlp.__file__).read_text()}")
    program.chmod(0o755)
    patch.setenv("PATH", str(folder), prepend=":")
    vendor = Vendor(folder)
    vendor.is_of(RELEASED)
    return vendor


def channel(address: str = TOWN, **changes: Any) -> Source:
    """A source that is a channel."""
    return source(key="channel", value=address, **changes)


def enumerated(store: Store, block: Source, clock: Clock | None = None) -> Json:
    """Takes a snapshot; returns its report."""
    clock = clock or Clock()
    asking = Admitting(store.incoming, rps=1000.0, private_is_allowed=True)
    return take(store, block, Channel(clock), asking, clock).to_json()


def acquired(store: Store, block: Source, clock: Clock | None = None) -> tuple[Loop, Json]:
    """Acquires what is due."""
    asking = Admitting(
        store.incoming,
        rps=1000.0,
        private_is_allowed=True,
        max_bytes=block.max_bytes,
        backoff_seconds=0.01,
    )
    return acquire(store, block, clock or Clock(), kind=Channel(), client=asking)
