"""Real documents that other people wrote: every one has its kind, and its text or a reason why not.

The documents lie beside the project, in ../shared/corpus, or where CENTINEL_CORPUS says.
"""

import csv
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from centinel.tools import is_installed
from tests.bench.words import words as words_of
from tests.sites.server import Answer
from tests.workflow.place import Place
from tests.workflow.running import PROJECT, Workflow

CORPUS = Path(os.environ.get("CENTINEL_CORPUS") or PROJECT.parent / "shared" / "corpus")

RECORDINGS = frozenset({"audio", "video"})
FINER_KINDS: dict[str, str] = {}
"""Kinds that are finer than the manifest's word for them, by file."""

SEEN = {
    "testHTML_charset_utf16le.html": ("This is a sample text",),
    "testHTML_metadata.html": ("All meta information goes in the head section",),
    "boilerplate.html": ("This is the real meat of the page", "This is the end of the text"),
    "testXHTML.html": ("This document tests the ability of Apache Tika",),
    "testHTML_utf8.html": ("Tilte with UTF 8 chars öäå", "Content with UTF 8 chars åäö"),
    "test_ignore_IBM420.html": ("Hi Luis good morning", "I ll send a notice when documentation"),
    "testBrokenHTMLContainingRFC822.html": ("An exciting subject A whole bunch of text",),
    "big-preamble.html": ("основано в 1999 году представляет собой команду профессионалов",),
    "testArabicMisleadingCharset.html": ("في قرية من القرى كان هناك رجل حكيم",),
    "testCSV.csv": ("Number Square 1 1 2 4 3 9", "15 225 Written and saved in Apache"),
    "test-columnar.csv": ("1 1 This is row 1 of 10 10",),
    "test.json": ("id myid 0 fetcher fs fetchKey 0 xml", "myid 99"),
    "testPDF_protected.pdf": ("delivered at the Financial Student Association Amsterdam",),
    "testPDF_bad_page_303226.pdf": ("Charge summarizing the disposals made by the registrant",),
}
"""Sequences that a person sees in files for which the manifest has none."""

AT_LEAST = {"html": 9, "pdf": 83, "csv": 3, "json": 2, "document": 97, "spreadsheet": 45}
"""Sequences that were found of each kind when this was measured."""

MISSES = {
    "issue13226.pdf": {
        "terinnen und Mitarbeiter arbeiten": "a word that a line cut is whole again",
    },
    "issue14117.pdf": {
        "file Lifestyle Physical activity": "a form: each label, then all that stands beside it",
    },
    "issue14847.pdf": {
        "text 2 Benutzerhandbuch Version": "the page number between two footers is left out",
    },
    "test_ignore_IBM420.html": {
        "Hi Luis good morning": "a damaged letter, whose first line readability leaves out",
    },
    "testPDFVarious.pdf": {
        "underline superscript subscript Here": "what is raised is read before its line",
    },
    "footnotes.docx": {
        "ochen prostoy 1 footnote": "a footnote is marked as markdown does, [^1]",
        "1 snoska footnote ref": "a footnote is marked as markdown does, [^1]",
    },
}
"""By file, the sequences that its text may lack, each with the reason."""

NO_TEXT: dict[str, str] = {
    "testJPEG_EXIF.jpg": "a picture of 100x68 holds no lines of text",
    "testDWG2010.dwg": "no format of pictures that can be recognised",
}
"""By file, the reason why one of a kind that is read may give no text."""


@dataclass(frozen=True)
class Expected:
    """One line of the manifest."""

    file: str
    declared_type: str
    kind: str
    must_contain: tuple[str, ...]


@dataclass
class Found:
    """What the workflow made of the corpus."""

    place: Place
    workflow: Workflow
    derived: dict[str, dict[str, Any]] = field(default_factory=dict)

    def line(self, file: str) -> dict[str, Any]:
        """Returns the derived line of a file."""
        return self.derived[self.place.at(path_of(file))]

    def text(self, file: str) -> str | None:
        """Returns the text of a file; None where it has none."""
        name = self.line(file)["text"]
        return None if name is None else (self.workflow.source("corpus") / name).read_text()


def path_of(file: str) -> str:
    """Returns the path under which a file is served."""
    return f"/files/{quote(file)}"


