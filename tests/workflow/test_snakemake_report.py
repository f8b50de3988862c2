"""`snakemake --report` of the demo's town and a second source; what the README does with tables."""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from centinel.report import tables
from tests.browser.devtools import CHROMIUM, browser
from tests.readme import asked, lines_of, shown
from tests.sites.server import Site
from tests.sites.town import town
from tests.workflow.place import NO_PAUSE, Place
from tests.workflow.running import PROJECT, Workflow

ARTIFACTS = PROJECT / "tests" / ".artifacts"

NO_NETWORK = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
"""A port at which nothing answers, also for the loopback."""

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Made:
    """What a run left, and the report of it."""

    workflow: Workflow
    names: list[str]
    page: str

    def told(self, variable: str) -> Any:
        """What the page's script says of the results."""
        found = re.search(rf"^    var {variable} = (.*);$", self.page, re.M)
        assert found, variable
        return json.loads(found[1])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("reported")
    with Site(0) as site, Place() as place:
        town.serve(site)
        place.add_pages(["/one", "/two"])
        blocks = {"town": {"site": f"{site.address}/", **NO_PAUSE}, "village": place.block()}
        workflow = Workflow.make(folder / "run", blocks)
        workflow.run().succeeded()
    workflow.run(
        "--report",
        "results/snakemake-report.zip",
        environment={**NO_NETWORK, "no_proxy": "", "NO_PROXY": ""},
    ).succeeded()
    with zipfile.ZipFile(workflow.results / "snakemake-report.zip") as packed:
        packed.extractall(folder)
        page = packed.read("snakemake-report/report.html").decode()
        yield Made(workflow, packed.namelist(), page)


def test_each_source_is_a_category_with_its_audit_and_its_tables(made: Made) -> None:
    found = {name: paths for name, [paths] in categories(made).items()}
    assert found.pop("All sources") == ["results/report.html"]
    assert set(found) == {"town", "village"}
    for source, paths in found.items():
        tabled = {f"results/{source}/tables/{name}.csv" for name in tables.NAMES}
        assert set(paths) == {f"results/{source}/report.html", *tabled}


def categories(made: Made) -> dict[str, list[list[str]]]:
    return {name: list(groups.values()) for name, groups in made.told("categories").items()}


def test_each_file_is_in_it_as_it_lies_in_the_results_with_a_caption_of_its_own(
    made: Made,
) -> None:
    results = made.told("results")
    captions = set()
    with zipfile.ZipFile(made.workflow.results / "snakemake-report.zip") as packed:
        for path, told in results.items():
            kept = packed.read(f"snakemake-report/{told['data_uri']}")
            assert kept == (made.workflow.folder / path).read_bytes()
            assert "<p>" in told["caption"]
            assert ": ." not in told["caption"], "a table that the captions do not know"
            assert "system-message" not in told["caption"], "a fault of the caption's own text"
            captions.add(told["caption"])
    assert len(made.names) == len(results) + 1
    assert len(captions) == len(results)
    labels = {path: told["labels"]["document"] for path, told in results.items()}
    assert labels["results/town/report.html"] == "audit"
    assert labels["results/town/tables/crumbs.csv"] == "table: crumbs"


def test_it_says_how_long_each_rule_took(made: Made) -> None:
    jobs = made.told("runtimes_spec")["data"]["values"]
    rules = {"enumerate", "acquire", "classify", "extract", "report", "overview"}
    assert rules <= {job["rule"] for job in jobs}
    assert all(job["runtime"] > 0 for job in jobs)
    assert "system-message" not in made.told("workflow_desc")
    assert "<h1" in made.told("workflow_desc")


def test_a_second_report_is_the_same_and_leaves_nothing_to_do(made: Made) -> None:
    before = made.told("results")
    made.workflow.run("--report", "results/snakemake-report.zip").succeeded()
    with zipfile.ZipFile(made.workflow.results / "snakemake-report.zip") as packed:
        page = packed.read("snakemake-report/report.html").decode()
    assert Made(made.workflow, [], page).told("results") == before


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_a_browser_shows_it_without_a_request_elsewhere(made: Made, tmp_path: Path) -> None:
    page_file = made.workflow.folder.parent / "snakemake-report" / "report.html"
    ARTIFACTS.mkdir(exist_ok=True)
    with browser(tmp_path / "profile") as page:
        page.show(1400, 900)
        page.open(page_file)
        assert "The record of what is published" in page.run("document.body.innerText")
        page.picture(ARTIFACTS / "snakemake-report.png")
        page.run("app.showCategory('town')")
        shown = page.run("document.querySelector('nav').innerText")
        assert "audit" in shown
        assert "table: changes" in shown
        page.run("app.showResultInfo('results/town/tables/changes.csv')")
        assert "what happened to each address" in page.run("document.body.innerText")
        page.picture(ARTIFACTS / "snakemake-report-table.png")
        assert all(each.startswith(("file:", "data:", "blob:")) for each in page.requests)


def test_the_lines_of_the_readme_run_on_what_a_run_left(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made.workflow.folder)
    outcomes, blocked = shown()
    assert ("pdf", "text") in outcomes.select("kind", "outcome").rows()
    assert "http 403" in blocked["reason"].to_list()
    reasons, events, notes = (asked(line) for line in lines_of("sql"))
    assert "pdf" in {kind for kind, *_ in reasons}
    assert {event for event, *_ in events} == {"appeared"}
    assert notes
