"""One recording's transcription, seen from its job: a worker that may be lost, a file that grows.

What was heard is on disk after each stretch. A worker that died is replaced and goes on behind it;
a stretch that its successor dies of too is given up, and said to be.
"""

import importlib.metadata
import os
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from centinel import tools
from centinel.files import parse_line, to_bytes
from centinel.progress import Progress
from centinel.record import Json
from centinel.transcribe import worker
from centinel.transcribe.engines import Engine
from centinel.transcribe.listening import GATE_DISTRIBUTION, Listened
from centinel.transcribe.partial import Part, Partial
from centinel.transcribe.sound import Container, NoSound, probe
from centinel.transcribe.spoken import Heard, Segment, kept
from centinel.transcribe.stretches import RATE, GateSettings, Stretch
from centinel.transcribe.transcript import Transcript

STALL_SECONDS = 600.0
"""How long a worker may say nothing. It speaks at each window of the engine, half a minute of
sound, which takes a large model on one slow core some minutes; there is no bound on all of it."""

MOST_LOST = 5
"""Stretches of which the engine may die; a recording with more is at fault itself."""

ENDS_SHORT = 0.01
"""Share of its stated length that a whole recording may lack: encoders pad."""

ENDS_SHORT_SECONDS = 2.0

_SCRIPTS = Path(__file__).parents[2]


class CannotTranscribe(OSError):
    """This machine cannot do it at all; no word about the recording."""


class _TooOften(Exception):
    """The engine died of too many stretches; the message says how."""


@dataclass(frozen=True)
class Machine:
    """What a recording is transcribed with."""

    engine: Engine
    model: Path
    model_name: str
    model_sha256: str
    threads: int = 1
    language: str | None = None
    """ISO 639-1; None: found out."""
    gate: GateSettings = field(default_factory=GateSettings)
    stall: float = STALL_SECONDS
    python: tuple[str, ...] = (sys.executable, "-m", worker.__name__)

    def settings(self) -> Json:
        """Returns what makes a transcript what it is: with others it would read otherwise."""
        return {
            "engine": self.engine.name,
            "engine_version": self.engine.version,
            "model": self.model_name,
            "model_sha256": self.model_sha256,
            "gate": GATE_DISTRIBUTION,
            "gate_version": _version(GATE_DISTRIBUTION),
            "gate_settings": self.gate.to_json(),
            "language_given": self.language,
        }


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def transcribe(path: Path, machine: Machine, partial_file: Path, progress: Progress) -> Transcript:
    """Returns what is said in a recording, or why there is nothing.

    Raises OSError and ToolError for faults of this machine: a full disk, an engine that does not
    start, a program that is not there. What was heard until then stays in `partial_file`.
    """
    try:
        container = probe(path)
    except NoSound as error:
        return Transcript.nothing(str(error), machine.settings())
    with Partial(partial_file, machine.settings()) as partial:
        job = _Job(path, machine, container, partial, progress)
        try:
            listened = job.run()
        except _TooOften as error:
            return Transcript.nothing(str(error), machine.settings())
        return _transcript(job, listened)


@dataclass
class _Job:
    """Workers, one after the other, until the recording is heard."""

    path: Path
    machine: Machine
    container: Container
    partial: Partial
    progress: Progress
    deaths: Counter[Stretch | None] = field(default_factory=Counter)
    doing: Stretch | None = None
    is_ready: bool = False
    ended: Listened | None = None
    fault: str | None = None

    def run(self) -> Listened:
        """Returns how the recording ended; raises CannotTranscribe, _TooOften and OSError."""
        while True:
            try:
                self._work()
            except tools.ToolError as error:
                self._died(error)
            if self.ended is not None:
                return self.ended

    def _work(self) -> None:
        """Runs one worker to its end; raises ToolError where that is no good one."""
        self.doing, self.is_ready, self.ended, self.fault = None, False, None, None
        tools.run(
            list(self.machine.python),
            deadline=None,
            stall=self.machine.stall,
            input_bytes=to_bytes(self._request()) + b"\n",
            on_line=self._take,
            # Threads that wait by spinning made two of them slower than one on a busy machine.
            environment={"PYTHONPATH": _python_path(), "OMP_WAIT_POLICY": "passive"},
        )

    def _request(self) -> Json:
        known = [part for part in self.partial.parts.values() if part.language]
        return {
            "path": str(self.path),
            "engine": self.machine.engine.name,
            "model": str(self.machine.model),
            "threads": self.machine.threads,
            "language": self.machine.language or (known[0].language if known else None),
            "gate": self.machine.gate.to_json(),
            "done": [[each.first, each.last] for each in self.partial.parts],
        }

    def _died(self, error: tools.ToolError) -> None:
        """Decides what becomes of a worker's end: one more try, one stretch less, or no more."""
        if self.fault is not None:
            raise CannotTranscribe(self.fault)
        if not self.is_ready:
            raise CannotTranscribe(f"the engine {self.machine.engine.name} did not start: {error}")
        self.deaths[self.doing] += 1
        if self.deaths[self.doing] < 2:
            return
        # An exception of Python's ends in its message; before a signal there are only logs.
        said = error.stderr.strip().splitlines()[-1:] if (error.code or 0) > 0 else []
        reason = ": ".join(["the engine died", error.what, error.detail, *said])
        lost = sum(part.reason is not None for part in self.partial.parts.values())
        if self.doing is None or lost >= MOST_LOST:
            raise _TooOften(reason)
        self.partial.add(Part(self.doing, reason=reason))

    def _take(self, line: str) -> None:
        answer = parse_line(line.encode()) or {}
        for name, take in _ANSWERS.items():
            if name in answer:
                take(self, answer)
        self._say(answer.get(worker.ALIVE))

    def _heard(self, answer: Json) -> None:
        stretch = Stretch(*answer[worker.HEARD])
        found = kept(stretch, [Heard(**_numbers(each)) for each in answer["texts"]])
        segments = tuple(each.to_json() for each in found.segments)
        language, probability = answer["language"], answer["probability"]
        self.partial.add(Part(stretch, segments, found.dropped, language, probability))
        self.doing = None

    def _lost(self, answer: Json) -> None:
        self.partial.add(Part(Stretch(*answer[worker.LOST]), reason=answer["reason"]))
        self.doing = None

    def _begins(self, answer: Json) -> None:
        self.doing = Stretch(*answer[worker.BEGINS])

    def _ready(self, _answer: Json) -> None:
        self.is_ready = True

    def _ended(self, answer: Json) -> None:
        self.ended = Listened(**answer[worker.ENDED])

    def _failed(self, answer: Json) -> None:
        self.fault = answer[worker.FAULT]

    def _say(self, decoded: float | None) -> None:
        """How far it is, in seconds of the recording."""
        last = max((each.last for each in self.partial.parts), default=0) / RATE
        done = max(last, decoded or 0.0)
        left = max(0.0, (self.container.seconds or done) - done)
        self.progress.maybe(int(done), int(left), {"stretches of speech": len(self.partial.parts)})


