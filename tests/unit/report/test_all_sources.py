"""The first screen of all sources: how many need somebody, and at which a figure is to be found."""

from dataclasses import replace
from pathlib import Path

from centinel.report.all_sources import glances_of
from centinel.report.figures import figures_of
from centinel.report.glance import Glance, Level
from centinel.report.lines import Row, total_of
from centinel.report.summary import Summary, summary_of
from tests.unit.report.results import PIPELINE, SITE, SOURCE, Results, clock, snapshot, state


def summary(tmp_path: Path, source: str, **changes: object) -> Summary:
    """The summary of a source of which all is well, but for the changes."""
    results = Results(tmp_path, source, states=[state(SITE)])
    results.add(SITE)
    store = results.write(snapshot(source=source, found=1, new=1))
    figures, _ = figures_of(store, replace(SOURCE, identifier=source), PIPELINE, clock)
    return replace(summary_of(figures, "2026-03-05T09:30:00Z"), **changes)


def seen(*rows: Row) -> dict[str, Glance]:
    return {each.name: each for each in glances_of(rows, total_of(rows))}


def test_where_all_is_well_nothing_is_marked(tmp_path: Path) -> None:
    glance = seen(*(Row(name, summary(tmp_path, name), None) for name in ("one", "two")))
    assert {each.level for each in glance.values()} == {Level.OK}
    assert glance["needy"].figure == "none"
    assert glance["needy"].sentence == "Of 2 sources; none urgently."
    assert glance["new"].figure == "2"


def test_a_figure_names_where_it_comes_from(tmp_path: Path) -> None:
    since = {"blocked": 3, "blocked_since": "2026-02-01T00:00:00Z"}
    later = {"blocked": 4, "blocked_since": "2026-03-01T00:00:00Z", "attention": ["4 blocked"]}
    rows = [
        Row("one", summary(tmp_path, "one", **since), None),
        Row("two", summary(tmp_path, "two", **later), None),
        Row("three", summary(tmp_path, "three"), None),
    ]
    blocked = seen(*rows)["blocked"]
    assert (blocked.figure, blocked.level) == ("7", Level.NOTICE)
    assert blocked.sentence == (
        "At one and 1 other; since 2026-02-01, where it has lasted longest."
    )


def test_a_source_that_was_never_run_is_incomplete(tmp_path: Path) -> None:
    rows = [Row("one", summary(tmp_path, "one"), None), Row("never", None, None)]
    glance = seen(*rows)
    assert (glance["complete"].figure, glance["complete"].level) == ("1", Level.URGENT)
    assert "never" in glance["complete"].sentence


def test_what_is_unknown_of_one_source_makes_a_sum_the_least(tmp_path: Path) -> None:
    unknown = summary(tmp_path, "one", vanished=None, remaining=None)
    glance = seen(Row("one", unknown, None), Row("two", summary(tmp_path, "two"), None))
    assert glance["vanished"].figure == "at least 0"
    assert glance["remaining"].figure == "at least 0"
    assert glance["remaining"].sentence == "How much remains is not known of every source."


def test_lost_bytes_are_urgent(tmp_path: Path) -> None:
    lost = summary(tmp_path, "one", lost=2, verified_at="2026-03-01T00:00:00Z")
    verified = seen(Row("one", lost, None))["verified"]
    assert (verified.figure, verified.level) == ("1 of 1", Level.URGENT)
    assert verified.sentence.startswith("2 artifacts have bytes that are damaged or missing.")


def test_without_sources_everything_is_said_to_be_nothing() -> None:
    glance = seen()
    assert glance["needy"].figure == "none"
    assert glance["stale"].figure == "unknown"
