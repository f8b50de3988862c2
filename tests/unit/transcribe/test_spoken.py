"""What is kept of what an engine says: words, in times that are those of the recording."""

import io
import math

import pytest
import webvtt
from hypothesis import given
from hypothesis import strategies as st

from centinel.readers.timed_text import render
from centinel.transcribe.spoken import Heard, Segment, cues, kept, web_vtt
from centinel.transcribe.stretches import RATE, Stretch
from tests.unit.support import PROPERTY, assert_valid

AT_TEN = Stretch(10 * RATE, 14 * RATE)


def test_times_are_those_of_the_recording() -> None:
    found = kept(AT_TEN, [Heard(0.5, 2.0, " Good  evening. ", 0.91234)])
    assert found.segments == (Segment(10.5, 12.0, "Good evening.", 0.9123),)


def test_times_beyond_the_stretch_are_clamped_to_it() -> None:
    found = kept(AT_TEN, [Heard(-1, 2, "a", 0.9), Heard(3, 30, "b", 0.9), Heard(40, 50, "c", 0.9)])
    assert [(each.start, each.end) for each in found.segments] == [(10, 12), (13, 14), (14, 14)]


@pytest.mark.parametrize(
    "text",
    [
        "[BLANK_AUDIO]",
        "(upbeat music)",
        "[wind] (door)",
        "♪ ♪",
        "*laughs*",
        "...",
        " - ",
        "[MUSIC]",
    ],
)
def test_texts_about_sounds_are_dropped_and_counted(text: str) -> None:
    assert kept(AT_TEN, [Heard(0, 1, text, 0.9)]) == kept(AT_TEN, []).__class__((), 1)


@pytest.mark.parametrize("text", ["Yes.", "[inaudible] so moved", "♪ la la ♪", "Über uns", "是"])
def test_words_are_kept(text: str) -> None:
    assert [each.text for each in kept(AT_TEN, [Heard(0, 1, text, 0.9)]).segments] == [text]


def test_a_text_without_a_character_is_not_counted() -> None:
    assert kept(AT_TEN, [Heard(0, 1, "  ", 0.9)]).dropped == 0


@pytest.mark.parametrize(("probability", "is_unsure"), [(0.549, True), (0.55, False), (None, True)])
def test_what_is_not_sure_is_kept_and_marked(probability: float | None, is_unsure: bool) -> None:
    segment = Segment(0, 1, "So moved.", probability)
    assert segment.is_unsure is is_unsure
    assert render(cues([segment])) == f"[00:00:00] {'[?] ' if is_unsure else ''}So moved."


def test_a_probability_that_is_no_number_is_unknown() -> None:
    (segment,) = kept(AT_TEN, [Heard(0, 1, "Yes.", math.nan)]).segments
    assert segment.probability is None
    assert_valid([segment.to_json()], "segment")


def test_captions_are_web_vtt() -> None:
    segments = [Segment(0, 1.5, "A < B & C --> D", 0.9), Segment(3600.25, 3600.25, "So?", 0.3)]
    captions = webvtt.from_buffer(io.StringIO(web_vtt(segments))).captions
    assert [(each.start, each.end) for each in captions] == [
        ("00:00:00.000", "00:00:01.500"),
        ("01:00:00.250", "01:00:00.251"),
    ]
    assert [each.raw_text for each in captions] == ["A &lt; B &amp; C --&gt; D", "[?] So?"]


@PROPERTY
@given(st.floats(), st.floats(), st.text(max_size=40), st.floats())
def test_whatever_an_engine_says_stays_in_its_stretch(
    start: float, end: float, text: str, probability: float
) -> None:
    for each in kept(AT_TEN, [Heard(start, end, text, probability)]).segments:
        assert 10 <= each.start <= each.end <= 14
        assert each.text.strip()
