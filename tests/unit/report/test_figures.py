"""The figures of one source, from a results folder that is made by hand."""

from dataclasses import fields
from pathlib import Path

import pytest

from centinel.files import write_whole
from centinel.record import Artifact, Derived, ResourceState, Status
from centinel.report import frames
from centinel.report.acquisition import Counts, problems_of
from centinel.store import Store
from tests.unit.report.results import (
    AT,
    NOW,
    SITE,
    Results,
    discovery,
    figures,
    observation,
    record,
    snapshot,
    state,
)


def needs(store: Store) -> list[str]:
    return [each.text for each in figures(store).needs]


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        (frames.RESOURCES, ResourceState),
        (frames.ARTIFACTS, Artifact),
        (frames.DERIVED, Derived),
    ],
)
def test_the_schemas_have_every_field_of_their_lines(schema: frames.Schema, line: type) -> None:
    assert list(schema) == [each.name for each in fields(line)]


def test_nothing_at_all_is_no_error(tmp_path: Path) -> None:
    found = figures(Store(tmp_path, "town"))
    assert found.snapshot.report is None
    assert found.acquired.state.remaining is None
    assert found.read.kinds == ()
    assert [each.text for each in found.needs] == [
        "No snapshot has been taken: 0 addresses are known."
    ]


def test_a_failed_first_enumeration_says_why_and_counts_nothing(tmp_path: Path) -> None:
    failed = snapshot(
        outcome="failed", reason="no sitemap", found=None, truncated=None, new=None, vanished=None
    )
    store = Results(tmp_path).write(failed)
    record(store, discovery(outcome="failed", found=None, truncated=None, snapshot=None))
    found = figures(store)
    assert found.snapshot.standing is None
    assert found.needs[0].urgent
    assert found.needs[0].text == (
        "The enumeration failed (no sitemap): there is no earlier one to stand in for it, "
        "so 0 addresses are known."
    )


def test_a_failed_enumeration_names_the_snapshot_that_stands(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE), state(SITE + "old", in_snapshot=False)])
    store = results.write(snapshot(outcome="failed", reason="http 503", found=None, truncated=None))
    record(store, discovery(truncated=True), discovery(outcome="failed", snapshot=None))
    found = figures(store)
    assert found.snapshot.standing is not None
    assert found.snapshot.at_least
    assert "of at least 1 address, stands" in found.needs[0].text


def test_a_cut_snapshot_makes_its_counts_the_least_that_they_can_be(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE), state(SITE + "b", None)])
    cut = snapshot(found=2, truncated=True, vanished=None, new=2)
    assert needs(results.write(cut, remaining=1)) == [
        "The snapshot is cut short: at least 2 addresses, how many more is not known.",
        "At least 1 request remains: the next plain run goes on.",
    ]


def test_an_empty_snapshot_is_not_passed_over(tmp_path: Path) -> None:
    assert needs(Results(tmp_path).write(snapshot(found=0, new=0))) == [
        "The snapshot holds 0 addresses: nothing was found."
    ]


def test_failures_are_counted_apart_and_addresses_that_left_too(tmp_path: Path) -> None:
    states = [
        state(SITE + "live"),
        state(SITE + "gone", "gone", reason="http 404"),
        state(SITE + "blocked-1", "blocked", reason="robots", since="2026-02-01T00:00:00.000000Z"),
        state(SITE + "blocked-2", "blocked", reason="http 403"),
        state(SITE + "error", "error", reason="http 500"),
        state(SITE + "new", None),
        state(SITE + "left", "gone", reason="http 404", in_snapshot=False),
    ]
    found = figures(Results(tmp_path, states=states).write(snapshot(found=6, vanished=1)))
    assert found.acquired.counts == Counts(live=1, gone=1, blocked=2, error=1, never_asked=1)
    assert found.acquired.counts_outside == Counts(gone=1)
    assert found.acquired.blocked_since == "2026-02-01T00:00:00.000000Z"
    assert [each.text for each in found.needs] == [
        "2 addresses are blocked, the first since 2026-02-01.",
        "1 address answered with an error, or not at all.",
        "1 address vanished from the snapshot since the one before.",
    ]
    by_liveness = [(name, groups.count) for name, groups in found.acquired.refusals]
    assert by_liveness == [("blocked", 2), ("error", 1), ("gone", 1)]


def test_a_block_of_everything_is_called_one(tmp_path: Path) -> None:
    states = [state(f"{SITE}{n}", "blocked", reason="http 403") for n in range(3)]
    found = figures(Results(tmp_path, states=states).write(snapshot()))
    assert found.needs[0].urgent
    assert found.needs[0].text == (
        "Everything that was asked is blocked: 3 addresses, since 2026-03-04. "
        "This is a block, not an empty source."
    )


