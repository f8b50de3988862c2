"""The worker over platforms that answer as the real ones do."""

import gzip
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from centinel.ingest.worker import SOURCE
from centinel.store import Store
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import DataFile, numbered
from tests.sites.server import Answer, page
from tests.unit.ingest.ingesting import ingest, one, statuses, verdicts
from tests.unit.support import DAY, Clock, assert_valid, files_under, lines_of, record_of, sha256

A, B, C = DataFile("a.csv", b"1,2\n"), DataFile("b.csv", b"3,4,5\n"), DataFile("c.csv", b"6\n")


def files_asked(platforms: DatasetPlatforms) -> list[str]:
    """What was asked for a file's bytes."""
    return [each for each in platforms.paths() if each.endswith("/content")]


def saved(results: Path) -> dict[str, str]:
    """The statuses in the table, by address."""
    with closing(sqlite3.connect(results / "ingest.sqlite")) as connection:
        return dict(connection.execute("select base_url, status from ingest_fileset_result"))


def test_a_page_of_no_platform_is_kept_and_is_no_hit(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    platforms.set("/about", Answer(page("About us", "<p>Words.</p>"), "text/html"))
    row = one(tmp_path, platforms, f"{platforms.address}/about")
    assert (row["hit"], row["status"], row["platform"]) == (False, "no-platform-match", None)
    assert row["html_biblio"] == {"title": "About us"}
    (state,) = lines_of(Store(tmp_path, SOURCE).resources)
    assert (state["liveness"], state["owed"]) == ("live", [])


def test_a_fileset_is_fetched_file_by_file_and_verified(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    row = one(tmp_path, platforms, platforms.add_zenodo(1002, [A, B]))
    assert (row["hit"], row["status"]) == (True, "success"), row
    assert (row["platform"], row["platform_id"]) == ("zenodo", "1002")
    assert row["ingest_strategy"] == "web-fileset"
    assert row["strategy_reason"].startswith("2 files, 10 bytes")
    assert (row["file_count"], row["total_size"]) == (2, 10)
    assert verdicts(row) == {"a.csv": "verified", "b.csv": "verified"}
    assert row["files_by_status"] == {"success": 2}
    assert row["terminal_status_code"] == 200
    first = row["manifest"][0]
    assert first["md5"] == A.md5
    assert first["sha256"] is None, "what is observed never stands as declared"
    assert first["observed"]["sha256"] == sha256(A.body)
    assert first["observed"]["sha1"] == A.digest("sha1")
    assert first["evidence"] == "md5"
    assert first["terminal_url"] == "https://zenodo.org/api/records/1002/files/a.csv/content"
    assert first["terminal_dt"] == "20260301120000"


def test_landing_page_metadata_and_files_are_artifacts_of_their_own(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    one(tmp_path, platforms, address)
    store = Store(tmp_path, SOURCE)
    artifacts = {each["artifact"]: each for each in lines_of(store.artifacts)}
    base = "https://zenodo.org/api/records/1002/files"
    assert set(artifacts) == {
        address,
        f"{address}#metadata",
        f"{base}/a.csv/content",
        f"{base}/b.csv/content",
    }
    assert {each["resource"] for each in artifacts.values()} == {address}
    capture = orjson.loads(store.blob(artifacts[f"{address}#metadata"]["blob"]).read_bytes())
    (answer,) = [each for each in capture["answers"] if each["address"].endswith("/1002")]
    assert sha256(answer["body"].encode()) == answer["sha256"], "as it was served"
    assert_valid(record_of(store), "record_line")


def test_a_finished_request_is_answered_from_the_record(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    first = one(tmp_path, platforms, address)
    platforms.forget_requests()
    again = one(tmp_path, platforms, address)
    assert platforms.paths() == []
    assert again == first


def test_a_file_that_failed_is_asked_again_and_no_other(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address, clock = platforms.add_zenodo(1002, [A, B, C]), Clock()
    body = platforms.bodies.pop("/zenodo.org/api/records/1002/files/b.csv/content")
    row = one(tmp_path, platforms, address, clock=clock)
    assert (row["hit"], row["status"]) == (False, "error-platform-download")
    assert row["files_by_status"] == {"error-platform-download": 1, "success": 2}
    assert row["error_message"] == "b.csv: http 404"
    assert row["retry_at"] == "2026-03-02T12:00:00.000000Z"
    platforms.bodies["/zenodo.org/api/records/1002/files/b.csv/content"] = body
    platforms.forget_requests()
    assert not one(tmp_path, platforms, address, clock=clock)["hit"], "not before its time"
    assert files_asked(platforms) == []
    clock.move(DAY + timedelta(seconds=1))
    row = one(tmp_path, platforms, address, clock=clock)
    assert files_asked(platforms) == ["/zenodo.org/api/records/1002/files/b.csv/content"]
    assert (row["hit"], row["status"]) == (True, "success")


def test_force_asks_before_its_time_for_what_is_missing(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    body = platforms.bodies.pop("/zenodo.org/api/records/1002/files/b.csv/content")
    assert not one(tmp_path, platforms, address)["hit"]
    platforms.bodies["/zenodo.org/api/records/1002/files/b.csv/content"] = body
    platforms.forget_requests()
    request = {"ingest_type": "dataset", "base_url": address, "force_recrawl": True}
    assert one(tmp_path, platforms, request)["status"] == "success"
    assert files_asked(platforms) == ["/zenodo.org/api/records/1002/files/b.csv/content"]
    assert platforms.asked("/zenodo.org/records/1002") == 1


def test_a_wrong_checksum_is_a_mismatch_and_the_bytes_are_kept(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    path = "/zenodo.org/api/records/1002/files/b.csv/content"
    platforms.bodies[path] = (b"9,9,9\n", "text/csv")
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, "mismatch-md5")
    assert verdicts(row) == {"a.csv": "verified", "b.csv": "mismatch:md5"}
    other = row["manifest"][1]
    assert other["md5"] == B.md5, "the declaration stands"
    assert Store(tmp_path, SOURCE).is_intact(other["observed"]["sha256"])


@pytest.mark.parametrize("is_forced", [True, False])
def test_what_was_not_as_declared_is_asked_for_whole_again(
    tmp_path: Path, platforms: DatasetPlatforms, is_forced: bool
) -> None:
    address, clock = platforms.add_zenodo(1002, [A, B]), Clock()
    path = "/zenodo.org/api/records/1002/files/b.csv/content"
    whole, platforms.bodies[path] = platforms.bodies[path], (b"9,9,9\n", "text/csv")
    assert not one(tmp_path, platforms, address, clock=clock)["hit"]
    platforms.bodies[path] = whole
    platforms.forget_requests()
    if not is_forced:
        clock.move(8 * DAY)
    request = {"ingest_type": "dataset", "base_url": address, "force_recrawl": is_forced}
    assert one(tmp_path, platforms, request, clock=clock)["hit"]
    asked = [each for each in platforms.requests if each.path.endswith("/content")]
    assert [each.path for each in asked] == [path]
    assert "if-none-match" not in asked[0].headers


def test_a_body_that_is_shorter_than_declared_is_a_mismatch_of_size(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    platforms.bodies["/zenodo.org/api/records/1002/files/b.csv/content"] = (b"3,4", "text/csv")
    row = one(tmp_path, platforms, address)
    assert row["status"] == "mismatch-size"
    assert row["error_message"] == "b.csv: size: declared 6, observed 3"


def test_files_without_a_byte_are_legal_where_they_are_declared_so(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A, DataFile("none.csv", b"")])
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (True, "success")
    assert verdicts(row)["none.csv"] == "verified"
    other = platforms.add_zenodo(1004, [A, B])
    platforms.bodies["/zenodo.org/api/records/1004/files/b.csv/content"] = (b"", "text/csv")
    row = one(tmp_path, platforms, other)
    assert (row["hit"], row["status"]) == (False, "empty-blob")


def test_packed_data_are_data_and_are_never_unpacked(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    packed = gzip.compress(b"1,2\n" * 100, mtime=0)
    address = platforms.add_zenodo(1002, [DataFile("a.csv.gz", packed, "", "text/csv"), B])
    row = one(tmp_path, platforms, address)
    assert row["status"] == "success"
    assert Store(tmp_path, SOURCE).blob(sha256(packed)).read_bytes() == packed


def test_a_single_file_is_a_file(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    row = one(tmp_path, platforms, platforms.add_zenodo(1002, [A]))
    assert (row["status"], row["ingest_strategy"]) == ("success-file", "web-file")
    assert row["fileset_file"]["file_meta"]["sha256"] == sha256(A.body), "an object, no list"
    (entity,) = lines_of(Store(tmp_path, SOURCE).ingest_filesets)
    assert (entity["entity"], entity["sha1"]) == ("file", A.digest("sha1"))


def test_many_small_files_come_in_the_bundle_and_are_verified_inside(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, numbered(30))
    row = one(tmp_path, platforms, address)
    assert (row["status"], row["ingest_strategy"]) == ("success", "web-fileset-bundled"), row
    assert set(verdicts(row).values()) == {"verified"}
    assert files_asked(platforms) == []
    assert row["web_bundle_url"] == "https://zenodo.org/api/records/1002/files-archive"
    assert row["fileset_bundle"]["file_meta"]["mimetype"] == "application/zip"
    store = Store(tmp_path, SOURCE)
    notes = [each for each in files_under(store.ingest) if each.startswith("bundles/")]
    assert len(notes) == 1
    assert_valid([orjson.loads(files_under(store.ingest)[notes[0]])], "ingest_bundle")


def test_what_a_bundle_lacks_is_said_of_each_file(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, numbered(30))
    platforms._bundle("/zenodo.org/api/records/1002/files-archive", numbered(29))
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, "missing-in-bundle")
    assert row["files_by_status"] == {"missing-in-bundle": 1, "success": 29}


def test_a_bundle_that_is_no_archive_is_said_so(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, numbered(30))
    archive = ("/zenodo.org/api/records/1002/files-archive", "application/zip")
    platforms.bodies[archive[0]] = (b"PK\x03\x04 cut in the middle", archive[1])
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, "bad-archive")


def test_too_many_files_are_recorded_and_not_fetched(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, numbered(5))
    row = one(tmp_path, platforms, address, limits={"files": 4})
    assert (row["hit"], row["status"]) == (False, "too-many-files")
    assert (row["ingest_strategy"], row["file_count"]) == (None, 5)
    assert len(row["manifest"]) == 5
    row = one(tmp_path / "other", platforms, address, limits={"total_size": 99})
    assert row["status"] == "too-large-size"
    assert files_asked(platforms) == []


def test_a_file_that_declares_too_much_is_never_begun(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    large = DataFile("large.bin", bytes(5000))
    address = platforms.add_zenodo(1002, [A, large])
    row = one(tmp_path, platforms, address, max_bytes=4000)
    assert row["status"] == "too-large-size"
    assert statuses(row) == {"a.csv": "success", "large.bin": "too-large-size"}
    assert files_asked(platforms) == ["/zenodo.org/api/records/1002/files/a.csv/content"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no JSON"),
        ('{"ingest_type": "pdf", "base_url": "https://x.example/"}', "ingest type"),
        ('{"ingest_type": "dataset"}', "base_url is missing"),
        ("http:///nowhere", "no http address"),
        ("[1, 2]", "a request is an object"),
    ],
)
def test_a_line_that_is_no_request_has_a_row_and_ends_nothing(
    tmp_path: Path, platforms: DatasetPlatforms, line: str, said: str
) -> None:
    address = platforms.add_zenodo(1002, [A])
    rows = ingest(tmp_path, platforms, line, address)
    assert [each["status"] for each in rows] == ["bad-request", "success-file"]
    assert said in rows[0]["error_message"]
    assert [each["status"] for each in lines_of(Store(tmp_path, SOURCE).ingest_results)] == [
        "bad-request",
        "success-file",
    ]


def test_results_are_made_again_from_the_record(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    addresses = [platforms.add_zenodo(1002, [A, B]), platforms.add_zenodo(1004, [C])]
    rows = ingest(tmp_path, platforms, *addresses, "no request")
    store = Store(tmp_path, SOURCE)
    before = store.ingest_results.read_bytes(), store.ingest_filesets.read_bytes()
    store.ingest_results.unlink()
    store.ingest_filesets.unlink()
    (tmp_path / "ingest.sqlite").unlink()
    assert ingest(tmp_path, platforms) == []
    made = lines_of(store.ingest_results)
    assert [each for each in made if each["hit"]] == [each for each in rows if each["hit"]]
    assert [each["status"] for each in made] == ["success", "success-file", "bad-request"]
    assert store.ingest_filesets.read_bytes() == before[1]
    assert saved(tmp_path) == {addresses[0]: "success", addresses[1]: "success-file"}
    (tmp_path / "ingest.sqlite").unlink()
    assert ingest(tmp_path, platforms) == []
    assert len(saved(tmp_path)) == 2
