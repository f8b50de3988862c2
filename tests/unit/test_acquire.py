"""One acquire job: what it asks for, what it keeps, and what it says is left."""

import pytest

from centinel.record import Resource, timestamp
from centinel.store import Store
from tests.sites.server import Answer, Request, Site
from tests.unit.acquiring import DOCUMENT, PDF, asked, page, publish, run, states
from tests.unit.support import (
    DAY,
    NOON,
    PAGE,
    Clock,
    assert_valid,
    lines_of,
    observed_in,
    record_of,
    sha256,
    statuses_of,
    write_snapshot,
)

# A first run


def test_a_page_is_acquired_with_the_document_that_it_encloses(store: Store, site: Site) -> None:
    site.set("/page", page("/fees.pdf"))
    site.set("/fees.pdf", DOCUMENT)
    publish(store, site, "/page")
    _, state = run(store, site)
    assert asked(site) == ["/page", "/fees.pdf"]
    seen, document = record_of(store)
    assert_valid([seen, document], "record_line")
    assert seen["parts"] == [site.address + "/fees.pdf"]
    assert (document["resource"], document["artifact"]) == (
        site.address + "/page",
        site.address + "/fees.pdf",
    )
    assert (document["blob"], document["size"], document["parts"]) == (sha256(PDF), len(PDF), [])
    assert store.blob(sha256(PDF)).read_bytes() == PDF
    assert state["remaining"] == 0
    assert_valid([state], "acquire_state")


def test_what_is_known_of_each_artifact_is_written(store: Store, site: Site) -> None:
    site.set("/page", page("/fees.pdf"))
    named = ("Content-Disposition", 'attachment; filename="Fees.pdf"')
    site.set("/fees.pdf", Answer(PDF, "application/pdf", headers=(named,)))
    write_snapshot(store, [Resource(site.address + "/page", title="Fees")])
    run(store, site)
    lines = lines_of(store.artifacts)
    assert_valid(lines, "artifact")
    document, seen = lines
    assert document == {
        "artifact": site.address + "/fees.pdf",
        "resource": site.address + "/page",
        "blob": sha256(PDF),
        "size": len(PDF),
        "declared_type": "application/pdf",
        "filename": "Fees.pdf",
        "final_url": site.address + "/fees.pdf",
        "title": "Fees",
        "observed_at": timestamp(NOON),
    }
    assert (seen["artifact"], seen["title"]) == (site.address + "/page", "Fees")


def test_the_liveness_of_each_resource_is_written(store: Store, site: Site) -> None:
    site.set("/live", Answer(b"x", PAGE))
    for path, status in (("/gone", 404), ("/blocked", 403), ("/error", 500)):
        site.set(path, Answer(status=status))
    publish(store, site, "/live", "/gone", "/blocked", "/error", "/never")
    run(store, site, exclude=("/never",))
    found = states(store, site)
    assert {path: line["liveness"] for path, line in found.items()} == {
        "/live": "live",
        "/gone": "gone",
        "/blocked": "blocked",
        "/error": "error",
        "/never": None,
    }
    assert found["/gone"]["reason"] == "http 404"
    assert (found["/gone"]["http_status"], found["/live"]["http_status"]) == (404, 200)
    assert [found[path]["consecutive_failures"] for path in ("/live", "/gone")] == [0, 1]
    assert all(line["in_snapshot"] for line in found.values())
    assert found["/never"]["last_checked"] is None


def test_refusals_are_counted_apart_and_do_not_stop_the_pass(store: Store, site: Site) -> None:
    for name, status in (("a", 404), ("b", 403), ("c", 500), ("d", 403)):
        site.set(f"/{name}", Answer(status=status))
    site.set("/e", Answer(b"text", "text/plain"))
    publish(store, site, "/a", "/b", "/c", "/d", "/e")
    _, state = run(store, site)
    counts = state["counts"]
    assert (counts["asked"], counts["stored"], counts["bytes"]) == (5, 1, 4)
    assert (counts["gone"], counts["blocked"], counts["error"]) == (1, 2, 1)
    assert observed_in(store) == [site.address + "/e"]


def test_a_source_that_blocks_everything_is_said_to_block(store: Store, site: Site) -> None:
    site.set("/a", Answer(status=403))
    publish(store, site, "/a")
    _, state = run(store, site)
    assert "this is a block, not an empty source" in state["warnings"][0]


def test_an_address_that_robots_denies_is_blocked_and_not_asked(store: Store, site: Site) -> None:
    site.set("/robots.txt", Answer(b"User-agent: *\nDisallow: /closed\n", "text/plain"))
    site.set("/page", page("/closed/fees.pdf"))
    publish(store, site, "/page", "/closed/a")
    run(store, site)
    assert asked(site) == ["/page"]
    refused = statuses_of(store)
    assert [
        refused[site.address + path]["liveness"] for path in ("/closed/a", "/closed/fees.pdf")
    ] == [
        "blocked",
        "blocked",
    ]
    assert {line["reason"] for line in refused.values()} == {"robots"}


# Documents of several pages