def test_what_is_left_is_said_in_order(tmp_path: Path) -> None:
    states = [state(SITE, owed=[SITE + "a.pdf", SITE + "b.pdf"])]
    results = Results(tmp_path, states=states)
    results.add(SITE)
    store = results.write(
        snapshot(found=1), remaining=2, left_out=5, put_off=1, torn=["record/2026-03.jsonl:7"]
    )
    found = figures(store)
    assert (found.acquired.owed, found.acquired.owing) == (2, 1)
    assert (found.acquired.state.left_out, found.acquired.state.put_off) == (5, 1)
    assert [each.text for each in found.needs] == [
        "2 enclosed documents are owed, on 1 page: neither fetched yet nor refused for good.",
        "2 requests remain: the next plain run goes on.",
        "1 address was put off: the host did not answer.",
        "1 line of the record is torn: skipped, and kept as it stands.",
    ]


def test_nothing_needs_anybody_where_all_is_well(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE)])
    results.add(SITE)
    assert needs(results.write(snapshot(found=1))) == []


def test_parts_that_were_refused_come_from_the_record(tmp_path: Path) -> None:
    results = Results(tmp_path, states=[state(SITE), state(SITE + "own.pdf", "gone")])
    results.add(SITE)
    results.add(SITE + "kept.pdf", "pdf", resource=SITE)
    store = results.write(snapshot(found=2))
    parts = [SITE + "kept.pdf", SITE + "no.pdf", SITE + "own.pdf", SITE + "never.pdf"]
    note = "3 enclosures more than 25 were not taken"
    record(
        store,
        observation(SITE, parts=parts, notes=[note]),
        observation(SITE + "kept.pdf", resource=SITE),
        Status(AT, SITE, SITE + "no.pdf", "blocked", AT, 1, "http 403", 403),
        Status(AT, SITE + "own.pdf", SITE + "own.pdf", "gone", AT, 1, "http 404", 404),
    )
    acquired = figures(store).acquired
    assert acquired.enclosures == 1
    assert acquired.parts == Counts(blocked=1)
    assert [name for name, _ in acquired.refused_parts] == ["blocked"]
    assert [group.label for group in acquired.notes.shown] == [note]


def test_what_is_live_and_gave_nothing_to_keep_is_said_beside_the_failures(tmp_path: Path) -> None:
    states = [
        state(SITE, reason="not-modified"),
        state(SITE + "stream", reason="upcoming: it has not begun"),
        state(SITE + "gone", "gone", reason="http 404"),
    ]
    acquired = figures(Results(tmp_path, states=states).write(snapshot())).acquired
    assert [(name, found.count) for name, found in acquired.refusals] == [
        ("gone", 1),
        ("live, and nothing kept", 1),
    ]


def test_torn_lines_are_named_once(tmp_path: Path) -> None:
    store = Results(tmp_path).write(snapshot(found=0), torn=["record/2026-03.jsonl:2"])
    record(store, discovery())
    month = store.record_month(NOW)
    write_whole(month, month.read_bytes() + b'{"type":"observ')
    assert figures(store).acquired.torn == ("record/2026-03.jsonl:2",)


def test_kinds_count_artifacts_blobs_and_outcomes(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "a", size=10, blob="aa" * 32)
    results.add(SITE + "b", size=10, blob="aa" * 32, recovered_by_fallback=True)
    results.add(SITE + "c", size=5, outcome=None)
    results.add(SITE + "d.pdf", "pdf", "underivable", size=7)
    results.add(SITE + "e.mp3", "audio", "waiting", size=3, reason="not transcribed yet")
    found = figures(results.write(snapshot()))
    html, audio, pdf = found.read.kinds
    assert (html.kind, html.artifacts, html.blobs, html.size) == ("html", 3, 2, 15)
    assert (html.text, html.recovered, html.unread) == (2, 1, 1)
    assert (audio.kind, audio.waiting, audio.underivable) == ("audio", 1, 0)
    assert (pdf.version, pdf.underivable, pdf.waiting) == (2, 1, 0)
    assert (found.acquired.artifacts, found.acquired.blobs, found.acquired.size) == (5, 4, 25)
    assert found.read.waiting_for_readers == 0
    assert found.read.total("text") == 2


def test_an_artifact_without_a_work_file_is_not_classified(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE)
    results.work.clear()
    results.derived.clear()
    (kind,) = figures(results.write(snapshot())).read.kinds
    assert (kind.kind, kind.artifacts, kind.unread) == ("not classified", 1, 1)


def test_lines_of_another_version_and_of_no_work_file_do_not_count(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "a.pdf", "pdf")
    store = results.write(snapshot())
    current = store.derived_file("pdf", 2, "0-of-1")
    write_whole(store.derived_file("pdf", 1, "0-of-1"), current.read_bytes())
    write_whole(store.derived_file("pdf", 2, "1-of-2"), current.read_bytes())
    write_whole(store.derived_file("csv", 1, "0-of-1"), current.read_bytes())
    assert figures(store).read.total("text") == 1


def test_readers_are_counted_by_kind_and_version(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "a", chars=100)
    results.add(SITE + "b", chars=50)
    results.add(SITE + "c", reader="whole_page", reader_version="3", recovered_by_fallback=True)
    readers = figures(results.write(snapshot())).read.readers
    told = [(each.reader, each.version, each.texts, each.recovered) for each in readers]
    assert told == [("marked", "2.3.1", 2, 0), ("whole_page", "3", 1, 1)]
    assert readers[0].chars == 150


