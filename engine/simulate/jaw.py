"""Jaw phantom for X-rays, attenuation only, at about 65 keV (LPS: +x left, +y back, +z up).

It has both rows of teeth with bone, spine, throat and tongue. Left and right, front and back, top
and bottom differ: the lower left first molar is an implant, the upper right second premolar has a
filling, a wisdom tooth at the lower right is horizontal, and the bone below the lower left canine
has a cyst.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, degrees, hypot, pi, radians, sin

import numpy as np

from engine.core.checked import checked
from engine.geometry.grid import Point
from engine.simulate.phantom import ShapePhantom
from engine.simulate.phantoms import scaled
from engine.simulate.shapes import Cylinder, Ellipsoid, Shape, rod, sphere

SOFT, SPONGY, COMPACT, PULP, DENTINE, ENAMEL = 0.0195, 0.028, 0.046, 0.021, 0.05, 0.085
TITANIUM, FILLING = 0.16, 0.22
"""Attenuation [1/mm]; SPONGY is the inside and COMPACT the outside of bone."""

_HALF_WIDTH_MM, _DEPTH_MM, _BACK_MM = 26.0, 42.0, 6.0
"""Dental arch: a half ellipse with straight extensions to the back from y = `_BACK_MM`."""
_SEGMENTS = 44
"""Segments of the bone along the half ellipse."""


@dataclass(frozen=True)
class _Row:
    """One row of teeth: 1 upper or −1 lower, and widths of crowns from front to back [mm]."""

    up: int
    widths_mm: tuple[float, ...]
    bone_mm: tuple[float, float]
    """Half thickness and half height of the bone."""
    bone_z_mm: float
    behind_mm: float
    """Length of the straight bone behind the arch."""


_DEPTHS_MM = (6.2, 6.4, 7.6, 8.2, 8.6, 10.2, 10.0)
"""Depths of crowns across the arch, from front to back [mm]."""
_UPPER = _Row(1, (8.4, 6.6, 7.6, 6.8, 6.6, 10.0, 9.4), (6.2, 8.5), 21.5, 10.0)
_LOWER = _Row(-1, (5.4, 5.9, 6.8, 7.0, 7.1, 10.8, 10.4), (6.2, 12.5), -25.0, 26.0)
_IMPLANT, _FILLED = 5, 4
"""Index of two teeth from the front: lower left and upper right."""


@checked(positive=("scale",))
def jaw(*, scale: float = 1.0) -> ShapePhantom:
    """Return the part of a head between neck and nose, 124 mm wide; the teeth meet at z = 0.

    Parameters
    ----------
    scale
        factor of all sizes; materials stay the same
    """
    shapes = (*_head(), *_bone(_UPPER), *_bone(_LOWER), *_teeth(_UPPER), *_teeth(_LOWER))
    return ShapePhantom("jaw", scaled((*shapes, *_troubles()), scale))


def _head() -> list[Shape]:
    """Return skin, throat, the air above the tongue, and the spine with its canal."""
    return [
        Cylinder((0, 4, 0), (62, 56, 150), mu_per_mm=SOFT),
        Ellipsoid((2, 29, 4), (13, 5, 70), mu_per_mm=-SOFT),
        Ellipsoid((0, -9, 9), (15, 17, 3), mu_per_mm=-SOFT),
        Cylinder((0, 44, 0), (10, 7, 150), mu_per_mm=COMPACT - SOFT),
        Cylinder((0, 44, 0), (8.5, 5.5, 150), mu_per_mm=SPONGY - COMPACT),
    ]


def _bone(row: _Row) -> list[Shape]:
    """Return the bone along the arch as straight segments, compact outside."""
    # Equal steps of the tangent's direction make the segments short where the arch bends most.
    leans = np.linspace(-pi / 2, pi / 2, _SEGMENTS + 1)
    t = np.arctan(np.tan(leans) * _HALF_WIDTH_MM / _DEPTH_MM)
    ends = [_on_arch(float(angle)) for angle in t]
    back = _BACK_MM + row.behind_mm
    ends = [(-_HALF_WIDTH_MM, back), *ends, (_HALF_WIDTH_MM, back)]
    thick, high = row.bone_mm
    shapes: list[Shape] = []
    for (x1, y1), (x2, y2) in pairwise(ends):
        place = ((x1 + x2) / 2, (y1 + y2) / 2, row.bone_z_mm)
        half, turn = hypot(x2 - x1, y2 - y1) / 2, degrees(atan2(y2 - y1, x2 - x1)) - 90
        # The inner cylinder replaces compact by spongy bone and leaves a wall of 1.8 mm.
        for wall, value in ((0.0, COMPACT - SOFT), (1.8, SPONGY - COMPACT)):
            size = (thick - wall, high - wall, half)
            shapes.append(Cylinder(place, size, mu_per_mm=value, turn_deg=turn, tilt_deg=90))
    return shapes


def _teeth(row: _Row) -> list[Shape]:
    shapes: list[Shape] = []
    for left in (1, -1):
        for i, width in enumerate(row.widths_mm):
            # The implant has no root and is added by `_troubles`.
            if (row, left, i) == (_LOWER, 1, _IMPLANT):
                continue
            x, y, turn = _along(_path_mm(row, i))
            # A gap of 0.4 mm separates neighbouring crowns.
            size = (width / 2 - 0.2, _DEPTHS_MM[i] / 2)
            shapes += _tooth((left * x, y), size, left * turn, row.up, molar=i > 4)
    return shapes


def _tooth(
    place: tuple[float, float], half: tuple[float, float], turn: float, up: int, *, molar: bool
) -> list[Shape]:
    """Return a tooth with its crown next to z = 0; `half` is along and across the arch [mm]."""
    (x, y), (a, b) = place, half

    def part(low: float, high: float, size: float, mu: float, by: float = 0.0) -> Ellipsoid:
        lean = radians(turn)
        return Ellipsoid(
            (x + by * cos(lean), y + by * sin(lean), up * (low + high) / 2),
            (size * a, size * b, (high - low) / 2),
            mu_per_mm=mu,
            turn_deg=turn,
        )

    shapes: list[Shape] = [
        part(0.2, 10.4, 1.0, ENAMEL - SOFT),
        part(2.0, 10.3, 0.74, DENTINE - ENAMEL),
    ]
    # Molars have two thin roots, other teeth one thick root.
    roots = ((-0.42 * a, 0.36), (0.42 * a, 0.36)) if molar else ((0.0, 0.66),)
    for by, size in roots:
        shapes.append(part(7.5, 23.0, size, DENTINE - SPONGY, by))
        shapes.append(part(5.0, 22.0, 0.25 * size, PULP - DENTINE, by))
    return shapes


def _troubles() -> list[Shape]:
    """Return implant, filling, wisdom tooth and cyst."""
    x, y, _ = _along(_path_mm(_LOWER, _IMPLANT))
    implant = [
        rod((x, y, -17.5), 4.4, 11, mu_per_mm=TITANIUM - SPONGY),
        rod((x, y, -10.4), 3.2, 3.2, mu_per_mm=TITANIUM - SOFT),
        Ellipsoid((x, y, -4.6), (5.0, 4.6, 4.2), mu_per_mm=ENAMEL - SOFT, turn_deg=80),
    ]
    x, y, turn = _along(_path_mm(_UPPER, _FILLED))
    filling = Ellipsoid((-x, y, 2.2), (1.6, 2.0, 1.6), mu_per_mm=FILLING - ENAMEL, turn_deg=-turn)
    x, y, _ = _along(sum(_LOWER.widths_mm) + 9)
    wisdom = [
        Ellipsoid((-x, y, -21.0), (3.8, 7.5, 3.9), mu_per_mm=ENAMEL - SPONGY, tilt_deg=-14),
        Ellipsoid((-x, y + 1.2, -21.3), (2.6, 5.6, 2.7), mu_per_mm=DENTINE - ENAMEL, tilt_deg=-14),
    ]
    x, y, _ = _along(15.0)
    return [*implant, filling, *wisdom, sphere((x, y, -30.0), 7, mu_per_mm=PULP - SPONGY)]


def _path_mm(row: _Row, i: int) -> float:
    """Return the path length along the arch from the front to the centre of a tooth [mm]."""
    return sum(row.widths_mm[:i]) + row.widths_mm[i] / 2


def _on_arch(t: float) -> tuple[float, float]:
    """Return the point (x, y) of the half ellipse [mm]; t = 0 is the front."""
    return _HALF_WIDTH_MM * sin(t), _BACK_MM - _DEPTH_MM * cos(t)


def _along(along_mm: float) -> Point:
    """Return (x, y) [mm] on the left half of the arch at a path length, and the direction [deg]."""
    # An arc length of an ellipse has no closed form, so it is summed over short chords.
    t = np.linspace(0, pi / 2, 1001)
    x, y = _HALF_WIDTH_MM * np.sin(t), _BACK_MM - _DEPTH_MM * np.cos(t)
    path_mm = np.concatenate([[0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    if along_mm > path_mm[-1]:
        return _HALF_WIDTH_MM, _BACK_MM + along_mm - float(path_mm[-1]), 90.0
    t0 = float(np.interp(along_mm, path_mm, t))
    turn = degrees(atan2(_DEPTH_MM * sin(t0), _HALF_WIDTH_MM * cos(t0)))
    # The direction of the tangent, from the derivative of the ellipse.
    return *_on_arch(t0), turn
