"""robots.txt is asked for once an origin, honoured for every request, and never guessed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from centinel import addresses, robots
from centinel.answers import Fetched
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.pacing import Pacing
from centinel.record import Liveness
from tests.sites.server import Answer, Request, Site
from tests.sites.server import robots as robots_txt
from tests.unit.support import PROPERTY, client

PLAIN = "text/plain; charset=utf-8"


@pytest.fixture
def asking(tmp_path: Path) -> Client:
    return client(tmp_path / "incoming")


def serve(site: Site, *lines: str) -> None:
    """Serves a robots.txt of these lines, and pages."""
    site.set("/robots.txt", Answer(robots_txt(*lines), PLAIN))
    for path in ("/", "/open", "/closed", "/closed/open", "/a.css", "/a.css?v=1"):
        site.set(path, Answer(b"a page", PLAIN))


def is_allowed(asking: Client, site: Site, path: str) -> bool:
    """Asks for a path; a denial shows that nothing was sent."""
    answer = asking.get(site.address + path)
    if isinstance(answer, Fetched):
        return True
    assert answer == Refusal(Liveness.BLOCKED, "robots", None, site.address + path)
    assert site.asked(path) == 0
    return False


def test_a_denied_page_is_blocked_and_never_asked(asking: Client, site: Site) -> None:
    serve(site, "User-agent: *", "Disallow: /closed")
    assert not is_allowed(asking, site, "/closed")
    assert is_allowed(asking, site, "/open")


def test_the_rules_are_asked_for_once(asking: Client, site: Site) -> None:
    serve(site, "User-agent: *", "Disallow: /closed")
    for _ in range(3):
        is_allowed(asking, site, "/open")
        is_allowed(asking, site, "/closed")
    assert site.asked("/robots.txt") == 1
    assert site.paths()[0] == "/robots.txt"


@pytest.mark.parametrize("name", ["centinel", "Centinel", "CENTINEL"])
def test_the_group_of_the_product_goes_before_that_of_everybody(
    asking: Client, site: Site, name: str
) -> None:
    serve(site, "User-agent: *", "Disallow: /", "", f"User-agent: {name}", "Disallow: /closed")
    assert is_allowed(asking, site, "/open")
    assert not is_allowed(asking, site, "/closed")


def test_the_group_of_another_product_is_not_ours(asking: Client, site: Site) -> None:
    serve(site, "User-agent: otherbot", "Disallow: /")
    assert is_allowed(asking, site, "/open")


def test_the_longest_rule_wins_and_allowing_wins_a_tie(asking: Client, site: Site) -> None:
    serve(
        site,
        "User-agent: *",
        "Disallow: /closed",
        "Allow: /closed/open",
        "Disallow: /open",
        "Allow: /open",
    )
    assert is_allowed(asking, site, "/closed/open")
    assert not is_allowed(asking, site, "/closed")
    assert is_allowed(asking, site, "/open")


def test_wildcards_and_ends_are_read(asking: Client, site: Site) -> None:
    serve(site, "User-agent: *", "Disallow: /*.css", "Allow: /*.css$")
    assert is_allowed(asking, site, "/a.css")
    assert not is_allowed(asking, site, "/a.css?v=1")


def test_an_empty_denial_denies_nothing(asking: Client, site: Site) -> None:
    serve(site, "User-agent: *", "Disallow:")
    assert is_allowed(asking, site, "/open")


def test_a_byte_order_mark_does_not_void_the_first_group(asking: Client, site: Site) -> None:
    body = b"\xef\xbb\xbf" + robots_txt("User-agent: *", "Disallow: /closed")
    serve(site)
    site.set("/robots.txt", Answer(body, PLAIN))
    assert not is_allowed(asking, site, "/closed")


@pytest.mark.parametrize("body", [b"<!DOCTYPE html><html>", b"\n <HTML><body>Disallow: /"])
def test_a_web_page_in_place_of_the_rules_has_none(asking: Client, site: Site, body: bytes) -> None:
    serve(site)
    site.set("/robots.txt", Answer(body, "text/html"))
    assert is_allowed(asking, site, "/open")
    rules = asking.rules(site.address + "/")
    assert not rules.declared
    assert "web page" in rules.note


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_site_without_rules_is_allowed_and_that_is_noted(
    asking: Client, site: Site, status: int
) -> None:
    serve(site)
    site.set("/robots.txt", Answer(b"no", PLAIN, status=status))
    assert is_allowed(asking, site, "/open")
    rules = asking.rules(site.address + "/")
    assert (rules.declared, rules.unreachable) == (False, None)
    assert str(status) in rules.note
    assert "assumed to be allowed" in rules.note


def test_a_site_whose_missing_pages_are_redirected_has_no_rules(asking: Client, site: Site) -> None:
    serve(site)
    site.set("/robots.txt", Answer(status=302, headers=(("Location", "/page-not-found"),)))
    site.set("/page-not-found", Answer(b"<html>Nothing here", "text/html"))
    assert is_allowed(asking, site, "/open")
    assert "assumed to be allowed" in asking.rules(site.address + "/").note


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"", status=500),
        Answer(b"", status=503),
        Answer(reset=True),
        Answer(b"User-agent: *", cut_after=3),
    ],
)
def test_rules_that_cannot_be_had_let_nothing_be_asked(
    asking: Client, site: Site, answer: Answer
) -> None:
    serve(site)
    site.set("/robots.txt", answer)
    for _ in range(2):
        refused = asking.get(site.address + "/open")
        assert isinstance(refused, Refusal)
        assert (refused.liveness, refused.answered) == (Liveness.ERROR, False)
        assert refused.reason.startswith("robots.txt could not be had: ")
    assert site.asked("/open") == 0
    assert list(asking.folder.iterdir()) == []


def test_rules_that_failed_in_an_odd_way_do_not_become_none(
    asking: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(site, "User-agent: *", "Disallow: /closed")

    def fail(_body: bytes) -> robots.Rules:
        raise RuntimeError("odd")

    with monkeypatch.context() as patched:
        patched.setattr(robots, "parse", fail)
        for _ in range(2):
            with pytest.raises(RuntimeError, match="odd"):
                asking.get(site.address + "/closed")
    assert site.asked("/closed") == 0
    assert not is_allowed(asking, site, "/closed")


def test_long_rules_are_read_up_to_their_limit(asking: Client, site: Site) -> None:
    filler = "# nothing\n" * 200_000
    serve(site, "User-agent: *", "Disallow: /closed", filler, "Disallow: /open")
    assert not is_allowed(asking, site, "/closed")
    assert is_allowed(asking, site, "/open")


def test_rules_are_followed_to_another_place(asking: Client, site: Site) -> None:
    serve(site)
    site.set("/robots.txt", Answer(status=301, headers=(("Location", "/rules.txt"),)))
    site.set("/rules.txt", Answer(robots_txt("User-agent: *", "Disallow: /closed"), PLAIN))
    assert not is_allowed(asking, site, "/closed")


def test_rules_on_a_host_that_denies_everything_are_still_read(
    asking: Client, site: Site, other: Site
) -> None:
    location = other.address + "/robots.txt"
    site.set("/robots.txt", Answer(status=301, headers=(("Location", location),)))
    serve(other, "User-agent: *", "Disallow: /")
    assert not is_allowed(asking, site, "/open")


def test_rules_that_are_redirected_in_a_ring_are_not_had(
    asking: Client, site: Site, other: Site
) -> None:
    for here, there in ((site, other), (other, site)):
        location = there.address + "/robots.txt"
        here.set("/robots.txt", Answer(status=301, headers=(("Location", location),)))
    refused = asking.get(site.address + "/open")
    assert isinstance(refused, Refusal)
    assert refused.liveness == Liveness.ERROR
    assert len(site.requests) + len(other.requests) < 50


def test_each_port_has_its_own_rules(asking: Client, site: Site, other: Site) -> None:
    serve(site, "User-agent: *", "Disallow: /")
    serve(other)
    assert not is_allowed(asking, site, "/open")
    assert is_allowed(asking, other, "/open")


@pytest.fixture
def other() -> Iterator[Site]:
    with Site() as running:
        yield running


# Redirects


def redirect(site: Site, path: str, location: str, status: int = 302) -> None:
    """Redirects a path."""
    site.set(path, Answer(status=status, headers=(("Location", location),)))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_followed_and_its_target_is_the_base(
    asking: Client, site: Site, status: int
) -> None:
    serve(site)
    redirect(site, "/old", "open#part", status)
    answer = asking.get(site.address + "/old")
    assert isinstance(answer, Fetched)
    assert answer.final_url == site.address + "/open"


def test_the_target_of_a_redirect_has_rules_too(asking: Client, site: Site) -> None:
    serve(site, "User-agent: *", "Disallow: /closed")
    redirect(site, "/old", "/closed")
    refused = asking.get(site.address + "/old")
    assert refused == Refusal(Liveness.BLOCKED, "robots", None, site.address + "/closed")
    assert site.asked("/closed") == 0


def test_another_host_is_judged_by_its_own_rules(asking: Client, site: Site, other: Site) -> None:
    serve(site)
    serve(other, "User-agent: *", "Disallow: /closed")
    redirect(site, "/old", other.address + "/closed")
    refused = asking.get(site.address + "/old")
    assert isinstance(refused, Refusal)
    assert (refused.liveness, refused.reason) == (Liveness.BLOCKED, "robots")
    assert other.paths() == ["/robots.txt"]


@pytest.mark.parametrize("target", ["http://10.0.0.1/", "http://localhost:1/", "http://[::1]/"])
def test_a_public_source_is_not_redirected_to_a_private_address(
    tmp_path: Path, site: Site, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    real = addresses.is_private
    monkeypatch.setattr(addresses, "is_private", lambda host: host != "127.0.0.1" and real(host))
    asking = client(tmp_path, private_is_allowed=False)
    serve(site)
    redirect(site, "/old", target)
    refused = asking.get(site.address + "/old")
    assert isinstance(refused, Refusal)
    assert refused.liveness == Liveness.BLOCKED
    assert "private" in refused.reason


def test_a_private_address_is_not_asked_for_a_public_source(tmp_path: Path, site: Site) -> None:
    refused = client(tmp_path, private_is_allowed=False).get(site.address + "/")
    assert isinstance(refused, Refusal)
    assert refused.liveness == Liveness.BLOCKED
    assert site.requests == []


@pytest.mark.parametrize(
    "target",
    ["mailto:clerk@town.example", "ftp://127.0.0.1/a", "javascript:void(0)", "file:///etc"],
)
def test_a_redirect_out_of_the_web_is_blocked(asking: Client, site: Site, target: str) -> None:
    serve(site)
    redirect(site, "/old", target)
    refused = asking.get(site.address + "/old")
    assert isinstance(refused, Refusal)
    assert (refused.liveness, refused.http_status) == (Liveness.BLOCKED, 302)
    assert target.partition(":")[0] in refused.reason


def test_a_password_in_a_redirect_is_not_written(asking: Client, site: Site) -> None:
    serve(site)
    redirect(site, "/old", "ftp://clerk:hunter2@127.0.0.1/")
    refused = asking.get(site.address + "/old")
    assert isinstance(refused, Refusal)
    assert "hunter2" not in repr(refused)


def test_redirects_in_a_ring_end(asking: Client, site: Site) -> None:
    serve(site)
    redirect(site, "/one", "/two")
    redirect(site, "/two", "/one")
    refused = asking.get(site.address + "/one")
    assert isinstance(refused, Refusal)
    assert (refused.liveness, refused.reason) == (Liveness.ERROR, "more than 10 redirects")
    assert site.asked("/one") + site.asked("/two") == 11


def test_a_redirect_in_raw_utf_8_is_followed(asking: Client, site: Site) -> None:
    serve(site)
    site.set("/M%C3%A4rz", Answer(b"March", PLAIN))
    redirect(site, "/old", "/März".encode().decode("latin-1"))
    answer = asking.get(site.address + "/old")
    assert isinstance(answer, Fetched)
    assert answer.final_url == site.address + "/M%C3%A4rz"


# Delay


def test_a_crawl_delay_slows_and_never_speeds(site: Site, tmp_path: Path) -> None:
    serve(site, "User-agent: *", "Crawl-delay: 7")
    waits: list[float] = []
    for rps in (1000.0, 0.1):
        asking = client(tmp_path / "incoming", rps=rps)
        asking.pacing = Pacing(waits.append, tmp_path / f"pacing-{rps}")
        for path in ("/open", "/a.css"):
            asking.get(site.address + path)
    assert waits[0] == pytest.approx(7, abs=0.5)
    assert waits[1:] == [pytest.approx(10, abs=0.5), pytest.approx(20, abs=0.5)]


@pytest.mark.parametrize("delay", ["-1", "nan", "soon", "", "1e999"])
def test_an_odd_delay_is_none_or_a_long_one(delay: str) -> None:
    rules = robots.parse(robots_txt("User-agent: *", f"Crawl-delay: {delay}"))
    assert rules.crawl_delay >= 0


# Reading


def test_sitemap_lines_belong_to_no_group() -> None:
    lines = ("Sitemap: /a.xml", "User-agent: x", "Disallow: /", "sitemap: https://b.example/b.xml")
    rules = robots.parse(robots_txt(*lines))
    assert set(rules.sitemaps) == {"/a.xml", "https://b.example/b.xml"}
    assert rules.declared


def test_without_rules_everything_is_allowed() -> None:
    rules = robots.missing("http 404")
    assert rules.allows("https://town.example/a")
    assert (rules.crawl_delay, rules.sitemaps) == (0.0, ())


LINES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["User-agent", "Disallow", "Allow", "Crawl-delay", "Sitemap", "Request-rate"]),
    st.sampled_from([":", " : ", "", "::"]),
    st.text(max_size=20) | st.text("*$/%?0123456789.smh-", max_size=20),
)
PATHS = st.text(max_size=20) | st.text("*$/%?ab", max_size=20)


@PROPERTY
@given(st.lists(LINES).map("\n".join), PATHS)
@example("User-agent: *\nDisallow: /robots.txt", "robots.txt")
def test_whatever_stands_in_the_rules_can_be_asked(text: str, path: str) -> None:
    rules = robots.parse(("User-agent: *\n" + text).encode("utf-8", "replace"))
    address = addresses.canonical(f"https://town.example/{path}")
    assert address is not None
    assert rules.allows(address) in {True, False}
    assert rules.crawl_delay >= 0
    assert rules.allows("https://town.example/robots.txt")


def test_the_agent_is_the_product_with_its_version_and_contact(site: Site, tmp_path: Path) -> None:
    serve(site)
    client(tmp_path, contact="https://town.example/bot").get(site.address + "/open")

    def agent(request: Request) -> str:
        return request.headers["user-agent"]

    assert {agent(each) for each in site.requests} == {
        "centinel/0.1.0 (keeps the public record; +https://town.example/bot)"
    }
