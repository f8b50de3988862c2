"""Fixtures of the unit tests of the core library."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from centinel.store import Store
from tests.sites.server import Site


@pytest.fixture
def site() -> Iterator[Site]:
    """One host on the loopback interface that serves what the test tells it to."""
    with Site() as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The folder of a source, which is not there yet."""
    return Store(tmp_path / "results", "town")
