"""A request that fails is asked again or given up; it gives no bytes and leaves none behind."""

import gzip
import threading
import tracemalloc
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from centinel import download, http
from centinel.answers import Fetched
from centinel.download import Interrupted
from centinel.http import Client
from centinel.liveness import Refusal
from centinel.record import Liveness
from tests.sites.server import Answer, Request, Site
from tests.unit.answers import encoded, fetched, refused
from tests.unit.support import client

PLAIN = "text/plain; charset=utf-8"
CHUNKED = (("Transfer-Encoding", "chunked"),)
TEXT = b"Minutes of the council. " * 4000


@pytest.fixture
def asking(tmp_path: Path) -> Client:
    return client(tmp_path / "incoming")


# Trying again


def answers(*given: Answer) -> Callable[[Request], Answer]:
    """One answer after the other; the last one stays."""
    left = list(given)
    return lambda _request: left.pop(0) if len(left) > 1 else left[0]


@pytest.mark.parametrize("failing", [Answer(status=503), Answer(status=429), Answer(reset=True)])
def test_a_passing_fault_is_asked_again_twice(asking: Client, site: Site, failing: Answer) -> None:
    site.set("/a", answers(failing, failing, Answer(TEXT)))
    found = asking.get(site.address + "/a")
    assert isinstance(found, Fetched)
    assert site.asked("/a") == 3


@pytest.mark.parametrize("status", [503, 429])
def test_three_faults_are_the_answer(asking: Client, site: Site, status: int) -> None:
    refused(asking, site, Answer(status=status))
    assert site.asked("/a") == 3
    assert asking.requests_sent == 4


@pytest.mark.parametrize("status", [401, 403, 404, 410, 500, 502])
def test_other_failures_are_asked_once(asking: Client, site: Site, status: int) -> None:
    refused(asking, site, Answer(status=status))
    assert site.asked("/a") == 1


