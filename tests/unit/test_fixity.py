"""Blobs are compared with their hashes and with the record; nothing is ever deleted."""

import errno
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centinel import fixity
from centinel.files import read_json
from centinel.fixity import Lost, verifying
from centinel.fixity.listing import Found, files_of
from centinel.fixity.verifying import compare, settle
from centinel.store import Store
from tests.unit.folders import as_nobody, folder_for_all
from tests.unit.support import DAY, NOON, PROPERTY, Clock, assert_valid, record_of, sha256
from tests.unit.verifying import flip, keep, tree, verified

TOWN = "https://town.example"
BODIES = {f"{TOWN}/{name}": f"the words of {name}".encode() for name in ("a", "b", "c")}
A, B, C = BODIES
EMPTY = b""


def last(store: Store) -> dict[str, Any]:
    """The last line of the record."""
    return record_of(store)[-1]


def test_whole_blobs_are_counted_and_the_record_says_that_they_were_verified(store: Store) -> None:
    keep(store, {**BODIES, f"{TOWN}/empty": EMPTY})
    before = tree(store)
    shard = verified(store, turn=3)
    assert (shard.files, shard.bytes) == (4, sum(map(len, BODIES.values())))
    assert (shard.damaged, shard.missing, shard.unknown, shard.lost) == ([], [], [], [])
    assert not shard.is_to_be_said
    assert tree(store) == before
    assert_valid([last(store)], "record_line")
    assert {key: last(store)[key] for key in ("type", "at", "shard", "files", "unknown")} == {
        "type": "fixity",
        "at": "2026-03-01T12:00:00.000000Z",
        "shard": "0-of-1",
        "files": 4,
        "unknown": 0,
    }
    kept = read_json(store.fixity_file("0-of-1"))
    assert kept is not None
    assert_valid([kept], "fixity")
    assert kept["turn"] == 3


@pytest.mark.parametrize("way", ["a bit", "the end", "everything", "more"])
def test_a_damaged_blob_is_set_aside_with_the_bytes_that_it_has(store: Store, way: str) -> None:
    blob = keep(store, BODIES)[B]
    path = store.blob(blob)
    other = {
        "a bit": flip(path),
        "the end": BODIES[B][:-1],
        "everything": b"",
        "more": BODIES[B] + b"\n",
    }[way]
    path.write_bytes(other)
    shard = verified(store)
    assert (shard.damaged, shard.missing) == ([blob], [])
    assert not path.exists()
    assert store.damaged_blob(blob).read_bytes() == other
    assert store.damaged_blob(blob).name == f"{blob}.damaged"
    assert [Lost.from_json(each) for each in shard.lost] == [Lost(blob, "damaged", B, B)]
    assert_valid([last(store)], "record_line")
    assert (last(store)["damaged"], last(store)["lost"]) == ([blob], shard.lost)
    assert (
        shard.in_words()
        == f"3 blobs verified, {shard.bytes} bytes; 1 damaged, 0 missing, 0 unknown"
    )


def test_a_missing_blob_is_told_with_every_artifact_that_was_observed_with_it(store: Store) -> None:
    same = {f"{TOWN}/x": b"same", f"{TOWN}/y": b"same"}
    blob = keep(store, {**BODIES, **same})[f"{TOWN}/x"]
    store.blob(blob).unlink()
    shard = verified(store)
    assert (shard.damaged, shard.missing) == ([], [blob])
    assert [each["artifact"] for each in shard.lost] == list(same)
    assert {each["found"] for each in shard.lost} == {"missing"}


def test_what_was_observed_before_the_newest_bytes_is_verified_too(store: Store) -> None:
    older = keep(store, {A: b"older"})[A]
    keep(store, {A: b"newer"})
    store.blob(older).unlink()
    assert verified(store).missing == [older]


def test_files_that_the_record_does_not_name_are_told_and_stay(store: Store) -> None:
    blob = keep(store, BODIES)[A]
    folder = store.blob(blob).parent
    orphan = sha256(b"nobody names it")
    store.blob(orphan).parent.mkdir(parents=True, exist_ok=True)
    store.blob(orphan).write_bytes(b"nobody names it")
    (folder / "Thumbs.db").write_bytes(b"x")
    (folder / ("0" * 64)).write_bytes(b"in a folder of another hash")
    (store.blobs / "notes.txt").write_bytes(b"x")
    (store.blobs / "lost+found").mkdir()
    (store.blobs / "zz" / "deep").mkdir(parents=True)
    (store.blobs / "zz" / "deep" / blob).write_bytes(BODIES[A])
    before = tree(store)
    shard = verified(store)
    assert shard.unknown == sorted(
        [
            store.relative(folder / "Thumbs.db"),
            store.relative(folder / ("0" * 64)),
            store.relative(store.blob(orphan)),
            "blobs/lost+found",
            "blobs/notes.txt",
            f"blobs/zz/deep/{blob}",
        ]
    )
    assert (shard.unknown_files, last(store)["unknown"]) == (6, 6)
    assert (shard.files, shard.damaged) == (4, [])
    assert tree(store) == before


