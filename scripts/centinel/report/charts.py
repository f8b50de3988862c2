"""Charts of how a source stood over time, as SVG that stands in a page by itself."""

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True)
class Chart:
    """A drawing, and what it shows in words."""

    name: str
    """`coverage` or `liveness`."""
    title: str
    description: str
    svg: Markup
