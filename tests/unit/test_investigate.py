"""`centinel investigate` says what an address would give, within 25 requests; nothing is stored."""

import functools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from centinel import investigate
from centinel.investigation import blocks, recognition, shapes
from centinel.investigation.asking import BUDGET, BudgetedClient
from centinel.record import Resource
from centinel.schemas import PROJECT
from tests.sites.server import Answer, Site, sitemap, sitemap_index
from tests.sites.town import town
from tests.unit import listings
from tests.unit.investigating import (
    XML,
    ask,
    enumerated,
    front,
    prepare,
    recognised,
    recogniser,
    run,
)
from tests.unit.support import PAGE, files_under, robots_of


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; requests are not paced."""
    return prepare(tmp_path, monkeypatch)


# Websites


def test_the_town_is_recognised_by_its_sitemap(site: Site, tmp_path: Path) -> None:
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


def test_what_is_said_to_a_person_ends_with_the_block(site: Site) -> None:
    town.serve(site)
    code, out, err = run(f"{site.address}/")
    assert (code, err) == (0, "")
    assert "status: 200" in out.splitlines()
    assert "  sitemap: yes: declared in robots.txt" in out.splitlines()
    assert "  dcat: no: " in out
    assert f"{len(site.requests)} requests of 25" in out
    assert yaml.safe_load(out.rpartition("\n\n")[2]) == {"127-0-0-1": {"site": f"{site.address}/"}}


def test_a_deep_address_offers_the_site_and_a_fallback_is_called_so(
    site: Site, tmp_path: Path
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
def test_a_listing_is_called_a_listing(site: Site, tmp_path: Path, path: str) -> None:
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


def test_a_refused_front_page_with_a_good_sitemap_is_no_failure(site: Site) -> None:
    town.serve(site)
    site.set("/", Answer(b"no", PAGE, status=403))
    found = ask(site)
    seed = found["seed"]
    assert (seed["http_status"], seed["liveness"], seed["reason"]) == (403, "blocked", "http 403")
    assert (seed["size"], seed["kind"], found["measures"]) == (None, None, None)
    assert found["blocks"][0]["found"] == 82
    assert any("refused (blocked: http 403)" in each for each in found["findings"])


def test_a_refused_robots_is_assumed_to_allow_and_that_is_said(site: Site) -> None:
    town.serve(site)
    site.set("/robots.txt", Answer(b"no", "text/plain", status=403))
    found = ask(site)
    assert (found["robots"]["declared"], found["robots"]["sitemaps"]) == (False, [])
    assert "assumed" in found["robots"]["note"]
    assert found["blocks"][0]["by_fallback"] is True


def test_an_index_with_more_children_than_the_budget_says_at_least(site: Site) -> None:
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
    assert any("the budget of 25 requests" in each for each in found["findings"])
    assert site.asked("/index.xml") == 1
    assert found["unasked"] == 40 - parts


def test_a_crawl_delay_makes_the_budget_smaller() -> None:
    asking = functools.partial(BudgetedClient, Path("/tmp"))
    for pause, most in ((0.0, 25), (10.0, 25), (20.0, 15), (3600.0, 6)):
        slowed = asking()
        slowed.slow_down(pause)
        assert slowed.most == most


def test_a_folder_of_linked_documents_is_offered_where_the_server_lists_it(site: Site) -> None:
    front(site, "".join(f'<a href="/data/{name}.pdf">{name}</a>' for name in "abc"))
    site.set("/data/", Answer(listings.NGINX.encode(), "text/html"))
    site.set("/data/sub/", Answer(b"<title>Index of /data/sub/</title>", "text/html"))
    found = ask(site)
    assert recognised(found) == ["documents"]
    (offered,) = found["blocks"]
    assert offered["block"] == {"site": f"{site.address}/data/"}
    assert (offered["method"], offered["found"]) == ("listing", 2)


# Nothing, and what cannot be asked


def test_nothing_recognised_says_so_and_what_could_be_done(site: Site) -> None:
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
def test_findings_are_said_in_plain_words(site: Site, body: str, finding: str, advice: str) -> None:
    front(site, body)
    found = ask(site)
    assert any(finding in each for each in found["findings"])
    assert advice in found["advice"]


def test_eight_other_hosts_are_named_and_the_rest_is_counted(site: Site) -> None:
    front(site, "".join(f'<a href="https://h{number}.example/">x</a>' for number in range(11)))
    found = ask(site)
    assert (len(found["crumbs"]), found["crumbs_more"]) == (8, 3)
    assert "  3 hosts more" in run(f"{site.address}/")[1].splitlines()


def test_what_strangers_wrote_does_not_steer_the_terminal(site: Site) -> None:
    content = "<!doctype html><title>Fees \x1b[31m &#155; paid</title><p>x</p>"
    site.set("/", Answer(content.encode(), PAGE))
    _, out, _ = run(f"{site.address}/")
    assert "\x1b" not in out
    assert "title: Fees" in out


def test_a_host_of_many_publishers_is_not_walked(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.serve(site)
    monkeypatch.setattr(recognition, "SHARED_HOSTS", frozenset({"127.0.0.1"}))
    found = ask(site)
    assert found["blocks"] == []
    assert recogniser(found, "sitemap")["evidence"][0].startswith("not walked")
    assert site.asked("/sitemap.xml") == 0


def test_what_is_a_source_already_is_said(site: Site, place: Path) -> None:
    town.serve(site)
    config = place / "config"
    shutil.copytree(PROJECT / "config", config)
    block = {"alder": {"site": site.address}, "127-0-0-1": {"folder": "/nowhere"}}
    (config / "sources.yaml").write_text(yaml.dump(block))
    found = ask(site)
    assert "it is in your sources file already, as `alder`" in found["findings"]
    assert found["blocks"][0]["id"] == "127-0-0-1-2"


def test_a_single_document_is_told_to_check(site: Site) -> None:
    site.set("/a.pdf", Answer(b"%PDF-1.4\n", "application/pdf"))
    found = ask(site, "/a.pdf")
    assert (found["seed"]["kind"], found["measures"]) == ("pdf", None)
    assert "`centinel check`" in found["advice"]


@pytest.mark.parametrize("target", ["ftp://x.example/", "notes.txt", "file:///etc/passwd", ""])
def test_what_is_no_address_is_refused_before_any_request(
    monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr(investigate, "BudgetedClient", None)
    code, out, err = run(target)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "only http and https are asked" in err


def test_a_host_that_does_not_answer_is_not_asked() -> None:
    with Site() as site:
        address = site.address
    code, out, err = run(address, "--json")
    assert (code, err.count("\n")) == (2, 1)
    assert "robots.txt could not be had" in json.loads(out)["reason"]


def test_an_address_that_robots_denies_is_not_asked(site: Site) -> None:
    robots_of(site, {"User-agent": "*", "Disallow": "/"})
    code, out, _ = run(f"{site.address}/")
    assert code == 2
    assert site.paths() == ["/robots.txt"]
    assert "status: no status (blocked: robots)" in out


def test_one_odd_answer_does_not_end_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    town.serve(site)

    def stumble(*_: Any) -> None:
        raise RuntimeError("an odd\nanswer")

    monkeypatch.setattr("centinel.investigation.standards.Feeds.look", stumble)
    found = ask(site)
    said = recogniser(found, "feed")
    assert said["evidence"] == ["could not be looked for: RuntimeError: an odd answer"]
    assert recognised(found) == ["sitemap"]


def test_nothing_is_written(site: Site, place: Path, tmp_path: Path) -> None:
    town.serve(site)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        before = files_under(tmp_path)
        ask(site)
        assert (files_under(tmp_path), list(temporary.iterdir())) == (before, [])
    assert list(place.iterdir()) == []


def test_another_host_that_it_leads_to_is_the_one_that_is_offered(site: Site) -> None:
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
    offers = [
        blocks.Offer("query", {"platform": "feed", "url": f"https://www.tampa.gov/{name}"}, "feed")
        for name in ("a", "b", "b", "c")
    ]
    named = blocks.named(offers, "https://www.tampa.gov/", {"tampa"})
    assert list(named) == ["tampa-2", "tampa-feed", "tampa-feed-2"]
    assert [each.value["url"][-1] for each in named.values()] == ["a", "b", "c"]


def test_what_the_schema_does_not_accept_is_not_offered() -> None:
    offer = blocks.Offer("query", {"platform": "feed", "url": "https://x.example/a b"}, "feed")
    assert blocks.named([offer], "https://x.example/", ()) == {}


def test_shapes_show_what_most_addresses_are() -> None:
    home = "https://town.example"
    found = [f"{home}/venue/name-{number}/" for number in range(400)]
    found += [f"{home}/calendar/2026/0{number}/event" for number in range(9)]
    found += [f"{home}/view?id={number}&x=1" for number in range(5)]
    found += ["https://other.example/a.pdf", *[f"{home}/rest/{number}" for number in range(200)]]
    clustered = shapes.cluster([Resource(each) for each in found], f"{home}/")
    assert clustered.looked_at == 500
    counted = {each.shape: each.count for each in clustered.shapes}
    assert counted == {
        "/venue/*/": 400,
        "/rest/*": 85,
        "/calendar/#/#/*": 9,
        "/*?id=&x=": 5,
        "other.example/*.pdf": 1,
    }
    assert clustered.shapes[0].shape == "/venue/*/"
