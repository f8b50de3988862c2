"""Fixtures of the unit tests of the core library."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from centinel.http import Client
from centinel.store import Store
from tests.sites.server import Site
from tests.unit.folders import folder_for_all
from tests.unit.support import client


@pytest.fixture
def site() -> Iterator[Site]:
    """One host on the loopback interface that serves what the test tells it to."""
    with Site() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The folder of a source, which is not there yet."""
    return Store(tmp_path / "results", "town")


@pytest.fixture
def asking(tmp_path: Path) -> Client:
    """A client that neither pauses nor waits long before it asks again."""
    return client(tmp_path / "incoming")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder that is to be a source."""
    made = tmp_path / "papers"
    made.mkdir()
    return made


@pytest.fixture
def common() -> Iterator[Path]:
    """A folder that everybody may enter."""
    with folder_for_all() as made:
        yield made
