"""What archives and mails hold, within bounds, at addresses of its own."""

import tarfile
import zipfile
from email.message import EmailMessage
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import addresses, members
from centinel.liveness import Refusal
from centinel.members import Holder, Member, Room, address_of, parts_of, unpack
from centinel.record import TOO_LARGE, Liveness
from centinel.sources.source_kind import Parts
from tests.unit.readers.archives import (
    PACKERS,
    damaged,
    encrypted,
    link,
    lying,
    tar_of,
    zip_of,
)
from tests.unit.support import PROPERTY, sha256

AT = "https://town.example/packet.zip"
ROOM = Room(members=1000, size=1 << 30, largest=1 << 28)
FILES = [("minutes/may.pdf", b"%PDF-1.7 may"), ("fees.csv", b"a,b\n1,2\n")]


def holder(folder: Path, content: bytes, kind: str = "zip-container", at: str = AT) -> Holder:
    path = folder / "blob"
    path.write_bytes(content)
    return Holder(at, path, kind)


def taken(held: Holder, largest: int = 1 << 28, room: Room = ROOM) -> dict[str, object]:
    """What every member is: its bytes, or why it is none."""
    found: dict[str, object] = {}
    for address, got in unpack(held, parts_of(held, room).addresses, largest, held.path.parent):
        found[address.removeprefix(held.artifact)] = (
            got.body.content() if isinstance(got, Member) else got.reason
        )
    return found


def test_members_are_parts_at_the_archives_address(tmp_path: Path) -> None:
    for content, kind in (
        (zip_of(FILES), "zip-container"),
        (tar_of(FILES), "archive"),
        (PACKERS["gz"](tar_of(FILES)), "archive"),
    ):
        held = holder(tmp_path, content, kind)
        assert parts_of(held, ROOM) == Parts((f"{AT}!/minutes/may.pdf", f"{AT}!/fees.csv"))
        assert taken(held) == {
            "!/minutes/may.pdf": b"%PDF-1.7 may",
            "!/fees.csv": b"a,b\n1,2\n",
        }


def test_a_member_has_its_name_its_hash_and_no_type(tmp_path: Path) -> None:
    held = holder(tmp_path, zip_of(FILES))
    ((_, got),) = unpack(held, [f"{AT}!/minutes/may.pdf"], 1 << 20, tmp_path)
    assert isinstance(got, Member)
    assert (got.filename, got.declared_type) == ("may.pdf", None)
    assert got.body.sha256 == sha256(b"%PDF-1.7 may")


def test_a_packed_file_is_called_as_its_archive_is(tmp_path: Path) -> None:
    held = holder(
        tmp_path, PACKERS["xz"](b"a,b\n"), "archive", "https://town.example/fees.csv.xz?v=2"
    )
    assert taken(held) == {"!/fees.csv": b"a,b\n"}


def test_attachments_of_a_mail_are_members_with_their_types(tmp_path: Path) -> None:
    letter = EmailMessage()
    letter["Subject"] = "Plans"
    letter.set_content("Attached.")
    letter.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="the plan?.pdf")
    letter.add_attachment(b"?", maintype="application", subtype="octet-stream", filename="x.bin")
    held = holder(tmp_path, letter.as_bytes(), "mail", "https://town.example/1.eml")
    assert taken(held) == {"!/the%20plan%3F.pdf": b"%PDF", "!/x.bin": b"?"}
    got = [got for _, got in unpack(held, parts_of(held, ROOM).addresses, 99, tmp_path)]
    assert [each.declared_type for each in got if isinstance(each, Member)] == [
        "application/pdf",
        None,
    ]


OFFICE = zip_of([("[Content_Types].xml", b"<Types/>"), ("word/document.xml", b"<w/>")])
EPUB = zip_of([("mimetype", b"application/epub+zip"), ("a.html", b"x")], zipfile.ZIP_STORED)


@pytest.mark.parametrize("content", [OFFICE, EPUB], ids=["docx", "epub"])
def test_documents_in_a_zip_are_not_taken_apart(tmp_path: Path, content: bytes) -> None:
    assert parts_of(holder(tmp_path, content), ROOM) == Parts()


@pytest.mark.parametrize("name", ["META-INF/MANIFEST.MF", "doc.kml", "AndroidManifest.xml"])
def test_programs_and_maps_are_not_taken_apart(tmp_path: Path, name: str) -> None:
    parts = parts_of(holder(tmp_path, zip_of([(name, b"x"), ("a.png", b"x")])), ROOM)
    assert parts == Parts(notes=("members not taken: a package of a program or a map",))


def test_a_bomb_gives_no_member_and_says_why(tmp_path: Path) -> None:
    parts = parts_of(holder(tmp_path, zip_of([("a", bytes(65 << 20)), ("b.pdf", b"x")])), ROOM)
    assert parts.addresses == ()
    assert "members not taken: a bomb" in parts.notes[0]


def test_a_bomb_that_shows_only_on_the_way_is_no_member(tmp_path: Path) -> None:
    held = holder(tmp_path, PACKERS["gz"](bytes(65 << 20)), "archive", "https://x.example/a.csv.gz")
    ((_, reason),) = taken(held).items()
    assert "a bomb" in str(reason)
    assert list(tmp_path.iterdir()) == [held.path]


def test_what_there_is_no_room_for_is_counted(tmp_path: Path) -> None:
    files = [(f"{number}.txt", bytes(10)) for number in range(10)]
    held = holder(tmp_path, zip_of(files))
    few = parts_of(held, Room(members=3, size=1000, largest=100))
    assert [each.rpartition("/")[2] for each in few.addresses] == ["0.txt", "1.txt", "2.txt"]
    assert few.notes == ("7 members: more than 1,000 of one address, not taken",)
    small = parts_of(held, Room(members=99, size=25, largest=100))
    assert len(small.addresses) == 2
    assert small.notes == ("8 members: more bytes in all than one address may hold, not taken",)
    assert members.room(100, members=990, size=150) == Room(10, 250, 100)


