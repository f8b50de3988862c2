"""Two requests to one host never start closer than the interval, whoever sends them."""

import math
import os
import struct
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import pacing
from centinel.pacing import LONGEST_PAUSE, NO_PAUSE_RPS, Pacing
from tests.unit.support import PROPERTY

HOST = "town.example"


class Watch:
    """A clock that only a test moves, and the moments at which requests start on it."""

    def __init__(self, at: float = 50_000.0) -> None:
        self.at = at
        self.waited = 0.0

    def __call__(self) -> float:
        return self.at

    def wait(self, seconds: float) -> None:
        """Notes a wait instead of waiting."""
        self.waited = seconds

    def start_of(self, paced: Pacing, host: str, interval: float) -> float:
        """The moment at which a request may start that is asked for now."""
        self.waited = 0.0
        paced.before_request(host, interval)
        return self.at + self.waited


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    watch = Watch()
    monkeypatch.setattr(pacing.time, "monotonic", watch)
    return watch


def test_two_processes_never_start_closer_than_the_interval(watch: Watch, tmp_path: Path) -> None:
    both = [Pacing(watch.wait, tmp_path), Pacing(watch.wait, tmp_path)]
    starts = []
    for number in range(12):
        starts.append(watch.start_of(both[number % 2], HOST, 2.0))
        watch.at += 0.3
    assert [later - sooner for sooner, later in pairwise(starts)] == [pytest.approx(2.0)] * 11


@PROPERTY
@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.floats(0, 20), st.floats(0.01, 10)), min_size=2, max_size=8
    )
)
def test_no_start_is_closer_to_the_last_than_its_interval(
    steps: list[tuple[int, float, float]],
) -> None:
    watch = Watch()
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(pacing.time, "monotonic", watch)
        both = [Pacing(watch.wait, Path(folder)), Pacing(watch.wait, Path(folder))]
        last = -math.inf
        for which, passed, interval in steps:
            watch.at += passed
            start = watch.start_of(both[which], HOST, interval)
            assert start - last >= interval - 1e-6
            last = start


def test_the_first_request_does_not_wait(watch: Watch, tmp_path: Path) -> None:
    assert watch.start_of(Pacing(watch.wait, tmp_path), HOST, 10.0) == watch.at


def test_the_time_of_a_slow_answer_counts(watch: Watch, tmp_path: Path) -> None:
    paced = Pacing(watch.wait, tmp_path)
    paced.before_request(HOST, 2.0)
    watch.at += 1.5
    assert watch.start_of(paced, HOST, 2.0) == pytest.approx(watch.at + 0.5)
    watch.at += 60
    assert watch.start_of(paced, HOST, 2.0) == watch.at


def test_each_host_has_its_own_pause(watch: Watch, tmp_path: Path) -> None:
    paced = Pacing(watch.wait, tmp_path)
    for host in (HOST, "www.town.example", f"{HOST}:8080", "../../etc/passwd", "a/b"):
        assert watch.start_of(paced, host, 5.0) == watch.at
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize("rps", [NO_PAUSE_RPS, NO_PAUSE_RPS * 10, math.inf])
def test_a_very_high_rate_leaves_no_file(watch: Watch, tmp_path: Path, rps: float) -> None:
    folder = tmp_path / "pacing"
    paced = Pacing(watch.wait, folder)
    for _ in range(3):
        assert watch.start_of(paced, HOST, 1 / rps) == watch.at
    assert not folder.exists()


def test_a_very_long_pause_is_an_hour(watch: Watch, tmp_path: Path) -> None:
    paced = Pacing(watch.wait, tmp_path)
    paced.before_request(HOST, math.inf)
    assert watch.start_of(paced, HOST, math.inf) == watch.at + LONGEST_PAUSE


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"rubbish",
        b"\xff" * 8,
        struct.pack("d", math.nan),
        struct.pack("d", math.inf),
        struct.pack("d", -math.inf),
        struct.pack("d", 1e300),
        struct.pack("d", 50_000 + 2 * LONGEST_PAUSE + 1),
    ],
)
def test_a_corrupted_file_costs_one_pause_at_most(
    watch: Watch, tmp_path: Path, content: bytes
) -> None:
    paced = Pacing(watch.wait, tmp_path)
    paced.before_request(HOST, 2.0)
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    assert watch.start_of(paced, HOST, 2.0) == watch.at
    assert watch.start_of(paced, HOST, 2.0) == pytest.approx(watch.at + 2.0)


def test_a_link_in_place_of_the_file_is_not_followed(watch: Watch, tmp_path: Path) -> None:
    paced = Pacing(watch.wait, tmp_path / "pacing")
    paced.before_request(HOST, 2.0)
    (file,) = paced.folder.iterdir()
    file.unlink()
    file.symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match="symbolic links"):
        paced.before_request(HOST, 2.0)
    assert not (tmp_path / "precious").exists()


def test_the_folder_is_the_users_own() -> None:
    folder = Pacing(lambda _seconds: None).folder
    assert folder.name.startswith(f"centinel-pacing-{os.getuid()}-")


def test_what_ends_the_wait_is_passed_on(watch: Watch, tmp_path: Path) -> None:
    def end(_seconds: float) -> None:
        raise InterruptedError

    paced = Pacing(end, tmp_path)
    paced.before_request(HOST, 2.0)
    with pytest.raises(InterruptedError):
        paced.before_request(HOST, 2.0)
    assert watch.waited == 0
