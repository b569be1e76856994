"""Decide if a variant is faster than the default, by paired runs and their median.

Both run alternately, so that other work on the machine affects both. The ratio of the times of a
pair is one sample. The median m of n samples has the uncertainty

    m ± 1.58 IQR / √n

with the interquartile range IQR: about 95 % (McGill, Tukey and Larsen, The American Statistician 32
(1978) 12).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

NOTCH = 1.58
MIN_PAIRS, PAIRS = 5, 15
"""Pairs after which a variant can be rejected, and pairs before one is accepted."""
WORTH = 0.99
"""A variant must take less than this share of the default's time; less is not noticeable."""

STEADY = 0.03
"""Half width of the interval above which no result is accepted. A machine with other work has slow
spells that affect consecutive pairs alike, which the interval does not include.
"""


@dataclass(frozen=True)
class Comparison:
    """Time of a variant relative to the default: median, and the limits of its interval."""

    ratio: float
    low: float
    high: float
    pairs: int

    @property
    def is_faster(self) -> bool:
        """True if the variant is significantly faster."""
        # The upper limit of the interval, so that noise alone is rarely accepted
        return self.pairs >= PAIRS and self._is_steady and self.high < WORTH

    @property
    def is_unsure(self) -> bool:
        """True if the variant seems faster, but the machine was too unsteady."""
        return self.pairs >= PAIRS and not self._is_steady and self.ratio < WORTH

    @property
    def _is_steady(self) -> bool:
        return self.high - self.low <= 2 * STEADY

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Comparison:
        """Return the comparison of samples.

        Parameters
        ----------
        ratios
            ratios of the times of pairs
        """
        # Quartiles ignore outliers by other programs
        first, middle, last = np.percentile(ratios, (25, 50, 75)).tolist()
        reach = NOTCH * (last - first) / sqrt(len(ratios))
        return cls(middle, middle - reach, middle + reach, len(ratios))


def compare(
    form: Callable[[], float],
    shipped: Callable[[], float],
    may_go_on: Callable[[], bool],
) -> Comparison | None:
    """Run both alternately.

    Parameters
    ----------
    form, shipped
        run the variant and the default once, and return their time [s]
    may_go_on
        called before each pair; False stops

    Returns
    -------
    comparison
        None if it was stopped after too few pairs
    """
    ratios: list[float] = []
    for pair in range(PAIRS):
        if not may_go_on():
            break
        # alternating order, so that cold caches affect both
        if pair % 2:
            of_shipped, of_form = shipped(), form()
        else:
            of_form, of_shipped = form(), shipped()
        ratios.append(of_form / of_shipped)
        # rejected early, but never accepted early: after many tests noise alone would be accepted
        if pair + 1 >= MIN_PAIRS and Comparison.of(ratios).low > WORTH:
            break
    return Comparison.of(ratios) if len(ratios) >= MIN_PAIRS else None
