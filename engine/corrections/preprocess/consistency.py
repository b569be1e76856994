"""Check that views match their angles, from the path of the object's shadow.

In a parallel beam, a view at angle θ has moments in s, the distance from the axis on the detector,

∫ p(θ, s) sᵏ ds = ∫ f(x, y) (x cos θ + y sin θ)ᵏ dx dy,

which are polynomials of degree k in cos θ and sin θ (Ludwig, Comm Pure Appl Math 19 (1966) 49;
Helgason, The Radon Transform, 1999, ch. I). The moment of degree 0 is the same in all views, so the
centre of the shadow, moment 1 over moment 0, follows a single sine wave. In a fan beam the distance
between object and source varies, which adds harmonics. Each is smaller than the previous one by
about the ratio of the object's radius to the distance from source to axis.

Metal, scatter and noise bend the path, so a bend proves nothing. With wrong angles the path jumps
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

MIN_VIEWS: dict[Fault, int] = {"jump": 90, "order": 40}
"""Smallest number of views from which a fault can be recognised."""
MIN_COLUMNS = 3
"""Fewest columns from which noise can be estimated."""
PERIODS = {"parallel": 1, "cone": 3}
"""Number of harmonics in the path."""
OBJECT_PART = 0.05
"""Threshold of the shadow, as a fraction of the largest line integrals."""
MIN_MASS = 0.1
"""Smallest sum of a shadow, relative to the median view."""
MIN_OFF_NOISE = 8.0
"""Smallest deviation of views from the path, in standard deviations of the noise,"""
MIN_OFF: dict[Fault, float] = {"jump": 0.5, "order": 0.3}
"""in columns,"""
MIN_OFF_SPREAD: dict[Fault, float] = {"jump": 0.005, "order": 0.002}
"""as a fraction of the shadow's standard deviation about its centre,"""
MIN_OFF_MOVED: dict[Fault, float] = {"jump": 0.5, "order": 0.05}
"""and as a fraction of the movement of the centre. All four must be exceeded."""
JUMPS = 0.7
"""Mean square step from angle to angle, relative to that of independent positions."""
BETTER = 3.0
"""Factor by which the order of views must explain the path better than their angles."""
RANGES_RAD = np.linspace(np.pi / 2, 2 * np.pi, 13)
"""Angular ranges that are tried for views in order."""


def doubt_of_angles(scan: Projections) -> str | None:
    """Return a sentence if line integrals do not match their angles.

    Views without a shadow, before the object or after the beam, are ignored.

    Parameters
    ----------
    scan
        line integrals of all views

    Returns
    -------
    doubt_of_angles
        None if they match or if that cannot be decided: few views, no circular orbit, or an object
        wider than the detector
    """
    geometry = scan.geometry
    is_small = scan.n_views < min(MIN_VIEWS.values()) or scan.shape[2] < MIN_COLUMNS
    if is_small or not geometry.is_circular:
        return None
    # Outside the plane of the source, cone-beam rays leave the slice and the moments do not hold.
    rows = _level_rows(geometry)
    if rows is None or any(cut_sides(scan.values[:, rows])):
        return None
    path = _path(scan.values[:, rows].mean(axis=1, dtype=np.float64), PERIODS[geometry.beam])
    if path is None:
        return None
    angles = geometry.angles_rad
    # Test for jumps first: shuffled views would also fail the test of their order.
    off = path.off(angles)
    if path.is_fault("jump", off) and path.jumps(angles):
        return (
            "The views do not match their angles: the centre of the shadow jumps from "
            f"one angle to the next, with a deviation of {off:.2g} pixels (rms) from "
            "its path. Check that views and angles are in the same order."
        )
    if not path.is_fault("order", off) or _is_even_turn(angles):
        return None
    # Moving the object or the wrong range keeps the order. Fit 13 ranges and compare the best one.
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
    middle : (n_seen,) centre of the shadow in each of them
    spread : mean standard deviation of a shadow about its centre
    noise : standard deviation of the centre caused by pixel noise
    periods : number of harmonics in a turn
    """

    seen: Array
    middle: Array
    spread: float
    noise: float
    periods: int

    def off(self, angles_rad: Array) -> float:
        """Return the root mean square residual after the fit of the harmonics, for these angles."""
        turns = range(1, self.periods + 1)
        waves = [wave(k * angles_rad[self.seen]) for k in turns for wave in (np.cos, np.sin)]
        terms = np.stack([np.ones_like(self.middle), *waves], axis=1)
        # Repeated angles make the fit degenerate; rcond drops those directions.
        best = np.linalg.lstsq(terms, self.middle, rcond=1e-9)[0]
        return _rms(self.middle - terms @ best)

    def is_fault(self, fault: Fault, off: float) -> bool:
        """Return True if the deviation exceeds all limits of this fault."""
        return len(self.middle) >= MIN_VIEWS[fault] and off > max(
            MIN_OFF[fault],
            MIN_OFF_NOISE * self.noise,
            MIN_OFF_SPREAD[fault] * self.spread,
            MIN_OFF_MOVED[fault] * float(self.middle.std()),
        )

    def jumps(self, angles_rad: Array) -> bool:
        """Return True if neighbours differ as much as any two views (von Neumann's ratio)."""
        # Independent values have a mean square difference of 2 σ² between neighbours.
        steps = np.diff(self.middle[np.argsort(angles_rad[self.seen], kind="stable")])
        return bool(np.square(steps).mean() > JUMPS * 2 * self.middle.var())


def _path(rows: Array, periods: int) -> _Path | None:
    """Return the path of the shadow in (n_views, n_columns) integrals.

    None if few views have one.
    """
    # Second differences cancel the slope of the object, so only pixel noise remains. Their standard
    # deviation is √6 that of the pixels.
    sigma = np.median(np.abs(np.diff(rows, n=2, axis=1)), axis=0) / (0.6745 * np.sqrt(6))
    sigma = np.pad(sigma, 1, mode="edge")
    # A threshold removes the noise of air, which would pull the centre towards the middle column.
    rows = np.where(rows > OBJECT_PART * np.quantile(rows, 0.999), rows, 0)
    columns, mass = np.arange(rows.shape[1]), rows.sum(axis=1)
    seen = np.flatnonzero((mass > 0) & (mass > MIN_MASS * np.median(mass)))
    if len(seen) < min(MIN_VIEWS.values()):
        return None
    rows, mass = rows[seen], mass[seen]
    middle = rows @ columns / mass
    away = columns - middle[:, None]
    spread = np.sqrt((rows * away**2).sum(axis=1) / mass)
    noise = np.sqrt(((sigma * away) ** 2 * (rows > 0)).sum(axis=1)) / mass
    return _Path(seen, middle, float(spread.mean()), _rms(noise), periods)


def _level_rows(geometry: XrayGeometry) -> slice | None:
    """Return the rows whose rays stay in one transaxial plane; None if there are none."""
    if geometry.beam == "parallel":
        return slice(None)
    row, n_rows = float(geometry.axis_seen[:, 1].mean()), geometry.shape[0]
    if not -1 <= row <= n_rows:
        return None
    nearest = int(np.clip(round(row), 0, n_rows - 1))
    return slice(max(nearest - 1, 0), nearest + 2)


def _is_even_turn(angles_rad: Array) -> bool:
    """Return True if views go round in their order, once at most, in even steps."""
    turned = np.unwrap(angles_rad)
    steps = np.diff(turned)
    is_even = np.ptp(steps) < abs(np.median(steps))
    return bool(is_even and np.ptp(turned) <= 2 * np.pi)


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))
