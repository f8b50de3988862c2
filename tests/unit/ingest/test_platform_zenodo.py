"""Zenodo: one record is one version; a concept is none."""

import pytest

from centinel.ingest.model import Stopped
from centinel.ingest.platforms.platform import ApiAnswer
from tests.sites.dataset_shapes import DataFile, Json, zenodo_file, zenodo_record
from tests.unit.ingest.driving import (
    Asked,
    answered,
    by_path,
    item_of,
    matched,
    recognise,
    request,
    status_of,
    stop_of,
    web_page,
)

API = "https://zenodo.org/api/records"
FILES = [DataFile("a.csv"), DataFile("b c.h5", b"12", "EvID/deep")]
RECORD = "https://zenodo.org/records/1003567"


def served(record: Json, number: int = 1003567) -> dict[str, Json]:
    """What the API gives."""
    return {f"{API}/{number}": record}


def test_a_record_becomes_an_item() -> None:
    item = item_of(RECORD, served(zenodo_record(1003567, FILES)))
    assert (item.platform, item.platform_domain, item.platform_id) == (
        "zenodo",
        "zenodo.org",
        "1003567",
    )
    assert (item.requested_id, item.resolved_id, item.is_latest) == ("1003567", "1003567", True)
    assert (item.title, item.published, item.licence) == (
        "Record 1003567",
        "2019-10-15",
        "cc-by-4.0",
    )
    assert item.web_bundle_url == f"{API}/1003567/files-archive"
    assert item.archiveorg_item_name == "zenodo.org-1003567"
    assert item.archiveorg_item_meta["doi"] == "10.5281/zenodo.1003567"
    first, second = item.manifest
    assert (first.path, first.size, first.md5) == ("a.csv", 8, FILES[0].md5)
    assert second.path == "EvID/deep/b c.h5"
    assert second.platform_url == f"{API}/1003567/files/EvID/deep/b%20c.h5/content"
    assert second.extra["alternatives"] == [
        "https://zenodo.org/records/1003567/files/EvID/deep/b%20c.h5?download=1"
    ]


@pytest.mark.parametrize(
    "path",
    [
        "zenodo.org/record/1003567",
        "zenodo.org/records/1003567",
        "www.zenodo.org/records/1003567",
        "zenodo.org/records/1003567/",
        "zenodo.org/records/1003567/preview/a.csv",
        "zenodo.org/doi/10.5281/zenodo.1003567",
        "zenodo.org/api/records/1003567",
    ],
)
def test_each_form_of_a_records_address_is_known(path: str) -> None:
    item = item_of(f"https://{path}", served(zenodo_record(1003567, FILES)))
    assert (item.platform_domain, item.platform_id) == ("zenodo.org", "1003567")


def test_the_sandbox_is_asked_at_its_own_host() -> None:
    record = zenodo_record(5, FILES, doi="10.5072/zenodo.5", conceptrecid="4")
    item = item_of(
        "https://sandbox.zenodo.org/records/5", {"https://sandbox.zenodo.org/api/records/5": record}
    )
    assert (item.platform_domain, item.platform_id) == ("sandbox.zenodo.org", "5")


@pytest.mark.parametrize(
    ("concept", "latest"), [(1003566, 1003567), (1016166, 1016167), (1019360, 1019361)]
)
def test_a_concept_doi_that_led_to_its_latest_version_is_out_of_scope(
    concept: int, latest: int
) -> None:
    record = served(zenodo_record(latest, FILES), latest)
    landing = f"https://zenodo.org/records/{latest}"
    stop = stop_of(landing, record, asked=f"https://doi.org/10.5281/zenodo.{concept}")
    assert stop.status is Stopped.PLATFORM_SCOPE
    assert f"{concept} stands for all versions; the latest is record {latest}" in stop.message
    assert item_of(landing, record, asked=f"https://doi.org/10.5281/zenodo.{latest}")


def test_a_concepts_own_record_number_is_out_of_scope() -> None:
    record = zenodo_record(1003567, FILES)
    given = {f"{API}/1003566": record}
    assert status_of("https://zenodo.org/records/1003566", given) is Stopped.PLATFORM_SCOPE
    assert status_of("https://zenodo.org/records/99", {f"{API}/99": record}) is (
        Stopped.PLATFORM_SCOPE
    )


def test_what_a_catalogue_says_of_the_work_does_not_move_the_record() -> None:
    asked = request(RECORD, ext_ids={"doi": "10.5281/zenodo.1003566"})
    platform, match = recognise(asked, RECORD, web_page(RECORD))
    given = Asked(served(zenodo_record(1003567, FILES)))
    assert answered(platform.item(match), given).resolved_id == "1003567"


def test_an_older_version_is_not_the_latest() -> None:
    older = {"relations": {"version": [{"index": 0, "is_last": False}]}}
    item = item_of(RECORD, served(zenodo_record(1003567, FILES, metadata=older)))
    assert item.is_latest is False
    item = item_of(RECORD, served(zenodo_record(1003567, FILES, metadata={"relations": {}})))
    assert item.is_latest is None


@pytest.mark.parametrize(
    ("checksum", "name", "digits"),
    [
        (f"md5:{FILES[0].md5}", "md5", FILES[0].md5),
        (FILES[0].md5, "md5", FILES[0].md5),
        (f"sha1:{FILES[0].digest('sha1')}", "sha1", FILES[0].digest("sha1")),
        (f"sha256:{FILES[0].digest('sha256')}", "sha256", FILES[0].digest("sha256")),
    ],
)
def test_a_checksum_is_typed_with_and_without_its_prefix(
    checksum: str, name: str, digits: str
) -> None:
    row = zenodo_file(FILES[0], 1003567, checksum=checksum)
    file = item_of(RECORD, served(zenodo_record(1003567, FILES, files=[row]))).manifest[0]
    assert (file.strongest, getattr(file, name)) == (name, digits)


