"""Python imports this by itself in every process that has this folder on its path.

With CENTINEL_BENCH_ACCOUNT each process leaves a line there at its end: its program, its processor
seconds and its children's, and the most memory that it and any child held. With
CENTINEL_BENCH_SINGLE there is one shard a document. Imports little: it is part of what is measured.
"""

import atexit
import json
import os
import sys
import time

_BEGAN = time.time()


def _account(file: str) -> None:
    import resource

    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = {
        "program": sys.argv[0] if sys.argv else "",
        "began": _BEGAN,
        "wall": time.time() - _BEGAN,
        "own": own.ru_utime + own.ru_stime,
        "children": others.ru_utime + others.ru_stime,
        "peak_bytes": _peak_bytes(own.ru_maxrss),
        "peak_of_children": 1024 * others.ru_maxrss,
    }
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    os.write(descriptor, json.dumps(line).encode() + b"\n")
    os.close(descriptor)


def _peak_bytes(kilobytes: int) -> int:
    """What getrusage says may be its parent's, from before the program was started."""
    try:
        with open("/proc/self/status") as stream:  # noqa: PTH123 (before pathlib is imported)
            kilobytes = next(int(line.split()[1]) for line in stream if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    return 1024 * kilobytes


def _one_document_a_shard() -> None:
    from centinel import classify

    def single(lines: list[classify.Work]) -> dict[str, list[classify.Work]]:
        ordered = sorted(lines, key=lambda each: each.artifact)
        return {f"{number}-of-{len(lines)}": [each] for number, each in enumerate(ordered)}

    classify.shards = single


if _file := os.environ.get("CENTINEL_BENCH_ACCOUNT"):
    atexit.register(_account, _file)
if os.environ.get("CENTINEL_BENCH_SINGLE"):
    _one_document_a_shard()
