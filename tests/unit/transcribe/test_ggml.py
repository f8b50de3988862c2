"""A model is looked at before an engine dies of it."""

import struct
from pathlib import Path

import pytest

from centinel.transcribe import ggml
from tests.recordings import making


@pytest.fixture
def model() -> bytes:
    return making.model().read_bytes()


def test_a_whole_model_says_what_it_is() -> None:
    found = ggml.check(making.model())
    assert (found.audio_layers, found.text_layers, found.tensors) == (4, 4, 167)
    assert not found.is_multilingual


@pytest.mark.parametrize("share", [0.5, 0.999999, 0.0001])
def test_a_model_that_is_cut_short_is_none(tmp_path: Path, model: bytes, share: float) -> None:
    path = tmp_path / "half.bin"
    path.write_bytes(model[: int(len(model) * share)])
    with pytest.raises(ggml.BadModel, match="cut short"):
        ggml.check(path)


def test_a_model_that_ends_between_two_tensors_is_cut_short(tmp_path: Path, model: bytes) -> None:
    last = model.rindex(b"decoder.ln.bias") - 16
    path = tmp_path / "short.bin"
    path.write_bytes(model[:last])
    with pytest.raises(ggml.BadModel, match="ends after 166 of 167 tensors"):
        ggml.check(path)


@pytest.mark.parametrize("content", [b"<!doctype html>" * 9, b"GGUF" + bytes(200), bytes(100)])
def test_something_else_is_no_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(content)
    with pytest.raises(ggml.BadModel, match="is no ggml model"):
        ggml.check(path)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [(0, -5, "impossible"), (3, 1 << 30, "impossible"), (10, 0, "32-bit")],
)
def test_parameters_that_cannot_be_are_said(
    tmp_path: Path, model: bytes, place: int, value: int, said: str
) -> None:
    path = tmp_path / "odd.bin"
    odd = bytearray(model[:100_000])
    struct.pack_into("<i", odd, 4 + 4 * place, value)
    path.write_bytes(odd)
    with pytest.raises(ggml.BadModel, match=said):
        ggml.check(path)


def test_a_damaged_tensor_is_said(tmp_path: Path, model: bytes) -> None:
    path = tmp_path / "odd.bin"
    odd = bytearray(model)
    struct.pack_into("<i", odd, model.index(b"encoder.conv1.weight") - 4 * 4, 77)
    path.write_bytes(odd)
    with pytest.raises(ggml.BadModel, match="damaged tensor"):
        ggml.check(path)
