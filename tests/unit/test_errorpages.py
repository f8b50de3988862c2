"""A page with which a host refuses elsewhere is a refusal where it is served with 200."""

from datetime import timedelta

import pytest

from centinel.record import Resource
from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.acquiring import asked, page, publish, run, states
from tests.unit.support import (
    PAGE,
    Clock,
    assert_valid,
    observed_in,
    record_of,
    statuses_of,
    write_snapshot,
)


def said(text: str, status: int = 200, title: str = "Port Alder") -> Answer:
    """A page that says this, under a title that every page of the town has."""
    markup = f"<!doctype html><html><head><title>{title}</title></head><body><p>{text}</p></body>"
    return Answer(markup.encode(), PAGE, status=status)


SORRY = "We are sorry. What you asked for has moved or was taken away. Try the search."


def test_the_page_of_a_404_at_an_address_that_was_live_is_no_change_but_gone(
    store: Store, site: Site
) -> None:
    site.set("/a-missing", said(SORRY, 404))
    site.set("/b", said("The minutes of the council, in full."))
    publish(store, site, "/a-missing", "/b")
    clock = Clock()
    run(store, site, clock)
    site.set("/b", said(SORRY))
    clock.move(timedelta(days=40))
    before = len(asked(site))
    _, state = run(store, site, clock)
    assert len(asked(site)) - before == 2, "each address once, and nothing besides"
    assert state["counts"]["gone"] == 2
    line = statuses_of(store)[f"{site.address}/b"]
    assert (line["liveness"], line["http_status"]) == ("gone", 200)
    assert line["reason"] == f"the page of a refusal: http 404 at {site.address}/a-missing"
    assert observed_in(store) == [f"{site.address}/b"], "the good bytes stand"
    assert states(store, site)["/b"]["reason"] == line["reason"]
    assert_valid(record_of(store), "record_line")


def test_what_an_earlier_job_saw_is_evidence_too(store: Store, site: Site) -> None:
    site.set("/z-missing", said(SORRY, 410))
    site.set("/b", said("The minutes of the council, in full."))
    publish(store, site, "/b", "/z-missing")
    clock = Clock()
    run(store, site, clock)
    site.set("/b", said(SORRY))
    clock.move(timedelta(days=31))
    run(store, site, clock)  # /b is asked before the address that is gone
    reason = statuses_of(store)[f"{site.address}/b"]["reason"]
    assert reason == f"the page of a refusal: http 410 at {site.address}/z-missing"


@pytest.mark.parametrize(
    "text",
    [
        "There is no page {} on this site, or it was moved elsewhere.",
        "There is no such page. Request 4f1d2c3b-aaaa-4bbb-8ccc-0123456789{:02}, 10:11:{:02}.",
    ],
    ids=["repeats its address", "has stamps"],
)
def test_it_is_known_again_though_it_differs_by_its_address_or_a_stamp(
    store: Store, site: Site, text: str
) -> None:
    for number, (path, status) in enumerate((("/a/missing", 404), ("/b/other", 200)), 10):
        site.set(path, said(text.format(path if "{} on" in text else number, number), status))
    publish(store, site, "/a/missing", "/b/other")
    run(store, site)
    reason = statuses_of(store)[f"{site.address}/b/other"]["reason"]
    assert reason == f"the page of a refusal: http 404 at {site.address}/a/missing"
    assert observed_in(store) == []


def test_the_page_behind_a_redirect_to_an_error_is_known_at_other_addresses(
    store: Store, site: Site
) -> None:
    site.set("/a", Answer(status=302, headers=(("Location", "/errors/NotFound"),)))
    site.set("/errors/NotFound", said(SORRY))
    site.set("/b", said(SORRY))
    publish(store, site, "/a", "/b")
    run(store, site)
    line = statuses_of(store)[f"{site.address}/b"]
    assert line["reason"] == f"the page of a refusal: redirect to /notfound at {site.address}/a"
    assert line["liveness"] == "gone"


def test_a_document_in_whose_place_the_error_page_is_served_is_gone(
    store: Store, site: Site
) -> None:
    site.set("/a-missing", said(SORRY, 404))
    site.set("/b", page("/fees.pdf"))
    site.set("/fees.pdf", said(SORRY))
    publish(store, site, "/a-missing", "/b")
    run(store, site)
    assert statuses_of(store)[f"{site.address}/fees.pdf"]["liveness"] == "gone"
    assert observed_in(store) == [f"{site.address}/b"]


# What stays live


def test_a_page_that_was_live_with_these_words_stays_live(store: Store, site: Site) -> None:
    site.set("/a", said(SORRY))
    publish(store, site, "/a")
    clock = Clock()
    run(store, site, clock)
    site.set("/b-missing", said(SORRY, 404))
    publish(store, site, "/a", "/b-missing")
    for number in range(2):
        clock.move(timedelta(days=40))
        site.set("/a", Answer(said(SORRY).body + b" " * number, PAGE, validators=False))
        run(store, site, clock)
    assert states(store, site)["/a"]["liveness"] == "live"


@pytest.mark.parametrize(
    ("path", "text"),
    [("/", SORRY), ("/index.html", SORRY), ("/app", "Loading"), ("/other", f"{SORRY} And more.")],
    ids=["home", "home by name", "too little", "another page"],
)
def test_what_is_no_evidence_takes_no_page_down(
    store: Store, site: Site, path: str, text: str
) -> None:
    missing = text if path == "/app" else SORRY
    site.set("/-missing", said(missing, 404))
    site.set(path, said(text))
    publish(store, site, "/-missing", path)
    run(store, site)
    assert observed_in(store) == [site.address + path]


def test_an_application_that_answers_everything_with_its_home_page_is_not_taken_down(
    store: Store, site: Site
) -> None:
    shell = "Welcome to Port Alder. Choose what you are looking for."
    site.set("/", said(shell))
    site.set("/a-missing", said(shell, 404))
    site.set("/b", said(shell))
    publish(store, site, "/", "/a-missing", "/b")
    run(store, site)
    assert observed_in(store) == [f"{site.address}/", f"{site.address}/b"]


@pytest.mark.parametrize("status", [401, 403, 500])
def test_a_wall_or_a_broken_server_shows_nothing_of_other_addresses(
    store: Store, site: Site, status: int
) -> None:
    site.set("/a", said("Please log in with your account to read this page.", status))
    site.set("/login", said("Please log in with your account to read this page."))
    publish(store, site, "/a", "/login")
    run(store, site)
    assert observed_in(store) == [f"{site.address}/login"]


def test_another_host_s_error_page_is_no_evidence(store: Store, site: Site) -> None:
    with Site() as other:
        other.set("/robots.txt", Answer(b"", "text/plain"))
        other.set("/b", said(SORRY))
        site.set("/a", said(SORRY, 404))
        write_snapshot(store, [Resource(f"{site.address}/a"), Resource(f"{other.address}/b")])
        run(store, site)
        assert observed_in(store) == [f"{other.address}/b"]


def test_an_error_page_that_does_not_come_whole_is_a_plain_404(store: Store, site: Site) -> None:
    cut = said(SORRY, 404)
    site.set("/a", Answer(cut.body, PAGE, status=404, cut_after=40))
    site.set("/b", said(SORRY))
    publish(store, site, "/a", "/b")
    run(store, site)
    assert statuses_of(store)[f"{site.address}/a"]["reason"] == "http 404"
    assert observed_in(store) == [f"{site.address}/b"]
