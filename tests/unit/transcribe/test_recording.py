"""A recording becomes segments: real speech by the real engine, whatever happens on the way."""

import json
import math
import signal
from pathlib import Path

import psutil
import pytest

from centinel.tools import ToolError
from centinel.transcribe import recording
from centinel.transcribe.recording import CannotTranscribe
from centinel.transcribe.transcript import Transcript
from tests.recordings import making
from tests.recordings.making import MEETING, SENTENCES, joined, noise, silence, spoken
from tests.unit.transcribe.hearing import QUIET, Puppet, hear, machine, text_of

FOUND_WITHIN = 1.0
"""Seconds between what is said and when the transcript says that it is."""


@pytest.fixture
def partial(tmp_path: Path) -> Path:
    return tmp_path / "heard.part"


@pytest.fixture
def sentence(tmp_path: Path) -> Path:
    return making.write_wav(
        tmp_path / "a.wav", joined(silence(1), spoken(SENTENCES[0]), silence(1))
    )


def test_a_minute_of_a_meeting_is_written_down(tmp_path: Path, partial: Path) -> None:
    path = making.encoded(tmp_path / "meeting.mp3", spoken(MEETING))
    found = hear(path, partial)
    assert making.word_error_rate(MEETING, text_of(found)) <= 0.15
    assert found.reason is None
    about = found.provenance
    assert (about["engine"], about["model"], about["language"]) == ("pywhispercpp", "tiny.en", "en")
    assert about["model_sha256"] == making.MODEL_SHA256
    assert about["seconds"] == pytest.approx(about["seconds_stated"], abs=0.2)
    assert about["share_of_speech"] > 0.6
    assert about["segments"] == len(found.segments)


def scattered(seconds: float) -> tuple[making.Samples, list[tuple[float, float]]]:
    """Silence, noise and hum with the sentences far apart in it, and when each is said."""
    said, parts, place = [], [], 0.0
    quiet = (silence, noise, lambda length: noise(length, 0.002, 3))
    gap = (seconds - sum(len(spoken(each)) / making.RATE for each in SENTENCES)) / 4
    for sentence, filler in zip(SENTENCES, quiet, strict=True):
        voice = spoken(sentence)
        parts += [filler(gap), voice]
        said.append((place + gap, place + gap + len(voice) / making.RATE))
        place = said[-1][1]
    return joined(*parts, noise(gap, 0.01, 5)), said


def assert_only_the_sentences(found: Transcript, said: list[tuple[float, float]]) -> None:
    """Nothing is invented, and the three are found when they are said."""
    for (start, end), sentence in zip(said, SENTENCES, strict=True):
        near = [s for s in found.segments if start - 2 < s.start and s.end < end + 2]
        heard = " ".join(segment.text for segment in near)
        assert making.word_error_rate(sentence, heard) <= 0.2, heard
        assert near[0].start == pytest.approx(start, abs=FOUND_WITHIN)
        assert near[-1].end == pytest.approx(end, abs=FOUND_WITHIN)
    assert len(making.words(text_of(found))) <= len(making.words(" ".join(SENTENCES))) + 2
    assert found.provenance["share_of_speech"] < 0.1


def test_three_sentences_in_five_minutes_are_found_and_nothing_else(
    tmp_path: Path, partial: Path
) -> None:
    samples, said = scattered(300)
    assert_only_the_sentences(hear(making.write_wav(tmp_path / "a.wav", samples), partial), said)


@pytest.mark.slow
def test_three_sentences_in_an_hour_are_found_and_nothing_else(
    tmp_path: Path, partial: Path
) -> None:
    samples, said = scattered(3600)
    assert_only_the_sentences(hear(making.write_wav(tmp_path / "a.wav", samples), partial), said)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("a.wav", ["-ar", "8000"]), ("a.m4a", ["-ac", "6"]), ("mp3.mp4", ["-f", "mp3"])],
)
def test_odd_sound_is_heard_like_any_other(
    tmp_path: Path, partial: Path, name: str, arguments: list[str]
) -> None:
    path = making.encoded(tmp_path / name, spoken(SENTENCES[1]), *arguments)
    found = hear(path, partial)
    assert making.word_error_rate(SENTENCES[1], text_of(found)) <= 0.2


