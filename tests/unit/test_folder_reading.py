"""A file of a folder is read without leaving the folder, and what could not be read says why."""

import os
from pathlib import Path
from typing import Any

import pytest

from centinel.answers import Fetched, NotModified
from centinel.download import Interrupted
from centinel.http import Client
from centinel.record import Liveness
from tests.unit.folders import as_nobody, fetch, refused, write
from tests.unit.support import (
    client,
    sha256,
)

# What is read


def test_a_file_is_copied_with_its_hash_and_nothing_declared(root: Path, asking: Client) -> None:
    content = os.urandom(3_000_000)
    write(root, "sub/a.pdf", content)
    answer = fetch(root, asking, "file:///sub/a.pdf")
    assert isinstance(answer, Fetched)
    assert (answer.body.sha256, answer.body.size) == (sha256(content), 3_000_000)
    assert answer.body.path.read_bytes() == content == answer.body.content()
    assert answer.body.path.parent == asking.folder
    assert answer.body.head == content[:4096]
    assert (answer.final_url, answer.http_status) == ("file:///sub/a.pdf", None)
    assert (answer.declared_type, answer.filename) == (None, None)
    assert dict(answer.headers) == {"etag": "1700000000000000000-3000000"}


def test_an_empty_file_is_read_too(root: Path, asking: Client) -> None:
    write(root, "a", b"")
    answer = fetch(root, asking, "file:///a")
    assert (answer.body.size, answer.body.sha256, answer.body.content()) == (0, sha256(b""), b"")


def test_an_unchanged_file_is_not_read_again(root: Path, asking: Client) -> None:
    write(root, "a.txt")
    etag = fetch(root, asking, "file:///a.txt").headers["etag"]
    assert fetch(root, asking, "file:///a.txt", etag) == NotModified("file:///a.txt", None)


@pytest.mark.parametrize(
    ("content", "seconds"), [(b"text", 1_700_000_001), (b"longer", 1_700_000_000)]
)
def test_a_file_with_another_time_or_size_is_read_again(
    root: Path, asking: Client, content: bytes, seconds: int
) -> None:
    write(root, "a.txt")
    etag = fetch(root, asking, "file:///a.txt").headers["etag"]
    write(root, "a.txt", content, seconds)
    assert fetch(root, asking, "file:///a.txt", etag).body.content() == content


def test_a_file_over_the_limit_is_refused_with_its_size(root: Path, tmp_path: Path) -> None:
    asking = client(tmp_path / "incoming", max_bytes=10)
    write(root, "a.txt", b"x" * 11)
    write(root, "b.txt", b"x" * 10)
    answer = refused(root, asking, "file:///a.txt")
    assert (answer.liveness, answer.size, answer.limit) == (Liveness.ERROR, 11, 10)
    assert answer.reason == "too-large: 11 bytes or more, the limit is 10"
    assert fetch(root, asking, "file:///b.txt").body.size == 10


def test_a_file_that_vanished_is_gone(root: Path, asking: Client) -> None:
    write(root, "sub/a.txt").unlink()
    for address in ("file:///sub/a.txt", "file:///absent/a.txt"):
        answer = refused(root, asking, address)
        assert (answer.liveness, answer.http_status) == (Liveness.GONE, None)
        assert answer.reason == "file: No such file or directory"


def test_a_file_whose_folder_became_a_file_is_gone(root: Path, asking: Client) -> None:
    write(root, "sub")
    assert refused(root, asking, "file:///sub/a.txt").liveness == Liveness.GONE


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_any_more_is_gone_and_not_waited_for(
    root: Path, asking: Client, make: Any
) -> None:
    make(root / "a.txt")
    answer = refused(root, asking, "file:///a.txt")
    assert (answer.liveness, answer.reason) == (Liveness.GONE, "file: no regular file any more")


def test_a_file_that_may_not_be_read_is_blocked(common: Path) -> None:
    root = common / "papers"
    write(root, "a.txt").chmod(0)
    write(root, "closed/b.txt")
    (root / "closed").chmod(0)
    asking = client(common / "incoming")
    with as_nobody(asking.folder):
        for address in ("file:///a.txt", "file:///closed/b.txt"):
            answer = refused(root, asking, address)
            assert (answer.liveness, answer.reason) == (
                Liveness.BLOCKED,
                "file: Permission denied",
            )


def test_a_folder_that_may_only_be_passed_does_not_hide_its_files(common: Path) -> None:
    root = common / "papers"
    write(root, "passed/b.txt", b"seen")
    (root / "passed").chmod(0o111)
    asking = client(common / "incoming")
    with as_nobody(asking.folder):
        assert fetch(root, asking, "file:///passed/b.txt").body.content() == b"seen"


