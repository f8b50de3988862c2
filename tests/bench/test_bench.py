"""The benchmark's parts: the same site on every machine, and lines that say what was measured."""

import hashlib
import subprocess
import sys
from collections import Counter
from pathlib import Path

import orjson
import pytest
import requests

from centinel.readers.document import Document
from centinel.readers.reading import read
from tests.bench import documents
from tests.bench.corpus import PROJECT, served
from tests.bench.goals import Goal
from tests.bench.scale_jobs import JOBS, NEW
from tests.bench.scale_measuring import MAIN, rule_of, run_job, run_module

DIGEST = "33e666381b0460e90375b77419f10c821cf5e39cde4d0756dbcdbe01e41706b1"
"""Of the first 200 bodies. A change of the templates changes it, and all figures with it."""


def test_the_bodies_are_the_same_on_every_machine() -> None:
    whole = hashlib.sha256()
    for number in range(200):
        whole.update(documents.format_of(number).make(number))
    assert whole.hexdigest() == DIGEST


def test_every_hundred_has_the_mix() -> None:
    names = Counter(documents.format_of(number).name for number in range(300, 400))
    assert names["html"] == 70
    assert names["pdf"] == 20
    assert sum(names.values()) == 100


def test_every_document_is_different() -> None:
    bodies = {documents.format_of(number).make(number) for number in range(2000)}
    assert len(bodies) == 2000


def test_pages_are_of_realistic_size() -> None:
    pages = [n for n in range(500) if documents.format_of(n).name == "html"]
    sizes = sorted(len(documents.html(number)) for number in pages)
    assert sizes[0] >= 8_000
    assert sizes[-1] <= 40_000


@pytest.mark.parametrize("number", range(5))
def test_a_pdf_is_read_with_its_title_and_its_last_page(number: int, tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(documents.pdf(number))
    outcome = read(Document(path, "pdf"), ("pdf_inspector",))
    assert outcome.title == documents.title_of(number)
    assert outcome.text is not None
    assert len(outcome.text) > 500


def test_the_site_lists_what_it_serves_and_what_was_added() -> None:
    with served(30) as site:
        added = site.add_page()
        index = requests.get(f"{site.address}/sitemap.xml", timeout=10).text
        listed = requests.get(f"{site.address}/sitemaps/0.xml", timeout=10).text
        answers = [requests.get(f"{site.address}{path}", timeout=10) for path in _paths(30)]
        assert requests.get(added, timeout=10).ok
        assert requests.get(f"{site.address}/news/000099", timeout=10).status_code == 404
    assert index.count("<loc>") == 1
    assert listed.count("<loc>") == 31
    assert added in listed
    assert all(answer.ok for answer in answers)


def _paths(count: int) -> list[str]:
    return [documents.path_of(number) for number in range(count)]


@pytest.mark.parametrize(
    ("goal", "line"),
    [
        (Goal("rest", 1.234, 2, unit="s"), "goal: rest = 1.23 s (asked <= 2 s): holds"),
        (Goal("rest", 2.0004, 2, unit="s"), "goal: rest = 2.0004 s (asked <= 2 s): short"),
        (Goal("jobs", 1, 1), "goal: jobs = 1 (asked <= 1): holds"),
        (Goal("jobs", 12345, 1), "goal: jobs = 12345 (asked <= 1): short"),
        (Goal("rate", 49.97, 50, ">=", "a second"), "goal: rate = 49.97 a second"),
        (Goal("ratio", 1.7, 1.7), "goal: ratio = 1.7 (asked <= 1.7): holds"),
    ],
)
def test_a_goal_is_one_line(goal: Goal, line: str) -> None:
    assert goal.line.startswith(line)
    assert goal.line.endswith("holds" if goal.holds else "short")


@pytest.mark.slow
def test_the_whole_on_a_few_documents() -> None:
    command = [sys.executable, "-m", "tests.bench.workflow", "--documents", "40", "--rounds", "1"]
    ran = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("\ngoal: ") == 4


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of 300 documents that nobody was asked for."""
    folder = tmp_path_factory.mktemp("archive")
    run_module(folder, "tests.bench.synthetic", "--documents", "300")
    return folder


def test_an_archive_is_made_whole_without_a_request(archive: Path) -> None:
    summary = orjson.loads((archive / "results/corpus/tables/summary.json").read_bytes())
    assert summary["found"] == 300
    assert summary["never_asked"] == summary["unread"] == summary["remaining"] == 0
    assert summary["live"] == summary["artifacts"] == 294
    assert summary["gone"] + summary["blocked"] + summary["error"] == 6
    assert summary["texts"] + summary["underivable"] == 294
    assert summary["underivable"] > 0
    assert (archive / "results/report.html").exists()


@pytest.mark.parametrize("job", JOBS)
def test_each_job_runs_on_an_archive_and_is_measured(archive: Path, job: str) -> None:
    took = run_job(archive, job)
    assert took.wall > 0
    assert took.peak_bytes > 10_000_000


def test_the_jobs_for_one_new_document_make_it_a_text(archive: Path) -> None:
    for job in NEW:
        run_job(archive, job)
    summary = orjson.loads((archive / "results/corpus/tables/summary.json").read_bytes())
    assert summary["found"] == 301
    assert summary["artifacts"] == summary["texts"] + summary["underivable"] == 295
    assert summary["remaining"] == summary["unread"] == 0


def test_a_program_is_counted_for_its_rule() -> None:
    assert rule_of("/place/.snakemake/scripts/tmpab_1.extract.py") == "extract"
    assert rule_of("/place/.venv/bin/snakemake") == MAIN


@pytest.mark.slow
def test_the_parts_of_scale_on_a_few_documents(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bench.scale", "--documents", "200", "--sources", "2"]
    ran = subprocess.run(
        [*command, "--folder", str(tmp_path), "workflow", "sources", "single"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert "goal: extract jobs for one new document = 1 (asked <= 1): holds" in ran.stdout
    assert "one job a document" in ran.stdout