def test_a_link_that_moved_has_its_present_address_beside_it() -> None:
    old = "https://zenodo.org/api/files/0f6e-bucket/a.csv"
    row = zenodo_file(FILES[0], 1003567, links={"self": old})
    file = item_of(RECORD, served(zenodo_record(1003567, FILES, files=[row]))).manifest[0]
    assert file.platform_url == old
    assert file.extra["alternatives"] == [
        "https://zenodo.org/records/1003567/files/a.csv?download=1",
        f"{API}/1003567/files/a.csv/content",
    ]


def test_a_large_set_is_listed_whole() -> None:
    files = [zenodo_file(DataFile(f"{each}.bin"), 1321718, size=655 << 20) for each in range(75)]
    record = zenodo_record(1321718, [], files=files)
    item = item_of("https://zenodo.org/record/1321718", served(record, 1321718))
    assert (item.file_count, item.total_size) == (75, 75 * (655 << 20))
    assert item.total_size is not None
    assert item.total_size < 64 << 30


def test_folders_of_any_depth_are_kept() -> None:
    names = ["EvID/a.h5", "EvID/x/y/z/b.h5", "c.h5"]
    rows = [zenodo_file(DataFile(each), 3322275) for each in names]
    record = zenodo_record(3322275, [], files=rows)
    item = item_of("https://zenodo.org/record/3322275", served(record, 3322275))
    assert [each.path for each in item.manifest] == names


@pytest.mark.parametrize(
    ("metadata", "status", "until"),
    [
        (
            {"access_right": "embargoed", "embargo_date": "2027-01-02"},
            Stopped.EMBARGOED,
            "2027-01-02",
        ),
        ({"access_right": "embargoed"}, Stopped.EMBARGOED, None),
        ({"access_right": "restricted"}, Stopped.RESTRICTED, None),
        ({"access_right": "closed"}, Stopped.RESTRICTED, None),
        ({"access_right": "by-the-moon"}, Stopped.SCHEMA_CHANGED, None),
        ({"access_right": None}, Stopped.SCHEMA_CHANGED, None),
    ],
)
def test_access_that_is_not_open_is_a_status(
    metadata: Json, status: Stopped, until: str | None
) -> None:
    stop = stop_of(RECORD, served(zenodo_record(1003567, [], metadata=metadata)))
    assert (stop.status, stop.until) == (status, until)


def test_a_missing_licence_is_no_failure() -> None:
    item = item_of(RECORD, served(zenodo_record(1003567, FILES, metadata={"license": None})))
    assert item.licence is None


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (ApiAnswer(410, json={"status": 410, "message": "The record has been deleted."}), "gone"),
        (ApiAnswer(404, json={"message": "The persistent identifier does not exist."}), "404"),
        (ApiAnswer(403, json={"message": "Permission denied."}), "restricted"),
        (ApiAnswer(429, json={"message": "100 per minute"}), "rate-limited"),
    ],
)
def test_a_record_that_is_not_shown_says_why(answer: ApiAnswer, status: str) -> None:
    stop = stop_of(RECORD, {f"{API}/1003567": answer})
    assert stop.status == f"platform-{status}"
    assert str(answer.json["message"]) in stop.message


@pytest.mark.parametrize(
    "path",
    [
        "/records/1003567/files/a.csv",
        "/record/1003567/files/a.csv?download=1",
        "/communities/x",
        "/",
    ],
)
def test_one_file_and_pages_beside_records_are_out_of_scope(path: str) -> None:
    assert status_of(f"https://zenodo.org{path}") is Stopped.PLATFORM_SCOPE


@pytest.mark.parametrize(
    "host", ["zenodo.org.evil.example", "notzenodo.org", "archive.zenodo.org", "127.0.0.1:8000"]
)
def test_a_piece_of_a_hosts_name_is_no_match(host: str) -> None:
    assert status_of(f"https://{host}/records/1003567") is Stopped.NO_PLATFORM_MATCH


def test_an_empty_record_and_a_zero_byte_file_are_two_things() -> None:
    assert status_of(RECORD, served(zenodo_record(1003567, []))) is Stopped.EMPTY_MANIFEST
    item = item_of(RECORD, served(zenodo_record(1003567, [DataFile("empty.txt", b"")])))
    assert (item.manifest[0].size, item.manifest[0].md5, item.total_size) == (
        0,
        "d41d8cd98f00b204e9800998ecf8427e",
        0,
    )


def test_a_size_that_is_not_said_is_unknown() -> None:
    rows = [zenodo_file(each, 1003567, size=None) for each in FILES]
    item = item_of(RECORD, served(zenodo_record(1003567, FILES, files=rows)))
    assert [each.size for each in item.manifest] == [None, None]
    assert item.total_size is None


def test_a_file_may_have_any_name() -> None:
    names = ["name", "files", "a.csv", "A.csv", "../up.csv"]
    rows = [zenodo_file(DataFile(each), 1003567) for each in names]
    item = item_of(RECORD, served(zenodo_record(1003567, [], files=rows)))
    assert list(by_path(item)) == ["name", "files", "a.csv", "A (2).csv", "unsafe-5"]
    assert item.manifest[4].status == "unsafe-path"
    assert matched(RECORD).evidence == "host"