def test_samples_that_are_no_numbers_are_noted_and_the_rest_is_heard(
    tmp_path: Path, partial: Path
) -> None:
    samples = joined(spoken(SENTENCES[1]), silence(2))
    samples[-1000:-500] = math.nan
    found = hear(making.float_wav(tmp_path / "a.wav", samples), partial)
    assert making.word_error_rate(SENTENCES[1], text_of(found)) <= 0.2
    assert "500 samples are no numbers, and were taken for silence" in found.notes


def test_a_film_is_heard(tmp_path: Path, partial: Path) -> None:
    path = making.film(tmp_path / "a.mp4", spoken(SENTENCES[2]))
    assert making.word_error_rate(SENTENCES[2], text_of(hear(path, partial))) <= 0.2


@pytest.mark.parametrize("samples", [silence(5), noise(5)], ids=["silence", "noise"])
def test_no_speech_is_no_empty_transcript(
    tmp_path: Path, partial: Path, samples: making.Samples
) -> None:
    found = hear(making.write_wav(tmp_path / "a.wav", samples), partial)
    assert found.reason == "no speech was heard in 5 s of sound"
    assert found.segments == ()


def test_what_has_no_sound_says_so(tmp_path: Path, partial: Path) -> None:
    path = tmp_path / "a.mp3"
    path.write_bytes(b"")
    assert hear(path, partial).reason == "the file is empty"


def test_a_file_that_was_cut_is_not_taken_for_a_short_one(tmp_path: Path, partial: Path) -> None:
    said = joined(spoken(SENTENCES[0]), noise(20))
    path = making.encoded(tmp_path / "a.webm", said, "-c:a", "libopus")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    found = hear(path, partial)
    assert making.word_error_rate(SENTENCES[0], text_of(found)) <= 0.2
    assert [note for note in found.notes if note.startswith("truncated: ")]


# Workers that are lost


ONE_THEN_KILLED = """
say(ready=True)
if not done:
    say(begins=[0, 16000]); heard(0, 16000, "First.")
    say(begins=[32000, 48000])
    os.kill(os.getpid(), signal.SIGKILL)
assert done == [[0, 16000]], done
say(begins=[32000, 48000]); heard(32000, 48000, "Second."); end()
"""


def test_a_worker_that_was_killed_is_gone_on_with(tmp_path: Path, sentence: Path) -> None:
    puppet = Puppet(tmp_path, ONE_THEN_KILLED)
    found = puppet.hear(sentence)
    assert [(each.start, each.text) for each in found.segments] == [(0, "First."), (2, "Second.")]
    assert (found.reason, found.notes, puppet.starts) == (None, (), 2)


def test_a_stretch_that_every_worker_dies_of_is_given_up_and_said(
    tmp_path: Path, sentence: Path
) -> None:
    code = """
say(ready=True)
if [0, 16000] not in done:
    say(begins=[0, 16000])
    os.kill(os.getpid(), signal.SIGSEGV)
say(begins=[32000, 48000]); heard(32000, 48000, "Second."); end()
"""
    puppet = Puppet(tmp_path, code)
    found = puppet.hear(sentence)
    assert [each.text for each in found.segments] == ["Second."]
    assert found.notes == ("0.0 s to 1.0 s is missing: the engine died: failed: ended by SIGSEGV",)
    assert puppet.starts == 3


def test_a_recording_that_kills_every_worker_ends_no_run(tmp_path: Path, sentence: Path) -> None:
    puppet = Puppet(tmp_path, "say(ready=True); os.kill(os.getpid(), signal.SIGABRT)")
    assert puppet.hear(sentence).reason == "the engine died: failed: ended by SIGABRT"
    assert puppet.starts == 2


def test_an_exception_in_the_worker_is_said(tmp_path: Path, sentence: Path) -> None:
    puppet = Puppet(tmp_path, "say(ready=True); raise ValueError('an odd one')")
    assert puppet.hear(sentence).reason == (
        "the engine died: failed: exit code 1: ValueError: an odd one"
    )


