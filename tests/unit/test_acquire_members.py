"""Members of archives and mails are artifacts of their own, and cost no request."""

import threading
import zipfile
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from centinel import members
from centinel.download import Body, Interrupted
from centinel.record import Json
from centinel.sources.folder import Folder
from centinel.sources.source_kind import Parts
from centinel.store import Store
from centinel.unpacking import Unpacking
from tests.sites.server import PUBLISHED, Answer, Site
from tests.unit.acquiring import asked, page, publish, run, states
from tests.unit.folders import block, write
from tests.unit.readers.archives import PACKERS, damaged, encrypted, tar_of, zip_of
from tests.unit.support import (
    DAY,
    Clock,
    acquire,
    assert_valid,
    client,
    lines_of,
    observed_in,
    record_of,
    sha256,
    source,
    statuses_of,
    write_snapshot,
)

FILES = [("minutes/may 1.pdf", b"%PDF-1.7 may"), ("fees.csv", b"a,b\n1,2\n")]
PACKET = zip_of(FILES)
NAMES = ["!/minutes/may%201.pdf", "!/fees.csv"]
ZIP = "application/zip"


def held(site: Site, content: bytes = PACKET, modified: int = 0) -> None:
    """Serves an archive."""
    site.set("/packet.zip", Answer(content, ZIP, modified=PUBLISHED + modified * DAY))


def observations(store: Store) -> dict[str, Json]:
    """The newest observation line of each artifact, by its path."""
    found = {}
    for line in record_of(store):
        if line["type"] == "observation":
            found[line["artifact"].partition("/packet")[2] or line["artifact"]] = line
    return found


def test_members_are_observed_as_artifacts_of_the_archives_resource(
    store: Store, site: Site
) -> None:
    held(site)
    publish(store, site, "/packet.zip")
    loop, state = run(store, site)
    archive = f"{site.address}/packet.zip"
    assert asked(site) == ["/packet.zip"]
    assert observed_in(store) == [archive, *(archive + name for name in NAMES)]
    lines = record_of(store)
    assert_valid(lines, "record_line")
    whole, member, _ = lines
    assert whole["parts"] == [archive + name for name in NAMES]
    assert "unpacked_from" not in whole
    assert {key: member[key] for key in ("resource", "blob", "size", "unpacked_from")} == {
        "resource": archive,
        "blob": sha256(b"%PDF-1.7 may"),
        "size": 12,
        "unpacked_from": sha256(PACKET),
    }
    for key in ("declared_type", "http_status", "title"):
        assert member[key] is None
    assert (member["headers"], member["filename"]) == ({}, "may 1.pdf")
    assert member["final_url"] == member["artifact"]
    assert store.blob(member["blob"]).read_bytes() == b"%PDF-1.7 may"
    assert [line["artifact"] for line in lines_of(store.artifacts)] == sorted(
        [archive, *(archive + name for name in NAMES)]
    )
    assert state["remaining"] == 0
    assert (loop.counts["asked"], loop.counts["unpacked"]) == (1, 2)
    assert list(store.incoming.iterdir()) == []


def test_an_unchanged_archive_costs_one_request_and_no_line_of_a_member(
    store: Store, site: Site
) -> None:
    held(site)
    publish(store, site, "/packet.zip")
    clock = Clock()
    run(store, site, clock)
    assert run(store, site, clock)[1]["remaining"] == 0
    assert asked(site) == ["/packet.zip"]
    clock.move(31 * DAY)
    run(store, site, clock)
    assert asked(site) == ["/packet.zip"] * 2
    assert len(observed_in(store)) == 3
    assert [line["reason"] for line in record_of(store) if line["type"] == "status"] == [
        "not-modified"
    ]


def test_the_same_bytes_served_again_cost_no_line_of_a_member(store: Store, site: Site) -> None:
    site.set("/packet.zip", Answer(PACKET, ZIP, validators=False))
    publish(store, site, "/packet.zip")
    clock = Clock()
    run(store, site, clock)
    clock.move(31 * DAY)
    _, state = run(store, site, clock)
    assert len(observed_in(store)) == 4
    assert state["remaining"] == 0


def test_the_members_of_a_changed_archive_are_taken_again(store: Store, site: Site) -> None:
    held(site)
    publish(store, site, "/packet.zip")
    clock = Clock()
    run(store, site, clock)
    held(site, zip_of([("fees.csv", b"a,b\n3,4\n"), ("new.txt", b"new")]), 40)
    clock.move(31 * DAY)
    loop, state = run(store, site, clock)
    archive = f"{site.address}/packet.zip"
    assert observed_in(store)[3:] == [archive, f"{archive}!/fees.csv", f"{archive}!/new.txt"]
    assert loop.counts["changed"] == 2
    assert (state["remaining"], states(store, site)["/packet.zip"]["owed"]) == (0, [])


