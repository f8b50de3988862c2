"""A folder is listed whole, read without leaving it, and read again only where it changed."""

import os
import shutil
import socket
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from centinel import snapshot
from centinel.answers import Fetched
from centinel.configuration import Source
from centinel.download import Interrupted
from centinel.http import Client
from centinel.record import Liveness
from centinel.sources import folder
from centinel.sources.folder import Folder
from centinel.sources.registry import kind_of
from centinel.sources.source_kind import Parts
from centinel.store import Store
from tests.unit.folders import addresses, as_nobody, block, fetch, listed, write
from tests.unit.support import (
    NOON,
    Clock,
    acquire,
    assert_valid,
    client,
    lines_of,
    observed_in,
    record_of,
    statuses_of,
)

# What is listed


def test_every_file_of_the_tree_is_a_document_at_its_path(root: Path, asking: Client) -> None:
    for name in ("a.pdf", "deep/er/b.txt", ".hidden/.c", "empty.csv"):
        write(root, name)
    (root / "no file in it").mkdir()
    found = listed(root, asking)
    assert addresses(found) == [
        "file:///.hidden/.c",
        "file:///a.pdf",
        "file:///deep/er/b.txt",
        "file:///empty.csv",
    ]
    assert {each.hint for each in found.resources} == {"document"}
    assert (found.method, found.reason, found.truncated, found.warnings) == (
        "folder",
        None,
        False,
        [],
    )
    assert found.figures == {"folders": 5, "unread_folders": 0, "left_out": {}}


NAMES = {
    "a b.pdf": "a%20b.pdf",
    "100%.txt": "100%25.txt",
    "what?.txt": "what%3F.txt",
    "no#1.txt": "no%231.txt",
    "naïve/東京.md": "na%C3%AFve/%E6%9D%B1%E4%BA%AC.md",
    "two\nlines.txt": "two%0Alines.txt",
    "back\\slash": "back%5Cslash",
    "~tilde-1_2.txt": "~tilde-1_2.txt",
    "%41.txt": "%2541.txt",
    os.fsdecode(b"latin-\xe9.txt"): "latin-%E9.txt",
}


@pytest.mark.parametrize(("name", "path"), NAMES.items())
def test_any_name_is_listed_and_found_again(
    root: Path, asking: Client, name: str, path: str
) -> None:
    write(root, name, b"these bytes")
    (resource,) = listed(root, asking).resources
    assert resource.address == f"file:///{path}"
    assert folder.path_of(resource.address) == name
    answer = fetch(root, asking, resource.address)
    assert isinstance(answer, Fetched)
    assert answer.body.content() == b"these bytes"


def test_moving_the_folder_changes_no_address(root: Path, asking: Client) -> None:
    write(root, "sub/a.txt")
    before = listed(root, asking).resources
    assert listed(root.rename(root.with_name("elsewhere")), asking).resources == before


def test_a_relative_path_is_meant_from_the_working_folder(
    root: Path, asking: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.txt", b"here")
    monkeypatch.chdir(root.parent)
    assert addresses(listed(Path("papers"), asking)) == ["file:///a.txt"]
    assert fetch(Path("papers"), asking, "file:///a.txt").body.content() == b"here"


def test_the_folder_itself_may_be_a_link(root: Path, asking: Client, tmp_path: Path) -> None:
    write(root, "a.txt", b"here")
    link = tmp_path / "link"
    link.symlink_to(root)
    assert addresses(listed(link, asking)) == ["file:///a.txt"]
    assert fetch(link, asking, "file:///a.txt").body.content() == b"here"


@pytest.mark.parametrize(
    ("nanoseconds", "lastmod"),
    [
        (1_700_000_000_000_000_000, "2023-11-14T22:13:20Z"),
        (1_700_000_001_000_000_000, "2023-11-14T22:13:21Z"),
        (1_700_000_000_000_000_001, "2023-11-14T22:13:21Z"),
        (-1_000_000_000, "1969-12-31T23:59:59Z"),
    ],
)
def test_the_time_of_change_is_lastmod_in_whole_seconds_never_too_early(
    root: Path, asking: Client, nanoseconds: int, lastmod: str
) -> None:
    os.utime(write(root, "a.txt"), ns=(nanoseconds, nanoseconds))
    assert [each.lastmod for each in listed(root, asking).resources] == [lastmod]


def test_a_time_of_change_that_no_calendar_has_is_unknown() -> None:
    assert folder.modified_at(10**30) is None
    assert folder.modified_at(-(10**30)) is None


def test_links_are_followed_to_files_inside_only(
    root: Path, asking: Client, tmp_path: Path
) -> None:
    write(root, "objects/ab", b"one")
    write(tmp_path, "secret.txt", b"secret")
    (tmp_path / "outside").mkdir()
    write(tmp_path, "outside/b.txt")
    (root / "named.pdf").symlink_to("objects/ab")
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "up").symlink_to("..")
    (root / "nowhere").symlink_to("absent")
    (root / "circle").symlink_to("circle")
    (root / "again").symlink_to("objects")
    found = listed(root, asking)
    assert addresses(found) == ["file:///named.pdf", "file:///objects/ab"]
    assert found.warnings == [
        "2 left out: links that lead nowhere",
        "3 left out: links that lead out of the folder",
    ]
    assert found.notes[1:] == [
        "1 left out: links to folders inside, whose files are listed at their own place"
    ]
    assert found.truncated is False
    assert fetch(root, asking, "file:///named.pdf").body.content() == b"one"


