"""Archives of everything: read in bounds, whatever they claim."""

import io
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.ingest import bundles
from centinel.ingest.bundles import BadArchive
from centinel.ingest.model import ManifestFile
from tests.sites.dataset_platforms import zipped
from tests.sites.dataset_shapes import DataFile, numbered
from tests.unit.support import PROPERTY, sha256

MANY = 1 << 30
A, B = DataFile("a.csv", b"1,2\n"), DataFile("b.csv", b"3,4,5\n", "deep/er")


def archive(tmp_path: Path, content: bytes) -> Path:
    """A file with a content."""
    path = tmp_path / "bundle.zip"
    path.write_bytes(content)
    return path


def test_members_are_read_without_unpacking_them(tmp_path: Path) -> None:
    path = archive(tmp_path, zipped([A, B], {"MANIFEST.TXT": b"all of it\n", "folder/": b""}))
    members = bundles.read_members(path, MANY)
    assert set(members) == {"a.csv", "deep/er/b.csv", "MANIFEST.TXT"}
    seen = members["deep/er/b.csv"]
    assert (seen.size, seen.md5, seen.sha256) == (6, B.md5, sha256(B.body))
    assert (seen.sha1, seen.mimetype) == (B.digest("sha1"), "text/csv")
    assert list(tmp_path.iterdir()) == [path]


def test_a_large_archive_with_64_bit_fields_is_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for each in range(70_000):
            made.writestr(f"{each}", b"")
    members = bundles.read_members(archive(tmp_path, buffer.getvalue()), MANY)
    assert len(members) == 70_000


def bomb() -> bytes:
    """Ten mebibytes of nothing in a few kilobytes."""
    return zipped([DataFile("bomb", bytes(10 << 20))])


def doubled() -> bytes:
    """A name that stands twice, of which a reader would see one."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        made.writestr("a.csv", b"1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            made.writestr("a.csv", b"2")
    return buffer.getvalue()


def encrypted() -> bytes:
    """An archive that says that its member is encrypted."""
    content = bytearray(zipped([A]))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(signature) + offset] |= 1
    return bytes(content)


def corrupted() -> bytes:
    """An archive whose member is not what its checksum says."""
    content = bytearray(zipped([DataFile("a.csv", b"1,2\n" * 1000)]))
    content[50] ^= 0xFF
    return bytes(content)


def vast() -> bytes:
    """An archive that claims a list of members of three gigabytes."""
    content = bytearray(zipped([A]))
    struct.pack_into("<I", content, len(content) - 10, 3 << 30)
    return bytes(content)


LIES = {
    "no end of an archive": b"<!doctype html><title>Log in</title>",
    "it is none, or is cut": zipped([A, B])[:80],
    "unpacks to more than": bomb(),
    "stands twice": doubled(),
    "packed or locked": encrypted(),
    "cannot be read": corrupted(),
    "list of members is": vast(),
}


@pytest.mark.parametrize("said", LIES)
def test_an_archive_that_lies_is_refused_with_a_reason(tmp_path: Path, said: str) -> None:
    with pytest.raises(BadArchive, match=said):
        bundles.read_members(archive(tmp_path, LIES[said]), 5 << 20)


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "MOST_MEMBERS", 3)
    with pytest.raises(BadArchive, match="4 members, over 3"):
        bundles.read_members(archive(tmp_path, zipped(numbered(4))), MANY)


WHOLE = zipped([A, B, DataFile("c.csv", b"6,7,8\n" * 50)])


@PROPERTY
@given(
    places=st.lists(
        st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=8
    ),
    cut=st.integers(0, 40),
)
def test_no_damage_to_an_archive_ends_in_anything_but_a_reason(
    tmp_path: Path, places: list[tuple[int, int]], cut: int
) -> None:
    content = bytearray(WHOLE)
    for at, value in places:
        content[at] = value
    path = archive(tmp_path, bytes(content[: len(content) - cut]))
    try:
        members = bundles.read_members(path, 1 << 20)
    except BadArchive as error:
        assert str(error)
    else:
        assert sum(each.size or 0 for each in members.values()) <= 1 << 20


@pytest.mark.parametrize(
    ("members", "found"),
    [
        (["a.csv", "deep/er/b.csv"], ["a.csv", "deep/er/b.csv"]),
        (["set/a.csv", "set/deep/er/b.csv"], ["set/a.csv", "set/deep/er/b.csv"]),
        (["a.csv", "other/b.csv"], ["a.csv", None]),
        (["set/a.csv", "else/deep/er/b.csv"], [None, None]),
        (["/a.csv", "deep/er/b.csv"], ["/a.csv", "deep/er/b.csv"]),
        ([], [None, None]),
    ],
)
def test_files_are_found_by_their_path_also_below_one_folder(
    members: list[str], found: list[str | None]
) -> None:
    files = [ManifestFile(A.path), ManifestFile(B.path)]
    seen = {name: bundles.Observed(1) for name in members}
    assert list(bundles.members_for(files, seen).values()) == found


def test_a_file_is_found_by_the_name_that_its_platform_declares() -> None:
    file = ManifestFile("con_.csv", extra={"declared_path": "con.csv"})
    assert bundles.members_for([file], {"con.csv": bundles.Observed(1)}) == {"con_.csv": "con.csv"}
