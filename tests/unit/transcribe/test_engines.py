"""Each trap of an engine is an error, and none a wrong answer."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from centinel.transcribe import engines
from centinel.transcribe.engines import ENGINES, EngineFault, Loaded, checked, engine
from centinel.transcribe.stretches import RATE
from tests.recordings import making

SECOND = np.zeros(RATE, np.float32)


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        (np.zeros(0, np.float32), "too few"),
        (np.zeros(1599, np.float32), "too few"),
        (np.zeros(RATE, np.int16), "int16 samples"),
        (np.zeros(RATE, np.float64), "float64 samples"),
        (np.zeros((RATE, 2), np.float32), "of 2 dimensions"),
        (np.full(RATE, np.nan, np.float32), "no numbers"),
        (np.full(RATE, np.inf, np.float32), "no numbers"),
        (np.full(RATE, 300, np.float32), "outside -1 to 1"),
    ],
)
def test_what_an_engine_would_answer_with_nonsense_is_not_asked(samples: Any, said: str) -> None:
    with pytest.raises(EngineFault, match=said):
        checked(samples)


class Binding:
    """Stands for the compiled module of pywhispercpp, and fails as it does."""

    whisper_sampling_strategy = SimpleNamespace(WHISPER_SAMPLING_GREEDY=0)

    def __init__(self, code: int) -> None:
        self.code = code
        self.given: list[SimpleNamespace] = []

    def whisper_full_default_params(self, _strategy: int) -> SimpleNamespace:
        return SimpleNamespace()

    def assign_encoder_begin_callback(self, parameters: SimpleNamespace, function: Any) -> None:
        assert function(None) is True, "False would end the call"
        self.given.append(parameters)

    def whisper_full(self, *_: Any) -> int:
        return self.code

    def whisper_full_n_segments(self, _context: Any) -> int:
        return 0

    def whisper_pcm_to_mel(self, *_: Any) -> int:
        return self.code

    def whisper_lang_max_id(self) -> int:
        return 98

    def whisper_lang_auto_detect(self, *_: Any) -> int:
        return -3


def loaded(binding: Binding) -> Loaded:
    return engines._PyWhisperCpp(binding, None, 3, lambda: None)


@pytest.mark.parametrize("code", [-6, -9, 1])
def test_an_aborted_call_is_no_empty_transcript(code: int) -> None:
    with pytest.raises(EngineFault, match=f"returned {code}"):
        loaded(Binding(code)).transcribe(SECOND, "en")


@pytest.mark.parametrize("code", [0, -2])
def test_a_language_that_is_not_found_is_a_fault(code: int) -> None:
    with pytest.raises(EngineFault, match="returned"):
        loaded(Binding(code)).detect(SECOND)


def test_each_call_has_parameters_of_its_own() -> None:
    binding = Binding(0)
    for language in ("en", "de"):
        loaded(binding).transcribe(SECOND, language)
    first, second = binding.given
    assert (first.language, second.language) == ("en", "de")
    assert (first.temperature, first.n_threads, first.no_context) == (0.0, 3, True)


def test_no_token_has_no_probability() -> None:
    assert math.isnan(engines._mean([]))
    assert engines._mean([0.25, 1.0]) == pytest.approx(0.5)
    assert engines._mean([0.0]) < 0.01


@pytest.mark.parametrize("chosen", ENGINES, ids=lambda each: each.name)
def test_an_engine_says_what_was_said(chosen: engines.Engine) -> None:
    """Every engine that is installed; the second one is, in an environment of its own: .ci/run."""
    if not chosen.is_at_hand:
        pytest.skip(f"{chosen.name} is not installed: {chosen.install}")
    beats: list[int] = []
    ready = chosen.load(making.model(), 1, lambda: beats.append(1))
    said = making.joined(
        making.silence(0.3), making.spoken(making.SENTENCES[0]), making.silence(0.3)
    )
    heard = ready.transcribe(said, "en")
    text = " ".join(each.text for each in heard)
    assert making.word_error_rate(making.SENTENCES[0], text) <= 0.2
    assert all(0.3 < each.probability <= 1 for each in heard)
    assert heard[0].start < 1
    assert beats, "it says that it lives, at each window at least"
    assert ready.transcribe(said, "en") == heard, "the same every time"


def test_what_is_not_installed_has_no_version() -> None:
    load = engine("pywhispercpp").load
    absent = engines.Engine("x", "no_such_module_at_all", "no-such-thing", "", load)
    assert (absent.is_at_hand, absent.version) == (False, "unknown")
