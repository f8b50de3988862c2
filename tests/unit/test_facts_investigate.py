"""What earlier systems did not see before they collected (rows 20.2, 20.32 and 20.36)."""

from pathlib import Path

import pytest

from tests.sites.server import Answer, Site, sitemap
from tests.unit import listings
from tests.unit.investigating import XML, ask, front, prepare
from tests.unit.support import robots_of


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; requests are not paced."""
    return prepare(tmp_path, monkeypatch)


def test_addresses_that_only_a_script_holds_are_said(site: Site) -> None:
    meetings = ",".join(f'{{"id":{number},"name":"Council"}}' for number in range(61))
    front(site, f"<p>Meetings</p><script>var meetings=[{meetings}];</script>")
    found = ask(site)
    measures = found["measures"]
    assert (measures["links"], measures["characters"]) == (0, len("Meetings"))
    assert measures["script_share"] > 0.9
    said = [each for each in found["findings"] if "built at run time" in each]
    assert said == [f"script is {100 * measures['script_share']:.0f}% of the page: its addresses "
                    "may be built at run time"]  # fmt: skip
    assert found["blocks"] == []


def test_a_listing_keeps_its_measure_and_is_not_accused_of_it(site: Site) -> None:
    site.set("/data/", Answer(listings.APACHE_TABLE.encode(), "text/html"))
    site.set("/data/sub/", Answer(b"<title>Index of /data/sub</title>", "text/html"))
    listed = ask(site, "/data/")
    links = "".join(f'<li><a href="/{number}">Department {number}</a></li>' for number in range(9))
    front(site, f"<ul>{links}</ul>")
    menu = ask(site)
    shares = [each["measures"]["link_share"] for each in (listed, menu)]
    accused = [any("mostly links" in said for said in each["findings"]) for each in (listed, menu)]
    assert min(shares) > 0
    assert accused == [False, True]


def test_addresses_that_are_mostly_of_one_shape_are_said(site: Site) -> None:
    robots_of(site, {"Sitemap": "/map.xml"})
    venues = [f"{site.address}/venue/name-{'abcdefgh'[n % 8]}{n}x/" for n in range(80)]
    others = [f"{site.address}/about/page-{n}x" for n in range(20)]
    site.set("/map.xml", Answer(sitemap([*venues, *others]), XML))
    front(site)
    found = ask(site)
    shapes = {each["shape"]: each["count"] for each in found["shapes"]["shapes"]}
    assert shapes == {"/venue/*/": 80, "/about/*": 20}
    assert (
        "80% of the first 100 addresses have the shape /venue/*/: "
        "`exclude` leaves them out where they are not wanted"
    ) in found["findings"]
