"""Pages that name their files themselves, and addresses that are files."""

import pytest

from centinel.ingest.landing import Page
from centinel.ingest.model import Stopped
from tests.sites.dataset_catalogues import data_download, linked_page
from tests.sites.dataset_shapes import DataFile, content_md5
from tests.unit.ingest.driving import item_of, matched, status_of, stop_of, web_page

PAGE = "https://doi.ala.org.au/doi/811d55e3-6ab1-4463-9d84-d0e8b06c5afd"
FILES = [DataFile("a.csv"), DataFile("b.zip", b"PK", content_type="application/zip")]
DOWNLOADS = [data_download(each, f"files/{each.name}") for each in FILES]


def test_distributions_become_a_manifest() -> None:
    dataset = {
        "name": "Occurrences",
        "identifier": "https://doi.org/10.26197/ALA.811D55E3",
        "license": {"@type": "CreativeWork", "url": "https://creativecommons.org/licenses/by/4.0/"},
        "datePublished": "2020-01-02",
        "creator": [{"@type": "Person", "name": "Ada Alder"}],
        "distribution": DOWNLOADS,
    }
    item = item_of(PAGE, body=linked_page(dataset))
    assert (item.platform, item.platform_domain, item.platform_id) == (
        "page-evidence",
        "doi.ala.org.au",
        "10.26197/ala.811d55e3",
    )
    assert (item.title, item.published) == ("Occurrences", "2020-01-02")
    assert item.licence == "https://creativecommons.org/licenses/by/4.0/"
    first = item.manifest[0]
    assert (first.path, first.size, first.sha256, first.mimetype) == (
        "a.csv",
        8,
        FILES[0].digest("sha256"),
        "text/csv",
    )
    assert first.platform_url == "https://doi.ala.org.au/doi/files/a.csv"
    assert item.archiveorg_item_name == "doi.ala.org.au-10.26197_ala.811d55e3"
    assert item.metadata["page"]["name"] == "Occurrences"


@pytest.mark.parametrize(
    ("stated", "size"),
    [
        ("123", 123),
        (123, 123),
        ("123 B", 123),
        ("123 bytes", 123),
        ("0", 0),
        ("1.2 MB", None),
        ("12 kB", None),
        ("", None),
        (None, None),
        (-1, None),
        ([1], None),
    ],
)
def test_only_an_exact_size_is_one(stated: object, size: int | None) -> None:
    download = data_download(FILES[0], "a.csv", contentSize=stated)
    item = item_of(PAGE, body=linked_page({"distribution": [download]}))
    assert item.manifest[0].size == size
    assert ("stated_size" in item.manifest[0].extra) == (stated in ("1.2 MB", "12 kB", "", -1, [1]))


def test_a_dataset_inside_a_graph_and_a_single_distribution_are_read() -> None:
    script = (
        '{"@graph": [{"@type": "WebPage"}, {"@type": ["Thing", "http://schema.org/Dataset"],'
        ' "distribution": {"contentUrl": "https://x.example/a.csv"}}]}'
    )
    body = f'<html><script type="application/ld+json; charset=utf-8">{script}</script>'.encode()
    assert item_of(PAGE, body=body).manifest[0].path == "a.csv"


def test_checksums_of_other_vocabularies_are_read() -> None:
    download = data_download(
        FILES[0],
        "a.csv",
        sha256=None,
        checksum={
            "algorithm": "http://spdx.org/rdf/terms#checksumAlgorithm_md5",
            "checksumValue": FILES[0].md5,
        },
    )
    item = item_of(PAGE, body=linked_page({"distribution": [download]}))
    assert item.manifest[0].md5 == FILES[0].md5


def test_an_address_is_one_file_however_often_it_is_named() -> None:
    item = item_of(PAGE, body=linked_page({"distribution": [*DOWNLOADS, DOWNLOADS[0]]}))
    assert [each.path for each in item.manifest] == ["a.csv", "b.zip"]


def test_signposting_names_files_in_headers_and_elements() -> None:
    body = (
        b'<html><head><title>Data</title><meta name="citation_title" content="Gauge data">'
        b'<meta name="citation_doi" content="10.1594/PANGAEA.884028">'
        b'<meta name="DC.rights" content="CC-BY-3.0">'
        b'<link rel="item" href="/x/b.nc" type="application/x-netcdf"></head></html>'
    )
    link = (
        '<https://doi.pangaea.de/10.1594/PANGAEA.884028?format=zip>; rel="item";'
        ' type="application/zip",'
        ' <https://doi.pangaea.de/m.json>;rel=describedby;type="application/json", <bad'
    )
    landing = web_page("https://doi.pangaea.de/10.1594/PANGAEA.884028", body, link=link)
    item = item_of("https://doi.pangaea.de/10.1594/PANGAEA.884028", page=landing)
    assert (item.platform_id, item.title, item.licence) == (
        "10.1594/pangaea.884028",
        "Gauge data",
        "CC-BY-3.0",
    )
    assert [(each.path, each.mimetype, each.size) for each in item.manifest] == [
        ("PANGAEA.884028", "application/zip", None),
        ("b.nc", "application/x-netcdf", None),
    ]
    assert item.metadata["describedby"] == ["https://doi.pangaea.de/m.json"]


