"""A document that a page encloses is called as the page is, until it says what it is itself."""

from datetime import timedelta

from centinel import classify
from centinel.record import Resource
from centinel.store import Store
from tests.sites.server import Answer, Site
from tests.unit.acquiring import DOCUMENT, publish, run
from tests.unit.support import (
    PAGE,
    Clock,
    files_under,
    lines_of,
    observed_in,
    record_of,
    write_snapshot,
)


def titled(title: str, *documents: str) -> Answer:
    """A page with a title that encloses documents."""
    links = "".join(f'<a href="{each}">x</a>' for each in documents)
    head = f"<head><title>{title}</title></head>" if title else ""
    return Answer(f"<!doctype html><html>{head}<body>{links}</body></html>".encode(), PAGE)


def titles(store: Store, site: Site) -> dict[str, str | None]:
    """The title of each artifact, by path."""
    lines = lines_of(store.artifacts)
    return {line["artifact"].removeprefix(site.address): line["title"] for line in lines}


def test_a_document_is_called_as_the_page_that_carries_it(store: Store, site: Site) -> None:
    site.set("/page", titled("Fees for 2026", "/fees.pdf"))
    site.set("/fees.pdf", DOCUMENT)
    publish(store, site, "/page")
    run(store, site)
    assert titles(store, site) == {"/page": None, "/fees.pdf": "Fees for 2026"}


def test_what_the_source_calls_the_page_goes_before_the_page_s_own_title(
    store: Store, site: Site
) -> None:
    site.set("/page", titled("Port Alder", "/fees.pdf"))
    site.set("/fees.pdf", DOCUMENT)
    write_snapshot(store, [Resource(f"{site.address}/page", title="Fees")])
    run(store, site)
    assert titles(store, site) == {"/page": "Fees", "/fees.pdf": "Fees"}


def test_a_page_without_a_title_has_none_to_give(store: Store, site: Site) -> None:
    site.set("/page", titled("", "/fees.pdf"))
    site.set("/fees.pdf", DOCUMENT)
    publish(store, site, "/page")
    run(store, site)
    assert titles(store, site) == {"/page": None, "/fees.pdf": None}


def test_a_document_that_comes_later_gets_the_title_from_the_page_s_bytes(
    store: Store, site: Site
) -> None:
    site.set("/page", titled("Fees for 2026", "/fees.pdf"))
    site.set("/fees.pdf", Answer(status=500))
    publish(store, site, "/page")
    clock = Clock()
    run(store, site, clock)
    site.set("/fees.pdf", DOCUMENT)
    clock.move(timedelta(days=2))
    run(store, site, clock)
    assert observed_in(store) == [f"{site.address}/page", f"{site.address}/fees.pdf"]
    assert titles(store, site)["/fees.pdf"] == "Fees for 2026"


def test_the_title_of_a_document_stays_so_that_nothing_is_read_again(
    store: Store, site: Site
) -> None:
    """A page that gets another title, or goes, renames no document that it carried."""
    site.set("/a", titled("First", "/fees.pdf"))
    site.set("/b", titled("Second", "/fees.pdf"))
    document = Answer(DOCUMENT.body, "application/pdf", validators=False)
    site.set("/fees.pdf", document)
    publish(store, site, "/a", "/b")
    clock = Clock()
    run(store, site, clock)
    classify.run(store, 1)
    work = files_under(store.work)
    site.set("/a", titled("First, reworded", "/fees.pdf"))
    publish(store, site, "/b")
    clock.move(timedelta(days=40))
    run(store, site, clock)
    classify.run(store, 1)
    seen = [line for line in record_of(store) if line["artifact"].endswith("/fees.pdf")]
    assert [line["title"] for line in seen] == ["First", "First"]
    assert files_under(store.work)["pdf/0-of-1.jsonl"] == work["pdf/0-of-1.jsonl"].replace(
        b'/a"', b'/b"'
    )
