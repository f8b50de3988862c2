"""What a killed writer left on its way is removed, and nothing else is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import leftovers
from centinel.files import whole


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_files_of_dead_writers_are_removed_wherever_they_lie(tmp_path: Path, dead: int) -> None:
    folder = tmp_path / "blobs" / "ab" / "cd"
    folder.mkdir(parents=True)
    left = [folder / f".abcd.kind.json.{dead}.tmp", tmp_path / f".snapshot.jsonl.{dead}.tmp"]
    for path in left:
        path.write_bytes(b"half of")
    assert sorted(leftovers.remove(tmp_path)) == sorted(left)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_a_living_process_writes_stays(tmp_path: Path) -> None:
    with whole(tmp_path / "text.md") as stream:
        stream.write(b"words")
        assert leftovers.remove(tmp_path) == []
    assert (tmp_path / "text.md").read_bytes() == b"words"


def test_a_process_that_nobody_took_note_of_has_ended(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.read() == b"", "it ends, and is not waited for"
    left = tmp_path / f".a.{process.pid}.tmp"
    left.touch()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert leftovers.remove(tmp_path) == [left]
    process.wait()


@pytest.mark.parametrize("name", ["a.12.tmp", ".a.tmp", ".12.tmp", ".a.12.tmp.md", ".a.b.tmp", "x"])
def test_what_is_called_otherwise_stays(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"somebody's")
    assert leftovers.remove(tmp_path) == []
    assert (tmp_path / name).exists()


def test_a_number_that_no_process_can_have_is_dead(tmp_path: Path) -> None:
    (tmp_path / f".a.{10**30}.tmp").touch()
    assert len(leftovers.remove(tmp_path)) == 1


def test_links_are_not_followed(tmp_path: Path, dead: int) -> None:
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    elsewhere.mkdir()
    here.mkdir()
    kept = elsewhere / f".a.{dead}.tmp"
    kept.touch()
    (here / "link").symlink_to(elsewhere)
    assert leftovers.remove(here) == []
    assert kept.exists()


@given(st.text(st.characters(exclude_characters="/\0"), min_size=1, max_size=40))
def test_every_name_of_a_file_on_its_way_is_known(name: str) -> None:
    found = leftovers.TEMPORARY.fullmatch(f".{name}.{os.getpid()}.tmp")
    assert found is not None
    assert found[1] == str(os.getpid())
