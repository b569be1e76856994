"""Orientation of the three patient planes on screen and paper, with the head on top.

The axes x, y and z of a volume point to sides of the patient, for example "LPS": +x to the left, +y
to the posterior, +z to the head. The image on the screen has u to the right and v down, both in mm.
Each is one axis of the volume with a sign, u = ±p[axis], without an offset. All views, images, film
sheets and reports use these planes, so that they agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.core.checked import checked
from engine.geometry.grid import ImageGrid, Point

Value = TypeVar("Value", bound=np.generic)
PlaneName = Literal["axial", "coronal", "sagittal"]
Convention = Literal["radiological", "neurological"]
PLANES: tuple[PlaneName, ...] = ("axial", "coronal", "sagittal")
UNKNOWN_AXES = "xyz"
"""Axes of a volume without a known patient position, or without a patient."""
_SIGNED = {"R": "−x", "L": "+x", "A": "−y", "P": "+y", "F": "−z", "H": "+z"}
_LETTERS = (("R", "L"), ("A", "P"), ("F", "H"))  # at the lower and upper end of x, y, z
_OF_CODE = {"S": "H", "I": "F"}
_OPPOSITE = {"R": "L", "L": "R", "A": "P", "P": "A", "F": "H", "H": "F"}


@dataclass(frozen=True)
class Direction:
    """Direction along one axis of the volume: axis 0, 1, 2 is x, y, z; sign is +1 or −1."""

    axis: int
    sign: int

    @property
    def letter(self) -> str:
        """Patient side in this direction, for a volume with axes "LPS"."""
        return _LETTERS[self.axis][self.sign > 0]

    @property
    def opposite(self) -> Direction:
        """The opposite direction."""
        return Direction(self.axis, -self.sign)


@dataclass(frozen=True)
class Edges:
    """Orientation letters at the edges of an image.

    Attributes
    ----------
    left, right, top, bottom : letter of the patient's side, such as "L" or "H"
    """

    left: str
    right: str
    top: str
    bottom: str

    def on(self, axes: str) -> Edges:
        """Return the letters for a volume with other axes.

        Parameters
        ----------
        axes
            patient sides, such as "LPI"; for "xyz" the position is unknown, and the letters name
            the axes
        """
        return _edges_on(self, axes)


@dataclass(frozen=True)
class Rect:
    """Rectangle on the screen.

    Attributes
    ----------
    u, v : upper left corner [mm]
    width, height : size [mm]
    """

    u: float
    v: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        """Centre (u, v) [mm]."""
        return self.u + self.width / 2, self.v + self.height / 2

    def part(self, columns: int, rows: int, shape: tuple[int, ...]) -> Rect:
        """Return the part that the first columns and rows of an image cover.

        Parameters
        ----------
        columns
            number of columns
        rows
            number of rows
        shape
            (rows, columns) of the whole rectangle
        """
        width, height = self.width * columns / shape[1], self.height * rows / shape[0]
        return Rect(self.u, self.v, width, height)


@dataclass(frozen=True)
class Orientation:
    """Displayed plane: its normal axis, and the volume directions of right and down."""

    normal: int
    right: Direction
    down: Direction

    @property
    def edges(self) -> Edges:
        """Orientation letters for a volume with axes "LPS"."""
        return Edges(
            left=self.right.opposite.letter,
            right=self.right.letter,
            top=self.down.opposite.letter,
            bottom=self.down.letter,
        )

    def turned(self) -> Orientation:
        """Return the plane rotated clockwise by a quarter turn: the top moves to the right."""
        return Orientation(self.normal, self.down.opposite, self.right)

    def mirrored(self) -> Orientation:
        """Return the plane with left and right exchanged."""
        return Orientation(self.normal, self.right.opposite, self.down)

    def extract(self, values: NDArray[Value], index: int) -> NDArray[Value]:
        """Return one slice as displayed: rows from top to bottom, columns from left to right.

        Parameters
        ----------
        values
            (n_z, n_y, n_x)
        index
            slice along the normal axis
        """
        return self.place(np.moveaxis(values, 2 - self.normal, 0)[index])

    def place(self, plane: NDArray[Value]) -> NDArray[Value]:
        """Return a slice in array order as it is displayed.

        Parameters
        ----------
        plane
            slice or projection along the normal; its two axes are in the order of [z, y, x]

        Returns
        -------
        contiguous copy, [row, column]
        """
        # The two axes of the slice in array order: z before y before x.
        in_plane = [axis for axis in (2, 1, 0) if axis != self.normal]
        # The axis that points down is the second one of the slice, so the slice must be transposed.
        if in_plane.index(self.down.axis) == 1:
            plane = plane.T
        # A copy: Qt and image writers need contiguous rows, and flipped views have negative
        # strides.
        return np.array(plane[:: self.down.sign, :: self.right.sign], order="C")

    def pixel_mm(self, grid: ImageGrid) -> tuple[float, float]:
        """Return the (row, column) size of a pixel [mm]."""
        return grid.voxel_mm[self.down.axis], grid.voxel_mm[self.right.axis]

    def to_screen(self, point_mm: Point) -> tuple[float, float]:
        """Return (u, v) of a point of the volume [mm]."""
        return (
            self.right.sign * point_mm[self.right.axis],
            self.down.sign * point_mm[self.down.axis],
        )

    def to_patient(self, u: float, v: float, depth_mm: float) -> Point:
        """Return the point of the volume at (u, v) [mm].

        Parameters
        ----------
        u
            to the right
        v
            down
        depth_mm
            position along the normal axis
        """
        # All three are set to the depth, then the two axes of the plane are replaced.
        point = [depth_mm] * 3
        point[self.right.axis] = self.right.sign * u
        point[self.down.axis] = self.down.sign * v
        return point[0], point[1], point[2]

    def rect(self, grid: ImageGrid) -> Rect:
        """Return the rectangle of the slices of a grid [mm]; anisotropic voxels keep their size."""
        corners = (grid.lower_mm, grid.upper_mm)
        u_mm = [self.right.sign * float(corner[self.right.axis]) for corner in corners]
        v_mm = [self.down.sign * float(corner[self.down.axis]) for corner in corners]
        return Rect(min(u_mm), min(v_mm), abs(u_mm[1] - u_mm[0]), abs(v_mm[1] - v_mm[0]))


@checked()
def orientation(
    plane: PlaneName, convention: Convention = "radiological", axes: str = "LPS"
) -> Orientation:
    """Return the displayed orientation of a plane: head on top, in axial planes anterior on top.

    Parameters
    ----------
    plane
        "axial", "coronal" or "sagittal"
    convention
        "radiological" shows the patient's right on the left of the screen
    axes
        patient sides of x, y and z, in any order; "xyz" is displayed like "LPS"
    """
    return _orientation(plane, convention, axes)


def is_axes_code(text: str) -> bool:
    """Return True if a text has one patient side for each of x, y and z, such as "RPS"."""
    # DICOM and NIfTI use S and I for head and feet; screens use H and F.
    pairs = ("RL", "AP", "IS")
    return len(text) == 3 and all(sum(side in pair for side in text) == 1 for pair in pairs)


def to_patient_axes(axes: str) -> NDArray[np.float64]:
    """Return the matrix (3, 3) that converts coordinates to LPS.

    Parameters
    ----------
    axes
        patient sides of the coordinates; "xyz" (unknown position) counts as LPS
    """
    matrix = np.zeros((3, 3))
    for column, side in enumerate("LPS" if axes == UNKNOWN_AXES else axes):
        row = next(k for k, pair in enumerate(("RL", "AP", "IS")) if side in pair)
        # Each side is one LPS axis with a sign, so the matrix is a signed permutation.
        matrix[row, column] = 1.0 if side in "LPS" else -1.0
    return matrix


@checked()
def plane_across(axis: int, axes: str = "LPS") -> PlaneName:
    """Return the plane whose slices are stacked along an axis.

    Parameters
    ----------
    axis
        0, 1, 2 for x, y, z of the volume
    axes
        patient sides of x, y and z
    """
    return next(plane for plane in PLANES if orientation(plane, axes=axes).normal == axis)


# Views ask for letters and planes several times in each paint.
@lru_cache(maxsize=256)
def _edges_on(edges: Edges, axes: str) -> Edges:
    # Letters of a wrong position would be a serious error; axes with signs cannot mislead.
    names = _SIGNED if axes == UNKNOWN_AXES else _sides(axes)
    found = (edges.left, edges.right, edges.top, edges.bottom)
    return Edges(*("".join(names[each] for each in letters) for letters in found))


@lru_cache(maxsize=256)
def _orientation(plane: PlaneName, convention: Convention, axes: str) -> Orientation:
    # Seen from the feet, as radiologists do, the patient's left is on the right of the screen.
    side = "L" if convention == "radiological" else "R"
    right, down = {"axial": (side, "P"), "coronal": (side, "F"), "sagittal": ("P", "F")}[plane]
    across, below = _direction(right, axes), _direction(down, axes)
    # The axes 0, 1 and 2 sum to 3, so the normal is the one that remains.
    return Orientation(3 - across.axis - below.axis, across, below)


def _sides(axes: str) -> dict[str, str]:
    """Return the sides of a patient by their letters in a volume with axes "LPS"."""
    found = {}
    for axis, (lower, upper) in enumerate(_LETTERS):
        side = _OF_CODE.get(axes[axis], axes[axis])
        found[upper], found[lower] = side, _OPPOSITE[side]
    return found


def _direction(letter: str, axes: str) -> Direction:
    """Return the direction to a side of the patient."""
    names = _sides("LPS" if axes == UNKNOWN_AXES else axes)
    axis, sign = next(
        (axis, sign)
        for axis, pair in enumerate(_LETTERS)
        for sign, each in zip((-1, 1), pair, strict=True)
        if names[each] == letter
    )
    return Direction(axis, sign)