_ANSWERS: dict[str, Callable[[_Job, Json], None]] = {
    worker.READY: _Job._ready,
    worker.BEGINS: _Job._begins,
    worker.HEARD: _Job._heard,
    worker.LOST: _Job._lost,
    worker.ENDED: _Job._ended,
    worker.FAULT: _Job._failed,
}


def _numbers(heard: Json) -> dict[str, Any]:
    """What JSON has no form for came as null."""
    return {**heard, "probability": _number(heard["probability"])}


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _python_path() -> str:
    """Returns where the process finds this library, installed or not."""
    paths = [str(_SCRIPTS), os.environ.get("PYTHONPATH", "")]
    return os.pathsep.join(path for path in paths if path)


def _transcript(job: _Job, listened: Listened) -> Transcript:
    """Returns the transcript of a recording that was heard to its end."""
    parts = [part for _, part in sorted(job.partial.parts.items())]
    segments = [Segment.from_json(line) for part in parts for line in part.segments]
    transcript = Transcript(
        tuple(segments),
        notes=tuple(_notes(job.container, listened, parts, segments)),
        title=job.container.title,
        provenance={**job.machine.settings(), **_figures(job, listened, parts, segments)},
    )
    return transcript if segments else replace(transcript, reason=_why_nothing(listened, parts))


def _why_nothing(listened: Listened, parts: list[Part]) -> str:
    lost = [part.reason for part in parts if part.reason]
    if listened.seconds == 0:
        return f"no sound could be decoded: {listened.fault or 'there is none in it'}"
    if lost:
        return f"no stretch of speech could be transcribed: {lost[0]}"
    if not parts:
        return f"no speech was heard in {listened.seconds:.0f} s of sound"
    return f"{listened.spoken:.0f} s that sound like speech gave no words"


def _notes(
    container: Container, listened: Listened, parts: list[Part], segments: list[Segment]
) -> list[str]:
    """What a reader of the transcript has to know."""
    stated, notes = container.seconds, []
    allowed = max(ENDS_SHORT_SECONDS, ENDS_SHORT * (stated or 0.0))
    if stated is not None and listened.seconds < stated - allowed:
        notes.append(f"truncated: {listened.seconds:.0f} s of {stated:.0f} s could be decoded")
    if listened.fault is not None:
        notes.append(f"the decoder failed: {listened.fault}")
    if listened.not_numbers:
        notes.append(f"{listened.not_numbers} samples are no numbers, and were taken for silence")
    unsure = sum(each.is_unsure for each in segments)
    if unsure:
        notes.append(f"{unsure} of {len(segments)} segments are not sure, and marked [?]")
    notes += [
        f"{_clocked(part.stretch)} is missing: {part.reason}" for part in parts if part.reason
    ]
    return notes


def _clocked(stretch: Stretch) -> str:
    return f"{stretch.start:.1f} s to {stretch.end:.1f} s"


def _figures(job: _Job, listened: Listened, parts: list[Part], segments: list[Segment]) -> Json:
    spoken = [part for part in parts if part.language]
    share = listened.spoken / listened.seconds if listened.seconds else 0.0
    found = [p.language_probability for p in spoken if p.language_probability is not None]
    return {
        "language": spoken[0].language if spoken else job.machine.language,
        "language_probability": round(found[0], 4) if found else None,
        "seconds": round(listened.seconds, 3),
        "seconds_stated": job.container.seconds,
        "share_of_speech": round(share, 4),
        "stretches": listened.stretches,
        "segments": len(segments),
        "unsure": sum(each.is_unsure for each in segments),
        "dropped": sum(part.dropped for part in parts),
    }
