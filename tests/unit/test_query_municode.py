"""Municode: a code is walked from part to part, each text once, and its files are acquired."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from centinel.configuration import Source
from centinel.sources.platforms import municode
from centinel.store import Store
from tests.sites.platforms import as_json
from tests.sites.portals import Municode, Node
from tests.sites.server import Answer, Site
from tests.unit.investigating import ask, front, prepare, recognised, recogniser
from tests.unit.querying import acquired, addresses_of, bytes_of, enumerated, observations_of, query

CODE = (
    Node("CHARTER", "CHARTER", "The people of the town.", (Node("CHARTER_S1", "Sec. 1", "Name."),)),
    Node(
        "PTIICOOR",
        "PART II - CODE OF ORDINANCES",
        None,
        (
            Node("CH1", "Chapter 1", "General.", (Node("CH1_S1", "Sec. 1-1", "How."),), True),
            Node("CH2", "Chapter 2", None, (Node("CH2_S1", "Sec. 2-1", "Dogs.", (), True),), True),
        ),
    ),
)


@pytest.fixture
def vendor() -> Iterator[Municode]:
    """The library with one code."""
    with Municode(*CODE) as running:
        yield running


def block(vendor: Municode, **keys: Any) -> Source:
    """A source of the code."""
    return query("municode", product=10159, url=vendor.address, **keys)


def part(node: str) -> str:
    """The path of a part."""
    return f"/CodesContent?jobId=485152&nodeId={node}&productId=10159"


def test_every_text_of_a_code_is_in_one_record(vendor: Municode, tmp_path: Path) -> None:
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, found.truncated, found.method) == (None, False, "municode")
    records = [part(node) for node in ("CHARTER", "CH1", "CH2_S1")]
    assert addresses_of(found) == [vendor.address + each for each in records]
    assert [each.title for each in found.resources] == ["CHARTER", "Chapter 1", "Sec. 2-1"]
    assert len(set(vendor.paths())) == len(vendor.paths()), "each part is asked for once"


def test_a_new_edition_has_new_addresses(vendor: Municode, tmp_path: Path) -> None:
    before = set(addresses_of(enumerated(block(vendor), tmp_path)))
    vendor.job += 1
    assert before.isdisjoint(addresses_of(enumerated(block(vendor), tmp_path)))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Answer(status=500), "http 500"),
        (as_json([]), "schema changed: the answer is no object"),
        (as_json({"Docs": None}), "schema changed: Docs is no list"),
        (Answer(b"<html>", "text/html"), "a web page instead of a record"),
    ],
)
def test_a_part_that_cannot_be_had_cuts_and_the_others_are_found(
    vendor: Municode, tmp_path: Path, answer: Answer, reason: str
) -> None:
    vendor.set(part("CH1"), answer)
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason, len(found.resources), found.truncated) == (None, 2, True)
    assert found.warnings[0].startswith(f"{vendor.address}{part('CH1')}: {reason}")


def test_an_edition_without_an_id_fails(vendor: Municode, tmp_path: Path) -> None:
    vendor.set("/Jobs/latest/10159", as_json({"Name": "Supplement 20"}))
    found = enumerated(block(vendor), tmp_path)
    assert (found.reason or "").endswith("schema changed: the edition has no Id")


def test_a_part_is_acquired_with_the_documents_that_its_text_links_to(store: Store) -> None:
    link = '<a href="/codecontent/Title%2034.pdf">PDF</a><a href="/about">x</a>'
    with Municode(Node("T34", "TITLE 34 - ZONING", f"In a file: {link}")) as vendor:
        vendor.set("/codecontent/Title%2034.pdf", Answer(b"%PDF-1.4 zoning", "application/pdf"))
        acquired(store, block(vendor))
        found = bytes_of(store)
        file = f"{vendor.address}/codecontent/Title%2034.pdf"
        assert sorted(found) == [vendor.address + part("T34"), file]
        docs = orjson.loads(found[vendor.address + part("T34")])["Docs"]
        assert docs[0]["Title"] == "TITLE 34 - ZONING"
        assert observations_of(store)[file]["title"] == "TITLE 34 - ZONING"


def test_investigate_finds_the_number_of_a_code(
    vendor: Municode, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch)
    monkeypatch.setattr(municode, "API", vendor.address)
    address = "https://library.municode.com/va/port_alder/codes/code_of_ordinances?nodeId=CH1"
    front(site, f'<a href="{address}">Code</a>')
    found = ask(site)
    assert recognised(found) == ["municode"]
    (offered,) = found["blocks"]
    assert offered["block"] == {"query": {"platform": "municode", "product": 10159}}
    assert recogniser(found, "municode")["evidence"] == ["client port_alder, va: 1 code"]
    assert "/Clients/name?clientName=port%20alder&stateAbbr=va" in vendor.paths()
