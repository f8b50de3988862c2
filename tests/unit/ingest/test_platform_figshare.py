"""Figshare: articles, portals, versions, and lists of more than ten files."""

from typing import Any

import pytest

from centinel.ingest.model import Stopped
from centinel.ingest.platforms.platform import ApiAnswer
from tests.sites.dataset_shapes import DataFile, Json, figshare_article, figshare_file, numbered
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

API = "https://api.figshare.com/v2/articles"
FILES = [DataFile("a.csv"), DataFile("b.txt", b"b", "raw/2021")]
PORTAL_PAGE = b'<!doctype html><html><head><script src="https://website-p-eu.figstatic.com/a.js">'


def address(number: int = 123, version: str = "/2", kind: str = "dataset") -> str:
    """A landing page."""
    return f"https://figshare.com/articles/{kind}/Readings/{number}{version}"


def served(article: Json, versions: int = 2, **more: Any) -> dict[str, Any]:
    """What the API gives for an article."""
    number, version = article["id"], article["version"]
    return {
        f"{API}/{number}": article,
        f"{API}/{number}/versions/{version}": article,
        f"{API}/{number}/versions": [{"version": each} for each in range(1, versions + 1)],
    } | more


def test_an_article_becomes_an_item() -> None:
    item = item_of(address(), served(figshare_article(123, 2, FILES)))
    assert (item.platform, item.platform_domain, item.platform_id) == (
        "figshare",
        "figshare.com",
        "123",
    )
    assert (item.requested_id, item.resolved_id, item.is_latest) == ("123.v2", "123.v2", True)
    assert (item.title, item.published) == ("Readings 123", "2021-03-04")
    assert item.licence == "https://creativecommons.org/licenses/by/4.0/"
    assert item.declared_bytes == item.total_size == 9
    assert item.web_bundle_url == "https://ndownloader.figshare.com/articles/123/versions/2"
    assert item.archiveorg_item_name == "figshare.com-123-v2"
    assert item.archiveorg_item_meta["creator"] == ["Ada Alder"]
    first, second = item.manifest
    assert (first.path, first.size, first.md5) == ("a.csv", 8, FILES[0].md5)
    assert (first.sha1, first.sha256, first.mimetype) == (None, None, "text/csv")
    assert first.platform_url == "https://ndownloader.figshare.com/files/5000"
    assert second.path == "raw/2021/b.txt"
    assert item.metadata["article"]["doi"] == "10.6084/m9.figshare.123.v2"


@pytest.mark.parametrize(
    "path",
    [
        "articles/software/RCL-tree_rar/15052236/6",
        "articles/media/x/16532574/1",
        "articles/book/x/14907846/5",
        "articles/preprint/x/15172926/1",
        "articles/a_word_of_next_year/x/15172926/1",
        "articles/x/15172926/1",
        "articles/15172926/1",
    ],
)
def test_any_word_for_the_type_is_known(path: str) -> None:
    match = matched(f"https://figshare.com/{path}")
    number, version = path.split("/")[-2:]
    assert (match.platform, match.platform_id) == ("figshare", number)
    assert match.details["version"] == version


def test_an_address_without_a_version_means_the_newest() -> None:
    item = item_of(address(version=""), served(figshare_article(123, 4, FILES)))
    assert (item.requested_id, item.resolved_id, item.is_latest) == ("123", "123.v4", True)


def test_another_doi_than_was_asked_for_is_noted() -> None:
    article = served(figshare_article(123, 4, FILES))
    work = item_of(address(version=""), article, asked="doi:10.6084/m9.figshare.123")
    assert work.notes == (
        "asked for doi 10.6084/m9.figshare.123, answered with doi 10.6084/m9.figshare.123.v4",
    )
    same = item_of(address(version="/4"), article, asked="10.6084/m9.figshare.123.V4")
    assert same.notes == ()


def test_an_older_version_is_not_the_latest() -> None:
    item = item_of(address(version="/1"), served(figshare_article(123, 1, FILES), versions=3))
    assert (item.resolved_id, item.is_latest) == ("123.v1", False)


def test_without_its_versions_it_is_not_known_which_is_the_latest() -> None:
    refused = {f"{API}/123/versions": ApiAnswer(500)}
    item = item_of(address(), served(figshare_article(123, 2, FILES), **refused))
    assert item.is_latest is None


def test_another_version_than_was_asked_for_is_no_success() -> None:
    article = figshare_article(123, 3, FILES)
    assert status_of(address(), {f"{API}/123/versions/2": article}) is Stopped.PLATFORM_SCOPE


