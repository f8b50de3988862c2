"""A folder's file whose blob was lost is read again, where it is still there."""

from pathlib import Path

import pytest

from centinel import snapshot
from centinel.sources.folder import Folder
from centinel.store import Store
from tests.unit.folders import block, write
from tests.unit.support import Clock, acquire, client, sha256, statuses_of
from tests.unit.verifying import flip, verified

BLOB = sha256(b"minutes")


@pytest.mark.parametrize("is_there", [True, False])
def test_a_lost_file_is_read_again_where_it_is_still_there(
    root: Path, tmp_path: Path, is_there: bool
) -> None:
    store, clock, given = Store(tmp_path / "results", "town"), Clock(), block(root)
    path = write(root, "minutes.txt", b"minutes")
    snapshot.take(store, given, Folder(), client(store.incoming), clock)
    acquire(store, given, clock, kind=Folder())
    flip(store.blob(BLOB))
    verified(store, clock)
    if not is_there:
        path.unlink()
    _, state = acquire(store, given, clock, kind=Folder())
    assert (store.has_blob(BLOB), state["remaining"]) == (is_there, 0)
    liveness = {name: line["liveness"] for name, line in statuses_of(store).items()}
    assert liveness == ({} if is_there else {"file:///minutes.txt": "gone"})
