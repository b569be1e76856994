"""Scale scatter to the lines that miss the object.

Such a line counts only randoms r_j and scatter. With the simulated scatter S_j for its y_j counts
in their time bin (y is 1 for events) and the total ΣS of all such lines, the maximum-likelihood
scale α of the simulation solves

    Σ_j y_j S_j / (r_j + α S_j) = ΣS,

by the expectation maximisation α ← α / ΣS · Σ_j y_j S_j / (r_j + α S_j). Its standard error is 1 /
√(Σ_j y_j (S_j / (r_j + α S_j))²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

N_STEPS = 200
ENOUGH = 1e-6
MAX_ERROR = 0.1
"""Largest relative standard error of a scale that is used."""
PLAUSIBLE = (0.8, 1.3)
"""Range of plausible scales; outside it, the tails contain something else or lack counts."""


@dataclass(frozen=True)
class TailFit:
    """Scale of a scatter simulation.

    Attributes
    ----------
    scale : factor of the simulation; 1 if the tails have too few counts
    error : standard error of the fitted scale
    n_events : number of events on lines that miss the object
    is_used : True if the tails have enough counts
    """

    scale: float
    error: float
    n_events: int
    is_used: bool

    @property
    def is_plausible(self) -> bool:
        """True if the scale is within the range of real scans."""
        return PLAUSIBLE[0] <= self.scale <= PLAUSIBLE[1]

    def describe(self) -> str:
        """Return the scale as a clause with numbers."""
        if not self.is_used:
            return f"{self.n_events:,} events outside the object are too few to scale it"
        text = f"scaled by {self.scale:.2f} to {self.n_events:,} events outside the object"
        if self.is_plausible:
            return text
        low, high = PLAUSIBLE
        return f"{text}, outside {low:g} to {high:g}: check the μ-map and the randoms"


def fit_tails(
    scatter: NDArray[np.floating],
    randoms: NDArray[np.floating],
    total: float,
    counts: NDArray[np.floating] | None = None,
) -> TailFit:
    """Scale the simulation of the lines that miss the object to their events.

    Parameters
    ----------
    scatter
        (n,) simulated for the line and time bin of each event, or for each bin with counts
    randoms
        (n,) expected randoms in the same bins
    total
        simulated scatter in all such lines [counts]
    counts
        (n,) counts of each bin; None if each row is one event
    """
    y = np.ones(len(scatter)) if counts is None else counts.astype(np.float64)
    s, r = scatter.astype(np.float64), randoms.astype(np.float64)
    # Events where nothing can scatter to say nothing about the scale.
    seen = s > 0
    s, r, y = s[seen], r[seen], y[seen]
    n_events = round(float(y.sum()))
    if total <= 0 or n_events <= 0:
        return TailFit(1.0, np.inf, n_events, is_used=False)
    scale = 1.0
    # Expectation maximisation keeps the scale positive without a constraint.
    for _ in range(N_STEPS):
        before = scale
        scale = scale / total * float(np.sum(y * s / (r + scale * s)))
        if abs(scale - before) <= ENOUGH * before:
            break
    error = 1 / float(np.sqrt(np.sum(y * (s / (r + max(scale, 1e-9) * s)) ** 2)))
    # The floor keeps a scale near 0 from being rejected for its relative error.
    is_used = error <= MAX_ERROR * max(scale, PLAUSIBLE[0])
    return TailFit(scale if is_used else 1.0, error, n_events, is_used)
