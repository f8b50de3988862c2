"""Every figure of an audit, counted again by simple loops over the lines that it was made from."""

import random
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from centinel.changes import Change
from centinel.crumbs import Crumb
from centinel.files import write_lines
from centinel.record import Derived
from centinel.report.figures import Figures
from centinel.report.groups import Groups
from centinel.report.readings import KindFigures
from tests.unit.report.results import (
    AT,
    BEFORE,
    PIPELINE,
    SITE,
    Results,
    discovery,
    figures,
    record,
    snapshot,
    state,
)

MENU = "menu: 80% of the text is link text"


@pytest.fixture(scope="module", params=range(4))
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Made":
    return Made(random.Random(request.param), tmp_path_factory.mktemp("results"))


class Made:
    """A source of which chance decides everything, and its audit."""

    def __init__(self, draw: random.Random, folder: Path) -> None:
        self.results = Results(folder)
        self.changes = [self.change(draw, number) for number in range(60)]
        self.crumbs = [self.crumb(draw, number) for number in range(20)]
        for number in range(200):
            self.add_resource(draw, number)
            self.add_artifact(draw, number)
        store = self.results.write(snapshot(found=200), remaining=4)
        record(store, discovery(at=BEFORE), discovery(at=AT))
        write_lines(store.changes, self.changes)
        write_lines(store.crumbs, self.crumbs)
        self.figures: Figures = figures(store)

    def add_resource(self, draw: random.Random, number: int) -> None:
        liveness = draw.choice((None, "live", "live", "gone", "blocked", "error"))
        owed = [f"{SITE}{number}/{each}.pdf" for each in range(draw.choice((0, 0, 0, 2)))]
        is_listed = draw.random() < 0.9
        reason = None if liveness == "live" else f"http {draw.choice((403, 404, 503))}"
        since = f"2026-02-{draw.randrange(1, 28):02}T00:00:00.000000Z"
        made = state(f"{SITE}{number:03}", liveness, reason=reason, owed=owed, since=since)
        object.__setattr__(made, "in_snapshot", is_listed)
        self.results.states.append(made)

    def add_artifact(self, draw: random.Random, number: int) -> None:
        outcome = draw.choice(("text", "text", "text", "underivable", "waiting", None))
        is_enclosed = draw.random() < 0.3
        blob = draw.randrange(80)
        self.results.add(
            f"{SITE}{number:03}",
            draw.choice(("html", "html", "pdf", "audio")),
            outcome,
            resource=SITE if is_enclosed else None,
            blob=f"{blob:064x}",
            size=(10, 20_000, 20_001, 90_000)[blob % 4],
            chars=draw.choice((10, 199, 200, 900)),
            reader=draw.choice(("marked", "pdftotext")),
            reader_version=draw.choice(("1", "2")),
            recovered_by_fallback=draw.random() < 0.3,
            notes=[MENU] if draw.random() < 0.2 else [],
            **({} if outcome == "text" else {"reason": draw.choice(("locked", "no text"))}),
        )

    def change(self, draw: random.Random, number: int) -> Change:
        at = draw.choice((BEFORE, "2026-02-02T09:00:00.000000Z", AT))
        artifact = f"{SITE}{number % 7}"
        return Change(at, artifact, artifact, draw.choice(("changed", "came back")), None, None)

    def crumb(self, draw: random.Random, number: int) -> Crumb:
        ruling = draw.choice(("open", "ignore", "source"))
        return Crumb(f"h{number:02}.example", draw.randrange(9), draw.randrange(5), "x", [], ruling)

    @property
    def texts(self) -> list[Derived]:
        return [each for each in self.results.derived if each.outcome == "text"]


def shown(groups: Groups) -> dict[tuple[str, ...], int]:
    return {each.keys: each.count for each in groups.shown}


def test_addresses(made: Made) -> None:
    listed = Counter(each.liveness for each in made.results.states if each.in_snapshot)
    outside = Counter(each.liveness for each in made.results.states if not each.in_snapshot)
    acquired = made.figures.acquired
    for counts, found in ((acquired.counts, listed), (acquired.counts_outside, outside)):
        assert counts.live == found["live"]
        assert counts.gone == found["gone"]
        assert counts.blocked == found["blocked"]
        assert counts.error == found["error"]
        assert counts.never_asked == found[None]


def test_what_is_owed_and_since_when_it_is_blocked(made: Made) -> None:
    acquired = made.figures.acquired
    blocked = [
        each for each in made.results.states if each.in_snapshot and each.liveness == "blocked"
    ]
    assert acquired.blocked_since == min(str(each.since) for each in blocked)
    assert acquired.owed == sum(len(each.owed) for each in made.results.states)
    assert acquired.owing == sum(bool(each.owed) for each in made.results.states)


