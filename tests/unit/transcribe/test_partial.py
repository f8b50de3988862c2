"""What was heard is on disk after each stretch, and is gone on with where it can be."""

from pathlib import Path

import pytest

from centinel.transcribe.partial import Part, Partial
from centinel.transcribe.stretches import Stretch

SETTINGS = {"model": "tiny.en"}
FIRST = Part(Stretch(0, 100), ({"text": "Yes."},), 1, "en", 0.98)
SECOND = Part(Stretch(200, 300), reason="the engine died")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ab" / "heard.part"
    with Partial(path, SETTINGS) as partial:
        partial.add(FIRST)
        partial.add(SECOND)
    return path


def found(path: Path, settings: dict[str, str] = SETTINGS) -> list[Part]:
    with Partial(path, settings) as partial:
        return list(partial.parts.values())


def test_what_is_there_is_gone_on_with(path: Path) -> None:
    with Partial(path, SETTINGS) as partial:
        assert partial.parts == {FIRST.stretch: FIRST, SECOND.stretch: SECOND}
        partial.add(Part(Stretch(400, 500)))
    assert found(path) == [FIRST, SECOND, Part(Stretch(400, 500))]


def test_what_other_settings_gave_is_not(path: Path) -> None:
    assert found(path, {"model": "base"}) == []
    assert found(path) == [], "it was begun anew"


@pytest.mark.parametrize("torn", [b'{"stretch": [40', b"\xff\xfe\n", b"[]\n", b'{"stretch": 7}\n'])
def test_a_torn_line_and_what_follows_are_done_again(path: Path, torn: bytes) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    with Partial(path, SETTINGS) as partial:
        assert list(partial.parts.values()) == [FIRST, SECOND]
        partial.add(Part(Stretch(400, 500)))
    assert found(path) == [FIRST, SECOND, Part(Stretch(400, 500))]
    assert path.read_bytes().startswith(whole)


@pytest.mark.parametrize("content", [b"", b"{}\n", b"null\n", b'{"settings"'])
def test_a_file_without_a_head_is_begun_anew(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert found(path) == []
