import errno
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.readers.characters import normalise
from centinel.readers.document import Document
from centinel.readers.grid import Grid, cell_text
from centinel.readers.reading import read
from centinel.readers.spool import Spool


def test_a_small_text_is_held(tmp_path: Path) -> None:
    spool = Spool(tmp_path, in_memory=10)
    spool.write("one\n")
    spool.write("two\n")
    assert spool.reading("T", ("n",)).text == "one\ntwo\n"
    assert list(tmp_path.iterdir()) == []


def test_a_large_text_goes_to_a_file_whole(tmp_path: Path) -> None:
    spool = Spool(tmp_path, in_memory=10)
    lines = [f"Zeile {n} – über\n" for n in range(100)]
    for line in lines:
        spool.write(line)
    reading = spool.reading("T", ("n",))
    assert (reading.text, reading.title, reading.notes) == ("", "T", ("n",))
    assert reading.file is not None
    assert reading.file.parent == tmp_path
    assert reading.file.read_bytes() == "".join(lines).encode()


def test_payloads_are_taken_out_on_the_way_to_the_file(tmp_path: Path) -> None:
    spool = Spool(tmp_path, in_memory=10)
    spool.write("a long enough line\n")
    spool.write("seal\tdata:image/png;base64,AAAABBBB\n")
    reading = spool.reading()
    assert reading.file is not None
    assert reading.file.read_text() == "a long enough line\nseal\t\n"
    assert reading.notes == ("30 characters removed from 1 data URIs",)


def test_what_is_discarded_leaves_no_file(tmp_path: Path) -> None:
    spool = Spool(tmp_path, in_memory=1)
    spool.write("long\n")
    spool.discard()
    assert list(tmp_path.iterdir()) == []
    assert spool.reading().text == ""


@pytest.mark.parametrize("rows", [3, 300])
@given(cells=st.lists(st.text(max_size=8), max_size=5))
def test_a_cell_never_leaves_its_row(rows: int, cells: list[str]) -> None:
    spool = Spool(Path("unused"))
    grid = Grid(spool)
    for _ in range(rows):
        grid.add([*cells, "end"])
    grid.close()
    lines = spool.reading().text.split("\n")
    assert len(lines) in (rows + 1, rows + 2)
    folded = [cell_text(cell) for cell in cells]
    assert folded == [" ".join(normalise(cell).split()) for cell in cells]
    if rows == 300:
        assert lines[150] == "\t".join([*folded, "end"])


def test_a_late_row_of_backticks_does_not_end_the_fence(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    grid = Grid(spool)
    for row in [["x"]] * 250 + [["````"], ["```` a"], ["y"]]:
        grid.add(row)
    grid.close()
    lines = spool.reading().text.splitlines()
    assert lines[0] == lines[-1] == "```"
    assert lines[-4:-1] == ["    ````", "```` a", "y"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_no_word_about_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*_: object) -> NoReturn:
        raise OSError(number, "no room")

    path = tmp_path / "blob"
    path.write_text("a,b\n" * 1000)
    monkeypatch.setattr("centinel.readers.delimited.Spool", partial(Spool, in_memory=100))
    monkeypatch.setattr("tempfile.mkstemp", fails)
    with pytest.raises(OSError, match="no room"):
        read(Document(path, "csv"), ["csv"])
