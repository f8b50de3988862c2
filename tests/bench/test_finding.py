"""The benchmark of `current/` and search: what it does on a small archive, and what it asks."""

from pathlib import Path

import pytest

from tests.bench.scale_finding import SECONDS, Found, goals, measure, table

FAST = Found(wall=0.5, processor=0.4, peak_bytes=90_000_000, touched=1)


def test_each_figure_that_is_asked_for_has_a_goal_and_a_line() -> None:
    found = {10: dict.fromkeys(SECONDS, FAST), 100: dict.fromkeys(SECONDS, FAST)}
    lines = table(found).splitlines()
    assert len(lines) == 2 + len(SECONDS)
    assert all(each.holds for each in goals(found))


def test_an_index_that_is_written_anew_for_one_document_falls_short() -> None:
    found = {100: dict.fromkeys(SECONDS, FAST)}
    found[100]["search", "one new"] = Found(0.5, 0.4, 90_000_000, touched=100)
    short = [each.name for each in goals(found) if not each.holds]
    assert short == ["search: touched for one new document"]


@pytest.mark.slow
def test_a_small_archive_is_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure(tmp_path, 100)
    said = capsys.readouterr().out
    assert "goal: search: touched for one new document = 1 (asked <= 2): holds" in said
    assert "goal: current: touched for one new document = 1 (asked <= 2): holds" in said
    assert list(tmp_path.iterdir()) == []
