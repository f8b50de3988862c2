"""Dryad: one DOI for all versions, lists of a hundred."""

from typing import Any

import pytest

from centinel.ingest.model import Stopped
from centinel.ingest.platforms.platform import ApiAnswer
from tests.sites.dataset_shapes import DataFile, Json, dryad_dataset, dryad_file, numbered
from tests.unit.ingest.driving import item_of, status_of, stop_of

DOI = "10.5061/dryad.fbg79cnr0"
PAGE = f"https://datadryad.org/dataset/doi:{DOI}"
API = "https://datadryad.org/api/v2"
DATASET = f"{API}/datasets/doi%3A10.5061%2Fdryad.fbg79cnr0"
FILES = [DataFile("README.md", b"#", content_type="text/markdown"), DataFile("a.csv")]


def page_at(number: int, version: int = 3) -> str:
    """Where a page of files is."""
    return f"{API}/versions/{1000 + version}/files?page={number}&per_page=100"


def listed(rows: list[Json], total: int | None) -> Json:
    """A page of files."""
    return {"count": len(rows), "total": total, "_embedded": {"stash:files": rows}}


def served(rows: list[Json] | None = None, **changes: Any) -> dict[str, Json]:
    """What the API gives."""
    files = [dryad_file(each, at) for at, each in enumerate(FILES, 1)] if rows is None else rows
    return {DATASET: dryad_dataset(DOI, 3, **changes), page_at(1): listed(files, len(files))}


def test_a_dataset_becomes_an_item_in_its_newest_version() -> None:
    item = item_of(PAGE, served())
    assert (item.platform, item.platform_domain, item.platform_id) == (
        "dryad",
        "datadryad.org",
        f"doi:{DOI}",
    )
    assert (item.requested_id, item.resolved_id, item.is_latest) == (
        f"doi:{DOI}",
        f"doi:{DOI}@3",
        True,
    )
    assert item.archiveorg_item_name == "datadryad.org-dryad.fbg79cnr0-v3"
    assert item.web_bundle_url == f"{API}/versions/1003/download"
    assert (item.licence, item.published) == (
        "https://spdx.org/licenses/CC0-1.0.html",
        "2020-07-08",
    )
    assert item.archiveorg_item_meta["creator"] == ["Alder, Ada"]
    first = item.manifest[0]
    assert (first.path, first.size, first.sha256) == ("README.md", 1, FILES[0].digest("sha256"))
    assert first.platform_url == f"{API}/files/1/download"
    assert first.extra["alternatives"] == ["https://datadryad.org/downloads/file_stream/1"]


@pytest.mark.parametrize(
    "path",
    [
        f"/dataset/doi:{DOI}",
        "/dataset/doi%3A10.5061%2Fdryad.fbg79cnr0",
        f"/stash/dataset/doi:{DOI}",
        f"/resource/doi:{DOI.upper()}",
        f"/stash/landing/show?id=doi%3A{DOI}",
        f"/api/v2/datasets/doi:{DOI}",
    ],
)
def test_each_form_of_a_datasets_address_is_known(path: str) -> None:
    assert item_of(f"https://datadryad.org{path}", served()).platform_id == f"doi:{DOI}"


@pytest.mark.parametrize("cap", [20, 100])
def test_every_page_of_files_is_asked_for(cap: int) -> None:
    rows = [dryad_file(each, at) for at, each in enumerate(numbered(230), 1)]
    pages = {
        page_at(number + 1): listed(rows[number * cap : (number + 1) * cap], 230)
        for number in range(12)
    }
    item = item_of(PAGE, {DATASET: dryad_dataset(DOI, 3), **pages})
    assert (item.file_count, item.declared_files, item.incomplete) == (230, 230, None)


def test_a_list_that_ends_early_is_incomplete() -> None:
    rows = [dryad_file(each, at) for at, each in enumerate(FILES, 1)]
    given = served() | {page_at(1): listed(rows, 5), page_at(2): listed([], 5)}
    assert item_of(PAGE, given).incomplete == "5 files are declared, 2 were listed"
    given = served() | {page_at(1): listed(rows, 5), page_at(2): ApiAnswer(429)}
    assert "http 429" in str(item_of(PAGE, given).incomplete)


def test_deleted_files_are_no_part_of_a_version() -> None:
    rows = [dryad_file(FILES[0], 1), dryad_file(FILES[1], 2, status="deleted")]
    item = item_of(PAGE, served(rows))
    assert ([each.path for each in item.manifest], item.declared_files) == (["README.md"], 1)


@pytest.mark.parametrize(
    ("kind", "field"), [("md5", "md5"), ("sha-1", "sha1"), ("sha-256", "sha256")]
)
def test_digests_are_typed(kind: str, field: str) -> None:
    row = dryad_file(FILES[0], 1, digestType=kind, digest=FILES[0].digest(field).upper())
    file = item_of(PAGE, served([row])).manifest[0]
    assert (file.strongest, getattr(file, field)) == (field, FILES[0].digest(field))


def test_digests_of_other_types_are_kept_aside() -> None:
    row = dryad_file(FILES[0], 1, digestType="adler-32", digest="00000001")
    file = item_of(PAGE, served([row])).manifest[0]
    assert (file.strongest, file.extra["checksums"]) == (
        "size",
        [{"type": "adler32", "value": "00000001"}],
    )


@pytest.mark.parametrize(
    ("changes", "status", "until"),
    [
        (
            {"curationStatus": "Embargoed", "embargoEndDate": "2027-03-04"},
            Stopped.EMBARGOED,
            "2027-03-04",
        ),
        ({"curationStatus": "Withdrawn"}, Stopped.GONE, None),
        ({"curationStatus": "Private for Peer Review"}, Stopped.RESTRICTED, None),
        ({"visibility": "restricted"}, Stopped.RESTRICTED, None),
        ({"_links": {}}, Stopped.SCHEMA_CHANGED, None),
        (
            {"_links": {"stash:version": {"href": "https://evil.example/v/1"}}},
            Stopped.SCHEMA_CHANGED,
            None,
        ),
        ({"identifier": "doi:10.5061/dryad.other"}, Stopped.SCHEMA_CHANGED, None),
    ],
)
def test_what_cannot_be_taken_says_why(changes: Json, status: Stopped, until: str | None) -> None:
    stop = stop_of(PAGE, served(**changes))
    assert (stop.status, stop.until) == (status, until)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/downloads/file_stream/5", Stopped.PLATFORM_SCOPE),
        ("/stash/downloads/file_stream/5", Stopped.PLATFORM_SCOPE),
        ("/stash/share/abcdef", Stopped.RESTRICTED),
        ("/search?q=plants", Stopped.PLATFORM_SCOPE),
    ],
)
def test_what_is_no_dataset_is_out_of_scope(path: str, status: Stopped) -> None:
    assert status_of(f"https://datadryad.org{path}") is status


def test_too_many_requests_are_no_absence() -> None:
    assert status_of(PAGE, {DATASET: ApiAnswer(429)}) is Stopped.RATE_LIMITED
    assert status_of(PAGE) is Stopped.NOT_FOUND
