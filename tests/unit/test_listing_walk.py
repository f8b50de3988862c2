"""A directory listing is walked as the tree that it is, by itself and as a website's snapshot."""

from pathlib import Path

import pytest

from centinel.download import Interrupted
from centinel.record import Resource
from centinel.sources import listing
from centinel.sources.listing import Page
from centinel.sources.source_kind import Enumeration
from centinel.sources.website import Website
from tests.sites.server import Answer, Site, page, robots, sitemap
from tests.unit.listings import nginx
from tests.unit.support import PAGE, client, source

# The walk


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "incoming"


def listed(site: Site, path: str, *names: str) -> None:
    """Serves a listing."""
    site.set(path, Answer(nginx(path, *names), "text/html"))


def walked(site: Site, folder: Path, path: str = "/data/") -> Enumeration:
    """One walk from a seed that the site serves; it leaves no file behind."""
    found = Enumeration("sitemap")
    seed = site._answers[path]
    assert isinstance(seed, Answer)
    with_seed = Page(seed.body, site.address + path, seed.content_type)
    assert listing.walk(with_seed, client(folder), found)
    assert list(folder.iterdir()) == []
    return found


def paths(found: Enumeration, site: Site) -> list[str]:
    return [each.address.removeprefix(site.address) for each in found.resources]


def asked(site: Site) -> list[str]:
    return [path for path in site.paths() if path != "/robots.txt"]


def test_a_tree_is_walked_and_its_files_are_documents(site: Site, folder: Path) -> None:
    listed(site, "/data/", "2023/", "2024/", "a.pdf")
    listed(site, "/data/2023/", "b.csv", "b.csv")
    listed(site, "/data/2024/", "q1/", "c.csv")
    listed(site, "/data/2024/q1/", "d.csv")
    found = walked(site, folder)
    assert paths(found, site) == [
        "/data/a.pdf",
        "/data/2023/b.csv",
        "/data/2024/c.csv",
        "/data/2024/q1/d.csv",
    ]
    assert found.resources[0] == Resource(
        f"{site.address}/data/a.pdf", "2024-01-15T10:20:00", None, "document"
    )
    assert {each.hint for each in found.resources} == {"document"}
    assert (found.method, found.truncated, found.reason, found.warnings) == (
        "listing",
        False,
        None,
        [],
    )
    assert asked(site) == ["/data/2023/", "/data/2024/", "/data/2024/q1/"], "the seed is not"
    assert found.figures == {"listing_server": "nginx", "listings_fetched": 4}
    assert found.notes == [
        f'{site.address}/data/: a directory listing of nginx: its heading is "Index of /data/"'
    ]


def test_what_is_no_listing_is_not_walked(site: Site, folder: Path) -> None:
    found = Enumeration("sitemap")
    seed = Page(page("Council", "<p>Hello</p>"), site.address + "/", PAGE)
    assert listing.walk(seed, client(folder), found) is False
    assert found == Enumeration("sitemap")
    assert site.paths() == []


def test_a_refused_folder_truncates_and_its_siblings_are_read(site: Site, folder: Path) -> None:
    listed(site, "/data/", "closed/", "gone/", "open/")
    site.set("/data/closed/", Answer(b"no", status=403))
    listed(site, "/data/open/", "a.pdf")
    found = walked(site, folder)
    assert paths(found, site) == ["/data/open/a.pdf"]
    assert (found.truncated, found.reason) == (True, None)
    assert found.warnings == [
        f"a folder was refused: {site.address}/data/closed/: http 403",
        f"a folder was refused: {site.address}/data/gone/: http 404",
    ]


def test_when_every_folder_is_refused_the_enumeration_failed(site: Site, folder: Path) -> None:
    listed(site, "/data/", "closed/", "gone/")
    site.set("/data/closed/", Answer(b"no", status=403))
    found = walked(site, folder)
    assert found.reason == (
        f"{site.address}/data/closed/: http 403; {site.address}/data/gone/: http 404"
    )