def test_ten_thousand_members_are_cut_at_a_thousand(tmp_path: Path) -> None:
    files = [(f"{number}.txt", b"") for number in range(10_000)]
    parts = parts_of(holder(tmp_path, zip_of(files, zipfile.ZIP_STORED)), members.room(1 << 20))
    assert len(parts.addresses) == 1000
    assert parts.notes == ("9000 members: more than 1,000 of one address, not taken",)


def test_links_devices_and_system_files_are_no_members(tmp_path: Path) -> None:
    others = [link("l", "/etc/passwd"), link("d", "", tarfile.CHRTYPE)]
    held = holder(
        tmp_path,
        tar_of([("__MACOSX/._a", b"x"), ("../a.txt", b"1"), ("/a.txt", b"2")], *others),
        "archive",
    )
    assert parts_of(held, ROOM) == Parts(
        (f"{AT}!/a.txt", f"{AT}!/a~2.txt"),
        (
            "1 members: a device",
            "1 members: a file of the system that packed it",
            "1 members: a link",
            "1 members: a name that another has, made another",
            "2 members: an unsafe name, made safe",
        ),
    )
    assert taken(held) == {"!/a.txt": b"1", "!/a~2.txt": b"2"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (encrypted(zip_of([("a.txt", b"words")])), "not unpacked: encrypted"),
        (
            damaged(zip_of([("a.txt", b"words")], zipfile.ZIP_STORED), b"words"),
            "not unpacked: damaged: Bad CRC-32 for file 'a.txt'",
        ),
        (
            lying(zip_of([("a.txt", b"words and more")]), 5),
            "not unpacked: damaged: Bad CRC-32 for file 'a.txt'",
        ),
        (
            lying(zip_of([("a.txt", b"words")], zipfile.ZIP_STORED), 50),
            "not unpacked: damaged: 5 bytes of the 50 that it states",
        ),
    ],
    ids=["encrypted", "crc", "less", "more"],
)
def test_what_cannot_be_unpacked_says_why(tmp_path: Path, content: bytes, reason: str) -> None:
    assert taken(holder(tmp_path, content)) == {"!/a.txt": reason}
    assert [path.name for path in tmp_path.iterdir()] == ["blob"]


def test_a_member_over_the_limit_is_refused_with_its_size(tmp_path: Path) -> None:
    held = holder(tmp_path, zip_of([("a.txt", bytes(100)), ("b.txt", b"x")]))
    (_, got), (_, other) = unpack(held, [f"{AT}!/a.txt", f"{AT}!/b.txt"], 99, tmp_path)
    assert isinstance(got, Refusal)
    assert (got.liveness, got.size, got.limit) == (Liveness.ERROR, 100, 99)
    assert got.reason.startswith(TOO_LARGE)
    assert isinstance(other, Member)
    packed = holder(tmp_path, PACKERS["gz"](bytes(3 << 20)), "archive", "https://x.example/a.gz")
    ((_, got),) = unpack(packed, ["https://x.example/a.gz!/a"], 2 << 20, tmp_path)
    assert isinstance(got, Refusal)
    assert got.limit == 2 << 20
    assert [path.name for path in tmp_path.iterdir()] == ["blob"]


def test_a_large_member_lies_in_a_file_until_it_is_kept(tmp_path: Path) -> None:
    content = bytes(range(256)) * 8192
    held = holder(tmp_path, zip_of([("a.bin", content)]))
    ((_, got),) = unpack(held, [f"{AT}!/a.bin"], 1 << 28, tmp_path)
    assert isinstance(got, Member)
    assert isinstance(got.body.held, Path)
    assert got.body.held.read_bytes() == content


def test_a_member_that_is_not_there_is_refused(tmp_path: Path) -> None:
    held = holder(tmp_path, zip_of(FILES))
    ((_, got),) = unpack(held, [f"{AT}!/gone.pdf"], 99, tmp_path)
    assert isinstance(got, Refusal)
    assert got.reason == "not unpacked: not in it"


def test_holders_are_told_from_the_address() -> None:
    inner = f"{AT}!/a/b.zip!/c.pdf"
    assert members.holders_of(inner) == [f"{AT}!/a/b.zip", AT]
    assert members.holder_of(AT) is None


NAMES = st.text(min_size=1, max_size=20).map(lambda name: f"a{name}")


@given(st.lists(NAMES, max_size=6))
@PROPERTY
def test_addresses_can_be_told_apart_and_undone(names: list[str]) -> None:
    made = [address_of(AT, name) for name in names]
    for name, address in zip(names, made, strict=True):
        assert address.isascii()
        assert members.holder_of(address) == AT
        assert not set(" ?#") & set(address)
        if name.isprintable():
            assert unquote(address.removeprefix(f"{AT}!/")) == name
    assert len(set(made)) == len({name.encode("utf-8", "replace") for name in names})


@pytest.mark.parametrize(
    ("address", "extension"),
    [
        (f"{AT}!/a/b.csv", "csv"),
        ("https://town.example/get?id=5!/b.pdf", "pdf"),
        ("https://town.example/get.zip?id=5!/b", None),
        (f"{AT}!/what%3F.pdf", "pdf"),
        ("https://town.example/a!b/c.pdf", "pdf"),
    ],
)
def test_the_extension_of_a_member_is_its_own(address: str, extension: str | None) -> None:
    assert addresses.extension(address) == extension
