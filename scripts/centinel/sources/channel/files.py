"""The files that yt-dlp writes for us: caption tracks and sound, from JSON that it gave before."""

import itertools
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from centinel import addresses, kinds
from centinel.download import KEPT_IN_MEMORY, Body
from centinel.files import to_bytes
from centinel.record import Json
from centinel.sources.channel import program
from centinel.sources.channel.captions import Track
from centinel.sources.channel.program import Failed, Manner
from centinel.store import file_hash

SOUND = "ba[filesize<?{0}][filesize_approx<?{0}]/wa/b[filesize<?{0}][filesize_approx<?{0}]/w"
"""The best sound that is not known to be over so many bytes, else the least, else a video of it."""

_AUDIO_ONLY = {"webm": "weba", "mp4": "m4a", "ogg": "oga"}
"""Extensions that a video has too, by the one that says that there is only sound."""

LEFT_OUT = "_left_out"
"""The key of a recording that counts its formats at addresses that may not be asked."""

ALL_PRIVATE = "address: every format is at a private, link-local or loopback address"

_TRACK = "track"
_PROGRESS = "centinel-bytes "
_TOO_LARGE = re.compile(r"larger than max-filesize \((\d+) bytes")
_numbers = itertools.count(1)


class TooLarge(Exception):
    """A file is over the limit."""

    def __init__(self, size: int) -> None:
        super().__init__(f"{size} bytes or more")
        self.size = size


@dataclass(frozen=True)
class Made:
    """A file that was written: its bytes, and what they are."""

    body: Body
    declared_type: str | None


@dataclass
class _Watch:
    """Ends a download that grows over its limit: not every server says how much is to come."""

    most: int

    def __call__(self, line: str) -> None:
        if match := _TOO_LARGE.search(line):
            raise TooLarge(int(match[1]))
        count = line.strip().removeprefix(_PROGRESS)
        if line.strip().startswith(_PROGRESS) and count.isdigit() and int(count) > self.most:
            raise TooLarge(int(count))


def captions(manner: Manner, folder: Path, info: Json, track: Track, max_bytes: int) -> Made:
    """Writes one caption track.

    Raises Failed, TooLarge, Interrupted, and OSError for a fault of this machine.
    """
    # Under a name of ours: the vendor's becomes part of a path.
    told = {**info, "subtitles": {_TRACK: [track.entry]}, "automatic_captions": {}}
    wanted = [
        "--skip-download",
        "--write-subs",
        f"--sub-langs={_TRACK}",
        f"--sub-format={track.format}",
    ]
    with _written(manner, folder, told, wanted, max_bytes) as path:
        return Made(_body(path), _TYPES[track.format])


_TYPES = {
    "json3": "application/json",
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
    "ttml": "application/ttml+xml",
}


def sound(manner: Manner, folder: Path, info: Json, max_bytes: int) -> Made:
    """Writes the sound of a recording, or a video where there is no other; raises as `captions`."""
    wanted = [
        f"--format={SOUND.format(max_bytes)}",
        f"--max-filesize={max_bytes}",
        "--fixup=never",
        "--no-mtime",
    ]
    with _written(manner, folder, info, wanted, max_bytes) as path:
        extension = path.suffix[1:].lower()
        only_sound = extension in _AUDIO_ONLY and not _has_pictures(info, extension)
        row = kinds.format_of_extension(_AUDIO_ONLY[extension] if only_sound else extension)
        return Made(_body(path), row.types[0] if row and row.types else None)


def _has_pictures(info: Json, extension: str) -> bool:
    """Whether no format of this extension is known to be sound alone."""
    return not any(
        each.get("vcodec") == "none" and each.get("ext") == extension for each in _formats(info)
    )


def _formats(info: Json) -> list[Json]:
    stated = info.get("formats")
    return [each for each in stated if isinstance(each, dict)] if isinstance(stated, list) else []


def public(info: Json, private_is_allowed: bool) -> Json:
    """Returns a recording without what may not be asked at all.

    A page may name addresses inside the network that we stand in, and yt-dlp would ask for them.
    """

    def is_allowed(entry: Any) -> bool:
        stated = (entry.get("url"), entry.get("manifest_url")) if isinstance(entry, dict) else ()
        named = [each for each in stated if isinstance(each, str)]
        return all(addresses.refusal(each, private_is_allowed) is None for each in named)

    formats = [each for each in _formats(info) if is_allowed(each)]
    kept = {**info, "formats": formats, LEFT_OUT: len(_formats(info)) - len(formats)}
    for key in ("subtitles", "automatic_captions"):
        tracks = info.get(key) if isinstance(info.get(key), dict) else {}
        kept[key] = {
            name: [each for each in entries if is_allowed(each)]
            for name, entries in (tracks or {}).items()
            if isinstance(entries, list)
        }
    return kept


@contextmanager
def _written(
    manner: Manner, folder: Path, info: Json, wanted: list[str], max_bytes: int
) -> Iterator[Path]:
    """The one file that a call writes; what else it left is removed.

    `webpage_url` is left out: with it yt-dlp would ask for everything once more where this fails.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{os.getpid()}-recording-{next(_numbers)}"
    told = {key: value for key, value in info.items() if key not in _NOT_TOLD}
    given = folder / f"{stem}-info.json"
    try:
        given.write_bytes(to_bytes(told))
        call = [
            *wanted,
            f"--load-info-json={given}",
            f"--output={str(folder).replace('%', '%%')}/{stem}.%(ext)s",
            "--abort-on-unavailable-fragments",
            "--no-continue",
            "--progress",
            f"--progress-template=download:{_PROGRESS}%(progress.downloaded_bytes)s",
        ]
        ended = program.run(manner, call, _Watch(max_bytes))
        made = [each for each in folder.glob(f"{stem}.*") if not _UNFINISHED.match(each.suffix)]
        if ended.code or len(made) != 1:
            raise Failed(ended.stderr or "ERROR: it wrote no file, and did not say why")
        if made[0].stat().st_size > max_bytes:
            raise TooLarge(made[0].stat().st_size)
        yield made[0]
    except BaseException:
        for each in folder.glob(f"{stem}.*"):
            each.unlink(missing_ok=True)
        raise
    finally:
        given.unlink(missing_ok=True)


_NOT_TOLD = frozenset({"webpage_url", "original_url", "requested_downloads", "requested_subtitles"})
_UNFINISHED = re.compile(r"\.part|\.ytdl|\.temp")


def _body(path: Path) -> Body:
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(KEPT_IN_MEMORY)
        stream.seek(0)
        return Body(path, file_hash(stream.fileno()), size, start)
