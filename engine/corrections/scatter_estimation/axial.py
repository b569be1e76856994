"""Scale scatter along the axis to the lines that miss the object.

A separate scale for each group g of lines by the axial position z of their middle, α_g with the
standard error e_g (`engine.corrections.scatter_estimation.tails`), would follow the noise of few
counts. With the scale α of all lines, the groups differ beyond their errors by

    τ² = max(0, (Q − (G − 1)) / (Σ w − Σ w² / Σ w)),    w_g = 1 / e_g²,  Q = Σ w_g (α_g − α)²,

and each is shrunk towards α according to its error,

    α̂_g = α + τ² / (τ² + e_g²) · (α_g − α).

Between the middles of groups the scale is linear; beyond the outermost it is constant. If groups
differ by no more than their errors, τ is 0 and all have one scale (DerSimonian & Laird, Control
Clin Trials 7 (1986) 177).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.corrections.scatter_estimation.tails import PLAUSIBLE, TailFit, fit_tails

MAX_GROUPS = 8
MIN_EVENTS = 400
"""Events outside the object in each group: a standard error of 5 % without randoms."""


@dataclass(frozen=True, eq=False)
class TailEvents:
    """Rows that miss the object, and a sample of the lines that do.

    Attributes
    ----------
    at_mm, scatter, randoms, counts : (n,) for each row: axial position of the middle, simulated
        scatter, expected randoms, and counts
    lines_at_mm, lines_scatter : (m,) for each line of the sample
    lines_order : (m,) order of the lines along the axis; None if it is unknown
    """

    at_mm: NDArray[np.float64]
    scatter: NDArray[np.float32]
    randoms: NDArray[np.float32]
    counts: NDArray[np.float32]
    lines_at_mm: NDArray[np.float64]
    lines_scatter: NDArray[np.float32]
    lines_order: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class AxialScale:
    """Scale of a scatter simulation along the axis.

    Attributes
    ----------
    whole : fit to all lines
    at_mm : (n,) middles of groups of lines along the axis [mm]
    scales : (n,) scale of each group
    """

    whole: TailFit
    at_mm: NDArray[np.float64]
    scales: NDArray[np.float64]

    def at(self, z_mm: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return the scale of lines whose middle is at this axial position [mm]."""
        return np.interp(z_mm, self.at_mm, self.scales)

    @property
    def is_plausible(self) -> bool:
        """True if the scale is within the range of real scans at every position."""
        low, high = PLAUSIBLE
        return bool(low <= self.scales.min() and self.scales.max() <= high)

    def record(self) -> list[list[float]]:
        """Return pairs of axial position [mm] and scale, for the provenance."""
        return [[float(z), float(scale)] for z, scale in zip(self.at_mm, self.scales, strict=True)]

    def describe(self) -> str:
        """Return the scale and its range as a clause."""
        text, (least, most) = self.whole.describe(), (self.scales.min(), self.scales.max())
        if f"{least:.2f}" == f"{most:.2f}":
            return text
        text += f"; {least:.2f} to {most:.2f} along the axis"
        if self.is_plausible or not self.whole.is_plausible:
            return text
        low, high = PLAUSIBLE
        return f"{text}, outside {low:g} to {high:g}: check the μ-map and the randoms there"


def fit_along_axis(tails: TailEvents) -> AxialScale:
    """Scale a simulation to the lines that miss the object, in axial groups if counts allow.

    Parameters
    ----------
    tails
        rows and lines outside the object

    Returns
    -------
    along_axis
        a single scale if there are too few events for two groups
    """
    whole = fit_tails(
        tails.scatter, tails.randoms, float(np.sum(tails.lines_scatter, dtype=float)), tails.counts
    )
    n_groups = min(MAX_GROUPS, whole.n_events // MIN_EVENTS)
    # At least two groups with 400 events each; fewer would only add noise.
    if not whole.is_used or n_groups < 2:
        return AxialScale(whole, np.zeros(1), np.full(1, whole.scale))
    parts = (_fit_of(tails, low, high) for low, high in pairwise(_edges(tails, n_groups)))
    fits = [part for part in parts if part is not None]
    middles, scales, errors = (np.array(each) for each in zip(*fits, strict=True))
    return AxialScale(whole, middles, shrunk_to_mean(whole.scale, scales, errors))


def shrunk_to_mean(
    whole: float, scales: NDArray[np.float64], errors: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the scales of groups, each shrunk towards the common scale by its standard error.

    Parameters
    ----------
    whole
        scale of all groups
    scales
        (n,) scale of each group
    errors
        (n,) standard errors; ∞ for a group without enough counts
    """
    # An infinite error gives weight 0, so such a group takes the common scale.
    weights = 1 / errors**2
    total = weights.sum()
    spread = total - (weights**2).sum() / total if total > 0 else 0.0
    if spread <= 0:
        return np.full(len(scales), whole)
    q = float((weights * (scales - whole) ** 2).sum())
    between = max(0.0, (q - (np.count_nonzero(weights) - 1)) / spread)
    shares = between * weights / (between * weights + 1)
    found: NDArray[np.float64] = whole + shares * (scales - whole)
    return found


def _edges(tails: TailEvents, n_groups: int) -> NDArray[np.float64]:
    """Return the (n_groups + 1,) positions that divide the scatter of the lines evenly."""
    order = tails.lines_order
    if order is None:
        order = np.argsort(tails.lines_at_mm)
    # Equal scatter, not equal length: the ends of the scanner have few lines.
    so_far = np.cumsum(tails.lines_scatter[order], dtype=float)
    parts = np.searchsorted(so_far, so_far[-1] * np.arange(1, n_groups) / n_groups)
    inner = tails.lines_at_mm[order[parts]]
    return np.concatenate([[-np.inf], inner, [np.inf]])


def _fit_of(tails: TailEvents, low: float, high: float) -> tuple[float, float, float] | None:
    """Return a group's mean position, scale and standard error; None if it has no lines.

    The error is infinite if there are too few counts. Groups without lines occur between the planes
    of scanners with few rings.
    """
    rows = (tails.at_mm >= low) & (tails.at_mm < high)
    lines = (tails.lines_at_mm >= low) & (tails.lines_at_mm < high)
    weights = tails.lines_scatter[lines].astype(float)
    total = float(weights.sum())
    if total <= 0:
        return None
    fit = fit_tails(tails.scatter[rows], tails.randoms[rows], total, tails.counts[rows])
    at = float((tails.lines_at_mm[lines] * weights).sum() / total)
    return at, fit.scale, fit.error if fit.is_used else np.inf
