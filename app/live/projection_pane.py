"""The newest raw projection of a running scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.colour.windows import full_window
from app.views.gestures import Drag, PointDrag
from app.views.scan.candidate_view import raster_of
from app.views.state import ViewState
from app.views.text import number
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Edges, ImageGrid, Rect

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from engine.live import Frame

MAX_PX = 512
"""Maximum number of painted pixels along an edge; larger frames are subsampled."""


class ProjectionPane(RasterView):
    """Newest projection in counts; nothing in it can be moved."""

    has_crosshair = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(ViewState(parent), tr("Newest projection"), parent)
        self._title = ""

    def show_frame(self, frame: Frame) -> None:
        """Show a frame.

        Parameters
        ----------
        frame
            newest frame; its angle is shown if the source states it
        """
        rows, columns = frame.values.shape
        every = max(1, max(rows, columns) // MAX_PX)
        values = np.ascontiguousarray(frame.values[::every, ::every], np.float32)
        template = (
            tr("Projection {index}   {columns} × {rows}, mean {mean}")
            if frame.angle_rad is None
            else tr("Projection {index} at {degrees:.1f}°   {columns} × {rows}, mean {mean}")
        )
        self._title = template.format(
            index=frame.index,
            degrees=np.degrees(frame.angle_rad or 0.0) % 360,
            columns=columns,
            rows=rows,
            mean=number(float(values.mean()), 4),
        )
        # One mm per pixel: the pane only needs the aspect ratio.
        grid = ImageGrid((1, *values.shape), (1.0, 1.0, 1.0))
        self.state.set_volume(Volume(values[None], grid, "counts/pixel", {"axes": "xyz"}))
        # Each frame gets its own window: raw counts change with the angle.
        self.state.set_window(*full_window(values, "counts/pixel"))

    def make_raster(self, volume: Volume) -> Raster:
        return raster_of(volume)

    def image_rect(self, volume: Volume) -> Rect:
        return raster_of(volume).rect

    def edges(self) -> Edges:
        return Edges("", "", "", "")

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint no marks: annotations and regions are in mm, the projection in pixels."""

    def cursor_uv(self) -> tuple[float, float]:
        return 0.0, 0.0

    def caption(self) -> str:
        return self._title or self.accessibleName()

    def primary_drag(self, at: QPointF) -> Drag:
        return PointDrag(lambda _: None)

    def step(self, n_notches: int) -> None:
        """Do nothing: there is only one projection."""

    def step_arrow(self, right: int, down: int) -> None:
        """Do nothing: the projection has no crosshair."""
