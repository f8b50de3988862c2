"""How well and how fast documents are read: `make bench-read`.

Reads real documents and pages whose text is known, where they lie beside the project (../shared, or
where CENTINEL_CORPUS and CENTINEL_GOLD say), with the readers of config/pipeline.yaml, each in its
process as in a run; beside them markitdown on the same files; then three documents that are large.
Ends with 0 where a goal is short or documents are not there, with 1 where something failed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from centinel.configuration import load_files
from centinel.readers.isolation import Isolation
from tests.bench.corpus import PROJECT
from tests.bench.goals import Goal
from tests.bench.measuring import Failed
from tests.bench.read_documents import BETTER, Sample, corpus, gold
from tests.bench.read_large import LARGE, peak_and_seconds
from tests.bench.read_pdf import compared
from tests.bench.read_speed import in_process_seconds, isolated_seconds, markitdown_seconds
from tests.bench.words import f1, holds, plain, words

TIMES_MARKITDOWN = {"document": 5.0, "spreadsheet": 5.0, "pdf": 4.0, "html": 2.0}
"""How many times as many documents a second as markitdown are asked of each kind."""

LARGE_MEMORY = 1000.0
MEGABYTE = 1e6
ROUNDS = 3


def main(arguments: Sequence[str]) -> int:
    """Runs the parts that were asked for, all where none was."""
    parser = argparse.ArgumentParser(prog="bench-read")
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(_PARTS))
    asked = parser.parse_args(arguments).parts or list(_PARTS)
    unknown = sorted(set(asked) - set(_PARTS))
    if unknown:
        parser.error(f"no part is called {unknown[0]}: there are {', '.join(_PARTS)}")
    with tempfile.TemporaryDirectory(prefix="bench-read-", dir=PROJECT / "build") as folder:
        for part in asked:
            print(f"\n{part}\n{'-' * len(part)}", flush=True)
            _PARTS[part](Path(folder))
    return 0


def articles(folder: Path) -> None:
    """The main text of article pages against what people marked as theirs."""
    pages = gold()
    if not pages:
        print("skipped: no article pages: name their folder in CENTINEL_GOLD")
        return
    pairs = []
    with _reads(folder) as reads:
        for page in pages:
            outcome = reads.read(page.document(folder)).with_text_in_memory()
            body = _without_heading(outcome.text or "", outcome.title)
            pairs.append((page.text, plain(body)))
    value, precision, recalled = f1(pairs)
    print(f"{len(pairs)} pages: F1 {value:.3f}, precision {precision:.3f}, recall {recalled:.3f}")
    Goal("F1 on article pages", value, 0.95, ">=").say()


def sequences(folder: Path) -> None:
    """The word sequences that independent readers found in real documents."""
    asked, missing = 0, []
    with _reads(folder) as reads:
        for sample in _known_corpus():
            outcome = reads.read(sample.document(folder)).with_text_in_memory()
            text = words(outcome.text or "")
            for part in sample.sequences:
                better = BETTER.get((sample.name, part))
                if not holds(text, part) and better is None:
                    missing.append((sample, part))
                asked += better is None
    for sample, part in missing:
        print(f"  not found: {sample.name}: {part}")
    for (name, part), better in BETTER.items():
        print(f"  does not count: {name}: {part}: {better}")
    if asked:
        found = (asked - len(missing)) / asked
        print(f"{asked - len(missing)} of {asked} sequences")
        Goal("word sequences found", found, 0.98, ">=").say()


def pages(folder: Path) -> None:
    """The words of PDFs and their order, against what independent readers agree on."""
    samples = [each for each in _known_corpus() if each.kind == "pdf"]
    if samples:
        print(f"{'reader':16}{'words':>8}{'order':>8}{'ms':>8}   of {len(samples)} files")
        for name, recalled, order, seconds in compared(samples, folder):
            ms = 1000 * seconds / len(samples)
            print(f"{name:16}{recalled:8.3f}{order:8.3f}{ms:8.1f}")


def speed(folder: Path) -> None:
    """Documents a second on one core: in their process, in ours, and through markitdown."""
    samples = [*_known_corpus(), *gold()]
    print(f"{'kind':14}{'files':>6}{'ms':>8}{'in-process':>12}{'markitdown':>12}{'times':>7}")
    whole = {"isolated": 0.0, "direct": 0.0}
    goals = []
    for kind, times in TIMES_MARKITDOWN.items():
        of_kind = [each for each in samples if each.kind == kind]
        if not of_kind:
            continue
        documents = [each.document(folder) for each in of_kind]
        rounds = [
            (isolated_seconds(documents, folder), in_process_seconds(documents, folder))
            for _ in range(ROUNDS)
        ]
        isolated, direct = (min(each) for each in zip(*rounds, strict=True))
        other = markitdown_seconds(documents)
        whole["isolated"] += isolated
        whole["direct"] += direct
        ms = [f"{1000 * each / len(of_kind):.1f}" for each in (isolated, direct, other)]
        print(f"{kind:14}{len(of_kind):6}{ms[0]:>8}{ms[1]:>12}{ms[2]:>12}{other / isolated:7.1f}")
        goals.append(
            Goal(f"{kind} documents a second over markitdown", other / isolated, times, ">=")
        )
    for goal in goals:
        goal.say()
    if whole["direct"]:
        Goal("isolation over in-process", whole["isolated"] / whole["direct"], 1.10).say()


def large(folder: Path) -> None:
    """Three documents that are large: memory of all processes together, and time."""
    for name, make in LARGE.items():
        peak, seconds, said = peak_and_seconds(name, make, folder)
        print(f"{name}: {seconds:.0f} s, {said}")
        Goal(f"peak memory of {name}", peak / MEGABYTE, LARGE_MEMORY, unit="MB").say()


_PARTS = {
    "articles": articles,
    "sequences": sequences,
    "pages": pages,
    "speed": speed,
    "large": large,
}


def _reads(folder: Path) -> Isolation:
    configuration = load_files(PROJECT)
    return Isolation(configuration.pipeline.orders, folder / "scratch", configuration.limits)


def _known_corpus() -> list[Sample]:
    found = corpus()
    if not found:
        print("skipped: no real documents: name their folder in CENTINEL_CORPUS")
    return found


def _without_heading(text: str, title: str | None) -> str:
    """Returns the text without the title that was put over it: it is no part of the article."""
    first, _, rest = text.partition("\n")
    return rest if title and first.startswith("# ") else text


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failure:
        sys.exit(f"bench-read: {failure}")
