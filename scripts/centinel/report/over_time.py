"""How a source stood over time: what it published, what was kept of it, and how it lived."""

from dataclasses import dataclass

MOST_POINTS = 200


@dataclass(frozen=True)
class Moment:
    """One time: how many addresses were published, kept, and in which state.

    The states are those of the addresses that were published then, and are never added together.
    """

    at: str
    published: int | None
    """None where no snapshot had been taken."""
    kept: int
    """Published addresses of which bytes had been kept, whatever they answered since."""
    live: int
    gone: int
    blocked: int
    error: int
    never_asked: int


@dataclass(frozen=True)
class OverTime:
    """At most `MOST_POINTS` of the times at which there is something to say, the oldest first."""

    points: tuple[Moment, ...] = ()
