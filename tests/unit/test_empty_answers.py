"""An answer without bytes is no document, and what was kept of its address stands."""

from datetime import timedelta

import pytest

from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.acquiring import page, publish, run
from tests.unit.support import (
    PAGE,
    Clock,
    files_under,
    lines_of,
    observed_in,
    record_of,
    statuses_of,
)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(b"", PAGE), "an empty body, 0 bytes"),
        (Answer(b"", "application/pdf"), "an empty body, 0 bytes"),
        (Answer(b"", None), "an empty body, 0 bytes"),
        (Answer(b"", PAGE, status=204), "http 204"),
        (Answer(b"x", PAGE, status=202), "http 202"),
    ],
    ids=["page", "document", "no type", "204", "202"],
)
def test_an_answer_without_bytes_is_an_error_and_no_observation(
    store: Store, site: Site, answer: Answer, reason: str
) -> None:
    site.set("/a", answer)
    publish(store, site, "/a")
    run(store, site)
    (line,) = record_of(store)
    assert (line["type"], line["liveness"], line["reason"]) == ("status", "error", reason)
    assert line["http_status"] == answer.status
    assert files_under(store.blobs) == {}
    assert list(store.incoming.iterdir()) == []


def test_a_document_that_is_empty_is_owed_and_asked_for_again(store: Store, site: Site) -> None:
    site.set("/page", page("/fees.pdf"))
    site.set("/fees.pdf", Answer(b"", "application/pdf"))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    (state,) = lines_of(store.resources)
    assert state["owed"] == [f"{site.address}/fees.pdf"]
    site.set("/fees.pdf", Answer(b"%PDF-1.7", "application/pdf"))
    clock.move(timedelta(days=2))
    run(store, site, clock)
    assert observed_in(store) == [f"{site.address}/page", f"{site.address}/fees.pdf"]


def test_a_page_that_is_empty_now_keeps_its_earlier_bytes(store: Store, site: Site) -> None:
    site.set("/a", Answer(b"<p>Minutes</p>", PAGE))
    publish(store, site, "/a")
    clock = Clock()
    run(store, site, clock)
    site.set("/a", Answer(b"", PAGE))
    clock.move(timedelta(days=40))
    run(store, site, clock)
    assert statuses_of(store)[f"{site.address}/a"]["liveness"] == "error"
    (artifact,) = lines_of(store.artifacts)
    assert store.blob(artifact["blob"]).read_bytes() == b"<p>Minutes</p>"


@pytest.mark.parametrize("sent", [0, 1, 4000])
def test_a_body_shorter_than_announced_is_a_fault_and_never_a_blob(
    store: Store, site: Site, sent: int
) -> None:
    """The connection is closed in order: nothing but the length says that bytes are missing."""
    body = b"%PDF-1.7" + b"x" * 5000
    site.set("/a.pdf", Answer(body, "application/pdf", cut_after=sent))
    publish(store, site, "/a.pdf")
    run(store, site)
    (line,) = record_of(store)
    assert (line["liveness"], line["http_status"]) == ("error", None)
    missing = len(body) - sent
    assert f"IncompleteRead({sent} bytes read, {missing} more expected)" in line["reason"]
    assert site.asked("/a.pdf") == 3
    assert files_under(store.blobs) == {}
    assert list(store.incoming.iterdir()) == []
