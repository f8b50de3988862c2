"""What stands now is found, cited to the page and the second, and nothing else is."""

import json
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from centinel import locks
from centinel.cli import main
from centinel.configuration import Reading
from centinel.search import database, updating
from centinel.search.finding import BadQuery
from centinel.store import Store
from tests.unit.report.results import AT, PIPELINE, blob_of
from tests.unit.search.library import Library

A, B = "https://town.example/a", "https://town.example/b"
PDF = "# Budget\n\n<!-- page 1 -->\n\nRoads\n\n<!-- page 2 -->\n\nThe marina costs 120 dollars\n"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "results")


def test_a_passage_is_cited_by_address_title_date_hash_page_and_file(library: Library) -> None:
    file = library.put(A, PDF, kind="pdf", title="Budget", reader="pdfium")
    library.update()

    (found,) = library.find("marina")

    assert found.to_json() == {
        "source": "town",
        "address": A,
        "title": "Budget",
        "observed_at": AT,
        "blob": blob_of(A),
        "text": file.relative_to(library.folder).as_posix(),
        "kind": "pdf",
        "page": 2,
        "second": None,
        "time": None,
        "snippet": "The **marina** costs 120 dollars",
        "score": found.score,
        "places": [vars(found.places[0])],
    }


def test_what_is_said_is_cited_by_the_second(library: Library) -> None:
    library.put(A, "# Meeting\n\n[01:00:05] Motion carried\n", kind="audio", reader="whisper")
    library.put(B, "[01:00:05] Motion in a log\n")
    library.update()
    found = {each.kind: (each.second, each.time) for each in library.find("motion")}
    assert found == {"audio": (3605, "01:00:05"), "html": (None, None)}


def test_only_what_changed_is_written(library: Library) -> None:
    for name in "abc":
        library.put(f"https://town.example/{name}", f"marina {name}\n")
    first = library.update()
    assert (first.texts, first.added, first.removed) == (3, 3, 0)

    again = library.update()
    assert (again.added, again.removed) == (0, 0)

    library.put(B, "harbour\n", blob=blob_of("new"))
    changed = library.update()
    assert (changed.texts, changed.added, changed.removed) == (3, 1, 1)
    assert library.addresses("harbour") == [[B]]
    assert len(library.find("marina")) == 2


def test_a_text_that_was_read_anew_at_the_same_version_is_indexed_anew(library: Library) -> None:
    file = library.put(A, "marina\n")
    library.update()
    file.write_text("harbour\n")
    assert (library.update().added, library.find("marina")) == (1, [])
    assert library.addresses("harbour") == [[A]]


def test_a_source_whose_audit_is_the_one_that_was_indexed_is_not_read_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.put(A, "marina\n")
    library.put(B, "harbour\n", source="port")
    library.update()
    asked: list[str] = []
    real = updating.texts_of

    def texts_of(store: Store, *rest: Any) -> Any:
        asked.append(store.source)
        return real(store, *rest)

    monkeypatch.setattr(updating, "texts_of", texts_of)
    again = library.update(["port"])
    assert (again.texts, again.added, asked) == (2, 0, ["port"])
    library.update([], pipeline=replace(PIPELINE, readings={"html": Reading(2, ())}))
    assert asked == ["port", "port", "town"]


def test_what_vanished_is_found_no_more_and_leaves_nothing(library: Library) -> None:
    library.put(A, "marina\n")
    library.put(B, "harbour\n")
    library.update()
    library.take(A)
    assert library.update().removed == 1
    assert library.find("marina") == []
    with sqlite3.connect(library.folder / "search.sqlite") as index:
        counts = [
            index.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("texts", "addresses", "passages")
        ]
        index.execute("INSERT INTO words (words, rank) VALUES ('integrity-check', 1)")
    assert counts == [1, 1, 1]


def test_a_source_that_is_no_longer_configured_is_found_no_more(library: Library) -> None:
    library.put(A, "marina\n")
    library.put(B, "marina\n", source="port")
    library.update()
    assert [each.places[0].source for each in library.find("marina", source="port")] == ["port"]
    del library.sources["port"]
    library.update()
    assert library.addresses("marina") == [[A]]


