"""Buckets of S3: known by their listing, listed to the end in both versions, keys as addresses."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from centinel.record import Resource
from centinel.sources import bucket
from centinel.sources.listing import Page
from centinel.sources.source_kind import Enumeration
from centinel.sources.website import Website
from tests.sites.portals import Bucket
from tests.sites.server import Answer
from tests.unit.investigating import ask, enumerated, prepare, recognised, recogniser
from tests.unit.support import client, source


@pytest.fixture
def store_of_objects() -> Iterator[Bucket]:
    """A bucket at a host of its own."""
    with Bucket() as running:
        running.fill("a.pdf", "minutes/2024/b 1.pdf", "minutes/2025/ü+c.pdf", "minutes/")
        yield running


def walked(site: Bucket, folder: Path, address: str = "/") -> Enumeration:
    """What the enumeration of a website at this address gives."""
    return Website().enumerate(source(site.address + address), client(folder / "incoming"))


def keys(found: Enumeration, site: Bucket) -> list[str]:
    """The paths that were found, in order."""
    return [each.address.removeprefix(site.address) for each in found.resources]


NAMES = ["/a.pdf", "/minutes/2024/b%201.pdf", "/minutes/2025/%C3%BC%2Bc.pdf"]


def test_a_bucket_is_enumerated_by_its_listing(store_of_objects: Bucket, tmp_path: Path) -> None:
    found = walked(store_of_objects, tmp_path)
    assert (found.reason, found.truncated, found.method) == (None, False, "bucket")
    assert keys(found, store_of_objects) == NAMES
    assert found.resources[0] == Resource(
        f"{store_of_objects.address}/a.pdf", "2024-03-05T06:07:08.000000Z", hint="document"
    )
    assert found.figures["bucket"] == "agendas"
    assert "1 keys that stand for a folder were left out" in found.notes


@pytest.mark.parametrize(
    ("query", "following"),
    [
        ("", "/?marker=1199.pdf"),
        ("?list-type=2", "/?list-type=2&continuation-token=token-1199.pdf"),
        ("?list-type=2&encoding-type=url", "continuation-token=token-1199.pdf"),
        ("?encoding-type=url", "marker=1199.pdf"),
    ],
    ids=["version 1", "version 2", "version 2, escaped", "version 1, escaped"],
)
def test_more_keys_than_an_answer_holds_are_all_listed(
    store_of_objects: Bucket, tmp_path: Path, query: str, following: str
) -> None:
    store_of_objects.keys.clear()
    store_of_objects.cap = 200
    store_of_objects.fill(*(f"{number}.pdf" for number in range(1000, 1950)))
    found = walked(store_of_objects, tmp_path, f"/{query}")
    assert (found.reason, found.truncated) == (None, False)
    assert keys(found, store_of_objects) == [f"/{number}.pdf" for number in range(1000, 1950)]
    listed = [path for path in store_of_objects.paths() if path.startswith("/?")]
    assert any(following in path for path in listed)
    assert found.figures["listings_fetched"] == 5


def test_a_prefix_and_a_delimiter_of_the_address_are_kept(
    store_of_objects: Bucket, tmp_path: Path
) -> None:
    found = walked(store_of_objects, tmp_path, "/?prefix=minutes/&delimiter=/")
    assert keys(found, store_of_objects) == NAMES[1:]
    asked = [path for path in store_of_objects.paths() if "prefix=minutes%2F20" in path]
    assert asked == [
        "/?delimiter=%2F&prefix=minutes%2F2024%2F",
        "/?delimiter=%2F&prefix=minutes%2F2025%2F",
    ]


def test_a_bucket_in_the_path_of_its_host(tmp_path: Path) -> None:
    with Bucket(in_path=True) as site:
        site.cap = 2
        site.fill("a.pdf", "b.pdf", "c.pdf")
        found = walked(site, tmp_path, "/agendas/")
        assert keys(found, site) == ["/agendas/a.pdf", "/agendas/b.pdf", "/agendas/c.pdf"]
        assert "/agendas/?marker=b.pdf" in site.paths()


def test_an_answer_that_is_refused_makes_the_snapshot_truncated(
    store_of_objects: Bucket, tmp_path: Path
) -> None:
    store_of_objects.cap = 1
    store_of_objects.set("/?marker=a.pdf", Answer(status=403))
    found = walked(store_of_objects, tmp_path)
    assert (found.reason, found.truncated, keys(found, store_of_objects)) == (
        None,
        True,
        ["/a.pdf"],
    )
    assert found.warnings == [f"{store_of_objects.address}/?marker=a.pdf: http 403"]


def test_more_is_said_and_not_how_to_ask_for_it(store_of_objects: Bucket, tmp_path: Path) -> None:
    body = (
        b"<ListBucketResult><Name>agendas</Name><IsTruncated>true</IsTruncated></ListBucketResult>"
    )
    store_of_objects.set("/", Answer(body, "application/xml"))
    found = walked(store_of_objects, tmp_path)
    assert found.truncated
    assert "says that there is more" in found.warnings[0]


def test_a_bucket_that_answers_the_same_again_ends_the_walk(
    store_of_objects: Bucket, tmp_path: Path
) -> None:
    store_of_objects.cap = 1
    same = store_of_objects.routed("/", {})
    store_of_objects.set("/?marker=a.pdf", same)
    found = walked(store_of_objects, tmp_path)
    assert (found.truncated, keys(found, store_of_objects)) == (True, ["/a.pdf"])
    assert "was read already" in found.warnings[0]


def test_a_key_that_no_address_can_name_is_said(store_of_objects: Bucket, tmp_path: Path) -> None:
    store_of_objects.fill("x/../secret.pdf")
    found = walked(store_of_objects, tmp_path)
    assert keys(found, store_of_objects) == NAMES
    assert (found.truncated, found.warnings) == (
        True,
        ["a key that no address can name: 'x/../secret.pdf'"],
    )


@pytest.mark.parametrize(
    "body",
    [
        b"<Error><Code>AccessDenied</Code></Error>",
        b"<!doctype html><p>&lt;ListBucketResult",
        b"<ListBucketResult><Contents>",
        b"<rss><ListBucketResult></ListBucketResult></rss>",
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><x>&e;</x>',
        b"",
    ],
)
def test_what_is_no_listing_of_a_bucket_is_none(body: bytes) -> None:
    assert bucket.recognise(Page(body, "https://a.example/", "application/xml")) is None


def test_an_entity_gives_no_file_of_this_machine() -> None:
    body = (
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]><ListBucketResult><Contents>'
        b"<Key>a&e;b</Key></Contents></ListBucketResult>"
    )
    found = bucket.recognise(Page(body, "https://a.example/", "application/xml"))
    assert found is None or [key for key, _ in found.keys] == ["a"]


def test_investigate_recognises_a_bucket(
    store_of_objects: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path, monkeypatch)
    found = ask(store_of_objects, "/?prefix=minutes/")
    assert recognised(found) == ["bucket"]
    (offered,) = found["blocks"]
    assert offered["block"] == {"site": f"{store_of_objects.address}/?prefix=minutes/"}
    assert (offered["found"], offered["at_least"]) == (2, False)
    assert "a bucket of S3's kind, agendas" in recogniser(found, "bucket")["evidence"][0]
    assert len(enumerated(offered["block"], tmp_path)) == 2
