"""Lists are walked to their end, whatever a page holds, and say so where that was not reached."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.ingest.landing import Page
from centinel.ingest.model import PlatformItem
from centinel.ingest.platforms import asking
from centinel.ingest.platforms.platform import ApiAnswer, Ask, answered
from centinel.ingest.platforms.registry import recognise
from tests.sites.dataset_catalogues import osf_file, osf_guid, osf_node, osf_page, osf_provider
from tests.sites.dataset_shapes import (
    dryad_dataset,
    dryad_file,
    figshare_article,
    figshare_file,
    github_release,
    numbered,
)
from tests.unit.ingest.driving import HTML, request
from tests.unit.support import PROPERTY

Sheets = Callable[[int], list[Any]]
"""The rows of a page, by its number from 1."""


def cut(rows: list[Any], cap: int) -> Sheets:
    """Pages of so many rows."""
    return lambda number: rows[(number - 1) * cap : number * cap]


def always(rows: list[Any]) -> Sheets:
    """The first ten rows, whatever page is asked for."""
    return lambda _: rows[:10]


def endless(_: list[Any]) -> Sheets:
    """Ten rows that were not there before, on each page."""
    return lambda number: [
        figshare_file(each, number * 100 + at) for at, each in enumerate(numbered(10))
    ]


def item(
    address: str, values: dict[str, Any], at: str, page_of: Callable[[int], Any]
) -> PlatformItem:
    """The item of an address; `at` is the path of the list."""

    def answer_to(ask: Ask) -> ApiAnswer:
        parts = urlsplit(ask.address)
        number = int(parse_qs(parts.query).get("page", ["1"])[0])
        value = page_of(number) if parts.path == at else values.get(parts.path)
        return ApiAnswer(404) if value is None else ApiAnswer(200, json=value)

    platform, match = recognise(request(address), address, Page(address, 200, HTML, b"<html>"))
    return answered(platform.item(match), answer_to)


def figshare(count: int, sheets: Callable[[list[Any]], Sheets]) -> PlatformItem:
    """An article with so many files, in pages."""
    files = numbered(count)
    rows = [figshare_file(each, at) for at, each in enumerate(files)]
    values = {"/v2/articles/123/versions/2": figshare_article(123, 2, files)}
    address = "https://figshare.com/articles/dataset/x/123/2"
    return item(address, values, "/v2/articles/123/versions/2/files", sheets(rows))


def dryad(count: int, total: int, sheets: Callable[[list[Any]], Sheets]) -> PlatformItem:
    """A dataset with so many files, which declares another number."""
    rows = [dryad_file(each, at) for at, each in enumerate(numbered(count), 1)]
    values = {"/api/v2/datasets/doi%3A10.5061%2Fdryad.x": dryad_dataset("10.5061/dryad.x", 1)}
    page_of = sheets(rows)
    return item(
        "https://datadryad.org/dataset/doi:10.5061/dryad.x",
        values,
        "/api/v2/versions/1001/files",
        lambda number: {"total": total, "_embedded": {"stash:files": page_of(number)}},
    )


def osf(count: int, total: int, cap: int) -> PlatformItem:
    """A project with so many files, whose list declares another number."""
    rows = [osf_file(each, at) for at, each in enumerate(numbered(count))]
    at = "/v2/nodes/abcd5/files/osfstorage/"
    page_of = cut(rows, cap)

    def page(number: int) -> Any:
        following = f"https://api.osf.io{at}?page={number + 1}" if number * cap < count else None
        return osf_page(page_of(number), following, total)

    values = {
        "/v2/guids/abcd5/": osf_guid("abcd5"),
        "/v2/nodes/abcd5/": osf_node("abcd5"),
        "/v2/nodes/abcd5/files/": osf_page([osf_provider("abcd5")]),
    }
    return item("https://osf.io/abcd5/", values, at, page)


@PROPERTY
@given(count=st.integers(1, 60), cap=st.integers(10, 30))
def test_every_file_of_figshare_is_listed_for_any_size_of_its_pages(count: int, cap: int) -> None:
    made = figshare(count, lambda rows: cut(rows, cap))
    assert (made.file_count, made.incomplete) == (count, None)


@PROPERTY
@given(count=st.integers(1, 60), total=st.integers(0, 80), cap=st.integers(1, 30))
def test_a_list_is_whole_exactly_where_it_has_as_many_as_it_declares(
    count: int, total: int, cap: int
) -> None:
    made = dryad(count, total, lambda rows: cut(rows, cap))
    assert (made.incomplete is None) == (made.file_count >= total)
    assert made.file_count >= min(count, total)
    walked = osf(count, total, cap)
    assert walked.file_count == count
    assert (walked.incomplete is None) == (count >= total)


@pytest.mark.parametrize("count", [12, 45])
def test_paging_that_has_no_effect_is_no_whole_list(count: int) -> None:
    made = figshare(count, always)
    assert (made.file_count, made.incomplete) == (
        10,
        "the files: the same rows again: its paging has no effect",
    )
    again = dryad(count, count, always)
    assert (again.file_count, again.incomplete) == (10, made.incomplete)


def test_a_list_without_an_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_PAGES", 4)
    made = figshare(12, endless)
    assert made.file_count == 40
    assert made.incomplete == "the files: stopped after 4 pages, with a next one left"


def test_a_page_that_names_itself_as_the_next_ends_the_walk() -> None:
    at = "/v2/nodes/abcd5/files/osfstorage/"
    rows = [osf_file(each, number) for number, each in enumerate(numbered(2))]
    values = {
        "/v2/guids/abcd5/": osf_guid("abcd5"),
        "/v2/nodes/abcd5/": osf_node("abcd5"),
        "/v2/nodes/abcd5/files/": osf_page([osf_provider("abcd5")]),
    }
    following = f"https://api.osf.io{at}?page[size]=100"
    made = item("https://osf.io/abcd5/", values, at, lambda _: osf_page(rows, following))
    assert made.file_count == 2
    assert "names an earlier one as the next" in str(made.incomplete)


def test_a_release_lists_every_asset_for_any_size_of_its_pages() -> None:
    for count, cap in ((29, 30), (30, 30), (31, 30), (100, 100), (101, 100), (250, 50)):
        release = github_release("town/data", "v1", numbered(count))
        values = {
            "/repos/town/data/releases/tags/v1": release | {"assets": release["assets"][:30]},
            "/repos/town/data/releases/latest": release,
        }
        made = item(
            "https://github.com/town/data/releases/tag/v1",
            values,
            "/repos/town/data/releases/77/assets",
            cut(release["assets"], cap),
        )
        assert (made.file_count, made.incomplete) == (count, None)
