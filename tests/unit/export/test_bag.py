"""A bag holds what a source is, is valid by the library's own check, and says what it lacks."""

import hashlib
from pathlib import Path

import bagit
import pytest
import yaml

from centinel.configuration import Configuration, load
from centinel.export import bag
from centinel.files import read_json
from centinel.store import Store
from tests.unit.export.exporting import SITE, Kept
from tests.unit.support import assert_valid, files_under

SOURCES = """\
town: {site: "https://town.example/"}
other: {site: "https://other.example/"}
"""


@pytest.fixture
def configuration(tmp_path: Path) -> Configuration:
    (tmp_path / "sources.yaml").write_text(SOURCES)
    given = {
        "sources": "sources.yaml",
        "results": "results",
        "contact": "https://me:secret@town.example/",
    }
    return load(given, tmp_path)


@pytest.fixture
def kept(configuration: Configuration) -> Kept:
    """A source that was read: one text, a report, and what is of no use elsewhere."""
    kept = Kept(Store(configuration.results, "town"))
    seen = kept.see(f"{SITE}/a", b"<p>one")
    kept.note(f"{SITE}/gone", "gone")
    store = kept.store
    for path, content in {
        store.kind_sidecar(seen.blob): b"{}",
        store.text_file("html", 1, seen.blob): b"one\n",
        store.derived_file("html", 1, "0-of-1"): b"{}\n",
        store.tables / "artifacts.csv": b"artifact\n",
        store.report: b"<p>all is well",
        store.artifacts: b"{}\n",
        store.index: b"made again",
        store.segments_file("audio", "1-tiny", seen.blob).with_suffix(".part"): b"grows",
        store.record_lock: b"",
        store.run_lock: b"",
        store.incoming / "1-1": b"torn",
        store.record / "snapshots" / "x.jsonl.gz": b"packed",
    }.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return kept


def write(kept: Kept, configuration: Configuration) -> bagit.Bag:
    """Writes the bag; fails where the library finds it invalid."""
    bag.write(kept.store, configuration)
    found = bagit.Bag(str(kept.store.bag))
    found.validate()
    return found


def test_a_bag_holds_the_source_and_is_valid(kept: Kept, configuration: Configuration) -> None:
    found = write(kept, configuration)
    sha256 = hashlib.sha256(b"<p>one").hexdigest()
    blob = f"data/blobs/{sha256[:2]}/{sha256[2:4]}/{sha256}"
    assert sorted(found.payload_files()) == sorted(
        [
            blob,
            f"{blob}.kind.json",
            "data/record/2026-03.jsonl",
            "data/record/snapshots/x.jsonl.gz",
            f"data/text/html/v1/{sha256[:2]}/{sha256}.md",
            "data/derived/html/v1/0-of-1.jsonl",
            "data/tables/artifacts.csv",
            "data/report.html",
            "data/artifacts.jsonl",
            "data/configuration.yaml",
            "data/contents.json",
        ]
    )
    assert found.entries[blob] == {"sha256": sha256}, "the manifest says what the name says"
    assert found.info["External-Identifier"] == "town"
    assert found.info["Record-Since"] == "2026-03-01T12:00:00.000000Z"
    assert found.info["Record-Until"] == "2026-03-01T12:01:00.000000Z"
    assert found.info["Contact-Name"] == "https://me:***@town.example/"


def test_blobs_are_links_and_the_record_is_a_copy(kept: Kept, configuration: Configuration) -> None:
    write(kept, configuration)
    for path in files_under(kept.store.blobs):
        there = kept.store.bag / "data" / "blobs" / path
        is_same = there.samefile(kept.store.blobs / path)
        assert is_same == (there.suffix == ""), "sidecars may be written again"
    kept.see(f"{SITE}/later", b"two")
    assert bagit.Bag(str(kept.store.bag)).is_valid(), "a record that grows leaves the bag as it is"


def test_where_nothing_can_be_linked_all_is_copied(
    kept: Kept, configuration: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_self: Path, _target: Path) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    write(kept, configuration)
    for path, content in files_under(kept.store.blobs).items():
        there = kept.store.bag / "data" / "blobs" / path
        assert there.read_bytes() == content
        assert there.stat().st_nlink == 1


def test_a_blob_that_is_not_whole_is_named_and_not_in_the_bag(
    kept: Kept, configuration: Configuration
) -> None:
    damaged = kept.see(f"{SITE}/damaged", b"whole")
    missing = kept.see(f"{SITE}/missing", b"there")
    kept.store.blob(damaged.blob).write_bytes(b"hole")
    kept.store.blob(missing.blob).unlink()
    found = write(kept, configuration)
    contents = read_json(kept.store.bag / "data" / "contents.json") or {}
    assert_valid([contents], "bag_contents")
    assert contents["blobs"] == 1
    assert [(x["artifact"], x["blob"], x["reason"]) for x in contents["without_bytes"]] == [
        (f"{SITE}/damaged", damaged.blob, "damaged"),
        (f"{SITE}/missing", missing.blob, "missing"),
    ]
    assert found.info["Blobs-Missing-Or-Damaged"] == "2"
    assert not [path for path in found.payload_files() if damaged.blob in path]


def test_the_configuration_tells_nothing_of_other_sources_and_no_secret(
    kept: Kept, configuration: Configuration
) -> None:
    write(kept, configuration)
    text = (kept.store.bag / "data" / "configuration.yaml").read_text()
    assert list(yaml.safe_load(text)["blocks"]) == ["town"]
    for path, content in files_under(kept.store.bag).items():
        assert b"secret" not in content and b"other.example" not in content, path


def test_a_second_bag_takes_the_place_of_the_first(
    kept: Kept, configuration: Configuration
) -> None:
    write(kept, configuration)
    (kept.store.bag / "data" / "changed").write_text("by hand")
    left = kept.store.export / ".town.bag.1.tmp"
    left.mkdir()
    write(kept, configuration)
    assert [path.name for path in kept.store.export.iterdir()] == ["town.bag"]
    assert kept.store.blob(hashlib.sha256(b"<p>one").hexdigest()).read_bytes() == b"<p>one"


def test_a_fault_of_this_machine_leaves_no_bag(
    kept: Kept, configuration: Configuration, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bagit, "make_manifests", full)
    with pytest.raises(OSError, match="No space"):
        bag.write(kept.store, configuration)
    assert list(kept.store.export.iterdir()) == []