def test_a_folder_that_robots_denies_is_not_asked(site: Site, folder: Path) -> None:
    rules = robots("User-agent: *", "Disallow: /data/closed/")
    site.set("/robots.txt", Answer(rules, "text/plain"))
    listed(site, "/data/", "closed/", "a.pdf")
    listed(site, "/data/closed/", "b.pdf")
    found = walked(site, folder)
    assert (paths(found, site), asked(site)) == (["/data/a.pdf"], [])
    assert found.warnings == [f"a folder was refused: {site.address}/data/closed/: robots"]
    assert found.truncated


def test_a_page_in_place_of_a_listing_is_a_document_and_truncates(site: Site, folder: Path) -> None:
    listed(site, "/data/", "about/", "a.pdf")
    links = '<a href="/data/x.pdf">x</a><a href="/data/y.pdf">y</a>'
    site.set("/data/about/", Answer(page("About", links), PAGE))
    found = walked(site, folder)
    assert paths(found, site) == ["/data/a.pdf", "/data/about/"]
    assert found.truncated
    assert found.warnings == [
        f"{site.address}/data/about/: no directory listing: taken as a document"
    ]


def test_a_listing_too_large_to_be_read_says_so(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_BYTES", 1000)
    listed(site, "/data/", "large/")
    site.set("/data/large/", Answer(nginx("/data/large/").ljust(1001), "text/html"))
    found = walked(site, folder)
    assert found.truncated
    assert found.warnings == [
        f"{site.address}/data/large/: too large for a directory listing, 1001 bytes: "
        "taken as a document"
    ]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (nginx("/data/empty/"), "text/html"),
        (b"<h1>Directory listing for /data/empty/</h1><hr><ul></ul>", "text/html"),
        (b"[\r\n]", "application/json"),
    ],
)
def test_an_empty_folder_is_a_listing_of_nothing(
    site: Site, folder: Path, body: bytes, kind: str
) -> None:
    listed(site, "/data/", "empty/", "a.pdf")
    site.set("/data/empty/", Answer(body, kind))
    found = walked(site, folder)
    assert (paths(found, site), found.truncated) == (["/data/a.pdf"], False)


def test_a_listing_without_a_document_says_so(site: Site, folder: Path) -> None:
    listed(site, "/data/", "sub/")
    listed(site, "/data/sub/")
    found = walked(site, folder)
    assert (found.resources, found.reason, found.truncated) == ([], None, False)
    assert found.warnings == [f"{site.address}/data/: the listing names no document"]


def test_a_json_tree_is_walked(site: Site, folder: Path) -> None:
    when = '"mtime":"Mon, 15 Jan 2024 10:20:00 GMT"'
    names = [("sub", "directory"), ("..", "directory"), ("a/b?#.pdf", "file"), ("..", "file")]
    lines = [f'{{"name":"{name}","type":"{kind}",{when}}}' for name, kind in names]
    site.set("/data/", Answer(f"[{','.join(lines)}]".encode(), "application/json"))
    inner = f'[{{"name":"é.csv","type":"file",{when}}}]'
    site.set("/data/sub/", Answer(inner.encode(), "application/json"))
    found = walked(site, folder)
    assert paths(found, site) == ["/data/a%2Fb%3F%23.pdf", "/data/sub/%C3%A9.csv"]
    assert found.resources[0].lastmod == "2024-01-15T10:20:00Z"


def test_a_folder_that_is_moved_out_of_the_root_is_not_read(site: Site, folder: Path) -> None:
    listed(site, "/data/", "moved/", "a.pdf")
    site.set("/data/moved/", Answer(status=302, headers=(("Location", "/other/"),)))
    listed(site, "/other/", "b.pdf")
    found = walked(site, folder)
    assert (paths(found, site), found.truncated) == (["/data/a.pdf"], True)
    assert found.warnings == [
        f"a folder was refused: {site.address}/data/moved/: "
        f"leads out of the listing, to {site.address}/other/"
    ]


