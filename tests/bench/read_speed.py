"""Seconds to read the same documents: in a process of their own, in ours, and by markitdown."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from centinel.configuration import load_files
from centinel.readers.document import Document
from centinel.readers.isolation import Isolation
from centinel.readers.reading import read
from tests.bench.corpus import PROJECT
from tests.bench.measuring import expect

MARKITDOWN = PROJECT / "build" / "venv-bench-read" / "bin" / "python"
_CHILD = Path(__file__).with_name("read_markitdown.py")


def isolated_seconds(documents: Sequence[Document], folder: Path) -> float:
    """Returns the seconds of a shard's way: one process, started and warm before the clock."""
    configuration = load_files(PROJECT)
    orders, scratch = configuration.pipeline.orders, folder / "scratch"
    with Isolation(orders, scratch, configuration.limits) as reads:
        reads.read(documents[0])
        started = time.perf_counter()
        for document in documents:
            reads.read(document)
        return time.perf_counter() - started


def in_process_seconds(documents: Sequence[Document], folder: Path) -> float:
    """Returns the seconds of the same readers called directly, the text in a file as well."""
    orders = load_files(PROJECT).pipeline.orders

    def once(document: Document) -> None:
        fresh = Document(document.path, document.kind, document.declared_type)
        read(fresh, orders[document.kind], None, orders).with_text_in(folder)

    once(documents[0])
    started = time.perf_counter()
    for document in documents:
        once(document)
    return time.perf_counter() - started


def markitdown_seconds(documents: Sequence[Document]) -> float:
    """Returns the seconds of markitdown in one process, its imports left out."""
    expect(MARKITDOWN.exists(), f"{MARKITDOWN} is not there: run make bench-read")
    asked = json.dumps([str(each.path) for each in documents])
    ended = subprocess.run(
        [MARKITDOWN, _CHILD], input=asked, capture_output=True, text=True, check=False
    )
    expect(ended.returncode == 0, f"markitdown ended with {ended.returncode}: {ended.stderr}")
    return float(json.loads(ended.stdout)["seconds"])