def test_files_that_are_too_many_for_a_header_stand_in_the_link_set() -> None:
    link = '<https://x.example/d/linkset>; rel="linkset"; type="application/linkset+json"'
    landing = web_page("https://x.example/d", linked_page({"name": "Many"}), link=link)
    items = [{"href": f"/files/{each}.csv", "type": "text/csv"} for each in range(40)]
    given = {
        "https://x.example/d/linkset": {
            "linkset": [
                {"anchor": "https://x.example/d", "item": [*items, items[0], {"href": "ftp://x"}]},
                {"anchor": "https://x.example/files/0.csv", "item": [{"href": "/no.csv"}]},
            ]
        }
    }
    item = item_of("https://x.example/d", given, page=landing)
    assert (item.file_count, item.manifest[1].path) == (40, "1.csv")
    assert item.manifest[1].platform_url == "https://x.example/files/1.csv"
    bad = {"https://x.example/d/linkset": {"linkset": {}}}
    assert status_of("https://x.example/d", bad, page=landing) is Stopped.SCHEMA_CHANGED


def test_a_page_that_only_cites_is_no_dataset() -> None:
    body = b'<html><head><meta name="citation_title" content="A paper"></head></html>'
    assert status_of("https://journal.example/a", body=body) is Stopped.NO_PLATFORM_MATCH
    assert status_of("https://doi.example/10.2210/pdb6ls2/pdb") is Stopped.NO_PLATFORM_MATCH


def test_a_dataset_without_files_says_so() -> None:
    stop = stop_of(PAGE, body=linked_page({"name": "Occurrences"}))
    assert stop.status is Stopped.EMPTY_MANIFEST
    assert stop.message == f"{PAGE}: the page describes a dataset, and names no file of it"
    closed = linked_page({"name": "x", "isAccessibleForFree": False})
    assert status_of(PAGE, body=closed) is Stopped.RESTRICTED


def test_addresses_that_are_none_are_no_files() -> None:
    bad = [
        data_download(FILES[0], each) for each in ("ftp://x/a", "javascript:x()", "http://[", "")
    ]
    assert status_of(PAGE, body=linked_page({"distribution": bad})) is Stopped.EMPTY_MANIFEST
    item = item_of(PAGE, body=linked_page({"distribution": [*bad, *DOWNLOADS]}))
    assert item.file_count == 2


@pytest.mark.parametrize(
    "host", ["www.gbif.org", "doi.pangaea.de", "plutof.ut.ee", "www.plate-archive.org"]
)
def test_hosts_that_are_no_good_for_articles_are_good_for_data(host: str) -> None:
    assert matched(f"https://{host}/dataset/1", linked_page({"distribution": DOWNLOADS}))


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"\xff\xfe", b"<html><script type='application/ld+json'>{"]
)
def test_a_page_that_cannot_be_read_is_no_dataset(body: bytes) -> None:
    landing = Page(PAGE, 200, {"content-type": "text/html"}, body)
    assert status_of(PAGE, page=landing) is Stopped.NO_PLATFORM_MATCH


# Addresses that are files


def file_at(address: str, body: bytes = b"a,b\n", **headers: str) -> Page:
    """What is served there, with its length."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return Page(address, 200, {"content-length": str(len(body))} | named, body)


def test_an_address_that_is_a_file_is_a_set_of_one() -> None:
    address = "https://files.rcsb.example/download/6ls2.cif.gz"
    served = file_at(address, content_type="application/gzip", content_md5=content_md5(b"a,b\n"))
    item = item_of(address, page=served)
    assert (item.platform, item.platform_id, item.file_count) == ("direct", address, 1)
    file = item.manifest[0]
    assert (file.path, file.size, file.mimetype) == ("6ls2.cif.gz", 4, "application/gzip")
    assert file.md5 == DataFile("x", b"a,b\n").md5
    assert file.platform_url == address
    assert item.archiveorg_item_name == "files.rcsb.example-download_6ls2.cif.gz"


def test_a_file_has_the_name_that_its_server_gives() -> None:
    address = "https://x.example/get?id=7"
    served = file_at(
        address, content_type="text/csv", content_disposition='attachment; filename="Two words.csv"'
    )
    assert item_of(address, page=served).manifest[0].path == "Two words.csv"
    bare = "https://x.example/"
    assert item_of(bare, page=file_at(bare, content_type="text/csv")).manifest[0].path == "file"


def test_the_length_of_an_encoded_answer_is_not_the_files() -> None:
    address = "https://x.example/a.csv"
    served = file_at(address, content_type="text/csv", content_encoding="gzip")
    assert item_of(address, page=served).manifest[0].size is None


def test_a_file_without_a_type_is_known_by_its_first_bytes() -> None:
    address = "https://x.example/a"
    assert item_of(address, page=file_at(address)).platform == "direct"
    page = file_at(address, b"  <!DOCTYPE html><html></html>")
    assert status_of(address, page=page) is Stopped.NO_PLATFORM_MATCH


def test_an_empty_file_is_legal_and_an_error_is_none() -> None:
    address = "https://x.example/empty.csv"
    item = item_of(address, page=file_at(address, b"", content_type="text/csv"))
    assert item.manifest[0].size == 0
    refused = Page(address, 404, {"content-type": "text/csv"}, b"")
    assert status_of(address, page=refused) is Stopped.NO_PLATFORM_MATCH
