"""Captions and orientation letters of oblique slices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr
from app.views.text import millimetres
from engine.geometry import Edges, Plane, Point

NAMES = (tr("Normal to z"), tr("Normal to y"), tr("Normal to x"))
FACING = (2, 1, 0)
"""Axis normal to each slice at the start."""
SIDES: tuple[tuple[Point, Point], ...] = (
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
    ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
)
"""Directions across and down at the start."""
STRAIGHT = 1e-9
SHOWN_PART = 0.35
"""Axes within about 70° of a direction are named."""


def place_of(index: int, plane: Plane, middle: Point) -> str:
    """Describe the position of a slice.

    Parameters
    ----------
    index
        number of the slice
    plane
        its position
    middle
        centre of the box [mm]

    Returns
    -------
    an upright slice by its coordinate, an oblique one by angle and distance
    """
    normal = plane.turn[:, 2]
    axis = int(np.argmax(np.abs(normal)))
    if abs(normal[axis]) > 1 - STRAIGHT:
        name = "xyz"[axis]
        return tr(
            "Normal to {name}   {name} {centre_mm} mm",
            name=name,
            centre_mm=millimetres(plane.centre_mm[axis]),
        )
    # Rounding can make a cosine slightly larger than 1, which arccos refuses.
    turned = np.degrees(np.arccos(min(abs(normal[FACING[index]]), 1.0)))
    away = facing(index) * float(normal @ (np.array(plane.centre_mm) - middle))
    return tr(
        "{plane}   rotated by {angle:.0f}°   {distance} mm from the centre",
        plane=NAMES[index],
        angle=turned,
        distance=millimetres(away),
    )


def facing(index: int) -> float:
    """Return the sign of a normal at the start.

    Parameters
    ----------
    index
        number of the slice

    Returns
    -------
    1 if it points along its axis, −1 if against it
    """
    return -1.0 if index == 1 else 1.0  # x × z is −y


def edges_of(across: NDArray[np.float64], down: NDArray[np.float64]) -> Edges:
    """Return the orientation letters of a view.

    Parameters
    ----------
    across, down
        directions (3,) to the right and downwards
    """
    return Edges(_letters(-across), _letters(across), _letters(-down), _letters(down))


def _letters(direction: NDArray[np.float64]) -> str:
    axes = [axis for axis in np.argsort(-np.abs(direction)) if abs(direction[axis]) > SHOWN_PART]
    return " ".join(f"{'+' if direction[axis] > 0 else '−'}{'xyz'[axis]}" for axis in axes)
