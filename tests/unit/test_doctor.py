"""What the doctor says of a machine, and its exit code."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from centinel import cli, doctor, tools
from centinel.readers import registry
from centinel.record import Json
from centinel.sources.channel import program
from tests.unit.channel.recordings import installed

TODAY = date(2026, 4, 1)
SITE = {"town": {"site": "https://town.example/"}}
CHANNEL = {"town": {"channel": "https://www.youtube.com/@town"}}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a configuration and a website as its source; the machine lacks nothing."""
    configured(tmp_path, SITE)
    monkeypatch.chdir(tmp_path)
    vendor = installed(tmp_path / "bin", monkeypatch)
    vendor.is_of("2026.03.20")
    return tmp_path


def configured(folder: Path, blocks: Json, **changes: Any) -> None:
    """Writes a configuration."""
    (folder / "config").mkdir(exist_ok=True)
    told = {"sources": "config/sources.yaml", "results": "results", **changes}
    for name, value in (("config", told), ("sources", blocks), ("pipeline", pipeline())):
        (folder / "config" / f"{name}.yaml").write_text(yaml.safe_dump(value))


def pipeline(**kinds: Any) -> Json:
    """A pipeline of few readers."""
    return {"pipeline": {"html": {"readers": ["marked", "whole_page"]}, **kinds}}


def found(folder: Path, name: str, stage: str | None = None) -> doctor.Finding:
    """What is found of one thing."""
    findings = doctor.examine(folder, TODAY).findings
    return next(each for each in findings if each.name == name and stage in (None, each.stage))


def without(patch: pytest.MonkeyPatch, *names: str) -> None:
    """Takes programs and modules away from the machine."""
    is_installed, find_spec, find = tools.is_installed, doctor.find_spec, program.find
    patch.setattr(tools, "is_installed", lambda name: name not in names and is_installed(name))
    patch.setattr(program, "find", lambda name=program.NAME: None if name in names else find(name))

    def spec(module: str) -> Any:
        return None if module in names else find_spec(module)

    patch.setattr(doctor, "find_spec", spec)
    patch.setattr(registry, "find_spec", spec)


def test_a_machine_with_everything_that_is_required_is_ready(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("ready")
    headings = [line for line in said.splitlines() if line and not line.startswith(" ")]
    assert headings[:-1] == ["every stage", *doctor.STAGES]
    assert not (place / "results").exists()


def test_which_configuration_and_which_results_are_meant_is_said(place: Path) -> None:
    assert found(place, "configuration").detail == f"{place}/config/config.yaml, 1 source"
    assert found(place, "results").detail.startswith(f"{place}/results: writable")


@pytest.mark.usefixtures("place")
def test_everything_is_had_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["ready"], said["stages"]) == (True, dict.fromkeys(doctor.STAGES, True))
    line = next(each for each in said["findings"] if each["name"] == "html: marked")
    assert line["stage"] == "extract"
    assert (line["required"], line["there"]) == (False, True)
    assert line["version"]


@pytest.mark.usefixtures("place")
def test_what_is_required_and_missing_is_said_with_the_command_and_in_the_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without(monkeypatch, "polars")
    assert cli.main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "  MISSING polars" in said
    assert "          make setup" in said
    assert said.splitlines()[-1] == "not ready: report"


def test_yt_dlp_is_required_only_where_a_source_is_a_channel(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "yt-dlp")
    lacking = found(place, "yt-dlp")
    assert (lacking.mark, lacking.mend) == ("lacks", program.INSTALL)
    assert doctor.examine(place, TODAY).not_ready == []
    configured(place, CHANNEL)
    assert found(place, "yt-dlp").mark == "MISSING"
    assert doctor.examine(place, TODAY).not_ready == ["enumerate", "acquire"]
    configured(place, {"town": {**CHANNEL["town"], "enabled": False}})
    assert doctor.examine(place, TODAY).not_ready == []


def test_an_old_yt_dlp_is_old_and_stops_nothing(place: Path) -> None:
    said = found(place, "yt-dlp")
    assert (said.mark, said.version) == ("ok", "2026.03.20")
    old = next(
        each for each in doctor.examine(place, date(2026, 6, 1)).findings if each.name == "yt-dlp"
    )
    assert (old.mark, old.mend) == ("old", program.UPGRADE)
    assert old.detail.startswith("73 days old")


def test_a_reader_is_required_where_none_stands_in_for_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "html_to_markdown")
    assert found(place, "html: whole_page").is_required
    assert doctor.examine(place, TODAY).not_ready == ["extract"]


def test_a_program_that_reads_what_else_waits_is_optional(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "config" / "pipeline.yaml").write_text(
        yaml.safe_dump(pipeline(image={"readers": ["ocr"]}))
    )
    without(monkeypatch, "tesseract")
    assert found(place, "image: ocr").mark == "lacks"
    assert doctor.examine(place, TODAY).not_ready == []


def test_recordings_wait_where_their_model_is_missing_and_the_command_is_said(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CENTINEL_MODELS", str(place / "models"))
    said = found(place, "tiny.en", "transcribe")
    assert said.mark == "lacks"
    assert "centinel models pull tiny.en" in (said.mend or "")
    assert doctor.examine(place, TODAY).is_ready("transcribe")


def test_results_that_cannot_be_written_stop_every_stage(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object, **_named: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(doctor.tempfile, "TemporaryFile", refuse)
    said = found(place, "results")
    assert (said.mark, said.detail) == ("MISSING", f"{place}: Permission denied")
    assert doctor.examine(place, TODAY).not_ready == list(doctor.STAGES)


def test_a_full_disk_stops_every_stage(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = doctor.ROOM - 1

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _path: Usage)
    assert found(place, "disk space").mark == "MISSING"


def test_a_wrong_configuration_is_a_finding_and_the_rest_is_said(place: Path) -> None:
    configured(place, {"town": {"sight": "https://town.example/"}})
    said = found(place, "configuration")
    assert said.mark == "MISSING"
    assert "did you mean 'site'?" in (said.mend or "")
    assert found(place, "polars").mark == "ok"


def test_uploads_are_required_where_they_are_wanted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, "ia")
    monkeypatch.delenv("IA_ACCESS_KEY_ID", raising=False)
    monkeypatch.delenv("IA_ACCESS_KEY", raising=False)
    assert found(place, "ia").mark == "lacks"
    wanted = pipeline(ingest={"archiveorg": {"upload": True, "collection": "opensource"}})
    (place / "config" / "pipeline.yaml").write_text(yaml.safe_dump(wanted))
    assert found(place, "ia").mark == "MISSING"
    assert found(place, "keys").mark == "MISSING"
