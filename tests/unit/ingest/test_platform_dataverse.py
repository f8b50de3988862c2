"""Dataverse: PIDs of every kind, versions, and which files may be fetched."""

from typing import Any

import pytest

from centinel.ingest.model import Stopped
from centinel.ingest.platforms.dataverse import pid_of
from centinel.ingest.platforms.platform import ApiAnswer
from tests.sites.dataset_shapes import (
    DataFile,
    Json,
    dataverse_dataset,
    dataverse_file,
    dataverse_version,
)
from tests.unit.ingest.driving import answers, item_of, matched, status_of, stop_of

PID = "doi:10.7910/DVN/CLSFKX"
HOST = "https://dataverse.harvard.edu"
PAGE = f"{HOST}/dataset.xhtml?persistentId={PID}"
FILES = [DataFile("a.csv"), DataFile("b.txt", b"b", "raw/2021")]
ROWS = [dataverse_file(each, 100 + at, PID) for at, each in enumerate(FILES)]


def dataset_at(pid: str = PID, host: str = HOST) -> str:
    """Where the API gives a dataset."""
    return f"{host}/api/datasets/:persistentId/?persistentId={pid}"


def version_at(version: str, pid: str = PID) -> str:
    """Where the API gives a version."""
    return f"{HOST}/api/datasets/:persistentId/versions/{version}?persistentId={pid}"


def served(rows: list[Json], version: str = "2.1", pid: str = PID, **changes: Any) -> Json:
    """What the API gives for a dataset at the usual host."""
    return {
        dataset_at(pid): dataverse_dataset(pid, dataverse_version(pid, version, rows, **changes))
    }


def test_a_dataset_becomes_an_item() -> None:
    item = item_of(PAGE, served(ROWS))
    assert (item.platform, item.platform_domain, item.platform_id) == (
        "dataverse",
        "dataverse.harvard.edu",
        PID,
    )
    assert (item.requested_id, item.resolved_id, item.is_latest) == (PID, f"{PID}@2.1", True)
    assert (item.title, item.published) == ("Gauge data", "2021-03-05")
    assert item.licence == "http://creativecommons.org/publicdomain/zero/1.0"
    assert item.archiveorg_item_name == "dataverse.harvard.edu-CLSFKX-v2.1"
    assert item.archiveorg_item_meta["creator"] == ["Alder, Ada"]
    assert item.web_bundle_url == (
        f"{HOST}/api/access/dataset/:persistentId/?persistentId={PID}&format=original"
    )
    first, second = item.manifest
    assert (first.path, first.size, first.md5, first.mimetype) == (
        "a.csv",
        8,
        FILES[0].md5,
        "text/csv",
    )
    assert first.platform_url == (
        f"{HOST}/api/access/datafile/:persistentId/?persistentId={PID}/F00100"
    )
    assert second.path == "raw/2021/b.txt"
    assert second.extra["version"] == 1


def test_scheme_port_and_folder_of_an_installation_are_kept() -> None:
    base = "http://127.0.0.1:8080/dv"
    answer = dataverse_dataset(PID, dataverse_version(PID, "1.0", ROWS))
    given = {f"{base}/api/datasets/:persistentId/?persistentId={PID}": answer}
    item = item_of(f"{base}/dataset.xhtml?persistentId={PID}", given)
    assert item.platform_domain == "127.0.0.1:8080"
    assert str(item.manifest[0].platform_url).startswith(f"{base}/api/access/datafile/")


@pytest.mark.parametrize(
    ("stated", "pid"),
    [
        ("doi:10.25625/LL6WXZ", "doi:10.25625/LL6WXZ"),
        ("doi:10.5072/FK2/J8SJZB", "doi:10.5072/FK2/J8SJZB"),
        ("DOI:10.7910/DVN/27863", "doi:10.7910/DVN/27863"),
        ("hdl:1902.1/12345", "hdl:1902.1/12345"),
        ("hdl:11529/10016", "hdl:11529/10016"),
        ("doi:10.15454/1.5572369328961167E12", "doi:10.15454/1.5572369328961167E12"),
        ("perma:DANSLINK/ABC123", "perma:DANSLINK/ABC123"),
        ("https://doi.org/10.7910/DVN/CLSFKX", "doi:10.7910/DVN/CLSFKX"),
        ("http://hdl.handle.net/1902.1/12345", "hdl:1902.1/12345"),
        ("doi:11.1/x", None),
        ("CLSFKX", None),
        ("", None),
        ("javascript:alert(1)", None),
    ],
)
def test_old_and_new_identifiers_are_read(stated: str, pid: str | None) -> None:
    assert pid_of(stated) == pid


