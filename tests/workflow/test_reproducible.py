"""One record, read on two machines that share little, gives the same texts and the same tables."""

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.sites.server import Answer
from tests.workflow.comparing import differing_columns
from tests.workflow.place import Place, csv, html, pdf, publish
from tests.workflow.running import Workflow

SHARD_LINES = 4
_SITECUSTOMIZE = """
import sys

if any(each.endswith(".classify.py") for each in sys.orig_argv):
    from centinel import classify

    classify.SHARD_LINES = {lines}
"""


@dataclass(frozen=True)
class Machine:
    """What differs between two machines that read one record."""

    cores: int
    shard_lines: int
    environment: dict[str, str]

    def read(self, acquired: Workflow, folder: Path) -> Workflow:
        """Reads a copy of what was acquired."""
        workflow = acquired.copy(folder)
        own = folder / "own"
        own.mkdir()
        (own / "sitecustomize.py").write_text(_SITECUSTOMIZE.format(lines=self.shard_lines))
        paths = [str(own), os.environ.get("PYTHONPATH", "")]
        environment = {**self.environment, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        workflow.run("--cores", str(self.cores), environment=environment).succeeded()
        return workflow


SMALL = Machine(1, 1000, {"TZ": "UTC", "PYTHONHASHSEED": "1", "LC_ALL": "C"})
LARGE = Machine(4, SHARD_LINES, {"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2", "LC_ALL": "C.UTF-8"})


def many_documents(place: Place) -> None:
    """Enough pages and files that there are several shards; some cannot be read, some are twice."""
    publish(place)
    for number in range(18):
        place.add(f"/news/{number}", html(f"News {number}", words=f"Word {number} " * 30))
        place.add(f"/documents/{number}.pdf", pdf(f"Report {number}", "The motion was carried"))
    for number in range(6):
        place.add(f"/documents/{number}.csv", csv("name,count", f"dogs,{number}"))
        damaged = b"%%PDF-1.7\nnothing of use %d" % number
        place.add(f"/damaged/{number}.pdf", Answer(damaged, "application/pdf"))
        place.add(f"/again/{number}.pdf", pdf(f"Report {number}", "The motion was carried"))
    packed = gzip.compress(b"a line of text\n" * 50, mtime=0)
    place.add("/documents/notes.txt.gz", Answer(packed, "application/gzip"))


@dataclass(frozen=True)
class Twice:
    """The same record, read on both machines."""

    small: Workflow
    large: Workflow


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twice]:
    folder = tmp_path_factory.mktemp("twice")
    with Place() as place:
        many_documents(place)
        acquired = Workflow.make(folder / "acquired", {"town": place.block()})
        acquired.run("--until", "acquire").succeeded()
        place.forget_requests()
        yield Twice(SMALL.read(acquired, folder / "small"), LARGE.read(acquired, folder / "large"))
        assert place.paths() == []


@pytest.mark.slow
def test_texts_are_the_same_bytes(twice: Twice) -> None:
    plans = [
        {path.name for path in each.source("town").glob("work/pdf/*")} for each in each_of(twice)
    ]
    assert plans[0] == {"0-of-1.jsonl"}
    assert len(plans[1]) > 4, "other shards"
    texts = twice.small.texts("town")
    assert len(texts) > 40
    assert twice.large.texts("town") == texts


@pytest.mark.slow
def test_tables_differ_in_nothing_but_times_of_reading(twice: Twice) -> None:
    small, large = (each.source("town") for each in each_of(twice))
    assert differing_columns(small, large) == set()
    for name in ("resources", "artifacts", "derivations"):
        path = f"tables/{name}.csv"
        assert (small / path).read_bytes() == (large / path).read_bytes()
    for name in ("changes.jsonl", "crumbs.jsonl"):
        assert (small / name).read_bytes() == (large / name).read_bytes()


@pytest.mark.slow
def test_what_is_written_beside_texts_differs_in_its_time_alone(twice: Twice) -> None:
    small, large = (beside(each) for each in each_of(twice))
    assert small == large
    assert any(path.startswith("underivable") for path in small)


def each_of(twice: Twice) -> tuple[Workflow, Workflow]:
    return twice.small, twice.large


def beside(workflow: Workflow) -> dict[str, dict[str, Any]]:
    """The derivations and the underivable records, without the time at which they were made."""
    root = workflow.source("town")
    found: dict[str, dict[str, Any]] = {}
    for folder in ("text", "underivable"):
        for path in (root / folder).rglob("*.json"):
            record = json.loads(path.read_bytes())
            assert record.pop("at")
            found[path.relative_to(root).as_posix()] = record
    return found
