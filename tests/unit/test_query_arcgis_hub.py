"""ArcGIS Hub: the search to its last page, items as records, item files as parts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from centinel.configuration import Source
from centinel.liveness import Refusal
from centinel.record import Liveness, Resource
from centinel.sources.query import Query
from tests.sites.platforms import Hub, as_json, item
from tests.sites.server import Answer
from tests.unit.querying import addresses_of, enumerated, parts_of, query
from tests.unit.support import client

ITEMS = "/api/search/v1/collections/all/items"


@pytest.fixture
def vendor() -> Iterator[Hub]:
    """A Hub site."""
    with Hub() as running:
        yield running


def block(vendor: Hub, **keys: Any) -> Source:
    """A source of the whole site."""
    return query("arcgis-hub", url=vendor.address, portal=vendor.address, **keys)


def page(start: int) -> str:
    """The path of a page."""
    return f"{ITEMS}?sortBy=properties.created&limit=100&startindex={start}"


def test_the_search_is_walked_to_its_last_page(vendor: Hub, tmp_path: Path) -> None:
    vendor.collections["all"] = [item(f"{number:032x}") for number in range(250)]
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, found.truncated, found.method) == (None, False, "arcgis-hub")
    base = f"{vendor.address}{ITEMS}/"
    assert addresses_of(found) == [f"{base}{number:032x}" for number in range(250)]
    assert found.resources[0] == Resource(
        f"{base}{0:032x}", "2022-12-20T16:44:13.000000Z", f"Title of {0:032x}"
    )
    assert vendor.asked_under(ITEMS) == [page(1), page(101), page(201)]
    assert found.figures == {"requests": 3, "declared": 250}


def test_a_full_last_page_is_followed_by_an_empty_one(vendor: Hub, tmp_path: Path) -> None:
    vendor.collections["all"] = [item(str(number)) for number in range(100)]
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (100, False)
    assert vendor.asked_under(ITEMS) == [page(1), page(101)]


def test_behind_the_window_of_the_search_engine_is_asked_by_the_time_of_creation(
    vendor: Hub, tmp_path: Path
) -> None:
    vendor.window = 200
    # Many are made in one go: the window ends in the middle of those of one time.
    vendor.collections["all"] = [item(str(n), created=1000 + n // 30) for n in range(721)]
    found = enumerated(block(vendor, filter="type='PDF'"), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 721, False)
    assert found.warnings == ["200 records are declared, and 721 were found"]
    behind = [each for each in vendor.asked_under(ITEMS) if "BETWEEN" in each]
    stated = "(type%3D'PDF')%20AND%20(created%20BETWEEN%201006%20AND%209999999999999)"
    assert stated.replace("'", "%27") in behind[0]
    assert len(vendor.asked_under(ITEMS)) <= 20


def test_a_window_full_of_one_time_cannot_be_gone_behind(vendor: Hub, tmp_path: Path) -> None:
    vendor.window, vendor.collections["all"] = 200, [item(str(number)) for number in range(321)]
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 200, True)
    assert found.warnings == [f"{vendor.address}{page(201)}: http 500"]


def test_without_a_total_exactly_the_cap_is_suspect(vendor: Hub, tmp_path: Path) -> None:
    features = [item(str(number), created=number) for number in range(100)]
    vendor.ignores_filter = True
    vendor.collections["all"] = features
    vendor.set(page(1), as_json({"features": features, "links": []}))
    vendor.set(page(101), as_json({"features": [], "links": []}))
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (100, True)
    assert found.warnings[0].startswith("exactly 100 records, the most that one page has")


def test_a_collection_and_a_filter_are_part_of_the_address(vendor: Hub, tmp_path: Path) -> None:
    vendor.collections["document"] = [item("a")]
    source = block(vendor, collection="document", filter="type='PDF'")
    base = f"{vendor.address}/api/search/v1/collections/document/items"
    assert Query().address(source) == f"{base}?filter=type%3D%27PDF%27"
    assert addresses_of(enumerated(source, tmp_path)) == [f"{base}/a"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (as_json({"statusCode": 401, "message": "private org"}, 401), "http 401"),
        (as_json({"items": []}), "schema changed: features is no list"),
        (as_json([]), "schema changed: the answer is no object"),
    ],
)
def test_a_site_that_does_not_answer_as_documented_fails(
    vendor: Hub, tmp_path: Path, answer: Answer, reason: str
) -> None:
    vendor.set(page(1), answer)
    found = enumerated(block(vendor), tmp_path)
    assert found.reason == f"{vendor.address}{page(1)}: {reason}"


@pytest.mark.parametrize(
    ("record", "files"),
    [
        (item("a1", "Feature Service", url="https://gis.example/FeatureServer"), ()),
        (item("a2", "PDF"), ("{portal}/sharing/rest/content/items/a2/data",)),
        (item("a3_0", "CSV", id="a3"), ("{portal}/sharing/rest/content/items/a3/data",)),
        (item("a4", "Document Link", url="https://town.example/plan.pdf"),
         ("https://town.example/plan.pdf",)),
        ({**item("a5"), "links": [{"rel": "enclosure", "href": "/files/a5.zip"}, {"rel": "self"}]},
         ("{portal}/files/a5.zip",)),
    ],
)  # fmt: skip
def test_the_files_of_an_item_depend_on_its_type(
    vendor: Hub, record: dict[str, Any], files: tuple[str, ...]
) -> None:
    address = f"{vendor.address}{ITEMS}/{record['id']}"
    found = parts_of(block(vendor), record, address)
    assert found.addresses == tuple(each.format(portal=vendor.address) for each in files)
    assert found.notes == ()


def test_item_files_are_at_the_vendor_s_portal_unless_another_is_named() -> None:
    source = query("arcgis-hub", url="https://data.town.example")
    found = parts_of(source, item("a2", "PDF"), f"https://data.town.example{ITEMS}/a2")
    assert found.addresses == ("https://www.arcgis.com/sharing/rest/content/items/a2/data",)


def test_a_record_of_another_shape_is_kept_with_a_note(vendor: Hub) -> None:
    found = parts_of(block(vendor), {"id": "a"}, f"{vendor.address}{ITEMS}/a")
    assert found.notes == ("files not known: schema changed: properties is no object",)


def test_a_record_that_is_served_as_a_page_is_refused(vendor: Hub, tmp_path: Path) -> None:
    vendor.set(f"{ITEMS}/a", Answer(b"<!DOCTYPE html><title>Hub", "text/html"))
    answer = Query().fetch(block(vendor), client(tmp_path), f"{vendor.address}{ITEMS}/a", {})
    assert isinstance(answer, Refusal)
    assert (answer.liveness, answer.http_status) == (Liveness.ERROR, 200)