@pytest.mark.parametrize("pid", ["doi:10.7910/DVN/27863", "hdl:1902.1/12345", "perma:X/ABC123"])
def test_a_legacy_identifier_is_ingested(pid: str) -> None:
    rows = [dataverse_file(FILES[0], 1, pid)]
    item = item_of(f"{HOST}/dataset.xhtml?persistentId={pid}", served(rows, pid=pid))
    assert (item.platform_id, item.file_count) == (pid, 1)


@pytest.mark.parametrize(
    "landing",
    [
        f"https://data.inra.fr/dataset.xhtml?persistentId={PID}",
        f"https://data.goettingen-research-online.de/dataset.xhtml?persistentId={PID}&x=1",
        f"https://dataverse.rsu.lv/dataset.xhtml?persistentid={PID}",
        f"https://dataverse.example/api/datasets/:persistentId/?persistentId={PID}",
        "https://dataverse.example/dataset.xhtml?id=42",
    ],
)
def test_the_products_own_pages_are_known_on_any_host(landing: str) -> None:
    assert matched(landing).platform == "dataverse"


def test_an_identifier_alone_is_no_match() -> None:
    bare = "https://example.org/x?persistentId=doi:10.1234/ABCDEF"
    assert status_of(bare) is Stopped.NO_PLATFORM_MATCH
    generated = b'<html><head><meta name="generator" content="Dataverse 6.4"></head>'
    assert matched(bare, generated).evidence == "page: generator Dataverse 6.4"


def test_the_new_interface_is_known_by_its_json() -> None:
    script = (
        b'<html><script type="application/ld+json">{"@type": "Dataset", "distribution": [{"@type":'
        b'"DataDownload", "contentUrl": "https://d.example/api/access/datafile/7"}]}</script>'
    )
    match = matched(f"https://d.example/spa/datasets?persistentId={PID}", script)
    assert (match.platform, match.details["root"]) == ("dataverse", "https://d.example/")


def test_an_explicit_version_that_is_the_latest_needs_no_second_answer() -> None:
    item = item_of(f"{PAGE}&version=2.1", served(ROWS))
    assert (item.requested_id, item.resolved_id, item.is_latest) == (
        f"{PID}@2.1",
        f"{PID}@2.1",
        True,
    )


def test_an_older_version_is_asked_for_by_its_number() -> None:
    older = dataverse_version(PID, "1.1", ROWS[:1])
    given = served(ROWS) | {version_at("1.1"): {"status": "OK", "data": older}}
    item = item_of(f"{PAGE}&version=1.1", given)
    assert (item.resolved_id, item.is_latest, item.file_count) == (f"{PID}@1.1", False, 1)
    assert item.archiveorg_item_name == "dataverse.harvard.edu-CLSFKX-v1.1"
    assert "/versions/1.1?persistentId=" in str(item.web_bundle_url)


@pytest.mark.parametrize("stated", ["2", "2.0", ":latest", ":latest-published", ""])
def test_a_version_may_be_written_in_several_ways(stated: str) -> None:
    item = item_of(f"{PAGE}&version={stated}", served(ROWS, "2.0"))
    assert (item.resolved_id, item.is_latest) == (f"{PID}@2.0", True)


def test_another_version_in_place_of_the_wanted_one_is_no_success() -> None:
    given = served(ROWS) | {version_at("1.1"): {"data": dataverse_version(PID, "2.1", ROWS)}}
    assert status_of(f"{PAGE}&version=1.1", given) is Stopped.PLATFORM_SCOPE
    assert status_of(f"{PAGE}&version=1.0", served(ROWS)) is Stopped.NOT_FOUND


@pytest.mark.parametrize(
    ("landing", "status"),
    [
        (f"{HOST}/file.xhtml?persistentId={PID}/XWEHBB", Stopped.PLATFORM_SCOPE),
        (f"{PAGE}/XWEHBB", Stopped.PLATFORM_SCOPE),
        (
            f"{HOST}/api/access/datafile/:persistentId?persistentId={PID}/XWEHBB",
            Stopped.PLATFORM_SCOPE,
        ),
        (f"{PAGE}&version=DRAFT", Stopped.RESTRICTED),
        (f"{PAGE}&version=banana", Stopped.PLATFORM_SCOPE),
    ],
)
def test_what_is_no_published_dataset_is_out_of_scope(landing: str, status: Stopped) -> None:
    assert status_of(landing, served(ROWS)) is status


def test_a_dataset_without_a_published_version_is_out_of_scope() -> None:
    assert status_of(PAGE, {dataset_at(): dataverse_dataset(PID, None)}) is Stopped.PLATFORM_SCOPE


