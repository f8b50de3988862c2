"""Every blob has a kind beside it, and what is to be read is split so that little is read again."""

import math
import os
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from centinel import classify
from centinel.classify import Work, shard_name, shards, work_files
from centinel.extract import Extract
from centinel.files import write_json
from centinel.progress import Progress
from centinel.record import Artifact, Json, timestamp
from centinel.store import Store
from tests.unit.support import (
    DAY,
    NOON,
    PROPERTY,
    Direct,
    assert_valid,
    files_under,
    lines_of,
    sha256,
)

TOWN = "https://town.example"
PDF = b"%PDF-1.7"
HASHES = st.integers(0, 16**64 - 1).map(lambda number: f"{number:064x}")


def artifact(path: str, content: bytes = b"text", **changes: Any) -> Artifact:
    """The latest observation of a path."""
    given: dict[str, Any] = {
        "artifact": TOWN + path,
        "resource": TOWN + path,
        "blob": sha256(content),
        "size": len(content),
        "declared_type": None,
        "filename": None,
        "final_url": TOWN + path,
        "title": None,
        "observed_at": timestamp(NOON),
    }
    return Artifact(**{**given, **changes})


def keep(store: Store, content: bytes) -> None:
    """Puts bytes where blobs lie."""
    blob = store.blob(sha256(content))
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)


def run(store: Store, *artifacts: Artifact, version: int = 1) -> None:
    """Classifies these artifacts."""
    store.root.mkdir(parents=True, exist_ok=True)
    lines = b"".join(orjson.dumps(each.to_json()) + b"\n" for each in artifacts)
    store.artifacts.write_bytes(lines)
    classify.run(store, version)


def sidecar(store: Store, content: bytes) -> Json:
    """The kind sidecar of these bytes."""
    found: Json = orjson.loads(store.kind_sidecar(sha256(content)).read_bytes())
    assert_valid([found], "kind_sidecar")
    return found


def work(store: Store) -> list[Json]:
    """Every line that is to be read."""
    return [
        line for kind, shard in work_files(store) for line in lines_of(store.work_file(kind, shard))
    ]


# Kinds


def test_each_blob_has_its_kind_and_its_evidence_beside_it(store: Store) -> None:
    keep(store, PDF)
    run(store, artifact("/fees.pdf", PDF, declared_type="text/html"))
    assert sidecar(store, PDF) == {
        "blob": sha256(PDF),
        "size": len(PDF),
        "version": 1,
        "claims": [
            {
                "kind": "html",
                "decided_by": "declared",
                "declared_type": "text/html",
                "magic": "pdf",
                "extension": "pdf",
                "notes": [
                    "declared says html, but the bytes open as pdf (pdf)",
                    "declared says html, but the address ends in .pdf (pdf)",
                ],
            }
        ],
    }


def test_bytes_under_two_evidences_are_two_claims_of_one_sidecar(store: Store) -> None:
    keep(store, PDF)
    as_page = artifact("/a", PDF, declared_type="text/html")
    as_document = artifact("/b", PDF, declared_type="application/pdf")
    run(store, as_page)
    run(store, as_document)
    run(store, as_page, as_document, artifact("/c", PDF, declared_type="text/html"))
    claims = sidecar(store, PDF)["claims"]
    assert {(each["declared_type"], each["kind"]) for each in claims} == {
        ("text/html", "html"),
        ("application/pdf", "pdf"),
    }
    assert {(line["artifact"], line["kind"]) for line in work(store)} == {
        (TOWN + "/a", "html"),
        (TOWN + "/b", "pdf"),
        (TOWN + "/c", "html"),
    }


def test_the_name_that_the_server_gave_is_evidence_where_the_address_has_none(
    store: Store,
) -> None:
    keep(store, b"a,b")
    run(store, artifact("/View/1", b"a,b", filename="fees.csv"))
    (claim,) = sidecar(store, b"a,b")["claims"]
    assert (claim["kind"], claim["decided_by"], claim["extension"]) == ("csv", "extension", "csv")


def test_the_served_address_is_evidence_not_the_asked_one(store: Store) -> None:
    run(store, artifact("/fees.pdf", b"a,b", final_url=TOWN + "/moved.csv"))
    assert work(store)[0]["kind"] == "csv"