def test_folders_that_lie_on_another_disk_are_looked_into(store: Store, tmp_path: Path) -> None:
    blob = keep(store, BODIES)[A]
    folder = store.blob(blob).parent
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    flip(store.blob(blob))
    assert verified(store).damaged == [blob]
    assert store.damaged_blob(blob).exists()


def test_a_folder_that_may_not_be_looked_into_is_unknown_where_no_blob_lies() -> None:
    with folder_for_all() as folder:
        store = Store(folder, "town")
        keep(store, BODIES)
        closed = store.blobs / "lost+found"
        closed.mkdir()
        (closed / "x").write_bytes(b"x")
        closed.chmod(0)
        with as_nobody(store.root):
            found = compare(store, "0-of-1")
    assert [Path(each).name for each in found.unknown] == ["lost+found"]


def test_sidecars_and_files_on_their_way_are_no_unknown_files(store: Store) -> None:
    blob = keep(store, BODIES)[A]
    store.kind_sidecar(blob).write_bytes(b"{}")
    (store.blob(blob).parent / f".{blob}.kind.json.4711.tmp").write_bytes(b"{")
    assert verified(store).unknown == []


def test_a_damaged_file_that_nobody_names_is_set_aside_and_nobody_misses_it(store: Store) -> None:
    keep(store, BODIES)
    orphan = sha256(b"whole")
    store.blob(orphan).parent.mkdir(parents=True, exist_ok=True)
    store.blob(orphan).write_bytes(b"damaged")
    shard = verified(store)
    assert (shard.damaged, shard.lost, shard.unknown) == ([orphan], [], [])
    assert store.damaged_blob(orphan).exists()


def test_the_list_of_unknown_files_is_cut_and_the_count_is_not(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, BODIES)
    monkeypatch.setattr(verifying, "MOST_NAMED", 2)
    for number in range(5):
        (store.blobs / f"{number}.txt").write_bytes(b"x")
    shard = verified(store)
    assert (shard.unknown, shard.unknown_files) == (["blobs/0.txt", "blobs/1.txt"], 5)


def test_damage_of_a_blob_that_came_back_never_overwrites_what_was_set_aside(store: Store) -> None:
    blob = keep(store, BODIES)[A]
    first = flip(store.blob(blob))
    verified(store)
    store.blob(blob).write_bytes(b"damaged again")
    shard = verified(store)
    assert store.damaged_blob(blob).read_bytes() == first
    assert store.damaged_blob(blob, 2).read_bytes() == b"damaged again"
    assert store.damaged_blob(blob, 2).name == f"{blob}.2.damaged"
    store.blob(blob).write_bytes(BODIES[A])
    shard = verified(store)
    assert (shard.damaged, shard.missing, shard.unknown, shard.set_aside) == ([], [], [], 2)


def test_what_is_set_aside_and_not_back_stays_damaged(store: Store) -> None:
    blob = keep(store, BODIES)[A]
    flip(store.blob(blob))
    verified(store)
    shard = verified(store)
    assert (shard.damaged, shard.missing, shard.set_aside) == ([blob], [], 1)
    assert [each["found"] for each in shard.lost] == ["damaged"]


