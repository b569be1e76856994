"""The camera of the three-dimensional view and its orientation letters, without Qt.

The camera turns about the long axis of the patient, so that the head stays on top. It looks from
outside, so the image is never mirrored. Axes are those of the patient (LPS).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from app.views.scan.scan_scene import SceneCamera
from engine.geometry import Direction, Edges, orientation

FRONT = SceneCamera(-90.0, 0.0)
"""The view from the front: the patient's right is on the left of the screen."""
LETTERS = (("R", "L"), ("A", "P"), ("F", "H"))
NAMED = 0.35
"""Least cosine between an axis and a screen direction that is labelled with it."""


def to_patient_axes(axes: str) -> NDArray[np.float64]:
    """Return the matrix (3, 3) that converts coordinates of a volume to LPS.

    Parameters
    ----------
    axes
        patient sides of its axes, such as "LPI"; "xyz" (unknown) counts as "LPS"
    """
    front, above = orientation("coronal", axes=axes), orientation("axial", axes=axes)
    matrix = np.zeros((3, 3))
    # From the front, the left is on the right of the screen and the head on top.
    rows: tuple[Direction, ...] = (front.right, above.down, front.down.opposite)
    for row, direction in enumerate(rows):
        matrix[row, direction.axis] = direction.sign
    return matrix


def edges_of(camera: SceneCamera) -> Edges:
    """Return the orientation letters of a view, the strongest first.

    Parameters
    ----------
    camera
        the viewing direction

    Returns
    -------
    letters of LPS axes; two if the screen direction is between two axes
    """
    right, up, _ = camera.axes
    return Edges(
        left=_letters(-right), right=_letters(right), top=_letters(up), bottom=_letters(-up)
    )


def _letters(direction: NDArray[np.float64]) -> str:
    order = sorted(range(3), key=lambda axis: -abs(direction[axis]))
    shown = [axis for axis in order if abs(direction[axis]) > NAMED]
    return "".join(LETTERS[axis][int(direction[axis] > 0)] for axis in shown)
