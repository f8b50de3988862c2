"""A workbook in a file of which one sheet's rows are exchanged, so that a library that holds whole
sheets gets a large one piece by piece.  What all sheets share is written once, and to disk."""

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_LEFT_OUT = ("xl/worksheets/", "xl/media/", "xl/drawings/", "xl/embeddings/", "xl/charts/")
_CHUNK = 1 << 20
_END_RECORD = 22
_DIRECTORY_AT = slice(16, 20)
"""Where a zip's end record says at which byte its directory begins (APPNOTE.TXT 4.3.16)."""


@contextmanager
def exchanged(
    archive: zipfile.ZipFile, part: str, folder: Path
) -> Iterator[Callable[[bytes], Path]]:
    """Gives a function that returns a workbook in which `part` holds what it is given, and the
    other sheets nothing: the same file in `folder` each time, gone afterwards."""
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".xlsx") as file:
        path = Path(file.name)
        _write_shared(archive, part, path)
        with path.open("rb") as whole:
            whole.seek(-_END_RECORD, 2)
            start = int.from_bytes(whole.read()[_DIRECTORY_AT], "little")
            whole.seek(start)
            directory = whole.read()

        def holding(xml: bytes) -> Path:
            with path.open("r+b") as whole:
                whole.seek(start)
                whole.write(directory)
                whole.truncate()
            with zipfile.ZipFile(path, "a", zipfile.ZIP_STORED) as workbook:
                workbook.writestr(part, xml)
            return path

        yield holding


def _write_shared(archive: zipfile.ZipFile, part: str, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as workbook:
        for entry in archive.infolist():
            name = entry.filename
            if name == part or name.startswith(_LEFT_OUT) or not name.endswith((".xml", ".rels")):
                continue
            with archive.open(entry) as source, workbook.open(name, "w") as target:
                shutil.copyfileobj(source, target, _CHUNK)
