"""Whatever a vendor sends, a helper gives an item or says why not; nothing crashes."""

import copy
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import addresses
from centinel.ingest.landing import Page
from centinel.ingest.model import IngestStop, PlatformItem, Stopped
from centinel.ingest.paths import refusal
from centinel.ingest.platforms.platform import ApiAnswer, Ask, answered
from centinel.ingest.platforms.registry import PLATFORMS, recognise
from centinel.schemas import validator
from tests.sites.dataset_catalogues import (
    CKAN_HEAD,
    ckan_answer,
    ckan_package,
    ckan_resource,
    data_download,
    linked_page,
    osf_file,
    osf_folder,
    osf_guid,
    osf_node,
    osf_page,
    osf_provider,
)
from tests.sites.dataset_shapes import (
    DataFile,
    archive_item,
    dataverse_dataset,
    dataverse_file,
    dataverse_version,
    dryad_dataset,
    dryad_file,
    figshare_article,
    figshare_file,
    github_release,
    numbered,
    zenodo_record,
)
from tests.sites.server import page
from tests.unit.ingest.driving import HTML, request
from tests.unit.support import PROPERTY
from tests.unit.test_query_changed_shapes import ANYTHING, as_bytes, changed

FILES = [DataFile("a.csv"), DataFile("b.csv", b"b", "raw")]
TEN = numbered(12)
PID = "doi:10.7910/DVN/CLSFKX"
FIGSHARE = "https://api.figshare.com/v2/articles/123/versions"
OSF = "https://api.osf.io/v2"
STORE = f"{OSF}/nodes/abcd5/files/osfstorage/"

LANDINGS = {
    "figshare": "https://figshare.com/articles/dataset/x/123/2",
    "zenodo": "https://zenodo.org/records/1003567",
    "archiveorg": "https://archive.org/details/CAT",
    "dryad": "https://datadryad.org/dataset/doi:10.5061/dryad.x",
    "osf": "https://osf.io/abcd5/",
    "github": "https://github.com/town/data/releases/tag/v1",
    "dataverse": f"https://d.example/dataset.xhtml?persistentId={PID}",
    "ckan": "https://data.example/dataset/trees",
}
ANSWERS: dict[str, dict[str, Any]] = {
    "figshare": {
        f"{FIGSHARE}/2": figshare_article(123, 2, TEN),
        f"{FIGSHARE}/2/files": [figshare_file(each, at) for at, each in enumerate(TEN)],
        FIGSHARE: [{"version": 1}, {"version": 2}],
    },
    "zenodo": {"https://zenodo.org/api/records/1003567": zenodo_record(1003567, FILES)},
    "archiveorg": {"https://archive.org/metadata/CAT": archive_item("CAT", FILES)},
    "dryad": {
        "https://datadryad.org/api/v2/datasets/doi%3A10.5061%2Fdryad.x": dryad_dataset(
            "10.5061/dryad.x", 1
        ),
        "https://datadryad.org/api/v2/versions/1001/files": {
            "total": 2,
            "_embedded": {"stash:files": [dryad_file(each, at) for at, each in enumerate(FILES)]},
        },
    },
    "osf": {
        f"{OSF}/guids/abcd5/": osf_guid("abcd5"),
        f"{OSF}/nodes/abcd5/": osf_node("abcd5"),
        f"{OSF}/nodes/abcd5/files/": osf_page([osf_provider("abcd5")]),
        STORE: osf_page([osf_file(FILES[0], 0), osf_folder("abcd5", "raw", "/f1/")]),
        f"{STORE}f1/": osf_page([osf_file(FILES[1], 1)]),
    },
    "github": {
        "https://api.github.com/repos/town/data/releases/tags/v1": github_release(
            "town/data", "v1", FILES
        ),
        "https://api.github.com/repos/town/data/releases/latest": {"tag_name": "v1"},
    },
    "dataverse": {
        "https://d.example/api/datasets/:persistentId/": dataverse_dataset(
            PID,
            dataverse_version(
                PID,
                "1.0",
                [
                    dataverse_file(FILES[0], 1, PID, embargo={"dateAvailable": "2020-01-01"}),
                    dataverse_file(FILES[1], 2, PID, originalFileName="b.dta", originalFileSize=1),
                ],
            ),
        )
    },
    "ckan": {
        "https://data.example/api/3/action/package_show": ckan_answer(
            ckan_package("trees", [ckan_resource(FILES[0], "https://data.example/a.csv")])
        )
    },
}
BODIES = {"ckan": page("x", "", head_html=CKAN_HEAD)}


class Vendor:
    """Answers by path; what it does not know is 404. Refuses to be asked for ever."""

    def __init__(self, given: Mapping[str, ApiAnswer]) -> None:
        self.given = given
        self.asked = 0

    def __call__(self, ask: Ask) -> ApiAnswer:
        self.asked += 1
        assert self.asked < 3000
        assert addresses.canonical(ask.address) == ask.address
        parts = urlsplit(ask.address)
        found = self.given.get(f"{parts.scheme}://{parts.netloc}{parts.path}")
        is_further = "page=2" in parts.query or "page=3" in parts.query
        return ApiAnswer(200, json=[]) if is_further else found or ApiAnswer(404)


def outcome(name: str, given: Mapping[str, ApiAnswer]) -> PlatformItem | IngestStop:
    """What a helper makes of the answers, with what must hold of it."""
    address = LANDINGS[name]
    landing = Page(address, 200, HTML, BODIES.get(name, page("x", "")))
    asked = request(address, ext_ids={"doi": "10.1234/x"})
    platform, match = recognise(asked, address, landing)
    assert platform.name == name
    try:
        made = answered(platform.item(match), Vendor(given))
    except IngestStop as stop:
        assert isinstance(stop.status, Stopped)
        assert stop.message
        return stop
    return sound(made)