def test_one_document_of_forty_pages_is_fetched_once(store: Store, site: Site) -> None:
    paths = [f"/page-{number}" for number in range(40)]
    for path in paths:
        site.set(path, page("/fees.pdf"))
    site.set("/fees.pdf", DOCUMENT)
    publish(store, site, *paths)
    _, state = run(store, site)
    assert site.asked("/fees.pdf") == 1
    assert observed_in(store).count(site.address + "/fees.pdf") == 1
    assert (state["counts"]["asked"], state["remaining"]) == (41, 0)


@pytest.mark.parametrize("document", ["/a-fees.pdf", "/z-fees.pdf"])
def test_a_document_that_is_published_and_enclosed_is_fetched_once(
    store: Store, site: Site, document: str
) -> None:
    site.set("/page", page(document))
    site.set(document, DOCUMENT)
    publish(store, site, "/page", document)
    _, state = run(store, site)
    assert site.asked(document) == 1
    assert state["remaining"] == 0
    assert states(store, site)[document]["liveness"] == "live"


def test_a_document_is_not_scanned_for_documents(store: Store, site: Site) -> None:
    site.set("/page", page("/inner.pdf"))
    site.set("/inner.pdf", page("/innermost.pdf"))
    site.set("/innermost.pdf", DOCUMENT)
    publish(store, site, "/page")
    run(store, site)
    assert asked(site) == ["/page", "/inner.pdf"]
    assert [len(line["parts"]) for line in record_of(store)] == [1, 0]


def test_the_same_bytes_at_two_addresses_are_one_blob(store: Store, site: Site) -> None:
    site.set("/a", DOCUMENT)
    site.set("/b", DOCUMENT)
    publish(store, site, "/a", "/b")
    run(store, site)
    assert len(lines_of(store.artifacts)) == 2
    assert len([path for path in store.blobs.rglob("*") if path.is_file()]) == 1


# What is owed


@pytest.mark.parametrize(
    ("answer", "is_owed"),
    [
        (Answer(status=500), True),
        (Answer(PDF, "application/pdf", cut_after=3), True),
        (Answer(status=404), False),
        (Answer(status=403), False),
        (Answer(bytes(2000), "application/pdf"), False),
    ],
)
def test_a_document_that_failed_for_a_passing_reason_is_owed(
    store: Store, site: Site, answer: Answer, is_owed: bool
) -> None:
    site.set("/page", page("/fees.pdf"))
    site.set("/fees.pdf", answer)
    publish(store, site, "/page")
    run(store, site, max_bytes=1000)
    owed = [site.address + "/fees.pdf"] if is_owed else []
    assert states(store, site)["/page"]["owed"] == owed


def test_what_is_owed_stays_owed_until_it_comes(store: Store, site: Site) -> None:
    site.set("/page", page("/fees.pdf"))
    site.set("/fees.pdf", Answer(status=500))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    clock.move(DAY)
    _, state = run(store, site, clock)
    assert site.asked("/fees.pdf") == 2
    assert states(store, site)["/page"]["owed"] == [site.address + "/fees.pdf"]
    assert state["next_due"] == timestamp(clock.at + 2 * DAY)
    site.set("/fees.pdf", DOCUMENT)
    clock.move(2 * DAY)
    run(store, site, clock)
    assert states(store, site)["/page"]["owed"] == []
    assert site.asked("/page") == 1


def test_a_run_that_was_cut_between_a_page_and_its_documents_makes_up_for_it(
    store: Store, site: Site
) -> None:
    site.set("/page", page("/fees.pdf", "/rates.pdf"))
    publish(store, site, "/page")

    def end(_request: Request) -> Answer:
        raise AssertionError("never reached")

    loop, state = run(store, site, exclude=("pdf",))
    assert (loop.counts["stored"], state["remaining"]) == (1, 0)
    site.set("/fees.pdf", DOCUMENT)
    site.set("/rates.pdf", DOCUMENT)
    site.set("/page", end)
    run(store, site)
    assert asked(site) == ["/page", "/fees.pdf", "/rates.pdf"]
    assert states(store, site)["/page"]["owed"] == []


def test_a_marked_link_is_kept_only_where_its_headers_show_a_document(
    store: Store, site: Site
) -> None:
    view = "/DocumentCenter/View/"
    site.set("/page", page(*(f"{view}{number}" for number in (1, 2, 3))))
    site.set(f"{view}1", Answer(PDF, "application/pdf"))
    site.set(f"{view}2", Answer(b"<p>Sign in to see it</p>", PAGE))
    name = ("Content-Disposition", 'attachment; filename="a.docx"')
    site.set(f"{view}3", Answer(b"PK", "application/octet-stream", headers=(name,)))
    publish(store, site, "/page")
    run(store, site)
    kept = {line["artifact"].removeprefix(site.address) for line in lines_of(store.artifacts)}
    assert kept == {"/page", f"{view}1", f"{view}3"}
    assert states(store, site)["/page"]["owed"] == []
    status = next(line for line in record_of(store) if line["type"] == "status")
    assert (status["artifact"], status["liveness"]) == (f"{site.address}{view}2", "live")
    assert status["reason"] == "no document: text/html"
