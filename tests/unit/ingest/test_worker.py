"""The worker over platforms that answer as the real ones do."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import DataFile, numbered
from tests.unit.ingest.ingesting import one, statuses, verdicts


@pytest.fixture
def platforms() -> Iterator[DatasetPlatforms]:
    """All platforms, on one server."""
    with DatasetPlatforms() as running:
        yield running


def test_a_fileset_is_fetched_file_by_file_and_verified(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [DataFile("a.csv", b"1"), DataFile("b.csv", b"22")])
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (True, "success"), row
    assert row["ingest_strategy"] == "web-fileset"
    assert (row["file_count"], row["total_size"]) == (2, 3)
    assert verdicts(row) == {"a.csv": "verified", "b.csv": "verified"}
    assert statuses(row) == {"a.csv": "success", "b.csv": "success"}
