"""What paragraphs with times are, whatever the cues."""

import re

from hypothesis import given
from hypothesis import strategies as st

from centinel.readers.timed_text import Cue, clock, render, without_repeats
from tests.unit.support import PROPERTY

WORDS = st.text("abcde.?! \n\t", max_size=40)
CUES = st.lists(
    st.builds(
        Cue,
        start=st.floats(-20, 90_000),
        end=st.floats(-20, 90_000),
        text=WORDS,
        speaker=st.sampled_from([None, None, "Ann", "Bo"]),
    ),
    max_size=60,
)
PARAGRAPH = re.compile(r"\[(\d\d+):(\d\d):(\d\d)\] (?:(Ann|Bo): )?(\S.*)")


def times(text: str) -> list[int]:
    """The time of each paragraph, in seconds."""
    found = [PARAGRAPH.fullmatch(each) for each in text.split("\n\n")] if text else []
    assert all(found), text
    return [int(m[1]) * 3600 + int(m[2]) * 60 + int(m[3]) for m in found if m]


@given(CUES)
@PROPERTY
def test_no_word_is_lost_or_moved_and_times_ascend(cues: list[Cue]) -> None:
    text = render(cues)
    stated = times(text)
    assert stated == sorted(stated)
    assert all(each >= 0 for each in stated)
    ordered = sorted(cues, key=lambda cue: cue.start)
    bodies = [PARAGRAPH.fullmatch(each) for each in text.split("\n\n")] if text else []
    words = [word for body in bodies if body for word in body[5].split()]
    assert words == [word for cue in ordered for word in cue.text.split()]


@given(CUES)
@PROPERTY
def test_merging_only_takes_what_stands_before(cues: list[Cue]) -> None:
    merged = without_repeats(cues)
    before = [word for cue in cues for word in cue.text.split()]
    after = [word for cue in merged.cues for word in cue.text.split()]
    assert set(after) == set(before)
    assert len(after) <= len(before)
    assert merged.repeating or after == before


def said(count: int, start: float = 0.0, end: str = "x", speaker: str | None = None) -> Cue:
    return Cue(start, start + 1, "x" * (count - 1) + end, speaker)


def test_a_paragraph_ends_with_its_sentence_or_when_it_is_too_long() -> None:
    assert len(times(render([said(599, end="."), said(5, 1)]))) == 1
    assert len(times(render([said(600, end="?"), said(5, 1)]))) == 2
    assert len(times(render([said(600), said(5, 1)]))) == 1
    assert len(times(render([said(1199), said(5, 1), said(5, 2)]))) == 2
    assert len(times(render([said(1200), said(5, 1)]))) == 2


def test_a_pause_of_more_than_ten_seconds_opens_a_paragraph() -> None:
    assert times(render([said(5), said(5, 11.0)])) == [0]
    assert times(render([said(5), said(5, 11.01)])) == [0, 11]
    # The cue that ends last counts, where they overlap.
    assert times(render([Cue(0, 30, "a"), Cue(1, 2, "b"), Cue(39, 40, "c")])) == [0]


def test_another_speaker_opens_a_paragraph() -> None:
    cues = [said(2, 0, ".", "Ann"), said(2, 1, ".", "Ann"), said(2, 2, "."), said(2, 3, ".", "Bo")]
    assert render(cues).split("\n\n") == [
        "[00:00:00] Ann: x. x.",
        "[00:00:02] x.",
        "[00:00:03] Bo: x.",
    ]


def test_times_before_zero_are_zero_and_long_ones_are_whole() -> None:
    assert clock(-3.2) == "00:00:00"
    assert clock(59.999) == "00:00:59"
    assert clock(400_000) == "111:06:40"


def test_cues_that_are_the_same_in_everything_are_one() -> None:
    cue = Cue(1, 2, "once")
    merged = without_repeats([cue, cue, Cue(3, 4, "twice"), Cue(4, 5, "twice")])
    assert [each.text for each in merged.cues] == ["once", "twice", "twice"]
    assert merged.repeating == 1
