"""A large download that broke is gone on with; one that changed meanwhile begins again."""

import hashlib
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from centinel.answers import Fetched
from centinel.http import Client
from centinel.liveness import Refusal
from tests.sites.server import Answer, Request, Site, entity_tag
from tests.unit.support import client

BODY = random.Random(7).randbytes(5 << 20)
PIECE = 2 << 20


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as served:
        served.set("/robots.txt", Answer(status=404))
        yield served


@pytest.fixture
def asking(tmp_path: Path) -> Client:
    return client(tmp_path / "incoming")


def breaking(body: Callable[[int], bytes], piece: int = PIECE) -> Callable[[Request], Answer]:
    """A server that keeps ranges, and closes each answer after a piece."""
    asked = 0

    def answer(request: Request) -> Answer:
        nonlocal asked
        whole, asked = body(asked), asked + 1
        tag = entity_tag(whole)
        wanted = request.headers.get("range")
        if wanted is None or request.headers.get("if-range") != tag:
            return Answer(whole, "application/pdf", headers=(("ETag", tag),), cut_after=piece)
        first = int(wanted.removeprefix("bytes=").removesuffix("-"))
        rest = whole[first:]
        span = f"bytes {first}-{len(whole) - 1}/{len(whole)}"
        headers = (("ETag", tag), ("Content-Range", span))
        cut = piece if len(rest) > piece else None
        return Answer(rest, "application/pdf", status=206, headers=headers, cut_after=cut)

    return answer


def test_a_large_body_that_broke_is_gone_on_with(site: Site, asking: Client) -> None:
    site.set("/a.pdf", breaking(lambda _: BODY))
    found = asking.get(site.address + "/a.pdf")
    assert isinstance(found, Fetched)
    assert (found.http_status, found.body.size) == (200, len(BODY))
    assert found.body.sha256 == hashlib.sha256(BODY).hexdigest()
    assert found.body.path.read_bytes() == BODY
    ranges = [request.headers.get("range") for request in site.requests[1:]]
    assert ranges == [None, f"bytes={PIECE}-", f"bytes={2 * PIECE}-"]
    assert "content-range" not in found.headers


def test_tries_are_counted_anew_while_something_comes(site: Site, asking: Client) -> None:
    site.set("/a.pdf", breaking(lambda _: BODY, piece=(1 << 20) + 1))
    found = asking.get(site.address + "/a.pdf")
    assert isinstance(found, Fetched)
    assert found.body.path.read_bytes() == BODY
    assert site.asked("/a.pdf") == 5


def test_a_body_that_changed_meanwhile_begins_again(site: Site, asking: Client) -> None:
    other = BODY[::-1][: 3 << 20]
    site.set("/a.pdf", breaking(lambda number: BODY if number == 0 else other))
    found = asking.get(site.address + "/a.pdf")
    assert isinstance(found, Fetched)
    assert found.body.path.read_bytes() == other


def test_a_file_that_shrank_begins_again(site: Site, asking: Client) -> None:
    short = b"short"

    def answer(request: Request) -> Answer:
        if "range" in request.headers:
            return Answer(status=416)
        first = site.asked("/a.pdf") == 1
        return Answer(BODY if first else short, cut_after=PIECE if first else None)

    site.set("/a.pdf", answer)
    found = asking.get(site.address + "/a.pdf")
    assert isinstance(found, Fetched)
    assert found.body.path.read_bytes() == short


def test_without_a_strong_validator_nothing_is_pieced_together(site: Site, asking: Client) -> None:
    weak = Answer(BODY, headers=(("ETag", 'W/"1"'),), validators=False, cut_after=PIECE)
    site.set("/a.pdf", weak)
    found = asking.get(site.address + "/a.pdf")
    assert isinstance(found, Refusal)
    assert all("range" not in request.headers for request in site.requests)
    assert list(asking.folder.iterdir()) == []


@pytest.mark.parametrize("span", ["", "bytes 7-9/10", "bytes */10", "items 0-4/5"])
def test_a_range_that_was_not_asked_for_is_no_body(site: Site, asking: Client, span: str) -> None:
    headers = (("Content-Range", span),) if span else ()
    site.set("/a.pdf", Answer(b"piece", status=206, headers=headers))
    found = asking.get(site.address + "/a.pdf")
    assert isinstance(found, Refusal)
    assert found.reason == "http 206"


@pytest.mark.parametrize("status", [202, 204])
def test_an_answer_that_promises_no_body_gives_none(
    site: Site, asking: Client, status: int
) -> None:
    site.set("/a", Answer(b"" if status == 204 else b"later", status=status))
    found = asking.get(site.address + "/a")
    assert isinstance(found, Refusal)
    assert (found.liveness, found.http_status) == ("error", status)


def test_a_wall_that_wants_a_browser_is_a_block(site: Site, asking: Client) -> None:
    site.set("/a", Answer(b"prove it", status=202, headers=(("X-Amzn-Waf-Action", "challenge"),)))
    found = asking.get(site.address + "/a")
    assert isinstance(found, Refusal)
    assert (found.liveness, found.reason) == ("blocked", "http 202 (x-amzn-waf-action)")


def test_the_operator_may_allow_what_cannot_be_had(tmp_path: Path, site: Site) -> None:
    site.set("/robots.txt", Answer(status=500))
    site.set("/open", Answer(b"x", "text/plain"))
    asking = client(tmp_path / "allowing", robots_unreachable="allow")
    assert isinstance(asking.get(site.address + "/open"), Fetched)
    rules = asking.rules(site.address + "/")
    assert rules.unreachable is None
    assert "http 500" in rules.note
    assert "as configured" in rules.note
