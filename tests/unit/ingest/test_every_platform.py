"""Each platform, from a request to files that were fetched and verified, over HTTP."""

from pathlib import Path

import pytest

from tests.sites.dataset_platforms import CHALLENGE, DatasetPlatforms
from tests.sites.dataset_shapes import DataFile, dataverse_file, numbered
from tests.sites.server import Answer
from tests.unit.ingest.ingesting import one, statuses, verdicts
from tests.unit.ingest.test_dataset_sites import CASES


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_request_ends_in_verified_files(
    name: str, tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    files, make = CASES[name]
    row = one(tmp_path, platforms, make(platforms))
    assert (row["status"], row["hit"], row["platform"]) == (
        "success-existing" if name == "archiveorg" else "success",
        True,
        name,
    ), row["error_message"]
    assert (row["file_count"], row["total_size"]) == (len(files), sum(each.size for each in files))
    assert set(verdicts(row).values()) == {"verified"}


def test_a_doi_is_followed_to_its_platform(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, [DataFile("a.csv"), DataFile("b.csv", b"b")])
    row = one(tmp_path, platforms, platforms.resolve("10.5281/zenodo.1002", address))
    assert (row["status"], row["platform_id"]) == ("success", "1002"), row["error_message"]


def test_a_concept_doi_is_out_of_scope(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, [DataFile("a.csv")])
    row = one(tmp_path, platforms, platforms.resolve("10.5281/zenodo.1001", address))
    assert (row["status"], row["hit"], row["platform_id"]) == ("platform-scope", False, "1002")


def test_more_than_ten_files_of_figshare_are_all_fetched(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    platforms.page_cap = 10
    row = one(tmp_path, platforms, platforms.add_figshare(123, 2, numbered(13)))
    assert (row["status"], row["file_count"]) == ("success", 13), row["error_message"]
    assert len(row["manifest"]) == 13


def test_a_wall_before_one_host_of_figshare_is_walked_around(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_figshare(123, 2, [DataFile("a.csv"), DataFile("b.csv", b"b")])
    platforms.set("/ndownloader.figshare.com/files/123000", CHALLENGE)
    row = one(tmp_path, platforms, address)
    assert (row["status"], set(verdicts(row).values())) == ("success", {"verified"})


def test_one_name_that_leads_out_leaves_the_other_files(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    files = [DataFile("../../../up.csv"), DataFile("a.csv")]
    row = one(tmp_path, platforms, platforms.add_zenodo(1002, files))
    assert (row["hit"], statuses(row)) == (False, {"unsafe-1": "unsafe-path", "a.csv": "success"})
    assert not list(tmp_path.rglob("up.csv"))


def test_files_without_identifiers_are_fetched(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    pid = "doi:10.5072/FK2/J8SJZB"
    files = [DataFile("a.csv"), DataFile("b.csv", b"b")]
    rows = [dataverse_file(each, 7 + at, pid, persistentId="") for at, each in enumerate(files)]
    row = one(tmp_path, platforms, platforms.add_dataverse(pid, files, rows=rows))
    assert (row["status"], set(verdicts(row).values())) == ("success", {"verified"})


def test_a_link_that_moved_is_found_again(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, [DataFile("a.csv"), DataFile("b.csv", b"b")])
    record = platforms.values["/zenodo.org/api/records/1002"]
    record["files"][0]["links"]["self"] = "https://zenodo.org/api/files/bucket/a.csv"
    record["files"][0]["checksum"] = DataFile("a.csv").md5
    row = one(tmp_path, platforms, address)
    assert (row["status"], set(verdicts(row).values())) == ("success", {"verified"})


def test_a_wrong_checksum_spoils_one_file(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_ckan("trees", [DataFile("a.csv"), DataFile("b.csv", b"b")])
    shown = platforms.values["/api/3/action/package_show?id=trees"]
    shown["result"]["resources"][0]["hash"] = "f" * 32
    row = one(tmp_path, platforms, address)
    assert (row["hit"], verdicts(row)) == (False, {"a.csv": "mismatch:md5", "b.csv": "verified"})


def test_an_item_that_changed_its_shape_has_that_status(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_osf("abcd5", [DataFile("a.csv")])
    platforms.set(
        "/api.osf.io/v2/nodes/abcd5/?related_counts=children",
        Answer(b'{"data": []}', "application/json"),
    )
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, "platform-schema-changed")
    assert row["error_message"].startswith("schema changed: data of the node is no object")
