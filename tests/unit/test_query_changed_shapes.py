"""Whatever a vendor sends, an enumeration ends, and says what it is; nothing crashes."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.answers import Answer, Fetched
from centinel.configuration import Source
from centinel.http import Client
from centinel.record import Json, Resource
from centinel.robots import missing
from centinel.sources.platforms import walking
from centinel.sources.platforms.registry import PLATFORMS
from centinel.sources.query import Query
from centinel.sources.source_kind import Enumeration
from tests.sites.platforms import (
    atom,
    atom_entry,
    attachment,
    catalogue,
    dataset,
    event,
    item,
    matter,
    package,
    rss,
    rss_item,
)
from tests.sites.portals import document, meeting
from tests.unit.querying import HOME, fetched, parts_of, query
from tests.unit.support import PROPERTY

ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["https://t.example/a", "http://[", "//x", "ftp://x/", "\ud800", "1e999"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)

PAGES: dict[str, Any] = {
    "legistar": [matter(1), matter(2)],
    "ckan": {"success": True, "result": {"count": 2, "results": [package("a"), package("b")]}},
    "arcgis-hub": {"features": [item("a"), item("b", "PDF")], "numberMatched": 2, "links": []},
    "dcat": orjson.loads(catalogue([dataset("a", f"{HOME}/a"), dataset("b", None, "/b.csv")])),
    # Every list at once: each answer of the client is the same.
    "primegov": [2026, "2025", meeting(1, document(7, "Agenda")), meeting(2)],
    "municode": {
        "Id": 5,
        "Children": [{"Id": "CH1", "Heading": "Chapter 1"}],
        "Docs": [
            {"Id": "CH1", "Title": "Chapter 1", "Content": '<a href="/a.pdf">PDF</a>'},
            {"Id": "S1", "Content": None, "ChunkGroupStartingNodeId": "S1"},
            {"Id": "S2", "Content": None, "ChunkGroupStartingNodeId": "[SHOW_TOC]"},
        ],
    },
}
RECORDS: dict[str, Any] = {
    "legistar": {
        **event(1, f"{HOME}/A.pdf"),
        "EventItems": [{"EventItemMatterAttachments": [attachment(1, f"{HOME}/1.pdf")]}],
    },
    "ckan": {"success": True, "result": package("a", f"{HOME}/a.csv")},
    "arcgis-hub": item("a", "PDF"),
    "municode": PAGES["municode"],
}
BLOCKS: dict[str, Source] = {
    "legistar": query("legistar", client="seattle", what="matters", url=f"{HOME}/v1"),
    "ckan": query("ckan", url=HOME),
    "arcgis-hub": query("arcgis-hub", url=HOME),
    "dcat": query("dcat", url=f"{HOME}/data.json"),
    "feed": query("feed", url=f"{HOME}/feed"),
    "primegov": query("primegov", client="alder", url=HOME),
    "municode": query("municode", product=10159, url=HOME),
}


_FOLDER = TemporaryDirectory()


class Recorded(Client):
    """A client whose every answer is the same, from no network."""

    def __init__(self, content: bytes) -> None:
        super().__init__(Path(_FOLDER.name))
        self.content = content
        self._rules = {HOME: missing("a test")}

    def get(self, address: str, validators: Mapping[str, str] | None = None) -> Answer:  # noqa: ARG002
        """Gives the answer."""
        return fetched(self.content, address)


def places(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where each node of a value is."""
    children = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [place, *(each for key, child in children for each in places(child, (*place, key)))]


@st.composite
def changed(draw: st.DrawFn, value: Any) -> Any:
    """A value in which some nodes are something else, or are not there."""
    made = copy.deepcopy(value)
    for place in draw(st.lists(st.sampled_from(places(value)), min_size=1, max_size=4)):
        if not place:
            made = draw(ANYTHING) if draw(st.integers(0, 9)) == 0 else made
            continue
        node = made
        try:
            for step in place[:-1]:
                node = node[step]
            if draw(st.booleans()):
                node[place[-1]] = draw(ANYTHING)
            else:
                del node[place[-1]]
        except (KeyError, IndexError, TypeError):
            continue
    return made


def as_bytes(value: Any) -> bytes:
    """JSON as vendors write it: not always what the standard allows."""
    return json.dumps(value).encode("utf-8", "replace")


def said(found: Enumeration) -> None:
    """What must hold of every enumeration."""
    assert isinstance(found, Enumeration)
    assert found.reason is None or found.reason
    addresses = [each.address for each in found.resources]
    assert len(addresses) == len(set(addresses))
    for each in found.resources:
        assert each.address.startswith(("http://", "https://"))
        assert isinstance(Resource.from_json(orjson.loads(orjson.dumps(each.to_json()))), Resource)
    orjson.dumps([found.notes, found.warnings, found.reason, found.figures])