def test_a_missing_folder_is_no_evidence_about_its_files(root: Path, asking: Client) -> None:
    """A disk that is not there must not read as a disk that was emptied."""
    answer = refused(root / "absent", asking, "file:///a.txt")
    assert answer.liveness == Liveness.ERROR
    assert answer.answered is False
    assert answer.reason == "the folder could not be read: No such file or directory"


@pytest.mark.parametrize("where", ["secret.txt", "out/secret.txt"])
def test_no_link_leads_out_of_the_folder(
    root: Path, asking: Client, tmp_path: Path, where: str
) -> None:
    write(tmp_path, "secret.txt", b"secret")
    (root / "secret.txt").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path)
    answer = refused(root, asking, f"file:///{where}")
    assert (answer.liveness, answer.reason) == (
        Liveness.BLOCKED,
        "a link that leads out of the folder",
    )


@pytest.mark.parametrize("swapped", ["sub/a.txt", "sub"])
def test_a_link_that_is_set_while_the_file_is_opened_is_not_followed(
    root: Path, asking: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, swapped: str
) -> None:
    write(root, "sub/a.txt")
    write(tmp_path, "outside/a.txt", b"secret")
    target = tmp_path / "outside" / ("a.txt" if swapped.endswith("a.txt") else "")
    real = os.path.realpath

    def realpath(path: Any, **how: Any) -> str:
        resolved = real(path, **how)
        if resolved.endswith("a.txt") and not (root / swapped).is_symlink():
            (root / swapped).rename(tmp_path / "moved")
            (root / swapped).symlink_to(target)
        return resolved

    monkeypatch.setattr(os.path, "realpath", realpath)
    assert refused(root, asking, "file:///sub/a.txt").liveness in (Liveness.ERROR, Liveness.GONE)
    assert (root / swapped).is_symlink()


@pytest.mark.parametrize(
    "address",
    [
        "file:///../secret.txt",
        "file:///sub/%2e%2e/%2E%2E/secret.txt",
        "file:////etc/passwd",
        "file:///a%00b",
        "file:///",
        "file:///.",
        "https://town.example/a.txt",
    ],
)
def test_an_address_that_climbs_out_names_no_file(
    root: Path, asking: Client, tmp_path: Path, address: str
) -> None:
    write(root, "sub/a.txt")
    write(tmp_path, "secret.txt", b"secret")
    answer = refused(root, asking, address)
    assert answer.reason == "file: the address names no file in the folder"


@pytest.mark.parametrize("change", [b"appended and longer", b"xxxx", b""])
def test_a_file_that_changes_while_it_is_read_is_an_error(
    root: Path, asking: Client, monkeypatch: pytest.MonkeyPatch, change: bytes
) -> None:
    path = write(root, "a.txt", b"text")
    real = os.read

    def read(descriptor: int, size: int) -> bytes:
        chunk = real(descriptor, size)
        if chunk == b"text":
            path.write_bytes(change)
        return chunk

    monkeypatch.setattr(os, "read", read)
    answer = refused(root, asking, "file:///a.txt")
    assert (answer.liveness, answer.reason) == (Liveness.ERROR, "changed while it was read")


def test_a_file_that_grows_over_the_limit_while_it_is_read_is_too_large(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asking = client(tmp_path / "incoming", max_bytes=5)
    path = write(root, "a.txt", b"text")
    real = os.read

    def read(descriptor: int, size: int) -> bytes:
        path.write_bytes(b"text and more")
        return real(descriptor, size)

    monkeypatch.setattr(os, "read", read)
    assert refused(root, asking, "file:///a.txt").reason.startswith("too-large: 13 bytes")


def test_a_file_that_the_disk_does_not_give_is_an_error(
    root: Path, asking: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.txt")

    def read(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", read)
    answer = refused(root, asking, "file:///a.txt")
    assert (answer.liveness, answer.reason) == (Liveness.ERROR, "file: Input/output error")


def test_a_full_disk_of_ours_is_no_evidence_about_a_file(
    root: Path, asking: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, "a.txt")

    def write_nothing(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", write_nothing)
    with pytest.raises(OSError, match="No space left"):
        fetch(root, asking, "file:///a.txt")
    assert list(asking.folder.iterdir()) == []


def test_reading_ends_when_the_run_does(root: Path, asking: Client) -> None:
    write(root, "a.txt")
    asking.stop.set()
    with pytest.raises(Interrupted):
        fetch(root, asking, "file:///a.txt")
    assert list(asking.folder.iterdir()) == []