@pytest.mark.parametrize("count", [9, 10, 11, 12, 13, 20, 25])
@pytest.mark.parametrize("cap", [10, 1000])
def test_more_than_ten_files_are_all_listed(count: int, cap: int) -> None:
    files = numbered(count)
    rows = [figshare_file(file, number) for number, file in enumerate(files)]
    pages = {
        f"{API}/123/versions/2/files?page={number}&page_size=1000": rows[
            (number - 1) * cap : number * cap
        ]
        for number in range(1, 5)
    }
    item = item_of(address(), served(figshare_article(123, 2, files), **pages))
    assert [each.path for each in item.manifest] == [each.name for each in files]
    assert item.incomplete is None


def test_a_page_that_fails_leaves_the_manifest_incomplete() -> None:
    files = numbered(20)
    rows = [figshare_file(file, number) for number, file in enumerate(files[:10])]
    first = {f"{API}/123/versions/2/files?page=1&page_size=1000": rows}
    item = item_of(address(), served(figshare_article(123, 2, files), **first))
    assert item.file_count == 10
    assert item.incomplete is not None
    assert item.incomplete.startswith("the files, page 2: the files (https://api.figshare.com/")


def test_fewer_bytes_than_the_article_has_are_incomplete() -> None:
    article = figshare_article(123, 2, FILES, size=500)
    item = item_of(address(), served(article))
    assert item.incomplete == "500 bytes are declared, 9 were listed"


def test_a_portal_on_a_host_of_its_own_is_known_by_its_page() -> None:
    chemrxiv = "https://chemrxiv.org/articles/preprint/A_title/14411081"
    match = matched(chemrxiv, PORTAL_PAGE)
    assert (match.platform, match.domain) == (
        "figshare",
        "chemrxiv.org",
    )
    assert match.evidence == "page: <script> of website-p-eu.figstatic.com"
    article = figshare_article(14411081, 2, FILES)
    item = item_of(chemrxiv, served(article), body=PORTAL_PAGE)
    assert (item.platform_domain, item.resolved_id) == ("chemrxiv.org", "14411081.v2")
    assert item.archiveorg_item_name == "figshare.com-14411081-v2"


@pytest.mark.parametrize(
    ("doi", "landing", "number", "version"),
    [
        (
            "10.25394/pgs.20263698.v1",
            "https://hammer.purdue.edu/articles/thesis/A_title/20263698/1",
            "20263698",
            "1",
        ),
        (
            "10.6084/m9.figshare.13646972.v1",
            "https://springernature.figshare.com/articles/dataset/x/13646972/1",
            "13646972",
            "1",
        ),
    ],
)
def test_the_doi_of_an_article_tells_a_portal(
    doi: str, landing: str, number: str, version: str
) -> None:
    match = matched(landing, asked=f"https://doi.org/{doi}")
    assert (match.platform, match.platform_id) == ("figshare", number)
    assert match.details["version"] == version


@pytest.mark.parametrize(
    "host", ["notfigshare.com.evil.example", "notfigshare.com", "figshare.com.evil.example"]
)
def test_a_piece_of_a_hosts_name_is_no_match(host: str) -> None:
    landing = f"https://{host}/articles/dataset/x/123/1"
    assert status_of(landing) is Stopped.NO_PLATFORM_MATCH


def test_an_embargo_has_its_day() -> None:
    article = figshare_article(
        123, 2, [], is_embargoed=True, embargo_date="2027-05-06", embargo_reason="Under review"
    )
    stop = stop_of(address(), served(article))
    assert (stop.status, stop.until) == (Stopped.EMBARGOED, "2027-05-06")
    assert stop.message.endswith("embargoed until 2027-05-06: Under review")


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"is_public": False}, Stopped.RESTRICTED),
        ({"is_confidential": True}, Stopped.RESTRICTED),
        ({"download_disabled": True}, Stopped.RESTRICTED),
        ({"is_metadata_record": True, "files": []}, Stopped.METADATA_ONLY),
        ({"files": []}, Stopped.EMPTY_MANIFEST),
        ({"files": None}, Stopped.SCHEMA_CHANGED),
        ({"files": [{"id": 1}]}, Stopped.SCHEMA_CHANGED),
        ({"id": 124}, Stopped.SCHEMA_CHANGED),
    ],
)
def test_what_cannot_be_taken_says_why(changes: Json, status: Stopped) -> None:
    article = figshare_article(123, 2, FILES, **changes)
    assert status_of(address(), {f"{API}/123/versions/2": article}) is status