def test_a_source_that_a_run_works_on_stays_as_it_was(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.put(A, "marina\n")
    library.update()
    library.take(A)
    real = updating.texts_of

    def begins(store: object, *rest: object) -> object:
        library.sources["town"].store.report.unlink()
        return real(store, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(updating, "texts_of", begins)
    assert library.update().unknown == ["town"]
    assert library.addresses("marina") == [[A]]


@pytest.mark.parametrize("damage", ["deleted", "another form", "no table", "no database", "torn"])
def test_a_lost_index_is_made_again(library: Library, damage: str) -> None:
    for number in range(300):
        library.put(f"https://town.example/{number}", f"marina {number} " + "words " * 50)
    library.update()
    path = library.folder / "search.sqlite"
    if damage == "deleted":
        path.unlink()
    elif damage == "another form":
        with sqlite3.connect(path) as index:
            index.execute("PRAGMA user_version = 99")
    elif damage == "no table":
        with sqlite3.connect(path) as index:
            index.execute("DROP TABLE addresses")
    elif damage == "no database":
        path.write_bytes(b"nothing " * 5000)
    else:
        content = path.read_bytes()
        path.write_bytes(content[:8192] + b"\xff" * (len(content) - 8192))
    library.update()
    assert library.update().added == 0
    assert len(library.find("marina", limit=1000)) == 300


def test_the_same_content_is_found_once_with_all_its_addresses(library: Library) -> None:
    same = blob_of("same")
    library.put(A, "# Fees\n\nThe marina\n", blob=same)
    library.put(B, "# Fees\n\nThe marina\n", blob=same)
    library.put(f"{A}/port", "# Fees\n\nThe marina\n", source="port")
    library.put(f"{A}/other", "# Other\n\nThe marina\n")
    library.update()
    assert sorted(library.addresses("marina")) == [[f"{A}/other"], [f"{A}/port", A, B]]
    assert library.addresses("fees", source="port") == [[f"{A}/port"]]


def test_an_address_that_moves_to_a_text_that_is_there_is_named_anew(library: Library) -> None:
    same = blob_of("same")
    library.put(A, "marina\n", blob=same)
    library.update()
    library.put(B, "marina\n", blob=same)
    assert library.update().added == 0
    assert library.addresses("marina") == [[A, B]]


def test_lines_that_many_documents_share_stand_behind_all_others(library: Library) -> None:
    menu = "Marina Harbour Fees Departments"
    for number in range(30):
        words = "The marina has opened." if number == 17 else f"Something else, {number}."
        library.put(f"https://town.example/{number}", f"{menu}\n\n{words} " + "Long text. " * 40)
    library.put(B, f"{menu}\n")
    updated = library.update()
    assert updated.only_shared == 1
    assert library.addresses("marina", limit=1) == [["https://town.example/17"]]
    assert len(library.find("marina departments", limit=50)) == 31, "nothing is lost"


def test_searches_can_be_bounded(library: Library) -> None:
    library.put(A, "marina\n")
    library.put(B, "marina now\n", kind="pdf")
    library.update()
    assert library.addresses("marina", kind="pdf") == [[B]]
    assert len(library.find("marina", limit=1)) == 1
    assert library.find("marina", source="nobody") == []


@pytest.mark.parametrize(
    ("words", "is_found"),
    [
        ("813-274-8211", True),
        ("well-being", True),
        ("what's", True),
        ("MARINA café", True),
        ("marina AND cafe", True),
        ('"the marina"', True),
        ("mar*", True),
        ("marina NOT cafe", False),
        ("marina & cafe?", True),
        ("absent", False),
    ],
)
def test_words_are_found_as_people_write_them(library: Library, words: str, is_found: bool) -> None:
    library.put(A, "The marina, its café, well-being, what's 813-274-8211\n")
    library.update()
    assert bool(library.find(words)) == is_found


@pytest.mark.parametrize("words", ['"open', "AND", "body: (", "nothing:here", "", "a NOT", "^"])
def test_what_is_no_query_is_one_line(
    library: Library, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    library.put(A, "marina\n")
    library.update()
    with pytest.raises(BadQuery):
        library.find(words)
    assert main(["search", words, "--results", str(library.folder)]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("centinel: search: ")


def test_one_at_a_time_writes(library: Library) -> None:
    library.put(A, "marina\n")
    with locks.held(database.lock_in(library.folder)), pytest.raises(locks.Busy):
        library.update()


def test_who_reads_while_it_is_written_sees_what_was_there(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.put(A, "marina\n")
    library.update()
    library.take(A)
    library.put(B, "marina anew\n")
    inside, may_go = threading.Event(), threading.Event()
    name = updating._Source._name

    def held(self: updating._Source, *rest: Any) -> None:
        inside.set()
        may_go.wait(30)
        name(self, *rest)

    monkeypatch.setattr(updating._Source, "_name", held)
    writer = threading.Thread(target=library.update)
    writer.start()
    try:
        assert inside.wait(30)
        assert library.addresses("marina") == [[A]]
    finally:
        may_go.set()
        writer.join()
    assert library.addresses("marina") == [[B]]


def test_a_killed_update_leaves_what_was_there(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.put(A, "marina\n")
    library.update()
    library.take(A)
    library.put(B, "harbour\n")

    def killed(*_: object) -> Iterator[str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(updating._Source, "_name", killed)
        with pytest.raises(KeyboardInterrupt):
            library.update()
    assert library.addresses("marina") == [[A]]
    library.update()
    assert (library.find("marina"), library.addresses("harbour")) == ([], [[B]])


def test_a_text_that_is_missing_is_counted_and_found_when_it_is_there(library: Library) -> None:
    file = library.put(A, "marina\n")
    file.unlink()
    assert library.update().missing == 1
    assert library.find("marina") == []
    file.write_text("marina\n")
    library.update([])
    assert library.addresses("marina") == [[A]]


# The command


def test_the_command_prints_passages_with_their_citations(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    file = library.put(A, PDF, kind="pdf", title="Budget", reader="pdfium")
    library.update()
    where = ["--results", str(library.folder)]
    assert main(["search", "marina", "dollars", *where]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1. Budget · page 2 · 2026-03-04 · town · pdf",
        f"   {A}",
        "   The **marina** costs 120 **dollars**",
        f"   sha256 {blob_of(A)}",
        f"   {file}",
        "",
    ]
    assert main(["search", "marina", "--json", *where]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["query"], said["passages"][0]["page"]) == ("marina", 2)
    assert main(["search", "absent", *where]) == 1
    assert capsys.readouterr().err == "nothing found\n"


def test_without_an_index_the_command_says_how_to_make_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for is_there in (False, True):
        if is_there:
            (tmp_path / "search.sqlite").write_bytes(b"no database at all" * 100)
        assert main(["search", "marina", "--results", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "snakemake --cores 4 results/.search" in said