def sound(item: PlatformItem) -> PlatformItem:
    """What must hold of every item."""
    keys = [each.path.casefold() for each in item.manifest]
    assert keys
    assert len(set(keys)) == len(keys)
    for each in item.manifest:
        assert refusal(each.path) is None
        assert each.status is not None or each.platform_url is not None
        if each.platform_url is not None:
            assert addresses.canonical(each.platform_url) is not None
        validator("ingest_manifest").validate(orjson.loads(orjson.dumps(each.to_json())))
    assert any(each.status is None for each in item.manifest)
    assert PlatformItem.from_json(orjson.loads(orjson.dumps(item.to_json()))) == item
    return item


def as_answers(given: Mapping[str, Any]) -> dict[str, ApiAnswer]:
    """Values as they come over the network."""
    return {key: ApiAnswer.of(200, {}, as_bytes(value)) for key, value in given.items()}


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_the_answers_as_they_are_give_an_item(name: str) -> None:
    item = outcome(name, as_answers(ANSWERS[name]))
    assert isinstance(item, PlatformItem)
    assert item.incomplete is None


@pytest.mark.parametrize("name", sorted(ANSWERS))
@PROPERTY
@given(data=st.data())
def test_a_changed_answer_is_an_item_or_a_stop(name: str, data: st.DataObject) -> None:
    given_answers = copy.deepcopy(ANSWERS[name])
    which = data.draw(st.sampled_from(sorted(given_answers)))
    given_answers[which] = data.draw(changed(given_answers[which]))
    outcome(name, as_answers(given_answers))


@pytest.mark.parametrize("name", sorted(ANSWERS))
@PROPERTY
@given(
    content=st.binary(max_size=60) | ANYTHING.map(as_bytes),
    status=st.sampled_from([None, 200, 202, 204, 401, 403, 404, 410, 429, 451, 500, 503]),
    at=st.integers(0, 9),
)
def test_any_bytes_are_an_item_or_a_stop(
    name: str, content: bytes, status: int | None, at: int
) -> None:
    given_answers = as_answers(ANSWERS[name])
    which = sorted(given_answers)[at % len(given_answers)]
    given_answers[which] = ApiAnswer.of(status, {}, content)
    outcome(name, given_answers)


@PROPERTY
@given(data=st.data())
def test_any_json_in_a_page_is_an_item_or_a_stop(data: st.DataObject) -> None:
    whole = {"name": "x", "distribution": [data_download(each, "a.csv") for each in FILES]}
    dataset = data.draw(changed(whole))
    body = linked_page(dataset if isinstance(dataset, dict) else {"distribution": dataset})
    landed(Page("https://x.example/d", 200, HTML, body))


@PROPERTY
@given(data=st.data())
def test_any_link_set_is_an_item_or_a_stop(data: st.DataObject) -> None:
    whole = {"linkset": [{"anchor": "https://x.example/d", "item": [{"href": "/a", "type": "b"}]}]}
    link = '</s>; rel="linkset"; type="application/linkset+json"'
    headers = {**HTML, "link": link}
    landing = Page("https://x.example/d", 200, headers, linked_page({"name": "x"}))
    landed(landing, as_answers({"https://x.example/s": data.draw(changed(whole))}))


@PROPERTY
@given(
    body=st.binary(max_size=200),
    link=st.text(max_size=60) | st.just('<a>; rel="item"'),
    kind=st.sampled_from(["text/html", "text/csv", "", "x", "application/json; charset=x"]),
    length=st.text(max_size=5) | st.just("12"),
)
def test_any_landing_is_an_item_or_a_stop(body: bytes, link: str, kind: str, length: str) -> None:
    headers = {"content-type": kind, "link": link, "content-length": length, "content-md5": length}
    landed(Page("https://x.example/d", 200, headers, body))


def landed(landing: Page, given: Mapping[str, ApiAnswer] | None = None) -> None:
    """What is made of a landing page at a host that is nobody's."""
    try:
        platform, match = recognise(request("https://x.example/d"), landing.terminal_url, landing)
        sound(answered(platform.item(match), Vendor(given or {})))
    except IngestStop as stop:
        assert stop.message


@PROPERTY
@given(
    host=st.sampled_from(
        [
            *(urlsplit(each).netloc for each in LANDINGS.values()),
            "x.figshare.com",
            "www.zenodo.org",
            "doi.org",
        ]
    ),
    path=st.text("/abc.12%:?=&-", max_size=30)
    | st.lists(
        st.sampled_from(["articles", "records", "details", "dataset", "releases", "tag", "1", "a"]),
        max_size=6,
    ).map("/".join),
)
def test_any_address_is_claimed_or_not(host: str, path: str) -> None:
    address = addresses.canonical(f"https://{host}/{path}")
    assert address is not None
    landing = Page(address, 200, HTML, b"<html>")
    try:
        platform, match = recognise(request(address), address, landing)
        answered(platform.item(match), Vendor({}))
    except IngestStop as stop:
        assert stop.message


def test_every_platform_that_asks_has_a_case_here() -> None:
    silent = {"page-evidence", "direct"}
    assert set(ANSWERS) | silent == {each.name for each in PLATFORMS}
    assert len(PLATFORMS) == 10


def test_a_deeply_nested_answer_is_one_stop() -> None:
    for name in ANSWERS:
        content = b"[" * 200_000 + b"]" * 200_000
        given_answers = {key: ApiAnswer.of(200, {}, content) for key in ANSWERS[name]}
        stop = outcome(name, given_answers)
        assert isinstance(stop, IngestStop)
        assert stop.status is Stopped.SCHEMA_CHANGED