def test_a_blob_that_is_missing_is_named_by_what_was_said_of_it(store: Store) -> None:
    run(store, artifact("/fees.pdf", PDF))
    assert [line["kind"] for line in work(store)] == ["pdf"]


def test_bytes_that_came_back_are_named_by_what_they_show(store: Store) -> None:
    run(store, artifact("/fees.csv", PDF))
    assert not store.kind_sidecar(sha256(PDF)).exists()
    assert [line["kind"] for line in work(store)] == ["csv"]
    keep(store, PDF)
    run(store, artifact("/fees.csv", PDF))
    (claim,) = sidecar(store, PDF)["claims"]
    assert (claim["kind"], claim["decided_by"]) == ("pdf", "magic")
    assert [line["kind"] for line in work(store)] == ["pdf"]


def test_a_word_that_the_table_does_not_know_any_more_survives(store: Store) -> None:
    keep(store, b"drawing")
    run(store, artifact("/a", b"drawing"))
    found = sidecar(store, b"drawing")
    found["claims"][0]["kind"] = "blueprint"
    write_json(store.kind_sidecar(sha256(b"drawing")), found)
    run(store, artifact("/a", b"drawing"))
    assert list(work_files(store)) == [("blueprint", "0-of-1")]
    direct = Direct({}, store.results)
    Extract(store, "blueprint", 1, direct, Progress("extract", streams=())).run("0-of-1")
    (line,) = lines_of(store.derived_file("blueprint", 1, "0-of-1"))
    assert_valid([line], "derived")
    assert (line["outcome"], line["reason"]) == ("underivable", "no reader for kind blueprint")


def test_a_sidecar_stands_until_the_version_is_raised(store: Store) -> None:
    keep(store, PDF)
    run(store, artifact("/a", PDF))
    found = sidecar(store, PDF)
    found["claims"][0]["kind"] = "audio"
    write_json(store.kind_sidecar(sha256(PDF)), found)
    run(store, artifact("/a", PDF))
    assert work(store)[0]["kind"] == "audio"
    run(store, artifact("/a", PDF), version=2)
    assert work(store)[0]["kind"] == "pdf"
    assert sidecar(store, PDF)["version"] == 2


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"version": 1'])
def test_a_damaged_sidecar_is_made_again(store: Store, content: bytes) -> None:
    keep(store, PDF)
    store.kind_sidecar(sha256(PDF)).write_bytes(content)
    run(store, artifact("/a", PDF))
    assert sidecar(store, PDF)["claims"][0]["kind"] == "pdf"


def test_what_is_known_is_not_written_again(store: Store) -> None:
    keep(store, PDF)
    run(store, artifact("/a", PDF))
    path = store.kind_sidecar(sha256(PDF))
    os.utime(path, (1, 1))
    run(store, artifact("/a", PDF), artifact("/b", PDF))
    assert path.stat().st_mtime == 1


# Work


def test_a_line_of_work_has_what_reading_needs_and_no_time(store: Store) -> None:
    keep(store, PDF)
    fees = artifact("/a", PDF, declared_type="application/pdf", title="Fees", resource=TOWN + "/p")
    run(store, fees)
    lines = work(store)
    assert_valid(lines, "work")
    assert lines == [
        {
            "artifact": TOWN + "/a",
            "resource": TOWN + "/p",
            "blob": sha256(PDF),
            "kind": "pdf",
            "declared_type": "application/pdf",
            "title": "Fees",
            "notes": [],
        }
    ]


def test_the_same_artifacts_give_the_same_bytes(store: Store) -> None:
    artifacts = [artifact(f"/{number}.txt", b"%d" % number) for number in range(40)]
    run(store, *artifacts)
    first = files_under(store.work)
    later = [artifact(f"/{n}.txt", b"%d" % n, observed_at=timestamp(NOON + DAY)) for n in range(40)]
    run(store, *later[::-1])
    assert files_under(store.work) == first


def test_a_new_document_changes_one_file(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classify, "SHARD_LINES", 16)
    artifacts = [artifact(f"/{number}.txt", b"%d" % number) for number in range(60)]
    run(store, *artifacts)
    before = files_under(store.work)
    run(store, *artifacts, artifact("/new.txt", b"new"))
    after = files_under(store.work)
    assert before.keys() == after.keys()
    assert sum(before[name] != after[name] for name in before) == 1


