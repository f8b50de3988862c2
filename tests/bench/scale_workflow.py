"""The parts `workflow` and `single` of `make bench-scale`: the whole, on a site of this machine."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from tests.bench.bare import SOURCE
from tests.bench.corpus import Served, served
from tests.bench.goals import Goal
from tests.bench.measuring import (
    Neighbours,
    Timed,
    count_readings,
    expect,
    readings,
    run_bare,
    settings,
)
from tests.bench.scale_jobs import GROWTH
from tests.bench.scale_measuring import Accounted, run_accounted, run_module
from tests.workflow.running import Workflow

OVERHEADS = ((100_000, 1.10), (20_000, 1.25), (0, 1.7))
"""From so many documents on, the workflow may take so many times the bare pool's time."""

NOTHING_SECONDS, NOTHING_MEGABYTES = 3, 250
NEW_SECONDS = 12
RAISED = "pdf"
"""The kind that is read again."""

RAISED_OVER_BARE = 1.1
TRIES = 3
MOST_SINGLE = 2000
"""Documents with a job each: more do not end in a time that anybody waits for."""

BOOKKEEPING = ("enumerate", "classify", "report", "overview")


def measure(folder: Path, documents: int, cores: int) -> None:
    """Measures the bare pool at three sizes and the workflow at the largest, and prints it."""
    bare: dict[int, Timed] = {}
    for size in (documents // 100, documents // 10, documents):
        with served(size) as site:
            made = _made(folder, f"bare-{size}", site)
            bare[size] = run_bare(made, cores)
            print(f"bare pool, {size} documents: {bare[size].wall:.1f} s", flush=True)
            if size == documents:
                _measure_workflow(folder, site, documents, cores, made, bare[size])
    for goal in _growth(bare):
        goal.say()


def _made(folder: Path, name: str, site: Served) -> Workflow:
    return Workflow.make(folder / name, settings(site.address))


def _measure_workflow(
    folder: Path, site: Served, documents: int, cores: int, bare: Workflow, pool: Timed
) -> None:
    neighbours = Neighbours(site.process.pid)
    workflow = _made(folder, "workflow", site)
    first = run_accounted(workflow, cores)
    count = count_readings(workflow)
    expect(count == documents, f"{count} of {documents} were read")
    expect(readings(workflow) == readings(bare), "the workflow and the bare pool read differently")
    print(f"\n{documents} documents, {cores} cores, first run:\n{first.table()}\n", flush=True)
    asked = next(ratio for least, ratio in OVERHEADS if documents >= least)
    Goal("workflow over bare pool", first.timed.wall / pool.wall, asked).say()
    _say_nothing(documents, [_nothing(workflow, cores) for _ in range(TRIES)])
    _say_raised(workflow, bare, cores)
    _say_new([_one_new(workflow, site, cores) for _ in range(TRIES)])
    print(f"Other processes took {neighbours.share():.0%} of this machine meanwhile.", flush=True)


def _nothing(workflow: Workflow, cores: int, **more: bool) -> Accounted:
    ran = run_accounted(workflow, cores, is_single=more.get("is_single", False))
    output = ran.timed.ran.output
    expect(ran.timed.ran.had_nothing_to_do, f"there was something to do:\n{output}")
    return ran


def _say_nothing(documents: int, runs: list[Accounted]) -> None:
    wall = min(each.timed.wall for each in runs)
    peak = max(each.planning.peak_bytes for each in runs) / 1e6
    Goal(f"nothing to do over {documents} documents", wall, NOTHING_SECONDS, unit="s").say()
    Goal("peak memory with nothing to do", peak, NOTHING_MEGABYTES, unit="MB").say()


def _one_new(workflow: Workflow, site: Served, cores: int) -> Accounted:
    address = site.add_page()
    ran = run_accounted(workflow, cores, "-R", "enumerate")
    line = workflow.derived(SOURCE).get(address, {})
    expect(line.get("outcome") == "text", f"the new page {address} was not read")
    return ran


def measure_new(folder: Path, documents: int, cores: int) -> None:
    """Measures one new document, and nothing to do, on an archive that nobody acquired or read.

    Its site is served on this machine; only the new documents are asked for.
    """
    with served(documents) as site:
        workflow = _made(folder, "new", site)
        arguments = ("--documents", str(documents))
        run_module(
            workflow.folder, "tests.bench.synthetic", *arguments, CENTINEL_BENCH_SITE=site.address
        )
        first = run_accounted(workflow, cores, "-R", "enumerate")
        print(f"\n{documents} documents, every text kept:\n{first.table()}\n", flush=True)
        _say_nothing(documents, [_nothing(workflow, cores) for _ in range(TRIES)])
        _say_new([_one_new(workflow, site, cores) for _ in range(TRIES)])


def _say_new(runs: list[Accounted]) -> None:
    best = min(runs, key=lambda each: each.timed.wall)
    print(f"\none new document:\n{best.table()}\n", flush=True)
    processor = min(sum(each.processor for each in run.spent.values()) for run in runs)
    print(f"processor, all rules and Snakemake: {processor:.2f} s\n", flush=True)
    Goal("one new document", best.timed.wall, NEW_SECONDS, unit="s").say()
    jobs = max(each.timed.jobs.get("extract", 0) for each in runs)
    Goal("extract jobs for one new document", jobs, 1).say()


def _say_raised(workflow: Workflow, bare: Workflow, cores: int) -> None:
    """One kind at its second version, which stays: the bare pool reads the same again."""
    raised = (f"pipeline={{{RAISED}: {{version: 2}}}}",)
    shards = len(list((workflow.source(SOURCE) / "work" / RAISED).glob("*.jsonl")))
    ran = run_accounted(workflow, cores, config=raised)
    pool = run_bare(bare, cores, "--again", RAISED).stages["extract"]
    print(f"\n{RAISED} at its second version:\n{ran.table()}\n", flush=True)
    kinds = ran.timed.ran.kinds_read
    expect(kinds == {RAISED: shards}, f"read {dict(kinds)}, not the {shards} shards of {RAISED}")
    over = ran.timed.stages["extract"] / pool
    Goal(f"reading {RAISED} again over the bare pool", over, RAISED_OVER_BARE).say()
    # The first version is standing: without the raised one, its lines are what the report reads.
    run_accounted(workflow, cores)


def _growth(bare: dict[int, Timed]) -> list[Goal]:
    """Seconds a document of a tenfold site, over those of the smaller one."""
    sizes = sorted(bare)
    stages = {"reading": ("extract",), "bookkeeping": BOOKKEEPING, "acquisition": ("acquire",)}
    return [
        Goal(
            f"{name}, seconds a document, {large} over {small}",
            (_seconds(bare[large], of) / large) / (_seconds(bare[small], of) / small),
            GROWTH,
        )
        for small, large in pairwise(sizes)
        for name, of in stages.items()
    ]


def _seconds(timed: Timed, stages: tuple[str, ...]) -> float:
    return sum(timed.stages[each] for each in stages)


def measure_single(folder: Path, documents: int, cores: int) -> None:
    """Measures shards, then one job a document, on the same site."""
    with served(documents) as site:
        for name, is_single in (("shards", False), ("one job a document", True)):
            workflow = _made(folder, f"single-{is_single}", site)
            first = run_accounted(workflow, cores, is_single=is_single)
            idle = _nothing(workflow, cores, is_single=is_single)
            metadata = sum(1 for each in (workflow.folder / ".snakemake").rglob("*"))
            print(f"\n{documents} documents, {name}:\n{first.table()}", flush=True)
            print(
                f"first run {first.timed.wall:.1f} s; nothing to do {idle.timed.wall:.1f} s and "
                f"{idle.planning.peak_bytes / 1e6:.0f} MB; {metadata} files of Snakemake's own",
                flush=True,
            )
