"""Where somebody speaks: whole, in order, and never more than the engine can take."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel.transcribe.stretches import FRAME, RATE, GateSettings, Stretch, Stretches
from tests.unit.support import PROPERTY

SETTINGS = GateSettings()
SECOND = RATE / FRAME


def stretches(*parts: tuple[float, float]) -> list[Stretch]:
    """The stretches of parts that last so many seconds, each with one probability."""
    return of([p for seconds, p in parts for _ in range(round(seconds * SECOND))])


def of(probabilities: Sequence[float], samples: int | None = None) -> list[Stretch]:
    taking = Stretches()
    found = [each for p in probabilities for each in taking.take(p)]
    return found + taking.end(len(probabilities) * FRAME if samples is None else samples)


def seconds(found: list[Stretch]) -> list[tuple[float, float]]:
    return [(round(each.start, 1), round(each.end, 1)) for each in found]


def test_silence_has_no_stretch() -> None:
    assert stretches((600, 0.01)) == []
    assert of([]) == []


def test_speech_has_its_pads() -> None:
    assert seconds(stretches((10, 0.0), (5, 0.9), (10, 0.0))) == [(9.8, 15.2)]


def test_speech_at_the_ends_is_clamped_to_the_recording() -> None:
    assert seconds(stretches((5, 0.9))) == [(0.0, 5.0)]


def test_a_click_is_no_speech() -> None:
    assert stretches((5, 0.0), (0.1, 0.99), (5, 0.0)) == []


def test_a_doubtful_voice_goes_on_but_does_not_begin() -> None:
    assert stretches((5, 0.0), (5, 0.4), (5, 0.0)) == []
    assert seconds(stretches((5, 0.0), (1, 0.9), (4, 0.4), (5, 0.0))) == [(4.8, 10.2)]


def test_a_short_pause_is_kept_and_a_long_one_is_not() -> None:
    assert seconds(stretches((5, 0.9), (5.5, 0.0), (5, 0.9), (9, 0.0))) == [(0.0, 15.7)]
    found = seconds(stretches((5, 0.9), (6.5, 0.0), (5, 0.9), (9, 0.0)))
    assert found == [(0.0, 5.2), (11.3, 16.7)]


def test_a_stretch_ends_in_a_pause_before_it_is_too_long() -> None:
    found = seconds(stretches((20, 0.9), (1, 0.0), (20, 0.9), (9, 0.0)))
    assert found == [(0.0, 20.2), (20.8, 41.2)]


def test_neighbours_share_a_pause_that_is_shorter_than_two_pads() -> None:
    first, second = stretches((20, 0.9), (0.35, 0.0), (20, 0.9), (9, 0.0))
    assert first.last <= second.first
    assert second.start - first.end < 0.05


def test_speech_without_a_pause_is_cut_where_it_is_quietest() -> None:
    found = seconds(stretches((20, 0.9), (0.1, 0.6), (30, 0.9), (5, 0.0)))
    assert found[0] == (0.0, 20.0)
    assert found[1][0] == 20.0


def test_a_stretch_is_given_as_soon_as_it_has_ended() -> None:
    taking = Stretches()
    given_at = [
        number
        for number in range(round(60 * SECOND))
        if taking.take(0.9 if number < 5 * SECOND else 0.0)
    ]
    assert given_at == [pytest.approx(11 * SECOND, abs=3)]


def test_the_speech_that_is_counted_has_no_pauses() -> None:
    taking = Stretches()
    for number in range(round(20 * SECOND)):
        taking.take(0.9 if number % 100 < 50 else 0.0)
    taking.end(20 * RATE)
    assert taking.spoken * FRAME / RATE == pytest.approx(10, abs=0.7)


PARTS = st.lists(
    st.tuples(st.sampled_from([3, 12, 40, 130, 900]), st.sampled_from([0.0, 0.4, 0.6, 0.95])),
    max_size=12,
)


@PROPERTY
@given(PARTS)
def test_stretches_are_in_order_apart_short_and_within(parts: list[tuple[int, float]]) -> None:
    probabilities = [p for count, p in parts for _ in range(count)]
    samples = max(0, len(probabilities) * FRAME - 100)
    found = of(probabilities, samples)
    assert all(0 <= each.first < each.last <= samples for each in found)
    assert all(a.last <= b.first for a, b in pairwise(found))
    assert all(each.end - each.start <= SETTINGS.longest_stretch + 0.1 for each in found)


@PROPERTY
@given(PARTS)
def test_no_clear_speech_is_lost(parts: list[tuple[int, float]]) -> None:
    probabilities = [p for count, p in parts for _ in range(count)]
    covered = of(probabilities)
    place = 0
    for count, p in parts:
        if p >= 0.6 and count >= 12:
            middle = (place + count // 2) * FRAME
            assert any(each.first <= middle < each.last for each in covered), (place, count)
        place += count


@PROPERTY
@given(PARTS)
def test_what_a_stretch_needs_was_never_given_up(parts: list[tuple[int, float]]) -> None:
    taking, floor = Stretches(), 0
    for p in (p for count, p in parts for _ in range(count)):
        for each in taking.take(p):
            assert each.first >= floor
            assert each.last <= taking.taken * FRAME
        assert taking.needed_from >= floor
        floor = taking.needed_from
    for each in taking.end(taking.taken * FRAME):
        assert each.first >= floor
