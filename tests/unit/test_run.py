"""What a run does before its first job: it checks, locks what it touches, and forgets reports."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from centinel import run, schemas
from centinel.belonging import RUN_VARIABLE, this_machine
from centinel.configuration import Configuration, load
from centinel.sources import registry
from centinel.store import Store
from tests.unit.test_locks import another_process

SOURCES = """
a: {site: "https://a.example/"}
b: {site: "https://b.example/"}
c: {site: "https://c.example/", enabled: false}
"""


@pytest.fixture(autouse=True)
def released(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Locks and the variable of a run, given back after each test."""
    kept: list[Any] = []
    monkeypatch.setattr(run, "_held", kept)
    monkeypatch.setattr(run, "_begun", [])
    monkeypatch.setenv(RUN_VARIABLE, "")
    monkeypatch.delenv(RUN_VARIABLE)  # after it was set, so that it is given back
    yield
    for stream in kept:
        stream.close()


def configured(folder: Path, **config: Any) -> Configuration:
    """The configuration of three sources."""
    (folder / "sources.yaml").write_text(SOURCES)
    return load({"sources": "sources.yaml", "results": "results", **config}, folder)


def report(configuration: Configuration, name: str) -> Path:
    """A report of an earlier run."""
    path = configuration.results / name / "report.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("old")
    return path


def told(configuration: Configuration) -> Any:
    """What the run wrote down of its configuration."""
    return yaml.safe_load((configuration.results / "config.yaml").read_text())


# Beginning


