"""Documents that are large: made here, read in a process that is measured with all its children."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil

from tests.bench.corpus import PROJECT
from tests.bench.measuring import expect

CSV_BYTES = 500_000_000
ROWS = 1_000_000
COLUMNS = 10
PAGES = 2_000
_LOOK_SECONDS = 0.05

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def csv_file(path: Path) -> None:
    """Writes a register of 500 MB."""
    row = '2026-03-01,Quay Street 14,"Repairs, lamps",1204.50,paid,Ann Other,4471\n'
    block = ("date,place,what,cost,state,who,number\n" + row * 10_000).encode()
    with path.open("wb") as stream:
        while stream.tell() < CSV_BYTES:
            stream.write(block)


def workbook(path: Path) -> None:
    """Writes a workbook of a million rows of ten cells, row by row."""
    types = (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
        'relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.'
        'openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/'
        'worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'spreadsheetml.worksheet+xml"/></Types>'
    )
    to_book = f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    to_sheet = f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    book = (
        f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets><sheet name="Register" '
        'sheetId="1" r:id="r1"/></sheets></workbook>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", types)
        for name, relation in (("_rels/.rels", to_book), ("xl/_rels/workbook.xml.rels", to_sheet)):
            relations = f'<Relationships xmlns="{_PACKAGE}/relationships">{relation}'
            archive.writestr(name, f"{relations}</Relationships>")
        archive.writestr("xl/workbook.xml", book)
        with archive.open("xl/worksheets/sheet1.xml", "w") as sheet:
            sheet.write(f'<worksheet xmlns="{_SHEET}"><sheetData>'.encode())
            for number in range(1, ROWS + 1):
                sheet.write(_row(number))
            sheet.write(b"</sheetData></worksheet>")


def _row(number: int) -> bytes:
    cells = [
        f'<c r="{chr(65 + column)}{number}"><v>{number * (column + 1)}</v></c>'
        for column in range(COLUMNS - 1)
    ]
    said = f'<c r="{chr(64 + COLUMNS)}{number}" t="inlineStr"><is><t>Entry {number}</t></is></c>'
    return f'<row r="{number}">{"".join(cells)}{said}</row>'.encode()


def pdf(path: Path) -> None:
    """Writes a PDF of two thousand pages of text."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), A4)
    for page in range(PAGES):
        for line in range(50):
            canvas.drawString(60, 780 - 14 * line, f"Page {page + 1}, line {line}: lamps repaired.")
        canvas.showPage()
    canvas.save()


LARGE: dict[str, Callable[[Path], None]] = {
    "a csv of 500 MB": csv_file,
    "a workbook of a million rows": workbook,
    "a PDF of 2,000 pages": pdf,
}
_SUFFIXES = {csv_file: ".csv", workbook: ".xlsx", pdf: ".pdf"}
_KINDS = {csv_file: "csv", workbook: "spreadsheet", pdf: "pdf"}

_CHILD = """
import json, sys
from pathlib import Path
from centinel.configuration import load_files
from centinel.readers.document import Document
from centinel.readers.isolation import Isolation

path, kind = Path(sys.argv[1]), sys.argv[2]
configuration = load_files(Path(sys.argv[3]))
folder = path.parent / "scratch-large"
with Isolation(configuration.pipeline.orders, folder, configuration.limits) as reads:
    outcome = reads.read(Document(path, kind))
print(json.dumps([outcome.outcome, outcome.reader, outcome.chars, outcome.reason, outcome.notes]))
"""


def peak_and_seconds(
    name: str, make: Callable[[Path], None], folder: Path
) -> tuple[int, float, str]:
    """Returns the most bytes that the reading process and its children held together, its seconds,
    and what came of it; raises Failed where that is no text."""
    path = folder / f"large{_SUFFIXES[make]}"
    make(path)
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(path), _KINDS[make], str(PROJECT)],
        stdout=subprocess.PIPE,
    )
    peak = max(_held(child), default=0)
    seconds = time.perf_counter() - started
    assert child.stdout is not None
    said = child.stdout.read()
    path.unlink()
    expect(child.returncode == 0, f"{name}: the process ended with {child.returncode}")
    outcome, reader, chars, reason, notes = json.loads(said)
    expect(outcome == "text", f"{name}: {outcome}: {reason}")
    return peak, seconds, f"{chars} characters by {reader}; {'; '.join(notes)}"


def _held(child: subprocess.Popen[bytes]) -> Iterator[int]:
    """Yields the resident memory of a process and its children, until it ends."""
    process = psutil.Process(child.pid)
    while child.poll() is None:
        total = 0
        for each in [process, *process.children(recursive=True)]:
            try:
                total += each.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        yield total
        time.sleep(_LOOK_SECONDS)
