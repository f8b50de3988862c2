"""CKAN: a dataset's resources, uploaded or linked."""

from typing import Any

import pytest

from centinel.ingest.model import Observed, Stopped
from centinel.ingest.platforms.platform import ApiAnswer
from centinel.ingest.verifying import verified
from tests.sites.dataset_catalogues import (
    CKAN_HEAD,
    ckan_answer,
    ckan_error,
    ckan_package,
    ckan_resource,
)
from tests.sites.dataset_shapes import DataFile, Json
from tests.sites.server import page
from tests.unit.ingest.driving import item_of, matched, status_of

HOST = "https://data.town.example"
PAGE = f"{HOST}/dataset/trees"
API = f"{HOST}/api/3/action/package_show?id=trees"
BODY = page("Trees", "", head_html=CKAN_HEAD)
FILE = DataFile("trees.csv")
UPLOAD = ckan_resource(FILE, f"{HOST}/dataset/trees/resource/1/download/trees.csv")


def served(*resources: Json, **changes: Any) -> dict[str, Json]:
    """What the API gives."""
    return {API: ckan_answer(ckan_package("trees", resources or [UPLOAD], **changes))}


def test_a_dataset_becomes_an_item() -> None:
    item = item_of(PAGE, served(), body=BODY)
    assert (item.platform, item.platform_domain) == ("ckan", "data.town.example")
    assert (item.requested_id, item.platform_id) == (
        "trees",
        "c322307a-b871-44fe-a602-32ee8437ff04",
    )
    assert (item.title, item.declared_files, item.incomplete) == ("Trees of Port Alder", 1, None)
    assert item.licence == "http://www.opendefinition.org/licenses/cc-by"
    file = item.manifest[0]
    assert (file.path, file.size, file.md5, file.mimetype) == (
        "trees.csv",
        8,
        FILE.md5,
        "text/csv",
    )
    assert item.archiveorg_item_name == "data.town.example-trees"


def test_the_product_is_known_by_its_page_and_not_by_the_path() -> None:
    assert status_of(PAGE) is Stopped.NO_PLATFORM_MATCH
    assert matched(PAGE, BODY).evidence == "page: generator ckan 2.10.4"
    below = b'<html><body data-site-root="https://data.town.example/open/">x</body></html>'
    match = matched(f"{HOST}/open/dataset/trees", below)
    assert (match.evidence, match.details["root"]) == ("page: data-site-root", f"{HOST}/open")
    away = b'<html><body data-site-root="https://evil.example/">x</body></html>'
    assert matched(PAGE, away).details["root"] == HOST
    assert matched("https://catalog.data.gov/dataset/trees").evidence == "host"


def test_links_are_files_whose_size_is_often_unknown() -> None:
    linked = ckan_resource(
        FILE,
        "https://elsewhere.example/x/data.json?y=1",
        url_type=None,
        size=0,
        hash="",
        name="Data",
    )
    file = item_of(PAGE, served(linked), body=BODY).manifest[0]
    assert (file.path, file.size, file.strongest) == ("data.json", None, "none")
    assert file.platform_url == "https://elsewhere.example/x/data.json?y=1"
    empty = ckan_resource(FILE, f"{HOST}/d/empty.csv", size=0)
    assert item_of(PAGE, served(empty), body=BODY).manifest[0].size == 0


def test_what_a_catalogue_says_of_a_link_is_doubtful() -> None:
    linked = ckan_resource(FILE, "https://elsewhere.example/trees.csv", url_type=None)
    file = item_of(PAGE, served(linked), body=BODY).manifest[0]
    assert (file.size, file.md5) == (8, FILE.md5)
    assert file.extra["doubtful"] == ["size", "sha256", "sha1", "md5"]
    changed = verified(file, Observed(9, "0" * 32, "0" * 40, "0" * 64, "text/csv"))
    assert (changed.verdict, changed.evidence) == ("unverifiable", "none")
    assert "doubtful" not in item_of(PAGE, served(), body=BODY).manifest[0].extra


def test_a_resource_without_a_file_name_has_its_title_and_format() -> None:
    service = ckan_resource(FILE, f"{HOST}/api/rows/7", name="All trees / 2021", format="GeoJSON")
    plain = ckan_resource(FILE, f"{HOST}/api/rows/8", name="", format="Web service (WMS)")
    found = item_of(PAGE, served(service, plain), body=BODY).manifest
    assert [each.path for each in found] == ["All trees - 2021.geojson", "8"]


def test_a_table_of_the_database_alone_is_dumped() -> None:
    table = ckan_resource(FILE, "_datastore_only_resource", id="r-7", url_type="datastore")
    file = item_of(PAGE, served(table), body=BODY).manifest[0]
    assert (file.path, file.platform_url) == ("trees.csv", f"{HOST}/datastore/dump/r-7")


def test_an_address_that_is_none_leaves_out_that_resource() -> None:
    ftp = ckan_resource(FILE, "ftp://old.example/trees.zip")
    found = item_of(PAGE, served(UPLOAD, ftp), body=BODY).manifest
    assert [each.status for each in found] == [None, "platform-link-only"]


def test_fewer_resources_than_declared_are_incomplete() -> None:
    item = item_of(PAGE, served(num_resources=4), body=BODY)
    assert item.incomplete == "4 files are declared, 1 were listed"


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (ApiAnswer(404, json=ckan_error("Not Found Error", "Not found")), Stopped.NOT_FOUND),
        (ApiAnswer(200, json=ckan_error("Not Found Error", "Not found")), Stopped.NOT_FOUND),
        (
            ApiAnswer(403, json=ckan_error("Authorization Error", "Access denied")),
            Stopped.RESTRICTED,
        ),
        (ApiAnswer(403), Stopped.RESTRICTED),
        (ApiAnswer(200, json=ckan_error("Odd Error", "")), Stopped.HTTP_ERROR),
        (ApiAnswer(200, json={"success": True}), Stopped.SCHEMA_CHANGED),
        (ApiAnswer(200, json=ckan_answer(ckan_package("trees", [], private=True))), "restricted"),
        (ApiAnswer(200, json=ckan_answer(ckan_package("trees", [], state="deleted"))), "gone"),
        (ApiAnswer(200, json=ckan_answer(ckan_package("trees", []))), Stopped.EMPTY_MANIFEST),
    ],
)
def test_what_cannot_be_taken_says_why(answer: ApiAnswer, status: str) -> None:
    given = status_of(PAGE, {API: answer}, body=BODY)
    assert given.value.removeprefix("platform-") == str(status).removeprefix("platform-")


def test_one_resource_is_out_of_scope() -> None:
    assert status_of(f"{PAGE}/resource/r-1", served(), body=BODY) is Stopped.PLATFORM_SCOPE
    assert status_of(f"{HOST}/dataset/new", served(), body=BODY) is Stopped.NO_PLATFORM_MATCH
