"""Two runs at once: of different sources both succeed, of one source the second is refused."""

from pathlib import Path

import pytest

from tests.workflow.conftest import Archived
from tests.workflow.place import Hold, Place, html, publish
from tests.workflow.running import Workflow


def test_second_run_on_a_busy_source_is_refused_with_one_line(archived: Archived) -> None:
    hold = archived.place.hold("/news", html("News"))
    archived.place.listed.append("/news")
    workflow = archived.workflow
    with workflow.started("-R", "enumerate") as first:
        hold.wait()

        second = workflow.run("results/town/report.html", "-R", "enumerate").failed()

        assert len(second.own_lines) == 1, second.output
        assert "town" in second.own_lines[0]
        assert "busy" in second.own_lines[0]
        assert "Traceback" not in second.output
        assert not second.jobs
        assert first.is_running
        hold.released.set()
        first.ended().succeeded()
    assert workflow.reports() == {"report.html", "town/report.html"}
    assert len(workflow.derived("town")) == 7
    assert archived.place.asked("/news") == 1
    assert workflow.run().succeeded().had_nothing_to_do


def test_refused_run_leaves_the_reports_and_outputs_of_other_sources(
    archived: Archived,
) -> None:
    with Place() as village:
        hold = village.hold("/news", html("News"))
        village.listed.append("/news")
        workflow = archived.workflow
        workflow.write_sources({"town": archived.place.block(), "village": village.block()})
        with workflow.started("results/village/report.html") as first:
            hold.wait()

            plain = workflow.run("-R", "enumerate").failed()

            assert len(plain.own_lines) == 1, plain.output
            assert "village" in plain.own_lines[0]
            assert "town/report.html" in workflow.reports()
            assert archived.place.paths() == []
            hold.released.set()
            first.ended().succeeded()
        workflow.run().succeeded()
    assert workflow.reports() == {"report.html", "town/report.html", "village/report.html"}
    assert len(workflow.derived("village")) == 1


@pytest.mark.slow
def test_runs_on_different_sources_of_one_folder_both_succeed(tmp_path: Path) -> None:
    with Place() as town, Place() as village:
        hold = _two_sites(town, village)
        blocks = {"town": town.block(), "village": village.block()}
        workflow = Workflow.make(tmp_path / "both", blocks)
        _run_beside(hold, workflow, workflow)


def test_runs_of_two_folders_share_one_folder_of_results(tmp_path: Path) -> None:
    with Place() as town, Place() as village:
        hold = _two_sites(town, village)
        blocks = {"town": town.block(), "village": village.block()}
        results = str(tmp_path / "results")
        one = Workflow.make(tmp_path / "one", blocks, results)
        other = Workflow.make(tmp_path / "other", blocks, results)
        _run_beside(hold, one, other)


def _two_sites(town: Place, village: Place) -> Hold:
    """Fills two sites; a page of the town waits."""
    publish(town)
    publish(village)
    return town.hold("/roads", html("Roads"))


def _run_beside(hold: Hold, one: Workflow, other: Workflow) -> None:
    """Runs the village from its beginning to its end while the town's acquire waits."""
    with one.started(f"{one.results_name}/town/report.html") as first:
        hold.wait()

        second = other.run(f"{other.results_name}/village/report.html").succeeded()

        assert first.is_running
        assert other.reports() == {"village/report.html"}
        assert len(other.derived("village")) == 6
        hold.released.set()
        ran = first.ended().succeeded()
    assert (ran.jobs["report"], second.jobs["report"]) == (1, 1)
    assert one.reports() == {"town/report.html", "village/report.html"}
    assert len(one.derived("town")) == 6
    assert one.run().succeeded().jobs == {"overview": 1, "all": 1}
