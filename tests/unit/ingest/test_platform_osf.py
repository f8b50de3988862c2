"""OSF: short ids, folders, pages, and what is no longer there."""

from typing import Any

import pytest

from centinel.ingest.model import Stopped
from centinel.ingest.platforms.platform import ApiAnswer
from tests.sites.dataset_catalogues import (
    osf_file,
    osf_folder,
    osf_guid,
    osf_node,
    osf_page,
    osf_provider,
)
from tests.sites.dataset_shapes import DataFile
from tests.unit.ingest.driving import item_of, status_of, stop_of

API = "https://api.osf.io/v2"
PAGE = "https://osf.io/abcd5/"
STORE = f"{API}/nodes/abcd5/files/osfstorage/"
SIZE = "page[size]=100"
FILES = [DataFile("a.csv"), DataFile("b.csv", b"b", "raw"), DataFile("c.csv", b"c", "raw")]


def served(kind: str = "nodes", attributes: Any = None, **more: Any) -> dict[str, Any]:
    """What the API gives: a file, and a folder with two."""
    folder = osf_folder("abcd5", "raw", "/f1/")
    return {
        f"{API}/guids/abcd5/?resolve=false": osf_guid("abcd5", kind),
        f"{API}/{kind}/abcd5/?related_counts=children": osf_node(
            "abcd5", kind, **(attributes or {})
        ),
        f"{API}/{kind}/abcd5/files/?{SIZE}": osf_page([osf_provider("abcd5")]),
        f"{STORE}?{SIZE}": osf_page([osf_file(FILES[0], 0), folder]),
        f"{STORE}f1/?{SIZE}": osf_page([osf_file(FILES[1], 1)], f"{STORE}f1/?page=2&{SIZE}", 2),
        f"{STORE}f1/?page=2&{SIZE}": osf_page([osf_file(FILES[2], 2)], None, 2),
    } | more


def test_a_project_becomes_an_item_with_all_of_its_folders() -> None:
    item = item_of(PAGE, served())
    assert (item.platform, item.platform_domain, item.platform_id) == ("osf", "osf.io", "abcd5")
    assert [each.path for each in item.manifest] == ["a.csv", "raw/b.csv", "raw/c.csv"]
    first = item.manifest[0]
    assert (first.size, first.md5, first.sha256) == (8, FILES[0].md5, FILES[0].digest("sha256"))
    assert first.platform_url == f"https://osf.io/download/5f{0:022x}/"
    assert item.web_bundle_url == (
        "https://files.osf.io/v1/resources/abcd5/providers/osfstorage/?zip="
    )
    assert (item.title, item.is_latest, item.incomplete) == ("A study", None, None)
    assert item.notes == ("its archive differs each time that it is made",)


@pytest.mark.parametrize("path", ["/abcd5", "/ABCD5/", "/abcd5/files", "/project/abcd5/"])
def test_each_form_of_a_projects_address_is_known(path: str) -> None:
    assert item_of(f"https://osf.io{path}", served()).platform_id == "abcd5"


def test_a_registration_is_asked_for_as_one() -> None:
    item = item_of(PAGE, served("registrations", {"date_registered": "2019-02-03T04:05:06"}))
    assert (item.file_count, item.published) == (3, "2019-02-03")


def test_an_id_that_is_answered_with_the_project_itself_is_not_asked_for_twice() -> None:
    given = served(**{f"{API}/guids/abcd5/?resolve=false": osf_node("abcd5")})
    del given[f"{API}/nodes/abcd5/?related_counts=children"]
    assert item_of(PAGE, given).file_count == 3


def test_components_are_left_out_and_counted() -> None:
    node = osf_node("abcd5")
    node["data"]["relationships"]["children"]["links"]["related"]["meta"]["count"] = 3
    item = item_of(PAGE, served(**{f"{API}/nodes/abcd5/?related_counts=children": node}))
    assert item.notes[1:] == ("3 components are projects of their own: no part of this one",)


