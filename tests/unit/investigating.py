"""What the tests of `centinel investigate` share."""

import functools
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
import yaml

from centinel import cli, investigate
from centinel.investigation.asking import BUDGET, BudgetedClient
from centinel.record import Json, Resource
from centinel.schemas import check
from centinel.sources import registry
from tests.sites.server import Answer, Site
from tests.unit.support import PAGE, client, source

XML = "application/xml"
TOP = """target seed robots recognisers measures shapes findings crumbs blocks yaml advice requests
crumbs_more budget unasked"""
OF_A_BLOCK = "id block found at_least by_fallback method promise"


def prepare(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Works in an empty folder, which it returns; requests are not paced."""
    place = folder / "place"
    place.mkdir()
    monkeypatch.chdir(place)
    unpaced = functools.partial(BudgetedClient, rps=1000.0, backoff_seconds=0.01)
    monkeypatch.setattr(investigate, "BudgetedClient", unpaced)
    return place


def run(*arguments: str) -> tuple[int, str, str]:
    """Runs the command; returns its exit code, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.main(["investigate", *arguments])
    return code, out.getvalue(), err.getvalue()


def ask(site: Site, path: str = "/") -> Json:
    """Investigates an address of a site; returns the JSON, of which holds what always does."""
    site.forget_requests()
    code, out, err = run(site.address + path, "--json")
    assert (err, out.count("\n")) == ("", 1)
    found: Json = json.loads(out)
    assert set(TOP.split()) == found.keys()
    assert max(len(site.requests), found["requests"]) <= BUDGET
    assert len(set(site.paths())) == len(site.paths()), "something was asked for twice"
    assert code == (0 if found["blocks"] else 1)
    assert (found["advice"] is None) == bool(found["blocks"])
    assert all(set(OF_A_BLOCK.split()) == each.keys() for each in found["blocks"])
    offered = {each["id"]: each["block"] for each in found["blocks"]}
    assert (yaml.safe_load(found["yaml"]) or {}) == offered
    for identifier, block in offered.items():
        check({identifier: block}, "sources", "config/sources.yaml")
    return found


def recogniser(found: Json, name: str) -> Json:
    """What one recogniser said."""
    said: Json = next(each for each in found["recognisers"] if each["recogniser"] == name)
    return said


def recognised(found: Json) -> list[str]:
    """Who recognised the address."""
    return [each["recogniser"] for each in found["recognisers"] if each["recognised"]]


def front(site: Site, body: str = "<p>Welcome</p>", head: str = "", path: str = "/") -> None:
    """Serves a page without a menu, with no sitemap."""
    content = f"<!doctype html><html><head><title>T</title>{head}</head><body>{body}</body></html>"
    site.set(path, Answer(content.encode(), PAGE))


def enumerated(block: Json, folder: Path) -> list[Resource]:
    """What a run finds for a block."""
    ((key, value),) = block.items()
    given = source(key=key, value=value)
    found = registry.kind_of(given).enumerate(given, client(folder / "incoming"))
    assert found.reason is None
    return found.resources
