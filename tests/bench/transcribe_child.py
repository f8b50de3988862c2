"""One way to transcribe a recording, in a process that the benchmark measures.

    python -m tests.bench.transcribe_child ours RECORDING
    python -m tests.bench.transcribe_child whole RECORDING      bare pywhispercpp on all of it
    python -m tests.bench.transcribe_child stretches RECORDING  the same on each of some stretches

The stretches are lines on standard input, as `ours` printed them: first and last sample.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import wave
from collections.abc import Callable
from pathlib import Path

import numpy as np

from centinel.progress import Progress
from centinel.transcribe.engines import engine
from centinel.transcribe.recording import Machine, transcribe
from tests.recordings import making


def ours(recording: Path) -> dict[str, object]:
    """Returns what our transcription gave, and the most memory that one of its processes took."""
    machine = Machine(
        engine("pywhispercpp"), making.model(), "tiny.en", making.MODEL_SHA256, language="en"
    )
    with tempfile.TemporaryDirectory() as folder:
        partial = Path(folder) / "heard.part"
        found = transcribe(recording, machine, partial, Progress("transcribe"))
        lines = [json.loads(line) for line in partial.read_text().splitlines()[1:]]
    return {
        "text": " ".join(segment.text for segment in found.segments),
        "stretches": [line["stretch"] for line in lines],
        "peak": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10,
    }


def whole(recording: Path) -> dict[str, object]:
    """Returns what pywhispercpp makes of the whole file, called as its own guide does."""
    return {"text": _bare()(_samples(recording))}


def stretches(recording: Path) -> dict[str, object]:
    """Returns what pywhispercpp makes of each stretch."""
    samples, hear = _samples(recording), _bare()
    wanted = json.load(sys.stdin)
    return {"text": " ".join(hear(samples[first:last]) for first, last in wanted)}


def _bare() -> Callable[[making.Samples], str]:
    from pywhispercpp.model import Model

    model = Model(str(making.model()), n_threads=1, print_progress=False, language="en")
    return lambda samples: " ".join(each.text for each in model.transcribe(samples))


def _samples(recording: Path) -> making.Samples:
    with wave.open(str(recording)) as stream:
        raw = stream.readframes(stream.getnframes())
    return np.frombuffer(raw, "<i2").astype(np.float32) / 32768


WAYS = {"ours": ours, "whole": whole, "stretches": stretches}

if __name__ == "__main__":
    print(json.dumps(WAYS[sys.argv[1]](Path(sys.argv[2]))))