def test_a_deaccessioned_dataset_is_gone() -> None:
    stop = stop_of(PAGE, served([], versionState="DEACCESSIONED", versionNote="Wrong data."))
    assert (stop.status, stop.message) == (Stopped.GONE, f"{PAGE}: deaccessioned: Wrong data.")
    assert status_of(PAGE, served(ROWS, versionState="DRAFT")) is Stopped.RESTRICTED


def test_an_identifier_in_small_letters_is_tried_in_capitals() -> None:
    item = item_of(f"{HOST}/dataset.xhtml?persistentId={PID.lower()}", served(ROWS))
    assert (item.requested_id, item.platform_id) == (PID.lower(), PID)
    given = {dataset_at(PID.lower()): served(ROWS)[dataset_at()]}
    item = item_of(f"{HOST}/dataset.xhtml?persistentId={PID.lower()}", given)
    assert item.platform_id == PID


def test_the_original_of_a_table_is_taken_under_its_own_name_and_size() -> None:
    pid = "doi:10.25625/VCNHOR"
    row = dataverse_file(
        DataFile("t.tab", b"x\n1\n", content_type="text/tab-separated-values"),
        7,
        pid,
        originalFileFormat="text/csv",
        originalFileSize=9,
        originalFileName="t.csv",
    )
    item = item_of(f"{HOST}/dataset.xhtml?persistentId={pid}", served([row], pid=pid))
    file = item.manifest[0]
    assert (file.path, file.size, file.mimetype) == ("t.csv", 9, "text/csv")
    assert str(file.platform_url).endswith("/F00007&format=original")


def test_the_hash_of_an_original_is_doubtful() -> None:
    row = dataverse_file(
        DataFile("t.tab"),
        7,
        PID,
        originalFileFormat="application/x-stata",
        originalFileName="t.dta",
    )
    file = item_of(PAGE, served([row])).manifest[0]
    assert (file.path, file.size, file.md5) == ("t.dta", None, DataFile("t.tab").md5)
    assert file.extra["doubtful"] == ["sha256", "sha1", "md5"]
    assert "doubtful" not in item_of(PAGE, served(ROWS)).manifest[0].extra


@pytest.mark.parametrize("absent", ["", None])
def test_where_files_have_no_identifiers_their_numbers_are_used(absent: str | None) -> None:
    row = dataverse_file(FILES[0], 4711, PID, persistentId=absent)
    file = item_of(PAGE, served([row])).manifest[0]
    assert file.platform_url == f"{HOST}/api/access/datafile/4711"
    neither = dataverse_file(FILES[0], 4711, PID, persistentId=absent, id=None)
    items = item_of(PAGE, served([neither, ROWS[0]]))
    assert items.manifest[0].status == "platform-schema-changed"


@pytest.mark.parametrize(
    ("kind", "field"), [("SHA-1", "sha1"), ("SHA-256", "sha256"), ("MD5", "md5")]
)
def test_hashes_of_every_type_are_read(kind: str, field: str) -> None:
    value = FILES[0].digest(field)
    row = dataverse_file(FILES[0], 1, PID, md5=None, checksum={"type": kind, "value": value})
    file = item_of(PAGE, served([row])).manifest[0]
    assert (file.strongest, getattr(file, field)) == (field, value)


def test_a_hash_that_a_manifest_has_no_place_for_is_kept_aside() -> None:
    value = FILES[0].digest("sha512")
    row = dataverse_file(FILES[0], 1, PID, md5=None, checksum={"type": "SHA-512", "value": value})
    file = item_of(PAGE, served([row])).manifest[0]
    assert file.extra["checksums"] == [{"type": "sha512", "value": value[:300]}]
    assert file.strongest == "size"


def test_restricted_and_embargoed_files_leave_out_themselves() -> None:
    until = {"dateAvailable": "2028-01-02", "reason": "thesis"}
    over = {"dateAvailable": "2020-01-02"}
    rows = [
        ROWS[0],
        dataverse_file(DataFile("r.csv"), 2, PID, row={"restricted": True}),
        dataverse_file(DataFile("e.csv"), 3, PID, embargo=until),
        dataverse_file(DataFile("o.csv"), 4, PID, embargo=over),
        dataverse_file(DataFile("k.csv"), 5, PID, retention={"dateUnavailable": "2021-01-01"}),
    ]
    given = answers(served(rows, fileAccessRequest=True)[dataset_at()])
    dated = ApiAnswer(200, {"date": "Wed, 01 Mar 2023 10:00:00 GMT"}, given.json)
    item = item_of(PAGE, {dataset_at(): dated})
    assert [each.status for each in item.manifest] == [
        None,
        "platform-restricted",
        "platform-embargoed",
        None,
        "platform-gone",
    ]
    assert item.manifest[1].extra["reason"] == "restricted; access may be requested"
    assert item.manifest[2].extra["until"] == "2028-01-02"
    early = ApiAnswer(200, {"date": "Wed, 01 Jan 2020 10:00:00 GMT"}, given.json)
    assert item_of(PAGE, {dataset_at(): early}).manifest[3].status == "platform-embargoed"


