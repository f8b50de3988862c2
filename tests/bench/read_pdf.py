"""Readers of PDF beside each other and beside the vote, against the consensus of them all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from centinel.configuration import load_files
from centinel.readers.reading import read
from centinel.readers.registry import by_name
from tests.bench.corpus import PROJECT
from tests.bench.read_documents import Sample
from tests.bench.words import recall, runs, words

READERS = ("pdf_inspector", "pdfium", "pdftotext")
"""The independent readers whose agreement counts."""

VOTE = "page by page"
_TRIGRAM = 3

Runs = Counter[tuple[str, ...]]


def compared(samples: Sequence[Sample], folder: Path) -> Iterator[tuple[str, float, float, float]]:
    """Yields for each reader alone, and for the pipeline's list, the recall of words and of runs of
    three words that at least two independent readers have, averaged over the files, and seconds."""
    orders = load_files(PROJECT).pipeline.orders
    lists = {name: (name,) for name in READERS} | {VOTE: orders["pdf"]}
    texts: dict[str, list[list[str]]] = {}
    seconds: dict[str, float] = {}
    for name, order in lists.items():
        started = time.perf_counter()
        texts[name] = [words(_text(sample, order, folder)) for sample in samples]
        seconds[name] = time.perf_counter() - started
    for name in lists:
        shares = [
            (_share(texts, name, number, 1), _share(texts, name, number, _TRIGRAM))
            for number in range(len(samples))
        ]
        recalled, order_kept = (sum(each) / len(each) for each in zip(*shares, strict=True))
        yield name, recalled, order_kept, seconds[name]


def _text(sample: Sample, order: Sequence[str], folder: Path) -> str:
    readers = [name for name in order if by_name(name)]
    return read(sample.document(folder), readers).text or ""


def _share(texts: dict[str, list[list[str]]], name: str, number: int, length: int) -> float:
    agreed = _agreed([runs(texts[reader][number], length) for reader in READERS])
    return recall(runs(texts[name][number], length), agreed)


def _agreed(found: Sequence[Runs]) -> Runs:
    """Returns the runs that at least two of them have, as often as the second most says."""
    every = set().union(*found)
    return Counter({run: sorted((each[run] for each in found), reverse=True)[1] for run in every})
