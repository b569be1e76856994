"""Compute circular orbits: one stated pose at angle 0, rotated about z.

At angle 0 the source is at (0, −distance, 0). Angles count counter-clockwise seen from +z. In an
image seen from the source, columns run to the right, u = +x at angle 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.vectors import about_z
from engine.geometry.xray import XrayGeometry

Vector = tuple[float, float, float]
RIGHT, LEFT = 1.0, -1.0
UP, DOWN = 1.0, -1.0


def turned_cone(
    angles_rad: NDArray[np.floating],
    *,
    source_mm: Vector,
    detector_mm: Vector,
    u_mm: Vector,
    v_mm: Vector,
    shape: tuple[int, int],
    rise_mm: float = 0.0,
) -> XrayGeometry:
    """Return the cone-beam geometry of one pose rotated about z.

    Parameters
    ----------
    angles_rad
        (n_views,)
    source_mm, detector_mm, u_mm, v_mm
        source, detector centre, and steps between columns and rows at angle 0 [mm]
    shape
        (rows, columns)
    rise_mm
        rise along z per turn, for a helix [mm]
    """
    turn = about_z(angles_rad)
    lift = np.zeros((len(angles_rad), 3))
    # Relative to the first view, so that the scan starts at z of the stated pose.
    lift[:, 2] = rise_mm * (angles_rad - angles_rad[0]) / (2 * np.pi)
    source, detector, u, v = (turn @ np.array(a) for a in (source_mm, detector_mm, u_mm, v_mm))
    return XrayGeometry("cone", source + lift, detector + lift, u, v, shape)


def turned_parallel(
    angles_rad: NDArray[np.floating],
    *,
    pixel_mm: tuple[float, float],
    shape: tuple[int, int],
    columns: float = RIGHT,
    rows: float = DOWN,
    shift_mm: tuple[float, float] = (0.0, 0.0),
) -> XrayGeometry:
    """Return parallel rays along +y at angle 0, so that column t = x cos(angle) + y sin(angle).

    Parameters
    ----------
    angles_rad
        (n_views,)
    pixel_mm
        width and height of a pixel [mm]
    shape
        (rows, columns)
    columns, rows
        direction of increasing columns (`RIGHT`, `LEFT`) and rows (`UP`, `DOWN`)
    shift_mm
        shift of the detector centre to the right and up [mm]
    """
    turn = about_z(angles_rad)
    u, v = (columns * pixel_mm[0], 0.0, 0.0), (0.0, 0.0, rows * pixel_mm[1])
    centre = (shift_mm[0], 0.0, shift_mm[1])
    ray, detector, across, along = (turn @ np.array(a) for a in ((0.0, 1.0, 0.0), centre, u, v))
    return XrayGeometry("parallel", ray, detector, across, along, shape)
