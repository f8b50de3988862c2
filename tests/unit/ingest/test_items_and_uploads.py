"""Filesets beyond the bounds of the web: staged as items, reused, and uploaded where it is said."""

import os
import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest

from centinel.ingest import items, uploading
from centinel.ingest.model import ManifestFile, Observed
from centinel.ingest.worker import SOURCE
from centinel.store import Store
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import DataFile, archive_file
from tests.unit.ingest.ingesting import one, verdicts
from tests.unit.support import lines_of

A, B = DataFile("a.csv", b"1,2\n"), DataFile("b.csv", b"3,4,5\n", "deep/er")
STAGED = [{"strategy": "archiveorg-file", "files": 1}, {"strategy": "archiveorg-fileset"}]
BUNDLED = [{"strategy": "archiveorg-fileset-bundled"}]
KEYS = {"IA_ACCESS_KEY_ID": "key", "IA_SECRET_ACCESS_KEY": "hidden-key"}


def texts(path: Path, tag: str) -> list[str | None]:
    """The texts of a tag of an XML file."""
    return [each.text for each in ElementTree.parse(path).getroot().iter(tag)]


def test_a_fileset_over_the_bounds_is_staged_ready_for_upload(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    row = one(tmp_path, platforms, address, strategies=STAGED)
    assert (row["status"], row["ingest_strategy"]) == ("success", "archiveorg-fileset"), row
    assert row["archiveorg_item_name"] == "zenodo.org-1002"
    assert row["item_folder"] == "ingest/items/zenodo.org-1002"
    folder = Store(tmp_path, SOURCE).root / row["item_folder"]
    assert (folder / "a.csv").read_bytes() == A.body
    assert (folder / "deep/er/b.csv").read_bytes() == B.body
    assert texts(folder / "zenodo.org-1002_meta.xml", "identifier") == ["zenodo.org-1002"]
    assert A.md5 in texts(folder / "zenodo.org-1002_files.xml", "md5")
    listed = ElementTree.parse(folder / "zenodo.org-1002_files.xml").getroot()
    assert [each.get("name") for each in listed][:2] == ["a.csv", "deep/er/b.csv"]
    (entity,) = lines_of(Store(tmp_path, SOURCE).ingest_filesets)
    assert entity["provenance"]["archiveorg_item_name"] == "zenodo.org-1002"


def test_a_staged_item_is_reused_and_a_file_that_is_gone_is_made_again(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    row = one(tmp_path, platforms, address, strategies=STAGED)
    folder = Store(tmp_path, SOURCE).root / row["item_folder"]
    before = (folder / "a.csv").stat().st_ino
    (folder / "deep/er/b.csv").unlink()
    one(tmp_path, platforms, address, strategies=STAGED)
    assert (folder / "a.csv").stat().st_ino == before
    assert (folder / "deep/er/b.csv").read_bytes() == B.body


def test_a_bundle_is_staged_as_one_file_of_the_item(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    row = one(tmp_path, platforms, address, strategies=BUNDLED)
    assert (row["status"], row["ingest_strategy"]) == ("success", "archiveorg-fileset-bundled")
    folder = Store(tmp_path, SOURCE).root / row["item_folder"]
    assert row["item_bundle_path"] == "zenodo.org-1002.zip"
    assert (folder / row["item_bundle_path"]).read_bytes()[:2] == b"PK"


def test_an_item_of_archive_org_is_checked_and_never_made_again(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_archiveorg("CAT_DATASET", [A, B])
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (True, "success-existing"), row
    assert row["ingest_strategy"] == "archiveorg-fileset"
    assert set(verdicts(row).values()) == {"verified"}
    assert row["archiveorg_item_name"] == "CAT_DATASET"
    assert "item_folder" not in row
    assert not (Store(tmp_path, SOURCE).ingest / "items").exists()


def test_an_item_of_one_file_says_so_each_time(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_archiveorg("ONE_FILE", [A])
    rows = [one(tmp_path, platforms, address) for _ in range(2)]
    assert [each["ingest_strategy"] for each in rows] == ["archiveorg-file"] * 2
    assert [each["status"] for each in rows] == ["success-existing"] * 2
    (entity,) = lines_of(Store(tmp_path, SOURCE).ingest_filesets)
    assert entity["entity"] == "file"


@pytest.mark.parametrize(
    ("stated", "domain", "identity", "name"),
    [
        (None, "zenodo.org", "1", "zenodo.org-1"),
        ("../../etc", "x", "1", "etc"),
        ("a b/ü", "x", "1", "a-b"),
        ("/", "", "..", "item"),
        ("x" * 300, "x", "1", "x" * 100),
    ],
)
def test_the_name_of_an_item_is_safe_as_a_folder(
    stated: str | None, domain: str, identity: str, name: str
) -> None:
    assert items.item_name(stated, domain, identity) == name


FILE = ManifestFile("a.csv", 4, A.md5, observed=Observed(4, A.md5, A.digest("sha1")))


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        ({}, {"a.csv": "exists"}),
        ({"size": "5"}, {"a.csv": "mismatch-existing"}),
        ({"md5": "0" * 32}, {"a.csv": "mismatch-existing"}),
        ({"md5": None, "sha1": None}, {"a.csv": "mismatch-existing"}),
        ({"name": "other.csv"}, {}),
    ],
)
def test_what_an_item_holds_is_told_by_name_size_and_hash(
    changes: dict[str, str | None], held: dict[str, str]
) -> None:
    listing = {"files": [archive_file(A) | changes, None, "x"]}
    assert items.held_by(listing, [FILE]) == held
    assert items.held_by({"files": "changed"}, [FILE]) == {}


def fake_program(folder: Path, code: int = 0) -> Path:
    """An `ia` that keeps what it was given, and whether it was given the keys."""
    folder.mkdir()
    path = folder / "ia"
    path.write_text(
        f'#!/bin/sh\necho "$@" > {folder}/arguments\ncp "$3" {folder}/list.csv\n'
        f'test "$2" = --spreadsheet && test "$IA_SECRET_ACCESS_KEY" = hidden-key || exit 3\n'
        f"exit {code}\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def uploaded(
    tmp_path: Path,
    platforms: DatasetPlatforms,
    monkeypatch: pytest.MonkeyPatch,
    code: int = 0,
) -> dict[str, object]:
    """The row of a request whose item is to be uploaded by a program that ends with a code."""
    program = fake_program(tmp_path / "bin", code)
    monkeypatch.setenv("PATH", f"{program}{os.pathsep}{os.environ['PATH']}")
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    archiveorg = {"upload": True, "collection": "datasets", "url": platforms.hosts["archive.org"]}
    address = platforms.add_zenodo(1002, [A, B])
    return one(tmp_path, platforms, address, strategies=STAGED, archiveorg=archiveorg)


def test_an_item_is_uploaded_where_the_configuration_says_so_and_keys_are_there(
    tmp_path: Path, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = uploaded(tmp_path, platforms, monkeypatch)
    assert (row["hit"], row["status"]) == (True, "success"), row
    assert platforms.asked("/archive.org/metadata/zenodo.org-1002") == 1
    lines = (tmp_path / "bin" / "list.csv").read_text().splitlines()
    assert lines[0].startswith("identifier,file,REMOTE_NAME,")
    assert lines[2].startswith("zenodo.org-1002,./deep/er/b.csv,deep/er/b.csv")
    assert "datasets" in lines[1]
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and "bin" not in path.parts]
    assert [path for path in kept if b"hidden-key" in path.read_bytes()] == []


def test_an_upload_that_failed_is_a_status(
    tmp_path: Path, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = uploaded(tmp_path, platforms, monkeypatch, code=1)
    assert (row["hit"], row["status"]) == (False, "error-archiveorg-upload")


def test_an_item_that_has_everything_in_another_order_is_not_uploaded_again(
    tmp_path: Path, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    platforms.add_archiveorg("zenodo.org-1002", [B, A])
    row = uploaded(tmp_path, platforms, monkeypatch)
    assert (row["hit"], row["status"]) == (True, "success-existing")
    assert not (tmp_path / "bin" / "arguments").exists()


def test_an_item_with_another_file_of_the_name_is_left_alone(
    tmp_path: Path, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    platforms.add_archiveorg("zenodo.org-1002", [DataFile("a.csv", b"else"), B])
    row = uploaded(tmp_path, platforms, monkeypatch)
    assert (row["hit"], row["status"]) == (False, "mismatch-existing")
    assert not (tmp_path / "bin" / "arguments").exists()


def test_without_keys_nothing_is_uploaded(
    tmp_path: Path, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    for names in uploading.KEYS:
        for name in names:
            monkeypatch.delenv(name, raising=False)
    address = platforms.add_zenodo(1002, [A, B])
    archiveorg = {"upload": True, "url": platforms.hosts["archive.org"]}
    row = one(tmp_path, platforms, address, strategies=STAGED, archiveorg=archiveorg)
    assert row["status"] == "success"
    assert platforms.asked("/archive.org/metadata/zenodo.org-1002") == 0