def test_a_set_of_which_nothing_may_be_fetched_has_that_status() -> None:
    until = [{"dateAvailable": f"2999-01-0{day}"} for day in (1, 2)]
    rows = [dataverse_file(FILES[0], at, PID, embargo=each) for at, each in enumerate(until)]
    stop = stop_of(PAGE, served(rows))
    assert (stop.status, stop.until) == (Stopped.EMBARGOED, "2999-01-02")
    closed = [dataverse_file(FILES[0], 1, PID, row={"restricted": True})]
    assert status_of(PAGE, served(closed)) is Stopped.RESTRICTED


def test_terms_and_licence_are_fields_of_their_own() -> None:
    item = item_of(
        PAGE, served(ROWS, license=None, termsOfUse="Be kind.", termsOfAccess="Ask first.")
    )
    assert (item.licence, item.terms) == (None, "Be kind.\nAsk first.")
    assert item_of(PAGE, served(ROWS, license="CC0")).licence == "CC0"


def test_files_that_the_version_leaves_out_are_asked_for_page_by_page() -> None:
    files = [dataverse_file(DataFile(f"{each}.csv"), each, PID) for each in range(1500)]
    latest = dataverse_version(PID, "1.0", [])
    del latest["files"]
    at = f"{HOST}/api/datasets/:persistentId/versions/1.0/files?persistentId={PID}&limit=1000"
    given = {
        dataset_at(): dataverse_dataset(PID, latest),
        f"{at}&offset=0": {"status": "OK", "totalCount": 1500, "data": files[:1000]},
        f"{at}&offset=1000": {"status": "OK", "totalCount": 1500, "data": files[1000:]},
    }
    item = item_of(PAGE, given)
    assert (item.file_count, item.declared_files, item.incomplete) == (1500, 1500, None)
    given[f"{at}&offset=1000"] = {"status": "OK", "totalCount": 1500, "data": []}
    assert item_of(PAGE, given).incomplete == "1500 files are declared, 1000 were listed"


def test_what_is_not_published_is_restricted_and_no_wrong_password() -> None:
    said = {"status": "ERROR", "message": "User :guest is not permitted to perform this"}
    stop = stop_of(PAGE, {dataset_at(): ApiAnswer(401, json=said)})
    assert stop.status is Stopped.RESTRICTED
    assert "User :guest is not permitted" in stop.message
    assert status_of(PAGE) is Stopped.NOT_FOUND


def test_one_file_is_a_set_of_one() -> None:
    pid = "doi:10.48510/FK2/IJO02B"
    row = dataverse_file(DataFile("data.xlsx", b"PK", content_type="application/x"), 9, pid)
    landing = f"https://dataverse.rsu.lv/dataset.xhtml?persistentId={pid}"
    latest = dataverse_version(pid, "1.0", [row])
    item = item_of(
        landing, {dataset_at(pid, "https://dataverse.rsu.lv"): dataverse_dataset(pid, latest)}
    )
    assert (item.file_count, item.manifest[0].path) == (1, "data.xlsx")


def test_sizes_and_versions_of_files_are_kept() -> None:
    pid = "doi:10.7910/DVN/7XCWTN"
    rows = [
        dataverse_file(DataFile(f"{at}.nc"), at, pid, filesize=size << 20, row={"version": 5})
        for at, size in enumerate((17, 45, 80, 120, 300, 410, 567))
    ]
    item = item_of(f"{HOST}/dataset.xhtml?persistentId={pid}", served(rows, "5.0", pid))
    assert (item.file_count, item.total_size) == (7, 1539 << 20)
    assert {each.extra["version"] for each in item.manifest} == {5}
    assert item.archiveorg_item_name == "dataverse.harvard.edu-7XCWTN-v5.0"


def test_same_names_in_two_folders_are_two_files() -> None:
    rows = [
        dataverse_file(DataFile("a.csv", folder=folder), at, PID)
        for at, folder in enumerate(["", "x", "x/y", "X"])
    ]
    item = item_of(PAGE, served(rows))
    assert [each.path for each in item.manifest] == ["a.csv", "x/a.csv", "x/y/a.csv", "X/a (2).csv"]
