"""Archives are listed; those that would explode, or lead elsewhere, say so."""

import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.readers.archive import archive
from centinel.readers.document import GaveWay, Reading
from centinel.readers.entries import LONGEST_NAME, Bomb, Names, Raw, Unreadable, safe_name
from centinel.readers.packed import SMALL_UNPACKED, entries_of
from tests.unit.readers.archives import (
    PACKERS,
    damaged,
    encrypted,
    link,
    lying,
    tar_of,
    zip_of,
)
from tests.unit.readers.conftest import Make
from tests.unit.support import PROPERTY

FILES = [("minutes/may.pdf", b"%PDF-1.7"), ("fees.csv", b"a,b\n" * 300)]
LISTED = (
    "- `minutes/may.pdf`, 8 bytes, 2026-03-01 12:30\n- `fees.csv`, 1,200 bytes, 2026-03-01 12:30"
)


def read(make: Make, content: bytes, kind: str = "archive") -> Reading:
    return archive.read(make(content, kind))


def test_a_zip_and_a_tar_are_listed_by_name_size_and_date(make: Make) -> None:
    folder = ("minutes/", b"")
    for content in (zip_of([folder, *FILES]), tar_of(FILES)):
        assert read(make, content) == Reading(LISTED)


@pytest.mark.parametrize("packer", PACKERS)
def test_a_packed_tar_is_listed_and_a_packed_file_is_one(make: Make, packer: str) -> None:
    pack = PACKERS[packer]
    assert read(make, pack(tar_of(FILES))).text == LISTED
    assert read(make, pack(b"a,b\n" * 300)).text == "- `content.content`, 1,200 bytes"


def test_a_gzip_names_its_file(make: Make) -> None:
    named = b"\x1f\x8b\x08\x08\0\0\0\0\x02\x03folder\\fees.csv\0" + PACKERS["gz"](b"a,b\n")[10:]
    assert read(make, named).text == "- `fees.csv`, 4 bytes"


def test_what_is_special_about_entries_is_said(make: Make) -> None:
    others = (
        link("current", "/etc/passwd"),
        link("again", "fees.csv", tarfile.LNKTYPE),
        link("disk", "", tarfile.BLKTYPE),
    )
    files = [("/etc/shadow", b"x"), ("../../up.txt", b"x"), ("a/fees.csv", b"x"), *FILES, *FILES]
    reading = read(make, tar_of([*files, ("__MACOSX/._a", b"x"), ("a/.DS_Store", b"")], *others))
    assert reading.text.splitlines()[:2] == [
        "- `etc/shadow`, 1 bytes, 2026-03-01 12:30",
        "- `up.txt`, 1 bytes, 2026-03-01 12:30",
    ]
    assert "- `fees~2.csv`, 1,200 bytes, 2026-03-01 12:30" in reading.text
    assert reading.notes == (
        "1 entries: a device",
        "2 entries: a file of the system that packed it",
        "2 entries: a link",
        "2 entries: a name that another has",
        "2 entries: an unsafe name, made safe",
    )
    marked = read(make, encrypted(zip_of(FILES)), "zip-container")
    assert marked.notes == ("2 entries: encrypted",)
    assert "- `fees.csv`, 1,200 bytes, 2026-03-01 12:30, encrypted" in marked.text


def test_names_in_utf8_that_do_not_say_so_are_read(make: Make) -> None:
    content = zip_of([("r\u00e9sum\u00e9.pdf", b"x")])
    unmarked = bytearray(content)
    for mark, offset in ((b"PK\x03\x04", 7), (b"PK\x01\x02", 9)):
        unmarked[content.index(mark) + offset] &= ~8 & 0xFF
    assert "`résumé.pdf`" in read(make, bytes(unmarked)).text


def test_ten_thousand_entries_are_listed_and_the_rest_counted(make: Make) -> None:
    files = [(f"{number}.txt", b"") for number in range(10_005)]
    reading = read(make, zip_of(files, zipfile.ZIP_STORED))
    lines = reading.text.splitlines()
    assert lines[9_999].startswith("- `9999.txt`")
    assert lines[-1] == "5 more are not listed."
    assert reading.notes == ("5 entries: more than 10,000: not listed",)


def zeros(size: int) -> bytes:
    return bytes(size)


BOMB = SMALL_UNPACKED + 1


def tar_bomb() -> bytes:
    """A sparse tar: a kilobyte that says it is a terabyte."""
    info = tarfile.TarInfo("huge.bin")
    info.size = 1 << 40
    return info.tobuf(tarfile.GNU_FORMAT) + bytes(1024)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(lambda: zip_of([("a", zeros(BOMB))]), id="zip"),
        pytest.param(lambda: lying(zip_of([("a", b"x"), ("b", b"y")]), 0xFFFFFFF0), id="declared"),
        pytest.param(lambda: PACKERS["gz"](zeros(BOMB)), id="gz"),
        pytest.param(lambda: PACKERS["gz"](PACKERS["gz"](b"x") + zeros(BOMB)), id="gz in gz"),
        pytest.param(lambda: PACKERS["bz2"](zeros(BOMB)), id="bz2"),
        pytest.param(lambda: PACKERS["xz"](zeros(BOMB)), id="xz"),
        pytest.param(lambda: PACKERS["gz"](tar_of([("a", zeros(BOMB))])), id="tgz"),
        pytest.param(tar_bomb, id="tar"),
    ],
)
def test_a_bomb_gives_way_with_its_reason(make: Make, content: "object") -> None:
    with pytest.raises(GaveWay, match="bomb"):
        read(make, content())  # type: ignore[operator]


