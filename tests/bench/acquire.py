"""How fast acquire is, and how much memory it takes: `make bench-acquire`.

Serves small pages with nginx on this machine and measures, in temporary folders on disk, the loop
of the acquire job against Scrapy and against a bare requests loop; then the job's memory, what it
takes to decide that nothing is left, and one large body. No time includes imports. Ends with 0
where a goal is short or nginx is not there, with 1 where something failed.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from types import FrameType
from typing import NoReturn

from tests.bench.acquire_measuring import Place, Took, check_is_on_disk
from tests.bench.acquire_site import LARGE_PATH, Site, program, served
from tests.bench.corpus import PROJECT
from tests.bench.goals import Goal
from tests.bench.measuring import Failed, Neighbours, expect

PAGES = 5_000
MANY = 20_000
MANY_LONG = 50_000
ROUNDS = 3
TRIES = 3
"""Runs that find nothing left: their median counts."""

TIMES = 20
"""How many times as long as the snapshot the long record is."""

BARE, LOOP = "bare requests loop", "acquire loop"
SCRAPY_ONE, SCRAPY_OWN = "scrapy, one at a time", "scrapy, its defaults"

NO_NGINX = (
    "bench-acquire: skipped: there is no nginx on this machine, and nothing else serves fast "
    "enough to be measured against. Install it (Debian: apt-get install nginx-light; macOS: "
    "brew install nginx) and run make bench-acquire again."
)

Rounds = dict[str, list[Took]]


@dataclass(frozen=True)
class Bench:
    """What is measured, and where."""

    site: Site
    folder: Path
    many: int
    rounds: int

    def place(self, name: str, count: int, **more: object) -> Place:
        """Returns a new folder for so many addresses, which the site then publishes."""
        addresses = self.site.addresses(count)
        self.site.publish(addresses)
        return Place.make(self.folder / name, self.site.address, addresses, **more)


@dataclass(frozen=True)
class Large:
    """What many addresses cost: acquired, then found to be done, then with a long record."""

    acquired: Took
    nothing_left: list[Took]
    long_record: list[Took]
    long_record_bytes: int


CONTENDERS: dict[str, Callable[[Place], Took]] = {
    BARE: lambda place: place.child("bare"),
    SCRAPY_ONE: lambda place: place.scrapy(1),
    SCRAPY_OWN: lambda place: place.scrapy(0),
    LOOP: lambda place: place.acquired(),
}


def took_part(name: str) -> str:
    """Returns the contender's name as part of a folder's."""
    return "".join(each if each.isalnum() else "-" for each in name)


def compare(bench: Bench) -> Rounds:
    """Runs all contenders in turn, each round from another one on; the machine is shared."""
    took: Rounds = {name: [] for name in CONTENDERS}
    for number in range(bench.rounds):
        names = list(CONTENDERS)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            # Nothing is removed between rounds: ext4 is slow to make files where it just removed
            # thousands, which only the loop that keeps what it fetches would be charged with.
            place = bench.place(f"round-{number}-{took_part(name)}", bench.site.pages)
            took[name].append(CONTENDERS[name](place))
        said = ", ".join(f"{name} {each[-1].wall:.1f} s" for name, each in took.items())
        print(f"round {number + 1}: {said}", flush=True)
    runs = [each for many in took.values() for each in many]
    expect({each.pages for each in runs} == {bench.site.pages}, "not all pages were asked")
    expect(len({each.bodies for each in runs}) == 1, "not all fetched the same bodies")
    return took


def measure_many(bench: Bench) -> Large:
    """Acquires many addresses, then runs again over the short and over the long record."""
    place = bench.place("many", bench.many)
    acquired = place.acquired()
    expect(acquired.pages == bench.many, f"{acquired.pages} of {bench.many} were asked")
    nothing_left = _nothing_left(place)
    place.lengthen(TIMES)
    size = sum(each.stat().st_size for each in place.record.glob("*.jsonl"))
    made = Large(acquired, nothing_left, _nothing_left(place), size)
    shutil.rmtree(place.folder)
    return made


def _nothing_left(place: Place) -> list[Took]:
    runs = [place.child("loop") for _ in range(TRIES)]
    asked = sum(each.pages + each.left for each in runs)
    expect(asked == 0, f"{asked} addresses were asked again, or are left")
    return runs


def measure_large_body(bench: Bench) -> Took:
    """Acquires one body of a gibibyte."""
    address = bench.site.address + LARGE_PATH
    bench.site.publish([address])
    more = {"max_bytes": "2 GiB"}
    place = Place.make(bench.folder / "large", bench.site.address, [address], **more)
    took = place.acquired()
    expect(bool(took.bodies) and took.pages == 1, "the large body was not acquired")
    shutil.rmtree(place.folder)
    return took


def table(bench: Bench, rounds: Rounds, many: Large, large_body: Took) -> str:
    """Returns the medians, one line for everything that was measured."""
    rows = [(name, bench.site.pages, runs) for name, runs in rounds.items()]
    rows += [
        (LOOP, bench.many, [many.acquired]),
        ("nothing left", bench.many, many.nothing_left),
        (f"nothing left, record x {TIMES}", bench.many, many.long_record),
        ("one body of 1 GiB", 1, [large_body]),
    ]
    head = f"{'':<26}{'addresses':>10}{'seconds':>10}{'processor':>11}"
    lines = [f"{head}{'a second':>10}{'us each':>9}{'us proc.':>10}{'peak MB':>9}"]
    return "\n".join(lines + [_row(*row) for row in rows])


def _row(name: str, count: int, runs: list[Took]) -> str:
    wall, processor = _wall(runs), median(each.processor for each in runs)
    rates = f"{count / wall:>10.0f}{wall / count * 1e6:>9.0f}{processor / count * 1e6:>10.0f}"
    return f"{name:<26}{count:>10}{wall:>10.2f}{processor:>11.2f}{rates}{_peak(runs):>9.0f}"


def _wall(runs: list[Took]) -> float:
    return median(each.wall for each in runs)


def _peak(runs: list[Took]) -> float:
    return max(each.peak_megabytes for each in runs)


def goals(bench: Bench, rounds: Rounds, many: Large, large_body: Took) -> list[Goal]:
    """Returns the goals with what was measured; of both ways to run Scrapy the faster counts."""
    ours = _wall(rounds[LOOP])
    scrapy = min(_wall(rounds[SCRAPY_ONE]), _wall(rounds[SCRAPY_OWN]))
    few_peak, many_peak = _peak(rounds[LOOP]), _peak([many.acquired])
    few, count = bench.site.pages, bench.many
    long_record = f"nothing left, {count} addresses, record x {TIMES}"
    return [
        Goal("acquire pages a second over scrapy", scrapy / ours, 1.5, ">="),
        Goal("acquire time over a bare requests loop", ours / _wall(rounds[BARE]), 3.5),
        Goal(f"peak memory of acquire at {few}", few_peak, 200, unit="MB"),
        Goal(f"peak memory of acquire at {count}", many_peak, 200, unit="MB"),
        Goal(f"memory at {count} over {few}", many_peak / few_peak, 1.3),
        Goal(f"nothing left, {count} addresses", _wall(many.nothing_left), 3, unit="s"),
        Goal(long_record, _wall(many.long_record), 10, unit="s"),
        Goal("peak memory with a body of 1 GiB", large_body.peak_megabytes, 150, unit="MB"),
    ]


def by_processor(rounds: Rounds) -> str:
    """Returns the two ratios in processor time, which busy neighbours change less."""
    taken = {name: median(each.processor for each in runs) for name, runs in rounds.items()}
    scrapy = min(taken[SCRAPY_ONE], taken[SCRAPY_OWN]) / taken[LOOP]
    bare = taken[LOOP] / taken[BARE]
    return (
        f"By processor time: acquire {scrapy:.2f} times as fast as scrapy, {bare:.2f} times bare."
    )


def measure(bench: Bench) -> None:
    """Measures all of it and prints it."""
    neighbours = Neighbours(bench.site.process.pid)
    bench.place("warm", bench.site.pages).child("bare")  # the files are in the cache for all
    rounds = compare(bench)
    many = measure_many(bench)
    large_body = measure_large_body(bench)
    print(
        f"\n{bench.rounds} rounds, medians, without imports; the long record has "
        f"{many.long_record_bytes / 1e6:.0f} MB."
    )
    print(f"Other processes took {neighbours.share():.0%} of this machine meanwhile.")
    print(f"{by_processor(rounds)}\n")
    print(f"{table(bench, rounds, many, large_body)}\n", flush=True)
    for goal in goals(bench, rounds, many, large_body):
        goal.say()


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.acquire", description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    many = f"many addresses are {MANY_LONG}, not {MANY}"
    parser.add_argument("--long", action="store_true", help=many)
    parser.add_argument("--many", type=int, help="how many addresses are many")
    parser.add_argument(
        "--folder", type=Path, default=PROJECT / "build", help="where to work, on disk"
    )
    return parser.parse_args()


def main() -> int:
    """Measures; returns 1 where something failed."""
    arguments = _arguments()
    nginx = program()
    if nginx is None:
        print(NO_NGINX)
        return 0
    # An ended run leaves nothing behind: neither its processes nor its folder.
    signal.signal(signal.SIGINT, _end)
    signal.signal(signal.SIGTERM, _end)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    many = arguments.many or (MANY_LONG if arguments.long else MANY)
    prefix, where = "centinel-bench-acquire-", arguments.folder.resolve()
    with tempfile.TemporaryDirectory(prefix=prefix, dir=where) as name:
        try:
            check_is_on_disk(Path(name))
            with served(nginx, arguments.pages, Path(name)) as site:
                measure(Bench(site, Path(name), many, arguments.rounds))
        except (Failed, OSError, RuntimeError) as error:
            print(f"bench-acquire: failed: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
