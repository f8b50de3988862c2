"""Real documents of which something is known: what they must hold, or their whole main text."""

from __future__ import annotations

import csv
import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path

from centinel import kinds
from centinel.readers.document import Document
from centinel.signatures import HEAD
from tests.bench.corpus import PROJECT

CORPUS = Path(os.environ.get("CENTINEL_CORPUS") or PROJECT.parent / "shared" / "corpus")
GOLD = Path(os.environ.get("CENTINEL_GOLD") or PROJECT.parent / "shared" / "gold" / "html")


BETTER = {
    ("footnotes.docx", "ochen prostoy 1 footnote"): "a footnote is marked as markdown does, [^1]",
    ("footnotes.docx", "1 snoska footnote ref"): "a footnote is marked as markdown does, [^1]",
    (
        "issue13226.pdf",
        "terinnen und Mitarbeiter arbeiten",
    ): "a word that a line cut is whole again",
}
"""Sequences that a better reading breaks, by file, each with what is better; they do not count."""


@dataclass(frozen=True)
class Sample:
    """One document, and what is known of it."""

    name: str
    path: Path
    kind: str
    declared_type: str | None = None
    sequences: tuple[str, ...] = ()
    """Runs of words that at least two independent readers found in it."""
    text: str = ""
    """Its main text, as a person marked it."""

    def document(self, folder: Path) -> Document:
        """Returns what readers are given: the file itself, unpacked into `folder` if need be."""
        path = self.path
        if path.suffix == ".gz" and self.text:
            path = folder / path.stem
            if not path.exists():
                path.write_bytes(gzip.decompress(self.path.read_bytes()))
        return Document(path, self.kind, self.declared_type)


def corpus() -> list[Sample]:
    """Returns the documents of the manifest that hold bytes; none where it is not there."""
    manifest = CORPUS / "MANIFEST.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [_sample(row) for row in rows if (CORPUS / "files" / row["file"]).stat().st_size]


def _sample(row: dict[str, str]) -> Sample:
    path = CORPUS / "files" / row["file"]
    with path.open("rb") as stream:
        head = stream.read(HEAD)
    claim = kinds.classify(row["declared_type"], head, path.suffix.removeprefix("."))
    stated = tuple(part for part in row["must_contain"].split(" || ") if part.strip())
    return Sample(row["file"], path, claim.kind, row["declared_type"], stated)


def gold() -> list[Sample]:
    """Returns the article pages with their main text; none where they are not there."""
    truth = GOLD / "ground-truth.json"
    if not truth.exists():
        return []
    articles = json.loads(truth.read_text())
    return [
        Sample(name, GOLD / f"{name}.html.gz", "html", text=article["articleBody"])
        for name, article in sorted(articles.items())
    ]
