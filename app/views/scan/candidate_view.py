"""The selected candidate slice, enlarged. The tiles follow its zoom and position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.gestures import Drag, PointDrag
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Edges, ImageGrid, Rect


def raster_volume(raster: NDArray[np.float32]) -> Volume:
    """Return an image as a volume of one slice, with pixels as its unit of length.

    Parameters
    ----------
    raster
        (rows, columns)
    """
    n_rows, n_columns = raster.shape
    grid = ImageGrid((1, n_rows, n_columns), (1.0, 1.0, 1.0))
    return Volume(np.ascontiguousarray(raster[None]), grid, "1/pixel", {"axes": "xyz"})


def raster_of(volume: Volume) -> Raster:
    """Return the only slice of a volume as an image about its centre.

    Parameters
    ----------
    volume
        a volume of one slice
    """
    (width, height), (x, y) = volume.grid.size_mm[:2], volume.grid.lower_mm[:2]
    return Raster.of(volume.values[0], Rect(float(x), float(y), float(width), float(height)))


class CandidateView(RasterView):
    """One slice in pixel coordinates.

    Signals
    -------
    stepped : +1 requests the next candidate, −1 the previous one
    moved : another part of the slice is visible
    """

    stepped = Signal(int)
    moved = Signal()

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(state, tr("Selected candidate"), parent)
        self.title = ""
        self.has_crosshair = False  # until the user sets it

    def make_raster(self, volume: Volume) -> Raster:
        return raster_of(volume)

    def image_rect(self, volume: Volume) -> Rect:
        return raster_of(volume).rect

    def edges(self) -> Edges:
        return Edges("", "", "", "")

    def cursor_uv(self) -> tuple[float, float]:
        return self.state.cursor_mm[:2]

    def caption(self) -> str:
        return self.title

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        """Paint no marks, since two slices may be next to each other."""

    def primary_drag(self, at: QPointF) -> Drag:
        return PointDrag(self._put_cursor)

    def _put_cursor(self, at: QPointF) -> None:
        self.has_crosshair = True
        self.state.set_cursor((*self.to_mm(at), 0.0))

    def step(self, n_notches: int) -> None:
        self.stepped.emit(n_notches)

    def step_arrow(self, right: int, down: int) -> None:
        self.stepped.emit(right + down)

    def show_part(self, viewport: Viewport) -> None:
        super().show_part(viewport)
        self.moved.emit()

    def fit(self) -> None:
        super().fit()
        self.moved.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The tiles show the same part, which depends on the size of this view.
        self.moved.emit()
