"""What gaps between the crystals of a ring leave of the lines, by bin and angle to the axis.

Boxes that each face the axis touch at their faces at most, and behind them wedges are open. Photons
that come along a wedge, as on lines through the axis, pass less crystal than those that cross it:
lines near the axis count up to some percent less than their neighbours, which an image turns into
ten times as much in its middle. For bin t and angle θ to the axis the part that is left is

    q = ∫∫ P1 P2 ds dφ / (p² E(c)² / d),    P = exp(−μ' b / sin θ) (1 − exp(−μ' a / sin θ))

over all rays of a plane, at s from the axis and in direction φ: a is the way through the crystal
itself, b that through its neighbours before it, by tracing. Below it stands the same for crystals
without gaps (`engine.geometry.line_efficiency`): pitch p, E(c) = c (1 − exp(−μ' L / (c sin θ))) at
mean places of detection d apart, c = cos(π t / n). Between places u and v on the tangents at both
crystals, r apart, ds dφ = cos α cos β / r du dv. The integral is the mean over a Fibonacci lattice
(Niederreiter, 1992, section 5), whose error is below 0.1 %.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.geometry.line_efficiency import CrystalDepth

FIBONACCI = (10946, 17711)
"""Neighbours among Fibonacci's numbers: step and size of the lattice."""
N_ANGLES = 9
"""Angles to the axis that are traced; others lie between them."""
NO_WAY = 1e-9

Values = NDArray[np.float64]


class CrystalRing(NamedTuple):
    """Boxes on a ring, each facing the axis; crystal 0 on the x axis.

    Attributes
    ----------
    n : how many
    width_mm : of each of them, across [mm]
    radius_mm : from the axis to the mean place of detection [mm]
    depth : from face to back, and of what
    """

    n: int
    width_mm: float
    radius_mm: float
    depth: CrystalDepth

    @property
    def face_mm(self) -> float:
        """From the axis to the faces [mm]."""
        return self.radius_mm - self.depth.mean_mm


def gap_factor(
    ring: CrystalRing, apart_mm: NDArray[np.floating], n_bins: int
) -> NDArray[np.float32]:
    """Return q of lines by how far apart their rings are and by their bin.

    Parameters
    ----------
    ring
        the crystals
    apart_mm
        (n_apart,) distances of rings [mm]
    n_bins
        bins t, from 0 on

    Returns
    -------
    (n_apart, n_bins) float32
    """
    across_mm = 2 * ring.radius_mm * np.cos(np.pi * np.arange(n_bins) / ring.n)
    sines = across_mm / np.hypot(across_mm, apart_mm[:, None])
    traced = np.linspace(sines.min(), 1.0, N_ANGLES)
    parts = traced_parts(ring, n_bins, traced)
    found = [np.interp(sines[:, t], traced, parts[t]) for t in range(n_bins)]
    return np.stack(found, axis=1).astype(np.float32)


def traced_parts(ring: CrystalRing, n_bins: int, sines: Values) -> Values:
    """Return q (n_bins, n_angles) for some sin θ by tracing; see `gap_factor`."""
    thickness = ring.depth.removal_per_mm / sines
    pitch = 2 * math.pi * ring.radius_mm / ring.n
    parts = np.empty((n_bins, len(sines)))
    for t in range(n_bins):
        c = math.cos(math.pi * t / ring.n)
        stopped = -np.expm1(-thickness * ring.depth.depth_mm / c)
        slab = (pitch * c * stopped) ** 2 / (2 * ring.radius_mm * c)
        parts[t] = _pairs(ring, t, thickness) / slab
    return parts


def _pairs(ring: CrystalRing, t: int, thickness: Values) -> Values:
    """∫∫ P1 P2 ds dφ of crystal 0 and the one t beyond its opposite, for each thickness [mm]."""
    pitch = 2 * math.pi * ring.radius_mm / ring.n
    # a ray may come in through the neighbours, the farther off the more it is tilted
    reach = 0.8 * pitch + ring.depth.depth_mm * math.tan(math.pi * t / ring.n)
    near = math.ceil(2 * reach / pitch) + 1
    u, v = (2 * _lattice() - 1) * reach
    far = ring.n // 2 + t
    turn = 2 * math.pi * far / ring.n
    here = np.stack([np.full_like(u, ring.radius_mm), u])
    there = _turned(np.stack([np.full_like(v, ring.radius_mm), v]), turn)
    r = np.hypot(*(here - there))
    way = (here - there) / r
    cosines = way[0] * -_turned(way, -turn)[0]
    middle = (here + there) / 2
    before, inside = _ways(ring, middle, way, 0, near)
    some = inside > NO_WAY
    far_before, far_inside = _ways(ring, middle[:, some], -way[:, some], far, near)
    density = (cosines / r)[some] * (2 * reach) ** 2 / len(u)
    outside = before[some] + far_before
    both = np.empty_like(thickness)
    for m, mu in enumerate(thickness):
        stopped = np.expm1(-mu * inside[some]) * np.expm1(-mu * far_inside)
        both[m] = density @ (np.exp(-mu * outside) * stopped)
    return both


def _ways(
    ring: CrystalRing, start: Values, way: Values, place: int, near: int
) -> tuple[Values, Values]:
    """Ways of rays (2, n) through a crystal's neighbours before it, and through itself [mm]."""
    enter, leave = _crossing(ring, start, way, place)
    before = np.zeros_like(enter)
    for k in (*range(-near, 0), *range(1, near + 1)):
        first, last = _crossing(ring, start, way, place + k)
        before += np.maximum(np.minimum(last, enter) - first, 0)
    return before, np.maximum(leave - enter, 0)


def _crossing(ring: CrystalRing, start: Values, way: Values, place: int) -> tuple[Values, Values]:
    """Ways along rays to where they enter and leave a crystal; the wrong way round if never."""
    angle = -2 * math.pi * place / ring.n
    (out, side), (d_out, d_side) = _turned(start, angle), _turned(way, angle)
    d_side = np.where(np.abs(d_side) < NO_WAY, NO_WAY, d_side)
    enter, leave = (ring.face_mm - out) / d_out, (ring.face_mm + ring.depth.depth_mm - out) / d_out
    left, right = (-ring.width_mm / 2 - side) / d_side, (ring.width_mm / 2 - side) / d_side
    first, last = (
        np.maximum(enter, np.minimum(left, right)),
        np.minimum(leave, np.maximum(left, right)),
    )
    return first, last


def _turned(points: Values, angle: float) -> Values:
    """Points (2, n), turned about the axis."""
    c, s = math.cos(angle), math.sin(angle)
    return np.stack([c * points[0] - s * points[1], s * points[0] + c * points[1]])


def _lattice() -> Values:
    """(2, n) places in the unit square that lie evenly."""
    step, size = FIBONACCI
    k = np.arange(size)
    return np.stack([(k + 0.5) / size, (k * step % size + 0.5) / size])