def test_a_folder_that_is_moved_inside_is_read_where_it_is(site: Site, folder: Path) -> None:
    listed(site, "/data/", "old/")
    site.set("/data/old/", Answer(status=302, headers=(("Location", "/data/new/"),)))
    listed(site, "/data/new/", "b.pdf")
    found = walked(site, folder)
    assert (paths(found, site), found.truncated) == (["/data/new/b.pdf"], False)


def test_folders_are_walked_ten_deep_and_no_deeper(site: Site, folder: Path) -> None:
    path = "/data/"
    for depth in range(13):
        listed(site, path, "in/", f"{depth}.pdf")
        path += "in/"
    found = walked(site, folder)
    assert paths(found, site) == [f"/data/{'in/' * depth}{depth}.pdf" for depth in range(11)]
    assert found.truncated
    assert found.warnings == ["1 folders deeper than 10 not read"]


def test_a_folder_that_holds_itself_ends(site: Site, folder: Path) -> None:
    listed(site, "/data/", "./", "/data/", "sub/")
    listed(site, "/data/sub/", "../sub/", "/data/sub/", "/data/", "a.pdf")
    found = walked(site, folder)
    assert (paths(found, site), found.truncated) == (["/data/sub/a.pdf"], False)
    assert asked(site) == ["/data/sub/"]


