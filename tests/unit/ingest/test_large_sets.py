"""Sets of thousands of files, and the benchmark that measures them."""

import subprocess
import sys
from pathlib import Path

import pytest

from centinel.ingest.worker import SOURCE
from centinel.schemas import PROJECT
from centinel.store import Store
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import numbered
from tests.unit.ingest.ingesting import one
from tests.unit.support import lines_of

MANY = 2_000
WEB = [{"strategy": "web-fileset"}]


@pytest.mark.slow
def test_two_thousand_files_come_once(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, numbered(MANY))
    said = {"limits": {"files": MANY}, "strategies": WEB}
    row = one(tmp_path, platforms, address, **said)
    assert (row["status"], row["files_by_status"]) == ("success", {"success": MANY})
    contents = [each for each in platforms.paths() if each.endswith("/content")]
    assert len(contents) == len(set(contents)) == MANY
    assert len(lines_of(Store(tmp_path, SOURCE).artifacts)) == MANY + 2
    platforms.forget_requests()
    assert one(tmp_path, platforms, address, **said) == row
    assert platforms.paths() == []


@pytest.mark.slow
def test_the_benchmark_measures_what_it_says() -> None:
    command = [sys.executable, "-m", "tests.bench.ingest", "--part", "100", "--rounds", "1"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    goals = [line for line in done.stdout.splitlines() if line.startswith("goal: ")]
    assert len(goals) == 4
    assert goals[-1] == "goal: requests of a second run = 0 (asked <= 0): holds"
