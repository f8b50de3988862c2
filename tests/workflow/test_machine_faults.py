"""A machine that fails: what a run then says, and that the next plain run makes up for it."""

import subprocess
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from tests.workflow.conftest import Archived
from tests.workflow.place import Place, html, publish
from tests.workflow.running import Workflow
from tests.workflow.test_injected_faults import small_disk

STEPS = 10
"""Disks between none and what the results take: each fills at another stage."""


def kilobytes_of(folder: Path) -> int:
    """What the files under a folder take on a disk of pages of four kilobytes."""
    return sum(-(-path.lstat().st_size // 4096) * 4 for path in folder.rglob("*"))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_disk_that_fills_at_any_stage_is_said_and_made_up_for(
    place: Place, tmp_path: Path
) -> None:
    publish(place)
    place.add_pages(f"/page-{number:02d}" for number in range(40))
    whole = Workflow.make(tmp_path / "whole", {"town": place.block()})
    whole.run().succeeded()
    needed = kilobytes_of(whole.results)
    stages: set[str] = set()
    for step in range(STEPS):
        workflow = Workflow.make(tmp_path / f"small-{step}", {"town": place.block()})
        with small_disk(workflow.results, 64 + needed * step // STEPS):
            ran = workflow.run()
            if ran.code:
                assert ran.own_lines, ran.output
                assert all("No space left on device" in line for line in ran.own_lines)
                assert "Traceback" not in ran.output
                stages |= {line.split()[1].rstrip(":") for line in ran.own_lines}
            underivable = (workflow.source("town") / "underivable").rglob("*.json")
            assert list(underivable) == [], "a full disk is no word about a document"
            before = set(workflow.observed("town"))
            place.forget_requests()
            remount = ["mount", "-o", "remount,size=200m", str(workflow.results)]
            subprocess.run(remount, check=True)
            workflow.run().succeeded()
            assert not before & {place.at(path) for path in place.fetched()}
            assert place.paths_of(workflow.blobs("town")) == place.paths_of(whole.blobs("town"))
            assert workflow.texts("town") == whole.texts("town")
            assert workflow.leftovers("town") == []
            assert workflow.run().succeeded().had_nothing_to_do
    print(f"\nstages that met a full disk: {sorted(stages)}")
    assert {"acquire", "extract"} <= stages


@pytest.mark.slow
def test_results_that_cannot_be_written_are_said_and_left_as_they_are(archived: Archived) -> None:
    workflow, results = archived.workflow, archived.workflow.results
    kept = results.rename(results.with_name("kept"))
    with small_disk(results, 200_000):
        subprocess.run(["cp", "-a", f"{kept}/.", str(results)], check=True)
        archived.place.add_pages(["/new"])
        subprocess.run(["mount", "-o", "remount,ro", str(results)], check=True)

        failed = workflow.run("-R", "enumerate").failed()

        assert "Write-protected output files" in failed.output, "Snakemake says it before we can"
        assert "Traceback" not in failed.output
        assert archived.place.paths() == []
        assert not subprocess.run(["diff", "-r", kept, results], check=False).returncode
        subprocess.run(["mount", "-o", "remount,rw", str(results)], check=True)
        workflow.run("-R", "enumerate").succeeded()
        assert archived.place.at("/new") in workflow.blobs("town")


@pytest.mark.slow
def test_a_first_run_on_a_file_system_that_cannot_be_written_is_one_line(
    place: Place, tmp_path: Path
) -> None:
    publish(place)
    workflow = Workflow.make(tmp_path / "run", {"town": place.block()})
    with small_disk(workflow.results, 1000):
        subprocess.run(["mount", "-o", "remount,ro", str(workflow.results)], check=True)
        failed = workflow.run().failed()
    (line,) = failed.own_lines
    assert "Read-only file system" in line
    assert "Traceback" not in failed.output
    assert place.paths() == []


def test_a_clock_that_ran_ahead_and_was_set_back_does_not_stop_the_record(
    archived: Archived,
) -> None:
    """What a future says that did not come is asked again, and the newest word counts."""
    workflow, source = archived.workflow, archived.workflow.source("town")
    (month,) = (source / "record").glob("*.jsonl")
    year = month.name[:4]
    ahead = month.with_name(f"{int(year) + 2}{month.name[4:]}")
    ahead.write_bytes(
        month.read_bytes().replace(f'"at":"{year}'.encode(), f'"at":"{ahead.name[:4]}'.encode())
    )
    month.unlink()
    state = orjson.loads((source / "acquire.json").read_bytes())
    for name in ("written_at", "next_due"):
        state[name] = state[name].replace(state[name][:4], str(int(state[name][:4]) + 2))
    (source / "acquire.json").write_bytes(orjson.dumps(state))
    archived.place.set("/council", html("Council, changed"))

    workflow.run().succeeded()

    assert sorted(path.name for path in (source / "record").glob("*.jsonl")) == [ahead.name]
    assert archived.place.asked("/council") == 1
    blob = workflow.blobs("town")[archived.place.at("/council")]
    assert blob == sha256(html("Council, changed").body).hexdigest()
    assert workflow.run().succeeded().had_nothing_to_do
