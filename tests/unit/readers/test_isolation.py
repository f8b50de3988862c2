"""A document that kills, hangs or bloats its reader costs that reader's word, and no more."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from centinel.configuration import Limits
from centinel.readers import isolation
from centinel.readers.document import Document
from centinel.readers.isolation import Isolation, WorkerFault
from centinel.readers.outcome import Outcome
from tests.unit.children import wait_until

SABOTAGE = """
import os, sys, time
from centinel.readers import registry
from centinel.readers.document import Document, FunctionReader, GaveWay, Reading

def odd(document):
    said = document.data.decode()
    if said == "dies":
        os.kill(os.getpid(), 9)
    if said == "aborts":
        print("memory allocation of 27 bytes failed", file=sys.stderr, flush=True)
        os.abort()
    if said == "spins":
        while True:
            pass
    if said == "sleeps":
        time.sleep(3600)
    if said == "bloats":
        bytearray(8 << 30)
    if said == "prints":
        print("noise on standard output", flush=True)
    if said == "leaves":
        (document.scratch / "left").write_text("left behind")
    raise GaveWay("nothing odd")

def plain(document):
    return Reading(f"{os.getpid()} read {document.data.decode()}")

for name, function in (("odd", odd), ("plain", plain)):
    registry._BY_NAME[name] = FunctionReader(name, frozenset({"text"}), function)
"""
"""Runs in every process that has its folder on its path: readers made up for a test."""


@pytest.fixture(autouse=True)
def sabotage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SABOTAGE)
    monkeypatch.setenv("PYTHONPATH", str(folder))


@pytest.fixture
def reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Isolation]:
    monkeypatch.setattr(isolation, "WALL", 60.0)  # a machine under load
    limits = Limits(memory=1 << 30, seconds=1.0)
    with Isolation({"text": ("odd", "plain")}, tmp_path / "scratch", limits) as reads:
        yield reads
    assert not (tmp_path / "scratch").exists()


def document(folder: Path, content: str) -> Document:
    path = folder / "blob"
    path.write_text(content)
    return Document(path, "text")


def text_of(outcome: Outcome) -> str:
    assert outcome.file is not None
    return outcome.file.read_text()


def reader_process(outcome: Outcome) -> int:
    """The number of the process that read: the made-up reader says it first."""
    return int(text_of(outcome).split()[0])


def test_one_process_reads_one_document_after_the_other(reads: Isolation, tmp_path: Path) -> None:
    first = reader_process(reads.read(document(tmp_path, "a")))
    outcome = reads.read(document(tmp_path, "b"), "Fees")
    assert text_of(outcome) == f"# Fees\n\n{first} read b\n"
    assert (outcome.reader, outcome.title, outcome.text) == ("plain", "Fees", None)
    assert first != os.getpid()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("dies", "its process died: ended by SIGKILL"),
        ("aborts", "its process died: ended by SIGABRT: memory allocation of 27 bytes failed"),
        ("spins", "took too much processor time"),
        ("bloats", "took too much memory"),
        ("nothing", "nothing odd"),
    ],
)
def test_a_reader_that_took_its_process_down_gave_way_with_that_as_its_reason(
    reads: Isolation, tmp_path: Path, content: str, reason: str
) -> None:
    outcome = reads.read(document(tmp_path, content))
    assert (outcome.outcome, outcome.reader) == ("text", "plain")
    assert outcome.recovered_by_fallback
    assert outcome.tried[0].reader == "odd"
    assert outcome.tried[0].reason == reason
    assert outcome.notes[0] == f"odd: {reason}"


def test_a_reader_that_waits_for_nothing_is_ended(
    tmp_path: Path,
) -> None:
    limits = Limits(memory=1 << 30, seconds=0.25)
    with Isolation({"text": ("odd", "plain")}, tmp_path / "scratch", limits) as reads:
        outcome = reads.read(document(tmp_path, "sleeps"))
    assert outcome.tried[0].reason == "not done after 1 s"
    assert outcome.reader == "plain"


def test_a_document_that_ends_every_reader_is_underivable(tmp_path: Path) -> None:
    with Isolation({"text": ("odd",)}, tmp_path / "scratch") as reads:
        outcome = reads.read(document(tmp_path, "dies"))
        assert (outcome.outcome, outcome.reason) == (
            "underivable",
            "its process died: ended by SIGKILL",
        )
        assert reads.read(document(tmp_path, "fine")).reason == "nothing odd"


def test_what_a_library_prints_is_no_answer(reads: Isolation, tmp_path: Path) -> None:
    assert text_of(reads.read(document(tmp_path, "prints"))).endswith("read prints\n")


def test_what_a_reading_left_is_gone_before_the_next(reads: Isolation, tmp_path: Path) -> None:
    reads.read(document(tmp_path, "leaves"))
    assert (tmp_path / "scratch" / "left").exists()
    reads.read(document(tmp_path, "next"))
    assert [path.name for path in (tmp_path / "scratch").iterdir()] == ["text"]


def test_a_process_that_was_killed_between_two_documents_is_replaced(
    reads: Isolation, tmp_path: Path
) -> None:
    first = reader_process(reads.read(document(tmp_path, "a")))
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: psutil.Process(first).status() == psutil.STATUS_ZOMBIE, "it is dead")
    second = reads.read(document(tmp_path, "b"))
    assert reader_process(second) != first
    assert [each.reason for each in second.tried] == ["nothing odd"]


def test_the_process_ends_with_its_caller(tmp_path: Path) -> None:
    with Isolation({"text": ("odd", "plain")}, tmp_path / "scratch") as reads:
        process = psutil.Process(reader_process(reads.read(document(tmp_path, "a"))))
    wait_until(lambda: not process.is_running(), "it ended")


def test_a_file_that_is_not_there_is_a_fault_of_this_machine(
    reads: Isolation, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError):
        reads.read(Document(tmp_path / "nowhere", "text"))


def test_a_process_that_cannot_work_is_no_word_about_a_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import os; os._exit(3)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (
        Isolation({"text": ("text",)}, tmp_path / "scratch") as reads,
        pytest.raises(WorkerFault, match="did not work: its process died: exit code 3"),
    ):
        reads.read(document(tmp_path, "a"))
