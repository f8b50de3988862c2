"""The town's office documents and workbooks, by each reader that takes them."""

from functools import cache
from pathlib import Path

import pytest

from centinel.readers.document import Document
from centinel.readers.reading import read
from tests.sites.server import Answer
from tests.sites.town import EXPECTED, build

READERS = {
    "docx": ["anydoc", "xberg"],
    "pptx": ["anydoc", "xberg"],
    "rtf": ["anydoc", "xberg"],
    "odt": ["anydoc", "xberg", "odfpy"],
    "odp": ["anydoc", "xberg", "odfpy"],
    "xlsx": ["calamine", "openpyxl", "anydoc"],
    "ods": ["calamine", "anydoc", "odfpy"],
}
CASES = [
    (path, reader)
    for path, expected in sorted(EXPECTED.items())
    if expected.kind in ("document", "spreadsheet")
    for reader in READERS[path.rpartition(".")[2]]
]


@cache
def answers() -> dict[str, Answer]:
    """Everything that the town serves."""
    return dict(build("http://127.0.0.1"))


@pytest.mark.parametrize(("path", "reader"), CASES)
def test_office_documents_of_the_town_are_read(path: str, reader: str, tmp_path: Path) -> None:
    expected, answer = EXPECTED[path], answers()[path]
    blob = tmp_path / "blob"
    blob.write_bytes(answer.body)
    outcome = read(Document(blob, expected.kind or "", answer.content_type), [reader])
    assert outcome.outcome == expected.outcome
    assert [word for word in expected.words if word not in (outcome.text or "")] == []
