"""A dataset's file whose blob was lost is asked for again, by itself."""

import pytest

from centinel.store import Store
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.unit.ingest.test_listing import A, B, Listed
from tests.unit.support import sha256
from tests.unit.verifying import flip, verified


@pytest.fixture
def listed(store: Store, platforms: DatasetPlatforms) -> Listed:
    """A source whose list is not there yet."""
    store.results.parent.mkdir(exist_ok=True)
    return Listed(store.results.parent, platforms)


def test_a_lost_file_of_a_dataset_is_had_again(listed: Listed) -> None:
    listed.write(listed.platforms.add_zenodo(1002, [A, B]))
    assert [row["hit"] for row in listed.run()] == [True]
    blob = sha256(A.body)
    flip(listed.store.blob(blob))
    shard = verified(listed.store, listed.clock)
    assert [each["artifact"].endswith("/files/a.csv/content") for each in shard.lost] == [True]
    counts = listed.acquire()

    assert (counts["asked"], counts["stored"]) == (1, 1)
    assert listed.store.has_blob(blob)
    assert [row["hit"] for row in listed.rows()] == [True]
