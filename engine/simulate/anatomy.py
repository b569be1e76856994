"""Anatomical phantoms from exact shapes: a head and a chest (LPS: +x left, +y back, +z up).

Left and right, front and back, top and bottom all differ, so that a mirrored image is noticed.
"""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, radians, sin, sqrt

from engine.core.checked import checked
from engine.geometry.grid import Point
from engine.simulate.phantom import ShapePhantom
from engine.simulate.phantoms import BONE_PER_MM, LUNG_PER_MM, WATER_PER_MM, scaled
from engine.simulate.shapes import Cylinder, Ellipsoid, Shape, sphere

SCALP, WHITE, CORTEX, GYRUS = 0.25, 1.0, 2.6, 1.7
"""Uptake of FDG: gyri reach 4.3, white matter 1 (4 : 1 in the Hoffman phantom)."""
_CENTRE: Point = (0.0, 0.0, -20.0)
_CORTEX_MM: Point = (65.0, 84.0, 66.0)
_CORTEX_DEPTH_MM = 15.0
_GYRI: dict[float, tuple[float, ...]] = {
    -14.0: (2, 27, 51, 73, 107, 129, 153, 178, 203, 228, 252, 288, 311, 336),
    12.0: (14, 39, 63, 78, 102, 119, 142, 166, 191, 250, 262, 283, 299, 324, 349),
    38.0: (3, 33, 60, 118, 149, 181, 212, 240, 300, 329),
    55.0: (20, 75, 105, 160, 205, 262, 280, 330),
}
"""By height above the centre of the brain [mm]: angles of the gyri from +x (left) to +y (back)."""


@checked(positive=("scale",))
def brain(*, scale: float = 1.0) -> ShapePhantom:
    """Return a head with FDG in the brain, its crown 46 mm above the origin.

    Contents: scalp, skull, folded cortex around white matter, ventricles (the left one larger),
    thalami, putamina (the right one fainter), a hot lesion of 12 mm at the back left above the
    centre, and an area of low uptake in the right cortex towards the front.

    Parameters
    ----------
    scale
        factor of all sizes; materials stay the same
    """
    bone = BONE_PER_MM - WATER_PER_MM
    # Shapes add up. Each inner ellipsoid states the difference to the one around it, so the order
    # does not matter.
    head = (
        Ellipsoid(_CENTRE, _shrunk(_CORTEX_MM, -14), SCALP, WATER_PER_MM),
        Ellipsoid(_CENTRE, _shrunk(_CORTEX_MM, -9), 0.0, bone),
        Ellipsoid(_CENTRE, _shrunk(_CORTEX_MM, -3), -SCALP, -bone),
        Ellipsoid(_CENTRE, _CORTEX_MM, CORTEX),
        Ellipsoid(_CENTRE, _shrunk(_CORTEX_MM, _CORTEX_DEPTH_MM), WHITE - CORTEX),
    )
    return ShapePhantom("brain", scaled((*head, *_gyri(), *_deep_brain()), scale))


def _gyri() -> list[Shape]:
    """Return the gyri, the fissure between the hemispheres and the patch of low uptake."""
    gyri = [
        _in_cortex((angle, up), 7.5, (12.5 - 0.07 * max(up, 0), 6.8, 16), GYRUS)
        for up, angles in _GYRI.items()
        for angle in angles
    ]
    # The fissure lowers the cortex at the front and back (90° and 270°), where both hemispheres
    # meet.
    fissure = [_in_cortex((angle, 10.0), 7.5, (2, 6.5, 20), -2.4) for angle in (90.0, 270.0)]
    return [*gyri, *fissure, _in_cortex((220.0, 12.0), 8.0, (12, 6.5, 18), -1.6)]


def _in_cortex(
    place: tuple[float, float], depth_mm: float, half_mm: Point, activity: float
) -> Shape:
    """Return an ellipsoid in the cortex, with half axes along, through and up the surface.

    `place` is the angle about z [deg] and the height above the centre of the brain [mm].
    """
    angle, up = radians(place[0]), place[1]
    a, b, c = _shrunk(_CORTEX_MM, depth_mm)
    across = sqrt(1 - (up / c) ** 2)
    x, y = a * across * cos(angle), b * across * sin(angle)
    # The gradient of an ellipsoid is normal to its surface. The gyrus is turned and tilted to it.
    normal = (x / a**2, y / b**2, up / c**2)
    turn = degrees(atan2(normal[1], normal[0])) - 90
    tilt = degrees(atan2(normal[2], hypot(normal[0], normal[1])))
    return Ellipsoid((x, y, up + _CENTRE[2]), half_mm, activity, turn_deg=turn, tilt_deg=tilt)


def _deep_brain() -> list[Shape]:
    nucleus = 3.0
    return [
        # Ventricles contain no tracer: −WHITE cancels the white matter around them.
        Ellipsoid((10, -4, 4), (5, 22, 10), -WHITE, turn_deg=8),
        Ellipsoid((-9, -2, 4), (4, 18, 9), -WHITE, turn_deg=-8),
        Ellipsoid((9, 9, -15), (7, 11, 7), nucleus),
        Ellipsoid((-9, 9, -15), (7, 11, 7), nucleus),
        Ellipsoid((27, -8, -3), (6, 16, 10), 1.3 * nucleus, turn_deg=-12),
        Ellipsoid((-27, -8, -3), (6, 15, 9), 0.9 * nucleus, turn_deg=12),
        sphere((26, 32, 6), 12, 6.0),
    ]


def _shrunk(half_mm: Point, by_mm: float) -> Point:
    x, y, z = half_mm
    return (x - by_mm, y - by_mm, z - by_mm)


@checked(positive=("scale",))
def thorax(*, scale: float = 1.0) -> ShapePhantom:
    """Return a chest with FDG: lungs, wall of the heart, spine, a lesion in the right lung.

    Parameters
    ----------
    scale
        factor of all sizes; materials stay the same
    """
    air = LUNG_PER_MM - WATER_PER_MM
    shapes = (
        Cylinder((0, 0, 0), (170, 115, 150), 1.0, WATER_PER_MM),
        Ellipsoid((92, 0, 15), (38, 68, 105), -0.7, air),
        Ellipsoid((-85, 0, 10), (46, 74, 115), -0.7, air),
        Ellipsoid((12, -35, -10), (32, 26, 36), 4.0, turn_deg=35),
        Ellipsoid((12, -35, -10), (22, 16, 26), -3.8, turn_deg=35),
        Cylinder((0, 78, 0), (18, 18, 150), 0.5, BONE_PER_MM - WATER_PER_MM),
        # The lesion removes the air of the lung that it replaces.
        sphere((-88, 12, 30), 16, 4.7, -air),
    )
    return ShapePhantom("thorax", scaled(shapes, scale))