def test_a_run_that_ends_before_the_members_leaves_them_to_the_next_without_a_request(
    store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    held(site)
    publish(store, site, "/packet.zip")

    def end(*_: object) -> set[str]:
        raise Interrupted

    with monkeypatch.context() as patched:
        patched.setattr(Unpacking, "take", end)
        _, state = run(store, site)
    archive = f"{site.address}/packet.zip"
    assert observed_in(store) == [archive]
    assert states(store, site)["/packet.zip"]["owed"] == [archive + name for name in NAMES]
    assert (state["remaining"], state["turn"]) == (2, 1)
    loop, state = run(store, site, turn=1, limit=1)
    assert asked(site) == ["/packet.zip"]
    assert observed_in(store) == [archive, *(archive + name for name in NAMES)]
    assert (state["remaining"], state["turn"], loop.counts["asked"]) == (0, 1, 0)


def test_a_signal_between_two_members_leaves_the_second(
    store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    held(site)
    publish(store, site, "/packet.zip")
    stop, unpack = threading.Event(), members.unpack

    def ending(*given: Any) -> Iterator[tuple[str, Any]]:
        for found in unpack(*given):
            stop.set()
            yield found

    monkeypatch.setattr(members, "unpack", ending)
    block = source(site.address + "/")
    _, state = acquire(store, block, Clock(), stop=stop)
    assert len(observed_in(store)) == 2
    assert (state["remaining"], state["turn"]) == (1, 1)
    stop.clear()
    acquire(store, block, Clock(), turn=1)
    assert [name.rpartition("!/")[2] for name in observed_in(store)[1:]] == [
        "minutes/may%201.pdf",
        "fees.csv",
    ]
    assert asked(site) == ["/packet.zip"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (encrypted(zip_of([("a.txt", b"words")])), "not unpacked: encrypted"),
        (
            damaged(zip_of([("a.txt", b"words")], zipfile.ZIP_STORED), b"words"),
            "not unpacked: damaged: Bad CRC-32 for file 'a.txt'",
        ),
    ],
    ids=["encrypted", "crc"],
)
def test_a_member_that_cannot_be_had_is_an_error_until_the_archive_changes(
    store: Store, site: Site, content: bytes, reason: str
) -> None:
    held(site, content)
    publish(store, site, "/packet.zip")
    clock = Clock()
    _, state = run(store, site, clock)
    member = f"{site.address}/packet.zip!/a.txt"
    status = statuses_of(store)[member]
    assert_valid(record_of(store), "record_line")
    assert (status["liveness"], status["reason"]) == ("error", reason)
    assert status["unpacked_from"] == sha256(content)
    assert (state["remaining"], states(store, site)["/packet.zip"]["owed"]) == (0, [])
    clock.move(20 * DAY)
    _, state = run(store, site, clock)
    assert state["counts"] == {}
    held(site, zip_of([("a.txt", b"words")]), 40)
    clock.move(20 * DAY)
    run(store, site, clock)
    assert observed_in(store)[-1] == member


def test_a_larger_limit_makes_a_member_that_was_too_large_due(store: Store, site: Site) -> None:
    content = zip_of([("a.txt", bytes(5000)), ("b.txt", b"x")])
    held(site, content)
    publish(store, site, "/packet.zip")
    run(store, site, max_bytes=4000)
    member = f"{site.address}/packet.zip!/a.txt"
    assert statuses_of(store)[member]["limit"] == 4000
    assert run(store, site, max_bytes=4000)[1]["counts"] == {}
    run(store, site, max_bytes=6000)
    assert observed_in(store)[-1] == member
    assert asked(site) == ["/packet.zip"]


def test_archives_in_archives_are_opened_to_a_bounded_depth(store: Store, site: Site) -> None:
    content = b"deep"
    for name in ("5.zip", "4.zip", "3.zip", "2.zip"):
        content = zip_of([(name, content), ("note.txt", name.encode())])
    held(site, content)
    publish(store, site, "/packet.zip")
    _, state = run(store, site)
    assert asked(site) == ["/packet.zip"]
    found = observations(store)
    assert set(found) == {
        ".zip",
        ".zip!/2.zip",
        ".zip!/note.txt",
        ".zip!/2.zip!/3.zip",
        ".zip!/2.zip!/note.txt",
        ".zip!/2.zip!/3.zip!/4.zip",
        ".zip!/2.zip!/3.zip!/note.txt",
    }
    deepest = found[".zip!/2.zip!/3.zip!/4.zip"]
    assert (deepest["parts"], deepest["notes"]) == (
        [],
        ["members not taken: 3 archives deep already"],
    )
    assert deepest["resource"] == f"{site.address}/packet.zip"
    assert state["remaining"] == 0


def test_inner_archives_share_the_room_of_the_outermost(
    store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("centinel.members.MOST", 5)
    inner = zip_of([(f"{number}.txt", str(number).encode()) for number in range(9)])
    held(site, zip_of([("a.txt", b"a"), ("x.zip", inner), ("y.zip", inner + b"")]))
    publish(store, site, "/packet.zip")
    _, state = run(store, site)
    assert sum("!/" in name for name in observations(store)) == 5
    assert state["remaining"] == 0


def test_an_archive_that_holds_itself_is_opened_once(store: Store, site: Site) -> None:
    held(site)
    publish(store, site, "/packet.zip")
    loop, _ = run(store, site)
    # No quine is at hand: the bytes of the archive are said to lie in it.
    inner = Body(store.incoming / "x", sha256(PACKET), len(PACKET), PACKET, is_in_memory=True)
    at = f"{site.address}/packet.zip!/quine.zip"
    found = loop._members.parts(at, "zip-container", inner)
    assert found == Parts(notes=("members not taken: the archive holds itself",))


def test_a_bomb_is_kept_and_its_members_are_not_taken(store: Store, site: Site) -> None:
    held(site, zip_of([("zeros", bytes(65 << 20)), ("a.pdf", b"%PDF")]))
    publish(store, site, "/packet.zip")
    _, state = run(store, site)
    (line,) = record_of(store)
    assert line["parts"] == []
    assert "members not taken: a bomb" in line["notes"][0]
    assert state["remaining"] == 0


def test_an_archive_that_a_page_encloses_is_taken_apart(store: Store, site: Site) -> None:
    site.set("/page", page("/plans.eml?name=plans.pdf", "/packet.pdf"))
    site.set("/packet.pdf", Answer(PACKET, ZIP))
    publish(store, site, "/page")
    clock = Clock()
    _, state = run(store, site, clock)
    archive = f"{site.address}/packet.pdf"
    assert observed_in(store)[1:] == [archive, *(archive + name for name in NAMES)]
    assert lines_of(store.artifacts)[-1]["resource"] == f"{site.address}/page"
    assert state["counts"]["unpacked"] == 2


def test_owed_members_of_an_enclosed_archive_are_planned_too(
    store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.set("/page", page("/packet.pdf"))
    site.set("/packet.pdf", Answer(PACKET, ZIP))
    publish(store, site, "/page")
    take = Unpacking.take

    def end(self: Unpacking, resource: str, holder: str) -> set[str]:
        if holder.endswith("packet.pdf"):
            raise Interrupted
        return take(self, resource, holder)

    with monkeypatch.context() as patched:
        patched.setattr(Unpacking, "take", end)
        _, state = run(store, site)
    archive = f"{site.address}/packet.pdf"
    assert state["remaining"] == 2
    assert states(store, site)["/page"]["owed"] == [archive + name for name in NAMES]
    run(store, site)
    assert observed_in(store)[2:] == [archive + name for name in NAMES]
    assert asked(site) == ["/page", "/packet.pdf"]


def test_attachments_of_a_mail_are_members(store: Store, site: Site) -> None:
    letter = EmailMessage()
    letter["Subject"] = "Plans"
    letter.set_content("Attached.")
    letter.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="plan.pdf")
    site.set("/1.eml", Answer(letter.as_bytes(), "message/rfc822"))
    publish(store, site, "/1.eml")
    run(store, site)
    assert observed_in(store) == [f"{site.address}/1.eml", f"{site.address}/1.eml!/plan.pdf"]
    assert record_of(store)[1]["declared_type"] == "application/pdf"


def test_what_filters_leave_out_is_no_member(store: Store, site: Site) -> None:
    held(site)
    publish(store, site, "/packet.zip")
    _, state = run(store, site, exclude=(r"\.csv$",))
    assert list(observations(store)) == [".zip", ".zip!/minutes/may%201.pdf"]
    assert state["remaining"] == 0


def test_members_wait_where_the_bytes_of_their_archive_are_lost(
    store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    held(site)
    publish(store, site, "/packet.zip")

    def end(*_: object) -> set[str]:
        raise Interrupted

    clock = Clock()
    with monkeypatch.context() as patched:
        patched.setattr(Unpacking, "take", end)
        run(store, site, clock)
    store.blob(sha256(PACKET)).unlink()
    _, state = run(store, site, clock)
    assert state["remaining"] == 2
    assert state["warnings"] == [
        f"members of {site.address}/packet.zip wait: its blob is missing or damaged"
    ]
    clock.move(31 * DAY)
    _, state = run(store, site, clock)
    assert state["remaining"] == 0
    assert len(observations(store)) == 3


def test_files_of_a_folder_are_taken_apart(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "shelf"
    path = write(root, "old/packet.tar.gz", PACKERS["gz"](tar_of(FILES)))
    shelf, kind = block(root), Folder()
    asking = client(store.incoming, max_bytes=shelf.max_bytes)
    write_snapshot(store, kind.enumerate(shelf, asking).resources)
    acquire(store, shelf, Clock(), kind=kind, client=asking)
    assert path.exists()
    names = [name.rpartition("/old/")[2] for name in observed_in(store)]
    assert names == [
        "packet.tar.gz",
        "packet.tar.gz!/minutes/may%201.pdf",
        "packet.tar.gz!/fees.csv",
    ]
