"""A recording is heard by the stretch: its language found out once, what is done passed over."""

from pathlib import Path
from typing import Any

import pytest

from centinel.transcribe.engines import EngineFault
from centinel.transcribe.listening import Listened, Listener, Watcher
from centinel.transcribe.spoken import Heard
from centinel.transcribe.stretches import RATE, GateSettings, Stretch
from tests.recordings import making
from tests.recordings.making import SENTENCES, joined, noise, silence, spoken


class Engine:
    """Notes what it is asked, and fails where it is told to."""

    def __init__(self, fails_on: int = -1) -> None:
        self.lengths: list[float] = []
        self.languages: list[str] = []
        self.detected = 0
        self.fails_on = fails_on

    def detect(self, samples: Any) -> tuple[str, float]:  # noqa: ARG002
        self.detected += 1
        return "de", 0.9

    def transcribe(self, samples: Any, language: str) -> list[Heard]:
        self.lengths.append(samples.size / RATE)
        self.languages.append(language)
        if len(self.lengths) == self.fails_on:
            raise EngineFault("whisper_full returned -6")
        return [Heard(0, 1, "Ja.", 0.9)]


class Events:
    """What a watcher is told, in order."""

    def __init__(self) -> None:
        self.told: list[tuple[str, float]] = []
        self.languages: list[tuple[str, float | None]] = []

    def watcher(self) -> Watcher:
        def heard(stretch: Stretch, _: list[Heard], language: str, p: float | None) -> None:
            self.told.append(("heard", round(stretch.start)))
            self.languages.append((language, p))

        return Watcher(
            alive=lambda _: None,
            begins=lambda stretch: self.told.append(("begins", round(stretch.start))),
            heard=heard,
            lost=lambda stretch, _: self.told.append(("lost", round(stretch.start))),
        )


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A sentence from 5 s on, another from 25 s on, a third from 45 s on."""
    making.require("ffmpeg")
    parts = [silence(5)]
    for number, sentence in enumerate(SENTENCES):
        voice = spoken(sentence)
        parts += [voice, noise(20 - len(voice) / RATE, 0.003, number)]
    return making.write_wav(tmp_path / "a.wav", joined(*parts))


def listen(path: Path, engine: Engine, *done: Stretch, **given: Any) -> tuple[Events, Listened]:
    events = Events()
    language = given.get("language")
    listener = Listener(engine, language, GateSettings(), frozenset(done), events.watcher())
    return events, listener.listen(path)


def test_each_stretch_is_one_call_and_the_language_is_found_out_once(recording: Path) -> None:
    engine = Engine()
    events, ended = listen(recording, engine)
    starts = [5, 25, 45]
    assert events.told == [(what, at) for at in starts for what in ("begins", "heard")]
    assert (engine.detected, engine.languages) == (1, ["de"] * 3)
    assert events.languages == [("de", 0.9), ("de", None), ("de", None)]
    assert ended.seconds == pytest.approx(65, abs=0.1)
    assert (ended.stretches, ended.not_numbers, ended.fault) == (3, 0, None)
    lengths = [len(spoken(each)) / RATE for each in SENTENCES]
    assert engine.lengths == [pytest.approx(length, abs=0.9) for length in lengths]
    assert ended.spoken == pytest.approx(sum(lengths), abs=2.5)


def test_a_language_that_is_given_is_not_looked_for(recording: Path) -> None:
    engine = Engine()
    listen(recording, engine, language="en")
    assert (engine.detected, engine.languages) == (0, ["en"] * 3)


def test_what_is_done_is_passed_over(recording: Path) -> None:
    heard: list[Stretch] = []
    first = Events()
    watcher = first.watcher()
    noting = Watcher(watcher.alive, heard.append, watcher.heard, watcher.lost)
    Listener(Engine(), "en", GateSettings(), frozenset(), noting).listen(recording)
    engine = Engine()
    events, ended = listen(recording, engine, *heard[:2], language="en")
    assert events.told == [("begins", 45), ("heard", 45)]
    assert ended.stretches == 3


def test_a_stretch_that_fails_is_lost_and_the_others_are_heard(recording: Path) -> None:
    events, _ = listen(recording, Engine(fails_on=2), language="en")
    assert [what for what, _ in events.told if what != "begins"] == ["heard", "lost", "heard"]
