"""Bars that a figure must reach, and whether it does."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from engine.core.json_types import Plain


@dataclass(frozen=True)
class Bar:
    """A figure with its bar.

    Attributes
    ----------
    name : what was measured
    value : the figure
    bar : what it must reach
    way : "at least" or "at most"
    unit : of both; empty for a ratio
    """

    name: str
    value: float
    bar: float
    way: str
    unit: str = ""

    @property
    def passed(self) -> bool:
        """Whether the figure reaches the bar; one that is not a number does not."""
        return self.value >= self.bar if self.way == "at least" else self.value <= self.bar

    def as_row(self) -> Plain:
        """Return plain values, with the verdict."""
        return asdict(self) | {"passed": self.passed}


def at_least(name: str, value: float, bar: float, unit: str = "") -> Bar:
    """Return a bar from below."""
    return Bar(name, value, bar, "at least", unit)


def at_most(name: str, value: float, bar: float, unit: str = "") -> Bar:
    """Return a bar from above."""
    return Bar(name, value, bar, "at most", unit)
