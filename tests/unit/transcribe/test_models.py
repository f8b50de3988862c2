"""Models are exactly what they are said to be, and nothing is fetched unless somebody says so."""

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from centinel import cli
from centinel.configuration import Configuration, Transcription, load_files
from centinel.schemas import PROJECT, ConfigurationError
from centinel.transcribe import models, pulling
from centinel.transcribe.models import Pinned
from centinel.transcribe.pulling import NotPulled, pull
from tests.recordings import making
from tests.sites.server import Answer, Request, Site, entity_tag

BODY = random.Random(5).randbytes(4 << 20)
PIECE = 3 << 20


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as served:
        served.set("/robots.txt", Answer(status=404))
        yield served


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where models lie during a test."""
    path = tmp_path / "models"
    monkeypatch.setenv(models.VARIABLE, str(path))
    return path


def pinned(site: Site, content: bytes = BODY, **changes: Any) -> Pinned:
    given = {
        "name": "tiny.en",
        "address": f"{site.address}/tiny.bin",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return Pinned(**{**given, **changes})


def said(**changes: Any) -> Configuration:
    """The project's configuration with another model."""
    from dataclasses import replace

    return replace(load_files(PROJECT), transcription=Transcription(**changes))


# Which there are


def test_the_models_that_are_shipped_are_pinned_to_one_revision() -> None:
    found = models.pinned(PROJECT)
    assert {"tiny.en", "base", "base.en", "small", "large-v3-turbo-q8_0"} <= set(found)
    revisions = {re.search(r"/resolve/([0-9a-f]{40})/", each.address) for each in found.values()}
    assert len({match[1] for match in revisions if match}) == 1
    for model in found.values():
        assert model.address.endswith(f"/ggml-{model.name}.bin")
        assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)
    assert len({each.sha256 for each in found.values()}) == len(found)


