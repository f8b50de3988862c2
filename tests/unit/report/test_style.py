"""The style: what is drawn can be told from what it is drawn on, in each scheme and on paper."""

import re
from itertools import combinations

import pytest

from centinel.report.pages import TEMPLATES

STYLE = (TEMPLATES / "style.css").read_text("utf-8")
LIGHT, DARK, PAPER = re.findall(r":root \{(.*?)\}", STYLE, re.S)

TEXT = (
    ("ink", ("paper", "panel", "wash", "notice-wash", "urgent-wash")),
    ("soft", ("paper", "panel")),
    ("accent", ("paper", "panel", "wash", "notice-wash", "urgent-wash")),
    ("ok", ("panel",)),
    ("notice", ("paper", "notice-wash")),
    ("urgent", ("paper", "urgent-wash")),
    ("paper", ("urgent",)),
)
"""What is written, and on what: 4.5 to 1, WCAG 2.2, 1.4.3 (AA)."""

DRAWN = (("edge", ("paper", "panel")), ("accent", ("line",)))
"""Edges of fields and bars: 3 to 1, WCAG 2.2, 1.4.11."""

TOGETHER = (("live", "never-asked"), ("blocked", "error", "gone"), ("published", "kept"))
"""Lines of charts that stand in one panel."""

DEFICIENCIES = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
"""How colours look to those who see fewer of them, in linear RGB: Machado, Oliveira and Fernandes,
A Physiologically-based Model for Simulation of Color Vision Deficiency, 2009."""

Colour = tuple[float, float, float]


def scheme(block: str) -> dict[str, Colour]:
    """The variables of a scheme that are colours, as linear RGB (IEC 61966-2-1)."""
    found = {**variables(LIGHT), **variables(block)}
    return {name: linear(value) for name, value in found.items()}


def variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): #([0-9a-f]+);", block))


def linear(text: str) -> Colour:
    full = text if len(text) == 6 else "".join(each * 2 for each in text)
    parts = [int(full[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return red, green, blue


def luminance(colour: Colour) -> float:
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True))


def contrast(one: Colour, other: Colour) -> float:
    """As WCAG 2 defines it."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(colour: Colour) -> Colour:
    """CIE 1976 L*a*b*, for white of D65."""
    rows = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    x, y, z = (
        _cube_root(max(sum(a * b for a, b in zip(row, colour, strict=True)), 0) / level)
        for row, level in zip(rows, white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _cube_root(value: float) -> float:
    return value ** (1 / 3) if value > 0.008856 else 7.787 * value + 16 / 116


def seen(colour: Colour, deficiency: str) -> Colour:
    red, green, blue = (
        min(max(sum(a * b for a, b in zip(row, colour, strict=True)), 0), 1)
        for row in DEFICIENCIES[deficiency]
    )
    return red, green, blue


SCHEMES = {"light": LIGHT, "dark": DARK, "paper": PAPER}


@pytest.mark.parametrize("name", SCHEMES)
def test_what_is_written_can_be_read(name: str) -> None:
    colours = scheme(SCHEMES[name])
    for pairs, least in ((TEXT, 4.5), (DRAWN, 3.0)):
        poor = [
            (ink, ground, round(contrast(colours[ink], colours[ground]), 2))
            for ink, grounds in pairs
            for ground in grounds
            if contrast(colours[ink], colours[ground]) < least
        ]
        assert poor == []


@pytest.mark.parametrize("name", SCHEMES)
def test_lines_of_charts_stand_out_from_the_page(name: str) -> None:
    colours = scheme(SCHEMES[name])
    series = [each for each in colours if each.startswith("series-")]
    assert len(series) == 7
    assert [each for each in series if contrast(colours[each], colours["paper"]) < 3] == []


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("name", SCHEMES)
def test_lines_of_one_chart_are_told_apart(name: str, deficiency: str) -> None:
    colours = scheme(SCHEMES[name])
    for panel in TOGETHER:
        for one, other in combinations(panel, 2):
            pair = [lab(seen(colours[f"series-{each}"], deficiency)) for each in (one, other)]
            distance = sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) ** 0.5
            assert distance > 15, (one, other, distance)


def test_a_level_is_told_by_its_word_and_its_shape() -> None:
    macros = (TEMPLATES / "macros.html.j2").read_text("utf-8")
    assert "{{ mark(each.level) }} {{ level_words[each.level] }}" in macros
    assert len(set(re.findall(r"<path d=\"(M[^\"]+)\"/>|<circle class=\"line\"", macros))) == 3
