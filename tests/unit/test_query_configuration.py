"""A wrong query is one line that names file, key and fix; the schema and the code agree."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from centinel.configuration import load
from centinel.record import Json
from centinel.schemas import ConfigurationError, schema
from centinel.sources import registry
from centinel.sources.platforms.legistar import WHAT
from centinel.sources.platforms.registry import PLATFORMS, platform_of
from centinel.sources.query import Query

LEGISTAR = {"platform": "legistar", "client": "seattle", "what": "matters"}
SERVER = "give an address that starts with http:// or https://, without user, password and query"

RIGHT: dict[str, Json] = {
    "https://webapi.legistar.com/v1/seattle/matters": LEGISTAR,
    "http://127.0.0.1:8000/v1/st-louis.mo/events?$filter=EventId%20gt%201": {
        "platform": "legistar",
        "client": "st-louis.mo",
        "what": "events",
        "filter": "EventId gt 1",
        "url": "http://127.0.0.1:8000/v1/",
    },
    "https://data.town.example/api/3/action/package_search": {
        "platform": "ckan",
        "url": "https://DATA.town.example",
    },
    "https://town.example/data.json": {
        "platform": "dcat",
        "url": "https://town.example/data.json",
    },
    "https://town.example/RSS.php?view_id=2&mode=agendas": {
        "platform": "feed",
        "url": "https://town.example/RSS.php?view_id=2&mode=agendas",
    },
    "https://town.example/?feed=rss2": {
        "platform": "feed",
        "url": "https://town.example?feed=rss2",
    },
    "https://[2606:4700::1111]:8443/api/search/v1/collections/dataset/items": {
        "platform": "arcgis-hub",
        "url": "https://[2606:4700::1111]:8443/",
        "collection": "dataset",
        "portal": "https://gis.town.example/portal",
    },
    "https://lacity.primegov.com/api/v2/PublicPortal/GetArchivedMeetingYears": {
        "platform": "primegov",
        "client": "lacity",
    },
    "https://api.municode.com/Jobs/latest/10376": {"platform": "municode", "product": 10376},
}

WRONG: dict[str, tuple[Any, str]] = {
    "no platform": ({"client": "seattle"}, "town.query: the key 'platform' is missing: add it"),
    "nothing": ({}, "town.query: the key 'platform' is missing: add it"),
    "a text": ("legistar", "town.query: 'legistar' is not right: give a block such as {platform:"),
    "a platform that is none": (
        {"platform": "legistarr", "client": "seattle"},
        "town.query.platform: 'legistarr' is not right: give one of legistar, ckan, dcat, feed",
    ),
    "a platform that is no text": (
        {"platform": ["ckan"]},
        "town.query.platform: ['ckan'] is not right: give one of legistar, ckan, dcat, feed",
    ),
    "a key that is missing": (
        {"platform": "legistar", "client": "seattle"},
        "town.query: the key 'what' is missing: add it",
    ),
    "no address": ({"platform": "feed"}, "town.query: the key 'url' is missing: add it"),
    "a misspelt key": (
        {"platform": "legistar", "cilent": "seattle", "what": "matters"},
        "town.query: unknown key 'cilent': did you mean 'client'? (known: client, filter,",
    ),
    "a key of another platform": (
        {"platform": "dcat", "url": "https://town.example/", "client": "seattle"},
        "town.query: unknown key 'client': take it out (known: platform, url)",
    ),
    "a token": (
        {**LEGISTAR, "token": "hunter2"},
        "town.query: unknown key 'token': take it out (known: client, filter, platform, url, what)",
    ),
    "a list that the API does not have": (
        {**LEGISTAR, "what": "meetings"},
        "town.query.what: 'meetings' is not right: give one of matters, events, bodies, persons",
    ),
    "a client that is an address": (
        {**LEGISTAR, "client": "https://seattle.legistar.com"},
        "town.query.client: 'https://seattle.legistar.com' is not right: give the name of a client",
    ),
    "an empty filter": (
        {**LEGISTAR, "filter": ""},
        "town.query.filter: '' is not right: give an expression in the vendor's own words",
    ),
    "a server without a scheme": (
        {"platform": "ckan", "url": "data.town.example"},
        f"town.query.url: 'data.town.example' is not right: {SERVER}",
    ),
    "a server with a query": (
        {"platform": "ckan", "url": "https://data.town.example/?q=1"},
        f"town.query.url: 'https://data.town.example/?q=1' is not right: {SERVER}",
    ),
    "a document with a password": (
        {"platform": "feed", "url": "https://clerk:hunter2@town.example/feed"},
        "town.query.url: 'https://clerk:***@town.example/feed' is not right: give an address that",
    ),
    "a collection that is a path": (
        {"platform": "arcgis-hub", "url": "https://town.example", "collection": "a/b"},
        "town.query.collection: 'a/b' is not right: give the id of a collection",
    ),
}


def loaded(folder: Path, block: Any) -> Any:
    """The source whose `query` is this."""
    (folder / "sources.yaml").write_text(yaml.safe_dump({"town": {"query": block}}), "utf-8")
    found = load({"sources": "sources.yaml", "results": "results"}, folder)
    registry.check(found)
    return found.sources["town"]


@pytest.mark.parametrize(("address", "block"), RIGHT.items())
def test_what_a_query_asks_is_one_address(tmp_path: Path, address: str, block: Json) -> None:
    source = loaded(tmp_path, block)
    assert isinstance(registry.kind_of(source), Query)
    assert Query().address(source) == address
    assert platform_of(block).first(block).startswith(address)


@pytest.mark.parametrize(("block", "line"), WRONG.values(), ids=WRONG)
def test_each_fault_is_one_line_with_file_key_and_fix(
    tmp_path: Path, block: Any, line: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        loaded(tmp_path, block)
    said = str(caught.value)
    assert said.startswith(f"sources.yaml: {line}")
    assert "\n" not in said
    assert "hunter2" not in said


def test_the_schema_offers_what_the_code_has() -> None:
    defined = schema("sources")["$defs"]
    assert defined["platform"]["enum"] == [each.name for each in PLATFORMS]
    assert defined["legistar"]["properties"]["what"]["enum"] == list(WHAT)
    for name in defined["platform"]["enum"]:
        key = name.replace("-", "_")
        assert defined[f"is_{key}"]["properties"]["platform"] == {"const": name}
        assert defined[key]["additionalProperties"] is False
        assert name in defined["platform"]["x-fix"]
    for name in WHAT:
        assert name in defined["legistar"]["properties"]["what"]["x-fix"]


def test_every_value_that_can_be_wrong_has_its_fix() -> None:
    defined = schema("sources")["$defs"]
    for name in ("legistar", "ckan", "dcat", "feed", "arcgis_hub", "primegov", "municode"):
        for key, rule in defined[name]["properties"].items():
            stated = defined[rule["$ref"].rpartition("/")[2]] if "$ref" in rule else rule
            assert "x-fix" in stated, f"{name}.{key}"
