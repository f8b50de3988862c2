"""GitHub: the files of a release."""

from typing import Any

import pytest

from centinel.ingest.model import Stopped
from centinel.ingest.platforms.platform import ApiAnswer
from tests.sites.dataset_shapes import DataFile, github_release, numbered
from tests.unit.ingest.driving import item_of, status_of

API = "https://api.github.com/repos/town/data/releases"
PAGE = "https://github.com/town/data/releases/tag/v1.0"
FILES = [DataFile("a.csv"), DataFile("empty.bin", b"")]


def served(files: list[DataFile] | None = None, latest: str = "v1.0", **changes: Any) -> Any:
    """What the API gives."""
    release = github_release("town/data", "v1.0", FILES if files is None else files, **changes)
    newest = github_release("town/data", latest, FILES)
    return {f"{API}/tags/v1.0": release, f"{API}/latest": newest}


def test_a_release_becomes_an_item() -> None:
    item = item_of(PAGE, served())
    assert (item.platform, item.platform_domain, item.platform_id) == (
        "github",
        "github.com",
        "town/data",
    )
    assert (item.requested_id, item.resolved_id, item.is_latest) == (
        "town/data@v1.0",
        "town/data@v1.0",
        True,
    )
    assert (item.title, item.published) == ("Release v1.0", "2022-02-03")
    assert item.archiveorg_item_name == "github.com-town_data-v1.0"
    first, second = item.manifest
    assert (first.sha256, first.size) == (FILES[0].digest("sha256"), 8)
    assert first.platform_url == "https://github.com/town/data/releases/download/v1.0/a.csv"
    assert (second.path, second.size) == ("empty.bin", 0)


def test_an_older_release_is_not_the_latest() -> None:
    assert item_of(PAGE, served(latest="v2.0")).is_latest is False


@pytest.mark.parametrize("path", ["releases/latest", "releases", "releases/"])
def test_without_a_tag_the_latest_is_meant(path: str) -> None:
    item = item_of(f"https://github.com/town/data/{path}", served(latest="v3"))
    assert (item.requested_id, item.resolved_id, item.is_latest) == (
        "town/data",
        "town/data@v3",
        True,
    )


def test_a_tag_may_have_a_slash() -> None:
    release = github_release("town/data", "data/v1", FILES)
    given = {f"{API}/tags/data/v1": release, f"{API}/latest": release}
    item = item_of("https://github.com/town/data/releases/tag/data%2Fv1", given)
    assert item.resolved_id == "town/data@data/v1"


def test_older_assets_have_no_digest() -> None:
    release = github_release("town/data", "v1.0", FILES)
    release["assets"][0]["digest"] = None
    assert item_of(PAGE, served(assets=release["assets"])).manifest[0].strongest == "size"


def test_many_assets_are_asked_for_page_by_page() -> None:
    whole = github_release("town/data", "v1.0", numbered(230))
    given = served(assets=whole["assets"][:30])
    for number in range(3):
        rows = whole["assets"][number * 100 : (number + 1) * 100]
        given[f"{API}/77/assets?per_page=100&page={number + 1}"] = rows
    given[f"{API}/77/assets?per_page=100&page=4"] = []
    item = item_of(PAGE, given)
    assert (item.file_count, item.incomplete) == (230, None)


def test_a_release_without_files_is_its_source() -> None:
    item = item_of(PAGE, served([]))
    file = item.manifest[0]
    assert (item.file_count, file.path, file.size, file.strongest) == (
        1,
        "data-v1.0.zip",
        None,
        "none",
    )
    assert file.platform_url == "https://github.com/town/data/archive/refs/tags/v1.0.zip"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/town/data", Stopped.PLATFORM_SCOPE),
        ("/town/data/releases/download/v1.0/a.csv", Stopped.PLATFORM_SCOPE),
        ("/town/data/blob/main/a.csv", Stopped.PLATFORM_SCOPE),
        ("/login?return_to=%2Ftown", Stopped.LOGIN),
    ],
)
def test_what_is_no_release_is_out_of_scope(path: str, status: Stopped) -> None:
    assert status_of(f"https://github.com{path}") is status


def test_a_spent_allowance_is_no_refusal() -> None:
    spent = ApiAnswer(403, {"x-ratelimit-remaining": "0"}, {"message": "API rate limit exceeded"})
    assert status_of(PAGE, {f"{API}/tags/v1.0": spent}) is Stopped.RATE_LIMITED
    assert status_of(PAGE, {f"{API}/tags/v1.0": ApiAnswer(403)}) is Stopped.FORBIDDEN
    assert status_of(PAGE, {f"{API}/tags/v1.0": ApiAnswer(451)}) is Stopped.GONE
    assert status_of(PAGE) is Stopped.NOT_FOUND


def test_a_draft_and_another_tag_are_no_release() -> None:
    assert status_of(PAGE, served(draft=True)) is Stopped.RESTRICTED
    assert status_of(PAGE, served(tag_name="v9")) is Stopped.SCHEMA_CHANGED
