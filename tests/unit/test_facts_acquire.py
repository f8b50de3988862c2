"""What earlier systems got wrong while they acquired (rows 20.8, 20.9 and from 20.42 on)."""

import io
from datetime import timedelta

import pytest

from centinel import acquire as module
from centinel.history import History, replay
from centinel.progress import Progress
from centinel.record import timestamp
from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.acquiring import DOCUMENT, PDF, asked, page, publish, run, states
from tests.unit.support import (
    DAY,
    NOON,
    PAGE,
    Clock,
    acquire,
    files_under,
    lines_of,
    observed_in,
    record_of,
    sha256,
    source,
    statuses_of,
)


def html(title: str, body: str = "<p>x</p>") -> Answer:
    """A page with a title, served with 200."""
    markup = f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
    return Answer(markup.encode(), PAGE)


# Addresses


def test_one_document_under_many_addresses_is_one_blob_under_each(store: Store, site: Site) -> None:
    paths = [
        "/DownloadFileBytes/Agenda.pdf?documentType=2&meetingId=2834",
        "/DownloadFileBytes/x.pdf?documentType=2&meetingId=2834",
        "/ViewAgenda?type=a&doctype=2",
        "/ViewAgenda?type=b&doctype=2",
    ]
    for path in paths:
        site.set(path, DOCUMENT)
    publish(store, site, *paths)
    run(store, site)
    lines = lines_of(store.artifacts)
    assert sorted(line["artifact"].removeprefix(site.address) for line in lines) == sorted(paths)
    assert {line["blob"] for line in lines} == {sha256(PDF)}
    assert list(files_under(store.blobs).values()) == [PDF]


# Refusals


def test_progress_counts_refusals_as_the_record_does(store: Store, site: Site) -> None:
    for path, status in (("/a", 403), ("/b", 404), ("/c", 403)):
        site.set(path, Answer(status=status))
    publish(store, site, "/a", "/b", "/c")
    said = io.StringIO()
    progress = Progress("acquire", every=0.0, streams=(said,))
    acquire(store, source(site.address + "/"), Clock(), progress=progress)
    lines = said.getvalue().splitlines()
    assert [line.partition(";")[0] for line in lines] == [
        "acquire: 1 done, 2 left, 1 blocked, 0 gone, 0 error",
        "acquire: 2 done, 1 left, 1 blocked, 1 gone, 0 error",
        "acquire: 3 done, 0 left, 2 blocked, 1 gone, 0 error",
    ]
    recorded = [line["liveness"] for line in record_of(store)]
    assert recorded == ["blocked", "gone", "blocked"]


def test_a_document_that_is_gone_costs_its_page_nothing(store: Store, site: Site) -> None:
    site.set("/page", page("/fees.pdf"))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    clock.move(DAY)
    _, state = run(store, site, clock)
    assert asked(site) == ["/page", "/fees.pdf"], "each was asked for once"
    assert observed_in(store) == [f"{site.address}/page"]
    status = statuses_of(store)[f"{site.address}/fees.pdf"]
    assert (status["liveness"], status["resource"]) == ("gone", f"{site.address}/page")
    assert states(store, site)["/page"]["liveness"] == "live"
    assert (state["turn"], state["remaining"]) == (0, 0)


TRANSFERRED = '<form method="post" action="{}"><input type="hidden" name="__VIEWSTATE"></form>'
"""What ASP.NET serves at an address where the server went on to another page: its form says so."""


@pytest.mark.parametrize(
    ("answer", "liveness", "reason"),
    [
        (html("Page not found"), "gone", "titled 'Page not found'"),
        (html("Error - Meetings"), "error", "titled 'Error'"),
        (html("Meetings", TRANSFERRED.format("Error.aspx?handler=x")), "error", "a form of Error"),
        (html("", TRANSFERRED.format("./error.aspx")), "error", "a form of error"),
        (html("Meetings", TRANSFERRED.format("/agendas/NotFound.aspx")), "gone", "a form of NotF"),
        (html("Meetings", TRANSFERRED.format("../404.aspx")), "gone", "a form of 404.aspx"),
    ],
    ids=["title gone", "title error", "form error", "form small", "form gone", "form 404"],
)
def test_an_error_that_is_served_as_a_page_is_not_kept(
    store: Store, site: Site, answer: Answer, liveness: str, reason: str
) -> None:
    address = "/agendas/meetingsresponsive.aspx"
    site.set(address, answer)
    publish(store, site, address)
    run(store, site)
    (line,) = record_of(store)
    assert (line["type"], line["liveness"], line["http_status"]) == ("status", liveness, 200)
    assert line["reason"].startswith(reason)
    assert files_under(store.blobs) == {}
    assert list(store.incoming.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/a.aspx", TRANSFERRED.format("a.aspx")),
        ("/a.aspx", TRANSFERRED.format("Search.aspx")),
        ("/a.aspx", TRANSFERRED.format("ErrorReport.aspx")),
        ("/a.aspx", TRANSFERRED.format("/errors/report.aspx")),
        ("/a.aspx", '<form method="post" action="/error"><input name="what"></form>'),
        ("/error.aspx", TRANSFERRED.format("error.aspx?x=1")),
        ("/a.aspx", TRANSFERRED.format("Search.aspx") + TRANSFERRED.format("error.aspx")),
        ("/a.aspx", '<form action="error.aspx"><input name="__VIEWSTATE"></form>'),
    ],
    ids=["own", "other", "word", "folder", "no aspx", "asked", "two forms", "get"],
)
def test_an_ordinary_form_is_a_page(store: Store, site: Site, path: str, body: str) -> None:
    site.set(path, html("Report a pothole", body))
    publish(store, site, path)
    run(store, site)
    assert observed_in(store) == [site.address + path]


# Again


def test_each_source_has_its_own_pace(store: Store, site: Site) -> None:
    site.set("/daily.csv", Answer(b"a,b", "text/csv"))
    publish(store, site, "/daily.csv")
    clock = Clock()
    for _ in range(3):
        _, state = run(store, site, clock, revisit=DAY)
        assert state["next_due"] == timestamp(clock.at + DAY)
        clock.move(DAY)
    assert site.asked("/daily.csv") == 3
    run(store, site, clock, revisit=timedelta(days=30))
    assert site.asked("/daily.csv") == 3


def test_the_record_is_replayed_once_however_many_addresses(
    store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [f"/{number}" for number in range(80)]
    for path in paths:
        site.set(path, Answer(path.encode(), PAGE))
    publish(store, site, *paths)
    replayed: list[Store] = []

    def counted(which: Store) -> History:
        replayed.append(which)
        return replay(which)

    monkeypatch.setattr(module, "replay", counted)
    clock = Clock(NOON)
    run(store, site, clock)
    clock.move(31 * DAY)
    _, state = run(store, site, clock)
    assert state["counts"]["unchanged"] == 80
    assert replayed == [store, store], "once a job"