def test_what_is_no_file_is_left_out_and_counted(
    root: Path, asking: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.txt")
    os.mkfifo(root / "pipe")
    (root / "to the null device").symlink_to("/dev/null")
    (root / "to the pipe").symlink_to("pipe")
    monkeypatch.chdir(root)  # the path of a socket is bounded
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind("socket")
        found = listed(root, asking)
    assert addresses(found) == ["file:///a.txt"]
    assert found.warnings == [
        "3 left out: devices, sockets and pipes",
        "1 left out: links that lead out of the folder",
    ]
    assert found.figures["left_out"] == {
        "devices, sockets and pipes": 3,
        "links that lead out of the folder": 1,
    }


def test_a_folder_that_cannot_be_read_makes_the_snapshot_truncated(common: Path) -> None:
    root = common / "papers"
    write(root, "a.txt")
    write(root, "closed/b.txt")
    write(root, "open/c.txt")
    (root / "closed").chmod(0)
    asking = client(common / "incoming")
    with as_nobody(asking.folder):
        found = listed(root, asking)
    assert addresses(found) == ["file:///a.txt", "file:///open/c.txt"]
    assert (found.truncated, found.reason) == (True, None)
    assert found.warnings == ["could not be listed: file:///closed: Permission denied"]
    assert found.figures["unread_folders"] == 1


def test_many_folders_that_cannot_be_read_are_counted(
    root: Path, asking: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(25):
        (root / f"{number:02}").mkdir()
    real = os.scandir

    def scandir(path: Path) -> Any:
        if Path(path) != root:
            raise OSError(5, "Input/output error")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    found = listed(root, asking)
    assert found.truncated
    assert len([line for line in found.warnings if "Input/output error" in line]) == 20
    assert "5 more could not be listed" in found.warnings


def test_a_missing_folder_fails_with_its_reason(root: Path, asking: Client) -> None:
    gone = root / "absent"
    found = listed(gone, asking)
    assert found.reason == f"{gone}: No such file or directory: name a folder that can be read"
    assert found.resources == []


def test_a_file_is_no_folder(root: Path, asking: Client) -> None:
    file = write(root, "a.txt")
    assert listed(file, asking).reason == f"{file}: not a folder: name a folder that can be read"


def test_an_empty_folder_is_a_snapshot_that_says_so(root: Path, asking: Client) -> None:
    found = listed(root, asking)
    assert (found.reason, found.resources) == (None, [])
    assert found.warnings == ["there is no file in the folder"]


def test_a_folder_that_holds_the_results_is_refused(root: Path) -> None:
    """Each run would archive what the last one wrote."""
    found = listed(root, client(root / "results" / "town" / "incoming"))
    assert found.reason is not None
    assert "the results lie in it" in found.reason


def test_listing_ends_when_the_run_does(root: Path, asking: Client) -> None:
    asking.stop.set()
    with pytest.raises(Interrupted):
        listed(root, asking)


# As a source


def test_a_folder_is_a_kind_of_source_that_asks_nothing_over_the_network(root: Path) -> None:
    kind = kind_of(block(root))
    assert isinstance(kind, Folder)
    assert kind.address(block(root)) == str(root)
    assert kind.private_is_allowed(block(root)) is False
    assert kind.marker("file:///a.txt") == "file:///a.txt"


def test_a_page_in_a_folder_encloses_nothing(root: Path, asking: Client) -> None:
    write(root, "a.html", b'<a href="b.pdf">b</a>')
    (resource,) = listed(root, asking).resources
    answer = fetch(root, asking, resource.address)
    assert Folder().parts(block(root), resource, answer, "html") == Parts()


def take(store: Store, given: Source, clock: Clock) -> None:
    """Takes a snapshot and acquires what is due."""
    snapshot.take(store, given, Folder(), client(store.incoming), clock)
    acquire(store, given, clock, kind=Folder())


def test_a_folder_becomes_a_record_and_only_what_changed_is_added(
    root: Path, tmp_path: Path
) -> None:
    store, clock = Store(tmp_path / "results", "town"), Clock()
    given = block(root, revisit=timedelta(days=1))
    for name in ("a.txt", "b.txt", "sub/c.csv"):
        write(root, name, name.encode())
    take(store, given, clock)
    assert sorted(observed_in(store)) == ["file:///a.txt", "file:///b.txt", "file:///sub/c.csv"]
    clock.move(timedelta(days=2))
    write(root, "b.txt", b"new", clock().timestamp())
    (root / "sub" / "c.csv").unlink()
    take(store, given, clock)
    assert observed_in(store)[3:] == ["file:///b.txt"]
    states = {line["address"]: line for line in lines_of(store.resources)}
    assert {name: line["liveness"] for name, line in states.items()} == {
        "file:///a.txt": "live",
        "file:///b.txt": "live",
        "file:///sub/c.csv": "live",
    }
    assert states["file:///sub/c.csv"]["in_snapshot"] is False
    assert statuses_of(store)["file:///a.txt"]["reason"] == "not-modified"
    assert_valid(record_of(store), "record_line")
    assert_valid(lines_of(store.snapshot), "resource")


def test_a_changed_file_is_due_before_it_is_to_be_visited_again(root: Path, tmp_path: Path) -> None:
    store, clock = Store(tmp_path / "results", "town"), Clock()
    write(root, "a.txt", b"old", NOON.timestamp() - 100)
    take(store, block(root), clock)
    write(root, "a.txt", b"new", NOON.timestamp() + 0.25)  # in the second in which it was read
    clock.move(timedelta(hours=1))
    take(store, block(root), clock)
    assert observed_in(store) == ["file:///a.txt"] * 2


def test_a_missing_folder_keeps_the_last_good_snapshot(root: Path, tmp_path: Path) -> None:
    store, clock = Store(tmp_path / "results", "town"), Clock()
    write(root, "a.txt")
    take(store, block(root), clock)
    shutil.rmtree(root)
    clock.move(timedelta(days=60))
    take(store, block(root), clock)
    assert [line["address"] for line in lines_of(store.snapshot)] == ["file:///a.txt"]
    assert statuses_of(store)["file:///a.txt"]["liveness"] == "error"


def test_files_are_read_while_others_come_and_go(root: Path, asking: Client) -> None:
    for number in range(200):
        write(root, f"{number % 7}/{number}.txt")
    stop = threading.Event()

    def disturb() -> None:
        number = 0
        while not stop.is_set():
            path = write(root, f"{number % 7}/x{number % 50}.txt", str(number).encode())
            if number % 3:
                path.unlink()
            number += 1

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        found = listed(root, asking)
        answers = [fetch(root, asking, each.address) for each in found.resources]
    finally:
        stop.set()
        thread.join()
    assert found.reason is None
    steady = {f"file:///{number % 7}/{number}.txt" for number in range(200)}
    assert steady <= set(addresses(found))
    allowed = (Liveness.GONE, Liveness.ERROR)
    assert all(isinstance(a, Fetched) or a.liveness in allowed for a in answers)


def test_times_are_utc(root: Path, asking: Client) -> None:
    at = datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC)
    write(root, "a.txt", seconds=at.timestamp())
    assert [each.lastmod for each in listed(root, asking).resources] == ["2026-02-03T04:05:06Z"]
