"""Charts of how a source stood over time, as SVG that stands in a page by itself.

Drawn by Altair and vl-convert without a request: the figures are in the specification, and no other
address may be asked. The drawings hold nothing that a stranger wrote: words of ours, numbers, days.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from centinel.record import Json
from centinel.report.over_time import Moment, OverTime
from centinel.report.wording import counted, day, number

WIDTH, HEIGHT = 640, 200
"""Of the panels, in units of the drawing: the page scales it."""

FEW_POINTS = 40
"""Up to so many have a mark of their own on the line."""

SERIES: dict[str, tuple[str, list[int]]] = {
    "published": ("#6b7f9a", [6, 3]),
    "kept": ("#2b8a5c", [1, 0]),
    "live": ("#2b8a5b", [1, 0]),
    "never asked": ("#6b7f99", [2, 3]),
    "blocked": ("#d9480f", [1, 0]),
    "error": ("#b07d10", [6, 3]),
    "gone": ("#7a7f87", [2, 3]),
}
"""Colour and dashes of each line. The colours have a contrast of 3 to 1 on white and on black, and
no line is told from another by its colour alone. Each colour is of one line, which it gives its
class: `series never-asked`."""

INK = "#000001"
"""Stands for the colour of the text around the drawing."""

LINES = "#000002"
"""Stands for the same, faint."""


@dataclass(frozen=True)
class Chart:
    """A drawing, and what it shows in words."""

    name: str
    """`coverage` or `liveness`."""
    title: str
    description: str
    svg: Markup


def charts_of(over_time: OverTime) -> tuple[Chart, ...]:
    """Returns the charts; none where figures are known of fewer than two days.

    Within a day there is no course to see, and the first drawing takes most of a second.
    """
    points = [each for each in over_time.points if each.published is not None]
    if len({day(each.at) for each in points}) < 2:
        return ()
    return (_coverage(points), _liveness(points))


def _coverage(points: list[Moment]) -> Chart:
    title = "Published and kept over time"
    panels = [[("published", [each.published or 0 for each in points]), _series(points, "kept")]]
    return _chart("coverage", title, points, panels)


def _liveness(points: list[Moment]) -> Chart:
    """Two panels, since thousands that are live would hide the one that is blocked."""
    names = [["live", "never asked"], ["blocked", "error", "gone"]]
    panels = [[_series(points, name) for name in panel] for panel in names]
    return _chart("liveness", "Liveness over time", points, panels)


Series = tuple[str, list[int]]


def _series(points: Iterable[Moment], name: str) -> Series:
    return name, [getattr(each, name.replace(" ", "_")) for each in points]


def _chart(name: str, title: str, points: list[Moment], panels: list[list[Series]]) -> Chart:
    described = _described(points, [each for panel in panels for each in panel])
    drawn = _drawn(_specification([each.at for each in points], panels))
    return Chart(name, title, described, finished(drawn, name, title, described))


def _described(points: list[Moment], series: Iterable[Series]) -> str:
    """What the drawing shows, for those who do not see it."""
    least = any(each.at_least for each in points)
    ends = ", ".join(
        f"{name} {number(values[0])} then {number(values[-1])}" for name, values in series
    )
    said = f"From {day(points[0].at)} to {day(points[-1].at)}: {ends}."
    most = counted(max(each.published or 0 for each in points), least)
    return f"{said} The most that were published at once: {most}."


def _specification(at: list[str], panels: list[list[Series]]) -> Json:
    """Returns the Vega-Lite specification of panels, one below the other."""
    import altair as alt  # a quarter of a second, which only those pay who draw

    height = HEIGHT if len(panels) == 1 else HEIGHT * 2 // 3
    drawings = [
        _panel(at, panel, is_last=panel is panels[-1]).properties(width=WIDTH, height=height)
        for panel in panels
    ]
    whole = alt.vconcat(*drawings).resolve_scale(color="independent", strokeDash="independent")
    ink = {"labelColor": INK, "titleColor": INK, "labelFontSize": 12, "titleFontSize": 12}
    specification: Json = (
        whole.configure(background="transparent")
        .configure_view(stroke=None)
        .configure_axis(**ink, domainColor=LINES, tickColor=LINES, gridColor=LINES)
        .configure_legend(**ink)
        .to_dict()
    )
    return specification


def _panel(at: list[str], panel: list[Series], *, is_last: bool) -> Any:
    """Lines over the same times; only the last panel names these."""
    import altair as alt

    names = [name for name, _ in panel]
    colours, dashes = zip(*(SERIES[name] for name in names), strict=True)
    values = [
        {"at": moment, "series": name, "count": count}
        for name, counts in panel
        for moment, count in zip(at, counts, strict=True)
    ]
    times = alt.Axis(title=None, grid=False, labelOverlap=True, labels=is_last, tickCount=8)
    ticks = min(5, max(1, *(count for _, counts in panel for count in counts)))
    counts = alt.Axis(title="addresses", format=",d", tickCount=ticks)
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", symbolSize=400)
    colour = alt.Scale(domain=names, range=list(colours))
    dash = alt.Scale(domain=names, range=list(dashes))
    return (
        alt.Chart(alt.InlineData(values=values))
        .mark_line(strokeWidth=2, point=len(at) <= FEW_POINTS)
        .encode(
            x=alt.X("at:T", scale=alt.Scale(type="utc"), axis=times),
            y=alt.Y("count:Q", axis=counts, scale=alt.Scale(domainMin=0, nice=True)),
            color=alt.Color("series:N", scale=colour, legend=legend),
            strokeDash=alt.StrokeDash("series:N", scale=dash),
        )
    )


def _drawn(specification: Json) -> str:
    """Returns the drawing; nothing is fetched for it."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(specification, allowed_base_urls=[])
    return drawn


_DROPPED = ("aria-label", "aria-roledescription", "aria-hidden", "role", "font-family", "class")
"""The drawing is one picture to a screen reader; its letters are those of the page."""


def finished(svg: str, name: str, title: str, description: str) -> Markup:
    """Returns a drawing as it can stand in a page: without a size, with its title and description,
    its lines of classes, its ink that of the text around it."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(svg.encode(), parser)
    colours = {colour: each for each, (colour, _) in SERIES.items()}
    for element in list(root.iter(etree.Element)):
        _strip(element, _DROPPED)
        _coloured(element, colours)
    _strip(root, ("width", "height", "version"))
    identifiers = {tag: f"chart-{name}-{tag}" for tag in ("title", "desc")}
    root.set("role", "img")
    root.set("class", "chart")
    root.set("aria-labelledby", " ".join(identifiers.values()))
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = etree.Element(f"{{{root.nsmap[None]}}}{tag}", id=identifiers[tag])
        element.text = text
        root.insert(place, element)
    etree.cleanup_namespaces(root)
    return Markup(etree.tostring(root, encoding="unicode"))  # noqa: S704 (escaped by lxml)


def _strip(element: Any, attributes: Iterable[str]) -> None:
    for attribute in attributes:
        if attribute in element.attrib:
            del element.attrib[attribute]


def _coloured(element: Any, colours: dict[str, str]) -> None:
    for attribute in ("fill", "stroke"):
        colour = element.get(attribute)
        if colour in (INK, LINES):
            element.set(attribute, "currentColor")
            if colour == LINES:
                element.set("opacity", "0.25")
        elif colour in colours:
            element.set("class", f"series {colours[colour].replace(' ', '-')}")
