"""A shard is read once: what is on disk whole stays, and nothing odd is read or kept."""

import os
from pathlib import Path

import orjson
import pytest

from centinel.classify import Work
from centinel.extract import Extract
from centinel.progress import Progress
from centinel.readers import reading
from centinel.record import Json, timestamp
from centinel.store import Store
from tests.unit.support import NOON, Clock, Direct, assert_valid, files_under, lines_of, sha256

TOWN = "https://town.example"
TEXT = b"Fees of the town\nA dog is 20 euros a year.\n"
SHARD = "0-of-1"


def keep(store: Store, content: bytes) -> str:
    """Puts bytes where blobs lie; returns their hash."""
    blob = store.blob(sha256(content))
    blob.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(content)
    return sha256(content)


def work(name: str, blob: str, kind: str = "text", title: str | None = None, *notes: str) -> Work:
    """One artifact that is to be read."""
    address = f"{TOWN}/{name}"
    return Work(address, address, blob, kind, "text/plain; charset=utf-8", title, list(notes))


def run(
    store: Store,
    *lines: Work,
    kind: str = "text",
    version: int = 1,
    readers: tuple[str, ...] = ("text",),
) -> list[Json]:
    """Reads one shard; returns its lines."""
    path = store.work_file(kind, SHARD)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(each.to_json()) + b"\n" for each in lines))
    progress = Progress("extract", streams=())
    direct = Direct({kind: readers}, store.results)
    Extract(store, kind, version, direct, progress, Clock()).run(SHARD)
    derived = lines_of(store.derived_file(kind, version, SHARD))
    assert_valid(derived, "derived")
    assert [line["artifact"] for line in derived] == [line.artifact for line in lines]
    return derived


def texts(store: Store) -> list[str]:
    """The texts on disk, by their path in the source's folder."""
    return sorted(path.relative_to(store.root).as_posix() for path in store.text.rglob("*.md"))


def age(folder: Path) -> None:
    """Makes every file old, so that a new one shows."""
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))


def new_files(folder: Path) -> list[str]:
    """The files that were written since."""
    return sorted(
        path.name for path in folder.rglob("*") if path.is_file() and path.stat().st_mtime > 1
    )


# Texts


def test_a_document_becomes_a_text_with_its_derivation(store: Store) -> None:
    blob = keep(store, TEXT)
    (line,) = run(store, work("a", blob))
    assert (line["outcome"], line["reader"], line["chars"]) == ("text", "text", len(TEXT))
    assert line["text"] == f"text/text/v1/{blob[:2]}/{blob}.md"
    assert (store.root / line["text"]).read_bytes() == TEXT
    derivation = orjson.loads(store.derivation_file("text", 1, blob).read_bytes())
    assert_valid([derivation], "derivation")
    assert (derivation["bytes"], derivation["at"]) == (len(TEXT), timestamp(NOON))
    assert (derivation["blob"], derivation["recovered_by_fallback"]) == (blob, False)


def test_a_text_that_is_there_is_not_written_again(store: Store) -> None:
    blob = keep(store, TEXT)
    first = run(store, work("a", blob))
    age(store.root)
    assert run(store, work("a", blob)) == first
    assert new_files(store.text) == []


def test_a_text_that_is_there_needs_no_blob(store: Store) -> None:
    blob = keep(store, TEXT)
    first = run(store, work("a", blob))
    store.blob(blob).unlink()
    assert run(store, work("a", blob)) == first


@pytest.mark.parametrize("torn", [b"", TEXT[:10], TEXT + b"more", None])
def test_a_torn_text_is_read_again(store: Store, torn: bytes | None) -> None:
    blob = keep(store, TEXT)
    first = run(store, work("a", blob))
    path = store.text_file("text", 1, blob)
    path.unlink()
    if torn is not None:
        path.write_bytes(torn)
    assert run(store, work("a", blob)) == first
    assert path.read_bytes() == TEXT


@pytest.mark.parametrize("torn", [b"", b"{", b"[]", None])
def test_a_torn_derivation_is_made_again(store: Store, torn: bytes | None) -> None:
    blob = keep(store, TEXT)
    first = run(store, work("a", blob))
    path = store.derivation_file("text", 1, blob)
    path.unlink()
    if torn is not None:
        path.write_bytes(torn)
    assert run(store, work("a", blob)) == first


def test_a_higher_version_reads_everything_beside_the_old_texts(store: Store) -> None:
    blob = keep(store, TEXT)
    run(store, work("a", blob))
    old = files_under(store.text)
    (line,) = run(store, work("a", blob), version=2)
    assert (line["version"], line["text"]) == (2, f"text/text/v2/{blob[:2]}/{blob}.md")
    assert files_under(store.text).items() >= old.items()
    assert len(texts(store)) == 2


def test_two_artifacts_with_the_same_bytes_share_one_text(store: Store) -> None:
    blob = keep(store, TEXT)
    one, two = run(store, work("a", blob), work("b", blob))
    assert one["text"] == two["text"]
    assert len(texts(store)) == 1


def test_the_same_bytes_under_two_titles_are_two_texts(store: Store) -> None:
    blob = keep(store, TEXT)
    lines = run(
        store, work("a", blob), work("b", blob, "text", "Fees"), work("c", blob, "text", "Rates")
    )
    assert len({line["text"] for line in lines}) == len(texts(store)) == 3
    assert [line["title"] for line in lines] == [None, "Fees", "Rates"]
    assert (store.root / lines[1]["text"]).read_text().startswith("# Fees\n")


