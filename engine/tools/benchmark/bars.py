"""Limits that a measured value must reach, and the comparison."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isfinite

from engine.core.json_types import Plain


@dataclass(frozen=True)
class Bar:
    """A measured value with its limit.

    Attributes
    ----------
    name : measured quantity
    value : measured value
    bar : limit
    way : "at least", "at most", "calculated limit" of a rate, or "calculated" without a verdict
    unit : unit of both; empty for a ratio
    """

    name: str
    # Value and limit have the same unit, which the report prints once
    value: float
    bar: float
    way: str
    unit: str = ""

    @property
    def passed(self) -> bool:
        """True if the value reaches the limit; False for NaN."""
        if self.way == "calculated":
            return isfinite(self.value)
        # NaN compares as false in both directions, so it never passes
        return self.value >= self.bar if self.way == "at least" else self.value <= self.bar

    def as_row(self) -> Plain:
        """Return JSON values with the verdict."""
        return asdict(self) | {"passed": self.passed}


def at_least(name: str, value: float, bar: float, unit: str = "") -> Bar:
    """Return a lower limit.

    Parameters
    ----------
    name
        measured quantity
    value
        measured value
    bar
        least acceptable value
    unit
        unit of both; empty for a ratio
    """
    return Bar(name, value, bar, "at least", unit)


def at_most(name: str, value: float, bar: float, unit: str = "") -> Bar:
    """Return an upper limit.

    Parameters
    ----------
    name
        measured quantity
    value
        measured value
    bar
        largest acceptable value
    unit
        unit of both; empty for a ratio
    """
    return Bar(name, value, bar, "at most", unit)


def below_limit(name: str, rate: float, limit: float, unit: str) -> Bar:
    """Return the calculated limit of a rate.

    A rate above it shows that operations were counted wrongly, or that the limit is wrong.

    Parameters
    ----------
    name
        measured quantity
    rate
        measured rate
    limit
        highest rate of the device, calculated
    unit
        unit of both
    """
    return Bar(name, rate, limit, "calculated limit", unit)


def next_to(name: str, value: float, calculated: float, unit: str) -> Bar:
    """Return a measured value next to a calculated one, without a verdict.

    Parameters
    ----------
    name
        measured quantity
    value
        measured value
    calculated
        expected value
    unit
        unit of both
    """
    return Bar(name, value, calculated, "calculated", unit)
