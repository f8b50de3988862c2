"""Makes a record longer: earlier months, in which every artifact was seen again and again.

`python -m tests.bench.acquire_record results/pages/record 20` is a process of its own, because the
memory of whoever starts the measured processes must stay small.
"""

from __future__ import annotations

import argparse
import calendar
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

FIRST_YEAR = 2015
"""Long before any run: what is added lies before what the run itself recorded."""

NOT_MODIFIED = "not-modified"

Line = dict[str, Any]
Made = Callable[[Line, str], Line]


def lengthen(record: Path, times: int) -> None:
    """Adds months until there are so many lines for each observed artifact.

    Each added month has one line an artifact: an observation or, in every second one, the status
    of an answer 304.
    """
    seen = [line for line in _lines(record) if line["type"] == "observation"]
    for number in range(times - 1):
        at = f"{FIRST_YEAR + number // 12}-{number % 12 + 1:02}"
        made = _observed if number % 2 == 0 else _unchanged
        with (record / f"{at}.jsonl").open("wb") as stream:
            stream.writelines(_written(seen, at, made))


def _written(seen: list[Line], month: str, made: Made) -> Iterator[bytes]:
    year, number = map(int, month.split("-"))
    days = calendar.monthrange(year, number)[1]
    for place, line in enumerate(seen):
        day, second = place % days + 1, place % 60
        at = f"{month}-{day:02}T08:30:{second:02}.{place % 1_000_000:06}Z"
        yield orjson.dumps(made(line, at)) + b"\n"


def _observed(line: Line, at: str) -> Line:
    return line | {"at": at}


def _unchanged(line: Line, at: str) -> Line:
    return {
        "type": "status",
        "at": at,
        "resource": line["resource"],
        "artifact": line["artifact"],
        "liveness": "live",
        "since": at,
        "consecutive_failures": 0,
        "reason": NOT_MODIFIED,
        "http_status": 304,
    }


def _lines(record: Path) -> Iterator[Line]:
    for path in sorted(record.glob("*.jsonl")):
        yield from map(orjson.loads, path.read_bytes().splitlines())


def main() -> None:
    """Lengthens one record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("times", type=int)
    arguments = parser.parse_args()
    lengthen(arguments.record, arguments.times)


if __name__ == "__main__":
    main()
