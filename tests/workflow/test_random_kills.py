"""The workflow, killed again and again at moments that nobody chose, ends as if it never was.

CENTINEL_KILLS says how many times, 200 without it.
"""

import os
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.sites.server import Answer
from tests.sites.town.documents import documents
from tests.sites.town.other_files import other_files
from tests.workflow.place import ENUMERATION, Place, publish
from tests.workflow.running import Running, Workflow

KILLS = int(os.environ.get("CENTINEL_KILLS", "200"))
SEED = 20260301
SOONEST, LATEST = 0.3, 5.0
"""Seconds after its start at which a run is killed: from before its first job to its last."""

MANY = tuple(f"/page-{number:03d}" for number in range(150))
FILES = ("/media/archive/minutes-1998.tar.gz", "/media/correspondence/petition.eml")


def publish_town(place: Place) -> None:
    """Pages, documents of every format, an archive and a mail: all that a run can be busy with."""
    publish(place)
    place.add_pages(MANY)
    found = {**documents(), **other_files()}
    for path, content in found.items():
        if path.endswith((".pdf", ".docx", ".odt", ".csv", ".vtt", ".json")) or path in FILES:
            place.add(path, Answer(content, "application/octet-stream"))


@dataclass
class Left:
    """What a folder holds when all is done, in terms that no port and no time is part of."""

    blobs: dict[str, str]
    texts: dict[str, bytes]
    outcomes: dict[str, str]

    @classmethod
    def by(cls, workflow: Workflow, place: Place) -> "Left":
        derived = workflow.derived("town")
        outcomes = {artifact: line["outcome"] for artifact, line in derived.items()}
        return cls(
            place.paths_of(workflow.blobs("town")),
            workflow.texts("town"),
            place.paths_of(outcomes),
        )


@dataclass
class Killing:
    """Kills runs of one folder until one is done before its time."""

    workflow: Workflow
    place: Place
    dice: random.Random
    kills: int = 0
    asked_again: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)

    def until_done(self, most: int) -> None:
        """Ends with a run that was not killed; the last of too many is left to its end."""
        while True:
            known = self._recorded()
            self.place.forget_requests()
            seconds = self.dice.uniform(SOONEST, LATEST)
            with self.workflow.started() as running:
                done = _ends_within(running, seconds if self.kills < most else None)
                if not done:
                    running.kill()
                    self.kills += 1
            asked = {self.place.at(path) for path in self.place.paths()}
            self.asked_again |= asked & known
            self.lost |= known - self._recorded()
            if done:
                running.ended().succeeded()
                return

    def _recorded(self) -> set[str]:
        folder = self.workflow.source("town") / "record"
        return self.workflow.observed("town") if folder.exists() else set()


def _ends_within(running: Running, seconds: float | None) -> bool:
    until = None if seconds is None else time.monotonic() + seconds
    while running.process.poll() is None:
        if until is not None and time.monotonic() >= until:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_killed_at_random_moments_nothing_is_lost_and_nothing_done_twice(tmp_path: Path) -> None:
    with Place() as place:
        publish_town(place)
        whole = Workflow.make(tmp_path / "whole", {"town": place.block()})
        whole.run().succeeded()
        undisturbed = Left.by(whole, place)
        assert not place.paths_of(whole.blobs("town")).keys() & ENUMERATION
        kills = rounds = 0
        while kills < KILLS:
            workflow = Workflow.make(tmp_path / f"killed-{rounds}", {"town": place.block()})
            killing = Killing(workflow, place, random.Random(f"{SEED} {rounds}"))
            killing.until_done(KILLS - kills)
            assert killing.kills, "no run was killed: the moments are too late for this machine"
            assert Left.by(workflow, place) == undisturbed, f"round {rounds}"
            assert (killing.asked_again, killing.lost) == (set(), set()), f"round {rounds}"
            assert workflow.leftovers("town") == []
            kills, rounds = kills + killing.kills, rounds + 1
        print(f"\n{kills} kills in {rounds} folders")
