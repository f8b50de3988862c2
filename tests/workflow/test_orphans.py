"""A job whose run is killed ends by itself, and a run that is started at once succeeds."""

from pathlib import Path

import pytest

from tests.workflow.conftest import Archived
from tests.workflow.place import pdf
from tests.workflow.running import wait_until
from tests.workflow.sabotage import Sabotage

STANDING_STILL = {
    "enumerate.py": "start",
    "acquire.py": "start",
    "classify.py": "work/pdf/*.jsonl",
    "extract.py": "text/pdf/*/*/*.md",
}


@pytest.mark.slow
@pytest.mark.parametrize("script", STANDING_STILL)
def test_job_ends_with_the_process_that_ran_it(
    archived: Archived, tmp_path: Path, script: str
) -> None:
    workflow, place = archived.workflow, archived.place
    place.add("/documents/plan.pdf", pdf("A plan for the shore"))
    moment = STANDING_STILL[script]
    sabotage = Sabotage.make(tmp_path / "sabotage", script, moment, stands_still=True)
    with workflow.started("-R", "enumerate", environment=sabotage.environment) as running:
        wait_until(lambda: sabotage.has_happened, f"{script} stands still")
        assert len(workflow.processes(script)) == 1
        running.kill_main_process_only()
        before = place.paths()
        if moment == "start":
            sabotage.go_on()
        wait_until(lambda: not workflow.processes(), f"{script} ends")
    assert place.paths() == before, "it asked for nothing any more"

    workflow.run().succeeded()

    assert workflow.reports() == {"report.html", "town/report.html"}
    assert len(workflow.derived("town")) == 7
    assert {line["outcome"] for line in workflow.derived_lines("town")} == {"text"}
    assert place.fetched() == ["/documents/plan.pdf"]
    assert workflow.leftovers("town") == []
    assert workflow.run().succeeded().had_nothing_to_do