def test_only_the_reports_of_touched_sources_are_removed(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    reports = {name: report(configuration, name) for name in ("a", "b", ".")}
    run.begin_or_exit(configuration, ["a"], overall=False)
    assert {name for name, path in reports.items() if path.exists()} == {"b", "."}


def test_the_overall_report_is_removed_where_it_will_be_made(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    reports = {name: report(configuration, name) for name in ("a", "b", ".")}
    run.begin_or_exit(configuration, ["b"], overall=True)
    assert {name for name, path in reports.items() if path.exists()} == {"a"}


def test_nothing_else_is_removed(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    store = Store(configuration.results, "a")
    for path in (store.record / "2026-03.jsonl", store.artifacts, store.text / "x.md"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept")
    run.begin_or_exit(configuration, ["a"], overall=True)
    assert [path.read_text() for path in store.root.rglob("*.*l")] == ["kept", "kept"]
    assert (store.text / "x.md").exists()


def test_a_run_without_jobs_touches_nothing(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    page = report(configuration, "a")
    run.begin_or_exit(configuration, [], overall=False)
    assert page.exists()
    assert run._held == []


def test_a_run_holds_the_locks_of_what_it_touches_and_no_others(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    run.begin_or_exit(configuration, ["b", "a"], overall=True)
    locks = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob(".lock"))
    assert locks == ["results/.lock", "results/a/.lock", "results/b/.lock"]
    assert len(run._held) == 3


def test_jobs_are_told_which_process_runs_them(tmp_path: Path) -> None:
    run.begin_or_exit(configured(tmp_path), [], overall=False)
    told = os.environ[RUN_VARIABLE]
    assert told.startswith(f"{this_machine()}:{os.getpid()}:")


def test_a_busy_source_refuses_the_run_in_one_line_and_keeps_its_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configuration = configured(tmp_path)
    pages = [report(configuration, name) for name in ("a", "b")]
    with another_process(Store(configuration.results, "b").run_lock):
        with pytest.raises(SystemExit) as ended:
            run.begin_or_exit(configuration, ["a", "b"], overall=False)
        run_of_the_other = configured(tmp_path)
        run.begin_or_exit(run_of_the_other, [], overall=False)
    assert ended.value.code == 1
    line = capsys.readouterr().err
    assert line.startswith(f"centinel: {configuration.results / 'b'} is busy: ")
    assert line.count("\n") == 1
    assert all(page.exists() for page in pages)


def test_a_source_is_free_once_the_run_that_held_it_was_killed(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    with another_process(Store(configuration.results, "a").run_lock) as other:
        other.kill()
        other.wait()
        run.begin_or_exit(configuration, ["a"], overall=False)
    assert len(run._held) == 1


def test_another_source_is_free_while_one_is_busy(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    with another_process(Store(configuration.results, "b").run_lock):
        run.begin_or_exit(configuration, ["a"], overall=True)


# What was told


def test_the_effective_configuration_is_written(tmp_path: Path) -> None:
    configuration = configured(tmp_path, contact="März", pipeline={"pdf": {"version": "2"}})
    run.begin_or_exit(configuration, [], overall=False)
    assert told(configuration) == {
        "sources": "sources.yaml",
        "results": "results",
        "contact": "März",
        "pipeline": {"pdf": {"version": 2}},
        "blocks": {
            "a": {"site": "https://a.example/"},
            "b": {"site": "https://b.example/"},
            "c": {"site": "https://c.example/", "enabled": False},
        },
    }


def test_no_secret_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CENTINEL_TOKEN", "hunter1")
    contact = "https://clerk:hunter2@town.example/"
    configuration = configured(tmp_path, contact=contact, defaults={"exclude": [contact]})
    run.begin_or_exit(configuration, [], overall=False)
    written = (configuration.results / "config.yaml").read_text()
    assert "hunter" not in written
    assert told(configuration)["contact"] == "https://clerk:***@town.example/"


# Checking


def test_a_right_configuration_is_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    configured(tmp_path)
    found = run.configuration_or_exit({"sources": "sources.yaml", "results": "results"})
    assert list(found.sources) == ["a", "b", "c"]
    assert "blocks" not in run.checked_part(found)
    schemas.check(run.checked_part(found), "config", "config/config.yaml")


@pytest.mark.parametrize(
    ("config", "line"),
    [
        ({"soruces": "x"}, "config/config.yaml: unknown key 'soruces'"),
        ({"pipeline": {"pdf": {"readers": ["pdftotxt"]}}}, "config/pipeline.yaml: pdf.readers: no"),
        ({"pipeline": {"pdf": {"readers": ["json"]}}}, "config/pipeline.yaml: pdf.readers: no"),
        ({"sources": "nowhere.yaml"}, "nowhere.yaml: No such file"),
    ],
)
def test_a_wrong_configuration_is_one_line_without_a_traceback(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    config: dict[str, Any],
    line: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    configured(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run.configuration_or_exit({"sources": "sources.yaml", "results": "results", **config})
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert said.startswith(f"centinel: {line}")
    assert said.count("\n") == 1


def test_a_kind_of_another_version_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "channel.yaml").write_text("t: {channel: 'https://videos.example/'}")
    known = tuple(each for each in registry.SOURCE_KINDS if each.key != "channel")
    monkeypatch.setattr(registry, "SOURCE_KINDS", known)
    with pytest.raises(SystemExit):
        run.configuration_or_exit({"sources": "channel.yaml", "results": "results"})
    said = capsys.readouterr().err
    assert said.startswith("centinel: channel.yaml: t.channel: no such kind of source in this")


def test_a_source_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configuration = configured(tmp_path)
    assert run.source_or_exit(configuration, "c").enabled is False
    with pytest.raises(SystemExit):
        run.source_or_exit(configuration, "d")
    assert capsys.readouterr().err == (
        "centinel: sources.yaml: no source 'd': add a block, or ask for one that is there\n"
    )


def test_results_that_were_deleted_are_made_again(tmp_path: Path) -> None:
    configuration = configured(tmp_path)
    run.begin_or_exit(configuration, ["a"], overall=True)
    shutil.rmtree(configuration.results)
    run.begin_or_exit(configuration, ["a"], overall=True)
    assert told(configuration)["results"] == "results"