def test_a_link_leaves_out_that_file_and_not_the_set() -> None:
    linked = figshare_file(
        FILES[1], 2, is_link_only=True, size=0, download_url="https://x.example/"
    )
    article = figshare_article(123, 2, FILES, files=[figshare_file(FILES[0], 1), linked])
    item = item_of(address(), served(article))
    assert [(each.path, each.status) for each in item.manifest] == [
        ("a.csv", None),
        ("b.txt", "platform-link-only"),
    ]
    assert item.incomplete is None
    only = figshare_article(123, 2, FILES, files=[linked])
    assert status_of(address(), served(only)) is Stopped.PLATFORM_SCOPE


def test_where_a_wall_stands_before_a_file_other_addresses_are_named() -> None:
    walled = figshare_file(FILES[0], 7, download_url="https://figshare.com/ndownloader/files/7")
    item = item_of(address(), served(figshare_article(123, 2, FILES[:1], files=[walled])))
    assert item.manifest[0].platform_url == "https://figshare.com/ndownloader/files/7"
    assert item.manifest[0].extra["alternatives"] == [
        "https://ndownloader.figshare.com/files/7",
        "https://api.figshare.com/v2/file/download/7",
    ]


def test_the_hash_of_what_is_served_goes_before_the_depositors() -> None:
    row = figshare_file(FILES[0], 7, supplied_md5="f" * 32)
    item = item_of(address(), served(figshare_article(123, 2, FILES[:1], files=[row])))
    assert item.manifest[0].md5 == FILES[0].md5


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/collections/A_collection/4711/1", Stopped.PLATFORM_SCOPE),
        ("/projects/A_project/4711", Stopped.PLATFORM_SCOPE),
        ("/ndownloader/files/5474201", Stopped.PLATFORM_SCOPE),
        ("/s/0123456789abcdef0123", Stopped.RESTRICTED),
        ("/account/home", Stopped.LOGIN),
        ("/browse", Stopped.PLATFORM_SCOPE),
    ],
)
def test_what_is_no_article_is_out_of_scope(path: str, status: Stopped) -> None:
    assert status_of(f"https://figshare.com{path}") is status


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (ApiAnswer(404, json={"message": "Entity not found: article"}), Stopped.NOT_FOUND),
        (ApiAnswer(410), Stopped.GONE),
        (ApiAnswer(429), Stopped.RATE_LIMITED),
        (ApiAnswer(403), Stopped.FORBIDDEN),
        (ApiAnswer(401), Stopped.LOGIN),
        (ApiAnswer(500), Stopped.HTTP_ERROR),
        (ApiAnswer(None, text="connection reset"), Stopped.ERROR),
        (ApiAnswer(None, text="robots"), Stopped.ROBOTS),
        (ApiAnswer(202, {"x-amzn-waf-action": "challenge"}), Stopped.CHALLENGE),
        (ApiAnswer(200, text="<!DOCTYPE html><html>"), Stopped.CHALLENGE),
        (ApiAnswer(200, text="{"), Stopped.SCHEMA_CHANGED),
        (ApiAnswer(200, json=[]), Stopped.SCHEMA_CHANGED),
    ],
)
def test_each_failure_of_the_api_is_a_status_of_its_own(answer: ApiAnswer, status: Stopped) -> None:
    stop = stop_of(address(), {f"{API}/123/versions/2": answer})
    assert stop.status is status
    assert f"{API}/123/versions/2" in stop.message or status is Stopped.SCHEMA_CHANGED


def test_a_file_of_an_article_that_is_served_elsewhere_is_out_of_scope() -> None:
    asked = "https://ndownloader.figshare.com/files/5474201"
    bucket = "https://s3-eu-west-1.amazonaws.com/pfigshare-u-files/5474201/a.csv"
    landing = web_page(bucket, b"a,b\n", content_type="text/csv")
    platform, match = recognise(request(asked), bucket, landing)
    assert (platform.name, match.address) == ("figshare", asked)
    assert status_of(bucket, asked=asked, page=landing) is Stopped.PLATFORM_SCOPE


def test_few_files_cost_one_request_and_one_for_the_versions() -> None:
    asked = Asked(served(figshare_article(123, 2, FILES)))
    platform, match = recognise(request(address()), address(), web_page(address()))
    assert len(by_path(answered(platform.item(match), asked))) == 2
    assert asked.asked == [f"{API}/123/versions/2", f"{API}/123/versions"]