def test_what_was_noted_of_the_kind_goes_before_what_the_reader_noted(store: Store) -> None:
    blob = keep(store, b'{"a": 1} rubbish')
    note = "declared says json, but the address ends in .pdf (pdf)"
    (line,) = run(store, work("a", blob, "json", None, note), kind="json", readers=("json",))
    assert line["notes"][0] == note
    assert line["notes"][1].startswith("invalid JSON")


def test_a_later_reader_is_a_recovery_and_says_why_the_first_gave_way(store: Store) -> None:
    blob = keep(store, b"[]")
    (line,) = run(store, work("a", blob, "json"), kind="json", readers=("json", "text"))
    assert (line["reader"], line["recovered_by_fallback"]) == ("text", True)
    assert line["notes"] == ["json: the JSON is an empty container"]


# Nothing came out


def test_what_gave_nothing_is_kept_as_underivable(store: Store) -> None:
    blob = keep(store, b"\x00\x01\x02" * 100)
    (line,) = run(store, work("a", blob))
    path = store.underivable_file("text", 1, blob)
    assert (line["outcome"], line["text"], line["chars"]) == ("underivable", None, 0)
    assert line["underivable"] == store.relative(path)
    kept = orjson.loads(path.read_bytes())
    assert_valid([kept], "underivable")
    assert [(each["reader"], each["reason"]) for each in kept["tried"]] == [
        ("text", line["reason"])
    ]
    assert kept["tried"][0]["reader_version"] is not None


def test_what_gave_nothing_is_not_tried_again_at_this_version(store: Store) -> None:
    blob = keep(store, b"\x00\x01\x02" * 100)
    first = run(store, work("a", blob))
    age(store.root)
    assert run(store, work("a", blob)) == first
    assert new_files(store.underivable) == []


def test_a_kind_without_readers_is_underivable_with_that_reason(store: Store) -> None:
    blob = keep(store, TEXT)
    (line,) = run(store, work("a", blob, "mail"), kind="mail", readers=())
    assert (line["outcome"], line["reason"]) == ("underivable", "no reader for kind mail")


def test_an_empty_document_is_underivable(store: Store) -> None:
    (line,) = run(store, work("a", keep(store, b"")))
    assert (line["outcome"], line["reason"]) == ("underivable", "the document is empty (0 bytes)")


@pytest.mark.parametrize("damage", [b"other bytes", b"", None])
def test_a_damaged_blob_is_never_read_and_not_kept_as_underivable(
    store: Store, damage: bytes | None
) -> None:
    blob = keep(store, TEXT)
    store.blob(blob).unlink()
    if damage is not None:
        store.blob(blob).write_bytes(damage)
    (line,) = run(store, work("a", blob))
    assert (line["outcome"], line["underivable"]) == ("underivable", None)
    assert "missing or damaged" in line["reason"]
    assert not store.text.exists()
    assert not store.underivable.exists()
    keep(store, TEXT)
    assert run(store, work("a", blob))[0]["outcome"] == "text"


def test_one_odd_document_does_not_end_the_shard(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, good = keep(store, b"odd"), keep(store, TEXT)
    real = reading.by_name("text").read

    class Odd:
        """A reader that fails for one document in a way that nobody expects."""

        name, kinds, distribution, modules, install, programs = (
            "text",
            frozenset({"text"}),
            "centinel",
            (),
            "",
            (),
        )

        def read(self, document: reading.Document) -> object:
            if document.data == b"odd":
                raise MemoryError("odd")
            return real(document)

    monkeypatch.setattr(reading, "by_name", lambda _name: Odd())
    lines = run(store, work("a", odd), work("b", good))
    assert [line["outcome"] for line in lines] == ["underivable", "text"]
    assert lines[0]["reason"] == "took too much memory"


# Waiting


def test_a_document_waits_for_a_reader_that_is_not_installed_and_is_read_when_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = keep(store, TEXT)
    with monkeypatch.context() as patched:
        patched.setattr(reading, "is_at_hand", lambda _reader: False)
        (line,) = run(store, work("a", blob))
    assert (line["outcome"], line["underivable"], line["text"]) == ("waiting", None, None)
    assert "text is not installed here (to install it: " in line["reason"]
    assert not store.underivable.exists()
    assert run(store, work("a", blob))[0]["outcome"] == "text"


def test_a_reader_that_is_at_hand_speaks_though_another_is_missing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = keep(store, b'{"fee": 20}')
    monkeypatch.setattr(reading, "is_at_hand", lambda reader: reader.name != "json")
    (line,) = run(store, work("a", blob, "json"), kind="json", readers=("json", "text"))
    assert (line["outcome"], line["reader"], line["recovered_by_fallback"]) == (
        "text",
        "text",
        True,
    )
    assert line["notes"] == ["json: not installed here"]


def test_what_nobody_could_read_waits_while_a_reader_is_missing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = keep(store, b"\x00" * 100)
    monkeypatch.setattr(reading, "is_at_hand", lambda reader: reader.name != "json")
    (line,) = run(store, work("a", blob, "json"), kind="json", readers=("text", "json"))
    assert line["outcome"] == "waiting"
    assert not store.underivable.exists()


def test_an_empty_shard_is_an_empty_file(store: Store) -> None:
    assert run(store) == []
