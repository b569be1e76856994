"""Check that views match their angles, from the path of the object's shadow.

In a parallel beam a view at angle θ has moments in s, the place on the detector from the axis,

∫ p(θ, s) sᵏ ds = ∫ f(x, y) (x cos θ + y sin θ)ᵏ dx dy,

polynomials of degree k in cos θ and sin θ (Ludwig, Comm Pure Appl Math 19 (1966) 49; Helgason,
The Radon Transform, 1999, ch. I). That of degree 0 is the same in all views, so the middle of the
shadow, moment 1 over moment 0, moves along one sine wave. In a fan the object comes nearer to the
source and goes away again: waves of more periods a turn join in, each smaller by about the ratio
of its radius to the distance from source to axis.

Metal, scatter and noise bend the path, so that a bend proves nothing. With wrong angles it jumps
from each angle to the next, or follows the order of the views but not their angles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.core.arrays import Array
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.recon.filtering.truncation import cut_sides

Fault = Literal["jump", "order"]

FEWEST_VIEWS: dict[Fault, int] = {"jump": 90, "order": 40}
"""From which a fault can be told."""
FEWEST_COLUMNS = 3
"""Fewest columns from which noise can be estimated."""
PERIODS = {"parallel": 1, "cone": 3}
"""Periods in a turn of the shortest wave in the path."""
OBJECT_PART = 0.05
"""Height of the shadow that counts, in parts of the largest line integrals."""
LEAST_MASS = 0.1
"""Least sum of a shadow, in parts of what is usual."""
LEAST_OFF_NOISE = 8.0
"""A path is wrong where views are farther from it than so many times what noise does to them,"""
LEAST_OFF: dict[Fault, float] = {"jump": 0.5, "order": 0.3}
"""than so many columns,"""
LEAST_OFF_SPREAD: dict[Fault, float] = {"jump": 0.005, "order": 0.002}
"""than this part of the shadow's spread about its middle,"""
LEAST_OFF_MOVED: dict[Fault, float] = {"jump": 0.5, "order": 0.05}
"""and than this part of what the middle moves."""
JUMPS = 0.7
"""Mean square step from angle to angle, over that of independent places."""
BETTER = 3.0
"""How much better than their angles the order of views must explain the path."""
RANGES_RAD = np.linspace(np.pi / 2, 2 * np.pi, 13)
"""Ranges of angle that are tried for views in order."""


def doubt_of_angles(scan: Projections) -> str | None:
    """Return a sentence where line integrals do not fit their angles; None where they do.

    None too where it cannot be told: few views, no circle, an object wider than the detector.
    Views without a shadow, before the object or after the beam, are not looked at.
    """
    geometry = scan.geometry
    is_small = scan.n_views < min(FEWEST_VIEWS.values()) or scan.shape[2] < FEWEST_COLUMNS
    if is_small or not geometry.is_circular:
        return None
    rows = _level_rows(geometry)
    if rows is None or any(cut_sides(scan.values[:, rows])):
        return None
    path = _path(scan.values[:, rows].mean(axis=1, dtype=np.float64), PERIODS[geometry.beam])
    if path is None:
        return None
    angles = geometry.angles_rad
    off = path.off(angles)
    if path.is_fault("jump", off) and path.jumps(angles):
        return (
            "The views do not match their angles: the centre of the shadow jumps from "
            f"one angle to the next, with a deviation of {off:.2g} pixels (rms) from "
            "its path. Check that views and angles are in the same order."
        )
    if not path.is_fault("order", off) or _go_round(angles):
        return None
    in_order = min(path.off(np.arange(scan.n_views) * (a / scan.n_views)) for a in RANGES_RAD)
    if off < BETTER * in_order:
        return None
    return (
        "The views do not match their angles: in the order of the views, the centre "
        f"of the shadow follows its path within {in_order:.2g} pixels (rms). At the "
        f"angles of the file it deviates by {off:.2g}. Check the angles, and that the "
        "object did not move."
    )


@dataclass(frozen=True)
class _Path:
    """Path of the centre of the shadow over the views [columns].

    Attributes
    ----------
    seen : (n_seen,) numbers of the views with a shadow
    middle : (n_seen,) of each of them
    spread : mean standard deviation of a shadow about its middle
    noise : standard deviation of the middle that the noise of pixels makes
    periods : periods of the shortest wave, in a turn
    """

    seen: Array
    middle: Array
    spread: float
    noise: float
    periods: int

    def off(self, angles_rad: Array) -> float:
        """Root mean square of what is left after the waves, with views at these angles."""
        turns = range(1, self.periods + 1)
        waves = [wave(k * angles_rad[self.seen]) for k in turns for wave in (np.cos, np.sin)]
        terms = np.stack([np.ones_like(self.middle), *waves], axis=1)
        best = np.linalg.lstsq(terms, self.middle, rcond=1e-9)[0]
        return _rms(self.middle - terms @ best)

    def is_fault(self, fault: Fault, off: float) -> bool:
        """Return True if so much is worth a word."""
        return len(self.middle) >= FEWEST_VIEWS[fault] and off > max(
            LEAST_OFF[fault],
            LEAST_OFF_NOISE * self.noise,
            LEAST_OFF_SPREAD[fault] * self.spread,
            LEAST_OFF_MOVED[fault] * float(self.middle.std()),
        )

    def jumps(self, angles_rad: Array) -> bool:
        """Return True if neighbours are as far apart as any views (von Neumann's ratio)."""
        steps = np.diff(self.middle[np.argsort(angles_rad[self.seen], kind="stable")])
        return bool(np.square(steps).mean() > JUMPS * 2 * self.middle.var())


def _path(rows: Array, periods: int) -> _Path | None:
    """Path of the shadow in line integrals (n_views, n_columns); None of one in few views."""
    # of second differences, whose standard deviation is √6 that of the pixels
    sigma = np.median(np.abs(np.diff(rows, n=2, axis=1)), axis=0) / (0.6745 * np.sqrt(6))
    sigma = np.pad(sigma, 1, mode="edge")
    rows = np.where(rows > OBJECT_PART * np.quantile(rows, 0.999), rows, 0)
    columns, mass = np.arange(rows.shape[1]), rows.sum(axis=1)
    seen = np.flatnonzero((mass > 0) & (mass > LEAST_MASS * np.median(mass)))
    if len(seen) < min(FEWEST_VIEWS.values()):
        return None
    rows, mass = rows[seen], mass[seen]
    middle = rows @ columns / mass
    away = columns - middle[:, None]
    spread = np.sqrt((rows * away**2).sum(axis=1) / mass)
    noise = np.sqrt(((sigma * away) ** 2 * (rows > 0)).sum(axis=1)) / mass
    return _Path(seen, middle, float(spread.mean()), _rms(noise), periods)


def _level_rows(geometry: XrayGeometry) -> slice | None:
    """Rows whose rays stay on one level; None where there are none."""
    if geometry.beam == "parallel":
        return slice(None)
    row, n_rows = float(geometry.axis_seen[:, 1].mean()), geometry.shape[0]
    if not -1 <= row <= n_rows:
        return None
    nearest = int(np.clip(round(row), 0, n_rows - 1))
    return slice(max(nearest - 1, 0), nearest + 2)


def _go_round(angles_rad: Array) -> bool:
    """Return True if views go round in their order, once at most, in even steps."""
    turned = np.unwrap(angles_rad)
    steps = np.diff(turned)
    is_even = np.ptp(steps) < abs(np.median(steps))
    return bool(is_even and np.ptp(turned) <= 2 * np.pi)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))
