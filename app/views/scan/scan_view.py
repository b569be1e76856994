"""The 3-D drawing of the scan geometry."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.scan.scan_painter import ScanPainter
from app.views.scan.scan_scene import ScanScene, SceneCamera
from app.views.scan.scene_widget import ZOOM_STEP, SceneWidget
from app.views.slices.triad import triad

MARGIN_PX = 46.0
DEGREES_PER_PX = 0.4
STEP_DEG = 10.0
OBLIQUE = SceneCamera()
CAMERAS = {
    tr("Oblique"): OBLIQUE,
    tr("From +z"): SceneCamera(-90.0, 90.0),
    tr("From the side"): SceneCamera(-90.0, 0.0),
}
"""Cameras by the name on their button."""


class ScanView(SceneWidget):
    """Source path, detector, rays, volume and axis. `view_wanted` reports the wheel."""

    view_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Scan geometry"), parent)
        self.view = 0
        self._scene: ScanScene | None = None
        self._unit = "mm"
        self._colours: ViewColours = DARK
        self._from: QPointF | None = None
        self.setToolTip(
            tr(
                "Drag or use the arrow keys to rotate. Wheel, PgUp or PgDn: change the "
                "view. Ctrl+wheel, + and −: zoom. 0: fit."
            )
        )
        self.setMinimumSize(160, 140)

    def show_scene(self, scene: ScanScene | None, unit: str = "mm") -> None:
        """Draw another scan.

        Parameters
        ----------
        scene
            the scan; None clears the drawing
        unit
            unit of lengths
        """
        self._scene, self._unit = scene, unit
        self.update()

    def show_view(self, view: int) -> None:
        """Highlight another view.

        Parameters
        ----------
        view
            its index
        """
        self.view = view
        self.update()

    @property
    def colours(self) -> ViewColours:
        return self._colours

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(560, 480)

    # Painting

    def paint_scene(self, painter: QPainter) -> None:
        if self._scene is not None:
            # A new scan may have fewer views than the last index.
            self.raster(painter, self._scene).draw(min(self.view, self._last_view))
            triad(painter, self.camera, self.height(), self._colours)

    def raster(self, painter: QPainter, scene: ScanScene) -> ScanPainter:
        """Return the drawing that fills this view.

        Parameters
        ----------
        painter
            an active painter
        scene
            the scan
        """
        points = scene.everything_mm()
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        # The larger half in each direction, so that the centre stays at the centre.
        reach = np.abs(self.camera.seen(points - middle)).max(axis=0)
        sides = (self.width() / 2 - MARGIN_PX, self.height() / 2 - MARGIN_PX)
        # The scale follows the camera, so that the drawing always fills the view.
        fits = [max(side, 8.0) / max(r, 1e-9) for side, r in zip(sides, reach[:2], strict=True)]
        centre = QPointF(self.width() / 2, self.height() / 2)
        scale = min(fits) * self._zoom
        return ScanPainter(
            painter, scene, self.camera, self._colours, scale, centre, middle, self._unit
        )

    # Interaction

    @property
    def _last_view(self) -> int:
        return self._scene.geometry.n_views - 1 if self._scene else 0

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._from = event.position()
        self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._from is None:
            return
        # Relative to the last position, since the rotation at a pole is clipped.
        delta, self._from = event.position() - self._from, event.position()
        self.set_camera(self.camera.turned(-DEGREES_PER_PX * delta.x(), DEGREES_PER_PX * delta.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.end_drag()

    def step(self, notches: int) -> None:
        self.view_wanted.emit(self.view + notches)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        turns = {
            Qt.Key.Key_Left: (STEP_DEG, 0.0),
            Qt.Key.Key_Right: (-STEP_DEG, 0.0),
            Qt.Key.Key_Up: (0.0, STEP_DEG),
            Qt.Key.Key_Down: (0.0, -STEP_DEG),
        }
        steps = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
        zooms = {Qt.Key.Key_Plus: ZOOM_STEP, Qt.Key.Key_Minus: 1 / ZOOM_STEP}
        key = Qt.Key(event.key())
        if key in turns:
            self.set_camera(self.camera.turned(*turns[key]))
        elif key in steps:
            self.view_wanted.emit(self.view + steps[key])
        elif key in zooms:
            self.zoom(zooms[key])
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def end_drag(self) -> None:
        self._from = None
        self.unsetCursor()
