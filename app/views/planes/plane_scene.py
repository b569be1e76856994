"""Slices in a box in parallel projection: occlusion, and the object under a pointer.

Slices cut one another, so no order of whole slices is right. The first one divides space:
everything on its far side is painted before it, the rest after it. Each half is treated in the same
way (Fuchs, Kedem & Naylor, SIGGRAPH 14 (1980) 124). No Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.views.planes.plane_placement import PlanePlacement
from app.views.scan.scan_scene import SceneCamera
from engine.geometry import Plane

Array = NDArray[np.float64]
SAME_MM = 1e-9
SEARCH_RAD = np.radians(40.0)
"""Search range around the last angle, so that a handle does not jump to the far side."""
N_SEARCH = 161
WAYS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""Handles of a slice at the centres of its edges, in steps across and down."""


@dataclass(frozen=True)
class Piece:
    """A part of a slice.

    Attributes
    ----------
    index : number of the slice
    corners_mm : (n, 3) corners of a convex polygon
    """

    index: int
    corners_mm: Array


def corners_of(plane: Plane) -> Array:
    """Return the corners (4, 3) of a slice [mm]: first pixel, last column, last pixel, last row.

    Parameters
    ----------
    plane
        the slice
    """
    n_rows, n_columns = plane.shape
    across = plane.turn[:, 0] * n_columns * plane.pixel_mm / 2
    down = plane.turn[:, 1] * n_rows * plane.pixel_mm / 2
    ways = (-across - down, across - down, across + down, down - across)
    return np.array(plane.centre_mm) + np.array(ways)


def handles_of(plane: Plane) -> Array:
    """Return the positions (4, 3) of the handles [mm].

    Parameters
    ----------
    plane
        the slice
    """
    n_rows, n_columns = plane.shape
    half = np.array([n_columns, n_rows]) * plane.pixel_mm / 2
    return np.array(plane.centre_mm) + (np.array(WAYS) * half) @ plane.turn[:, :2].T


def hinge_of(plane: Plane, handle: int) -> Array:
    """Return the axis (3,) about which a handle rotates its slice.

    Parameters
    ----------
    plane
        the slice
    handle
        number of the handle

    Returns
    -------
    right-handed: the handle starts along the normal
    """
    return np.asarray(plane.turn @ np.cross([*WAYS[handle], 0.0], [0.0, 0.0, 1.0]))


def box_edges(placement: PlanePlacement, camera: SceneCamera) -> tuple[Array, Array]:
    """Return the edges (n, 2, 3) of the box [mm].

    Parameters
    ----------
    placement
        the box
    camera
        viewing direction

    Returns
    -------
    edges behind everything, and the others
    """
    half = np.array(placement.size_mm) / 2
    signs = np.array([[1 if k >> axis & 1 else -1 for axis in range(3)] for k in range(8)])
    points = placement.middle + signs * half
    # The three edges at the farthest corner are behind all slices.
    far = int(np.argmin(camera.seen(points)[:, 2]))
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8) if bin(a ^ b).count("1") == 1]
    behind = [points[list(pair)] for pair in pairs if far in pair]
    others = [points[list(pair)] for pair in pairs if far not in pair]
    return np.array(behind), np.array(others)


def back_to_front(planes: Sequence[Plane], camera: SceneCamera) -> list[Piece]:
    """Return the slices, cut where they intersect, in painting order.

    Parameters
    ----------
    planes
        the slices
    camera
        viewing direction
    """
    whole = [Piece(index, corners_of(plane)) for index, plane in enumerate(planes)]
    return _sort_back_to_front(whole, planes, camera.axes[2])


def _sort_back_to_front(pieces: list[Piece], planes: Sequence[Plane], to_eye: Array) -> list[Piece]:
    if len(pieces) < 2:
        return pieces
    first, *rest = pieces
    plane = planes[first.index]
    normal = plane.turn[:, 2]
    far, near = list[Piece](), list[Piece]()
    for piece in rest:
        heights = (piece.corners_mm - plane.centre_mm) @ normal
        for sign, side in ((-1.0, far), (1.0, near)):
            # A slice that crosses the first one is split into two pieces.
            cut = _cut(piece.corners_mm, sign * heights)
            if len(cut) > 2:
                side.append(Piece(piece.index, cut))
    # Far and near are sides of the plane; which one is behind depends on the viewer.
    if normal @ to_eye < 0:
        far, near = near, far
    return [
        *_sort_back_to_front(far, planes, to_eye),
        first,
        *_sort_back_to_front(near, planes, to_eye),
    ]


def _cut(corners: Array, heights: Array) -> Array:
    """Return the part (n, 3) of a convex polygon with heights ≥ 0; empty if it is a line."""
    if (heights <= SAME_MM).all():
        return np.empty((0, 3))
    cut = list[Array]()
    for k in range(len(corners)):
        here, following = heights[k], heights[(k + 1) % len(corners)]
        if here >= 0:
            cut.append(corners[k])
        if here * following < 0:
            part = here / (here - following)
            # The intersection of the edge with the plane, from linear interpolation of the heights.
            cut.append(corners[k] + part * (corners[(k + 1) % len(corners)] - corners[k]))
    return np.array(cut)


def touched(pieces: Sequence[Piece], camera: SceneCamera, at_mm: Array) -> int | None:
    """Return the slice under a position.

    Parameters
    ----------
    pieces
        slices in painting order
    camera
        viewing direction
    at_mm
        position (right, up) [mm]

    Returns
    -------
    None outside all slices
    """
    # From front to back: the first hit is the visible one.
    for piece in reversed(pieces):
        seen = camera.seen(piece.corners_mm)[:, :2]
        ahead = np.roll(seen, -1, axis=0) - seen
        aside = at_mm - seen
        sides = ahead[:, 0] * aside[:, 1] - ahead[:, 1] * aside[:, 0]
        # Seen from behind, the corners run in the other sense.
        if (sides >= 0).all() or (sides <= 0).all():
            return piece.index
    return None


def turn_towards(
    plane: Plane, handle: int, camera: SceneCamera, at_mm: Array, near_rad: float
) -> float:
    """Return the angle that brings a handle nearest to a position.

    Parameters
    ----------
    plane
        the slice before the rotation
    handle
        number of the handle
    camera
        viewing direction
    at_mm
        position (right, up) [mm]
    near_rad
        last angle, at the centre of the search range [rad]

    Returns
    -------
    angle [rad]
    """
    # A search instead of a formula: from the side the circle is a line, with two or no solutions.
    arm = handles_of(plane)[handle] - plane.centre_mm
    rising = np.cross(hinge_of(plane, handle), arm)
    angles = near_rad + np.linspace(-SEARCH_RAD, SEARCH_RAD, N_SEARCH)
    direction = np.cos(angles)[:, None] * arm + np.sin(angles)[:, None] * rising
    seen = camera.seen(plane.centre_mm + direction)[:, :2]
    return float(angles[np.argmin(np.linalg.norm(seen - at_mm, axis=1))])