def test_a_zip_with_a_giant_directory_is_not_opened(make: Make) -> None:
    whole = bytearray(zip_of(FILES))
    place = whole.index(b"PK\x05\x06")
    whole[place + 12 : place + 16] = (100 << 20).to_bytes(4, "little")
    with pytest.raises(GaveWay, match="directory of 104,857,600 bytes"):
        read(make, bytes(whole))


def test_repetition_is_no_bomb_while_it_is_small(make: Make) -> None:
    assert "10,000,000 bytes" in read(make, zip_of([("a", zeros(10_000_000))])).text


def package() -> bytes:
    office = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = b'<Override ContentType="%s"/>' % office
    return zip_of([("[Content_Types].xml", types), ("word/document.xml", b"<w/>")])


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (package(), "a document in the format docx"),
        (zip_of([]), "empty"),
        (zip_of([("folder/", b"")]), "empty"),
        (zip_of(FILES)[:200], "damaged: File is not a zip file"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(600), "7z archives are not opened"),
        (b"Rar!\x1a\x07" + bytes(600), "rar archives are not opened"),
        (b"words " * 200, "no known archive"),
        (b"", "no known archive"),
        (PACKERS["gz"](b"x" * 9999)[:-12], "damaged"),
        (b"\x1f\x8b" + bytes(9), "damaged"),
    ],
)
def test_what_cannot_be_listed_gives_way(make: Make, content: bytes, reason: str) -> None:
    with pytest.raises(GaveWay, match=reason):
        read(make, content)


def test_a_cut_tar_is_listed_as_far_as_it_goes(make: Make) -> None:
    cut = PACKERS["gz"](tar_of([("a.txt", b"x"), ("b.txt", bytes(range(256)) * 4000)]))
    reading = read(make, cut[: len(cut) // 2])
    assert reading.text.startswith("- `a.txt`, 1 bytes")
    assert "listed up to where it could not be read" in reading.notes[0]


def test_a_hundred_thousand_entries_of_one_name_are_told_apart_at_once() -> None:
    entries = list(Names().entries(Raw("a.txt") for _ in range(100_000)))
    assert entries[-1].name == "a~100000.txt"


NAMES = st.lists(
    st.text(st.sampled_from("ab./\\~:C\0\x1f!%?# é\ud800"), max_size=12)
    | st.text(max_size=8)
    | st.sampled_from(["a.txt", "A.txt", "../a.txt", "/a.txt", "a~2.txt", "x" * 900 + ".pdf"]),
    max_size=25,
)


@given(NAMES)
@PROPERTY
def test_no_name_leads_elsewhere_and_no_two_are_one(names: list[str]) -> None:
    entries = list(Names().entries(map(Raw, names)))
    assert len({entry.name for entry in entries}) == len(names)
    for entry, name in zip(entries, names, strict=True):
        segments = entry.name.split("/")
        assert all(segments)
        assert not {".", ".."} & set(segments)
        assert not any(ord(each) < 32 or 0xD800 <= ord(each) < 0xE000 for each in entry.name)
        assert "\\" not in entry.name
        assert len(entry.name) <= LONGEST_NAME + 8
        if not entry.is_renamed and not entry.is_again:
            plain = [each for each in name.replace("\\", "/").split("/") if each.strip(" .")]
            assert [each for each in segments if each.strip(" .")] == plain
    again = list(Names().entries(map(Raw, names)))
    assert [entry.name for entry in again] == [entry.name for entry in entries]


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("a/b.pdf", ("a/b.pdf", False)),
        ("./a//b.pdf", ("a/b.pdf", False)),
        ("a\\b.pdf", ("a/b.pdf", False)),
        ("C:\\a\\b.pdf", ("a/b.pdf", True)),
        ("/etc/passwd", ("etc/passwd", True)),
        ("a/../../b", ("a/b", True)),
        ("a\0.pdf", ("a.pdf", True)),
        ("..", ("unnamed", True)),
        ("x" * 600 + ".pdf", ("x" * 496 + ".pdf", True)),
    ],
)
def test_names_are_made_safe(name: str, safe: tuple[str, bool]) -> None:
    assert safe_name(name) == safe


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 3))
@PROPERTY
def test_any_bytes_are_entries_or_a_reason(
    tmp_path: Path, content: bytes, place: int, which: int
) -> None:
    start = [zip_of(FILES), tar_of(FILES[:1]), PACKERS["gz"](tar_of(FILES)), b""][which]
    path = tmp_path / "blob"
    path.write_bytes(start[:place] + content + start[place + len(content) :])
    try:
        for raw in entries_of(path):
            assert isinstance(raw.name, str)
    except (Bomb, Unreadable) as error:
        assert str(error)


def test_the_bytes_of_an_entry_are_those_that_went_in(tmp_path: Path) -> None:
    path = tmp_path / "blob"
    for content in (
        zip_of(FILES),
        tar_of(FILES),
        *(pack(tar_of(FILES)) for pack in PACKERS.values()),
    ):
        path.write_bytes(content)
        got = []
        for raw in entries_of(path):
            assert raw.open is not None
            with raw.open() as stream:
                got.append((raw.name, stream.read()))
        assert got == FILES


@pytest.mark.parametrize(
    "content",
    [
        damaged(zip_of([("a.txt", b"words")], zipfile.ZIP_STORED), b"words"),
        lying(zip_of([("a.txt", b"words and more")]), 5),
        encrypted(zip_of([("a.txt", b"words")])),
    ],
    ids=["crc", "size", "encrypted"],
)
def test_damage_inside_an_entry_shows_when_it_is_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "blob"
    path.write_bytes(content)
    for raw in entries_of(path):
        assert raw.open is not None
        with pytest.raises((zipfile.BadZipFile, RuntimeError)), raw.open() as stream:
            stream.read()
