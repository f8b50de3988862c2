"""What somebody decided about a host holds for every source (row 20.40)."""

import hashlib
from pathlib import Path

import yaml

from centinel import crumbs
from centinel.classify import Work
from centinel.configuration import load
from centinel.files import read_lines, write_lines, write_whole
from centinel.record import Artifact
from centinel.store import Store

LINKS = b"""<p><a href="https://social.example/town">x</a><a href="https://records.example/">x</a>
<a href="https://village.example/">x</a><a href="https://town.example/">x</a></p>"""


def keep(store: Store, address: str) -> None:
    """One page with the links, as acquire and classify leave it."""
    blob = hashlib.sha256(LINKS).hexdigest()
    write_whole(store.blob(blob), LINKS)
    artifact = Artifact(address, address, blob, 1, "text/html", None, address, None, "2026")
    write_lines(store.artifacts, [artifact])
    work = Work(address, address, blob, "html", None, None)
    write_lines(store.work_file("html", "0-of-1"), [work])


def test_a_channel_claims_no_host(tmp_path: Path) -> None:
    blocks = {
        "films": {"channel": "https://www.youtube.com/@town"},
        "town": {"site": "https://town.example/"},
    }
    (tmp_path / "sources.yaml").write_text(yaml.safe_dump(blocks))
    configuration = load({"sources": "sources.yaml", "results": "results"}, tmp_path)
    assert list(crumbs.standing(configuration)) == ["town.example"]


def test_a_ruling_holds_for_every_source(tmp_path: Path) -> None:
    names = ("town", "village")
    blocks = {name: {"site": f"https://{name}.example/"} for name in names}
    (tmp_path / "sources.yaml").write_text(yaml.safe_dump(blocks))
    rulings = {"social.example": {"ruling": "ignore", "note": "a social network"}}
    (tmp_path / "crumbs.yaml").write_text(yaml.safe_dump(rulings))
    config = {"sources": "sources.yaml", "results": "results", "crumbs": "crumbs.yaml"}
    configuration = load(config, tmp_path)
    found = {}
    for name in names:
        store = Store(configuration.results, name)
        keep(store, f"https://{name}.example/links")
        crumbs.write(store, crumbs.standing(configuration))
        found[name] = {line["host"]: line["ruling"] for line in read_lines(store.crumbs)}
    both = {"social.example": "ignore", "records.example": "open"}
    assert found["town"] == {**both, "village.example": "source"}
    assert found["village"] == {**both, "town.example": "source"}
