"""The charts: what they show, and that they can stand in any page and ask nobody."""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from lxml import etree

from centinel.report import charts
from centinel.report.charts import SERIES, Chart, charts_of, finished
from centinel.report.over_time import Moment, OverTime

SVG = "{http://www.w3.org/2000/svg}"
POINTS = tuple(
    Moment(f"2026-03-{day:02}T09:00:00.000000Z", 100 + day, day, day, 1, 2, 3, 94 + day - day)
    for day in range(1, 6)
)


@pytest.fixture(scope="module")
def drawn() -> tuple[Chart, ...]:
    return charts_of(OverTime(POINTS))


def root_of(chart: Chart) -> etree._Element:
    return etree.fromstring(chart.svg.encode())


@pytest.mark.parametrize(
    "points",
    [
        (),
        POINTS[:1],
        (POINTS[0], replace(POINTS[1], at="2026-03-01T21:00:00.000000Z")),
        (POINTS[0], Moment("2026-04-01", None, 0, 0, 0, 0, 0, 0)),
    ],
    ids=["none", "one", "one day", "one that is known"],
)
def test_less_than_two_days_are_not_drawn(points: tuple[Moment, ...]) -> None:
    assert charts_of(OverTime(points)) == ()


def test_there_is_one_of_coverage_and_one_of_liveness(drawn: tuple[Chart, ...]) -> None:
    assert [each.name for each in drawn] == ["coverage", "liveness"]


def test_words_say_what_a_chart_shows(drawn: tuple[Chart, ...]) -> None:
    assert drawn[0].description == (
        "From 2026-03-01 to 2026-03-05: published 101 then 105, kept 1 then 5. "
        "The most that were published at once: 105."
    )


def test_what_was_cut_is_at_least() -> None:
    cut = Moment("2026-03-07T09:00:00.000000Z", 7, 0, 0, 0, 0, 0, 7, at_least=True)
    assert charts_of(OverTime((POINTS[0], cut)))[0].description.endswith("at least 101.")


def test_each_has_its_title_its_description_and_a_size_that_the_page_gives(
    drawn: tuple[Chart, ...],
) -> None:
    for chart in drawn:
        root = root_of(chart)
        assert root.get("role") == "img"
        assert root.get("viewBox")
        assert root.get("width") is None
        assert root.get("height") is None
        named = root.get("aria-labelledby", "").split()
        found = {each.get("id"): each.text for each in root if each.get("id")}
        assert [found[each] for each in named] == [chart.title, chart.description]
    identifiers = re.findall(r' id="([^"]+)"', "".join(chart.svg for chart in drawn))
    assert len(identifiers) == len(set(identifiers)) == 4


def test_each_line_has_its_class_and_no_background_hides_the_page(
    drawn: tuple[Chart, ...],
) -> None:
    both = "".join(chart.svg for chart in drawn)
    for name in SERIES:
        assert f'class="series {name.replace(" ", "-")}"' in both
    colours = set(re.findall(r"#[0-9a-f]{3,6}\b", both))
    assert colours <= {colour for colour, _ in SERIES.values()}
    assert 'fill="white"' not in both


@pytest.mark.parametrize("name", SERIES)
def test_a_line_is_seen_on_white_and_on_black(name: str) -> None:
    luminance = luminance_of(SERIES[name][0])
    assert 1.05 / (luminance + 0.05) >= 3
    assert (luminance + 0.05) / 0.05 >= 3


def luminance_of(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_nothing_in_a_chart_is_run_or_fetched(drawn: tuple[Chart, ...]) -> None:
    for chart in drawn:
        tags = {etree.QName(each).localname for each in root_of(chart).iter(etree.Element)}
        assert tags <= {"svg", "title", "desc", "g", "path", "line", "text", "rect"}
        assert "http" not in chart.svg.replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"url\(|href|on[a-z]+=|font-family", chart.svg)


def test_hostile_words_stay_words() -> None:
    hostile = '</title><script>alert(1)</script><b onclick="x">'
    root = etree.fromstring(
        finished('<svg xmlns="http://www.w3.org/2000/svg"/>', "a", hostile, hostile).encode()
    )
    assert [(each.tag, each.text) for each in root] == [
        (f"{SVG}title", hostile),
        (f"{SVG}desc", hostile),
    ]


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """A server at which nobody should ask, and what it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"at,count\n2026-01-01,1\n")

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/a.csv", paths
    server.shutdown()
    server.server_close()
    thread.join()


def test_what_draws_asks_nobody(asked: tuple[str, list[str]]) -> None:
    address, paths = asked
    specification = charts._specification(["2026-01-01", "2026-01-02"], [[("live", [1, 2])]])
    specification["vconcat"][0]["data"] = {"url": address}
    with pytest.raises(ValueError, match="allowed"):
        charts._drawn(specification)
    assert paths == []
