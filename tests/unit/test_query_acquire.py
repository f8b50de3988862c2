"""A query from its first page to the bytes on disk, through the loop that serves every kind."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from centinel.http import Client
from centinel.record import Resource
from centinel.snapshot import take
from centinel.sources.query import Query
from centinel.store import Store
from tests.sites.platforms import (
    PDF,
    Ckan,
    Hub,
    Legistar,
    as_json,
    attachment,
    catalogue,
    ckan_error,
    dataset,
    event,
    item,
    matter,
    package,
    rss,
    rss_item,
)
from tests.sites.server import Answer, Site
from tests.unit.querying import acquired, bytes_of, observations_of, query
from tests.unit.support import (
    Clock,
    acquire,
    assert_valid,
    client,
    lines_of,
    record_of,
    statuses_of,
)


@pytest.fixture
def files() -> Iterator[Site]:
    """Another host, where records have their files."""
    with Site() as running:
        for name in ("agenda", "minutes", "memo"):
            running.set(f"/{name}.pdf", Answer(PDF + name.encode(), "application/pdf"))
        running.set("/data.csv", Answer(b"a,b\n1,2\n", "text/csv"))
        yield running


def valid(store: Store) -> None:
    """Every line on disk is what its schema says, and nothing is left on its way."""
    assert_valid(lines_of(store.artifacts), "artifact")
    assert_valid(lines_of(store.resources), "resource_state")
    assert_valid(record_of(store), "record_line")
    assert_valid(lines_of(store.snapshot), "resource")
    assert_valid([orjson.loads(store.snapshot_report.read_bytes())], "snapshot_report")
    assert list(store.incoming.iterdir()) == []


def test_matters_with_their_attachments(store: Store, files: Site) -> None:
    with Legistar() as vendor:
        vendor.lists["matters"] = [matter(number) for number in (7, 8)]
        vendor.attachments["7"] = [
            attachment(1, f"{files.address}/memo.pdf"),
            attachment(2, f"{files.address}/not-there.pdf"),
        ]
        block = query("legistar", client="seattle", what="matters", url=f"{vendor.address}/v1")
        state = acquired(store, block)
        base = f"{vendor.address}/v1/seattle/matters"
        found = bytes_of(store)
        assert sorted(found) == sorted(
            [f"{base}/7", f"{base}/7/attachments", f"{base}/8", f"{base}/8/attachments",
             f"{files.address}/memo.pdf"]
        )  # fmt: skip
        assert orjson.loads(found[f"{base}/7"]) == matter(7)
        assert orjson.loads(found[f"{base}/7/attachments"]) == vendor.attachments["7"]
        assert orjson.loads(found[f"{base}/8/attachments"]) == []
        assert found[f"{files.address}/memo.pdf"] == PDF + b"memo"
        assert statuses_of(store)[f"{files.address}/not-there.pdf"]["liveness"] == "gone"
        assert (state["remaining"], state["counts"]["stored"]) == (0, 5)
        assert vendor.asked("/v1/seattle/matters/7/attachments") == 1
        assert observations_of(store)[f"{base}/7"]["title"] == "Ordinance 7"
        valid(store)


def test_a_new_attachment_of_an_unchanged_matter_is_found(store: Store, files: Site) -> None:
    with Legistar() as vendor:
        vendor.lists["matters"] = [matter(7)]
        block = query("legistar", client="seattle", what="matters", url=f"{vendor.address}/v1")
        clock = Clock()
        acquired(store, block, clock)
        vendor.attachments["7"] = [attachment(1, f"{files.address}/memo.pdf")]
        clock.move(timedelta(days=31))
        _, state = acquire(store, block, clock, kind=Query())
        assert bytes_of(store)[f"{files.address}/memo.pdf"] == PDF + b"memo"
        assert vendor.asked("/v1/seattle/matters/7/attachments") == 2
        assert state["counts"] == {"asked": 3, "bytes": state["counts"]["bytes"], "changed": 1,
                                   "stored": 3}  # fmt: skip


def test_meetings_with_agenda_minutes_and_attachments(store: Store, files: Site) -> None:
    with Legistar() as vendor:
        agenda, minutes = f"{files.address}/agenda.pdf", f"{files.address}/minutes.pdf"
        vendor.lists["events"] = [event(896, agenda, minutes)]
        attached = [attachment(1, f"{files.address}/memo.pdf")]
        vendor.items["896"] = [{"EventItemId": 1, "EventItemMatterAttachments": attached}]
        block = query("legistar", client="seattle", what="events", url=f"{vendor.address}/v1")
        acquired(store, block)
        found = bytes_of(store)
        record = next(name for name in found if "/events/896?EventItems=1" in name)
        assert orjson.loads(found[record])["EventItems"] == vendor.items["896"]
        assert sorted(set(found) - {record}) == [
            f"{files.address}/{name}.pdf" for name in ("agenda", "memo", "minutes")
        ]
        assert observations_of(store)[record]["parts"] == [
            agenda, minutes, f"{files.address}/memo.pdf"
        ]  # fmt: skip
        valid(store)


def test_datasets_of_ckan_with_their_files(store: Store, files: Site) -> None:
    with Ckan() as vendor:
        vendor.packages = [package("a", f"{files.address}/data.csv"), package("b"), package("c")]
        vendor.set("/api/3/action/package_show?id=id-c", as_json(ckan_error("X", "Solr is down")))
        block = query("ckan", url=vendor.address)
        state = acquired(store, block)
        found = bytes_of(store)
        show = f"{vendor.address}/api/3/action/package_show?id=id-"
        assert sorted(found) == sorted([f"{show}a", f"{show}b", f"{files.address}/data.csv"])
        assert found[f"{files.address}/data.csv"] == b"a,b\n1,2\n"
        status = statuses_of(store)[f"{show}c"]
        assert (status["liveness"], status["reason"]) == ("error", "the vendor says: Solr is down")
        assert state["remaining"] == 0
        valid(store)


def test_items_of_a_hub_with_their_files(store: Store) -> None:
    with Hub() as vendor:
        vendor.collections["all"] = [item("a", "PDF"), item("b")]
        vendor.files["a"] = Answer(PDF, "application/pdf")
        acquired(store, query("arcgis-hub", url=vendor.address, portal=vendor.address))
        base = f"{vendor.address}/api/search/v1/collections/all/items"
        found = bytes_of(store)
        file = f"{vendor.address}/sharing/rest/content/items/a/data"
        assert sorted(found) == sorted([f"{base}/a", f"{base}/b", file])
        assert found[file] == PDF
        valid(store)


def test_datasets_of_a_catalogue_with_page_entry_and_downloads(
    store: Store, site: Site, files: Site
) -> None:
    pages = [f"{site.address}/{name}" for name in ("a", "b")]
    entry = dataset("a", pages[0], f"{files.address}/data.csv")
    site.set("/data.json", Answer(catalogue([entry, dataset("b", pages[1])]), "application/json"))
    for page in ("/a", "/b"):
        site.set(page, Answer(f"<p>{page}".encode(), "text/html"))
    acquired(store, query("dcat", url=f"{site.address}/data.json"))
    found = bytes_of(store)
    assert sorted(found) == sorted(
        [*pages, *(f"{page}#record" for page in pages), f"{files.address}/data.csv"]
    )
    assert orjson.loads(found[f"{pages[0]}#record"]) == entry
    assert site.asked("/data.json") == 2  # once to enumerate, once to acquire
    lines = {line["artifact"]: line for line in lines_of(store.artifacts)}
    assert lines[f"{pages[0]}#record"]["declared_type"] == "application/json"
    assert lines[f"{pages[0]}#record"]["resource"] == pages[0]
    valid(store)


def test_an_entry_without_a_link_is_a_resource_of_its_own(store: Store, site: Site) -> None:
    file = f"<enclosure url='{site.address}/memo.pdf'/>"
    site.set("/feed", Answer(rss([rss_item(1, None, file)]), "text/xml"))
    site.set("/memo.pdf", Answer(PDF, "application/pdf"))
    acquired(store, query("feed", url=f"{site.address}/feed"))
    found = bytes_of(store)
    assert sorted(found) == [f"{site.address}/feed#guid-1", f"{site.address}/memo.pdf"]
    assert b"<title>Meeting 1</title>" in found[f"{site.address}/feed#guid-1"]
    valid(store)


def test_a_feed_that_is_away_puts_its_entries_off(store: Store, site: Site) -> None:
    items = [rss_item(number, f"{site.address}/m/{number}") for number in range(9)]
    site.set("/feed", Answer(rss(items), "text/xml"))
    for number in range(9):
        site.set(f"/m/{number}", Answer(b"<p>Meeting", "text/html"))
    block, clock = query("feed", url=f"{site.address}/feed"), Clock()
    take(store, block, Query(), client(store.incoming), clock)
    site.set("/feed", Answer(status=503))
    _, state = acquire(store, block, clock, kind=Query())
    assert (state["counts"], state["put_off"], state["remaining"]) == (
        {"asked": 5, "error": 5}, 4, 4
    )  # fmt: skip
    assert sum(site.asked(f"/m/{number}") for number in range(9)) == 0
    site.set("/feed", Answer(rss(items), "text/xml"))
    clock.move(timedelta(days=1))
    _, state = acquire(store, block, clock, state["turn"], kind=Query())
    assert (len(bytes_of(store)), state["remaining"]) == (18, 0)
    valid(store)


def test_a_private_file_of_a_public_server_is_not_asked_for(tmp_path: Path, files: Site) -> None:
    block = query("ckan", url="https://data.town.example")
    kind = Query()
    asks = Client(tmp_path, rps=1000.0, private_is_allowed=kind.private_is_allowed(block))
    answer = kind.fetch(block, asks, f"{files.address}/agenda.pdf", {})
    assert "private, link-local or loopback" in getattr(answer, "reason", "")
    assert files.requests == []
    here = query("ckan", url=files.address)
    assert kind.private_is_allowed(here)


def test_parts_of_another_source_are_not_mixed_up(site: Site, tmp_path: Path) -> None:
    site.set("/feed", Answer(rss([rss_item(1, f"{site.address}/1")]), "text/xml"))
    site.set("/1", Answer(b"<p>", "text/html"))
    first, kind, asks = query("feed", url=f"{site.address}/feed"), Query(), client(tmp_path)
    answer = kind.fetch(first, asks, f"{site.address}/1", {})
    second = query("feed", url=f"{site.address}/other")
    found = kind.parts(second, Resource(f"{site.address}/1"), answer, "html")  # type: ignore[arg-type]
    assert found.addresses == ()
