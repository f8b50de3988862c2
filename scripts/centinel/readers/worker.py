"""The process in which readers run: documents in, outcomes out, as JSON lines on its streams.

`isolation` starts it, and may lose it: to a signal, to its limits, to a document without end.
"""

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

from centinel.files import parse_line, to_bytes, write_all
from centinel.readers.document import Document
from centinel.readers.outcome import BEGINS, FAULT, OUTCOME, Outcome
from centinel.readers.reading import Watch, read
from centinel.record import Json

FULL_SHARE = 0.5
"""Share of the memory limit that a process may have taken before it is replaced by a new one."""


def main() -> None:
    """Answers requests until there are no more of them, or too much memory is taken."""
    first = parse_line(sys.stdin.buffer.readline()) or {}
    answers = _own_output()
    memory = int(first["memory"])
    _limit_memory(memory)
    for line in sys.stdin.buffer:
        request = parse_line(line) or {}
        try:
            outcome = _answer(request, first["orders"], answers)
        except OSError as error:
            _say(answers, {FAULT: error.strerror or str(error), "number": error.errno})
        else:
            _say(answers, {OUTCOME: outcome.to_json()})
        if _has_taken() > FULL_SHARE * memory:
            return


def _answer(request: Json, orders: Json, answers: int) -> Outcome:
    scratch = Path(request["scratch"])
    document = Document(
        Path(request["path"]),
        request["kind"],
        request["declared_type"],
        scratch,
        tuple(request["languages"]),
    )

    def begins(reader: str) -> None:
        _grant_seconds(request["seconds"])
        _say(answers, {BEGINS: reader})

    order = orders.get(document.kind, ())
    watch = Watch(begins, request["lost"])
    return read(document, order, request["title"], orders, watch).with_text_in(scratch)


def _own_output() -> int:
    """Returns our standard output, which nobody else writes to: some libraries print."""
    own = os.dup(1)
    os.dup2(2, 1)
    return own


def _say(answers: int, answer: Json) -> None:
    write_all(answers, to_bytes(answer) + b"\n")


def _limit_memory(limit: int) -> None:
    """Bounds the address space: what asks for more fails, or aborts, and only this process."""
    with suppress(ValueError, OSError):  # some systems know the limit and do not take it
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _grant_seconds(seconds: float) -> None:
    """Bounds the processor time from now on; the kernel ends what takes more."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + seconds) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard))


def _has_taken() -> int:
    """Returns the most memory that this process has held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


if __name__ == "__main__":
    main()
