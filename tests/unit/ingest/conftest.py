"""Fixtures of the tests of ingest."""

from collections.abc import Iterator

import pytest

from tests.sites.dataset_platforms import DatasetPlatforms


@pytest.fixture
def platforms() -> Iterator[DatasetPlatforms]:
    """All platforms, on one server."""
    with DatasetPlatforms() as running:
        yield running
