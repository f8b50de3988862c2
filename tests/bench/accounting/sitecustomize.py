"""Python imports this by itself in every process that has this folder on its path.

With CENTINEL_BENCH_ACCOUNT each process leaves a line there at its end: its program, its processor
seconds and its children's, those that finished checkpoints cost Snakemake, and the most memory that
it and any child held. With
CENTINEL_BENCH_SINGLE there is one shard a document. Imports little: it is part of what is measured.
"""

import atexit
import json
import os
import sys
import time
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

_BEGAN = time.time()
_checkpoints = 0.0
"""Processor seconds for planning again after checkpoints."""


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
        "checkpoints": _checkpoints,
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


class _TimesCheckpoints(MetaPathFinder):
    """Wraps what Snakemake does when a checkpoint has finished, once its module is imported."""

    def find_spec(self, name: str, path: Any = None, _target: Any = None) -> ModuleSpec | None:
        if name != "snakemake.dag":
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def and_wrap(module: ModuleType) -> None:
            execute(module)
            _wrap(module.DAG)

        spec.loader.exec_module = and_wrap  # type: ignore[method-assign]
        return spec


def _wrap(graph: Any) -> None:
    update = graph.update_checkpoint_dependencies

    async def timed(self: Any, jobs: Any = None) -> bool:
        global _checkpoints
        began = time.thread_time()
        try:
            return bool(await update(self, jobs))
        finally:
            _checkpoints += time.thread_time() - began

    graph.update_checkpoint_dependencies = timed


def _one_document_a_shard() -> None:
    from centinel import classify

    def single(lines: list[classify.Work]) -> dict[str, list[classify.Work]]:
        ordered = sorted(lines, key=lambda each: each.artifact)
        return {f"{number}-of-{len(lines)}": [each] for number, each in enumerate(ordered)}

    classify.shards = single


if _file := os.environ.get("CENTINEL_BENCH_ACCOUNT"):
    atexit.register(_account, _file)
    sys.meta_path.insert(0, _TimesCheckpoints())
if os.environ.get("CENTINEL_BENCH_SINGLE"):
    _one_document_a_shard()
