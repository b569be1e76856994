"""Weights of rays that are measured twice, and the angular step of each view.

The ray of a view at angle β and fan angle γ is measured again at β + π + 2γ and −γ. β is the angle
of the source about the axis, γ the angle from the ray through the axis, both counter-clockwise. The
weights of both measurements of a ray add up to 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array

WHOLE_GAP = 3.5
"""Largest gap of a full circle, in usual gaps: two lost views do not open the circle."""
SAME_ANGLE = 1e-3
"""Views closer than this, in usual gaps, have the same angle."""


@dataclass(frozen=True)
class Coverage:
    """Angles of all views on a circle, and the angular step of each.

    Attributes
    ----------
    period_rad : angle after which views repeat: 2π, or π for parallel rays
    is_whole : True if no gap is much larger than the others
    range_rad : covered angle; the period if whole
    from_start_rad : (n_views,) angle of each view from the start of the range
    step_rad : (n_views,) half the gaps to both neighbours; they add up to the range
    typical_gap_rad, largest_gap_rad : angle from one view to the next, within the range
    n_repeated : number of views at the angle of another one
    """

    period_rad: float
    is_whole: bool
    range_rad: float
    from_start_rad: Array
    step_rad: Array
    typical_gap_rad: float
    largest_gap_rad: float
    n_repeated: int


def coverage(angles_rad: Array, period_rad: float = 2 * np.pi) -> Coverage:
    """Return the angular coverage of views in any order and any number of turns.

    Parameters
    ----------
    angles_rad
        (n_views,) angles of the views
    period_rad
        angle after which views repeat: 2π, or π for parallel rays
    """
    angles = np.mod(angles_rad, period_rad)
    order = np.argsort(angles, kind="stable")
    gaps = np.diff(angles[order], append=angles[order[0]] + period_rad)  # behind each view
    last = int(np.argmax(gaps))
    order, gaps = np.roll(order, -last - 1), np.roll(gaps, -last - 1)  # the largest gap last
    inner, largest = gaps[:-1], float(gaps[-1])
    # weighted by angle, not by number: a few repeated views hardly count
    typical_gap = _typical_gap(inner) if inner.max(initial=0) > 0 else period_rad
    is_whole = largest <= WHOLE_GAP * typical_gap
    edge = largest if is_whole else typical_gap  # angle of the views at the ends of the range
    behind = np.append(inner, edge)
    before = np.roll(behind, 1)
    from_start, step = np.empty(len(order)), np.empty(len(order))
    from_start[order] = edge / 2 + np.concatenate([[0.0], np.cumsum(inner)])
    step[order] = _shared((before + behind) / 2, gaps < SAME_ANGLE * typical_gap)
    return Coverage(
        period_rad,
        is_whole,
        float(behind.sum()),
        from_start,
        step,
        typical_gap,
        float(behind.max()),
        int(np.count_nonzero(gaps < SAME_ANGLE * typical_gap)),
    )


def _shared(step: Array, repeats_next: Array) -> Array:
    """Distribute steps evenly among views at one angle, so that each turn has the same weight."""
    # sorted by angle: a new angle begins after each view that the next one does not repeat
    angle = np.concatenate([[0], np.cumsum(~repeats_next[:-1])])
    mean: Array = np.bincount(angle, step) / np.bincount(angle)
    return mean[angle]


def _typical_gap(gaps: Array) -> float:
    """Return the gap for which smaller and larger gaps each cover half of the angle."""
    ordered = np.sort(gaps)
    filled = np.cumsum(ordered)
    return float(ordered[np.searchsorted(filled, filled[-1] / 2)])


def parker(from_start_rad: Array, fan_rad: Array, range_rad: float) -> Array:
    """Return the weights of a short scan over π + 2Γ; 1 for rays that are measured once.

    Parker, Med Phys 9 (1982) 254, as corrected by Kak & Slaney, with Γ from the range as in Silver,
    Med Phys 27 (2000) 959.

    Parameters
    ----------
    from_start_rad
        angle of the view from the start of the range
    fan_rad
        fan angle of the ray; both are broadcast
    range_rad
        covered angle
    """
    beta, gamma = np.broadcast_arrays(from_start_rad, fan_rad)
    excess = (range_rad - np.pi) / 2
    rise, fall = 2 * (excess - gamma), 2 * (excess + gamma)
    up = np.sin(np.pi / 2 * beta / np.where(rise > 0, rise, 1)) ** 2
    down = np.sin(np.pi / 2 * (range_rad - beta) / np.where(fall > 0, fall, 1)) ** 2
    return np.where(beta < rise, up, np.where(beta > range_rad - fall, down, 1.0))


def wang(across: Array, overlap: float) -> Array:
    """Return the weights of an offset detector over a full circle (Wang, Med Phys 29 (2002) 1634).

    Parameters
    ----------
    across
        distance or fan angle from the axis, positive on the long side of the detector
    overlap
        the same for the detector's edge on the short side

    Returns
    -------
    0 to 1, same shape as `across`
    """
    if overlap <= 0:
        return np.where(across > 0, 1.0, 0.0)
    return np.asarray(0.5 + 0.5 * np.sin(np.pi / 2 * np.clip(across / overlap, -1, 1)))
