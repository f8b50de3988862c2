"""The engines that turn sound into text, each behind an adapter that lets none of its traps pass.

Both bind whisper.cpp, which answers several wrong questions without an error: it segfaults on what
is no model, gives the previous answer for no sound at all, and an empty one when it was aborted.
What an adapter cannot turn into an error ends its process, which is why there is one.
"""

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from centinel.transcribe.spoken import Heard
from centinel.transcribe.stretches import RATE

if TYPE_CHECKING:
    import numpy as np

    Samples = np.ndarray[tuple[int], np.dtype[np.float32]]

Alive = Callable[[], None]

LEAST_SAMPLES = RATE // 10
"""Less than 100 ms is no question: whisper.cpp gives nothing, or the answer before."""

TICK = 0.01
"""Seconds of one step of whisper.cpp's times."""


class EngineFault(Exception):
    """The engine did not do what it was asked; the message says what it did."""


class Loaded(Protocol):
    """An engine with its model."""

    def transcribe(self, samples: "Samples", language: str) -> list[Heard]:
        """Returns what is said in a stretch; raises EngineFault."""
        ...

    def detect(self, samples: "Samples") -> tuple[str, float]:
        """Returns the language (ISO 639-1) of a stretch, its probability; raises EngineFault."""
        ...


@dataclass(frozen=True)
class Engine:
    """One way to run a model. Elements of ENGINES."""

    name: str
    """What `transcribe.engine` says."""
    module: str
    distribution: str
    install: str
    """The command that makes it available."""
    load: Callable[[Path, int, Alive], Loaded]
    """Loads a checked model for so many threads; the function is called while it works."""

    @property
    def is_at_hand(self) -> bool:
        return find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The version that is installed, `unknown` where none is."""
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return "unknown"


def checked(samples: "Samples") -> "Samples":
    """Returns the samples as the engines take them.

    Raises EngineFault for what they would answer with nonsense instead of an error: other types
    (an int16 is taken for a number of full scale), too few, values that are no numbers.
    """
    import numpy as np

    if samples.dtype != np.float32 or samples.ndim != 1:
        raise EngineFault(f"{samples.dtype} samples of {samples.ndim} dimensions, not float32 of 1")
    if samples.size < LEAST_SAMPLES:
        raise EngineFault(f"{samples.size} samples are too few: at least {LEAST_SAMPLES}")
    if not np.isfinite(samples).all() or np.abs(samples).max() > 1:
        raise EngineFault("samples outside -1 to 1, or no numbers")
    return np.ascontiguousarray(samples)


def _mean(probabilities: list[float]) -> float:
    """The geometric mean; not a number where there is none."""
    if not probabilities:
        return math.nan
    return math.exp(sum(math.log(max(each, 1e-12)) for each in probabilities) / len(probabilities))


@dataclass
class _PyWhisperCpp:
    """pywhispercpp: its binding is called itself, since its wrapper drops the return code."""

    binding: Any
    context: Any
    threads: int
    alive: Alive

    def transcribe(self, samples: "Samples", language: str) -> list[Heard]:
        binding, context, given = self.binding, self.context, checked(samples)
        parameters = self._parameters(language)
        code = binding.whisper_full(context, parameters, given, given.size)
        if code != 0:
            raise EngineFault(f"whisper_full returned {code}")
        return [self._heard(number) for number in range(binding.whisper_full_n_segments(context))]

    def _parameters(self, language: str) -> Any:
        """New ones for each call: what one call sets would stay for the next.

        The encoder looks at its thirty seconds whole. `audio_ctx` would halve the time of short
        stretches, and made nonsense of thirteen seconds of plain speech (tried).
        """
        binding = self.binding
        greedy = binding.whisper_sampling_strategy.WHISPER_SAMPLING_GREEDY
        parameters = binding.whisper_full_default_params(greedy)
        parameters.n_threads = self.threads
        parameters.language = language
        parameters.no_context = True
        parameters.temperature = 0.0
        parameters.print_progress = False

        def begins(*_given: Any) -> bool:
            self.alive()
            return True

        # Once a window: the one that is asked at each node of the graph cost 7 % of the time.
        binding.assign_encoder_begin_callback(parameters, begins)
        return parameters

    def _heard(self, number: int) -> Heard:
        binding, context = self.binding, self.context
        tokens = binding.whisper_full_n_tokens(context, number)
        said = [binding.whisper_full_get_token_p(context, number, each) for each in range(tokens)]
        return Heard(
            binding.whisper_full_get_segment_t0(context, number) * TICK,
            binding.whisper_full_get_segment_t1(context, number) * TICK,
            binding.whisper_full_get_segment_text(context, number).decode("utf-8", "replace"),
            _mean(said),
        )

    def detect(self, samples: "Samples") -> tuple[str, float]:
        import numpy as np

        binding, context, given = self.binding, self.context, checked(samples)
        if code := binding.whisper_pcm_to_mel(context, given, given.size, self.threads):
            raise EngineFault(f"whisper_pcm_to_mel returned {code}")
        probabilities = np.zeros(binding.whisper_lang_max_id() + 1, np.float32)
        best = binding.whisper_lang_auto_detect(context, 0, self.threads, probabilities)
        if best < 0:
            raise EngineFault(f"whisper_lang_auto_detect returned {best}")
        return binding.whisper_lang_str(best), float(probabilities[best])


def _load_pywhispercpp(model: Path, threads: int, alive: Alive) -> Loaded:
    """Loads a path: a name would be fetched from a hub."""
    import _pywhispercpp as binding

    settings = binding.whisper_context_default_params()
    context = binding.whisper_init_from_file_with_params(str(model), settings)
    if context is None:
        raise EngineFault(f"whisper.cpp does not load {model}")
    return _PyWhisperCpp(binding, context, threads, alive)


@dataclass
class _WhisperCppPython:
    """whisper-cpp-python: its own wrapper samples at random, and asks no null pointer back."""

    binding: Any
    context: Any
    threads: int
    alive: Alive

    def transcribe(self, samples: "Samples", language: str) -> list[Heard]:
        binding, context, given = self.binding, self.context, checked(samples)
        parameters = binding.whisper_full_default_params(0)
        parameters.n_threads = self.threads
        spoken = language.encode()  # kept here while the engine points at it
        parameters.language = spoken
        parameters.no_context = True
        parameters.temperature = 0.0
        for name in ("print_special", "print_progress", "print_realtime", "print_timestamps"):
            setattr(parameters, name, False)
        filtering = type(parameters.logits_filter_callback)
        parameters.logits_filter_callback = filtering(lambda *_: self.alive())
        code = binding.whisper_full(context, parameters, _pointer(given), given.size)
        if code != 0:
            raise EngineFault(f"whisper_full returned {code}")
        return [self._heard(number) for number in range(binding.whisper_full_n_segments(context))]

    def _heard(self, number: int) -> Heard:
        binding, context = self.binding, self.context
        tokens = binding.whisper_full_n_tokens(context, number)
        said = [
            binding.whisper_full_get_token_data(context, number, each).p for each in range(tokens)
        ]
        return Heard(
            binding.whisper_full_get_segment_t0(context, number) * TICK,
            binding.whisper_full_get_segment_t1(context, number) * TICK,
            binding.whisper_full_get_segment_text(context, number).decode("utf-8", "replace"),
            _mean(said),
        )

    def detect(self, samples: "Samples") -> tuple[str, float]:
        binding, context, given = self.binding, self.context, checked(samples)
        size = given.size
        if code := binding.whisper_pcm_to_mel(context, _pointer(given), size, self.threads):
            raise EngineFault(f"whisper_pcm_to_mel returned {code}")
        probabilities = (ctypes.c_float * (binding.whisper_lang_max_id() + 1))()
        best = binding.whisper_lang_auto_detect(context, 0, self.threads, probabilities)
        if best < 0:
            raise EngineFault(f"whisper_lang_auto_detect returned {best}")
        return binding.whisper_lang_str(best).decode(), float(probabilities[best])


def _pointer(samples: "Samples") -> Any:
    return samples.ctypes.data_as(ctypes.POINTER(ctypes.c_float))


def _load_whisper_cpp_python(model: Path, threads: int, alive: Alive) -> Loaded:
    from whisper_cpp_python import whisper_cpp as binding

    context = binding.whisper_init_from_file(str(model).encode())
    if not context:
        raise EngineFault(f"whisper.cpp does not load {model}")
    return _WhisperCppPython(binding, ctypes.c_void_p(context), threads, alive)


ENGINES = (
    Engine(
        "pywhispercpp",
        "_pywhispercpp",
        "pywhispercpp",
        "pip install 'pywhispercpp>=1.5.1,<1.6'",
        _load_pywhispercpp,
    ),
    Engine(
        "whisper_cpp_python",
        "whisper_cpp_python",
        "whisper-cpp-python",
        "CMAKE_POLICY_VERSION_MINIMUM=3.5 pip install whisper-cpp-python==0.2.0",
        _load_whisper_cpp_python,
    ),
)
"""Every engine, by what `transcribe.engine` says."""

_BY_NAME = {each.name: each for each in ENGINES}


def engine(name: str) -> Engine:
    """Returns an engine; raises KeyError for a name that the configuration cannot have."""
    return _BY_NAME[name]
