"""The tree of links is what stands now: differences alone are touched, and damage is mended."""

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from centinel import current
from centinel.current import Mirrored, mirror
from centinel.standing import Standing, texts_of
from centinel.store import Store
from tests.unit.report.results import (
    PIPELINE,
    SOURCE,
    Results,
    blob_of,
    discovery,
    observation,
    record,
    snapshot,
    state,
)
from tests.unit.support import PROPERTY, status
from tests.unit.test_address_paths import ADDRESS

AT = "2026-03-04T05:06:07.000000Z"
A, B = "https://town.example/a", "https://town.example/a/b"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results", "town")


def standing(address: str, content: str = "") -> Standing:
    """A text that stands, whose file is named after the content."""
    blob = blob_of(content or address)
    text = f"text/html/v1/{blob[:2]}/{blob}.md"
    return Standing(address, blob, "html", text, None, AT, False)


def write(store: Store, texts: Iterable[Standing]) -> None:
    """Puts the texts where they say."""
    for each in texts:
        path = store.root / each.text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(each.artifact.encode("utf-8", "replace"))


def tree(store: Store) -> dict[str, str]:
    """What is at the end of each link, and every other name with nothing."""
    found = {}
    for folder, folders, files in os.walk(store.current):
        for name in [*folders, *files]:
            path = Path(folder, name)
            inner = path.relative_to(store.current).as_posix()
            if path.is_symlink():
                found[inner] = path.read_bytes().decode()
            elif not path.is_dir() or not any(path.iterdir()):
                found[inner] = ""
    return found


def test_each_address_leads_to_its_text(store: Store) -> None:
    texts = [standing(A), standing(B)]
    write(store, texts)

    assert mirror(store, texts) == Mirrored(2, added=2, changed=0, removed=0)

    assert tree(store) == {"town.example/a.md": A, "town.example/a/b.md": B}
    link = str((store.current / "town.example/a.md").readlink())
    assert link == f"../../{texts[0].text}"


def test_what_is_the_same_is_not_touched(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [standing(A), standing(B)]
    write(store, texts)
    mirror(store, texts)
    monkeypatch.setattr(current, "_link", None)

    assert mirror(store, texts) == Mirrored(2, added=0, changed=0, removed=0)


def test_a_new_text_takes_the_place_of_the_old_and_vanished_ones_leave_no_folder(
    store: Store,
) -> None:
    old, new = [standing(A), standing(B)], [standing(A, "new bytes")]
    write(store, [*old, *new])
    mirror(store, old)

    assert mirror(store, new) == Mirrored(1, added=0, changed=1, removed=1)

    assert tree(store) == {"town.example/a.md": A}
    assert str((store.current / "town.example/a.md").readlink()) == f"../../{new[0].text}"
    assert (store.root / old[1].text).read_text() == B, "only the link goes"


def test_a_crash_in_the_middle_is_mended(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = [standing(A), standing(B)], [standing(A, "x"), standing(f"{B}/c"), standing(SITE)]
    write(store, [*old, *new])
    mirror(store, old)
    links = current._make

    def crash(path: Path, target: str) -> None:
        links(path, target)
        if path == store.current_beside:  # the new link is there, and not in its place yet
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(current, "_make", crash)
        with pytest.raises(KeyboardInterrupt):
            mirror(store, new)
    assert store.current_beside.is_symlink()
    mirror(store, new)

    assert tree(store) == {
        "town.example/a.md": A,
        "town.example/a/b/c.md": f"{B}/c",
        "town.example/index~.md": SITE,
    }
    assert not store.current_beside.is_symlink()


SITE = "https://town.example/"


def test_a_link_that_somebody_made_elsewhere_is_removed_and_not_followed(
    store: Store, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    store.current.mkdir(parents=True)
    (store.current / "town.example").symlink_to(outside)
    write(store, [standing(A)])

    mirror(store, [standing(A)])

    assert tree(store) == {"town.example/a.md": A}
    assert [each.name for each in outside.iterdir()] == ["kept"]


@settings(PROPERTY, max_examples=40)
@given(st.lists(ADDRESS, unique=True, max_size=12), st.lists(ADDRESS, unique=True, max_size=12))
def test_any_set_of_addresses_can_follow_any_other(
    tmp_path_factory: pytest.TempPathFactory, first: list[str], second: list[str]
) -> None:
    store = Store(tmp_path_factory.mktemp("tree"), "town")
    for addresses in (first, second):
        texts = [standing(each) for each in addresses]
        write(store, texts)
        mirror(store, texts)
        said = sorted(each.encode("utf-8", "replace").decode() for each in addresses)
        assert sorted(tree(store).values()) == said


# What stands


def kept(tmp_path: Path) -> Results:
    results = Results(tmp_path / "results")
    results.states.append(state(A))
    results.add(A)
    return results


def names(results: Results) -> list[str]:
    texts = texts_of(results.write(snapshot()), SOURCE, PIPELINE)
    assert texts is not None
    return [each.artifact for each in texts]


def test_nothing_is_known_of_a_source_that_was_never_acquired(store: Store) -> None:
    assert texts_of(store, SOURCE, PIPELINE) is None


def test_gone_and_vanished_addresses_do_not_stand_and_blocked_ones_do(tmp_path: Path) -> None:
    results = kept(tmp_path)
    for name, liveness, is_listed in (
        ("gone", "gone", True),
        ("blocked", "blocked", True),
        ("error", "error", True),
        ("vanished", "live", False),
    ):
        address = f"https://town.example/{name}"
        results.states.append(state(address, liveness, in_snapshot=is_listed))
        results.add(address)
    record(results.store, discovery())
    assert names(results) == [A, "https://town.example/blocked", "https://town.example/error"]


def test_what_a_cut_snapshot_does_not_name_stands(tmp_path: Path) -> None:
    results = kept(tmp_path)
    results.states[0] = state(A, in_snapshot=False)
    record(results.store, discovery(truncated=True))
    assert names(results) == [A]


def test_parts_stand_while_what_stands_has_them(tmp_path: Path) -> None:
    results = kept(tmp_path)
    parts = [f"{A}.zip", f"{A}.zip!/in", f"{A}.old", f"{A}.gone"]
    for part in parts:
        results.add(part, resource=A)
    record(
        results.store,
        discovery(),
        observation(A, parts=[parts[0], parts[3]]),
        observation(parts[0], resource=A, parts=[parts[1]]),
        observation(parts[2], resource=A),
        observation(parts[3], resource=A),
        status(parts[3], "gone", resource=A),
    )
    assert names(results) == [A, parts[0], parts[1]]


def test_a_line_of_other_bytes_or_without_a_text_does_not_stand(tmp_path: Path) -> None:
    results = kept(tmp_path)
    for name, changes in (("b", {"blob": "0" * 64}), ("c", {"outcome": "underivable"})):
        results.states.append(state(f"{A}{name}"))
        results.add(f"{A}{name}", outcome=changes.pop("outcome", "text"))
        if changes:
            results.derived[-1] = type(results.derived[-1])(
                **{**results.derived[-1].to_json(), **changes}
            )
    record(results.store, discovery())
    assert names(results) == [A]