def manifest() -> list[Expected]:
    """Returns the lines of the manifest."""
    with (CORPUS / "MANIFEST.tsv").open(encoding="utf-8", newline="") as stream:
        return [
            Expected(
                row["file"],
                row["declared_type"],
                row["kind"],
                _sequences(row["file"], row["must_contain"]),
            )
            for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def _sequences(file: str, must_contain: str) -> tuple[str, ...]:
    stated = tuple(part for part in must_contain.split(" || ") if part.strip())
    return stated or SEEN.get(file, ())


def kinds_that_are_read() -> set[str]:
    """Returns the kinds for which the shipped pipeline has a reader."""
    given = yaml.safe_load((PROJECT / "config" / "pipeline.yaml").read_text())["pipeline"]
    return {kind for kind, reading in given.items() if reading.get("readers")}


def missing_of(found: "Found", expected: Expected) -> set[str]:
    """Returns the sequences that a document's text does not hold."""
    text = words(found.text(expected.file) or "")
    return {part for part in expected.must_contain if words(part) not in text}


def words(text: str) -> str:
    """Returns the words of a text between single spaces: no marks, no addresses, case kept."""
    return f" {' '.join(words_of(text))} "


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    if not (CORPUS / "MANIFEST.tsv").exists():
        pytest.skip("no corpus: put it at ../shared/corpus, or name its folder in CENTINEL_CORPUS")
    with Place() as place:
        for each in manifest():
            content = (CORPUS / "files" / each.file).read_bytes()
            place.add(path_of(each.file), Answer(content, each.declared_type))
        folder = tmp_path_factory.mktemp("corpus") / "run"
        workflow = Workflow.make(folder, {"corpus": place.block()})
        workflow.run().succeeded()
        return Found(place, workflow, workflow.derived("corpus"))


def test_every_document_is_read_or_has_a_reason(found: Found) -> None:
    _print_figures(found)
    lines = Counter(line["artifact"] for line in found.workflow.derived_lines("corpus"))
    assert {
        each: lines[found.place.at(path_of(each.file))] for each in manifest()
    } == dict.fromkeys(manifest(), 1)
    without = {x["artifact"] for x in found.derived.values() if not (x["text"] or x["reason"])}
    assert without == set()


def test_every_kind_is_right(found: Found) -> None:
    kinds = {each.file: found.line(each.file)["kind"] for each in manifest()}
    assert kinds == {each.file: FINER_KINDS.get(each.file, each.kind) for each in manifest()}


def test_kinds_without_a_reader_say_so(found: Found) -> None:
    for each in manifest():
        line = found.line(each.file)
        if line["kind"] in RECORDINGS:
            assert line["outcome"] == "waiting"
            assert "centinel models pull" in line["reason"]
        elif line["kind"] not in kinds_that_are_read():
            reason = f"no reader for kind {line['kind']}"
            assert (line["outcome"], line["reason"]) == ("underivable", reason), each.file


def test_texts_hold_the_sequences_that_independent_readers_found(found: Found) -> None:
    counted: Counter[str] = Counter()
    unknown = {}
    for each in manifest():
        missing = missing_of(found, each)
        counted[each.kind] += len(each.must_contain) - len(missing)
        if each.kind in kinds_that_are_read():
            unknown[each.file] = missing - MISSES.get(each.file, {}).keys()
    assert {file: parts for file, parts in unknown.items() if parts} == {}
    assert {kind: counted[kind] for kind, least in AT_LEAST.items() if counted[kind] < least} == {}


def test_readable_documents_without_text_are_known(found: Found) -> None:
    silent = {
        each.file: found.line(each.file)["reason"]
        for each in manifest()
        if each.kind in kinds_that_are_read() and found.text(each.file) is None
    }
    if not is_installed("tesseract"):
        silent |= {file: NO_TEXT[file] for file in silent.keys() & NO_TEXT.keys()}
    assert silent == NO_TEXT


def _print_figures(found: Found) -> None:
    """Shows, with `pytest -s`, how much of the corpus is read."""
    lines = [found.line(each.file) for each in manifest()]
    kinds = Counter(line["kind"] for line in lines)
    read = Counter(line["kind"] for line in lines if line["outcome"] == "text")
    print(f"\n{len(lines)} documents, {read.total()} read")
    for kind, count in kinds.most_common():
        print(f"  {kind:15} {count:4}   read {read[kind]:4}")
    reasons = Counter(line["reason"] for line in lines if line["outcome"] != "text")
    for reason, count in reasons.most_common():
        print(f"  {count:4} {reason}")
    read_now = [each for each in manifest() if each.kind in kinds_that_are_read()]
    asked = sum(len(each.must_contain) for each in read_now)
    missing = sum(len(missing_of(found, each)) for each in read_now)
    print(f"  {asked - missing} of {asked} word sequences found, in kinds that are read")
