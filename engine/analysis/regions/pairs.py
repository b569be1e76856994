"""Differences between the regions of an image with an error map, for reports and the command line.

The means of two regions are compared in each replicate (paired t test), so their correlation is
part of the error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.analysis.regions.errors import Difference, difference_within
from engine.analysis.regions.measuring import MeasuredRegion

MAX_REGIONS = 6
"""Regions that are compared; the number of pairs grows with its square."""


@dataclass(frozen=True)
class RegionPair:
    """Comparison of two regions of one image.

    Attributes
    ----------
    one, other : names of the regions
    difference : mean of `one` minus mean of `other`, with its error
    unit : unit of the difference
    """

    one: str
    other: str
    difference: Difference
    unit: str

    def verdict(self) -> str:
        """Return whether the means differ significantly, with the p value."""
        p = self.difference.p_value
        # Without noise there is nothing to test.
        if p != p:
            return "not tested"
        shown = "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
        return f"{'significant' if self.difference.is_significant else 'not significant'} ({shown})"


def compared(measured: Sequence[MeasuredRegion]) -> tuple[RegionPair, ...]:
    """Return the differences of all pairs among the first regions.

    Parameters
    ----------
    measured
        regions of one image, in their order

    Returns
    -------
    tuple of RegionPair
        pairs of the first `MAX_REGIONS` regions with errors; empty without an error map
    """
    found: list[RegionPair] = []
    known = [each for each in measured if each.errors is not None][:MAX_REGIONS]
    for one, other in combinations(known, 2):
        if one.figures is None or other.figures is None:
            continue
        if one.errors is None or other.errors is None:
            continue
        difference = difference_within(one.figures, other.figures, (one.errors, other.errors))
        found.append(RegionPair(one.region.name, other.region.name, difference, one.figures.unit))
    return tuple(found)


def limit_of(measured: Sequence[MeasuredRegion]) -> str:
    """Return a sentence if regions are left out of the comparison; "" otherwise.

    Parameters
    ----------
    measured
        regions of one image, in their order
    """
    n = sum(each.errors is not None for each in measured)
    if n <= MAX_REGIONS:
        return ""
    return f"Only the first {MAX_REGIONS} of {n} regions are compared in pairs."