def test_more_folders_than_allowed_truncate(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_REQUESTS", 2)
    listed(site, "/data/", *(f"{name}/" for name in "abc"))
    for name in "abc":
        listed(site, f"/data/{name}/", f"{name}.pdf")
    found = walked(site, folder)
    assert (paths(found, site), found.truncated) == (["/data/a/a.pdf", "/data/b/b.pdf"], True)
    assert found.warnings == ["1 folders behind the first 2 not read"]


def test_exactly_as_many_folders_as_allowed_are_whole(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "MOST_REQUESTS", 1)
    listed(site, "/data/", "a/")
    listed(site, "/data/a/", "a.pdf")
    assert not walked(site, folder).truncated


@pytest.mark.parametrize(("most", "truncated"), [(2, True), (3, False)])
def test_the_ceiling_of_addresses_is_tested_though_no_folder_follows(
    site: Site, folder: Path, monkeypatch: pytest.MonkeyPatch, most: int, truncated: bool
) -> None:
    monkeypatch.setattr(listing, "MOST_ADDRESSES", most)
    listed(site, "/data/", "a.pdf", "b.pdf", "c.pdf")
    found = walked(site, folder)
    assert (len(found.resources), found.truncated) == (most, truncated)
    assert found.warnings == (["stopped at 2 addresses"] if truncated else [])


def test_a_walk_ends_when_the_run_does(site: Site, folder: Path) -> None:
    listed(site, "/data/", "a/")
    asking = client(folder)
    asking.stop.set()
    with pytest.raises(Interrupted):
        listing.walk(
            Page(nginx("/data/", "a/"), site.address + "/data/"), asking, Enumeration("sitemap")
        )


# As a website


def enumerate_site(site: Site, folder: Path, seed: str = "/") -> Enumeration:
    found = Website().enumerate(source(site.address + seed), client(folder))
    assert list(folder.iterdir()) == []
    return found


def declare(site: Site) -> None:
    """Serves a robots.txt that names a sitemap of one page."""
    lines = ("User-agent: *", f"Sitemap: {site.address}/map.xml")
    site.set("/robots.txt", Answer(robots(*lines), "text/plain"))
    site.set("/map.xml", Answer(sitemap([f"{site.address}/page"]), "application/xml"))


def test_a_site_without_a_sitemap_that_is_a_listing_is_walked(site: Site, folder: Path) -> None:
    listed(site, "/", "sub/", "a.pdf")
    listed(site, "/sub/", "b.pdf")
    found = enumerate_site(site, folder)
    assert (found.method, paths(found, site)) == ("listing", ["/a.pdf", "/sub/b.pdf"])
    assert (found.truncated, found.warnings, found.reason) == (False, [], None)
    assert found.notes[1:] == [
        f'{site.address}/: a directory listing of nginx: its heading is "Index of /"',
        "robots.txt declares no sitemap: /sitemap.xml was tried",
        f"{site.address}/sitemap.xml: http 404",
    ]
    assert asked(site) == ["/sitemap.xml", "/", "/sub/"]
    assert found.figures == {
        "listing_server": "nginx",
        "listings_fetched": 2,
        "sitemaps_fetched": 1,
        "robots_declared": False,
        "disallowed": 0,
    }


def test_a_declared_sitemap_goes_before_the_listing_of_the_root(site: Site, folder: Path) -> None:
    declare(site)
    listed(site, "/", "a.pdf")
    found = enumerate_site(site, folder)
    assert (found.method, paths(found, site)) == ("sitemap", ["/page"])
    assert asked(site) == ["/map.xml"]


@pytest.mark.parametrize("seed", ["/data/", "/data", "/data/?C=N;O=D"])
def test_the_listing_of_a_folder_goes_before_a_declared_sitemap(
    site: Site, folder: Path, seed: str
) -> None:
    declare(site)
    listed(site, "/data/", "a.pdf")
    site.set("/data/?C=N;O=D", Answer(nginx("/data/", "a.pdf"), "text/html"))
    site.set("/data", Answer(status=301, headers=(("Location", "/data/"),)))
    found = enumerate_site(site, folder, seed)
    assert (found.method, paths(found, site)) == ("listing", ["/data/a.pdf"])
    assert "/map.xml" not in asked(site)


def test_a_folder_that_is_no_listing_is_enumerated_by_the_sitemap(site: Site, folder: Path) -> None:
    declare(site)
    site.set("/council/", Answer(page("Council", "<p>Hello</p>"), PAGE))
    found = enumerate_site(site, folder, "/council/")
    assert (found.method, paths(found, site)) == ("sitemap", ["/page"])
    assert f"{site.address}/council/: no directory listing" in found.notes
    assert (found.warnings, found.truncated) == ([], False)


def test_a_page_below_the_root_is_not_asked_before_the_sitemap(site: Site, folder: Path) -> None:
    declare(site)
    enumerate_site(site, folder, "/council/minutes.html?year=2026")
    assert asked(site) == ["/map.xml"]


def test_when_both_fail_the_reasons_of_both_are_given(site: Site, folder: Path) -> None:
    site.set("/", Answer(page("Town", "<p>Hello</p>"), PAGE))
    found = enumerate_site(site, folder)
    assert found.reason == (
        f"{site.address}/sitemap.xml: http 404; {site.address}/: no directory listing"
    )
    site.set("/", Answer(b"no", status=403))
    found = enumerate_site(site, folder)
    assert found.reason == f"{site.address}/sitemap.xml: http 404; {site.address}/: http 403"


def test_the_address_of_a_folder_is_asked_once(site: Site, folder: Path) -> None:
    found = enumerate_site(site, folder, "/data/")
    assert found.reason == (f"{site.address}/sitemap.xml: http 404; {site.address}/data/: http 404")
    assert asked(site) == ["/data/", "/sitemap.xml"]


def test_an_empty_sitemap_by_convention_gives_way_to_a_listing(site: Site, folder: Path) -> None:
    site.set("/sitemap.xml", Answer(sitemap([]), "application/xml"))
    listed(site, "/", "a.pdf")
    found = enumerate_site(site, folder)
    assert (found.method, paths(found, site)) == ("listing", ["/a.pdf"])


def test_a_page_that_a_listing_names_encloses_nothing(site: Site, folder: Path) -> None:
    listed(site, "/", "a.html", "b.pdf")
    site.set("/a.html", Answer(b'<p>See</p><a href="/b.pdf">b</a>', PAGE))
    asking = client(folder)
    first, _ = enumerate_site(site, folder).resources
    answer = asking.get(first.address)
    assert Website().parts(source(site.address), first, answer, "html").addresses == ()  # type: ignore[arg-type]
