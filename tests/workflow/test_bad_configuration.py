"""What is wrong in the configuration stops a run before its first request, in one line."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflow.place import Place
from tests.workflow.running import Ran, Workflow


@dataclass(frozen=True)
class Fault:
    """A sources file or a setting that is wrong, and what the line about it has to name."""

    sources: str | None = "town:\n  site: {site}\n"
    config: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    """File, key, and words of the fix."""


FAULTS = {
    "unknown key": Fault(
        "town:\n  site: {site}\n  excludes: [x]\n",
        names=("sources.yaml", "town", "excludes", "did you mean 'exclude'"),
    ),
    "two kind keys": Fault(
        "town:\n  site: {site}\n  channel: {site}\n",
        names=("sources.yaml", "town", "site and channel", "keep exactly one"),
    ),
    "bad id": Fault(
        "Town of Alder:\n  site: {site}\n",
        names=("sources.yaml", "Town of Alder", "id", "a-z"),
    ),
    "bad value": Fault(
        "town:\n  site: {site}\n  rps: -1\n",
        names=("sources.yaml", "town.rps", "-1", "above 0"),
    ),
    "kind that this version does not have": Fault(
        "town:\n  query: {{platform: none}}\n", names=("sources.yaml", "town.query")
    ),
    "missing sources file": Fault(
        None, names=("sources.yaml", "No such file", "name a file that is there")
    ),
    "broken YAML": Fault(
        "town:\n  site: [{site}\n", names=("sources.yaml", "line", "mend the YAML")
    ),
    "doubled key": Fault(
        "town:\n  site: {site}\ntown:\n  site: {site}\n",
        names=("sources.yaml", "line 3", "'town' stands twice", "mend"),
    ),
    "unknown reader": Fault(
        config=("pipeline={pdf: {readers: [pdfinspector]}}",),
        names=("config/pipeline.yaml", "pdf.readers", "pdfinspector", "pdf_inspector"),
    ),
    "reader of another kind": Fault(
        config=("pipeline={csv: {readers: [pdf_inspector]}}",),
        names=("config/pipeline.yaml", "csv.readers", "pdf_inspector"),
    ),
    "unknown kind": Fault(
        config=("pipeline={pfd: {version: 2}}",),
        names=("config/pipeline.yaml", "pfd", "did you mean 'pdf'"),
    ),
    "unknown setting": Fault(
        config=("stict=true",), names=("config/config.yaml", "stict", "did you mean 'strict'")
    ),
    "unknown source": Fault(
        arguments=("results/twon/report.html",), names=("sources.yaml", "twon", "add a block")
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_stops_the_run_in_one_line_before_the_first_request(
    place: Place, tmp_path: Path, name: str
) -> None:
    fault = FAULTS[name]
    place.add_pages(["/council"])
    workflow = Workflow.make(tmp_path / "wrong", {})
    file = workflow.folder / "sources.yaml"
    file.unlink()
    if fault.sources is not None:
        file.write_text(fault.sources.format(site=f"{place.address}/"))

    ran = workflow.run(*fault.arguments, config=fault.config).failed()

    _is_one_line_that_names(ran, fault.names)
    assert place.paths() == []
    assert not ran.jobs
    assert not list(workflow.results.glob("*/snapshot.json"))


def _is_one_line_that_names(ran: Ran, names: tuple[str, ...]) -> None:
    assert "Traceback" not in ran.output, ran.output
    assert len(ran.own_lines) == 1, ran.output
    missing = [name for name in names if name not in ran.own_lines[0]]
    assert not missing, ran.own_lines[0]
    assert ran.output.rstrip().splitlines()[-1] == ran.own_lines[0], "it is the last thing said"


def test_fault_in_the_sources_leaves_the_reports_that_stand(place: Place, tmp_path: Path) -> None:
    place.add_pages(["/council"])
    workflow = Workflow.make(tmp_path / "later", {"town": place.block()})
    workflow.run().succeeded()
    workflow.write_sources({"town": place.block(limits=3)})

    workflow.run("-R", "enumerate").failed()

    assert workflow.reports() == {"report.html", "town/report.html"}
    assert len(workflow.derived("town")) == 1
    workflow.write_sources({"town": place.block()})
    assert workflow.run().succeeded().had_nothing_to_do
