"""archive.org: items that are there already."""

import pytest

from centinel.ingest.model import Stopped
from tests.sites.dataset_shapes import DataFile, Json, archive_file, archive_item
from tests.unit.ingest.driving import item_of, status_of

FILES = [DataFile("cat.rar", b"Rar!", content_type="application/vnd.rar"), DataFile("x/a.csv")]
PAGE = "https://archive.org/details/CAT_DATASET"
METADATA = "https://archive.org/metadata/CAT_DATASET"


def served(name: str = "CAT_DATASET", **changes: object) -> dict[str, Json]:
    """What the API gives for an item."""
    return {f"https://archive.org/metadata/{name}": archive_item(name, FILES, **changes)}


def test_what_an_owner_gave_is_the_manifest() -> None:
    item = item_of(PAGE, served())
    assert (item.platform, item.platform_domain, item.platform_id) == (
        "archiveorg",
        "archive.org",
        "CAT_DATASET",
    )
    assert [each.path for each in item.manifest] == ["cat.rar", "x/a.csv"]
    first = item.manifest[0]
    assert (first.size, first.md5, first.sha1) == (4, FILES[0].md5, FILES[0].digest("sha1"))
    assert first.platform_url == "https://archive.org/download/CAT_DATASET/cat.rar"
    assert item.archiveorg_item_name == "CAT_DATASET"
    assert item.archiveorg_item_meta["title"] == "Item CAT_DATASET"
    assert item.web_bundle_url == "https://archive.org/compress/CAT_DATASET"
    assert item.incomplete is None


@pytest.mark.parametrize("path", ["details", "download", "metadata", "embed"])
def test_each_form_of_an_items_address_is_known(path: str) -> None:
    for host in ("archive.org", "www.archive.org"):
        assert item_of(f"https://{host}/{path}/CAT_DATASET/", served()).file_count == 2


def test_bookkeeping_of_academic_torrents_is_left_out() -> None:
    name = "academictorrents_70e0794e2292fc051a13f05ea6f5b6c16f3d3635"
    more = [archive_file(DataFile(f"{name}{each}")) for each in (".torrent", ".bib", ".txt")]
    given = served(name)
    listed = next(iter(given.values()))
    listed["files"] += more
    item = item_of(f"https://archive.org/details/{name}", given)
    assert [each.path for each in item.manifest] == ["cat.rar", "x/a.csv"]


def test_an_unknown_format_is_no_failure() -> None:
    odd = archive_file(FILES[0], format="Word of next year")
    pdf = archive_file(DataFile("a.pdf"), format="Text PDF")
    item = item_of(PAGE, served(files=[odd, pdf], files_count=2))
    assert [each.mimetype for each in item.manifest] == [None, "application/pdf"]
    assert item.manifest[0].extra["format"] == "Word of next year"


def test_fewer_files_than_the_item_counts_are_incomplete() -> None:
    item = item_of(PAGE, served(files_count=40))
    assert item.incomplete == "40 files and derivatives are declared, 8 were listed"


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"metadata": {"mediatype": "collection"}}, Stopped.PLATFORM_SCOPE),
        ({"metadata": {"mediatype": "web"}}, Stopped.PLATFORM_SCOPE),
        ({"metadata": {"access-restricted-item": "true"}}, Stopped.RESTRICTED),
        ({"metadata": {"identifier": "another"}}, Stopped.SCHEMA_CHANGED),
        ({"is_dark": True}, Stopped.GONE),
        ({"files": "many"}, Stopped.SCHEMA_CHANGED),
        ({"files": []}, Stopped.EMPTY_MANIFEST),
        ({"files": [archive_file(FILES[0], private="true")]}, Stopped.RESTRICTED),
    ],
)
def test_what_cannot_be_taken_says_why(changes: Json, status: Stopped) -> None:
    assert status_of(PAGE, served(**changes)) is status


def test_an_item_that_is_not_there_is_an_empty_object() -> None:
    assert status_of(PAGE, {METADATA: {}}) is Stopped.NOT_FOUND


@pytest.mark.parametrize(
    "path",
    ["/details/CAT_DATASET/cat.rar", "/download/CAT_DATASET/x/a.csv", "/details/@someone", "/"],
)
def test_one_file_of_an_item_is_out_of_scope(path: str) -> None:
    assert status_of(f"https://archive.org{path}", served()) is Stopped.PLATFORM_SCOPE


@pytest.mark.parametrize(
    "landing",
    [
        "https://web.archive.org/web/2020/https://archive.org/details/CAT_DATASET",
        "https://archive.org.evil.example/details/CAT_DATASET",
    ],
)
def test_an_address_that_only_contains_one_is_no_match(landing: str) -> None:
    assert status_of(landing) is Stopped.NO_PLATFORM_MATCH
