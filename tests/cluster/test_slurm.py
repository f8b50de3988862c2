"""The workflow through a real SLURM: jobs by sbatch, one of them killed by its memory."""

import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from centinel import locks
from tests.workflow.comparing import differing_columns
from tests.workflow.place import DOCUMENTS, PAGES, Place, publish
from tests.workflow.running import PROGRAM, PROJECT, Workflow, wait_until
from tests.workflow.sabotage import Sabotage

PROFILE = PROJECT / "profiles" / "slurm" / "config.yaml"
PLUGIN = "snakemake_executor_plugin_slurm"
PLUGIN_FOLDER = PROJECT / "build" / "slurm"
START = PROJECT / "tests" / "cluster" / "start.sh"

FOR_THIS_TEST = {
    "slurm-no-account": True,
    "slurm-status-command": "squeue",
    # The interval grows by ten seconds with each look that finds nothing ended.
    "slurm-init-seconds-before-status-checks": 6,
    "latency-wait": 5,
}
TOO_LITTLE_FOR_CSV = "70 * attempt ** 4 if wildcards.kind == 'csv' else 1000"
"""Python alone takes more than 70 MB; at the second attempt there are 1,120."""

LONGEST_WAIT = 400.0
"""Seconds for the cluster of another process of these tests."""

MADE_BY_READING = ("work", "text", "derived", "underivable", "tables", "report.html")
RULE = re.compile(r"^(?:rule|checkpoint) (\w+):\n((?: .*\n|\n|#.*\n)*)", re.M)


@dataclass(frozen=True)
class OnCluster(Workflow):
    """A working folder whose jobs go through sbatch, by the project's profile."""

    def command(self, arguments: Sequence[str] = (), config: Sequence[str] = ()) -> list[str]:
        settings = ["sources=sources.yaml", f"results={self.results_name}", *config]
        return [str(PROGRAM), "--profile", "cluster", *arguments, "--config", *settings]

    def write_profile(self) -> None:
        """The project's profile, but for what is this cluster's, and too little memory for one."""
        profile = yaml.safe_load(PROFILE.read_text())
        profile["set-resources"]["extract"]["mem_mb"] = TOO_LITTLE_FOR_CSV
        (self.folder / "cluster").mkdir()
        path = self.folder / "cluster" / "config.yaml"
        path.write_text(yaml.safe_dump({**profile, **FOR_THIS_TEST}))


