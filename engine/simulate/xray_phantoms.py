"""Phantoms for X-rays, attenuation only (LPS: +x left, +y back, +z up).

Left and right, front and back, top and bottom differ, so that a mirrored image is noticed.
"""

from __future__ import annotations

from typing import Literal

from engine.core.checked import checked
from engine.geometry.grid import Point
from engine.simulate.phantom import ShapePhantom
from engine.simulate.phantoms import scaled
from engine.simulate.shapes import Cylinder, Ellipsoid, sphere

Contrast = Literal["low", "high"]

_DENTINE, _ENAMEL, _PULP, _FILLING = 0.11, 0.19, 0.027, 0.55
"""Attenuation at about 45 keV, rounded [1/mm]."""

_SHEPP_LOGAN: tuple[tuple[Point, Point, float, float, float], ...] = (
    ((0.0, 0.0, 0.0), (0.69, 0.92, 0.9), 0.0, 2.0, 2.0),
    ((0.0, 0.0, 0.0), (0.6624, 0.874, 0.88), 0.0, -0.98, -0.8),
    ((-0.22, 0.0, -0.25), (0.41, 0.16, 0.21), 108.0, -0.02, -0.2),
    ((0.22, 0.0, -0.25), (0.31, 0.11, 0.22), 72.0, -0.02, -0.2),
    ((0.0, 0.35, -0.25), (0.21, 0.25, 0.5), 0.0, 0.02, 0.2),
    ((0.0, 0.1, -0.25), (0.046, 0.046, 0.046), 0.0, 0.02, 0.2),
    ((-0.08, -0.65, -0.25), (0.046, 0.023, 0.02), 0.0, 0.01, 0.1),
    ((0.06, -0.65, -0.25), (0.046, 0.023, 0.02), 90.0, 0.01, 0.1),
    ((0.06, -0.105, 0.625), (0.056, 0.04, 0.1), 90.0, 0.02, 0.2),
    ((0.0, 0.1, 0.625), (0.056, 0.056, 0.1), 0.0, -0.02, -0.2),
)
"""Centre, half axes, rotation about z [deg], density at low and at high contrast."""


@checked(
    positive=(
        "scale_mm",
        "per_mm",
    )
)
def shepp_logan(
    *, scale_mm: float = 100.0, per_mm: float = 1.0, contrast: Contrast = "low"
) -> ShapePhantom:
    """Return the head of Shepp and Logan in three dimensions.

    Parameters
    ----------
    scale_mm
        length of one unit of the table [mm]; at 100 the head is 184 mm long from front to back
    per_mm
        attenuation of density 1 [1/mm]; 0.02 gives a realistic head
    contrast
        "low": the brain differs by 1 % (Kak & Slaney, Principles of Computerized Tomographic
        Imaging, 1988, p. 102); "high": by 10 % (Koay et al., MRM 58 (2007) 430)
    """
    # Only attenuation is set: these phantoms are for X-rays.
    shapes = tuple(
        Ellipsoid(centre, half, mu_per_mm=per_mm * (low, high)[contrast == "high"], turn_deg=turn)
        for centre, half, turn, low, high in _SHEPP_LOGAN
    )
    return ShapePhantom("Shepp-Logan", scaled(shapes, scale_mm))


@checked(positive=("scale",))
def tooth(*, scale: float = 1.0) -> ShapePhantom:
    """Return a molar of 12 × 10 × 21 mm, crown up, for a beam of about 45 keV.

    Contents: a crown of enamel on dentine with a pulp, two roots, the left one longer, a
    filling at the back left of the crown, a pit at the front right, a crack in front, and a bubble
    in the left root.

    Parameters
    ----------
    scale
        factor of all sizes; materials stay the same
    """
    shapes = (
        # crown, z from 0 to 8
        Cylinder((0, 0, 4), (6, 5, 4), mu_per_mm=_ENAMEL),
        Cylinder((0, 0, 3), (4.8, 3.9, 3), mu_per_mm=_DENTINE - _ENAMEL),
        Ellipsoid((0, 0.3, 1.8), (2.4, 1.6, 1.6), mu_per_mm=_PULP - _DENTINE),
        Ellipsoid((2.4, 2, 7), (1.3, 1.1, 0.95), mu_per_mm=_FILLING - _ENAMEL, turn_deg=20),
        Ellipsoid((-2.2, -1.4, 7.1), (1.2, 0.5, 0.85), mu_per_mm=-_ENAMEL, turn_deg=-30),
        Ellipsoid((-1.5, -2.4, 3.8), (0.06, 1.0, 1.6), mu_per_mm=-_DENTINE, turn_deg=25),
        # neck, down to −3
        Cylinder((0, 0, -1.5), (4.8, 3.9, 1.5), mu_per_mm=_DENTINE),
        Ellipsoid((0, 0.3, -1.5), (1.6, 0.9, 1.4), mu_per_mm=_PULP - _DENTINE),
        # roots, down to −13 and −10
        Cylinder((2.6, 0, -8), (1.9, 2.8, 5), mu_per_mm=_DENTINE),
        Cylinder((2.6, 0, -7.5), (0.4, 0.8, 4), mu_per_mm=_PULP - _DENTINE),
        sphere((2.6, 1.8, -11), 0.6, mu_per_mm=-_DENTINE),
        Cylinder((-2.7, 0.4, -6.5), (1.7, 2.5, 3.5), mu_per_mm=_DENTINE),
        Cylinder((-2.7, 0.4, -6.2), (0.3, 0.6, 3), mu_per_mm=_PULP - _DENTINE),
    )
    return ShapePhantom("tooth", scaled(shapes, scale))