def test_models_lie_where_the_variable_says_else_in_the_cache(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert models.folder() == folder
    monkeypatch.delenv(models.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert models.folder().parts[-2:] == ("centinel", "models")


@pytest.mark.parametrize(
    ("model", "name", "is_a_path"),
    [
        ("tiny.en", "tiny.en", False),
        ("models/ggml-tiny.en.bin", "tiny.en", True),
        ("my model (2).bin", "my-model-2", True),
        ("/x/ggml-.bin", "model", True),
        ("./large", "large", True),
    ],
)
def test_a_model_has_a_name_for_paths(model: str, name: str, is_a_path: bool) -> None:
    given = Transcription(model=model)
    assert (given.model_name, given.model_is_a_path) == (name, is_a_path)


def test_an_unknown_model_stops_the_run_with_one_line() -> None:
    with pytest.raises(ConfigurationError, match=r"transcribe.model: no model 'tinny': use one of"):
        models.chosen(said(model="tinny"))


# Whether one can be used


def test_a_model_that_is_not_here_names_the_command() -> None:
    fault = models.chosen(said(model="base.en")).fault()
    assert fault == "the model base.en is not here: centinel models pull base.en"


def test_a_model_of_another_size_names_the_command(folder: Path) -> None:
    folder.mkdir()
    (folder / "ggml-base.en.bin").write_bytes(b"half")
    fault = models.chosen(said(model="base.en")).fault()
    assert fault is not None
    assert "has 4 bytes, not 147964211: centinel models pull base.en" in fault


def test_a_file_is_taken_as_it_is_once_its_structure_was_looked_at(tmp_path: Path) -> None:
    chosen = models.chosen(said(model=str(making.model())))
    assert chosen.fault() is None
    assert (chosen.name, chosen.digest()) == ("tiny.en", making.MODEL_SHA256)
    half = tmp_path / "half.bin"
    half.write_bytes(making.model().read_bytes()[:40_000_000])
    fault = models.chosen(said(model=str(half))).fault()
    assert fault is not None
    assert "cut short, at byte 40000000" in fault


def test_a_pinned_model_with_other_bytes_is_not_used() -> None:
    path = making.model()
    model = Pinned("tiny.en", "http://x/", path.stat().st_size, "0" * 64)
    with pytest.raises(ValueError, match=r"has the SHA-256 60ed.*centinel models pull tiny.en"):
        models.Chosen("tiny.en", path, model).digest()


@pytest.mark.parametrize("lang", ["en", "en-GB", "EN_us", "auto"])
def test_an_english_model_is_given_english(lang: str) -> None:
    chosen = models.chosen(said(model=str(making.model())))
    assert chosen.does_not_know(lang) is None
    assert chosen.language(lang) == "en"


def test_an_english_model_is_not_given_another_language() -> None:
    fault = models.chosen(said(model=str(making.model()))).does_not_know("de")
    assert fault is not None
    assert "knows only English, and the source's lang is de" in fault


def test_a_language_that_whisper_does_not_know_is_said() -> None:
    fault = models.chosen(said(model=str(making.model()))).does_not_know("tlh")
    assert fault == "the source's lang is tlh, which Whisper does not know: give another, or auto"


# Fetching one


def test_a_model_is_fetched_once_and_verified(site: Site) -> None:
    site.set("/tiny.bin", Answer(BODY))
    model = pinned(site)
    assert not pull(model).was_there
    assert model.path.read_bytes() == BODY
    assert pull(model).was_there
    assert site.asked("/tiny.bin") == 1
    assert [path.name for path in models.folder().iterdir()] == ["ggml-tiny.en.bin"]


class Breaking:
    """A server that keeps ranges, and closes after a piece until it is mended."""

    def __init__(self) -> None:
        self.is_mended = False

    def __call__(self, request: Request) -> Answer:
        tag = entity_tag(BODY)
        wanted = request.headers.get("range")
        if not self.is_mended and wanted:
            return Answer(reset=True)
        cut = None if self.is_mended else PIECE
        if wanted is None:
            return Answer(BODY, headers=(("ETag", tag),), cut_after=cut)
        first = int(wanted.removeprefix("bytes=").removesuffix("-"))
        span = f"bytes {first}-{len(BODY) - 1}/{len(BODY)}"
        return Answer(BODY[first:], status=206, headers=(("ETag", tag), ("Content-Range", span)))


def test_a_pull_that_broke_is_gone_on_with_by_the_next(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulling._Puller, "backoff_seconds", 0.01, raising=False)
    server = Breaking()
    site.set("/tiny.bin", server)
    model = pinned(site)
    with pytest.raises(NotPulled, match=f"{PIECE} bytes of {len(BODY)} are kept"):
        pull(model)
    server.is_mended = True
    site.forget_requests()
    assert not pull(model).was_there
    assert model.path.read_bytes() == BODY
    ranges = [each.headers.get("range") for each in site.requests if each.path == "/tiny.bin"]
    assert ranges == [f"bytes={PIECE}-"]
    assert [path.name for path in models.folder().iterdir()] == ["ggml-tiny.en.bin"]


@pytest.mark.parametrize("content", [BODY[:-1] + b"?", BODY[:-5]])
def test_other_bytes_are_thrown_away(site: Site, content: bytes) -> None:
    site.set("/tiny.bin", Answer(content))
    model = pinned(site)
    with pytest.raises(NotPulled, match="they were thrown away"):
        pull(model)
    assert list(models.folder().iterdir()) == []


def test_a_refusal_is_said(site: Site) -> None:
    site.set("/tiny.bin", Answer(status=404))
    with pytest.raises(NotPulled, match="http 404"):
        pull(pinned(site))


# The command


@pytest.fixture
def project(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose models file leads to the loopback site."""
    place = tmp_path / "project"
    (place / "config").mkdir(parents=True)
    for name in ("config.yaml", "pipeline.yaml", "sources.yaml", "crumbs.yaml"):
        (place / "config" / name).write_bytes((PROJECT / "config" / name).read_bytes())
    block = {"address": f"{site.address}/tiny.bin", "size": len(BODY), "note": "the only one"}
    block["sha256"] = hashlib.sha256(BODY).hexdigest()
    (place / "config" / "models.yaml").write_text(yaml.safe_dump({"models": {"tiny.en": block}}))
    monkeypatch.chdir(place)
    return place


@pytest.mark.usefixtures("project")
def test_the_command_lists_fetches_and_verifies(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    site.set("/tiny.bin", Answer(BODY))
    assert cli.main(["models", "list"]) == 0
    assert "not here" in capsys.readouterr().out
    assert site.paths() == [], "a list fetches nothing"
    assert cli.main(["models", "verify", "tiny.en"]) == 1
    assert cli.main(["models", "pull", "tiny.en"]) == 0
    assert "tiny.en is here: " in capsys.readouterr().out
    assert cli.main(["models", "verify"]) == 0
    path = models.folder() / "ggml-tiny.en.bin"
    path.write_bytes(BODY[::-1])
    assert cli.main(["models", "verify"]) == 1
    assert "another SHA-256" in capsys.readouterr().out


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("action", ["pull", "verify"])
def test_an_unknown_name_is_one_line(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["models", action, "huge"]) == 1
    assert capsys.readouterr().err == "centinel: no model 'huge': there are tiny.en\n"