@dataclass(frozen=True)
class Cluster:
    """A SLURM of one node that was started for these tests."""

    folder: Path
    is_elsewhere: bool
    """Whether its node has processes of its own numbers, as another machine has."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """One at a time: tests that run side by side wait for each other."""
    folder = tmp_path_factory.mktemp("slurm")
    with (
        locks.held(Path(tempfile.gettempdir()) / "centinel-test-slurm.lock", LONGEST_WAIT),
        subprocess.Popen(
            [str(START), str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stdin is not None and process.stdout is not None
        said = process.stdout.readline().strip()
        if said.startswith("no SLURM here: "):
            pytest.skip(said)
        assert said in ("ready", "ready elsewhere"), said
        yield Cluster(folder, said == "ready elsewhere")
        process.stdin.close()
    assert process.returncode == 0


@pytest.fixture(scope="module")
def environment() -> Mapping[str, str]:
    """Where Snakemake finds the plugin: its imports would slow every other test down."""
    if importlib.util.find_spec(PLUGIN):
        return {}
    if not (PLUGIN_FOLDER / PLUGIN).is_dir():
        pytest.skip("no plugin for SLURM here: make build/slurm/.ready")
    return {"PYTHONPATH": str(PLUGIN_FOLDER)}


def rules_by_place() -> tuple[set[str], set[str]]:
    """The names of the rules that run where snakemake runs, and of those that a cluster takes."""
    here, there = set[str](), set[str]()
    for path in (PROJECT / "rules").glob("*.smk"):
        for name, body in RULE.findall(path.read_text()):
            (here if "localrule: True" in body else there).add(name)
    return here, there


def test_each_rule_is_one_of_this_machine_or_has_its_resources() -> None:
    here, there = rules_by_place()
    profile = yaml.safe_load(PROFILE.read_text())
    assert here >= {"enumerate", "acquire", "ingest", "overview", "strict"}
    assert there <= set(profile["set-resources"])
    assert there >= {"classify", "extract", "transcribe", "report"}
    assert all(each["slurm_partition"] for each in profile["set-resources"].values())


def test_each_retry_asks_for_more() -> None:
    profile = yaml.safe_load(PROFILE.read_text())
    asked = [profile["default-resources"], *profile["set-resources"].values()]
    amounts = [each[name] for each in asked for name in ("mem_mb", "runtime") if name in each]
    assert profile["retries"] > 0
    assert all("attempt" in amount for amount in amounts)


@pytest.mark.slow
def test_the_workflow_runs_through_sbatch_and_gives_what_it_gives_here(
    cluster: Cluster, environment: Mapping[str, str], tmp_path: Path
) -> None:
    with Place() as place:
        publish(place)
        there = OnCluster.make(tmp_path / "there", {"town": place.block()})
        assert isinstance(there, OnCluster)
        there.write_profile()

        ran = there.run(environment=environment).succeeded()

        assert re.findall(r"^local(?:rule|checkpoint) (\w+):", ran.output, re.M) == [
            "enumerate",
            "acquire",
            "overview",
            "all",
        ]
        # One each for classify, three kinds, and report, and one that was killed.
        assert ran.output.count("has been submitted with SLURM jobid") == 6
        assert there.reports() == {"report.html", "town/report.html"}
        assert set(there.derived("town")) == {place.at(path) for path in (*PAGES, *DOCUMENTS)}
        assert {line["outcome"] for line in there.derived_lines("town")} == {"text"}
        assert there.leftovers("town") == []
        assert list((there.results / ".runs").iterdir()) == []
    assert ran.output.count("Trying to restart job") == 1
    killed = re.findall(r"exceeded memory limit", (cluster.folder / "slurmd.log").read_text())
    assert killed, "by its memory, and by nothing else"

    assert there.run(environment=environment).succeeded().had_nothing_to_do
    assert_the_same_here(there, tmp_path / "here")


def assert_the_same_here(there: Workflow, folder: Path) -> None:
    """Reads the same record on this machine, without the cluster, and compares."""
    here = Workflow(there.copy(folder).folder)
    assert here.run().succeeded().had_nothing_to_do, "without the cluster too"
    for name in MADE_BY_READING:
        path = here.source("town") / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    ran = here.run().succeeded()

    assert ran.kinds_read == {"html": 1, "pdf": 1, "csv": 1}
    assert here.texts("town") == there.texts("town")
    assert differing_columns(here.source("town"), there.source("town")) == set()


@pytest.mark.slow
def test_jobs_of_a_killed_run_end_before_the_next_one_works(
    cluster: Cluster, environment: Mapping[str, str], tmp_path: Path
) -> None:
    sabotage = Sabotage.make(tmp_path / "sabotage", "extract.py", "text/pdf/*/*/*.md", True)
    paths = [sabotage.environment["PYTHONPATH"], *environment.values()]
    with Place() as place:
        publish(place)
        workflow = OnCluster.make(tmp_path / "killed", {"town": place.block()})
        assert isinstance(workflow, OnCluster)
        workflow.write_profile()
        with workflow.started(environment={"PYTHONPATH": ":".join(paths)}) as running:
            wait_until(lambda: sabotage.has_happened, "a job stands still", within=100)
            running.kill_main_process_only()
            if cluster.is_elsewhere:
                assert workflow.processes("extract.py"), "it is told nothing"

            here = Workflow(workflow.folder)
            ran = here.run().succeeded()

        waited = [line for line in ran.own_lines if "jobs on other machines" in line]
        assert len(waited) == (1 if cluster.is_elsewhere else 0)
        wait_until(lambda: not workflow.processes(), "nothing works here any more")
        wait_until(lambda: not squeue(), "the cluster is idle")
        assert len(here.texts("town")) == len(here.derived("town")) == 6
        assert here.leftovers("town") == []
        assert here.run().succeeded().had_nothing_to_do


def squeue() -> str:
    """The jobs that wait or run."""
    command = ["squeue", "--noheader"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
