"""The sound of a recording: what its container says of it, and its samples through a pipe."""

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from centinel import tools
from centinel.files import parse_line
from centinel.readers.titles import sane_title
from centinel.tools import What
from centinel.transcribe.stretches import RATE

if TYPE_CHECKING:
    import numpy as np

    Samples = np.ndarray[tuple[int], np.dtype[np.float32]]

PROBE_SECONDS = 120.0
"""How long a container may take to say what it holds; the index may be at the end of gigabytes."""

BLOCK = RATE
"""Samples that are decoded at a time: a second."""

_SAMPLE = 4
_TAIL = 4000
_DEMUXERS = (
    "aac,ac3,aiff,amr,amrnb,amrwb,ape,asf,asf_o,au,avi,caf,dsf,dts,eac3,flac,flv,gsm,gxf,ivf,lmlm4,"
    "loas,m4v,matroska,mov,mp3,mp4,mpc,mpc8,mpeg,mpegts,mpegvideo,mxf,nsv,nut,ogg,oma,rm,shn,sln,"
    "sox,swf,tak,tta,voc,vqf,w64,wav,webm,wtv,wv,xmv"
)
"""What may be opened. No playlists: one that calls itself a video names other files and hosts."""

_OPENING = ("-protocol_whitelist", "file,pipe", "-format_whitelist", _DEMUXERS)
_SPEAKER = re.compile(r"^\[[^\]]* @ 0x[0-9a-f]+\]")
_NOT_LISTED = "not on whitelist"
_GUESSED = "Estimating duration from bitrate"


_ITS_OWN_FAULT = (What.TIMED_OUT, What.FAILED, What.TOO_MUCH_OUTPUT)
"""What a file does to ffprobe, in place of what this machine lacks."""


class NoSound(Exception):
    """There is nothing to hear in the file, for any engine; the message is the reason."""


@dataclass(frozen=True)
class Container:
    """What a file says of its sound before it is decoded."""

    seconds: float | None
    """How long it is; None where the container does not say, or ffprobe only guesses."""
    title: str | None = None


def probe(path: Path) -> Container:
    """Returns what the container says of its first sound.

    Raises NoSound where it has none, or is no recording; ToolError where ffprobe cannot be run.
    """
    if path.stat().st_size == 0:
        raise NoSound("the file is empty")
    entries = "stream=codec_type,duration:stream_tags=DURATION:format=duration:format_tags=title"
    command = ["ffprobe", "-v", "warning", *_OPENING, "-of", "json", "-show_entries", entries]
    try:
        ended = tools.run([*command, f"file:{path}"], deadline=PROBE_SECONDS, accept=range(256))
    except tools.ToolError as error:
        if error.what not in _ITS_OWN_FAULT:
            raise
        raise NoSound(f"it cannot be opened: ffprobe: {error.what}: {error.detail}") from None
    if _NOT_LISTED in ended.stderr:
        raise NoSound("it cannot be opened: it is in no format of recordings")
    if ended.code != 0:
        raise NoSound(f"it cannot be opened: {_last_lines(ended.stderr, path)}")
    found: Any = parse_line(ended.stdout) or {}
    sounds = [each for each in found.get("streams", ()) if each.get("codec_type") == "audio"]
    if not sounds:
        raise NoSound("it has no sound: there is no audio stream in it")
    whole = found.get("format", {})
    stated = sounds[0].get("duration") or sounds[0].get("tags", {}).get("DURATION")
    guessed = _GUESSED in ended.stderr
    length = None if guessed else _seconds(stated or whole.get("duration"))
    return Container(length, sane_title(whole.get("tags", {}).get("title")))


def _seconds(text: str | None) -> float | None:
    """Seconds, from a number or Matroska's `HH:MM:SS.nnnnnnnnn`."""
    total = 0.0
    try:
        for part in (text or "").split(":"):
            total = 60 * total + float(part)
    except ValueError:
        return None
    return total if 0 < total < 1e8 else None


def _last_lines(said: str, path: Path) -> str:
    """The last two lines that ffmpeg said, without addresses: the very last is often no help."""
    lines = [_SPEAKER.sub("", line).strip() for line in said.splitlines() if line.strip()]
    last = "; ".join(dict.fromkeys(lines[-2:])) or "it does not say why"
    return last.replace(f"file:{path}: ", "").replace(str(path), "the file")[:300]


@dataclass
class Decoding:
    """A recording that is being decoded, block by block; nothing of it is kept."""

    path: Path
    child: tools.Child
    errors: IO[bytes]
    samples: int = 0
    """Decoded so far."""
    not_numbers: int = 0
    """Samples that were no numbers, and were taken for silence."""
    fault: str | None = None
    """How ffmpeg ended, where it did not end well."""

    def blocks(self) -> Iterator["Samples"]:
        """Yields mono samples at 16 kHz, from -1 to 1, a second at a time."""
        import numpy as np

        assert self.child.stdout is not None
        descriptor, left = self.child.stdout.fileno(), bytearray()
        while chunk := os.read(descriptor, BLOCK * _SAMPLE):
            left += chunk
            whole = len(left) // _SAMPLE * _SAMPLE
            if whole < BLOCK * _SAMPLE:
                continue
            yield self._usable(np.frombuffer(bytes(left[:whole]), "<f4"))
            del left[:whole]
        whole = len(left) // _SAMPLE * _SAMPLE
        if whole:
            yield self._usable(np.frombuffer(bytes(left[:whole]), "<f4"))
        self.fault = self._how_it_ended()

    def _usable(self, block: "Samples") -> "Samples":
        import numpy as np

        self.samples += block.size
        finite = np.isfinite(block)
        if not finite.all():
            self.not_numbers += int(block.size - finite.sum())
            block = np.where(finite, block, np.float32(0))
        return np.clip(block, -1, 1).astype(np.float32, copy=False)

    def _how_it_ended(self) -> str | None:
        code = self.child.wait()
        if code == 0:
            return None
        self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - _TAIL))
        said = _last_lines(self.errors.read().decode("utf-8", "replace"), self.path)
        return f"ffmpeg: {tools.ended_with(code)}: {said}"


@contextmanager
def decoding(path: Path) -> Iterator[Decoding]:
    """Starts to decode a recording, and ends the decoder in every case; raises ToolError."""
    with tempfile.TemporaryFile() as errors:
        opened = ["-nostdin", "-v", "error", "-threads", "1", *_OPENING, "-i", f"file:{path}"]
        wanted = ["-map", "0:a:0", "-vn", "-sn", "-dn", "-ac", "1", "-ar", str(RATE)]
        command = ["ffmpeg", *opened, *wanted, "-f", "f32le", "pipe:1"]
        child = tools.start(command, has_input=False, stderr=errors)
        try:
            yield Decoding(path, child, errors)
        finally:
            tools.end(child)
