"""What the record tells of changes: each event once, and nothing that a cut list cannot tell."""

from typing import Any

from centinel.changes import Change, tell

PAGE = "https://town.example/a"


def observation(at: str, print_: str, blob: str | None = None) -> dict[str, Any]:
    return {
        "type": "observation",
        "at": at,
        "resource": PAGE,
        "artifact": PAGE,
        "fingerprint": print_,
        "blob": blob or f"blob-{print_}",
    }


def status(at: str, liveness: str) -> dict[str, Any]:
    return {"type": "status", "at": at, "resource": PAGE, "artifact": PAGE, "liveness": liveness}


def discovery(at: str, name: str, new: int | None, vanished: int | None, **more: Any) -> Any:
    line = {"type": "discovery", "at": at, "outcome": "ok", "truncated": False, "snapshot": name}
    return {**line, "new": new, "vanished": vanished, **more}


def events(*lines: dict[str, Any], **lists: set[str]) -> list[tuple[str, str, str, Any, Any]]:
    return [
        (each.at, each.resource.rpartition("/")[2], each.event, each.before, each.after)
        for each in tell(lines, lists.__getitem__)
    ]


def test_other_bytes_with_the_same_fingerprint_are_no_change() -> None:
    assert events(observation("1", "x", "one"), observation("2", "x", "two")) == []


def test_a_change_names_both_blobs() -> None:
    told = events(observation("1", "x"), observation("2", "y"))
    assert told == [("2", "a", "changed", "blob-x", "blob-y")]


def test_gone_blocked_and_back() -> None:
    told = events(
        observation("1", "x"),
        status("2", "gone"),
        status("3", "gone"),
        observation("4", "x"),
        status("5", "blocked"),
        status("6", "live"),
    )
    assert told == [
        ("2", "a", "became gone", "live", "gone"),
        ("4", "a", "came back", "gone", "live"),
        ("5", "a", "became blocked", "live", "blocked"),
        ("6", "a", "came back", "blocked", "live"),
    ]


def test_what_was_never_seen_otherwise_did_not_become_gone() -> None:
    told = events(status("1", "gone"), status("2", "blocked"), observation("3", "x"))
    assert told == [
        ("2", "a", "became blocked", "gone", "blocked"),
        ("3", "a", "came back", "blocked", "live"),
    ]


def test_an_error_is_no_news_of_an_address() -> None:
    told = events(
        observation("1", "x"),
        status("2", "error"),
        observation("3", "x"),
        status("4", "gone"),
        status("5", "error"),
        status("6", "gone"),
        observation("7", "x"),
    )
    assert [each[2] for each in told] == ["became gone", "came back"]


def test_lists_are_compared_and_a_return_is_said() -> None:
    told = events(
        discovery("1", "one", 2, 0),
        discovery("2", "two", 1, 1),
        discovery("3", "three", 0, 0),
        discovery("4", "four", 1, 0),
        one={"/a", "/b"},
        two={"/b", "/c"},
        four={"/a", "/b", "/c"},
    )
    assert told == [
        ("1", "a", "appeared", None, "listed"),
        ("1", "b", "appeared", None, "listed"),
        ("2", "c", "appeared", None, "listed"),
        ("2", "a", "vanished", "listed", None),
        ("4", "a", "came back", "vanished", "listed"),
    ]


def test_nothing_vanishes_from_a_cut_list_and_nothing_is_new_after_it() -> None:
    told = events(
        discovery("1", "one", 2, 0),
        discovery("2", "two", 0, None, truncated=True),
        discovery("3", "three", None, None),
        discovery("4", "four", 0, 1),
        one={"/a", "/b"},
        two={"/a"},
        three={"/a", "/b", "/c"},
        four={"/a", "/b"},
    )
    assert [each for each in told if each[0] != "1"] == [("4", "c", "vanished", "listed", None)]


def test_a_failed_enumeration_tells_nothing() -> None:
    failed = discovery("2", "none", None, None, outcome="failed", snapshot=None)
    told = events(discovery("1", "one", 1, 0), failed, one={"/a"})
    assert [each[2] for each in told] == ["appeared"]


def test_an_event_is_one_line_with_its_fields() -> None:
    change = Change("1", PAGE, PAGE, "changed", "x", "y")
    assert list(change.to_json()) == ["at", "resource", "artifact", "event", "before", "after"]
