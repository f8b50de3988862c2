"""`centinel investigate` says what an address would give, within 25 requests, and stores nothing."""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from centinel import cli, investigate
from centinel.investigation import blocks, shapes
from centinel.investigation.asking import BUDGET, BudgetedClient
from centinel.record import Json, Resource
from centinel.schemas import check
from centinel.sources import registry
from centinel.sources.platforms import legistar
from tests.sites.platforms import (
    Ckan,
    Hub,
    Legistar,
    Vendor,
    as_json,
    catalogue,
    dataset,
    item,
    package,
    rss,
    rss_item,
)
from tests.sites.server import Answer, Site, page, sitemap, sitemap_index
from tests.sites.town import town
from tests.unit import listings
from tests.unit.support import PAGE, client, files_under, robots_of, source

XML = "application/xml"
TOP = "seed robots recognisers measures shapes findings crumbs blocks yaml advice requests budget"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; requests are not paced."""
    folder = tmp_path / "place"
    folder.mkdir()
    monkeypatch.chdir(folder)
    unpaced = functools.partial(BudgetedClient, rps=1000.0, backoff_seconds=0.01)
    monkeypatch.setattr(investigate, "BudgetedClient", unpaced)
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs the command; gives its exit code, standard output and standard error."""

    def once(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(["investigate", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return once


@pytest.fixture
def ask(run: Callable[..., tuple[int, str, str]]) -> Callable[..., Json]:
    """Investigates an address of a site; gives the JSON, with `code`, after what always holds."""

    def once(site: Site, path: str = "/") -> Json:
        code, out, err = run(site.address + path, "--json")
        assert (err, out.count("\n")) == ("", 1)
        found: Json = json.loads(out)
        assert set(TOP.split()) <= found.keys()
        assert len(site.requests) <= BUDGET
        assert found["requests"] <= BUDGET
        assert site.paths().count("/robots.txt") == 1
        assert len(set(site.paths())) == len(site.paths()), "something was asked for twice"
        assert code == (0 if found["blocks"] else 1)
        assert (found["advice"] is None) == bool(found["blocks"])
        offered = {each["id"]: each["block"] for each in found["blocks"]}
        assert yaml.safe_load(found["yaml"] or "{}") in (offered, None)
        for identifier, block in offered.items():
            check({identifier: block}, "sources", "config/sources.yaml")
        return found

    return once


Ask = Callable[..., Json]


def recogniser(found: Json, name: str) -> Json:
    """What one recogniser said."""
    said: Json = next(each for each in found["recognisers"] if each["recogniser"] == name)
    return said


def recognised(found: Json) -> list[str]:
    """Who recognised the address."""
    return [each["recogniser"] for each in found["recognisers"] if each["recognised"]]


def front(site: Site, body: str = "<p>Welcome</p>", head: str = "", path: str = "/") -> None:
    """Serves a page without a menu, with no sitemap."""
    content = f"<!doctype html><html><head><title>T</title>{head}</head><body>{body}</body></html>"
    site.set(path, Answer(content.encode(), PAGE))


def enumerated(block: Json, folder: Path) -> list[Resource]:
    """What a run finds for a block."""
    ((key, value),) = block.items()
    given = source(key=key, value=value)
    found = registry.kind_of(given).enumerate(given, client(folder / "incoming"))
    assert found.reason is None
    return found.resources


# Websites


def test_the_town_is_recognised_by_its_sitemap(site: Site, ask: Ask, tmp_path: Path) -> None:
    town.serve(site)
    found = ask(site)
    assert recognised(found) == ["sitemap"]
    (offered,) = found["blocks"]
    assert offered["block"] == {"site": f"{site.address}/"}
    assert (offered["id"], offered["method"]) == ("127-0-0-1", "sitemap")
    assert (offered["found"], offered["at_least"], offered["by_fallback"]) == (82, False, False)
    assert offered["promise"] == "82 addresses"
    assert len(enumerated(offered["block"], tmp_path)) == 82
    assert found["seed"]["http_status"] == 200
    assert (found["seed"]["kind"], found["seed"]["decided_by"]) == ("html", "declared")
    assert found["robots"]["sitemaps"] == [f"{site.address}/sitemap.xml"]
    assert sum(each["count"] for each in found["shapes"]["shapes"]) < 82
    assert found["shapes"]["shapes"][0]["shape"] == "/news/*"
    assert (
        "1 of them robots.txt does not let us ask for" in recogniser(found, "sitemap")["evidence"]
    )


def test_what_is_said_to_a_person_ends_with_the_block(
    site: Site, run: Callable[..., tuple[int, str, str]]
) -> None:
    town.serve(site)
    code, out, err = run(f"{site.address}/")
    assert (code, err) == (0, "")
    assert "status: 200" in out.splitlines()
    assert "  sitemap: yes: declared in robots.txt" in out.splitlines()
    assert "  dcat: no: " in out
    assert f"{len(site.requests)} requests of 25" in out
    assert yaml.safe_load(out.rpartition("\n\n")[2]) == {"127-0-0-1": {"site": f"{site.address}/"}}


def test_a_deep_address_offers_the_site_and_a_fallback_is_called_so(
    site: Site, ask: Ask, tmp_path: Path
) -> None:
    site.set("/sitemap.xml", Answer(sitemap(f"{site.address}/{n}" for n in range(7)), XML))
    front(site, path="/about/us")
    found = ask(site, "/about/us")
    (offered,) = found["blocks"]
    assert offered["block"] == {"site": f"{site.address}/"}
    assert (offered["by_fallback"], offered["found"]) == (True, 7)
    assert "fallback" in offered["promise"]
    assert "fallback" in recogniser(found, "sitemap")["evidence"][0]
    assert "robots.txt declares no sitemap" in found["findings"]
    assert len(enumerated(offered["block"], tmp_path)) == 7


@pytest.mark.parametrize("path", ["/data", "/data/", "/data/?C=N;O=D"])
def test_a_listing_is_called_a_listing(site: Site, ask: Ask, tmp_path: Path, path: str) -> None:
    site.set(path, Answer(listings.APACHE_TABLE.encode(), "text/html"))
    site.set("/data/", Answer(listings.APACHE_TABLE.encode(), "text/html"))
    site.set("/data/sub/", Answer(b"<title>Index of /data/sub</title>", "text/html"))
    site.set("/sitemap.xml", Answer(sitemap([f"{site.address}/a"]), XML))
    found = ask(site, path)
    assert recognised(found) == ["listing"]
    (offered,) = found["blocks"]
    assert offered["block"] == {"site": f"{site.address}/data/"}
    assert (offered["method"], offered["found"], offered["by_fallback"]) == ("listing", 2, False)
    assert "Apache" in recogniser(found, "listing")["evidence"][0]
    assert not any("mostly links" in each for each in found["findings"])
    assert len(enumerated(offered["block"], tmp_path)) == 2


def test_a_refused_front_page_with_a_good_sitemap_is_no_failure(site: Site, ask: Ask) -> None:
    town.serve(site)
    site.set("/", Answer(b"no", PAGE, status=403))
    found = ask(site)
    seed = found["seed"]
    assert (seed["http_status"], seed["liveness"], seed["reason"]) == (403, "blocked", "http 403")
    assert (seed["size"], seed["kind"], found["measures"]) == (None, None, None)
    assert found["blocks"][0]["found"] == 82
    assert any("refused (blocked: http 403)" in each for each in found["findings"])


def test_a_refused_robots_is_assumed_to_allow_and_that_is_said(site: Site, ask: Ask) -> None:
    town.serve(site)
    site.set("/robots.txt", Answer(b"no", "text/plain", status=403))
    found = ask(site)
    assert (found["robots"]["declared"], found["robots"]["sitemaps"]) == (False, [])
    assert "assumed" in found["robots"]["note"]
    assert found["blocks"][0]["by_fallback"] is True


def test_an_index_with_more_children_than_the_budget_says_at_least(site: Site, ask: Ask) -> None:
    robots_of(site, {"Sitemap": "/index.xml"})
    names = [f"{site.address}/part-{number}.xml" for number in range(40)]
    site.set("/index.xml", Answer(sitemap_index([f"{site.address}/index.xml", *names]), XML))
    for name in names:
        site.set(name.removeprefix(site.address), Answer(sitemap([f"{name}/page"]), XML))
    front(site)
    found = ask(site)
    assert len(site.requests) == found["requests"] == BUDGET
    (offered,) = found["blocks"]
    parts = sum(each.startswith("/part-") for each in site.paths())
    assert (offered["found"], offered["at_least"]) == (parts, True)
    assert offered["promise"].startswith(f"at least {parts} addresses; {40 - parts} requests more")
    assert any("the budget of 25 requests cut" in each for each in found["findings"])
    assert site.asked("/index.xml") == 1
    assert found["unasked"] == 40 - parts


def test_a_crawl_delay_makes_the_budget_smaller() -> None:
    asking = functools.partial(BudgetedClient, Path("/tmp"))
    for pause, most in ((0.0, 25), (10.0, 25), (20.0, 15), (3600.0, 6)):
        slowed = asking()
        slowed.slow_down(pause)
        assert slowed.most == most


def test_a_folder_of_linked_documents_is_offered_where_the_server_lists_it(
    site: Site, ask: Ask
) -> None:
    front(site, "".join(f'<a href="/data/{name}.pdf">{name}</a>' for name in "abc"))
    site.set("/data/", Answer(listings.NGINX.encode(), "text/html"))
    site.set("/data/sub/", Answer(b"<title>Index of /data/sub/</title>", "text/html"))
    found = ask(site)
    assert recognised(found) == ["documents"]
    (offered,) = found["blocks"]
    assert offered["block"] == {"site": f"{site.address}/data/"}
    assert (offered["method"], offered["found"]) == ("listing", 2)


# Platforms


def test_a_ckan_is_recognised_and_its_datasets_are_counted(ask: Ask, tmp_path: Path) -> None:
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


def test_a_ckan_is_recognised_by_its_markup_and_its_own_root(ask: Ask) -> None:
    with Ckan() as site:
        content = '<html><head><meta name="generator" content="ckan 2.9.5"></head><body>x</body>'
        site.set("/", Answer(content.encode(), PAGE))
        found = ask(site)
        assert recognised(found) == ["ckan"]
        assert found["blocks"] == []
        assert "gives nothing" in recogniser(found, "ckan")["evidence"][-1]


def test_a_catalogue_is_found_at_the_usual_place_and_at_the_address(site: Site, ask: Ask) -> None:
    body = catalogue([dataset("a", "https://x.example/a"), dataset("b", "https://x.example/b")])
    site.set("/data.json", Answer(body, "application/json"))
    front(site)
    for path in ("/", "/data.json"):
        site.forget_requests()
        found = ask(site, path)
        assert recognised(found) == ["dcat"]
        (offered,) = found["blocks"]
        assert offered["block"] == {
            "query": {"platform": "dcat", "url": f"{site.address}/data.json"}
        }
        assert offered["found"] == 2


def test_a_hub_is_recognised_by_its_markup_or_its_feed(ask: Ask) -> None:
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
        site.forget_requests()
        found = ask(site)
        platforms = [each["block"]["query"]["platform"] for each in found["blocks"]]
        assert (recognised(found), platforms) == (["arcgis-hub"], ["arcgis-hub", "dcat"])
        assert [each["id"] for each in found["blocks"]] == ["127-0-0-1", "127-0-0-1-dcat"]


def test_feeds_are_found_by_their_links_and_at_the_address(site: Site, ask: Ask) -> None:
    link = '<link rel="alternate" type="application/{}+xml" href="/{}">'
    front(site, head=link.format("rss", "news.rss") + link.format("atom", "gone.atom"))
    body = rss([rss_item(1, "https://x.example/1"), rss_item(2, "https://x.example/2")])
    site.set("/news.rss", Answer(body, "application/rss+xml"))
    for path in ("/", "/news.rss"):
        site.forget_requests()
        found = ask(site, path)
        assert recognised(found) == ["feed"]
        (offered,) = found["blocks"]
        assert offered["block"] == {
            "query": {"platform": "feed", "url": f"{site.address}/news.rss"}
        }
        assert (offered["found"], "newest 2 entries" in offered["promise"]) == (2, True)


def test_legistar_is_offered_where_its_api_knows_the_client(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
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
        assert "CENTINEL_LEGISTAR_TOKEN_SEATTLE" in ask(fresh(site))["blocks"][0]["promise"]


def fresh(site: Site) -> Site:
    """The same site with an empty log."""
    site.forget_requests()
    return site


def test_a_page_of_insite_without_a_client_says_so(site: Site, ask: Ask) -> None:
    front(site, '<a href="/LegislationDetail.aspx?ID=1&GUID=A">1</a><a href="/Calendar.aspx">C</a>')
    found = ask(site)
    assert recognised(found) == ["legistar"]
    assert found["blocks"] == []
    assert "client's name" in recogniser(found, "legistar")["evidence"][1]


def test_a_channel_is_a_block_only_where_there_is_the_kind(
    site: Site, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    front(site, '<a href="https://youtube.com/@town/videos">Films</a>')

    class Channel:
        key = "channel"

    without = tuple(each for each in registry.SOURCE_KINDS if each.key != "channel")
    monkeypatch.setattr(registry, "SOURCE_KINDS", without)
    found = ask(site)
    assert (recognised(found), found["blocks"]) == (["channel"], [])
    assert "is not in this version" in recogniser(found, "channel")["evidence"][-1]
    monkeypatch.setattr(registry, "SOURCE_KINDS", (*without, Channel()))
    (offered,) = ask(fresh(site))["blocks"]
    assert offered["block"] == {"channel": "https://www.youtube.com/@town"}
    assert (offered["found"], offered["promise"]) == (None, "not asked")


# Nothing, and what cannot be asked


def test_nothing_recognised_says_so_and_what_could_be_done(
    site: Site, run: Callable[..., tuple[int, str, str]], ask: Ask
) -> None:
    front(site, '<p>Hello</p><a href="https://x.example/a">x</a>')
    found = ask(site)
    assert (recognised(found), found["blocks"], found["yaml"]) == ([], [], "")
    assert found["crumbs"][0]["host"] == "x.example"
    assert found["crumbs"][0]["ruling"] == "open"
    code, out, _ = run(f"{site.address}/")
    assert code == 1
    assert out.splitlines()[-1].startswith("Nothing recognises this address. Look for")


PAGER = "<a href=\"javascript:__doPostBack('grid','Page$2')\">2</a>"


@pytest.mark.parametrize(
    ("body", "finding", "advice"),
    [
        (f"<script>{'x' * 900}</script>", "addresses may be built at run time", "network panel"),
        (PAGER, "1 link sends the page's form again", "archive that with `folder`"),
        ('<form method="post"><input name="q"></form>', "query box is sent by POST", "`folder`"),
        ('<a href="/a">Everything is a link</a>', "mostly links: 100%", "Look for"),
    ],
)
def test_findings_are_said_in_plain_words(
    site: Site, ask: Ask, body: str, finding: str, advice: str
) -> None:
    front(site, body)
    found = ask(site)
    assert any(finding in each for each in found["findings"])
    assert advice in found["advice"]


def test_a_single_document_is_told_to_check(site: Site, ask: Ask) -> None:
    site.set("/a.pdf", Answer(b"%PDF-1.4\n", "application/pdf"))
    found = ask(site, "/a.pdf")
    assert (found["seed"]["kind"], found["measures"]) == ("pdf", None)
    assert "`centinel check`" in found["advice"]


@pytest.mark.parametrize("target", ["ftp://x.example/", "notes.txt", "file:///etc/passwd", ""])
def test_what_is_no_address_is_refused_before_any_request(
    run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr(investigate, "BudgetedClient", None)
    code, out, err = run(target)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "only http and https are asked" in err


def test_a_host_that_does_not_answer_is_not_asked(run: Callable[..., tuple[int, str, str]]) -> None:
    with Site() as site:
        address = site.address
    code, out, err = run(address, "--json")
    assert (code, err.count("\n")) == (2, 1)
    assert "robots.txt could not be had" in json.loads(out)["reason"]


def test_an_address_that_robots_denies_is_not_asked(
    site: Site, run: Callable[..., tuple[int, str, str]]
) -> None:
    robots_of(site, {"User-agent": "*", "Disallow": "/"})
    code, out, _ = run(f"{site.address}/")
    assert code == 2
    assert site.paths() == ["/robots.txt"]
    assert "status: no status (blocked: robots)" in out


def test_one_odd_answer_does_not_end_it(
    site: Site, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.serve(site)

    def stumble(*_: Any) -> None:
        raise RuntimeError("an odd\nanswer")

    monkeypatch.setattr("centinel.investigation.standards.Feeds.look", stumble)
    found = ask(site)
    said = recogniser(found, "feed")
    assert said["evidence"] == ["could not be looked for: RuntimeError: an odd answer"]
    assert recognised(found) == ["sitemap"]


def test_nothing_is_written(site: Site, ask: Ask, place: Path, tmp_path: Path) -> None:
    town.serve(site)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        before = files_under(tmp_path)
        ask(site)
        assert (files_under(tmp_path), list(temporary.iterdir())) == (before, [])
    assert list(place.iterdir()) == []


def test_another_host_that_it_leads_to_is_the_one_that_is_offered(site: Site, ask: Ask) -> None:
    with Site() as other:
        town.serve(other)
        site.set("/", Answer(status=301, headers=(("Location", f"{other.address}/"),)))
        found = ask(site)
        assert found["blocks"][0]["block"] == {"site": f"{other.address}/"}
        assert any("leads to another host" in each for each in found["findings"])


# Ids and shapes


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://www.tampa.gov/", "tampa"),
        ("https://data.boston.gov/x", "data"),
        ("https://logs.example/", "logs-source"),
        ("http://[::1]:8000/", "1"),
        ("https://xn--mnchen-3ya.de/", "xn--mnchen-3ya"),
        (f"https://{'a' * 63}.example/", "a" * 63),
    ],
)
def test_the_suggested_id_is_one_that_the_schema_accepts(address: str, expected: str) -> None:
    assert blocks.suggested_id(address) == expected
    assert blocks.is_accepted(expected, {"site": address})


def test_ids_are_free() -> None:
    offer = blocks.Offer("site", "https://www.tampa.gov/", "sitemap")
    named = blocks.named([offer, offer, offer], "https://www.tampa.gov/", {"tampa"})
    assert list(named) == ["tampa-2", "tampa-sitemap", "tampa-sitemap-2"]


def test_shapes_show_what_most_addresses_are() -> None:
    home = "https://town.example"
    found = [f"{home}/venue/name-{number}/" for number in range(400)]
    found += [f"{home}/calendar/2026/0{number}/event" for number in range(9)]
    found += [f"{home}/view?id={number}&x=1" for number in range(5)]
    found += ["https://other.example/a.pdf", *[f"{home}/rest/{number}" for number in range(200)]]
    clustered = shapes.cluster([Resource(each) for each in found], f"{home}/")
    assert clustered.looked_at == 500
    counted = {each.shape: each.count for each in clustered.shapes}
    assert (
        counted
        == {
            "/venue/*/": 400,
            "/rest/*": 85,
            "/calendar/#/#/*": 9,
            "/view?id=&x=": 5,
            "other.example/*.pdf": 1,
        }
        or counted
    )
    assert clustered.shapes[0].shape == "/venue/*/"