@pytest.mark.parametrize("platform", sorted(PAGES))
@PROPERTY
@given(data=st.data())
def test_a_changed_page_never_crashes(platform: str, data: st.DataObject) -> None:
    content = as_bytes(data.draw(changed(PAGES[platform])))
    said(Query().enumerate(BLOCKS[platform], Recorded(content)))


@pytest.mark.parametrize("platform", sorted(BLOCKS))
@PROPERTY
@given(content=st.binary(max_size=60) | ANYTHING.map(as_bytes))
def test_any_bytes_never_crash(platform: str, content: bytes) -> None:
    said(Query().enumerate(BLOCKS[platform], Recorded(content)))
    found = parts_of(BLOCKS[platform], content, f"{HOME}/v1/seattle/matters/1")
    orjson.dumps([found.addresses, found.notes])


@PROPERTY
@given(data=st.data())
def test_a_changed_feed_never_crashes(data: st.DataObject) -> None:
    whole = data.draw(
        st.sampled_from(
            [
                rss([rss_item(1, f"{HOME}/1"), rss_item(2, None)]),
                atom([atom_entry(1, "/1"), atom_entry(2, "/2")], {"next": "/feed"}),
            ]
        )
    )
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(whole))] * 2)))
    content = whole[:start] + data.draw(st.binary(max_size=20)) + whole[end:]
    said(Query().enumerate(BLOCKS["feed"], Recorded(content)))


@pytest.mark.parametrize("platform", sorted(RECORDS))
@PROPERTY
@given(data=st.data())
def test_a_changed_record_never_crashes(platform: str, data: st.DataObject) -> None:
    value = data.draw(changed(RECORDS[platform]))
    block = BLOCKS[platform]
    if platform == "legistar":
        block = query("legistar", client="seattle", what="events", url=f"{HOME}/v1")
    found = parts_of(block, as_bytes(value), f"{HOME}/record")
    assert all(each.startswith(("http://", "https://")) for each in found.addresses)
    assert len(set(found.addresses)) == len(found.addresses)
    orjson.dumps([found.addresses, found.notes])


@pytest.mark.parametrize("name", ["dcat", "feed"])
@PROPERTY
@given(data=st.data())
def test_a_changed_document_never_crashes_what_is_acquired(name: str, data: st.DataObject) -> None:
    content = as_bytes(data.draw(changed(PAGES["dcat"])))
    kind, asks = Query(), Recorded(content)
    found = kind.enumerate(BLOCKS[name], asks)
    for each in found.resources:
        answer = kind.fetch(BLOCKS[name], asks, each.address, {})
        assert isinstance(answer, Fetched)
        named = kind.parts(BLOCKS[name], each, answer, "json")
        for part in named.addresses:
            assert isinstance(kind.fetch(BLOCKS[name], asks, part, {}), Fetched)


def test_a_deeply_nested_answer_is_one_failure() -> None:
    content = b"[" * 200_000 + b"]" * 200_000
    for name in PAGES:
        found = Query().enumerate(BLOCKS[name], Recorded(content))
        assert found.resources == []
        assert found.reason is not None or found.truncated


# Ceilings


class Endless(Recorded):
    """A vendor whose pages never end."""

    def __init__(self) -> None:
        super().__init__(b"")
        self.number = 0

    def get(self, address: str, validators: Mapping[str, str] | None = None) -> Answer:  # noqa: ARG002
        """Gives ten matters that were not there before."""
        self.number += 10
        rows: list[Json] = [matter(self.number + each) for each in range(10)]
        return fetched(rows, address)


def test_the_ceiling_of_requests_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MOST_REQUESTS", 7)
    found = Query().enumerate(BLOCKS["legistar"], Endless())
    assert (found.reason, len(found.resources), found.truncated) == (None, 70, True)
    assert found.warnings == ["stopped at 7 requests, with a next page left"]


def test_the_ceiling_of_records_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MOST_RECORDS", 25)
    found = Query().enumerate(BLOCKS["legistar"], Endless())
    assert (found.reason, len(found.resources), found.truncated) == (None, 25, True)
    assert found.warnings == ["stopped at 25 records"]
    assert len(found.notes) == 1


def test_exactly_the_ceiling_of_records_is_no_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MOST_RECORDS", 2)
    found = Query().enumerate(BLOCKS["ckan"], Recorded(as_bytes(PAGES["ckan"])))
    assert (len(found.resources), found.truncated) == (2, False)


def test_every_platform_has_a_case_here() -> None:
    assert sorted(BLOCKS) == sorted(each.name for each in PLATFORMS)
