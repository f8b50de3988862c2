"""How fast recordings are transcribed, and in how much memory: `make bench-transcribe`.

A meeting of six voices, two fifths of it silence, is made on the spot and transcribed three
times: by this project, by bare pywhispercpp on the same stretches of speech, and by bare
pywhispercpp on the whole file. Time is that of the processor, start and decoding included, on one
thread: the wall clock of a busy machine says little. Memory is the most that one process took
(ru_maxrss), over recordings of ten minutes and of an hour, with `--long` of three. `--pauses` shows
how the length of the pauses matters. Ends with 0 where a goal is short, with 1 where something
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.corpus import PROJECT
from tests.bench.goals import Goal
from tests.recordings import making
from tests.recordings.making import MEETING, RATE, Samples, joined, noise, spoken

VOICES = tuple(
    (voice, speed) for speed in (150, 160) for voice in ("en-gb", "en-us", "en-gb-scotland")
)
SILENCE = 0.4
"""Share of the meeting."""

HISS = 0.002
MINUTE = 60
MEGABYTE = 1e6


@dataclass(frozen=True)
class Took:
    """What one way to transcribe took and gave."""

    processor: float
    wall: float
    gave: dict[str, Any]

    def line(self, name: str, seconds: float) -> str:
        """What to print of it."""
        errors = making.word_error_rate(" ".join([MEETING] * len(VOICES)), self.gave["text"])
        factor = self.processor / seconds
        time = f"{self.processor:6.1f} s of processor, {self.wall:.1f} s by the clock"
        return f"{name:32} {time}, real-time factor {factor:.3f}; words wrong {errors:.3f}"


def run(way: str, recording: Path, given: object = None) -> Took:
    """Runs one way in processes of its own; raises CalledProcessError where it fails."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [sys.executable, "-m", "tests.bench.transcribe_child", way, str(recording)],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": f"scripts{os.pathsep}.", "OMP_WAIT_POLICY": "passive"},
        input=json.dumps(given).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(processor, time.monotonic() - began, json.loads(ended.stdout))


def meeting(pause: float | None = None) -> Samples:
    """Returns the meeting: half the voices read their minutes, then there is a recess; the others,
    and then the camera runs on. Silence at the beginning takes bare whisper.cpp off all speech.

    With `pause`, the silence comes in pauses of so many seconds instead, between sentences.
    """
    if pause is None:
        minutes = [spoken(MEETING, voice, speed) for voice, speed in VOICES]
        half = len(minutes) // 2
        empty = noise(SILENCE / (1 - SILENCE) * sum(map(len, minutes)) / RATE / 2, HISS)
        return joined(*minutes[:half], empty, *minutes[half:], empty)
    sentences = [
        spoken(f"{sentence}.", voice, speed)
        for voice, speed in VOICES[:3]
        for sentence in " ".join(MEETING.split()).rstrip(".").split(".")
    ]
    parts, owed = [], 0.0
    for sentence in sentences:
        parts.append(sentence)
        owed += SILENCE / (1 - SILENCE) * len(sentence) / RATE
        if owed >= pause:
            parts.append(noise(pause, HISS))
            owed -= pause
    return joined(*parts)


def speed(folder: Path) -> None:
    """The goals on time."""
    samples = meeting()
    seconds = len(samples) / RATE
    recording = making.write_wav(folder / "meeting.wav", samples)
    print(f"a meeting of {seconds:.0f} s, {SILENCE:.0%} of it silence", flush=True)
    ours = run("ours", recording)
    print(ours.line("ours", seconds), flush=True)
    stretches = run("stretches", recording, ours.gave["stretches"])
    print(stretches.line("pywhispercpp, the same stretches", seconds), flush=True)
    whole = run("whole", recording)
    print(whole.line("pywhispercpp, the whole file", seconds), flush=True)
    Goal("time over the same stretches", ours.processor / stretches.processor, 1.10).say()
    Goal("time over the whole file", ours.processor / whole.processor, 0.75).say()


def pauses(folder: Path) -> None:
    """How the length of the pauses matters; no goal."""
    for pause in (3.0, 6.0, 12.0, 25.0):
        recording = making.write_wav(folder / "pauses.wav", meeting(pause))
        ours, whole = run("ours", recording), run("whole", recording)
        ratio, count = ours.processor / whole.processor, len(ours.gave["stretches"])
        print(
            f"pauses of {pause:.0f} s: {count} stretches, {ratio:.2f} of the whole file", flush=True
        )


def memory(folder: Path, is_long: bool) -> None:
    """The goal on memory: a minute of speech in recordings that are otherwise noise."""
    peaks = {}
    for minutes in (10, 180 if is_long else 60):
        said = spoken(MEETING)
        rest = noise(minutes * MINUTE - len(said) / RATE, HISS)
        recording = making.encoded(folder / f"{minutes}.flac", joined(said, rest))
        took = run("ours", recording)
        peaks[minutes] = took.gave["peak"] / MEGABYTE
        print(
            f"{minutes} minutes: at most {peaks[minutes]:.0f} MB, {took.processor:.0f} s",
            flush=True,
        )
    shortest, longest = peaks.values()
    name = f"peak memory, {max(peaks)} minutes over {min(peaks)}"
    Goal(name, longest / shortest, 1.10).say()


def main(arguments: Sequence[str]) -> int:
    """Runs all of it."""
    parser = argparse.ArgumentParser(prog="bench-transcribe")
    parser.add_argument("--long", action="store_true", help="memory over three hours")
    parser.add_argument("--pauses", action="store_true", help="show how their length matters")
    asked = parser.parse_args(arguments)
    build = PROJECT / "build"
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-transcribe-", dir=build) as folder:
        speed(Path(folder))
        if asked.pauses:
            pauses(Path(folder))
        memory(Path(folder), asked.long)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
