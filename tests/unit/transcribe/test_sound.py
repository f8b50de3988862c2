"""What a container says, what comes out of it, and what is never opened."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from centinel.transcribe import sound
from centinel.transcribe.sound import NoSound, decoding, probe
from tests.recordings import making
from tests.recordings.making import RATE, Samples


@pytest.fixture(autouse=True)
def programs() -> None:
    making.require("ffmpeg", "ffprobe")


def tone(seconds: float) -> Samples:
    return (0.3 * np.sin(np.arange(int(seconds * RATE)) * 0.2)).astype(np.float32)


def decoded(path: Path) -> tuple[float, int, str | None, float]:
    """Seconds, samples that are no numbers, how ffmpeg failed, and the loudest sample."""
    loudest = 0.0
    with decoding(path) as decoder:
        for block in decoder.blocks():
            assert block.dtype == np.float32
            assert np.isfinite(block).all()
            loudest = max(loudest, float(np.abs(block).max()))
    return decoder.samples / RATE, decoder.not_numbers, decoder.fault, loudest


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("a.mp3", []),
        ("a.m4a", []),
        ("a.ogg", ["-c:a", "libvorbis"]),
        ("a.opus", ["-c:a", "libopus"]),
        ("a.flac", []),
        ("a.webm", ["-c:a", "libopus"]),
        ("a.wav", ["-ar", "8000"]),
        ("a.aac", []),
        ("six.wav", ["-ac", "6"]),
        ("six.mp4", ["-ac", "6"]),
    ],
)
def test_every_usual_format_is_decoded_at_its_length(
    tmp_path: Path, name: str, arguments: list[str]
) -> None:
    path = making.encoded(tmp_path / name, tone(3), *arguments)
    seconds, not_numbers, fault, loudest = decoded(path)
    assert seconds == pytest.approx(3, abs=0.15)
    assert (not_numbers, fault) == (0, None)
    assert 0.1 < loudest < 0.6
    said = probe(path).seconds
    assert said is None or said == pytest.approx(3, abs=0.15)


def test_a_name_that_lies_changes_nothing(tmp_path: Path) -> None:
    path = making.encoded(tmp_path / "a.mp3", tone(2)).rename(tmp_path / "a.mp4")
    assert decoded(path)[0] == pytest.approx(2, abs=0.15)


def test_the_title_in_the_container_is_its_title(tmp_path: Path) -> None:
    path = making.encoded(tmp_path / "a.mp3", tone(1), "-metadata", "title=Council of 3 May")
    assert probe(path).title == "Council of 3 May"


def test_samples_that_are_no_numbers_are_counted_and_silent(tmp_path: Path) -> None:
    samples = tone(2)
    samples[RATE : RATE + 100] = np.nan
    samples[RATE + 100 : RATE + 200] = np.inf
    path = making.float_wav(tmp_path / "a.wav", samples)
    seconds, not_numbers, fault, loudest = decoded(path)
    assert (seconds, not_numbers, fault) == (2.0, 200, None)
    assert loudest < 0.4


def test_samples_of_more_than_full_scale_are_clipped(tmp_path: Path) -> None:
    assert decoded(making.float_wav(tmp_path / "a.wav", tone(1) * 10))[3] == 1.0


def silent_film(path: Path) -> Path:
    film = making.film(path, tone(1))
    out = path.with_name(f"silent-{path.name}")
    subprocess.run(["ffmpeg", "-v", "error", "-i", film, "-an", "-c", "copy", out], check=True)
    return out


def cut(path: Path) -> Path:
    made = making.encoded(path, tone(5))
    made.write_bytes(made.read_bytes()[:-2000])
    return made


def written(content: bytes) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize(
    ("make", "name", "reason"),
    [
        (written(b""), "a.mp3", "the file is empty"),
        (
            written(b"<!doctype html><p>Not found"),
            "a.mp3",
            "Could not seek|Invalid data",
        ),
        (silent_film, "a.mp4", "it has no sound"),
        (cut, "a.m4a", "moov atom not found|Invalid data"),
    ],
)
def test_what_has_no_sound_says_why(
    tmp_path: Path, make: Callable[[Path], Path], name: str, reason: str
) -> None:
    with pytest.raises(NoSound, match=reason) as caught:
        probe(make(tmp_path / name))
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{other}\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile {other}\n",
        '<?xml version="1.0"?><MPD><Period><AdaptationSet><Representation>'
        "<BaseURL>{other}</BaseURL></Representation></AdaptationSet></Period></MPD>",
    ],
)
def test_a_playlist_opens_no_other_file(tmp_path: Path, content: str) -> None:
    other = making.encoded(tmp_path / "other.mp3", tone(1))
    path = tmp_path / "a.mp4"
    path.write_text(content.format(other=other))
    with pytest.raises(NoSound, match="cannot be opened"):
        probe(path)
    assert decoded(path)[0] == 0


def test_the_length_of_a_cut_file_is_what_its_container_says(tmp_path: Path) -> None:
    path = making.encoded(tmp_path / "a.webm", tone(6), "-c:a", "libopus")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert probe(path).seconds == pytest.approx(6, abs=0.1)
    assert decoded(path)[0] < 4


def test_a_length_that_is_only_guessed_is_unknown(tmp_path: Path) -> None:
    path = making.encoded(tmp_path / "a.mp3", tone(4), "-write_xing", "0")
    assert probe(path).seconds is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("kill -SEGV $$", "failed: ended by SIGSEGV"),
        ("sleep 60", "timed-out: not ended after 0.5 s"),
    ],
)
def test_a_file_that_takes_ffprobe_down_is_no_fault_of_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    program = tmp_path / "ffprobe"
    program.write_text(f"#!/bin/sh\n{code}\n")
    program.chmod(0o755)
    path = making.write_wav(tmp_path / "a.wav", tone(1))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(sound, "PROBE_SECONDS", 0.5)
    with pytest.raises(NoSound, match=said):
        probe(path)


def test_a_decoder_that_is_left_is_ended(tmp_path: Path) -> None:
    path = making.encoded(tmp_path / "a.flac", making.noise(120))
    with decoding(path) as decoder:
        next(decoder.blocks())
    assert decoder.child.returncode is not None
