"""`centinel investigate` recognises the products and standards that have a platform."""

from pathlib import Path

import pytest

from centinel.sources import registry
from centinel.sources.platforms import legistar
from tests.sites.platforms import (
    Ckan,
    Hub,
    Legistar,
    as_json,
    catalogue,
    dataset,
    item,
    package,
    rss,
    rss_item,
)
from tests.sites.server import Answer, Site
from tests.unit.investigating import ask, enumerated, front, prepare, recognised, recogniser
from tests.unit.support import PAGE


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; requests are not paced."""
    return prepare(tmp_path, monkeypatch)


def test_a_ckan_is_recognised_and_its_datasets_are_counted(tmp_path: Path) -> None:
    with Ckan() as site:
        site.packages = [package(f"p{number}", "https://x.example/a.csv") for number in range(3)]
        answer = {"success": True, "result": {"ckan_version": "2.10.1"}}
        site.set("/api/3/action/status_show", as_json(answer))
        front(site)
        found = ask(site)
        assert recognised(found) == ["ckan"]
        (offered,) = found["blocks"]
        assert offered["block"] == {"query": {"platform": "ckan", "url": site.address}}
        assert (offered["found"], offered["at_least"]) == (3, False)
        assert "CKAN 2.10.1" in recogniser(found, "ckan")["evidence"][0]
        assert len(enumerated(offered["block"], tmp_path)) == 3


def test_a_ckan_is_recognised_by_its_markup_and_its_own_root() -> None:
    with Ckan() as site:
        content = '<html><head><meta name="generator" content="ckan 2.9.5"></head><body>x</body>'
        site.set("/", Answer(content.encode(), PAGE))
        found = ask(site)
        assert recognised(found) == ["ckan"]
        assert found["blocks"] == []
        assert "gives nothing" in recogniser(found, "ckan")["evidence"][-1]


def test_a_catalogue_is_found_at_the_usual_place_and_at_the_address(site: Site) -> None:
    body = catalogue([dataset("a", "https://x.example/a"), dataset("b", "https://x.example/b")])
    site.set("/data.json", Answer(body, "application/json"))
    front(site)
    for path in ("/", "/data.json"):
        found = ask(site, path)
        assert recognised(found) == ["dcat"]
        (offered,) = found["blocks"]
        assert offered["block"] == {
            "query": {"platform": "dcat", "url": f"{site.address}/data.json"}
        }
        assert offered["found"] == 2


def test_a_hub_is_recognised_by_its_markup_or_its_feed() -> None:
    with Hub() as site:
        site.collections["all"] = [item("a"), item("b")]
        front(
            site, head='<script src="https://hubcdn.arcgis.com/opendata-ui/assets/a.js"></script>'
        )
        found = ask(site)
        assert recognised(found) == ["arcgis-hub"]
        (offered,) = found["blocks"]
        assert offered["block"] == {"query": {"platform": "arcgis-hub", "url": site.address}}
        assert offered["found"] == 2
        feed = "/api/feed/dcat-us/1.1.json"
        site.set(feed, Answer(catalogue([dataset("a", "https://x.example/a")]), "application/json"))
        front(site)
        found = ask(site)
        platforms = [each["block"]["query"]["platform"] for each in found["blocks"]]
        assert (recognised(found), platforms) == (["arcgis-hub"], ["arcgis-hub", "dcat"])
        assert [each["id"] for each in found["blocks"]] == ["127-0-0-1", "127-0-0-1-dcat"]


def test_feeds_are_found_by_their_links_and_at_the_address(site: Site) -> None:
    link = '<link rel="alternate" type="application/{}+xml" href="/{}">'
    front(site, head=link.format("rss", "news.rss") + link.format("atom", "gone.atom"))
    body = rss([rss_item(1, "https://x.example/1"), rss_item(2, "https://x.example/2")])
    site.set("/news.rss", Answer(body, "application/rss+xml"))
    for path in ("/", "/news.rss"):
        found = ask(site, path)
        assert recognised(found) == ["feed"]
        (offered,) = found["blocks"]
        assert offered["block"] == {
            "query": {"platform": "feed", "url": f"{site.address}/news.rss"}
        }
        assert (offered["found"], "newest 2 entries" in offered["promise"]) == (2, True)


def test_legistar_is_offered_where_its_api_knows_the_client(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Legistar() as api, Site() as site:
        monkeypatch.setattr(legistar, "API", f"{api.address}/v1")
        api.lists = {"bodies": [{"BodyId": 1, "BodyName": "City Council"}]}
        links = ("https://seattle.legistar.com/Calendar.aspx", "https://nobody.legistar.com/")
        front(site, "".join(f'<a href="{each}">Council</a>' for each in links))
        found = ask(site)
        asked = [each["block"]["query"] for each in found["blocks"]]
        assert asked == [
            {"platform": "legistar", "client": "seattle", "what": "matters"},
            {"platform": "legistar", "client": "seattle", "what": "events"},
        ]
        said = recogniser(found, "legistar")["evidence"]
        assert said[0].endswith("the API has 1 bodies of it")
        assert "http 404" in said[1]
        api.token = "secret"
        assert "CENTINEL_LEGISTAR_TOKEN_SEATTLE" in ask(site)["blocks"][0]["promise"]


def test_a_page_of_insite_without_a_client_says_so(site: Site) -> None:
    front(site, '<a href="/LegislationDetail.aspx?ID=1&GUID=A">1</a><a href="/Calendar.aspx">C</a>')
    found = ask(site)
    assert recognised(found) == ["legistar"]
    assert found["blocks"] == []
    assert "client's name" in recogniser(found, "legistar")["evidence"][1]


def test_a_channel_is_a_block_only_where_there_is_the_kind(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    front(site, '<a href="https://youtube.com/@town/videos">Films</a>')

    kinds = registry.SOURCE_KINDS
    without = tuple(each for each in kinds if each.key != "channel")
    monkeypatch.setattr(registry, "SOURCE_KINDS", without)
    found = ask(site)
    assert (recognised(found), found["blocks"]) == (["channel"], [])
    assert "is not in this version" in recogniser(found, "channel")["evidence"][-1]
    monkeypatch.setattr(registry, "SOURCE_KINDS", kinds)
    (offered,) = ask(site)["blocks"]
    assert offered["block"] == {"channel": "https://www.youtube.com/@town"}
    assert offered["found"] is None
    assert offered["promise"].startswith("not asked; its recordings are not counted")


def test_a_playlist_is_offered_as_what_it_is(site: Site) -> None:
    lists = "https://www.youtube.com/playlist?list=PLabcdefghijkl"
    front(site, f'<a href="{lists}&amp;si=1">Films</a><a href="https://youtu.be/video000001">F</a>')
    (offered,) = ask(site)["blocks"]
    assert offered["block"] == {"channel": lists}