def test_nothing_acquired_is_an_empty_folder(store: Store) -> None:
    run(store, artifact("/a"))
    run(store)
    assert store.work.is_dir()
    assert list(work_files(store)) == []


def test_work_files_are_named_by_kind_and_shard(store: Store) -> None:
    run(store, artifact("/a.pdf", PDF), artifact("/b.html"), artifact("/c.html", b"c"))
    assert list(work_files(store)) == [("html", "0-of-1"), ("pdf", "0-of-1")]


def test_lines_of_shards_that_do_not_stand_are_removed_and_texts_stay(store: Store) -> None:
    kept = [store.derived_file("html", version, "0-of-1") for version in (1, 2)]
    stale = [
        store.derived_file("html", 1, "0-of-2"),
        store.derived_file("html", 1, "1-of-2"),
        store.derived_file("pdf", 1, "0-of-1"),
    ]
    text = store.text_file("html", 1, "0" * 64)
    for path in [*kept, *stale, text]:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    run(store, artifact("/a.html"))
    assert [path.exists() for path in kept] == [True, True]
    assert [path.exists() for path in stale] == [False, False, False]
    assert text.exists()


# Texts


def line(blob: str, name: str = "a", title: str | None = None) -> Work:
    """A line of work."""
    return Work(f"{TOWN}/{name}", f"{TOWN}/{name}", blob, "html", None, title)


def test_a_text_is_named_by_the_blob_and_the_title_of_the_source() -> None:
    blob = sha256(b"text")
    assert line(blob).identifier == line(blob, "b").identifier == blob
    titled = {line(blob, title=title).identifier for title in (None, "", "Fees", "Rates")}
    assert len(titled) == 4
    assert all(identifier.startswith(blob) for identifier in titled)
    assert line(blob, title="Fees").identifier == line(blob, "b", "Fees").identifier


# Shards


@pytest.mark.parametrize(
    ("blob", "count", "name"),
    [
        ("0" * 64, 1, "0-of-1"),
        ("f" * 64, 1, "0-of-1"),
        ("7f" + "f" * 62, 2, "0-of-2"),
        ("80" + "0" * 62, 2, "1-of-2"),
        ("f" * 64, 16, "15-of-16"),
        ("10" + "0" * 62, 16, "01-of-16"),
        ("f" * 64, 1024, "1023-of-1024"),
        ("00" + "f" * 62, 128, "000-of-128"),
    ],
)
def test_membership_follows_the_first_bits_of_the_hash(blob: str, count: int, name: str) -> None:
    assert shard_name(blob, count) == name


@PROPERTY
@given(HASHES, st.integers(0, 12))
def test_doubling_splits_a_shard_in_two(blob: str, power: int) -> None:
    index = int(shard_name(blob, 2**power).partition("-")[0])
    half = int(shard_name(blob, 2 ** (power + 1)).partition("-")[0])
    assert half // 2 == index
    assert 0 <= index < 2**power


@PROPERTY
@given(st.lists(HASHES, max_size=60, unique=True))
def test_every_line_is_in_one_shard_and_sorted(blobs: list[str]) -> None:
    lines = [line(blob, f"{number % 7}-{number}") for number, blob in enumerate(blobs)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(classify, "SHARD_LINES", 8)
        found = shards(lines)
        again = shards(lines[::-1])
    assert found == again
    assert sorted(each.blob for members in found.values() for each in members) == sorted(blobs)
    for name, members in found.items():
        assert [each.artifact for each in members] == sorted(each.artifact for each in members)
        assert all(
            shard_name(each.blob, int(name.partition("-of-")[2])) == name for each in members
        )


@pytest.mark.parametrize("count", [1, 999, 1000, 1001, 2000, 2001, 5000])
def test_the_number_of_shards_is_the_power_of_two_that_keeps_them_small(count: int) -> None:
    lines = [line(sha256(b"%d" % number), str(number)) for number in range(count)]
    found = shards(lines)
    expected = 2 ** max(0, math.ceil(math.log2(count / 1000)))
    assert {name.partition("-of-")[2] for name in found} == {str(expected)}
    assert len(found) == expected
    assert all(len(members) < 1300 for members in found.values())
