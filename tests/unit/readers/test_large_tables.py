"""Tables of half a gigabyte are read below one, measured in a process of their own."""

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.readers.packages import xlsx

MOST_MEMORY = 1 << 30
READ = """
import json, resource, sys
from pathlib import Path
from centinel.readers.document import Document
from centinel.readers.registry import by_name
path, kind, name, scratch = sys.argv[1:]
reading = by_name(name).read(Document(Path(path), kind, scratch=Path(scratch)))
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([str(reading.file), list(reading.notes), memory]))
"""


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Path]:
    """Yields a folder that is gone after the test: pytest would keep gigabytes."""
    yield tmp_path
    shutil.rmtree(tmp_path)


def read(path: Path, kind: str, reader: str, scratch: Path) -> tuple[Path, list[str], int]:
    """Returns the file that a reader made, its notes, and the bytes of memory that it took."""
    scratch.mkdir()
    arguments = [str(path), kind, reader, str(scratch)]
    environment = {"PYTHONPATH": str(Path(__file__).parents[3] / "scripts")}
    done = subprocess.run(
        [sys.executable, "-c", READ, *arguments], env=environment, capture_output=True, check=True
    )
    file, notes, memory = json.loads(done.stdout)
    return Path(file), notes, memory


def last_lines(path: Path, count: int) -> list[str]:
    with path.open("rb") as file:
        file.seek(-2000, 2)
        return file.read().decode().splitlines()[-count:]


@pytest.mark.slow
def test_a_csv_of_500_megabytes(room: Path) -> None:
    path, row = room / "blob", "{0},Person Number {0},12345.25,2026-05-01,Köln,of some length\n"
    with path.open("w", encoding="utf-8") as file:
        count = 0
        while file.tell() < 500 << 20:
            file.writelines(row.format(count + n) for n in range(100_000))
            count += 100_000
    text, notes, memory = read(path, "csv", "csv", room / "scratch")
    assert memory < MOST_MEMORY
    assert notes == []
    assert last_lines(text, 2) == [row.format(count - 1).strip().replace(",", "\t"), "```"]


@pytest.mark.slow
def test_text_of_500_megabytes(room: Path) -> None:
    path, record = room / "blob", f"{{:<60}}{'X' * 113}\n"
    with path.open("w", encoding="utf-8") as file:
        count = 0
        while file.tell() < 500 << 20:
            file.writelines(record.format(count + n) for n in range(100_000))
            count += 100_000
    text, notes, memory = read(path, "text", "text", room / "scratch")
    assert memory < MOST_MEMORY
    assert notes == ["fixed-width records of 173 characters"]
    assert text.stat().st_size == path.stat().st_size


@pytest.mark.slow
def test_a_workbook_of_a_million_rows(room: Path) -> None:
    path = room / "blob"
    path.write_bytes(xlsx({"Data": ""}))
    cells = '<c r="{c}{n}"><v>{n}</v></c>'
    texts = '<c r="{c}{n}" t="inlineStr"><is><t>{c} of {n}</t></is></c>'
    row = '<row r="{n}">' + "".join(
        (texts if place % 2 else cells).replace("{c}", letter)
        for place, letter in enumerate("ABCDEFGHIJ")
    )
    with zipfile.ZipFile(path) as small:
        parts = {name: small.read(name) for name in small.namelist()}
    start, end = parts.pop("xl/worksheets/sheet1.xml").split(b"</sheetData>")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
        with archive.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(start)
            for first in range(1, 1_000_001, 10_000):
                written = (row.format(n=n) + "</row>" for n in range(first, first + 10_000))
                sheet.write("".join(written).encode())
            sheet.write(b"</sheetData>" + end)
    text, notes, memory = read(path, "spreadsheet", "calamine", room / "scratch")
    assert memory < MOST_MEMORY
    assert notes == []
    last = "\t".join(
        f"{letter} of 1000000" if place % 2 else "1000000"
        for place, letter in enumerate("ABCDEFGHIJ")
    )
    assert last_lines(text, 2) == [last, "```"]
