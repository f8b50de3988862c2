"""A site that was archived once, for the tests that begin where a first run ended."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.workflow.place import Place, publish
from tests.workflow.running import Ran, Workflow


@dataclass(frozen=True)
class Archived:
    """A site, and a folder in which the workflow ran on it once under the id `town`."""

    place: Place
    workflow: Workflow
    ran: Ran


@pytest.fixture
def place() -> Iterator[Place]:
    """A running site that lists nothing."""
    with Place() as running:
        yield running


@pytest.fixture(scope="session")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archived]:
    with Place() as running:
        publish(running)
        folder = tmp_path_factory.mktemp("archived") / "first"
        workflow = Workflow.make(folder, {"town": running.block()})
        yield Archived(running, workflow, workflow.run().succeeded())


@pytest.fixture
def archived(first_run: Archived, tmp_path: Path) -> Archived:
    """A copy of what the first run left, and its site as it was then, never asked since."""
    first_run.place.clear()
    publish(first_run.place)
    workflow = first_run.workflow.copy(tmp_path / "copy")
    return Archived(first_run.place, workflow, first_run.ran)
