"""A figure that was asked for, and the one line that says whether it was reached."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Relation = Literal["<=", ">="]

_COMPARISONS: dict[str, Callable[[float, float], bool]] = {"<=": operator.le, ">=": operator.ge}
_DIGITS = range(3, 17)


@dataclass(frozen=True)
class Goal:
    """One measured value, and what was asked of it."""

    name: str
    value: float
    asked: float
    relation: Relation = "<="
    unit: str = ""

    @property
    def holds(self) -> bool:
        """Whether the value is what was asked for."""
        return self._is_reached_by(self.value)

    @property
    def line(self) -> str:
        """The one line of this goal."""
        verdict = "holds" if self.holds else "short"
        asked = f"asked {self.relation} {self._spoken(_figure(self.asked, 3))}"
        return f"goal: {self.name} = {self._spoken(self._shown())} ({asked}): {verdict}"

    def say(self) -> None:
        """Prints the line."""
        print(self.line, flush=True)

    def _shown(self) -> str:
        """The value in three digits, or in as many as it takes not to belie the verdict."""
        figures = (_figure(self.value, digits) for digits in _DIGITS)
        honest = (each for each in figures if self._is_reached_by(float(each)) == self.holds)
        return next(honest, repr(self.value))

    def _is_reached_by(self, value: float) -> bool:
        return _COMPARISONS[self.relation](value, self.asked)

    def _spoken(self, figure: str) -> str:
        return f"{figure} {self.unit}".rstrip()


def _figure(value: float, digits: int) -> str:
    """Returns a number in so many digits; all of those before the point."""
    before_point = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    return f"{value:.{max(digits, before_point)}g}"
