"""What the tests of the platforms share: a helper is driven with answers that a test gives."""

import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any

import orjson
import pytest

from centinel import addresses
from centinel.ingest.landing import Page
from centinel.ingest.model import IngestStop, ManifestFile, PlatformItem, Stopped
from centinel.ingest.platforms.platform import ApiAnswer, Ask, Match, answered
from centinel.ingest.platforms.registry import recognise
from centinel.ingest.request import Request
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.server import page as town_page

NOT_THERE = ApiAnswer(404, json={"message": "not found"})
HTML = {"content-type": "text/html; charset=utf-8"}


def request(base_url: str, **more: Any) -> Request:
    """A request for a dataset."""
    return Request.from_json({"ingest_type": "dataset", "base_url": base_url, **more})


def web_page(address: str, body: bytes | None = None, **headers: str) -> Page:
    """A landing page."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return Page(address, 200, HTML | named, body or town_page("A dataset", "<p>Files.</p>"))


def answers(value: Any) -> ApiAnswer:
    """An answer as it comes over the network."""
    return value if isinstance(value, ApiAnswer) else ApiAnswer.of(200, {}, orjson.dumps(value))


def matched(address: str, body: bytes | None = None, asked: str | None = None) -> Match:
    """What claims an address whose page is an ordinary one."""
    return recognise(request(asked or address), address, web_page(address, body))[1]


class Asked:
    """Answers to what a helper asks, and what it asked."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = {addresses.canonical(key) or key: value for key, value in given.items()}
        self.asked: list[str] = []

    def __call__(self, ask: Ask) -> ApiAnswer:
        """The answer, or 404."""
        self.asked.append(ask.address)
        return answers(self.given.get(ask.address, NOT_THERE))


def item_of(
    address: str,
    given: Mapping[str, Any] | None = None,
    *,
    body: bytes | None = None,
    asked: str | None = None,
    page: Page | None = None,
) -> PlatformItem:
    """The item of an address whose API answers so."""
    landing = page or web_page(address, body)
    platform, match = recognise(request(asked or address), address, landing)
    item = answered(platform.item(match), Asked(given or {}))
    assert PlatformItem.from_json(orjson.loads(orjson.dumps(item.to_json()))) == item
    return item


def stop_of(address: str, given: Mapping[str, Any] | None = None, **more: Any) -> IngestStop:
    """What stops the ingest of an address."""
    with pytest.raises(IngestStop) as stopped:
        item_of(address, given, **more)
    return stopped.value


def status_of(address: str, given: Mapping[str, Any] | None = None, **more: Any) -> Stopped:
    """The status with which the ingest of an address stops."""
    return stop_of(address, given, **more).status


def by_path(item: PlatformItem) -> dict[str, ManifestFile]:
    """The files of an item by their paths."""
    return {each.path: each for each in item.manifest}


def fetched(address: str) -> tuple[int, dict[str, str], bytes]:
    """What a server on loopback gives."""
    try:
        with urllib.request.urlopen(address) as answer:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, headers, answer.read()
    except urllib.error.HTTPError as error:
        headers = {name.lower(): value for name, value in error.headers.items()}
        return error.code, headers, error.read()


def driven(site: DatasetPlatforms, address: str) -> PlatformItem:
    """The item of a landing page on loopback, asked for over HTTP."""
    placed = site.placed(address)
    status, headers, body = fetched(placed)
    landing = Page(address, status, headers, body)
    platform, match = recognise(request(address), address, landing)

    def over_http(ask: Ask) -> ApiAnswer:
        return ApiAnswer.of(*fetched(site.placed(ask.address)))

    return answered(platform.item(match), over_http)
