"""Recordings of a site become texts, each once, and wait where something for it is missing."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from centinel.schemas import validator
from tests.recordings import making
from tests.recordings.making import SENTENCES, joined, silence, spoken
from tests.sites.server import Answer
from tests.workflow.place import Place, html
from tests.workflow.running import Ran, Workflow, read_lines, wait_until

AGAIN = "/media/again.mp3"
AUDIO, FILM, QUIET = "/media/council.mp3", "/media/hearing.mp4", "/media/quiet.wav"


@pytest.fixture
def town(place: Place, tmp_path: Path) -> Workflow:
    """A page, a sound file at two addresses, a film, and silence."""
    making.require("ffmpeg", "ffprobe")
    sound = making.encoded(tmp_path / "a.mp3", joined(silence(1), spoken(SENTENCES[0])))
    film = making.film(tmp_path / "a.mp4", spoken(SENTENCES[1]))
    quiet = making.write_wav(tmp_path / "a.wav", silence(3))
    place.add("/council", html("Council"))
    place.add(AUDIO, Answer(sound.read_bytes(), "audio/mpeg"))
    place.add(AGAIN, Answer(sound.read_bytes(), "audio/mpeg"))
    place.add(FILM, Answer(film.read_bytes(), "video/mp4"))
    place.add(QUIET, Answer(quiet.read_bytes(), "audio/wav"))
    return Workflow.make(tmp_path / "run", {"town": place.block()})


def run(workflow: Workflow, folder: Path, *arguments: str, model: Path | None = None) -> Ran:
    """Runs it with no model at hand, or with this file."""
    config = [f"transcribe={{model: {model}}}"] if model else []
    environment = {"CENTINEL_MODELS": str(folder / "no models")}
    return workflow.run(*arguments, config=config, environment=environment)


def outcomes(workflow: Workflow, place: Place) -> Mapping[str, str]:
    derived = workflow.derived("town")
    return {path: derived[place.at(path)]["outcome"] for path in (AUDIO, AGAIN, FILM, QUIET)}


def text(workflow: Workflow, place: Place, path: str) -> str:
    line = workflow.derived("town")[place.at(path)]
    return (workflow.source("town") / line["text"]).read_text()


def faults(name: str, value: Any) -> list[str]:
    return [fault.message for fault in validator(name).iter_errors(value)]


def test_recordings_wait_for_a_model_and_are_then_heard_once_each(
    place: Place, town: Workflow, tmp_path: Path
) -> None:
    first = run(town, tmp_path).succeeded()

    assert first.jobs["transcribe"] == 0
    assert set(outcomes(town, place).values()) == {"waiting"}
    waiting = town.derived("town")[place.at(AUDIO)]
    assert waiting["reason"] == "the model tiny.en is not here: centinel models pull tiny.en"
    assert run(town, tmp_path).succeeded().had_nothing_to_do

    model = making.model()
    heard = run(town, tmp_path, model=model).succeeded()

    assert heard.jobs == Counter(
        {"transcribe": 3, "extract": 2, "report": 1, "overview": 1, "all": 1}
    )
    assert outcomes(town, place) == {
        AUDIO: "text",
        AGAIN: "text",
        FILM: "text",
        QUIET: "underivable",
    }
    assert making.word_error_rate(SENTENCES[0], spoken_in(text(town, place, AUDIO))) <= 0.2
    assert making.word_error_rate(SENTENCES[1], spoken_in(text(town, place, FILM))) <= 0.2
    assert town.derived("town")[place.at(QUIET)]["reason"].startswith("no speech was heard")
    assert run(town, tmp_path, model=model).succeeded().had_nothing_to_do
    assert_is_as_its_schemas_say(town)

    before = town.times("town", "text/**/*")
    gone = run(town, tmp_path).succeeded()  # the model is not there any more
    assert gone.jobs["transcribe"] == 0
    assert town.times("town", "text/**/*") == before
    assert outcomes(town, place)[AUDIO] == "text"


def spoken_in(markdown: str) -> str:
    """The words of a text, without times."""
    lines = [line for line in markdown.splitlines() if line.startswith("[")]
    return " ".join(line.partition("] ")[2] for line in lines)


def assert_is_as_its_schemas_say(town: Workflow) -> None:
    root = town.source("town")
    about = [orjson.loads(p.read_bytes()) for p in root.glob("derived/*/*/recordings/*.json")]
    assert len(about) == 3
    assert [faults("transcript", each) for each in about] == [[], [], []]
    made = [orjson.loads(path.read_bytes()) for path in root.glob("text/*/v1-*/*/*.json")]
    assert made
    assert [fault for each in made for fault in faults("derivation", each)] == []
    files = sorted(root.glob("text/*/v1-tiny.en/*/*.segments.jsonl"))
    assert [
        fault for p in files for each in read_lines(p) for fault in faults("segment", each)
    ] == []
    assert len(files) == len(list(root.glob("text/*/v1-tiny.en/*/*.vtt"))) == 2
    assert list(root.glob("text/*/*/*/*.part")) == []


@pytest.mark.slow
def test_one_new_recording_is_one_transcription(
    place: Place, town: Workflow, tmp_path: Path
) -> None:
    model = making.model()
    run(town, tmp_path, model=model).succeeded()
    sound = making.encoded(tmp_path / "new.mp3", spoken(SENTENCES[2]))
    place.add("/media/new.mp3", Answer(sound.read_bytes(), "audio/mpeg"))

    ran = run(town, tmp_path, "-R", "enumerate", model=model).succeeded()

    assert (ran.jobs["transcribe"], ran.jobs["extract"]) == (1, 1)
    assert (
        making.word_error_rate(SENTENCES[2], spoken_in(text(town, place, "/media/new.mp3"))) <= 0.2
    )


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_behind_what_was_heard(place: Place, tmp_path: Path) -> None:
    making.require("ffmpeg", "ffprobe")
    sound = making.encoded(tmp_path / "a.mp3", spoken(making.MEETING))
    place.add(AUDIO, Answer(sound.read_bytes(), "audio/mpeg"))
    workflow = Workflow.make(tmp_path / "run", {"town": place.block()})
    config = [f"transcribe={{model: {making.model()}}}"]

    def heard() -> list[bytes]:
        parts = list(workflow.source("town").glob("text/audio/*/*/*.part"))
        return parts[0].read_bytes().splitlines()[1:] if parts else []

    with workflow.started(config=config) as running:
        wait_until(lambda: len(heard()) > 0, "a stretch is heard", within=120)
        running.kill()
    wait_until(lambda: not workflow.processes(), "its processes have ended")
    before = heard()

    ran = workflow.run(config=config).succeeded()

    assert ran.jobs["transcribe"] == 1
    assert heard() == [], "what was heard stands elsewhere now"
    said = spoken_in(text(workflow, place, AUDIO))
    assert making.word_error_rate(making.MEETING, said) <= 0.15
    segments = list(read_lines(next(workflow.source("town").rglob("*.segments.jsonl"))))
    assert segments[0] == orjson.loads(before[0])["segments"][0]


@pytest.mark.slow
def test_what_derived_lines_are_gone_of_is_not_heard_again(
    place: Place, town: Workflow, tmp_path: Path
) -> None:
    model = making.model()
    run(town, tmp_path, model=model).succeeded()
    before = town.times("town", "text/**/*.md")
    for path in town.source("town").glob("derived/*/*/recordings/*.json"):
        path.unlink()
    (town.source("town") / "report.html").unlink()

    run(town, tmp_path, model=model).succeeded()

    assert town.times("town", "text/**/*.md") == before
    assert outcomes(town, place)[AUDIO] == "text"


@pytest.mark.slow
def test_a_model_that_is_cut_in_half_leaves_recordings_waiting(
    place: Place, town: Workflow, tmp_path: Path
) -> None:
    half = tmp_path / "ggml-tiny.en.bin"
    half.write_bytes(making.model().read_bytes()[:40_000_000])
    ran = run(town, tmp_path, model=half).succeeded()
    assert ran.jobs["transcribe"] == 0
    line = town.derived("town")[place.at(AUDIO)]
    assert line["outcome"] == "waiting"
    assert "cut short, at byte 40000000" in line["reason"]
    assert town.derived("town")[place.at("/council")]["outcome"] == "text"


def test_an_unknown_model_stops_the_run_before_the_first_request(
    place: Place, tmp_path: Path
) -> None:
    workflow = Workflow.make(tmp_path / "run", {"town": place.block()})
    ran = workflow.run(config=["transcribe={model: tinny}"]).failed()
    assert len(ran.own_lines) == 1
    assert "config/config.yaml: transcribe.model: no model 'tinny'" in ran.own_lines[0]
    assert place.paths() == []