def test_refusals_by_reason(made: Made) -> None:
    wanted: dict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for each in made.results.states:
        if each.in_snapshot and each.liveness in ("gone", "blocked", "error"):
            wanted[str(each.liveness)][(str(each.reason),)] += 1
    assert {name: shown(groups) for name, groups in made.figures.acquired.refusals} == wanted


def test_kinds_and_sizes(made: Made) -> None:
    for found in made.figures.read.kinds:
        assert found == kind_by_loops(made, found.kind)
    kinds = {each.kind for each in made.results.work}
    assert {each.kind for each in made.figures.read.kinds} == kinds


def kind_by_loops(made: Made, kind: str) -> KindFigures:
    kinds = {each.artifact: each.kind for each in made.results.work}
    artifacts = [each for each in made.results.artifacts if kinds[each.artifact] == kind]
    lines = [each for each in made.results.derived if each.kind == kind]
    outcomes = Counter(each.outcome for each in lines)
    sizes = {each.blob: each.size for each in artifacts}
    return KindFigures(
        kind=kind,
        version=PIPELINE.reading(kind).version,
        artifacts=len(artifacts),
        blobs=len(sizes),
        size=sum(sizes.values()),
        text=outcomes["text"],
        underivable=outcomes["underivable"],
        waiting=outcomes["waiting"],
        unread=len(artifacts) - len(lines),
        recovered=sum(each.outcome == "text" and each.recovered_by_fallback for each in lines),
        chars=sum(each.chars for each in lines),
    )


def test_readers(made: Made) -> None:
    wanted: dict[tuple[str, str, str, int], list[Derived]] = defaultdict(list)
    for each in made.texts:
        key = (each.kind, str(each.reader), str(each.reader_version), each.version)
        wanted[key].append(each)
    found = {
        (each.kind, each.reader, each.version, each.pipeline_version): each
        for each in made.figures.read.readers
    }
    assert found.keys() == wanted.keys()
    for key, lines in wanted.items():
        recovered = sum(each.recovered_by_fallback for each in lines)
        assert (found[key].texts, found[key].recovered) == (len(lines), recovered)
        assert found[key].chars == sum(each.chars for each in lines)
        assert found[key].rate == pytest.approx(100 * recovered / len(lines))


def test_what_was_not_read(made: Made) -> None:
    for outcome, groups in (
        ("underivable", made.figures.read.underivable),
        ("waiting", made.figures.read.waiting),
    ):
        lines = [each for each in made.results.derived if each.outcome == outcome]
        assert shown(groups) == Counter((each.kind, str(each.reason)) for each in lines)


def test_poor_reads(made: Made) -> None:
    sizes = {each.artifact: each.size for each in made.results.artifacts}
    short = [
        each
        for each in made.texts
        if each.kind == "html" and each.chars < 200 and sizes[each.artifact] > 20_000
    ]
    read = made.figures.read
    assert read.menus.count == sum(MENU in each.notes for each in made.texts)
    assert read.short_texts.count == len(short)


def test_same_bytes_and_enclosures(made: Made) -> None:
    acquired = made.figures.acquired
    blobs = Counter(each.blob for each in made.results.artifacts)
    assert acquired.blobs == len(blobs)
    assert acquired.artifacts == len(made.results.artifacts)
    kinds = {each.artifact: each.kind for each in made.results.work}
    same = Counter(
        (kinds[each.artifact], str(each.size), each.blob) for each in made.results.artifacts
    )
    wanted = {keys: count for keys, count in same.items() if count >= 3}
    groups = acquired.same_bytes
    assert shown(groups).items() <= wanted.items()
    assert groups.count == sum(wanted.values())
    assert groups.others == len(wanted) - len(groups.shown)
    enclosed = [each for each in made.results.artifacts if each.artifact != each.resource]
    assert acquired.enclosures == len(enclosed)


def test_news(made: Made) -> None:
    recent = [each for each in made.changes if each.at > BEFORE]
    news = made.figures.news
    assert news.since == BEFORE
    assert dict(news.counts) == Counter(each.event for each in recent)
    assert news.events == tuple(reversed(recent))
    assert news.changed == len({each.artifact for each in recent if each.event == "changed"})


def test_hosts(made: Made) -> None:
    order = sorted(made.crumbs, key=lambda each: (-each.pages, -each.links, each.host))
    found = made.figures.crumbs
    assert [each.host for each in found.hosts] == [each.host for each in order]
    assert found.open == sum(each.ruling == "open" for each in made.crumbs)


def test_recordings(made: Made) -> None:
    blobs = {each.blob for each in made.results.work if each.kind == "audio"}
    found = made.figures.transcribed
    assert sum(each.recordings for each in found) == len(blobs)
    assert all(each.texts + each.underivable + each.waiting == each.recordings for each in found)
