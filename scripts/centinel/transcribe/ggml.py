"""Whether a model file is whole: whisper.cpp loads a torn one and dies of it when it is used."""

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = 0x67676D6C
"""The first four bytes, little-endian: `ggml`."""

MULTILINGUAL_VOCABULARY = 51865
"""Tokens from which on a model knows languages besides English (whisper.cpp, src/whisper.cpp)."""

ALL_F32 = 0
"""The file type of which whisper.cpp 1.8 aborts in its first convolution."""

_PARAMETERS = (
    "n_vocab",
    "n_audio_ctx",
    "n_audio_state",
    "n_audio_head",
    "n_audio_layer",
    "n_text_ctx",
    "n_text_state",
    "n_text_head",
    "n_text_layer",
    "n_mels",
    "ftype",
)
_MOST = 1 << 20
"""No parameter of a model comes near it."""

_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
}
"""Type of a tensor: how many values a block has, and how many bytes (ggml/src/ggml-common.h)."""


class BadModel(ValueError):
    """The file is no whole model; the message says where it ends or what it is."""


@dataclass(frozen=True)
class Structure:
    """What a model says of itself."""

    vocabulary: int
    audio_layers: int
    text_layers: int

    @property
    def is_multilingual(self) -> bool:
        return self.vocabulary >= MULTILINGUAL_VOCABULARY

    @property
    def tensors(self) -> int:
        """How many tensors a model of this form has (whisper.cpp's loader asks for all of them)."""
        return 11 + 15 * self.audio_layers + 24 * self.text_layers


def check(path: Path) -> Structure:
    """Walks a model file to its end, without its weights; returns what it says of itself.

    Raises BadModel where it is none, or not whole; OSError where it cannot be read.
    """
    with path.open("rb") as stream:
        file = _File(path, stream, path.stat().st_size)
        if file.integers(1)[0] != MAGIC:
            raise BadModel(f"{path} is no ggml model of whisper.cpp")
        parameters = dict(zip(_PARAMETERS, file.integers(len(_PARAMETERS)), strict=True))
        if not all(0 <= value < _MOST for value in parameters.values()):
            raise BadModel(f"{path} has impossible parameters: it is no ggml model")
        if parameters["ftype"] == ALL_F32:
            raise BadModel(f"{path} holds 32-bit weights, which end the engine: give an f16 one")
        bands, bins = file.integers(2)
        file.skip(4 * bands * bins)
        for _ in range(file.integers(1)[0]):
            file.skip(file.integers(1)[0])
        structure = Structure(
            parameters["n_vocab"], parameters["n_audio_layer"], parameters["n_text_layer"]
        )
        found = _tensors(file)
    if found != structure.tensors:
        raise BadModel(f"{path} ends after {found} of {structure.tensors} tensors: it is cut short")
    return structure


def _tensors(file: "_File") -> int:
    count = 0
    while not file.is_at_end:
        rank, length, kind = file.integers(3)
        if not (0 < rank <= 4 and 0 < length < 256 and kind in _BLOCKS):
            raise BadModel(f"{file.path} has a damaged tensor at byte {file.place}")
        values, size = _BLOCKS[kind]
        count_of_values = math.prod(file.integers(rank))
        file.skip(length + count_of_values // values * size)
        count += 1
    return count


@dataclass
class _File:
    """A file that is walked through, and never beyond its end."""

    path: Path
    stream: BinaryIO
    size: int

    @property
    def place(self) -> int:
        return self.stream.tell()

    @property
    def is_at_end(self) -> bool:
        return self.place >= self.size

    def integers(self, count: int) -> tuple[int, ...]:
        raw = self.stream.read(4 * count)
        if len(raw) < 4 * count:
            raise BadModel(f"{self.path} is cut short, at byte {self.size}")
        return struct.unpack(f"<{count}i", raw)

    def skip(self, count: int) -> None:
        if count < 0 or self.place + count > self.size:
            raise BadModel(f"{self.path} is cut short, at byte {self.size}")
        self.stream.seek(count, 1)
