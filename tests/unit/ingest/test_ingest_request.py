"""A line becomes a request, or says why it is none."""

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.ingest.request import BadRequest, Request, doi_of
from tests.unit.support import PROPERTY

WHOLE = {
    "ingest_type": "dataset",
    "base_url": "https://doi.org/10.5281/ZENODO.1003566",
    "link_source": "doi",
    "link_source_id": "10.5281/zenodo.1003566",
    "ingest_request_source": "fatcat-ingest",
    "release_stage": "published",
    "rel": "dataset",
    "oa_status": "gold",
    "edit_extra": {"note": "by hand"},
    "ext_ids": {"doi": "10.5281/zenodo.1003566", "pmid": "12"},
    "fatcat": {"release_ident": "aaaa", "work_ident": "bbbb"},
    "force_recrawl": True,
    "priority": 7,
}


def test_a_whole_request_is_read_and_written_again() -> None:
    made = Request.parse(orjson.dumps(WHOLE))
    assert made.to_json() == WHOLE
    assert made.extra == {"priority": 7}
    assert made.address == "https://doi.org/10.5281/ZENODO.1003566"
    assert made.doi == "10.5281/zenodo.1003566"
    assert Request.from_json(made.to_json()) == made


@pytest.mark.parametrize(
    ("line", "address"),
    [
        ("https://zenodo.org/records/1", "https://zenodo.org/records/1"),
        ("  http://Town.example  \n", "http://town.example/"),
        ("10.6084/M9.figshare.1", "https://doi.org/10.6084/m9.figshare.1"),
        ("doi:10.7910/DVN/CLSFKX", "https://doi.org/10.7910/dvn/clsfkx"),
        ("hdl:1902.1/12345", "https://hdl.handle.net/1902.1/12345"),
        ("10.1002/(SICI)1<2::AID>3#x", "https://doi.org/10.1002/(sici)1%3C2::aid%3E3%23x"),
    ],
)
def test_a_bare_address_or_identifier_is_a_request(line: str, address: str) -> None:
    made = Request.parse(line)
    assert (made.ingest_type, made.base_url, made.address) == ("dataset", line.strip(), address)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "an empty line"),
        (" \n", "an empty line"),
        ("not an address", "'not an address' is no http address and no DOI"),
        ("ftp://host/file", "'ftp://host/file' is no http address and no DOI"),
        ("https:///path", "'https:///path' is no http address and no DOI"),
        ("[1, 2]", "a request is an object, an address or a DOI"),
        ('{"ingest_type": "dataset"}', "base_url is missing: give an address or a DOI"),
        ('{"base_url": "https://a.example/"}', "ingest_type is missing: give 'dataset'"),
        (
            '{"ingest_type": "banana", "base_url": "https://a.example/"}',
            "the ingest type 'banana' is not known: give 'dataset'",
        ),
        (
            '{"ingest_type": ["dataset"], "base_url": "https://a.example/"}',
            "ingest_type is no text",
        ),
        ('{"ingest_type": "dataset", "base_url": 7}', "base_url is no text"),
        (
            '{"ingest_type": "dataset", "base_url": "https://a.example/", "ext_ids": [1]}',
            "ext_ids is no object",
        ),
        (
            '{"ingest_type": "dataset", "base_url": "https://a.example/", "force_recrawl": "yes"}',
            "force_recrawl is neither true nor false",
        ),
        (
            '{"ingest_type": "dataset", "base_url": "https://u:secret@/x"}',
            "'https://u:***@/x' is no http address and no DOI",
        ),
    ],
)
def test_what_is_no_request_says_why(line: str, reason: str) -> None:
    with pytest.raises(BadRequest) as stopped:
        Request.parse(line)
    assert str(stopped.value) == reason


@pytest.mark.parametrize(
    "line", ['{"ingest_type": ', "{" * 5000, "[" * 5000, '{"a": NaN}', '"\\ud800"']
)
def test_broken_json_is_a_bad_request(line: str) -> None:
    with pytest.raises(BadRequest):
        Request.parse(line)


@PROPERTY
@given(
    line=st.text(max_size=60)
    | st.binary(max_size=60)
    | st.fixed_dictionaries(
        {},
        optional={
            key: st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(value)
            for key, value in WHOLE.items()
        },
    ).map(json.dumps)
)
def test_any_line_is_a_request_or_a_bad_one(line: Any) -> None:
    try:
        made = Request.parse(line)
    except BadRequest as bad:
        assert "\n" not in str(bad)
    else:
        assert Request.from_json(made.to_json()) == made
        orjson.dumps(made.to_json())


def test_a_doi_is_known_in_each_of_its_forms() -> None:
    forms = [
        "10.5061/DRYAD.abc",
        "doi:10.5061/dryad.abc",
        "https://doi.org/10.5061/dryad.abc",
        "http://dx.doi.org/10.5061%2Fdryad.abc",
    ]
    assert {doi_of(each) for each in forms} == {"10.5061/dryad.abc"}
    assert doi_of("https://town.example/10.5061/dryad.abc") is None
