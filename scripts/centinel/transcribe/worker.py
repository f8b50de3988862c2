"""The process in which gate and engine run: one recording in, what is heard out, as JSON lines.

`recording` starts it, and may lose it: the engine ends its process on some faults instead of
saying so.
"""

import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from centinel.files import parse_line, to_bytes, write_all
from centinel.record import Json
from centinel.tools import ToolError
from centinel.transcribe.engines import Alive, EngineFault, Loaded, engine
from centinel.transcribe.listening import Listener, Watcher
from centinel.transcribe.spoken import Heard
from centinel.transcribe.stretches import GateSettings, Stretch

READY, ALIVE, BEGINS, HEARD, LOST, ENDED, FAULT = (
    "ready",
    "alive",
    "begins",
    "heard",
    "lost",
    "ended",
    "fault",
)
"""What a line says: the engine has its model; work goes on (seconds decoded); a stretch begins, was
heard, or failed; the recording is at its end; this machine is at fault."""

ALIVE_SECONDS = 2.0
"""How often a line says that work goes on, at most."""


def main() -> int:
    """Does what the line on standard input asks for; returns the exit code."""
    request = parse_line(sys.stdin.buffer.readline()) or {}
    says = _Says(os.dup(1))
    os.dup2(2, 1)  # whatever a library prints goes elsewhere
    try:
        loaded = _load(request, says.still_alive)
        says.say({READY: True})
        _listen(request, loaded, says)
    except (EngineFault, ToolError, OSError) as error:
        says.say({FAULT: str(error)})
        return 1
    return 0


class _Says:
    """Writes lines, and now and then one that says only that work goes on."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._said = time.monotonic()
        self._seconds = 0.0

    def say(self, answer: Json) -> None:
        write_all(self._descriptor, to_bytes(answer) + b"\n")
        self._said = time.monotonic()

    def alive(self, seconds: float) -> None:
        self._seconds = seconds
        self.still_alive()

    def still_alive(self) -> None:
        if time.monotonic() - self._said >= ALIVE_SECONDS:
            self.say({ALIVE: self._seconds})


def _load(request: Json, alive: Alive) -> Loaded:
    """Loads the model; its caller has checked that it is one."""
    return engine(request["engine"]).load(Path(request["model"]), request["threads"], alive)


def _listen(request: Json, loaded: Loaded, says: _Says) -> None:
    def heard(
        stretch: Stretch, found: list[Heard], language: str, probability: float | None
    ) -> None:
        texts = [asdict(each) for each in found]
        how = {"language": language, "probability": probability}
        says.say({HEARD: _ends(stretch), "texts": texts, **how})

    watcher = Watcher(
        alive=says.alive,
        begins=lambda stretch: says.say({BEGINS: _ends(stretch)}),
        heard=heard,
        lost=lambda stretch, reason: says.say({LOST: _ends(stretch), "reason": reason}),
    )
    done = frozenset(Stretch(*each) for each in request["done"])
    settings = GateSettings(**request["gate"])
    listener = Listener(loaded, request["language"], settings, done, watcher)
    says.say({ENDED: asdict(listener.listen(Path(request["path"])))})


def _ends(stretch: Stretch) -> list[int]:
    return [stretch.first, stretch.last]


if __name__ == "__main__":
    sys.exit(main())