def test_a_kill_after_a_blob_was_set_aside_loses_nothing_that_is_to_be_said(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = keep(store, BODIES)[A]
    flip(store.blob(blob))
    lines = len(record_of(store))

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(verifying, "_say", killed)
        with pytest.raises(KeyboardInterrupt):
            verified(store)
    assert store.damaged_blob(blob).exists()
    assert len(record_of(store)) == lines
    assert fixity.read(store) is None
    shard = verified(store)
    assert shard.damaged == [blob]
    assert last(store)["lost"] == [Lost(blob, "damaged", A, A).to_json()]


def test_a_fault_of_the_memory_sets_no_good_blob_aside(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(store, BODIES)
    with monkeypatch.context() as patched:
        patched.setattr(verifying, "_hash", lambda _path: ("0" * 64, 1))
        found = compare(store, "0-of-1")
    assert len(found.damaged) == 3
    assert settle(store, found, 0, Clock()).damaged == []
    assert len(tree(store)) == 3


def test_bytes_that_the_disk_lost_are_damage_and_a_file_that_may_not_be_read_is_none(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = keep(store, BODIES)[A]
    read, number = os.read, errno.EIO

    def failing(descriptor: int, size: int) -> bytes:
        if Path(f"/proc/self/fd/{descriptor}").resolve().name == blob:
            raise OSError(number, os.strerror(number))
        return read(descriptor, size)

    monkeypatch.setattr(verifying.os, "read", failing)
    assert verified(store).damaged == [blob]
    store.damaged_blob(blob).rename(store.blob(blob))
    number = errno.EACCES
    with pytest.raises(PermissionError):
        compare(store, "0-of-1")
    assert store.has_blob(blob)


def test_what_others_write_meanwhile_is_neither_missing_nor_unknown(store: Store) -> None:
    blobs = keep(store, BODIES)
    store.blob(blobs[A]).unlink()
    listed = sha256(b"its line comes later")
    store.blob(listed).parent.mkdir(parents=True, exist_ok=True)
    store.blob(listed).write_bytes(b"its line comes later")
    found = compare(store, "0-of-1")
    assert (found.missing, list(found.unknown.values())) == ({blobs[A]}, [listed])
    keep(store, {A: BODIES[A], f"{TOWN}/new": b"its line comes later", f"{TOWN}/newer": b"newer"})
    shard = settle(store, found, 0, Clock())
    assert (shard.missing, shard.unknown) == ([], [])


def test_a_disk_that_is_not_mounted_is_no_loss(store: Store, tmp_path: Path) -> None:
    bodies = {f"{TOWN}/{number}": f"{number}".encode() for number in range(verifying.FEW + 1)}
    keep(store, bodies)
    lines = record_of(store)
    store.blobs.rename(tmp_path / "elsewhere")
    store.blobs.mkdir()
    with pytest.raises(OSError, match=r"none of 33 blobs is there: mount their disk") as caught:
        verified(store)
    assert caught.value.filename == str(store.blobs)
    assert record_of(store) == lines
    found = compare(store, "0-of-1", all_lost=True)
    assert len(settle(store, found, 0, Clock()).missing) == 33
    first = sha256(b"0")
    store.blob(first).parent.mkdir(parents=True)
    store.blob(first).write_bytes(b"0")
    assert len(verified(store).missing) == 32, "one that is there shows that the disk is"


def test_a_torn_line_names_no_blob(store: Store) -> None:
    keep(store, {A: BODIES[A]})
    month = next(store.record.glob("*.jsonl"))
    keep(store, {B: BODIES[B]})
    month.write_bytes(month.read_bytes()[:-9])
    shard = verified(store)
    assert shard.unknown == [store.relative(store.blob(sha256(BODIES[B])))]


def test_a_store_without_anything_is_verified_in_an_instant(store: Store) -> None:
    assert fixity.read(store) is None
    assert verified(store).files == 0


def test_what_was_found_last_is_read_with_what_is_mended_since(store: Store) -> None:
    blobs = keep(store, BODIES)
    flip(store.blob(blobs[A]))
    store.blob(blobs[B]).unlink()
    (store.blobs / "stray").write_bytes(b"x")
    verified(store)
    found = fixity.read(store)
    assert found is not None
    assert (found.files, found.damaged, found.missing, found.unknown) == (2, 1, 1, 1)
    assert [each.artifact for each in found.lost] == sorted([A, B], key=lambda each: blobs[each])
    assert found.complete_at == "2026-03-01T12:00:00.000000Z"
    store.blob(blobs[A]).write_bytes(BODIES[A])
    found = fixity.read(store)
    assert found is not None
    assert (found.mended, [each.artifact for each in found.lost]) == ({blobs[A]}, [B])


def test_the_whole_is_as_old_as_the_shard_that_waited_longest(store: Store) -> None:
    keep(store, BODIES)
    clock = Clock()
    names = [f"{number:02d}-of-16" for number in range(16)]
    for name in names[:-1]:
        verified(store, clock, name)
        clock.move(DAY)
    found = fixity.read(store)
    assert found is not None
    assert (len(found.shards), found.count, found.complete_at) == (15, 16, None)
    verified(store, clock, names[-1])
    found = fixity.read(store)
    assert found is not None
    assert found.complete_at == NOON.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert found.files == 3


@settings(PROPERTY, max_examples=25)  # each syncs its files to disk
@given(st.sets(st.binary(max_size=4), max_size=30), st.sampled_from([1, 16]))
def test_each_file_is_in_one_shard(bodies: set[bytes], count: int) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder), "town")
        keep(store, {f"{TOWN}/{body.hex()}": body for body in sorted(bodies)})
        store.blobs.mkdir(parents=True, exist_ok=True)
        (store.blobs / "stray").write_bytes(b"x")
        width = len(str(count - 1))
        shards = [f"{number:0{width}d}-of-{count}" for number in range(count)]
        entries = [entry for shard in shards for entry in files_of(store, shard)]
        blobs = [entry.name for entry in entries if entry.found is Found.BLOB]
        assert sorted(blobs) == sorted(map(sha256, bodies))
        assert len(entries) == len(bodies) + 1
        assert all(verified(store, shard=shard).missing == [] for shard in shards)
