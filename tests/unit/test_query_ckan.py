"""CKAN: the search to its declared count, datasets as records, their resources as files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from centinel.answers import Fetched
from centinel.configuration import Source
from centinel.liveness import Refusal
from centinel.record import Liveness, Resource
from centinel.sources.query import Query
from tests.sites.platforms import Ckan, as_json, ckan_error, package
from tests.sites.server import Answer
from tests.unit.querying import addresses_of, enumerated, parts_of, query
from tests.unit.support import client

SEARCH = "/api/3/action/package_search"
SECOND = f"{SEARCH}?sort=id%20asc&rows=1000&start=1000"


@pytest.fixture
def vendor() -> Iterator[Ckan]:
    """A catalogue."""
    with Ckan() as running:
        yield running


def block(vendor: Ckan, **keys: Any) -> Source:
    """A source of the whole catalogue."""
    return query("ckan", url=vendor.address, **keys)


def filled(vendor: Ckan, number: int) -> None:
    """Publishes so many datasets, in the order in which they were changed."""
    vendor.packages = [package(f"{each:05}") for each in range(number, 0, -1)]


def test_the_search_is_walked_to_its_count(vendor: Ckan, tmp_path: Path) -> None:
    filled(vendor, 2345)
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, found.truncated, found.method) == (None, False, "ckan")
    show = f"{vendor.address}/api/3/action/package_show?id=id-"
    assert addresses_of(found) == [f"{show}{number:05}" for number in range(1, 2346)]
    assert found.resources[4] == Resource(
        f"{show}00005", "2024-03-05T06:07:08.910111Z", "Dataset 00005"
    )
    assert found.figures == {"requests": 3, "declared": 2345}
    assert vendor.asked_under(SEARCH)[1] == SECOND


def test_a_catalogue_at_another_path_with_a_filter(vendor: Ckan, tmp_path: Path) -> None:
    source = query("ckan", url=f"{vendor.address}/data/", filter='organization:"town hall"')
    base = f"{vendor.address}/data/api/3/action/package_search?fq=organization:%22town%20hall%22"
    assert Query().address(source) == base
    enumerated(source, tmp_path)
    asked = vendor.asked_under("/data/")[0]
    assert asked == base.removeprefix(vendor.address) + "&sort=id%20asc&rows=1000&start=0"


def test_a_site_that_gives_fewer_rows_is_walked_all_the_same(vendor: Ckan, tmp_path: Path) -> None:
    filled(vendor, 101)
    vendor.rows_max = 25
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated, found.warnings) == (101, False, [])
    assert len(vendor.asked_under(SEARCH)) == 5


def test_a_count_that_is_not_reached_is_cut_with_both_numbers(vendor: Ckan, tmp_path: Path) -> None:
    filled(vendor, 50)
    vendor.count = 2606
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 50, True)
    assert found.warnings == ["2606 records are declared, 50 were found"]


@pytest.mark.parametrize("stated", [{}, {"filter": "organization:town"}])
def test_a_count_that_paging_does_not_reach_is_reached_behind_the_last_id(
    vendor: Ckan, tmp_path: Path, stated: dict[str, str]
) -> None:
    filled(vendor, 2345)
    vendor.window = 1000
    found = enumerated(block(vendor, **stated), tmp_path)
    assert (found.reason, found.truncated, found.warnings) == (None, False, [])
    assert (len(found.resources), found.figures["declared"]) == (2345, 2345)
    range_of = {"": "id:%7B%22id-01000%22%20TO%20*%5D"}
    behind = "+(organization:town)%20+" if stated else ""
    assert any(behind.replace("+", "%2B") + range_of[""] in each for each in vendor.paths())


def test_a_count_that_is_too_low_hides_nothing(vendor: Ckan, tmp_path: Path) -> None:
    filled(vendor, 1500)
    vendor.count = 1000
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (1500, False)
    assert found.warnings == ["1000 records are declared, and 1500 were found"]


def test_records_that_change_places_meanwhile_are_missed_and_said_so(
    vendor: Ckan, tmp_path: Path
) -> None:
    filled(vendor, 1500)
    # The second page begins with what the first one ended with: something was put in before it.
    again = [package(f"{number:05}") for number in range(1000, 1500)]
    answer = {"success": True, "result": {"count": 1501, "results": again}}
    vendor.set(SECOND, as_json(answer))
    vendor.set(f"{SEARCH}?sort=id%20asc&rows=1000&start=1500", as_json(answer))
    found = enumerated(block(vendor), tmp_path)
    # What was missed at the end is behind the last id; what was put in before it is not.
    assert (len(found.resources), found.truncated) == (1500, True)
    assert found.warnings == ["1501 records are declared, 1500 were found"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (as_json({}, 503), "http 503"),
        (Answer(b"<html>Access denied", "text/html"), "a web page instead of a record"),
        (Answer(b"{", "application/json"), "schema changed: no JSON"),
        (as_json([]), "schema changed: the answer is no object"),
        (as_json({"result": []}), "schema changed: result is no object"),
        (as_json({"result": {"rows": []}}), "schema changed: result.results is no list"),
        (as_json(ckan_error("Search Error", "Solr is down")), "the vendor says: Solr is down"),
        (as_json({"success": False, "error": "off"}), "the vendor says: off"),
        (as_json({"success": False}), "the vendor says: success is false"),
    ],
)
def test_an_error_in_the_middle_cuts_and_at_the_start_fails(
    vendor: Ckan, tmp_path: Path, answer: Answer, reason: str
) -> None:
    filled(vendor, 1500)
    vendor.set(SECOND, answer)
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 1000, True)
    assert found.warnings[0].startswith(f"{vendor.address}{SECOND}: {reason}")
    assert found.warnings[1] == "1500 records are declared, 1000 were found"
    first = SECOND.replace("start=1000", "start=0")
    vendor.set(first, answer)
    failed = enumerated(block(vendor), tmp_path)
    assert failed.resources == []
    assert (failed.reason or "").startswith(f"{vendor.address}{first}: {reason}")


def test_rows_without_an_id_are_left_out_and_said_so(vendor: Ckan, tmp_path: Path) -> None:
    rows = [package("a"), {**package("b"), "id": None}, "c", package("d")]
    vendor.set(
        f"{SEARCH}?sort=id%20asc&rows=1000&start=0",
        as_json({"success": True, "result": {"count": 4, "results": rows}}),
    )
    found = enumerated(block(vendor), tmp_path)
    assert (len(found.resources), found.truncated) == (2, True)
    assert found.warnings == ["schema changed: no id in 2 of 4 rows: left out"]


def test_rows_of_which_none_has_an_id_fail(vendor: Ckan, tmp_path: Path) -> None:
    rows = [{"uuid": "a"}, {"uuid": "b"}]
    vendor.set(
        f"{SEARCH}?sort=id%20asc&rows=1000&start=0",
        as_json({"success": True, "result": {"count": 2, "results": rows}}),
    )
    found = enumerated(block(vendor), tmp_path)
    assert found.reason == "schema changed: no id in any of 2 rows"


def test_an_empty_catalogue_is_an_empty_snapshot(vendor: Ckan, tmp_path: Path) -> None:
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, found.resources, found.truncated) == (None, [], False)
    assert found.warnings == ["the query gave no record at all"]


def test_a_declared_count_of_which_nothing_comes_fails(vendor: Ckan, tmp_path: Path) -> None:
    vendor.count = 7
    found = enumerated(block(vendor), tmp_path)
    assert found.reason == "7 records are declared, 0 were found"


# Records


def test_a_record_names_its_files_wherever_they_are(vendor: Ckan) -> None:
    answer = {
        "success": True,
        "result": package(
            "a",
            "https://elsewhere.example/a.csv#top",
            "/uploads/b.csv",
            "ftp://old.example/c.csv",
            "https://elsewhere.example/a.csv",
            "",
        ),
    }
    address = f"{vendor.address}/api/3/action/package_show?id=id-a"
    found = parts_of(block(vendor), answer, address)
    assert found.addresses == (
        "https://elsewhere.example/a.csv",
        f"{vendor.address}/uploads/b.csv",
    )
    assert found.notes == ("1 files have no http address: left out",)


@pytest.mark.parametrize(
    ("value", "note"),
    [
        (b"<html>", "files not known: a web page instead of a record"),
        ([], "files not known: schema changed: the answer is no object"),
        ({"result": {"id": "a"}}, "files not known: schema changed: result.resources is no list"),
    ],
)
def test_a_record_of_another_shape_is_kept_with_a_note(vendor: Ckan, value: Any, note: str) -> None:
    found = parts_of(block(vendor), value, f"{vendor.address}/api/3/action/package_show?id=a")
    assert found.addresses == ()
    assert found.notes[0].startswith(note)


@pytest.mark.parametrize(
    ("error", "liveness", "reason"),
    [
        (ckan_error("Not Found Error", "Not found"), Liveness.GONE, "the vendor says: Not found"),
        (ckan_error("Authorization Error", "No"), Liveness.BLOCKED, "the vendor says: No"),
        (ckan_error("Search Error", ""), Liveness.ERROR, "the vendor says: Search Error"),
    ],
)
def test_an_error_served_with_200_is_a_refusal(
    vendor: Ckan, tmp_path: Path, error: dict[str, Any], liveness: Liveness, reason: str
) -> None:
    path = "/api/3/action/package_show?id=a"
    vendor.set(path, as_json(error))
    answer = Query().fetch(block(vendor), client(tmp_path), f"{vendor.address}{path}", {})
    assert isinstance(answer, Refusal)
    assert (answer.liveness, answer.reason, answer.http_status) == (liveness, reason, 200)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_a_web_page_is_a_file(vendor: Ckan, tmp_path: Path) -> None:
    vendor.set("/about", Answer(b"<!doctype html><p>About", "text/html"))
    answer = Query().fetch(block(vendor), client(tmp_path), f"{vendor.address}/about", {})
    assert isinstance(answer, Fetched)
