"""The loopback platforms answer what the helpers ask, and serve what they declare."""

import io
import zipfile
from collections.abc import Callable, Iterator

import pytest

from tests.sites.dataset_platforms import CHALLENGE, DatasetPlatforms
from tests.sites.dataset_shapes import DataFile, numbered
from tests.unit.ingest.driving import by_path, driven, fetched

FILES = (
    DataFile("README.md", b"# Readings\n", content_type="text/markdown"),
    DataFile("a b.csv", b"a,b\n1,2\n", "raw"),
    DataFile("empty.txt", b"", content_type="text/plain"),
)
FLAT = (FILES[0], DataFile("b.csv", b"b\n"), FILES[2])

Make = Callable[[DatasetPlatforms], str]

CASES: dict[str, tuple[tuple[DataFile, ...], Make]] = {
    "figshare": (FILES, lambda site: site.add_figshare(123, 2, FILES)),
    "zenodo": (FILES, lambda site: site.add_zenodo(1003567, FILES)),
    "archiveorg": (FILES, lambda site: site.add_archiveorg("CAT_DATASET", FILES)),
    "dryad": (FILES, lambda site: site.add_dryad("10.5061/dryad.fbg79cnr0", 3, FILES)),
    "osf": (FILES, lambda site: site.add_osf("abcd5", FILES)),
    "github": (FLAT, lambda site: site.add_github("town/data", "v1.0", FLAT)),
    "dataverse": (FILES, lambda site: site.add_dataverse("doi:10.5072/FK2/J8SJZB", FILES)),
    "ckan": (FLAT, lambda site: site.add_ckan("trees", FLAT)),
    "page-evidence": (FILES, lambda site: site.add_page("/data", FILES)),
}


@pytest.fixture
def site() -> Iterator[DatasetPlatforms]:
    """All platforms."""
    with DatasetPlatforms() as running:
        yield running


@pytest.mark.parametrize("name", sorted(CASES))
def test_every_platform_serves_what_its_manifest_declares(
    name: str, site: DatasetPlatforms
) -> None:
    files, make = CASES[name]
    item = driven(site, make(site))
    assert (item.platform, item.incomplete, item.file_count) == (name, None, len(files))
    flat = name in ("page-evidence",)
    found = by_path(item)
    for file in files:
        declared = found[file.name if flat else file.path]
        assert declared.platform_url is not None
        status, _, body = fetched(site.placed(declared.platform_url))
        assert (status, body, declared.size) == (200, file.body, file.size)
        assert file.digest(declared.strongest) == getattr(declared, declared.strongest)
    assert item.total_size == sum(each.size for each in files)


@pytest.mark.parametrize("name", ["archiveorg", "dataverse", "dryad", "figshare", "osf", "zenodo"])
def test_the_archive_of_everything_has_every_file(name: str, site: DatasetPlatforms) -> None:
    files, make = CASES[name]
    item = driven(site, make(site))
    assert item.web_bundle_url is not None
    status, headers, body = fetched(site.placed(item.web_bundle_url))
    assert (status, headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert {file.path: file.body for file in files}.items() <= {
            each: archive.read(each) for each in archive.namelist()
        }.items()


@pytest.mark.parametrize("name", ["figshare", "dryad", "osf", "github"])
def test_pages_are_asked_for_to_the_end(name: str, site: DatasetPlatforms) -> None:
    files = numbered(35)
    made = {
        "figshare": lambda: site.add_figshare(123, 2, files),
        "dryad": lambda: site.add_dryad("10.5061/dryad.x", 1, files),
        "osf": lambda: site.add_osf("abcd5", files),
        "github": lambda: site.add_github("town/data", "v1", files),
    }[name]()
    site.page_cap = 35 if name == "github" else 10
    item = driven(site, made)
    assert [each.path for each in item.manifest] == [each.name for each in files]
    assert item.incomplete is None


def test_a_wall_is_an_empty_success(site: DatasetPlatforms) -> None:
    site.add_figshare(123, 2, FLAT)
    site.set("/ndownloader.figshare.com/files/123000", CHALLENGE)
    status, headers, body = fetched(site.placed("https://ndownloader.figshare.com/files/123000"))
    assert (status, headers["x-amzn-waf-action"], body) == (202, "challenge", b"")


def test_a_doi_leads_to_its_landing_page(site: DatasetPlatforms) -> None:
    address = site.add_zenodo(1003567, FLAT)
    doi = site.resolve("10.5281/zenodo.1003567", address)
    assert fetched(site.placed(doi)) == fetched(site.placed(address))
