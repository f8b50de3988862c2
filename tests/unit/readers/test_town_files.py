"""The town's captions, mail and archives say what they should, and their members are there."""

from pathlib import Path

import pytest

from centinel import members
from centinel.members import Holder
from centinel.readers.document import Document
from centinel.readers.reading import read
from tests.sites.server import Answer
from tests.sites.town import EXPECTED, build

READERS = {
    "captions": "captions",
    "mail": "mail",
    "archive": "archive",
    "zip-container": "archive",
}
READ = sorted(path for path, expected in EXPECTED.items() if expected.kind in READERS)
HELD = {
    "/media/correspondence/petition.eml": ["signatures.csv"],
    "/media/council/hearing-package.zip": ["development-guide.docx", "otter-week.txt"],
    "/media/archive/minutes-1998.tar.gz": ["minutes/1998-03.txt", "minutes/README"],
}


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    """Everything that the town serves."""
    return dict(build("http://127.0.0.1"))


@pytest.mark.parametrize("path", READ)
def test_captions_mail_and_archives_of_the_town_are_read(
    answers: dict[str, Answer], path: str, tmp_path: Path
) -> None:
    expected, answer = EXPECTED[path], answers[path]
    assert expected.kind is not None
    blob = tmp_path / "blob"
    blob.write_bytes(answer.body)
    document = Document(blob, expected.kind, answer.content_type)
    outcome = read(document, [READERS[expected.kind]])
    assert outcome.outcome == expected.outcome
    assert [word for word in expected.words if word not in (outcome.text or "")] == []


@pytest.mark.parametrize("path", HELD)
def test_what_they_hold_are_members(answers: dict[str, Answer], path: str, tmp_path: Path) -> None:
    kind = EXPECTED[path].kind
    assert kind is not None
    blob = tmp_path / "blob"
    blob.write_bytes(answers[path].body)
    holder = Holder(f"http://127.0.0.1{path}", blob, kind)
    found = members.parts_of(holder, members.room(1 << 20))
    assert found.addresses == tuple(f"{holder.artifact}!/{name}" for name in HELD[path])
    assert found.notes == ()
