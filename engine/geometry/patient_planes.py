"""Lay out the three patient planes on a screen or page with the head on top.

A volume has axes x, y and z that lead to sides of the patient, for example "LPS": +x to the left,
+y to the posterior, +z to the head. The picture has u to the right and v down, both in mm. Each of
them is one axis of the volume with a sign, so u = ±p[axis] without an offset. Every view, picture,
film and report uses these planes, so that all of them agree.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.geometry.grid import ImageGrid, Point

Value = TypeVar("Value", bound=np.generic)
PlaneName = Literal["axial", "coronal", "sagittal"]
Convention = Literal["radiological", "neurological"]
PLANES: tuple[PlaneName, ...] = ("axial", "coronal", "sagittal")
UNKNOWN_AXES = "xyz"
"""Axes of a volume that does not state how the patient lay, or shows no patient."""
_SIGNED = {"R": "−x", "L": "+x", "A": "−y", "P": "+y", "F": "−z", "H": "+z"}
_LETTERS = (("R", "L"), ("A", "P"), ("F", "H"))  # lower and upper end of x, y, z
_OF_CODE = {"S": "H", "I": "F"}
_OPPOSITE = {"R": "L", "L": "R", "A": "P", "P": "A", "F": "H", "H": "F"}


@dataclass(frozen=True)
class Direction:
    """A way along one axis of the volume: axis 0, 1, 2 is x, y, z; sign is +1 or −1."""

    axis: int
    sign: int

    @property
    def letter(self) -> str:
        """The side of the patient it leads to in a volume with axes "LPS"."""
        return _LETTERS[self.axis][self.sign > 0]

    @property
    def opposite(self) -> Direction:
        """The way back."""
        return Direction(self.axis, -self.sign)


@dataclass(frozen=True)
class Edges:
    """Orientation letters at the edges of a picture."""

    left: str
    right: str
    top: str
    bottom: str

    def on(self, axes: str) -> Edges:
        """Return the letters for a volume whose axes are not "LPS".

        For "xyz" the patient's position is unknown, and the axes themselves are named.
        """
        names = _SIGNED if axes == UNKNOWN_AXES else _sides(axes)
        return Edges(*("".join(names[each] for each in letters) for letters in astuple(self)))


@dataclass(frozen=True)
class Rect:
    """A rectangle of the picture, (u, v) of its upper left corner and its size [mm]."""

    u: float
    v: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        """(u, v) of the middle [mm]."""
        return self.u + self.width / 2, self.v + self.height / 2

    def part(self, columns: int, rows: int, shape: tuple[int, ...]) -> Rect:
        """Return what the first columns and rows cover, of all (rows, columns) in it."""
        width, height = self.width * columns / shape[1], self.height * rows / shape[0]
        return Rect(self.u, self.v, width, height)


@dataclass(frozen=True)
class Orientation:
    """A plane in a picture: its normal axis, and where right and down lead in the volume."""

    normal: int
    right: Direction
    down: Direction

    @property
    def edges(self) -> Edges:
        """The letters of a volume with axes "LPS"."""
        return Edges(
            left=self.right.opposite.letter,
            right=self.right.letter,
            top=self.down.opposite.letter,
            bottom=self.down.letter,
        )

    def turned(self) -> Orientation:
        """Return the plane a quarter turn further clockwise: the top goes to the right."""
        return Orientation(self.normal, self.down.opposite, self.right)

    def mirrored(self) -> Orientation:
        """Return the plane with left and right exchanged."""
        return Orientation(self.normal, self.right.opposite, self.down)

    def extract(self, values: NDArray[Value], index: int) -> NDArray[Value]:
        """Return one slice of values (n_z, n_y, n_x), rows going down and columns going right."""
        return self.place(np.moveaxis(values, 2 - self.normal, 0)[index])

    def place(self, plane: NDArray[Value]) -> NDArray[Value]:
        """Return a slice whose two axes are in the order of the array [z, y, x], as it is shown.

        A projection along the normal axis is such a slice, too.
        """
        kept = [axis for axis in (2, 1, 0) if axis != self.normal]
        if kept.index(self.down.axis) == 1:
            plane = plane.T
        return np.array(plane[:: self.down.sign, :: self.right.sign], order="C")

    def pixel_mm(self, grid: ImageGrid) -> tuple[float, float]:
        """Return the (row, column) size of the pixels of a slice [mm]."""
        return grid.voxel_mm[self.down.axis], grid.voxel_mm[self.right.axis]

    def to_screen(self, point_mm: Point) -> tuple[float, float]:
        """Return (u, v) of a point of the volume [mm]."""
        return (
            self.right.sign * point_mm[self.right.axis],
            self.down.sign * point_mm[self.down.axis],
        )

    def to_patient(self, u: float, v: float, depth_mm: float) -> Point:
        """Return the point at (u, v) of the plane at `depth_mm` along the normal [mm]."""
        point = [depth_mm] * 3
        point[self.right.axis] = self.right.sign * u
        point[self.down.axis] = self.down.sign * v
        return point[0], point[1], point[2]

    def rect(self, grid: ImageGrid) -> Rect:
        """Return the rectangle of the slices of a grid; anisotropic voxels keep their size."""
        corners = (grid.lower_mm, grid.upper_mm)
        u_mm = [self.right.sign * float(corner[self.right.axis]) for corner in corners]
        v_mm = [self.down.sign * float(corner[self.down.axis]) for corner in corners]
        return Rect(min(u_mm), min(v_mm), abs(u_mm[1] - u_mm[0]), abs(v_mm[1] - v_mm[0]))


def orientation(
    plane: PlaneName, convention: Convention = "radiological", axes: str = "LPS"
) -> Orientation:
    """Return how a plane is shown: the head on top, and in an axial plane the front.

    Parameters
    ----------
    plane
        "axial", "coronal" or "sagittal"
    convention
        "radiological" puts the patient's right at the left of the picture
    axes
        sides of the patient to which x, y and z grow, in any order; "xyz" is shown as "LPS"
    """
    side = "L" if convention == "radiological" else "R"
    right, down = {"axial": (side, "P"), "coronal": (side, "F"), "sagittal": ("P", "F")}[plane]
    across, below = _direction(right, axes), _direction(down, axes)
    return Orientation(3 - across.axis - below.axis, across, below)


def is_axes_code(text: str) -> bool:
    """Return whether a text names a side of the patient for each of x, y and z, as "RPS" does."""
    pairs = ("RL", "AP", "IS")
    return len(text) == 3 and all(sum(side in pair for side in text) == 1 for pair in pairs)


def to_patient_axes(axes: str) -> NDArray[np.float64]:
    """Return the matrix (3, 3) from coordinates that grow to the sides `axes` to LPS.

    The axes of a volume that does not state the patient position ("xyz") are taken as LPS.
    """
    matrix = np.zeros((3, 3))
    for column, side in enumerate("LPS" if axes == UNKNOWN_AXES else axes):
        row = next(k for k, pair in enumerate(("RL", "AP", "IS")) if side in pair)
        matrix[row, column] = 1.0 if side in "LPS" else -1.0
    return matrix


def plane_across(axis: int, axes: str = "LPS") -> PlaneName:
    """Return the plane whose slices are stacked along an axis (0, 1, 2: x, y, z) of a volume."""
    return next(plane for plane in PLANES if orientation(plane, axes=axes).normal == axis)


def _sides(axes: str) -> dict[str, str]:
    """Return the sides of a patient by their letters in a volume with axes "LPS"."""
    found = {}
    for axis, (lower, upper) in enumerate(_LETTERS):
        side = _OF_CODE.get(axes[axis], axes[axis])
        found[upper], found[lower] = side, _OPPOSITE[side]
    return found


def _direction(letter: str, axes: str) -> Direction:
    """Return the way to a side of the patient."""
    names = _sides("LPS" if axes == UNKNOWN_AXES else axes)
    axis, sign = next(
        (axis, sign)
        for axis, pair in enumerate(_LETTERS)
        for sign, each in zip((-1, 1), pair, strict=True)
        if names[each] == letter
    )
    return Direction(axis, sign)