def test_totals_stand_below_links_in_older_answers() -> None:
    page = osf_page([osf_file(FILES[0], 0)])
    page["links"]["meta"] = {"total": 9, "per_page": 10}
    del page["meta"]
    item = item_of(PAGE, served(**{f"{STORE}?{SIZE}": page}))
    assert item.incomplete == "9 entries of a folder are declared, 1 were listed"


def test_a_folder_that_cannot_be_read_to_its_end_is_incomplete() -> None:
    item = item_of(PAGE, served(**{f"{STORE}f1/?page=2&{SIZE}": ApiAnswer(503)}))
    assert item.file_count == 2
    assert "http 503" in str(item.incomplete)


def test_a_folder_within_itself_ends() -> None:
    inside = osf_page([osf_folder("abcd5", "raw", "/f1/"), osf_file(FILES[1], 1)])
    item = item_of(PAGE, served(**{f"{STORE}f1/?{SIZE}": inside}))
    assert [each.path for each in item.manifest] == ["a.csv", "raw/b.csv"]


def test_other_providers_have_a_folder_and_no_hashes() -> None:
    provider = osf_provider("abcd5", "github")
    file = osf_file(FILES[0], 0, provider="github", extra={"hashes": {}})
    given = served(
        **{
            f"{API}/nodes/abcd5/files/?{SIZE}": osf_page([provider]),
            f"{API}/nodes/abcd5/files/github/?{SIZE}": osf_page([file]),
        }
    )
    found = item_of(PAGE, given).manifest[0]
    assert (found.path, found.strongest) == ("github/a.csv", "size")


@pytest.mark.parametrize(
    ("attributes", "status", "until"),
    [
        ({"withdrawn": True}, Stopped.GONE, None),
        ({"public": False}, Stopped.RESTRICTED, None),
        (
            {"embargoed": True, "embargo_end_date": "2027-08-09T00:00:00"},
            Stopped.EMBARGOED,
            "2027-08-09",
        ),
    ],
)
def test_what_cannot_be_taken_says_why(attributes: Any, status: Stopped, until: str | None) -> None:
    stop = stop_of(PAGE, served("registrations", attributes))
    assert (stop.status, stop.until) == (status, until)


@pytest.mark.parametrize(
    ("http_status", "status"),
    [
        (404, Stopped.NOT_FOUND),
        (410, Stopped.GONE),
        (503, Stopped.HTTP_ERROR),
        (401, Stopped.RESTRICTED),
        (403, Stopped.RESTRICTED),
        (429, Stopped.RATE_LIMITED),
    ],
)
def test_missing_gone_private_and_away_are_four_things(http_status: int, status: Stopped) -> None:
    said = {"errors": [{"detail": "It is so."}]}
    stop = stop_of(PAGE, {f"{API}/guids/abcd5/?resolve=false": ApiAnswer(http_status, json=said)})
    assert stop.status is status
    assert stop.message.endswith(f"http {http_status}: It is so.")


@pytest.mark.parametrize("kind", ["files", "preprints", "users"])
def test_an_id_of_something_else_is_out_of_scope(kind: str) -> None:
    assert status_of(PAGE, {f"{API}/guids/abcd5/?resolve=false": osf_guid("abcd5", kind)}) is (
        Stopped.PLATFORM_SCOPE
    )


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/abcd5/files/osfstorage/5f00", Stopped.PLATFORM_SCOPE),
        ("/abcd5/download", Stopped.PLATFORM_SCOPE),
        ("/preprints/psyarxiv/abcd5", Stopped.PLATFORM_SCOPE),
        ("/login?next=/abcd5", Stopped.LOGIN),
        ("/", Stopped.PLATFORM_SCOPE),
    ],
)
def test_what_is_no_project_is_out_of_scope(path: str, status: Stopped) -> None:
    assert status_of(f"https://osf.io{path}") is status


def test_a_list_on_another_host_is_not_followed() -> None:
    away = osf_page([osf_file(FILES[0], 0)], "https://evil.example/v2/next")
    assert status_of(PAGE, served(**{f"{STORE}?{SIZE}": away})) is Stopped.SCHEMA_CHANGED
