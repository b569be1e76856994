"""Whether a form is faster than the shipped one: paired runs, and how sure their median is.

Both run in turn, so that whatever else the machine does meets both. The ratio of the times of a
pair is one sample; the median m of n samples is uncertain by

m ± 1.58 IQR / √n

IQR being the distance between the quartiles: about 95 % (McGill, Tukey and Larsen, The American
Statistician 32 (1978) 12).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

NOTCH = 1.58
LEAST_PAIRS, PAIRS = 5, 15
"""Pairs after which a form may be given up, and those that are run before one is believed."""
WORTH = 0.99
"""A form must take less than this part of the shipped one's time: less cannot be noticed."""

STEADY = 0.03
"""Reach of the interval beyond which nothing is believed: a machine with other work is slow in
spells, which pairs that follow one another share, and the interval knows of no spells."""


@dataclass(frozen=True)
class Comparison:
    """Time of a form over that of the shipped one: median, and the ends of its interval."""

    ratio: float
    low: float
    high: float
    pairs: int

    @property
    def is_faster(self) -> bool:
        """Whether the form is faster beyond the noise."""
        return self.pairs >= PAIRS and self._is_steady and self.high < WORTH

    @property
    def is_unsure(self) -> bool:
        """Whether the form looks faster, and the machine was too unsteady to tell."""
        return self.pairs >= PAIRS and not self._is_steady and self.ratio < WORTH

    @property
    def _is_steady(self) -> bool:
        return self.high - self.low <= 2 * STEADY

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Comparison:
        """Return what samples say."""
        first, middle, last = np.percentile(ratios, (25, 50, 75)).tolist()
        reach = NOTCH * (last - first) / sqrt(len(ratios))
        return cls(middle, middle - reach, middle + reach, len(ratios))


def compare(
    form: Callable[[], float],
    shipped: Callable[[], float],
    may_go_on: Callable[[], bool],
) -> Comparison | None:
    """Time both in turn; None where it was stopped before much could be said.

    Parameters
    ----------
    form, shipped
        run once, and return their time [s]
    may_go_on
        asked before each pair
    """
    ratios: list[float] = []
    for pair in range(PAIRS):
        if not may_go_on():
            break
        # who goes first changes: neither is always the one that finds the caches cold
        if pair % 2:
            of_shipped, of_form = shipped(), form()
        else:
            of_form, of_shipped = form(), shipped()
        ratios.append(of_form / of_shipped)
        # given up early, never believed early: looking often would else find noise in the end
        if pair + 1 >= LEAST_PAIRS and Comparison.of(ratios).low > WORTH:
            break
    return Comparison.of(ratios) if len(ratios) >= LEAST_PAIRS else None
