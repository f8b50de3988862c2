"""What the tests of transcription share: a real machine, and workers that misbehave."""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from centinel.progress import Progress
from centinel.transcribe.engines import engine
from centinel.transcribe.recording import Machine, transcribe
from centinel.transcribe.transcript import Transcript
from tests.recordings import making

QUIET = Progress("transcribe", streams=())


def machine(**changes: Any) -> Machine:
    """What recordings are transcribed with, and what a test changes in it."""
    given: dict[str, Any] = {
        "engine": engine("pywhispercpp"),
        "model": making.model(),
        "model_name": "tiny.en",
        "model_sha256": making.MODEL_SHA256,
        "language": "en",
    }
    return Machine(**{**given, **changes})


def hear(path: Path, partial: Path, **changes: Any) -> Transcript:
    """Transcribes a file with the real engine; skips the test where something for it is missing."""
    making.require("ffmpeg", "ffprobe")
    return transcribe(path, machine(**changes), partial, QUIET)


def text_of(transcript: Transcript) -> str:
    """What was said, without times."""
    return " ".join(segment.text for segment in transcript.segments)


_LISTENS = """
import json, os, signal, sys, time
request = json.loads(sys.stdin.buffer.readline())
def say(**answer):
    os.write(1, json.dumps(answer).encode() + b"\\n")
def heard(first, last, text):
    texts = [dict(start=0.0, end=1.0, text=text, probability=0.9)]
    say(heard=[first, last], texts=texts, language="en", probability=None)
def end(seconds=10.0, fault=None):
    say(ended=dict(seconds=seconds, spoken=2.0, stretches=2, not_numbers=0, fault=fault))
done = request["done"]
starts = open(request["model"] + ".starts", "a"); starts.write("x"); starts.close()
times = len(open(request["model"] + ".starts").read())
"""


@dataclass
class Puppet:
    """A worker that does what a test's Python says, in place of the real one."""

    folder: Path
    code: str
    stall: float = 30.0
    model: Path = field(init=False)

    def __post_init__(self) -> None:
        self.model = self.folder / "puppet"

    @property
    def partial(self) -> Path:
        return self.folder / "heard.part"

    @property
    def starts(self) -> int:
        """How often it was started."""
        return len(Path(f"{self.model}.starts").read_text())

    def hear(self, path: Path) -> Transcript:
        """Transcribes a file with it."""
        making.require("ffmpeg", "ffprobe")
        acting = Machine(
            engine("pywhispercpp"),
            self.model,
            "puppet",
            "0" * 64,
            language="en",
            stall=self.stall,
            python=(sys.executable, "-c", _LISTENS + self.code),
        )
        return transcribe(path, acting, self.partial, QUIET)
