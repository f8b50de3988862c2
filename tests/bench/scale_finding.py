"""The part `finding` of `make bench-scale`: `current/` and the search index, on two sizes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.bench.goals import Goal
from tests.bench.measuring import expect
from tests.bench.scale_measuring import run_job, run_module
from tests.bench.synthetic import SOURCE

NEW = ("new-enumerate", "new-acquire", "classify", "new-extract", "report")
"""The jobs that bring one more document, up to its report."""

MOST_NEW = 3
"""So many documents are tried: some cannot be read, so that nothing is to be found of them."""

SECONDS = {
    ("current", "from nothing"): 10.0,
    ("current", "nothing new"): 4.0,
    ("current", "one new"): 4.0,
    ("search", "from nothing"): 60.0,
    ("search", "same report"): 1.0,
    ("search", "nothing new"): 4.0,
    ("search", "one new"): 4.0,
}
"""What each may take at a hundred thousand documents, on two cores."""

MEGABYTES = 300
GROWTH = 1.3
"""A tenfold index is deeper, so that a text of it costs more."""

MOST_TOUCHED = 2
"""For one new document: its text, and one that it takes the place of."""


@dataclass(frozen=True)
class Found:
    """What one of the two took."""

    wall: float
    processor: float
    peak_bytes: int
    touched: int


Measured = dict[tuple[str, str], Found]


def measure(folder: Path, documents: int) -> None:
    """Makes the archives, measures both on each, and prints it."""
    found: dict[int, Measured] = {}
    for size in (documents // 10, documents):
        archive = folder / f"finding-{size}"
        archive.mkdir()
        run_module(archive, "tests.bench.synthetic", "--documents", str(size))
        run_module(archive, "tests.bench.finding_child", "texts")
        found[size] = _measured(archive)
        shutil.rmtree(archive)
        print(f"measured {size} documents", flush=True)
    print(f"\n{table(found)}\n", flush=True)
    for goal in goals(found):
        goal.say()


def _measured(archive: Path) -> Measured:
    report = archive / "results" / SOURCE / "report.html"
    found = {
        ("current", "from nothing"): _run(archive, "current"),
        ("current", "nothing new"): _run(archive, "current"),
        ("search", "from nothing"): _run(archive, "search"),
        ("search", "same report"): _run(archive, "search"),
    }
    report.touch()
    found["search", "nothing new"] = _run(archive, "search")
    for _ in range(MOST_NEW):
        for job in NEW:
            run_job(archive, job)
        found["search", "one new"] = _run(archive, "search")
        found["current", "one new"] = _run(archive, "current")
        if found["search", "one new"].touched:
            break
    expect(found["search", "one new"].touched > 0, f"{MOST_NEW} new documents have no text")
    return found


def _run(archive: Path, mode: str) -> Found:
    return Found(**json.loads(run_module(archive, "tests.bench.finding_child", mode)))


def table(found: dict[int, Measured]) -> str:
    """Returns what each took, at each size."""
    head = "".join(f"{f'{size} documents':>40}" for size in found)
    under = "".join(f"{'wall s':>12}{'CPU s':>9}{'MB':>9}{'touched':>10}" for _ in found)
    lines = [f"{'':<22}{head}", f"{'':<22}{under}"]
    for key in SECONDS:
        took = (found[size][key] for size in found)
        cells = (
            f"{each.wall:>12.2f}{each.processor:>9.2f}{each.peak_bytes / 1e6:>9.0f}"
            f"{each.touched:>10}"
            for each in took
        )
        lines.append(f"{': '.join(key):<22}{''.join(cells)}")
    return "\n".join(lines)


def goals(found: dict[int, Measured]) -> Iterator[Goal]:
    """What is asked of the larger size, and of what comes with a tenfold archive."""
    largest = found[max(found)]
    for key, seconds in SECONDS.items():
        yield Goal(": ".join(key), largest[key].wall, seconds, unit="s")
    for what in ("current", "search"):
        touched = largest[what, "one new"].touched
        yield Goal(f"{what}: touched for one new document", touched, MOST_TOUCHED)
    peak = max(each.peak_bytes for each in largest.values())
    yield Goal("peak memory", peak / 1e6, MEGABYTES, unit="MB")
    for small, large in pairwise(sorted(found)):
        for key in (("current", "from nothing"), ("search", "from nothing")):
            over = found[large][key].processor / large / (found[small][key].processor / small)
            yield Goal(f"{key[0]}, CPU a document, {large} over {small}", over, GROWTH)
