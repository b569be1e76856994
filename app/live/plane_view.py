"""One slice of a running scan: across z, y or x, with the places of the other two."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, Signal
from PySide6.QtWidgets import QWidget

from app.views.gestures import Drag, PointDrag
from app.views.planes import Edges, Rect
from app.views.raster import Raster
from app.views.raster_view import RasterView
from app.views.state import ViewState
from app.views.text import millimetres
from engine.data import Volume
from engine.geometry import ImageGrid, Point

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating]
    from engine.geometry import Plane

NAMES = ("Across z", "Across y", "Across x")
AXES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))
"""For each slice the axis that leads to the right, the one that leads up or down, its normal."""
UNIT = "1/mm"


class LivePlaneView(RasterView):
    """A slice; its values come from outside, its place is asked for.

    `moved` tells a point (x, y, z) [mm] through which slices are wanted.
    """

    moved = Signal(object)

    def __init__(self, index: int, parent: QWidget | None = None) -> None:
        super().__init__(ViewState(parent), NAMES[index], parent)
        self._across, self._down, self._normal = AXES[index]
        # z grows upwards on the screen, y downwards as in other views
        self._sign = -1.0 if self._down == 2 else 1.0
        self.note = ""
        self._point: Point = (0.0, 0.0, 0.0)
        self._pixel_mm = 1.0

    def show_slice(self, values: Array, plane: Plane, point: Point) -> None:
        """Show a slice; the crosshair is at a point (x, y, z) [mm]."""
        n_rows, n_columns = values.shape
        rows = values[:: int(self._sign)] if self._sign > 0 else values[::-1]
        centre = plane.centre_mm
        self._pixel_mm, self._point = plane.pixel_mm, point
        grid = ImageGrid(
            (1, n_rows, n_columns),
            (plane.pixel_mm,) * 3,
            (centre[self._across], self._sign * centre[self._down], 0.0),
        )
        volume = Volume(np.ascontiguousarray(rows[None], np.float32), grid, UNIT, {"axes": "xyz"})
        self.state.set_volume(volume)

    def show_point(self, point: Point) -> None:
        """Put the crosshair elsewhere, before a slice through it is there."""
        self._point = point
        self.update()

    def make_raster(self, volume: Volume) -> Raster:
        return Raster.of(volume.values[0], self.image_rect(volume))

    def image_rect(self, volume: Volume) -> Rect:
        (width, height), (x, y) = volume.grid.size_mm[:2], volume.grid.lower_mm[:2]
        return Rect(float(x), float(y), float(width), float(height))

    def edges(self) -> Edges:
        across, down = "xyz"[self._across], "xyz"[self._down]
        top, bottom = (f"+{down}", f"−{down}") if self._sign < 0 else (f"−{down}", f"+{down}")
        return Edges(f"−{across}", f"+{across}", top, bottom)

    def shown_edges(self) -> Edges:
        return self.edges()  # nobody knows how the object lies: axes of the scanner

    def cursor_uv(self) -> tuple[float, float]:
        return self._point[self._across], self._sign * self._point[self._down]

    def caption(self) -> str:
        at = millimetres(self._point[self._normal])
        return f"{self.accessibleName()}   {'xyz'[self._normal]} {at} mm"

    def remark(self) -> str:
        return self.note

    def primary_drag(self, at: QPointF) -> Drag:
        return PointDrag(self._point_at)

    def _point_at(self, at: QPointF) -> None:
        u, v = self.to_mm(at)
        self._move({self._across: u, self._down: self._sign * v})

    def step(self, n_notches: int) -> None:
        self._move({self._normal: self._point[self._normal] + n_notches * self._pixel_mm})

    def step_arrow(self, right: int, down: int) -> None:
        x, y = self._point[self._across], self._point[self._down]
        self._move(
            {
                self._across: x + right * self._pixel_mm,
                self._down: y + self._sign * down * self._pixel_mm,
            }
        )

    def _move(self, to: dict[int, float]) -> None:
        x, y, z = (to.get(axis, self._point[axis]) for axis in range(3))
        self.moved.emit((x, y, z))
