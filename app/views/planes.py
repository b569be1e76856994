"""How planes of a volume lie on the screen: pure geometry, no Qt.

Patient space is LPS: +x patient Left, +y Posterior, +z Head; where a scanner's z leads to the feet,
only the letters change. The screen has u to the right
and v down, both in mm; each is one patient axis with a sign, so u = ±p[axis] with no offset.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.language.translation import tr
from engine.geometry import ImageGrid, Point

PlaneName = Literal["axial", "coronal", "sagittal"]
Convention = Literal["radiological", "neurological"]
PLANES: tuple[PlaneName, ...] = ("axial", "coronal", "sagittal")
_SIGNED = {"R": "−x", "L": "+x", "A": "−y", "P": "+y", "F": "−z", "H": "+z"}
_LETTERS = (("R", "L"), ("A", "P"), ("F", "H"))  # lower and upper end of x, y, z
_OF_CODE = {"S": "H", "I": "F"}
_OPPOSITE = {"R": "L", "L": "R", "A": "P", "P": "A", "F": "H", "H": "F"}
POSITIONS = {
    "HFS": ("LPS", tr("Head first, on the back")),
    "HFP": ("RAS", tr("Head first, on the belly")),
    "FFS": ("RPI", tr("Feet first, on the back")),
    "FFP": ("LAI", tr("Feet first, on the belly")),
    "HFDR": ("PRS", tr("Head first, on the right side")),
    "HFDL": ("ALS", tr("Head first, on the left side")),
}
"""How a patient may lie -> where x, y and z lead of a scanner that has "LPS" for "HFS"; words."""


@dataclass(frozen=True)
class Direction:
    """A way along one patient axis: axis 0, 1, 2 is x, y, z; sign is +1 or −1."""

    axis: int
    sign: int

    @property
    def letter(self) -> str:
        """The side of the patient it leads to."""
        return _LETTERS[self.axis][self.sign > 0]

    @property
    def opposite(self) -> Direction:
        """The way back."""
        return Direction(self.axis, -self.sign)


@dataclass(frozen=True)
class Edges:
    """Orientation letters at the edges of a view."""

    left: str
    right: str
    top: str
    bottom: str

    def on(self, axes: str) -> Edges:
        """The letters where x, y and z lead to other sides of the patient than L, P and S.

        "xyz": it is not known how a patient lay, so that the axes themselves are named.
        """
        names = _SIGNED if axes == "xyz" else _sides(axes)
        return Edges(*("".join(names[each] for each in letters) for letters in astuple(self)))


@dataclass(frozen=True)
class Rect:
    """A rectangle on the screen plane, (u, v) of its upper left corner and its size [mm]."""

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
    """A plane on the screen: its normal axis, and where right and down lead in the patient."""

    normal: int
    right: Direction
    down: Direction

    @property
    def edges(self) -> Edges:
        """The letters, from the directions."""
        return Edges(
            left=self.right.opposite.letter,
            right=self.right.letter,
            top=self.down.opposite.letter,
            bottom=self.down.letter,
        )

    def turned(self) -> Orientation:
        """The plane a quarter turn further clockwise: what was on top is at the right."""
        return Orientation(self.normal, self.down.opposite, self.right)

    def mirrored(self) -> Orientation:
        """The plane with left and right exchanged."""
        return Orientation(self.normal, self.right.opposite, self.down)

    def extract(self, values: NDArray[np.float32], index: int) -> NDArray[np.float32]:
        """One slice of values (n_z, n_y, n_x), rows going down and columns going right."""
        kept = [axis for axis in (2, 1, 0) if axis != self.normal]  # array order z, y, x
        plane = np.moveaxis(values, 2 - self.normal, 0)[index]
        if kept.index(self.down.axis) == 1:
            plane = plane.T
        plane = plane[:: self.down.sign, :: self.right.sign]
        return np.array(plane, np.float32, order="C")

    def to_screen(self, point_mm: Point) -> tuple[float, float]:
        """(u, v) of a patient point [mm]."""
        return (
            self.right.sign * point_mm[self.right.axis],
            self.down.sign * point_mm[self.down.axis],
        )

    def to_patient(self, u: float, v: float, depth_mm: float) -> Point:
        """The patient point at (u, v) of the plane at `depth_mm` along the normal [mm]."""
        point = [depth_mm] * 3
        point[self.right.axis] = self.right.sign * u
        point[self.down.axis] = self.down.sign * v
        return point[0], point[1], point[2]

    def rect(self, grid: ImageGrid) -> Rect:
        """Rectangle of the slices of a grid; anisotropic voxels keep their true size."""
        corners = (grid.lower_mm, grid.upper_mm)
        u_mm = [self.right.sign * float(corner[self.right.axis]) for corner in corners]
        v_mm = [self.down.sign * float(corner[self.down.axis]) for corner in corners]
        return Rect(min(u_mm), min(v_mm), abs(u_mm[1] - u_mm[0]), abs(v_mm[1] - v_mm[0]))


@dataclass(frozen=True)
class ViewTurn:
    """What a user does to a plane on the screen: quarters clockwise, after left and right changed.

    Attributes
    ----------
    quarters : 0 to 3
    mirrored : whether left and right are exchanged
    """

    quarters: int = 0
    mirrored: bool = False

    def of(self, way: Orientation) -> Orientation:
        """Return a plane turned so."""
        way = way.mirrored() if self.mirrored else way
        for _ in range(self.quarters % 4):
            way = way.turned()
        return way

    def turned(self, quarters: int = 1) -> ViewTurn:
        """Return it with more quarters."""
        return ViewTurn((self.quarters + quarters) % 4, self.mirrored)

    def flipped(self, *, upright: bool) -> ViewTurn:
        """Return it with left and right of the screen exchanged; `upright`: top and bottom."""
        quarters = (2 if upright else 0) - self.quarters
        return ViewTurn(quarters % 4, not self.mirrored)

    def describe(self) -> str:
        """Return it in words, empty if nothing is turned."""
        words = ["mirrored"] if self.mirrored else []
        words += [tr("turned by {quarters}°", quarters=90 * self.quarters)] if self.quarters else []
        return ", ".join(words)


def orientation(
    plane: PlaneName, convention: Convention = "radiological", axes: str = "LPS"
) -> Orientation:
    """How a plane is shown, the head on top; the convention says where the patient's left lies.

    `axes` are the sides of the patient to which x, y and z grow; "xyz" is taken for "LPS".
    """
    side = "L" if convention == "radiological" else "R"
    right, down = {"axial": (side, "P"), "coronal": (side, "F"), "sagittal": ("P", "F")}[plane]
    across, below = _direction(right, axes), _direction(down, axes)
    return Orientation(3 - across.axis - below.axis, across, below)


def _sides(axes: str) -> dict[str, str]:
    """Return the sides of a patient by what they would be called with axes "LPS"."""
    found = {}
    for axis, (lower, upper) in enumerate(_LETTERS):
        side = _OF_CODE.get(axes[axis], axes[axis])
        found[upper], found[lower] = side, _OPPOSITE[side]
    return found


def _direction(letter: str, axes: str) -> Direction:
    """Return the way to a side of the patient."""
    names = _sides("LPS" if axes == "xyz" else axes)
    axis, sign = next(
        (axis, sign)
        for axis, pair in enumerate(_LETTERS)
        for sign, each in zip((-1, 1), pair, strict=True)
        if names[each] == letter
    )
    return Direction(axis, sign)


def slice_index(grid: ImageGrid, axis: int, position_mm: float) -> int:
    """Index of the slice across `axis` that holds a position, the nearest one outside."""
    offset = (position_mm - float(grid.lower_mm[axis])) / grid.voxel_mm[axis]
    return int(np.clip(np.floor(offset), 0, grid.shape[2 - axis] - 1))


def slice_centre(grid: ImageGrid, axis: int, point_mm: Point) -> Point:
    """Return a point moved along `axis` to the middle of the slice that holds it [mm]."""
    moved = list(point_mm)
    moved[axis] = float(grid.centres_mm(axis)[slice_index(grid, axis, point_mm[axis])])
    return moved[0], moved[1], moved[2]


def clamp_to(grid: ImageGrid, point_mm: Point) -> Point:
    """The point of the box spanned by the voxel centres that is nearest to a point [mm]."""
    half = np.array(grid.voxel_mm) / 2
    x, y, z = np.clip(np.array(point_mm, float), grid.lower_mm + half, grid.upper_mm - half)
    return float(x), float(y), float(z)
