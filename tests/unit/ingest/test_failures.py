"""What keeps a request from being a hit: each has a status of its own, and none ends the batch."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from centinel.ingest.worker import SOURCE
from centinel.store import Store
from tests.sites.dataset_platforms import CHALLENGE, TOO_MANY, DatasetPlatforms, moved
from tests.sites.dataset_shapes import DataFile
from tests.sites.server import Answer, page, robots
from tests.unit.ingest.ingesting import ingest, one, statuses, verdicts, worker
from tests.unit.support import Clock, files_under, record_of

A, B = DataFile("a.csv", b"1,2\n"), DataFile("b.csv", b"3,4,5\n")
LANDING = "/zenodo.org/records/1002"
API = "/zenodo.org/api/records/1002"
CONTENT = f"{API}/files/b.csv/content"
HTML = "text/html; charset=utf-8"

REFUSED_LANDINGS = {
    "not-found": Answer(b"gone", status=404),
    "forbidden": Answer(b"no", status=403),
    "terminal-bad-status": Answer(b"sorry", status=500),
    "blocked-captcha": CHALLENGE,
    "blocked-login": moved("/zenodo.org/login?next=1002"),
    "too-many-redirects": moved(LANDING + "?again"),
    "remote-server-error": Answer(reset=True),
    "invalid-url": moved("ftp://zenodo.org/1002"),
}


@pytest.mark.parametrize("status", REFUSED_LANDINGS)
def test_a_landing_page_that_is_refused(
    tmp_path: Path, platforms: DatasetPlatforms, status: str
) -> None:
    address = platforms.add_zenodo(1002, [A])
    platforms.set(LANDING, REFUSED_LANDINGS[status])
    platforms.set(LANDING + "?again", moved(LANDING))
    platforms.set("/zenodo.org/login?next=1002", Answer(page("Log in", ""), HTML))
    other = platforms.add_zenodo(1004, [B])
    rows = ingest(tmp_path, platforms, address, other)
    assert [(each["hit"], each["status"]) for each in rows] == [
        (False, status),
        (True, "success-file"),
    ]
    assert rows[0]["error_message"]
    assert rows[0]["terminal_url"] == address


def test_robots_are_obeyed(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_dataverse("doi:10.7910/DVN/ABC123", [A])
    platforms.set("/robots.txt", Answer(robots("User-agent: *", "Disallow: /"), "text/plain"))
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, "blocked-robots")
    assert platforms.paths() == ["/robots.txt"]


REFUSED_APIS = {
    "platform-404": Answer(b"{}", "application/json", status=404),
    "platform-restricted": Answer(b"{}", "application/json", status=403),
    "platform-gone": Answer(b"{}", "application/json", status=410),
    "platform-rate-limited": TOO_MANY,
    "platform-http-error": Answer(b"{}", "application/json", status=500),
    "platform-challenge": CHALLENGE,
    "platform-error": Answer(reset=True),
    "platform-schema-changed": Answer(b'{"id": 1002, "files": 7}', "application/json"),
}


@pytest.mark.parametrize("status", REFUSED_APIS)
def test_an_api_that_refuses_keeps_the_landing_page_and_what_is_known(
    tmp_path: Path, platforms: DatasetPlatforms, status: str
) -> None:
    address = platforms.add_zenodo(1002, [A])
    platforms.set(API, REFUSED_APIS[status])
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, status), row
    assert (row["platform"], row["platform_id"]) == ("zenodo", "1002")
    assert row["terminal_status_code"] == 200
    observed = {each["artifact"] for each in record_of(Store(tmp_path, SOURCE)) if "blob" in each}
    assert observed == {address, f"{address}#metadata"}


def test_an_api_that_failed_is_asked_again_when_the_table_says_so(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address, clock = platforms.add_zenodo(1002, [A]), Clock()
    platforms.set(API, TOO_MANY)
    row = one(tmp_path, platforms, address, clock=clock)
    assert row["retry_at"] == "2026-03-01T13:00:00.000000Z"
    platforms.remove(API)
    clock.move(timedelta(minutes=59))
    assert one(tmp_path, platforms, address, clock=clock)["status"] == "platform-rate-limited"
    clock.move(timedelta(minutes=2))
    assert one(tmp_path, platforms, address, clock=clock)["status"] == "success-file"


def test_an_answer_that_is_too_large_is_no_answer(
    tmp_path: Path, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = platforms.add_zenodo(1002, [A])
    with monkeypatch.context() as patched:
        patched.setattr("centinel.sources.datasets.MOST_OF_AN_ANSWER", 100)
        row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, "platform-error")
    assert "too-large" in row["error_message"]
    assert one(tmp_path / "other", platforms, address)["hit"]


def test_a_worker_that_lives_long_asks_again_when_it_is_time(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address, clock = platforms.add_zenodo(1002, [A]), Clock()
    platforms.set(API, TOO_MANY)

    def requests() -> Iterator[str]:
        yield address
        platforms.remove(API)
        yield address
        clock.move(timedelta(hours=2))
        yield address

    rows = list(worker(tmp_path, platforms, clock).run(requests()))
    assert [each["status"] for each in rows] == [
        "platform-rate-limited",
        "platform-rate-limited",
        "success-file",
    ]


def test_a_host_that_does_not_answer_is_put_off_and_asked_again_later(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    clock, paths = Clock(), [f"/{number}.csv" for number in range(7)]
    for path in paths:
        platforms.set(path, Answer(reset=True))

    def requests() -> Iterator[str]:
        for path in paths:
            yield platforms.address + path
        platforms.set(paths[-1], Answer(b"1\n", "text/csv"))
        clock.move(timedelta(hours=2))
        yield platforms.address + paths[-1]

    rows = list(worker(tmp_path, platforms, clock).run(requests()))
    ended = [each["status"] for each in rows]
    assert ended == [*["remote-server-error"] * 5, *["no-capture"] * 2, "success-file"]
    assert rows[5]["error_message"].startswith("put off: its host did not answer")


def test_what_is_not_worth_retrying_is_left_until_it_is_revisited(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address, clock = platforms.add_zenodo(1002, [A]), Clock()
    platforms.set(API, REFUSED_APIS["platform-404"])
    assert one(tmp_path, platforms, address, clock=clock)["retry_at"] is None
    platforms.forget_requests()
    clock.move(timedelta(days=29))
    assert one(tmp_path, platforms, address, clock=clock)["status"] == "platform-404"
    assert platforms.paths() == []


def test_an_embargo_is_asked_again_when_it_ends(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    clock = Clock()
    embargoed = {
        "is_public": True,
        "is_embargoed": True,
        "embargo_date": "2026-03-11T00:00:00",
        "embargo_type": "file",
    }
    address = platforms.add_figshare(7, 1, [A], **embargoed)
    row = one(tmp_path, platforms, address, clock=clock)
    assert (row["hit"], row["status"]) == (False, "platform-embargoed"), row
    assert row["until"][:10] == "2026-03-11"
    assert row["retry_at"] == "2026-03-11T00:00:00.000000Z"
    platforms.add_figshare(7, 1, [A])
    clock.move(timedelta(days=9))
    assert not one(tmp_path, platforms, address, clock=clock)["hit"]
    clock.move(timedelta(days=1))
    assert one(tmp_path, platforms, address, clock=clock)["hit"]


REFUSED_FILES = {
    "error-platform-download": Answer(b"no", status=404),
    "platform-rate-limited": TOO_MANY,
    "platform-challenge": CHALLENGE,
    "platform-login": moved("/zenodo.org/login"),
    "invalid-url": moved("ftp://zenodo.org/b.csv"),
    "transfer-encoding-error": Answer(b"x", headers=(("Content-Encoding", "zz"),)),
}


@pytest.mark.parametrize("status", REFUSED_FILES)
def test_a_file_that_is_refused_does_not_discard_the_others(
    tmp_path: Path, platforms: DatasetPlatforms, status: str
) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    platforms.set(CONTENT, REFUSED_FILES[status])
    platforms.set("/zenodo.org/login", Answer(page("Log in", ""), HTML))
    row = one(tmp_path, platforms, address)
    assert (row["hit"], row["status"]) == (False, status)
    assert statuses(row) == {"a.csv": "success", "b.csv": status}
    assert row["manifest"][1]["message"]


def test_a_body_that_is_cut_is_no_file(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, [A, B])
    platforms.set(CONTENT, Answer(B.body, "text/csv", cut_after=2, validators=False))
    row = one(tmp_path, platforms, address)
    assert (row["status"], statuses(row)["b.csv"]) == (
        "error-platform-download",
        "error-platform-download",
    )


def test_a_wall_served_with_200_is_no_file(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_figshare(7, 1, [A, B])
    wall = Answer(page("One moment", "<p>Checking your browser.</p>"), HTML)
    for host in ("ndownloader.figshare.com/files", "api.figshare.com/v2/file/download"):
        platforms.set(f"/{host}/7001", wall)
    row = one(tmp_path, platforms, address)
    assert not row["hit"]
    assert verdicts(row)["b.csv"].startswith("mismatch:")


def test_another_address_of_the_same_bytes_is_tried(
    tmp_path: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_figshare(7, 1, [A, B])
    platforms.set("/ndownloader.figshare.com/files/7001", CHALLENGE)
    row = one(tmp_path, platforms, address)
    assert row["status"] == "success", row
    terminal = row["manifest"][1]["terminal_url"]
    assert terminal == "https://api.figshare.com/v2/file/download/7001"


def test_the_worst_file_says_how_the_set_ended(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, [A, B, DataFile("c.csv", b"7")])
    platforms.set(CONTENT, TOO_MANY)
    platforms.bodies[f"{API}/files/c.csv/content"] = (b"8", "text/csv")
    row = one(tmp_path, platforms, address)
    assert row["status"] == "mismatch-md5"
    assert row["files_by_status"] == {
        "mismatch-md5": 1,
        "platform-rate-limited": 1,
        "success": 1,
    }


def test_a_file_itself_is_a_set_of_one(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    platforms.set("/numbers.csv", Answer(b"1,2,3\n", "text/csv"))
    row = one(tmp_path, platforms, f"{platforms.address}/numbers.csv")
    assert (row["platform"], row["status"]) == ("direct", "success-file"), row
    assert row["manifest"][0]["verdict"] == "verified"
    assert row["manifest"][0]["evidence"] == "size"
    assert platforms.asked("/numbers.csv") == 1


def test_what_is_unexpected_is_a_status_of_one_request(
    tmp_path: Path, platforms: DatasetPlatforms, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses = [platforms.add_zenodo(1002, [A]), platforms.add_zenodo(1004, [B])]

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    with monkeypatch.context() as patched:
        patched.setattr("centinel.sources.datasets.capture", broken)
        row = one(tmp_path, platforms, addresses[0])
    assert (row["hit"], row["status"]) == (False, "internal-error")
    assert "ZeroDivisionError: a fault of ours" in row["error_message"]
    assert one(tmp_path, platforms, addresses[1])["hit"]


def test_nothing_is_left_on_its_way(tmp_path: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, [A, B, DataFile("none.csv", b"")])
    platforms.set(CONTENT, Answer(b"no", status=404))
    assert not one(tmp_path, platforms, address)["hit"]
    incoming = Store(tmp_path, SOURCE).incoming
    assert files_under(incoming) == {}
