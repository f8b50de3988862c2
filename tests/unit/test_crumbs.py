"""Hosts that pages link to: counted whole, per exact host, from the newest bytes alone."""

import dataclasses
import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centinel import crumbs
from centinel.classify import Work
from centinel.configuration import Ruling
from centinel.files import read_lines, write_lines, write_whole
from centinel.record import Artifact
from centinel.store import Store
from centinel.webpage import open_page
from tests.unit.support import PROPERTY

HERE = "https://town.example/a"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path, "town")


def links(markup: str) -> list[tuple[str, int, str]]:
    page = open_page(markup.encode(), "text/html", HERE)
    assert page is not None
    return [(str(e["host"]), int(e["links"]), str(e["example"])) for e in crumbs.links_of(page)]


def keep(store: Store, pages: dict[str, str]) -> list[Artifact]:
    """Pages in the store, as acquire and classify leave them."""
    artifacts = []
    for name, markup in pages.items():
        blob = hashlib.sha256(markup.encode()).hexdigest()
        write_whole(store.blob(blob), markup.encode())
        address = f"https://town.example/{name}"
        artifacts.append(
            Artifact(address, address, blob, 1, "text/html", None, address, None, "2026")
        )
    write_lines(store.artifacts, artifacts)
    works = [Work(e.artifact, e.resource, e.blob, "html", None, None) for e in artifacts]
    write_lines(store.work_file("html", "0-of-1"), works)
    return artifacts


def test_links_to_other_hosts_are_counted_by_exact_host() -> None:
    markup = """
      <a href="https://records.example/b">x</a><a href="https://records.example/a#top">x</a>
      <a href="https://www.records.example/">x</a><a href="//cdn.example/x">x</a>
      <a href="https://records.example:8443/">x</a>
      <a href="/here">x</a><a href="https://TOWN.example/b">x</a><a href="https://town.example:443/">x</a>
      <a href="mailto:clerk@elsewhere.example">x</a><img src="https://images.example/a.png">
      <a href="https://user:secret@login.example/x">x</a>
    """
    assert links(markup) == [
        ("records.example", 2, "https://records.example/a"),
        ("cdn.example", 1, "https://cdn.example/x"),
        ("login.example", 1, "https://login.example/x"),
        ("records.example:8443", 1, "https://records.example:8443/"),
        ("www.records.example", 1, "https://www.records.example/"),
    ]


def test_a_widget_on_one_page_comes_after_a_system_on_many(store: Store) -> None:
    widget = '<p><a href="https://widget.example/1">x</a></p>' * 20
    system = '<p>{}<a href="https://system.example/{}">x</a></p>'
    keep(store, {"w": widget, **{f"s{n:02}": system.format(n, n) for n in range(12)}})
    crumbs.write(store, {"system.example": Ruling("allow", "ask first")})
    first, second = read_lines(store.crumbs)
    assert (first["host"], first["links"], first["pages"]) == ("system.example", 12, 12)
    assert len(first["carriers"]) == 10
    assert (first["ruling"], first["note"]) == ("allow", "ask first")
    assert (second["host"], second["links"], second["pages"]) == ("widget.example", 20, 1)
    assert second["ruling"] == "open"


def test_rows_of_older_bytes_do_not_count(store: Store) -> None:
    (old,) = keep(store, {"a": '<a href="https://old.example/">x</a>'})
    row = crumbs.PageLinks(
        old.artifact, old.blob, [{"host": "old.example", "links": 1, "example": "x"}]
    )
    crumbs.keep(store, [row])
    keep(store, {"a": '<a href="https://new.example/">x</a>'})
    crumbs.write(store, {})
    assert [line["host"] for line in read_lines(store.crumbs)] == ["new.example"]


def test_a_ledger_that_is_gone_is_made_again_from_the_blobs(store: Store) -> None:
    keep(store, {"a": '<a href="https://one.example/">x</a>', "b": "<p>nothing</p>"})
    crumbs.write(store, {})
    first = store.crumbs.read_bytes()
    store.links.unlink()
    crumbs.write(store, {})
    assert store.crumbs.read_bytes() == first
    assert len(list(read_lines(store.links))) == 2
    crumbs.write(store, {})
    assert len(list(read_lines(store.links))) == 2


def test_a_torn_row_costs_that_row(store: Store) -> None:
    keep(store, {"a": '<a href="https://one.example/">x</a>'})
    crumbs.write(store, {})
    with store.links.open("ab") as stream:
        stream.write(b'{"artifact":"https://town.exam')
    crumbs.write(store, {})
    assert [line["host"] for line in read_lines(store.crumbs)] == ["one.example"]


@pytest.mark.parametrize(
    "form",
    [
        '{{"artifact": "{0}", "blob": "{1}", "links": [{2}]}}',
        '{{"artifact":"{0}","links":[{2}],"blob":"{1}"}}',
        '{{"links":[{2}],"artifact":"{0}","blob":"{1}"}}',
        '{{"artifact":"{0}","blob":"{1}","links":[{2}],"more":7}}',
    ],
)
def test_a_row_of_another_form_is_a_row(store: Store, form: str) -> None:
    (page,) = keep(store, {"a": "<p>nothing</p>"})
    link = '{"host":"one.example","links":3,"example":"x"}'
    store.links.write_text(form.format(page.artifact, page.blob, link) + "\n")
    crumbs.write(store, {})
    assert [(line["host"], line["links"]) for line in read_lines(store.crumbs)] == [
        ("one.example", 3)
    ]


def test_a_missing_blob_links_to_nothing(store: Store) -> None:
    (page,) = keep(store, {"a": '<a href="https://one.example/">x</a>'})
    body = store.blob(page.blob).read_bytes()
    store.blob(page.blob).unlink()
    crumbs.write(store, {})
    assert list(read_lines(store.crumbs)) == []
    store.blob(page.blob).write_bytes(body)
    crumbs.write(store, {})
    assert [line["host"] for line in read_lines(store.crumbs)] == ["one.example"], "it is back"


HOSTS = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 3)), max_size=3)


@settings(PROPERTY, max_examples=40)
@given(st.dictionaries(st.integers(0, 30), HOSTS))
def test_pages_with_the_same_links_count_as_each_would(pages: dict[int, Any]) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder), "town")
        kept = keep(store, {f"{number:02}": f"<p>{number}" for number in pages})
        rows = [
            [{"host": host, "links": count, "example": f"{host}{count}"} for host, count in links]
            for links in pages.values()
        ]
        named = zip(kept, rows, strict=True)
        crumbs.keep(store, [crumbs.PageLinks(e.artifact, e.blob, row) for e, row in named])
        crumbs.write(store, {})
        found = {line.pop("host"): line for line in read_lines(store.crumbs)}
    for host in "xyz":
        named_by = [
            (page.artifact, each)
            for page, row in zip(kept, rows, strict=True)
            for each in row
            if each["host"] == host
        ]
        wanted = {
            "links": sum(int(each["links"]) for _, each in named_by),
            "pages": len(named_by),
            "example": min((each["example"] for _, each in named_by), default=None),
            "carriers": sorted(artifact for artifact, _ in named_by)[:10],
            "ruling": "open",
            "note": None,
        }
        assert found.get(host) == (wanted if named_by else None)


def test_a_crumb_has_its_fields() -> None:
    names = [each.name for each in dataclasses.fields(crumbs.Crumb)]
    assert names == ["host", "links", "pages", "example", "carriers", "ruling", "note"]
