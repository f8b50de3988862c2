"""What strangers serve never breaks a WARC file: addresses, headers and fields of any text."""

import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from centinel.export import warc
from centinel.export.warc_fields import (
    as_fields,
    fields_of,
    headers_of,
    is_of_the_web,
    status_line,
    target,
)
from centinel.store import Store
from tests.unit.export.exporting import Kept, of_kind, read
from tests.unit.support import PROPERTY, sha256

ANY = st.text(st.characters())
"""Any text, with controls and lone surrogates."""


@PROPERTY
@given(ANY)
@example("https://town.example/a b\r\nWARC-Type: response")
def test_any_address_is_one_word_of_ascii(address: str) -> None:
    assert re.fullmatch(r"[!-~]*", target(address))
    assert target(target(address)) == target(address)


@pytest.mark.parametrize(
    ("address", "written"),
    [
        ("https://town.example/a%20b?c=[1]&d=~e", "https://town.example/a%20b?c=[1]&d=~e"),
        ("https://town.example/x.zip!/ä b.pdf", "https://town.example/x.zip!/%C3%A4%20b.pdf"),
        ("file:///plan.pdf", "file:///plan.pdf"),
    ],
)
def test_an_address_that_is_one_stays_as_it_is(address: str, written: str) -> None:
    assert target(address) == written


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        ("https://town.example/", True),
        ("http://town.example/a.zip!/b", True),
        ("https://town.example/#captions", False),
        ("file:///a", False),
    ],
)
def test_only_what_a_server_can_be_asked_for_is_of_the_web(address: str, is_one: bool) -> None:
    assert is_of_the_web(address) == is_one


@pytest.mark.parametrize(
    ("status", "line"), [(200, "200 OK"), (203, "203 Non-Authoritative Information"), (999, "999")]
)
def test_a_status_has_its_usual_phrase(status: int, line: str) -> None:
    assert status_line(status).startswith(line)


@PROPERTY
@given(st.dictionaries(ANY, ANY), st.integers(0, 1 << 40))
def test_there_is_one_length_and_it_is_that_of_the_bytes(served: dict[str, str], size: int) -> None:
    headers = headers_of({**served, "Content-Length": "7"}, size)
    lengths = [value for name, value in headers if name.lower() == "content-length"]
    assert lengths == [str(size)]
    assert not [
        name for name, _ in headers if name.lower().endswith("-encoding") and name[0] != "X"
    ]
    assert all("\n" not in value and "\r" not in value for _, value in headers)


@PROPERTY
@given(st.dictionaries(ANY, ANY | st.lists(ANY) | st.none() | st.integers(0, 1 << 60)))
def test_every_value_is_one_line(line: dict[str, object]) -> None:
    fields = fields_of(line)
    assert as_fields(fields).count(b"\n") == len(fields)
    lists = [value if isinstance(value, list) else [value] for value in line.values()]
    assert len(fields) == sum(each is not None for values in lists for each in values)


@settings(PROPERTY, max_examples=40)
@given(
    st.dictionaries(ANY, ANY, max_size=5),
    st.binary(max_size=100),
    ANY,
    ANY,
    st.none() | st.integers(100, 999),
)
def test_whatever_was_served_is_read_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory,
    headers: dict[str, str],
    body: bytes,
    title: str,
    declared: str,
    status: int | None,
) -> None:
    folder: Path = tmp_path_factory.mktemp("any")
    kept = Kept(Store(folder, "town"))
    address = "https://town.example/a"
    said = {"headers": headers, "title": title, "declared_type": declared, "http_status": status}
    kept.see(address, body, **said)
    warc.write(kept.store)
    records = read(kept.store.warcs())
    kind = "resource" if status is None else "response"
    assert [each.kind for each in records] == ["warcinfo", kind, "metadata"]
    (first,) = of_kind(records, kind)
    assert (first.uri, first.payload) == (address, body)
    assert first.named["WARC-Payload-Digest"] == f"sha256:{sha256(body)}"