def test_underivable_is_grouped_by_reason_with_five_examples(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for number in range(7):
        results.add(
            f"{SITE}{number}.pdf", "pdf", "underivable", reason=f"no text on {number} pages"
        )
    results.add(SITE + "locked.pdf", "pdf", "underivable", reason="PDF is encrypted")
    groups = figures(results.write(snapshot())).read.underivable
    assert [(each.label, each.count, each.rest) for each in groups.shown] == [
        ("no text on … pages", 7, 2),
        ("PDF is encrypted", 1, 0),
    ]
    first = groups.shown[0].examples[0]
    assert (first.address, first.detail) == (SITE + "0.pdf", "no text on 0 pages")
    assert first.underivable is not None
    assert groups.shown[1].examples[0].detail is None


def test_groups_that_are_not_shown_are_counted(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for number in range(25):
        results.add(f"{SITE}{number}", outcome="underivable", reason=f"reason{number}")
    groups = figures(results.write(snapshot())).read.underivable
    assert (len(groups.shown), groups.others, groups.members_of_others) == (20, 5, 5)
    assert groups.count == 25


def test_a_missing_reader_needs_somebody_and_a_recording_does_not(tmp_path: Path) -> None:
    results = Results(tmp_path)
    results.add(SITE + "a.pdf", "pdf", "waiting", reason="pdftotext is missing: make setup")
    results.add(SITE + "b.mp3", "audio", "waiting", reason="not transcribed yet")
    found = figures(results.write(snapshot()))
    assert [each.text for each in found.needs] == [
        "1 document waits for a program or a model that is not installed here."
    ]
    assert found.read.waiting.count == 2


def test_poor_reads_are_menus_and_a_few_words_of_large_pages(tmp_path: Path) -> None:
    results = Results(tmp_path)
    menu = "menu: 83% of the text is link text"
    results.add(SITE + "menu", notes=["marked region: main", menu])
    results.add(SITE + "short", chars=199, size=20_001)
    results.add(SITE + "long", chars=200, size=20_001)
    results.add(SITE + "small", chars=20, size=20_000)
    results.add(SITE + "short.pdf", "pdf", chars=20, size=90_000)
    read = figures(results.write(snapshot())).read
    assert [each.address for each in read.menus.shown[0].examples] == [SITE + "menu"]
    assert read.menus.shown[0].examples[0].detail == menu
    assert [each.address for each in read.short_texts.shown[0].examples] == [SITE + "short"]
    assert read.short_texts.shown[0].examples[0].detail == "199 characters from 20001 bytes"


def test_contradictions_are_notes_of_kinds_and_not_of_readers(tmp_path: Path) -> None:
    results = Results(tmp_path)
    claim = "declared says html, but the bytes open as pdf (pdf)"
    results.add(SITE + "a", claims=(claim,), notes=["marked region: main"])
    results.add(SITE + "b", outcome="underivable", claims=(claim,))
    read = figures(results.write(snapshot())).read
    assert [(each.label, each.count) for each in read.contradictions.shown] == [(claim, 2)]
    assert read.contradicted == 2
    assert [each.label for each in read.notes.shown] == ["marked region: main"]


def test_the_same_bytes_count_from_three_addresses_on(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for number in range(3):
        results.add(f"{SITE}same-{number}", blob="ab" * 32)
        results.add(f"{SITE}pair-{number // 2}-{number}", blob=f"{number // 2:064x}")
    groups = figures(results.write(snapshot())).acquired.same_bytes
    assert [(each.label, each.count) for each in groups.shown] == [("ab" * 32, 3)]


def test_every_sort_of_problem_has_its_rows(tmp_path: Path) -> None:
    states = [state(f"{SITE}{n:03}", "blocked", reason="robots") for n in range(300)]
    states.append(state(SITE + "error", "error", reason="http 500"))
    states.append(state(SITE + "page", owed=[SITE + "a.pdf"]))
    store = Results(tmp_path, states=states).write(snapshot())
    problems = problems_of(frames.read(store.resources, frames.RESOURCES))
    assert len(problems.shown) == 200
    assert [each.problem for each in problems.shown[-2:]] == ["error", "owed"]
    assert problems.hidden == (("blocked", 102),)


def test_the_sample_of_texts_is_spread_and_the_same_each_time(tmp_path: Path) -> None:
    results = Results(tmp_path)
    for number in range(45):
        results.add(f"{SITE}{number:03}")
    texts = figures(results.write(snapshot())).read.texts
    assert [each.address for each in texts] == [f"{SITE}{number:03}" for number in range(0, 45, 3)]
    assert texts[0].path.startswith("text/html/v1/")


def test_a_damaged_file_is_named_with_its_line(tmp_path: Path) -> None:
    store = Results(tmp_path, states=[state(SITE)]).write(snapshot())
    write_whole(store.resources, store.resources.read_bytes() + b'{"address":\n')
    with pytest.raises(ValueError, match=r"resources\.jsonl:2: not a JSON object"):
        figures(store)
