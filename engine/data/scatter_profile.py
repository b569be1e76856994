"""Measured counts and expected scatter, for plots."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ScatterProfile:
    """Counts of lines by distance from the axis.

    Attributes
    ----------
    distance_mm : centres of the bins [mm]
    measured : prompts minus randoms [counts per mm]
    scatter : simulated scatter [counts per mm]
    """

    distance_mm: tuple[float, ...]
    measured: tuple[float, ...]
    scatter: tuple[float, ...]
