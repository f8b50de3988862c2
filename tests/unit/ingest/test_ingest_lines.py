"""Lines of input: whatever they are, they are a request or a reason, and keep no password."""

import orjson
from hypothesis import example, given
from hypothesis import strategies as st

from centinel.ingest import lines
from centinel.ingest.request import BadRequest, Request
from tests.unit.support import PROPERTY

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=10,
)
REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "ingest_type": st.sampled_from(["dataset", "pdf"]) | VALUES,
        "base_url": st.sampled_from(["https://x.example/a", "10.5072/ab"]) | VALUES,
        "ext_ids": VALUES,
        "force_recrawl": VALUES,
    },
).map(lambda value: orjson.dumps(value).decode())


@PROPERTY
@given(st.text(max_size=80) | VALUES.map(lambda each: orjson.dumps(each).decode()) | REQUESTS)
@example('{"ingest_type": "dataset", "base_url": "https://u:p@x.example/"}')
@example("\ud800")
@example("{" * 2000)
def test_any_line_is_a_request_or_a_reason(line: str) -> None:
    asked = lines.parsed(line)
    kept = lines.given(line)
    again = lines.parsed(lines.spelt(kept))
    assert isinstance(again, Request) == isinstance(asked, Request)
    if isinstance(asked, BadRequest):
        assert str(asked)
        assert "\n" not in str(asked)
    else:
        assert isinstance(again, Request)
        assert again.address == asked.address
        assert isinstance(lines.request_of(line, asked), dict)
    assert isinstance(lines.key_of(line, asked), str)


def test_requests_are_told_apart_by_what_they_say_but_for_force() -> None:
    plain = '{"ingest_type": "dataset", "base_url": "https://x.example/"}'
    forced = '{"base_url": "https://x.example/", "ingest_type": "dataset", "force_recrawl": true}'
    named = '{"ingest_type": "dataset", "base_url": "https://x.example/", "link_source": "doi"}'
    keys = [lines.key_of(each, lines.parsed(each)) for each in (plain, forced, named)]
    assert keys[0] == keys[1] != keys[2]
    assert lines.key_of("https://x.example/", lines.parsed("https://x.example/")) == keys[0]


def test_no_password_is_kept() -> None:
    line = '{"ingest_type": "dataset", "base_url": "https://me:hidden@x.example/a", "n": ["//"]}'
    asked = lines.parsed(line)
    assert isinstance(asked, Request)
    assert "hidden" not in f"{asked} {lines.given(line)} {lines.key_of(line, asked)}"
    assert asked.address == "https://x.example/a"