def test_a_worker_that_says_nothing_is_ended(tmp_path: Path, sentence: Path) -> None:
    code = """
say(ready=True)
if times == 1:
    say(begins=[0, 16000]); time.sleep(600)
say(begins=[0, 16000]); heard(0, 16000, "First."); end()
"""
    puppet = Puppet(tmp_path, code, stall=1.0)
    assert [each.text for each in puppet.hear(sentence).segments] == ["First."]
    assert puppet.starts == 2


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("sys.exit('no such model')", "did not start: .*no such model"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "did not start: .*SIGSEGV"),
        ("say(fault='the disk is full'); sys.exit(1)", "the disk is full"),
    ],
)
def test_an_engine_that_does_not_start_is_no_word_about_the_recording(
    tmp_path: Path, sentence: Path, code: str, said: str
) -> None:
    with pytest.raises(CannotTranscribe, match=said):
        Puppet(tmp_path, code).hear(sentence)


def test_an_engine_that_fails_on_all_is_no_empty_transcript(tmp_path: Path, sentence: Path) -> None:
    code = "say(ready=True); say(lost=[0, 16000], reason='whisper_full returned -6'); end()"
    found = Puppet(tmp_path, code).hear(sentence)
    assert found.reason == "no stretch of speech could be transcribed: whisper_full returned -6"


def test_speech_without_words_is_no_empty_transcript(tmp_path: Path, sentence: Path) -> None:
    code = "say(ready=True); heard(0, 16000, '[BLANK_AUDIO]'); end()"
    assert (
        Puppet(tmp_path, code).hear(sentence).reason == "2 s that sound like speech gave no words"
    )


def test_nothing_decoded_is_no_silence(tmp_path: Path, sentence: Path) -> None:
    code = "say(ready=True); end(0.0, 'ffmpeg: exit code 1: broken')"
    found = Puppet(tmp_path, code).hear(sentence)
    assert found.reason == "no sound could be decoded: ffmpeg: exit code 1: broken"


# Jobs that are lost


def test_what_was_heard_before_the_job_was_killed_is_not_heard_again(
    tmp_path: Path, sentence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = "say(ready=True); heard(0, 16000, 'First.'); heard(32000, 48000, 'Second.'); end()"
    puppet = Puppet(tmp_path, stop)

    class Killed(BaseException):
        pass

    real, calls = recording.Partial.add, []

    def dies(self: recording.Partial, part: recording.Part) -> None:
        real(self, part)
        calls.append(part)
        raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(recording.Partial, "add", dies)
        puppet.hear(sentence)
    assert len(calls) == 1
    assert json.loads(puppet.partial.read_bytes().splitlines()[1])["stretch"] == [0, 16000]
    puppet.code = "assert done == [[0, 16000]], done\n" + stop.replace(
        "heard(0, 16000, 'First.'); ", ""
    )
    assert [each.text for each in puppet.hear(sentence).segments] == ["First.", "Second."]


def test_a_full_disk_is_a_fault_of_this_machine(
    tmp_path: Path, sentence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    puppet = Puppet(tmp_path, "say(ready=True); heard(0, 16000, 'First.'); end()")

    def is_full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(recording.Partial, "add", is_full)
        puppet.hear(sentence)
    assert [each.text for each in puppet.hear(sentence).segments] == ["First."]


def test_a_missing_program_is_a_fault_of_this_machine(
    sentence: Path, partial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ToolError, match="ffprobe: not-installed"):
        recording.transcribe(sentence, machine(), partial, QUIET)


@pytest.mark.slow
def test_the_real_worker_is_killed_and_gone_on_with(
    tmp_path: Path, partial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = joined(*(part for each in SENTENCES for part in (spoken(each), silence(5))))
    path = making.write_wav(tmp_path / "a.wav", samples)
    whole = hear(path, tmp_path / "undisturbed.part")
    real, killed = recording.Partial.add, []

    def kills(self: recording.Partial, part: recording.Part) -> None:
        real(self, part)
        if not killed:
            workers = [
                each
                for each in psutil.Process().children(recursive=True)
                if "centinel.transcribe.worker" in each.cmdline()
            ]
            for each in workers:
                each.send_signal(signal.SIGKILL)
            killed.extend(workers)

    monkeypatch.setattr(recording.Partial, "add", kills)
    found = hear(path, partial)
    assert len(killed) == 1
    assert found == whole