def waits_of(asking: Client, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that a client waits, without waiting."""
    waited: list[float] = []
    monkeypatch.setattr(asking, "wait", waited.append)
    return waited


def test_the_server_says_how_long_to_wait(
    asking: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = waits_of(asking, monkeypatch)
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    seconds, date = (Answer(status=503, headers=(("Retry-After", v),)) for v in ("40", later))
    site.set("/a", answers(seconds, date, Answer(TEXT)))
    asking.get(site.address + "/a")
    assert waited == [40.0, pytest.approx(90, abs=3)]


@pytest.mark.parametrize("header", ["soon", "-5", "Mon, 02 Feb 1998 09:00:00 GMT", "9" * 5000, ""])
def test_a_wait_that_makes_no_sense_is_a_short_one(
    asking: Client, site: Site, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    waited = waits_of(asking, monkeypatch)
    site.set("/a", answers(Answer(status=503, headers=(("Retry-After", header),)), Answer(TEXT)))
    assert isinstance(asking.get(site.address + "/a"), Fetched)
    assert 0 < waited[0] < 1


def test_a_long_wait_is_left_to_another_day(asking: Client, site: Site) -> None:
    found = refused(asking, site, Answer(status=429, headers=(("Retry-After", "301"),)))
    assert found.liveness == Liveness.BLOCKED
    assert site.asked("/a") == 1


def test_pauses_between_tries_grow(
    asking: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking.backoff_seconds = 2.0
    waited = waits_of(asking, monkeypatch)
    refused(asking, site, Answer(status=503))
    assert waited[0] == pytest.approx(1.0)
    assert 4.0 <= waited[1] <= 5.0


# Broken answers


@pytest.mark.parametrize(
    "answer",
    [
        Answer(TEXT, PLAIN, cut_after=1000),
        Answer(TEXT, PLAIN, cut_after=0),
        Answer(
            b"5\r\nhello\r\n5\r\nhel", cut_after=12, headers=(("Transfer-Encoding", "chunked"),)
        ),
        Answer(b"5\r\nhello\r\n", cut_after=10, headers=(("Transfer-Encoding", "chunked"),)),
        encoded(gzip.compress(TEXT)[:-20], "gzip"),
        encoded(gzip.compress(TEXT)[:-4], "gzip"),
        encoded(gzip.compress(TEXT)[:5], "gzip"),
        encoded(gzip.compress(TEXT) + gzip.compress(TEXT)[:-20], "gzip"),
        encoded(gzip.compress(TEXT)[:-8] + bytes(8), "gzip"),
        encoded(zlib.compress(TEXT)[:-20], "deflate"),
        encoded(b"not packed at all", "gzip"),
    ],
)
def test_a_cut_or_damaged_body_is_an_error_and_never_a_body(
    asking: Client, site: Site, answer: Answer
) -> None:
    found = refused(asking, site, answer)
    assert found.liveness == Liveness.ERROR
    assert found.reason.startswith("transport: ")
    assert site.asked("/a") == 3


def test_a_connection_that_is_closed_is_an_error_without_an_answer(
    asking: Client, site: Site
) -> None:
    found = refused(asking, site, Answer(reset=True))
    assert (found.liveness, found.http_status, found.answered) == (Liveness.ERROR, None, False)
    assert found.reason.startswith("transport: ConnectionError: ")
    assert "\n" not in found.reason


def test_a_port_that_is_closed_is_an_error_without_an_answer(asking: Client, site: Site) -> None:
    asking.rules(site.address + "/")
    site.stop()
    found = asking.get(site.address + "/a")
    assert isinstance(found, Refusal)
    assert (found.liveness, found.answered) == (Liveness.ERROR, False)
    assert "refused" in found.reason


def test_a_silent_server_is_given_up(
    asking: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking.rules(site.address + "/")
    monkeypatch.setattr(http, "STALL_SECONDS", 0.05)
    released = threading.Event()
    found = refused(asking, site, Answer(TEXT, wait_for=released))
    released.set()
    assert (found.liveness, found.answered) == (Liveness.ERROR, False)


def test_a_body_that_never_ends_meets_the_deadline(
    asking: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking.rules(site.address + "/")
    monkeypatch.setattr(download, "DEADLINE_SECONDS", -1.0)
    assert "not ended after" in refused(asking, site, Answer(TEXT)).reason


@pytest.mark.parametrize("length", ["²", "9" * 5000, "-1", "many"])
def test_an_odd_length_does_not_end_the_run(asking: Client, site: Site, length: str) -> None:
    odd = Answer(b"x", headers=(("Content-Length", length),), cut_after=1)
    site.set("/a", odd)
    assert isinstance(asking.get(site.address + "/a"), Fetched | Refusal)


# Limits


def test_an_announced_size_over_the_limit_is_not_read(asking: Client, site: Site) -> None:
    asking.max_bytes = 1000
    found = refused(asking, site, Answer(bytes(1001), PLAIN))
    assert (found.liveness, found.size, found.limit) == (Liveness.ERROR, 1001, 1000)
    assert found.reason == "too-large: 1001 bytes or more, the limit is 1000"
    assert (found.answered, site.asked("/a")) == (True, 1)


def test_a_body_of_exactly_the_limit_is_taken(asking: Client, site: Site) -> None:
    asking.max_bytes = 1000
    assert fetched(asking, site, Answer(bytes(1000), PLAIN)).body.size == 1000


def test_a_body_that_grows_over_the_limit_is_given_up(asking: Client, site: Site) -> None:
    asking.max_bytes = 10
    unannounced = Answer(bytes(11), headers=(("Content-Length", "many"),), cut_after=11)
    found = refused(asking, site, unannounced)
    assert (found.size, found.limit) == (11, 10)
    assert found.reason.startswith("too-large: ")


def test_a_gzip_bomb_is_bounded_by_what_it_unpacks_to(asking: Client, site: Site) -> None:
    asking.max_bytes = 4 << 20
    bomb = encoded(gzip.compress(bytes(64 << 20)), "gzip")
    asking.rules(site.address + "/")
    tracemalloc.start()
    found = refused(asking, site, bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.size is not None
    assert (4 << 20) < found.size < (5 << 20)
    assert peak < 16 << 20


# Ending


def test_the_end_of_the_run_interrupts_a_wait(asking: Client, site: Site) -> None:
    asking.stop.set()
    with pytest.raises(Interrupted):
        asking.wait(60)
    with pytest.raises(Interrupted):
        asking.get(site.address + "/a")
    assert site.requests == []


def test_the_end_of_the_run_interrupts_a_body(asking: Client, site: Site) -> None:
    asking.rules(site.address + "/")

    def end(_request: Request) -> Answer:
        asking.stop.set()
        return Answer(TEXT)

    site.set("/a", end)
    with pytest.raises(Interrupted):
        asking.get(site.address + "/a")
    assert list(asking.folder.iterdir()) == []


def test_a_full_disk_is_no_evidence_about_the_address(
    asking: Client, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking.rules(site.address + "/")

    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(download.Download, "_stream", full)
    site.set("/a", Answer(TEXT))
    with pytest.raises(OSError, match="No space left"):
        asking.get(site.address + "/a")
    assert list(asking.folder.iterdir()) == []
