"""The part `jobs` of `make bench-scale`: each job's function on three sizes of one archive.

First where nothing changed, then for one new document, which finds all that is kept in its place.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from tests.bench.goals import Goal
from tests.bench.scale_measuring import Job, run_job, run_module

JOBS = ("enumerate", "acquire", "classify", "extract", "report", "overview")
"""Where nothing changed."""

NEW = ("new-enumerate", "new-acquire", "classify", "new-extract", "report", "overview")
"""With one more document each time that all of them are run, in this order."""

NEW_SECONDS = 8
"""Of the 12 s that one new document may cost, Snakemake and the starts of its jobs take four."""

REPORT_SECONDS = 20
REPORT_MEGABYTES = 500
PAGE_MEGABYTES = 3
GROWTH = 1.15
"""A tenfold archive may take so much more than ten times as long."""

TRIES = 2
"""The least of each counts, on a machine that others share."""

NEW_ROW = "one new: "

Measured = dict[int, dict[str, Job]]


def measure(folder: Path, documents: int) -> None:
    """Makes the archives, measures every job on each, and prints it."""
    sizes = [documents // 100, documents // 10, documents]
    found: Measured = {}
    for size in sizes:
        archive = folder / f"archive-{size}"
        archive.mkdir()
        run_module(archive, "tests.bench.synthetic", "--documents", str(size))
        found[size] = {job: _best([run_job(archive, job) for _ in range(TRIES)]) for job in JOBS}
        found[size] |= _with_one_new(archive)
        print(f"measured {size} documents", flush=True)
    print(f"\n{table(found)}\n", flush=True)
    largest = found[documents]
    for goal in [
        *reports(folder / f"archive-{documents}", largest),
        one_new(largest),
        *growth(found),
    ]:
        goal.say()


def _with_one_new(archive: Path) -> dict[str, Job]:
    rounds = [{job: run_job(archive, job) for job in NEW} for _ in range(TRIES)]
    return {f"{NEW_ROW}{job}": _best([each[job] for each in rounds]) for job in NEW}


def _best(tries: list[Job]) -> Job:
    return Job(
        wall=min(each.wall for each in tries),
        processor=min(each.processor for each in tries),
        peak_bytes=max(each.peak_bytes for each in tries),
    )


def table(found: Measured) -> str:
    """Returns wall and processor seconds and peak memory of each job, at each size."""
    head = "".join(f"{f'{size} documents':>30}" for size in found)
    under = "".join(f"{'wall s':>12}{'CPU s':>9}{'MB':>9}" for _ in found)
    lines = [f"{'job':<24}{head}", f"{'':<24}{under}"]
    for job in next(iter(found.values())):
        took = (found[size][job] for size in found)
        cells = (
            f"{each.wall:>12.2f}{each.processor:>9.2f}{each.peak_bytes / 1e6:>9.0f}"
            for each in took
        )
        lines.append(f"{job:<24}{''.join(cells)}")
    return "\n".join(lines)


def reports(archive: Path, took: dict[str, Job]) -> list[Goal]:
    """What is asked of the two reports."""
    both = [took["report"], took["overview"]]
    results = archive / "results"
    pages = [results / "report.html", results / "corpus" / "report.html"]
    return [
        Goal("both reports", sum(each.wall for each in both), REPORT_SECONDS, unit="s"),
        Goal(
            "peak memory of the reports",
            max(each.peak_bytes for each in both) / 1e6,
            REPORT_MEGABYTES,
            unit="MB",
        ),
        Goal(
            "the larger page",
            max(page.stat().st_size for page in pages) / 1e6,
            PAGE_MEGABYTES,
            unit="MB",
        ),
    ]


def one_new(took: dict[str, Job]) -> Goal:
    """What is asked of the jobs for one new document, one after the other."""
    wall = sum(each.wall for name, each in took.items() if name.startswith(NEW_ROW))
    return Goal("the jobs for one new document", wall, NEW_SECONDS, unit="s")


def growth(found: Measured) -> list[Goal]:
    """Processor time a document of a tenfold archive, over that of the smaller one."""
    sizes = sorted(found)
    return [
        Goal(
            f"{job}, CPU a document, {large} over {small}",
            (found[large][job].processor / large) / (found[small][job].processor / small),
            GROWTH,
        )
        for small, large in pairwise(sizes)
        for job in found[small]
        if not job.endswith(("overview", "new-extract"))  # of few lines, however large the source
    ]
