"""A DCAT-US catalogue: datasets by their landing pages, entries as they stand in the file."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from centinel.answers import Fetched, NotModified
from centinel.liveness import Refusal
from centinel.record import Liveness, Resource
from centinel.sources.query import Query
from tests.sites.platforms import catalogue, dataset
from tests.sites.server import Answer, Site
from tests.unit.querying import HOME, addresses_of, enumerated, fetched, query
from tests.unit.support import client, robots_of

DATA = "/data.json"


def serve(site: Site, content: bytes, status: int = 200) -> None:
    """Serves a catalogue."""
    robots_of(site)
    site.set(DATA, Answer(content, "application/json", status=status))


def test_each_dataset_is_its_landing_page(site: Site, tmp_path: Path) -> None:
    serve(site, catalogue([dataset("a", f"{HOME}/a#about"), dataset("b", f"{HOME}/b")]))
    found = enumerated(query("dcat", url=f"{site.address}{DATA}"), tmp_path)
    assert (found.reason, found.truncated, found.method) == (None, False, "dcat")
    assert found.resources == [
        Resource(f"{HOME}/a", "2022-03-28T20:09:45.000000Z", "Dataset a"),
        Resource(f"{HOME}/b", "2022-03-28T20:09:45.000000Z", "Dataset b"),
    ]
    assert (found.warnings, len(found.notes)) == ([], 1)


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ({"identifier": "https://town.example/id/7"}, "https://town.example/id/7"),
        ({"identifier": "https://town.example/id/7", "landingPage": "/sets/7"}, "{site}/sets/7"),
        ({"identifier": "set 7/b"}, "{site}/data.json#set%207%2Fb"),
        ({"identifier": 7, "landingPage": None}, "{site}/data.json#7"),
        ({"identifier": "7", "landingPage": "ftp://town.example/"}, "{site}/data.json#7"),
        ({"identifier": {"@id": "7"}, "landingPage": ["", {"@id": f"{HOME}/7"}]}, f"{HOME}/7"),
    ],
)
def test_what_a_dataset_without_a_landing_page_is_at(
    site: Site, tmp_path: Path, entry: dict[str, Any], address: str
) -> None:
    serve(site, catalogue([entry]))
    found = enumerated(query("dcat", url=f"{site.address}{DATA}"), tmp_path)
    assert addresses_of(found) == [address.format(site=site.address)]
    assert (found.reason, found.truncated) == (None, False)


def test_the_bare_list_of_version_one_is_read(site: Site, tmp_path: Path) -> None:
    serve(site, b"\xef\xbb\xbf [" + orjson.dumps(dataset("a", f"{HOME}/a")) + b"]")
    found = enumerated(query("dcat", url=f"{site.address}{DATA}"), tmp_path)
    assert (addresses_of(found), found.truncated) == ([f"{HOME}/a"], False)


def test_datasets_that_share_a_page_are_one_resource(site: Site, tmp_path: Path) -> None:
    old = {**dataset("a", f"{HOME}/all"), "modified": "2020-01-01", "title": ""}
    serve(site, catalogue([old, dataset("b", f"{HOME}/all"), dataset("c", f"{HOME}/c")]))
    found = enumerated(query("dcat", url=f"{site.address}{DATA}"), tmp_path)
    assert found.resources[0] == Resource(f"{HOME}/all", "2022-03-28T20:09:45.000000Z", "Dataset b")
    assert len(found.resources) == 2
    assert found.notes[-1] == "3 records have 2 addresses: some share one"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "schema changed: no list 'dataset' ('the end' instead of '{' at 0)"),
        (b"{}", "schema changed: no list 'dataset'"),
        (b'{"dataset": {}}', "schema changed: no list 'dataset'"),
        (b'"text"', "schema changed: no list 'dataset' ('\"' instead of '{' at 0)"),
        (b"<!DOCTYPE html><title>Stand by", "a web page instead of a record"),
        (catalogue([{"title": "nameless"}]), "schema changed: no link or id in any of 1 rows"),
    ],
)
def test_what_is_no_catalogue_fails(
    site: Site, tmp_path: Path, content: bytes, reason: str
) -> None:
    serve(site, content)
    found = enumerated(query("dcat", url=f"{site.address}{DATA}"), tmp_path)
    said = (found.reason or "").removeprefix(f"{site.address}{DATA}: ")
    assert said.startswith(reason)


def test_a_file_that_breaks_off_gives_what_stands_before(site: Site, tmp_path: Path) -> None:
    whole = catalogue([dataset(each, f"{HOME}/{each}") for each in "abc"])
    serve(site, whole[: whole.index(b'"Dataset c"') + 4])
    found = enumerated(query("dcat", url=f"{site.address}{DATA}"), tmp_path)
    assert (addresses_of(found), found.truncated) == ([f"{HOME}/a", f"{HOME}/b"], True)
    assert f"{site.address}{DATA}: it breaks off: " in found.warnings[0]


# Acquiring


def test_the_record_is_the_entry_byte_for_byte(site: Site, tmp_path: Path) -> None:
    odd = b'{"identifier":  "odd",\r\n "landingPage": "https://town.example/o", "title": "f\xfcr"}'
    serve(site, b'{ "n": [1, {"dataset": []}], "dataset" :[ ' + odd + b" ] }")
    block, kind, asks = query("dcat", url=f"{site.address}{DATA}"), Query(), client(tmp_path)
    answer = kind.fetch(block, asks, f"{HOME}/o#record", {})
    assert isinstance(answer, Fetched)
    assert answer.body.path.read_bytes() == answer.body.content() == odd
    assert answer.body.path.parent == tmp_path
    assert (answer.final_url, answer.http_status) == (f"{site.address}{DATA}", 200)
    assert (answer.declared_type, answer.body.size) == ("application/json", len(odd))


def test_a_page_s_parts_are_its_entry_and_the_downloads(site: Site, tmp_path: Path) -> None:
    page = f"{site.address}/a"
    serve(site, catalogue([dataset("a", page, "https://files.example/a.csv", "b.csv")]))
    site.set("/a", Answer(b"<p>About", "text/html"))
    block, kind, asks = query("dcat", url=f"{site.address}{DATA}"), Query(), client(tmp_path)
    answer = kind.fetch(block, asks, page, {"etag": '"known"'})
    assert isinstance(answer, Fetched)
    found = kind.parts(block, Resource(page), answer, "html")
    assert found.addresses == (
        f"{page}#record",
        "https://files.example/a.csv",
        f"{site.address}/b.csv",
    )
    # A page that is unchanged says nothing of files that its entry names.
    assert "if-none-match" not in site.requests[-1].headers
    assert site.asked(DATA) == 1


def test_a_page_whose_entry_names_no_files_is_asked_conditionally(
    site: Site, tmp_path: Path
) -> None:
    page, answer = f"{site.address}/a", Answer(b"<p>About", "text/html")
    serve(site, catalogue([dataset("a", page)]))
    site.set("/a", answer)
    block, kind, asks = query("dcat", url=f"{site.address}{DATA}"), Query(), client(tmp_path)
    first = kind.fetch(block, asks, page, {})
    assert isinstance(first, Fetched)
    assert isinstance(kind.fetch(block, asks, page, first.headers), NotModified)


def test_entries_that_share_a_page_are_told_apart_by_their_id(site: Site, tmp_path: Path) -> None:
    rows = [{"identifier": f"set {each}", "landingPage": f"{HOME}/all"} for each in "ab"]
    serve(site, catalogue(rows, indent=None))
    block, kind, asks = query("dcat", url=f"{site.address}{DATA}"), Query(), client(tmp_path)
    names = (f"{HOME}/all#record-set%20a", f"{HOME}/all#record-set%20b")
    for name, row in zip(names, rows, strict=True):
        answer = kind.fetch(block, asks, name, {})
        assert isinstance(answer, Fetched)
        assert orjson.loads(answer.body.content()) == row
    found = kind.parts(block, Resource(f"{HOME}/all"), fetched(b"<p>"), "html")
    assert found.addresses == names


def test_an_entry_without_a_page_is_its_own_resource(site: Site, tmp_path: Path) -> None:
    entry = {"identifier": "7", "distribution": {"downloadURL": "/7.csv"}}
    serve(site, catalogue([entry], indent=None))
    block, kind, asks = query("dcat", url=f"{site.address}{DATA}"), Query(), client(tmp_path)
    address = f"{site.address}{DATA}#7"
    answer = kind.fetch(block, asks, address, {})
    assert isinstance(answer, Fetched)
    assert orjson.loads(answer.body.content()) == entry
    found = kind.parts(block, Resource(address), answer, "json")
    assert found.addresses == (f"{site.address}/7.csv",)


def test_an_entry_that_is_not_there_any_more_is_gone(site: Site, tmp_path: Path) -> None:
    serve(site, catalogue([]))
    site.set("/a", Answer(b"<p>About", "text/html"))
    block, kind, asks = query("dcat", url=f"{site.address}{DATA}"), Query(), client(tmp_path)
    record = kind.fetch(block, asks, f"{site.address}/a#record", {})
    assert record == Refusal(Liveness.GONE, "not in the document any more")
    page = kind.fetch(block, asks, f"{site.address}/a", {})
    assert isinstance(page, Fetched)
    found = kind.parts(block, Resource(f"{site.address}/a"), page, "html")
    assert found.addresses == ()
    assert found.notes == ("the record is not in its document any more",)


def test_an_entry_behind_the_break_is_not_gone(site: Site, tmp_path: Path) -> None:
    whole = catalogue([dataset(each, f"{HOME}/{each}") for each in "ab"])
    serve(site, whole[: whole.index(b'"Dataset b"')])
    answer = Query().fetch(
        query("dcat", url=f"{site.address}{DATA}"), client(tmp_path), f"{HOME}/b#record", {}
    )
    assert isinstance(answer, Refusal)
    assert answer.liveness == Liveness.ERROR


@pytest.mark.parametrize("artifact", ["/a", "/a#record"])
def test_without_the_document_nothing_of_it_is_acquired(
    site: Site, tmp_path: Path, artifact: str
) -> None:
    serve(site, b"", status=500)
    site.set("/a", Answer(b"<p>About", "text/html"))
    block, kind, asks = query("dcat", url=f"{site.address}{DATA}"), Query(), client(tmp_path)
    answer = kind.fetch(block, asks, site.address + artifact, {})
    assert isinstance(answer, Refusal)
    assert (answer.liveness, answer.answered) == (Liveness.ERROR, False)
    assert answer.reason == f"the document with the records: {site.address}{DATA}: http 500"
    assert site.asked("/a") == 0


def test_each_job_reads_the_document_anew(site: Site, tmp_path: Path) -> None:
    serve(site, catalogue([dataset("a", f"{HOME}/a")]))
    block, kind = query("dcat", url=f"{site.address}{DATA}"), Query()
    for _ in range(2):
        asks = client(tmp_path)
        for _ in range(3):
            assert isinstance(kind.fetch(block, asks, f"{HOME}/a#record", {}), Fetched)
    assert site.asked(DATA) == 2
