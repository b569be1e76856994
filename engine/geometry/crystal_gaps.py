"""Effect of the gaps between the crystals of a ring on its lines, by bin and angle to the axis.

Boxes that face the axis touch at most at their faces, and wedges are open behind them. Photons
along a wedge, as on lines through the axis, pass less crystal than photons that cross it. Lines
near the axis lose up to some percent compared with their neighbours, and an image amplifies this
about ten times in its centre. For bin t and angle θ to the axis the remaining share is

    q = ∫∫ P1 P2 ds dφ / (p² E(c)² / d),    P = exp(−μ' b / sin θ) (1 − exp(−μ' a / sin θ))

over all rays of a plane at distance s from the axis and direction φ. a is the path through the
crystal itself, b the path through its neighbours before it, both traced. The denominator is the
same for crystals without gaps (`engine.geometry.line_efficiency`): pitch p, E(c) = c (1 − exp(−μ' L
/ (c sin θ))), mean points of detection d apart, c = cos(π t / n). With points u and v on the
tangents at both crystals, r apart, ds dφ = cos α cos β / r du dv. The integral is the mean over a
Fibonacci lattice (Niederreiter, 1992, section 5), with an error below 0.1 %.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.geometry.line_efficiency import CrystalDepth

FIBONACCI = (10946, 17711)
"""Two neighbouring Fibonacci numbers: step and size of the lattice."""
N_ANGLES = 9
"""Number of traced angles to the axis; others are interpolated."""
MIN_PATH = 1e-9

Values = NDArray[np.float64]


class CrystalRing(NamedTuple):
    """Boxes on a ring, each facing the axis; crystal 0 is on the x axis.

    Attributes
    ----------
    n : number of crystals
    width_mm : transaxial width of a crystal [mm]
    radius_mm : from the axis to the mean point of detection [mm]
    depth : depth and material of a crystal
    """

    n: int
    width_mm: float
    radius_mm: float
    depth: CrystalDepth

    @property
    def face_mm(self) -> float:
        """Distance from the axis to the faces [mm]."""
        return self.radius_mm - self.depth.mean_mm


def gap_factor(
    ring: CrystalRing, distance_mm: NDArray[np.floating], n_bins: int
) -> NDArray[np.float32]:
    """Return q by ring distance and bin.

    Parameters
    ----------
    ring
        the crystals
    distance_mm
        (n_apart,) distances of rings [mm]
    n_bins
        number of bins t, from 0 on

    Returns
    -------
    (n_apart, n_bins) float32
    """
    # Length of the chord between the two crystals of bin t, without the axial part.
    across_mm = 2 * ring.radius_mm * np.cos(np.pi * np.arange(n_bins) / ring.n)
    sines = across_mm / np.hypot(across_mm, distance_mm[:, None])
    # q is smooth in sin θ, so a few traced angles and linear interpolation suffice.
    traced = np.linspace(sines.min(), 1.0, N_ANGLES)
    parts = traced_parts(ring, n_bins, traced)
    found = [np.interp(sines[:, t], traced, parts[t]) for t in range(n_bins)]
    return np.stack(found, axis=1).astype(np.float32)


def traced_parts(ring: CrystalRing, n_bins: int, sines: Values) -> Values:
    """Trace q for some angles; see `gap_factor`.

    Parameters
    ----------
    ring
        the crystals
    n_bins
        number of bins
    sines
        (n_angles,) sin θ

    Returns
    -------
    (n_bins, n_angles)
    """
    # A tilted ray has a path longer by 1 / sin θ; it is included in the attenuation.
    thickness = ring.depth.removal_per_mm / sines
    pitch = 2 * math.pi * ring.radius_mm / ring.n
    parts = np.empty((n_bins, len(sines)))
    for t in range(n_bins):
        c = math.cos(math.pi * t / ring.n)
        stopped = -np.expm1(-thickness * ring.depth.depth_mm / c)
        # The same integral for an endless slab without gaps, in closed form. The ratio cancels
        # errors of the lattice that both share.
        slab = (pitch * c * stopped) ** 2 / (2 * ring.radius_mm * c)
        parts[t] = _pairs(ring, t, thickness) / slab
    return parts


def _pairs(ring: CrystalRing, t: int, thickness: Values) -> Values:
    """Return ∫∫ P1 P2 ds dφ of crystal 0 and the one t beyond its opposite.

    thickness : attenuation per mm along the ray, one for each angle
    """
    pitch = 2 * math.pi * ring.radius_mm / ring.n
    # a ray can enter through neighbours; a more tilted ray enters farther away
    reach = 0.8 * pitch + ring.depth.depth_mm * math.tan(math.pi * t / ring.n)
    # Number of neighbours on each side that a ray can touch before it enters the crystal.
    near = math.ceil(2 * reach / pitch) + 1
    u, v = (2 * _lattice() - 1) * reach
    far = ring.n // 2 + t
    turn = 2 * math.pi * far / ring.n
    here = np.stack([np.full_like(u, ring.radius_mm), u])
    there = _turned(np.stack([np.full_like(v, ring.radius_mm), v]), turn)
    r = np.hypot(*(here - there))
    path = (here - there) / r
    # Product of both obliquities: the Jacobian from points on the tangents to rays.
    cosines = path[0] * -_turned(path, -turn)[0]
    middle = (here + there) / 2
    before, inside = _path_lengths(ring, middle, path, 0, near)
    # Only rays through the first crystal are traced through the second one.
    some = inside > MIN_PATH
    far_before, far_inside = _path_lengths(ring, middle[:, some], -path[:, some], far, near)
    density = (cosines / r)[some] * (2 * reach) ** 2 / len(u)
    outside = before[some] + far_before
    both = np.empty_like(thickness)
    for m, mu in enumerate(thickness):
        stopped = np.expm1(-mu * inside[some]) * np.expm1(-mu * far_inside)
        both[m] = density @ (np.exp(-mu * outside) * stopped)
    return both


def _path_lengths(
    ring: CrystalRing, start: Values, path: Values, place: int, near: int
) -> tuple[Values, Values]:
    """Return the path lengths of rays (2, n) before a crystal, in its neighbours, and in it."""
    enter, leave = _crossing(ring, start, path, place)
    before = np.zeros_like(enter)
    for k in (*range(-near, 0), *range(1, near + 1)):
        first, last = _crossing(ring, start, path, place + k)
        # Only the part of a neighbour before the entry attenuates; behind it the photon has
        # stopped.
        before += np.maximum(np.minimum(last, enter) - first, 0)
    return before, np.maximum(leave - enter, 0)


def _crossing(ring: CrystalRing, start: Values, path: Values, place: int) -> tuple[Values, Values]:
    """Return where rays enter and leave a crystal [mm]; entry after exit if they miss it."""
    angle = -2 * math.pi * place / ring.n
    (out, side), (d_out, d_side) = _turned(start, angle), _turned(path, angle)
    # Avoids a division by zero for rays parallel to the sides.
    d_side = np.where(np.abs(d_side) < MIN_PATH, MIN_PATH, d_side)
    # Slab test: entry and exit through the faces, then through the sides of the box.
    enter, leave = (ring.face_mm - out) / d_out, (ring.face_mm + ring.depth.depth_mm - out) / d_out
    left, right = (-ring.width_mm / 2 - side) / d_side, (ring.width_mm / 2 - side) / d_side
    first, last = (
        np.maximum(enter, np.minimum(left, right)),
        np.minimum(leave, np.maximum(left, right)),
    )
    return first, last


def _turned(points: Values, angle: float) -> Values:
    """Return points (2, n) rotated about the axis."""
    c, s = math.cos(angle), math.sin(angle)
    return np.stack([c * points[0] - s * points[1], s * points[0] + c * points[1]])


def _lattice() -> Values:
    """Return evenly distributed points (2, n) in the unit square."""
    step, size = FIBONACCI
    k = np.arange(size)
    return np.stack([(k + 0.5) / size, (k * step % size + 0.5) / size])
