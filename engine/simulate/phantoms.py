"""Standard phantoms from exact shapes. Activity is relative.

Attenuation coefficients at 511 keV after NIST XCOM.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engine.core.checked import checked
from engine.geometry.grid import Point
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Cylinder, Shape, rod, sphere

# Water: μ/ρ = 0.096 cm²/g at 511 keV.
WATER_PER_MM = 0.0096
BONE_PER_MM = 0.0151
LUNG_PER_MM = 0.0027

RodAxis = Literal["z", "y"]

NEMA_SPHERES_MM = (10.0, 13.0, 17.0, 22.0, 28.0, 37.0)
"""Diameters of the spheres, NEMA NU 2."""
NEMA_RING_MM = 57.2
"""Distance of their centres from the axis, NEMA NU 2."""
DERENZO_RODS_MM = (2.4, 2.0, 1.7, 1.35, 1.0, 0.75)
"""Rod diameters in Chou et al., PLoS ONE 7 (2012) e50540, with a pitch of two diameters."""


@checked(positive=("diameter_mm",))
def point(
    x_mm: float = 0.0, y_mm: float = 0.0, z_mm: float = 0.0, *, diameter_mm: float = 1.0
) -> ShapePhantom:
    """Return a small sphere in air.

    Parameters
    ----------
    x_mm, y_mm, z_mm
        centre [mm]
    diameter_mm
        diameter [mm]

    Returns
    -------
    ShapePhantom
        the sphere, with activity 1 and no attenuation
    """
    return ShapePhantom("point source", (sphere((x_mm, y_mm, z_mm), diameter_mm, 1.0),))


@checked(
    positive=(
        "diameter_mm",
        "length_mm",
        "spacing_mm",
    )
)
def three_line_sources(
    *, diameter_mm: float = 2.0, length_mm: float = 150.0, spacing_mm: float = 50.0
) -> ShapePhantom:
    """Return three lines along z in air: one central, one towards +x, one towards −y.

    Van Gendt et al. use such a phantom for timing; the paper gives no sizes.

    Parameters
    ----------
    diameter_mm, length_mm
        size of each line [mm]
    spacing_mm
        distance of the second line from the axis [mm]; the third has twice this distance

    Returns
    -------
    ShapePhantom
        the lines, without attenuation
    """
    places = ((0.0, 0.0, 0.0), (spacing_mm, 0.0, 0.0), (0.0, -2 * spacing_mm, 0.0))
    lines = tuple(rod(place, diameter_mm, length_mm, 1.0) for place in places)
    return ShapePhantom("three line sources", lines)


@checked(
    positive=(
        "diameter_mm",
        "length_mm",
    ),
    finite=("centre_mm",),
)
def uniform_cylinder(
    *, diameter_mm: float = 200.0, length_mm: float = 200.0, centre_mm: Point = (0.0, 0.0, 0.0)
) -> ShapePhantom:
    """Return a cylinder of active water along z.

    Parameters
    ----------
    diameter_mm, length_mm
        size [mm]
    centre_mm
        centre (x, y, z) [mm]
    """
    body = rod(centre_mm, diameter_mm, length_mm, 1.0, WATER_PER_MM)
    return ShapePhantom("uniform cylinder", (body,))


def sphere_centres_mm(scale: float = 1.0) -> tuple[Point, ...]:
    """Return the centres of the six spheres of `cylinder_with_spheres`, the smallest first [mm]."""
    angles = np.deg2rad(60.0 * np.arange(len(NEMA_SPHERES_MM)))
    ring = scale * NEMA_RING_MM
    return tuple((float(ring * np.cos(a)), float(ring * np.sin(a)), 0.0) for a in angles)


@checked(
    positive=(
        "contrast",
        "scale",
    )
)
def cylinder_with_spheres(*, contrast: float = 4.0, scale: float = 1.0) -> ShapePhantom:
    """Return the NEMA NU 2 image-quality phantom: a body, six hot spheres, a cold lung insert.

    The body is an elliptic cylinder of activity 1. The sphere of 10 mm is towards +x, the larger
    ones follow towards +y.

    Parameters
    ----------
    contrast
        activity of the spheres over that of the body
    scale
        factor of all sizes; materials stay the same
    """
    body = Cylinder((0.0, 0.0, 0.0), (147.0, 114.0, 90.0), 1.0, WATER_PER_MM)
    lung = rod((0.0, 0.0, 0.0), 50.0, 180.0, -1.0, LUNG_PER_MM - WATER_PER_MM)
    hot = [
        # Shapes add up, so a sphere adds only the difference to the body.
        sphere(centre, diameter, contrast - 1)
        for centre, diameter in zip(sphere_centres_mm(), NEMA_SPHERES_MM, strict=True)
    ]
    return ShapePhantom("cylinder with spheres", scaled((body, lung, *hot), scale))


@dataclass(frozen=True)
class RodSector:
    """Equal parallel rods in a triangular pattern with a pitch of two diameters.

    Attributes
    ----------
    diameter_mm : diameter of a rod [mm]
    centres_mm : (n, 2) centres of the rods [mm]: (x, y) of rods along z, (x, z) of rods along y
    """

    diameter_mm: float
    centres_mm: tuple[tuple[float, float], ...]


def derenzo_sectors(
    rods_mm: tuple[float, ...] = DERENZO_RODS_MM, radius_mm: float = 20.0
) -> tuple[RodSector, ...]:
    """Return the rods of `derenzo`, one sector for each diameter.

    Parameters
    ----------
    rods_mm
        diameters, one for each sector; the first sector is around +x [mm]
    radius_mm
        radius of the cylinder [mm]
    """
    return tuple(
        _sector(diameter, radius_mm, 2 * np.pi * k / len(rods_mm))
        for k, diameter in enumerate(rods_mm)
    )


@checked(
    positive=(
        "rods_mm",
        "radius_mm",
        "length_mm",
    )
)
def derenzo(
    rods_mm: tuple[float, ...] = DERENZO_RODS_MM,
    *,
    radius_mm: float = 20.0,
    length_mm: float = 30.0,
    background: float = 0.0,
    along: RodAxis = "z",
) -> ShapePhantom:
    """Return hot rods in a cylinder of water, along z, or along y, the normal of two panels.

    Parameters
    ----------
    rods_mm
        diameters, one for each sector [mm]; for a human scanner 4 to 12 mm in a radius of 100 mm
    radius_mm, length_mm
        size of the cylinder [mm]
    background
        activity between the rods, relative to that of the rods
    along
        axis of the cylinder and of the rods

    References
    ----------
    Chou et al., PLoS ONE 7 (2012) e50540, for the diameters.
    """
    body = rod((0.0, 0.0, 0.0), 2 * radius_mm, length_mm, background, WATER_PER_MM)
    rods = [
        rod((u, v, 0.0), sector.diameter_mm, length_mm, 1.0 - background)
        for sector in derenzo_sectors(rods_mm, radius_mm)
        for u, v in sector.centres_mm
    ]
    shapes = (body, *rods)
    return ShapePhantom("Derenzo rods", tuple(map(_along_y, shapes)) if along == "y" else shapes)


def scaled(shapes: tuple[Shape, ...], factor: float) -> tuple[Shape, ...]:
    """Return shapes enlarged about the origin, with the same materials."""
    return tuple(
        replace(s, centre_mm=_times(s.centre_mm, factor), half_mm=_times(s.half_mm, factor))
        for s in shapes
    )


def moved(phantom: ShapePhantom, by_mm: Point) -> ShapePhantom:
    """Return the phantom shifted by (x, y, z) [mm]."""
    x, y, z = by_mm
    shapes = tuple(
        replace(s, centre_mm=(s.centre_mm[0] + x, s.centre_mm[1] + y, s.centre_mm[2] + z))
        for s in phantom.shapes
    )
    return replace(phantom, shapes=shapes)


def _along_y(shape: Cylinder) -> Cylinder:
    """Return a cylinder along z at (x, y) as one along y at (x, z)."""
    x, z, _ = shape.centre_mm
    # A tilt by 90° about x turns the axis from z to −y; a cylinder is symmetric.
    return replace(shape, centre_mm=(x, 0.0, z), tilt_deg=90.0)


def _times(values: Point, factor: float) -> Point:
    x, y, z = values
    return (factor * x, factor * y, factor * z)


def _sector(diameter_mm: float, radius_mm: float, angle: float) -> RodSector:
    pitch = 2 * diameter_mm
    rows = int(radius_mm / pitch) + 1
    centres = []
    for row in range(rows):
        # Rows of a triangular pattern are √0.75 pitches apart. The first row starts one pitch from
        # the axis, so that sectors do not touch.
        along = pitch + row * pitch * np.sqrt(0.75)
        for place in range(row + 1):
            across = (place - row / 2) * pitch
            if np.hypot(along, across) + diameter_mm / 2 > radius_mm:
                continue
            x = along * np.cos(angle) - across * np.sin(angle)
            y = along * np.sin(angle) + across * np.cos(angle)
            centres.append((float(x), float(y)))
    return RodSector(diameter_mm, tuple(centres))
