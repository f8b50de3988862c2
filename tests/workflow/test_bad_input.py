"""Two thousand damaged documents and those made to harm: each is a text or says why it is none.

`pytest tests/workflow/test_bad_input.py -s` shows how many ended how.
"""

import resource
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.mutants.hostile import hostile
from tests.mutants.mutation import Mutant, mutants
from tests.workflow.running import Workflow

MUTANTS = 2000
MEMORY = 2 << 30
"""Bytes that a process of the run may have held: what a reader may take by default."""

RECORDINGS = {"audio", "video"}


def published(folder: Path, documents: Iterable[Mutant]) -> int:
    """Writes documents to a folder; returns how many."""
    folder.mkdir()
    for document in documents:
        (folder / document.name).write_bytes(document.content)
    return len(list(folder.iterdir()))


def outcomes(workflow: Workflow, count: int) -> Counter[tuple[str, str]]:
    """Runs the workflow over a folder `site`; returns how many of each kind ended how.

    Fails where one ended in silence, a process outlived the run, or took too much memory.
    """
    ran = workflow.run().succeeded()
    assert not workflow.processes(), "a process outlived the run"
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    assert peak <= MEMORY
    assert not workflow.leftovers("town")
    derived = workflow.derived("town")
    assert set(derived) == workflow.observed("town")
    files = {artifact for artifact in derived if "!/" not in artifact}
    empty = sum(not path.stat().st_size for path in (workflow.folder / "site").iterdir())
    assert len(files) >= count - empty
    for artifact, line in derived.items():
        if line["outcome"] == "text":
            assert (workflow.source("town") / line["text"]).read_bytes().strip(), artifact
        else:
            assert line["reason"], artifact
        if line["outcome"] == "waiting":
            assert line["kind"] in RECORDINGS or "not installed" in line["reason"], line
    counts = Counter((line["kind"], line["outcome"]) for line in derived.values())
    shown = [f"{kind:14} {outcome:12} {n}" for (kind, outcome), n in sorted(counts.items())]
    peaked = f"peak memory of a process: {peak >> 20} MiB"
    print("", *shown, peaked, ran.output.splitlines()[-1], sep="\n")
    return counts


@pytest.mark.slow
def test_documents_made_to_harm_end_in_text_or_in_a_reason(tmp_path: Path) -> None:
    count = published(tmp_path / "site", hostile())
    workflow = Workflow.make(tmp_path, {"town": {"folder": "site"}})
    counts = outcomes(workflow, count)
    assert sum(counts.values()) >= count


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_damaged_documents_end_in_text_or_in_a_reason(tmp_path: Path) -> None:
    count = published(tmp_path / "site", mutants(MUTANTS))
    workflow = Workflow.make(tmp_path, {"town": {"folder": "site"}})
    counts = outcomes(workflow, count)
    assert sum(n for (_, outcome), n in counts.items() if outcome == "text") > count / 2
