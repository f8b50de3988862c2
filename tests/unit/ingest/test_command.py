"""`centinel ingest` as people and programs run it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest
import yaml

from centinel.ingest.worker import SOURCE
from centinel.locks import held
from centinel.record import Json
from centinel.schemas import PROJECT
from centinel.store import Store
from tests.sites.dataset_platforms import DatasetPlatforms
from tests.sites.dataset_shapes import DataFile
from tests.unit.support import assert_valid, lines_of

A, B = DataFile("a.csv", b"1,2\n"), DataFile("b.csv", b"3,4,5\n")


@pytest.fixture
def folder(tmp_path: Path, platforms: DatasetPlatforms) -> Path:
    """A working folder whose configuration takes the platforms for the public ones."""
    (tmp_path / "config").mkdir()
    config = yaml.safe_load((PROJECT / "config/config.yaml").read_text())
    config["defaults"]["rps"] = 100_000
    pipeline = yaml.safe_load((PROJECT / "config/pipeline.yaml").read_text())
    pipeline["pipeline"]["ingest"]["hosts"] = platforms.hosts
    sources = tmp_path / "config/sources.yaml"
    sources.write_text("{}\n")
    del config["crumbs"]
    (tmp_path / "config/config.yaml").write_text(yaml.safe_dump(config))
    (tmp_path / "config/pipeline.yaml").write_text(yaml.safe_dump(pipeline))
    return tmp_path


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    """The command, with its input and output open."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "scripts"), "NO_PROXY": "127.0.0.1"}
    environment.pop("CENTINEL_DATABASE_URL", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "centinel.cli", "ingest", "--results", "kept", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def run(folder: Path, *arguments: str, given: str = "") -> tuple[int, list[Json], str]:
    """Exit code, results and what was said."""
    with started(folder, *arguments) as process:
        out, err = process.communicate(given.encode(), 60)
    rows = [orjson.loads(line) for line in out.splitlines()]
    assert_valid(rows, "ingest_result")
    return process.returncode, rows, err.decode()


def test_results_come_in_the_order_of_the_requests_and_bad_lines_end_nothing(
    folder: Path, platforms: DatasetPlatforms
) -> None:
    first, second = platforms.add_zenodo(1002, [A, B]), platforms.add_figshare(7, 1, [A])
    doi = platforms.resolve("10.5281/zenodo.1002", first)
    request = {"ingest_type": "dataset", "base_url": "10.5281/ZENODO.1002", "link_source": "doi"}
    lines = [first, "{nonsense", orjson.dumps(request).decode(), "", second, '{"a": 1}']
    code, rows, said = run(folder, given="\n".join(lines))
    assert (code, said) == (0, "")
    assert [each["status"] for each in rows] == [
        "success",
        "bad-request",
        "success",
        "success-file",
        "bad-request",
    ]
    assert rows[2]["request"] == request, "as it was given"
    assert rows[2]["hops"] == [doi, first]
    assert platforms.asked("/zenodo.org/api/records/1002/files/a.csv/content") == 1, (
        "two ways to it"
    )
    assert rows[4]["request"] == {"a": 1}
    store = Store(folder / "kept", SOURCE)
    assert [each["status"] for each in lines_of(store.ingest_results)] == [
        each["status"] for each in rows
    ]


def test_each_result_is_written_before_the_next_request_is_read(
    folder: Path, platforms: DatasetPlatforms
) -> None:
    addresses = [platforms.add_zenodo(1002, [A]), platforms.add_zenodo(1004, [B])]
    with started(folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for address in addresses:
            process.stdin.write(f"{address}\n".encode())
            process.stdin.flush()
            assert orjson.loads(process.stdout.readline())["request"]["base_url"] == address
        process.stdin.close()
        assert process.wait(60) == 0


def test_one_address_is_one_result(folder: Path, platforms: DatasetPlatforms) -> None:
    address = platforms.add_zenodo(1002, [A])
    code, (row,), _ = run(folder, address)
    assert (code, row["status"]) == (0, "success-file")
    platforms.forget_requests()
    assert run(folder, address)[1] == [row]
    assert platforms.paths() == []
    assert run(folder, "--force", address)[0] == 0
    assert platforms.asked("/zenodo.org/records/1002") == 1


def test_requests_that_say_more_of_an_address_have_rows_of_their_own_and_no_password(
    folder: Path, platforms: DatasetPlatforms
) -> None:
    address = platforms.add_zenodo(1002, [A])
    named = address.replace("https://", "https://me:hidden@")
    request = {"ingest_type": "dataset", "base_url": named, "fatcat": {"release_ident": "abc"}}
    lines = [address, orjson.dumps(request).decode(), orjson.dumps({"a": named}).decode()]
    code, rows, _ = run(folder, given="\n".join(lines))
    assert code == 0
    assert rows[1]["request"]["base_url"] == address.replace("https://", "https://me:***@")
    store = Store(folder / "kept", SOURCE)
    assert lines_of(store.ingest_results) == rows
    entities = lines_of(store.ingest_filesets)
    assert [each["release_ids"] for each in entities] == [[], ["abc"]]
    assert run(folder, given="")[:2] == (0, [])
    assert lines_of(store.ingest_results) == rows, "as they were before"
    assert lines_of(store.ingest_filesets) == entities
    kept = [path for path in (folder / "kept").rglob("*") if path.is_file()]
    assert [path for path in kept if b"hidden" in path.read_bytes()] == []


def test_a_miss_is_no_fault_of_the_command(folder: Path, platforms: DatasetPlatforms) -> None:
    code, (row,), _ = run(folder, f"{platforms.address}/nowhere")
    assert (code, row["hit"], row["status"]) == (0, False, "not-found")


def test_a_second_worker_on_the_same_results_is_refused_in_one_line(
    folder: Path, platforms: DatasetPlatforms
) -> None:
    with held(Store(folder / "kept", SOURCE).run_lock):
        code, rows, said = run(folder, platforms.add_zenodo(1002, [A]))
    assert (code, rows) == (2, [])
    assert said.count("\n") == 1
    assert "another run holds kept/ingest/.lock" in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_what_was_ingested_before_the_end_is_not_asked_again(
    folder: Path, platforms: DatasetPlatforms, number: int
) -> None:
    addresses = [platforms.add_zenodo(1002, [A]), platforms.add_zenodo(1004, [B])]
    with started(folder) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{addresses[0]}\n".encode())
        process.stdin.flush()
        first = orjson.loads(process.stdout.readline())
        process.send_signal(number)
        process.wait(60)
    platforms.forget_requests()
    code, rows, _ = run(folder, given="\n".join(addresses))
    assert code == 0
    assert rows[0] == first
    assert not platforms.asked_under("/zenodo.org/api/records/1002")
    kept = lines_of(Store(folder / "kept", SOURCE).ingest_results)
    assert [each["status"] for each in kept] == ["success-file", "success-file"]
