"""Planes in a box, moved and rotated with pointer or keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views import overlay
from app.views.colour.colours import ViewColours
from app.views.colour.raster import Raster
from app.views.gestures import Drag
from app.views.literal_text import literal_tip
from app.views.planes.plane_drags import MoveDrag, OrbitDrag, TurnDrag
from app.views.planes.plane_keys import act_on
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_scene import back_to_front, handles_of, touched
from app.views.planes.plane_scene_painter import (
    HANDLE_PX,
    PlacedImage,
    ScreenMap,
    inks,
    paint_handles,
    paint_scene,
)
from app.views.planes.plane_text import facing, place_of
from app.views.scan.scan_scene import SceneCamera
from app.views.scan.scene_widget import SceneWidget
from app.views.slices.triad import triad
from app.views.state import ViewState
from engine.geometry import Plane, Point, Rect

Values = NDArray[np.floating]
NAME = tr("Planes in 3-D")
HANDLING = tr(
    "Drag a plane to move it along its normal. Drag a round handle to rotate the plane. "
    "Drag outside the planes to rotate the view. Wheel: move the plane, or zoom with Ctrl. "
    "Keys 1, 2, 3: select a plane. PgUp, PgDn: move it. Shift + arrow keys: rotate it. "
    "Arrow keys: rotate the view. R: reset the planes. 0: reset the view."
)
MARGIN_PX = 22.0
FILLED = 1.1
"""Enlargement of the box: it is seldom seen along its diagonal, which would need the margin."""
GRASP_PX = 2.2 * HANDLE_PX
REST_MS = 200
"""Delay of new images [ms]. The slice views show them at once, and computing them needs time."""
TEXTURE_PX = 256
"""Largest number of pixels along an edge. The scene is small and often repainted."""


class PlaneSceneView(SceneWidget):
    """Shows the positions of slices and requests new ones.

    Signals
    -------
    placed : another `PlanePlacement` is requested
    reset_requested : the initial planes are requested
    enlarge_requested : this view alone, or all views again

    Attributes
    ----------
    placement : requested positions; None before there is a slice
    chosen : number of the plane that keys move
    is_behind : True if newer images will be shown soon
    """

    placed = Signal(object)
    reset_requested = Signal()
    enlarge_requested = Signal()
    zooms = (0.4, 20.0)

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(NAME, parent)
        self._state = state
        self.placement: PlanePlacement | None = None
        self.chosen = 0
        self._values: list[tuple[Values, Plane]] = []
        self._images: list[PlacedImage] | None = None
        self.is_behind = False
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._show_newest_images)
        self._drag: Drag | None = None
        self.setToolTip(literal_tip(HANDLING))
        self.setMouseTracking(True)
        self.setMinimumSize(160, 100)
        # The window changes in steps during a drag, so textures wait until it rests.
        state.window_changed.connect(self._schedule_images)
        state.display_changed.connect(self._forget_images)

    def show_placement(self, placement: PlanePlacement | None) -> None:
        """Show the requested positions. The images stay at their old positions.

        Parameters
        ----------
        placement
            the positions; None clears the scene
        """
        self.placement = placement
        if placement is None:
            self._values = []
            self._forget_images()
        self._describe()
        # The frames move at once; textures follow when their slices have been computed.
        self.update()

    def show_images(self, values: Sequence[Values], planes: Sequence[Plane]) -> None:
        """Show images of slices.

        Parameters
        ----------
        values
            one array (n_rows, n_columns) per slice
        planes
            their positions
        """
        self._values = list(zip(values, planes, strict=True))
        self._schedule_images()

    def _schedule_images(self) -> None:
        """Show the newest images soon, or at once if nothing is displayed."""
        self.is_behind = True
        if not self._images:
            self._show_newest_images()
        # Not together with the slices, which would delay the window.
        elif not self._rest.isActive():
            self._rest.start()

    def _show_newest_images(self) -> None:
        """Show the newest images, unless they are displayed already."""
        if self.is_behind:
            self.is_behind = False
            self._forget_images()

    def choose(self, index: int) -> None:
        """Select a plane.

        Parameters
        ----------
        index
            its number; an invalid one is ignored
        """
        if self.placement is not None and 0 <= index < len(self.placement.planes):
            self.chosen = index
            self._describe()
            self.update()

    @property
    def colours(self) -> ViewColours:
        return self._state.colours

    def fit(self) -> None:
        """Restore the initial view."""
        super().fit()
        self.set_camera(SceneCamera())

    def advance(self, mm: float) -> None:
        """Move the selected plane along its axis.

        Parameters
        ----------
        mm
            distance
        """
        if self.placement is not None:
            self.want(self.placement.moved(self.chosen, facing(self.chosen) * mm))

    def turn(self, axis: Point, angle_rad: float) -> None:
        """Rotate the selected plane.

        Parameters
        ----------
        axis
            rotation axis (x, y, z)
        angle_rad
            angle [rad]
        """
        if self.placement is not None:
            self.want(self.placement.turned(self.chosen, axis, angle_rad))

    def want(self, placement: PlanePlacement) -> None:
        """Request other positions.

        Parameters
        ----------
        placement
            the positions
        """
        self.show_placement(placement)
        self.placed.emit(placement)

    def sizeHint(self) -> QSize:
        return QSize(480, 320)

    @property
    def to_screen(self) -> ScreenMap:
        """The map from space to this view."""
        placement = self.placement
        middle, size = ((0.0,) * 3, (1.0,) * 3) if placement is None else _box(placement)
        # The sphere around the box has a constant size in all directions, so rotation does not
        # zoom.
        radius = float(np.linalg.norm(size)) / 2
        side = max(min(self.width(), self.height()) / 2 - MARGIN_PX, 8.0)
        centre = QPointF(self.width() / 2, self.height() / 2)
        return ScreenMap(self.camera, np.array(middle), centre, side / radius * FILLED * self._zoom)

    def caption(self) -> str:
        """Return the selected plane and its position."""
        if self.placement is None:
            return NAME
        plane = self.placement.planes[self.chosen]
        return place_of(self.chosen, plane, self.placement.middle)

    def _describe(self) -> None:
        self.setAccessibleDescription(self.caption())

    def _forget_images(self) -> None:
        self._images = None
        self.update()

    def _coloured_images(self) -> list[PlacedImage]:
        if self._images is None:
            window, colours = self._state.window, self._state.colour_map
            self._images = []
            for values, plane in self._values:
                # Every n-th pixel, rounded up, so that the result is never larger than the limit.
                every = -(-max(values.shape) // TEXTURE_PX)
                # QImage needs contiguous rows, which a strided view does not have.
                coarse = np.ascontiguousarray(values[::every, ::every], np.float32)
                image = Raster.of(coarse, Rect(0, 0, 1, 1)).image(window, colours)
                self._images.append(PlacedImage(image, plane))
        return self._images

    # Painting

    def paint_scene(self, painter: QPainter) -> None:
        colours, placement = self.colours, self.placement
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        if placement is None:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, NAME)
            return
        to_screen = self.to_screen
        paint_scene(painter, placement, self._coloured_images(), to_screen, colours)
        plane, ink = placement.planes[self.chosen], inks(colours)[self.chosen % 3]
        paint_handles(painter, plane, ink, to_screen, colours)
        triad(painter, self.camera, self.height(), colours)
        notes = overlay.Notes(self.caption())
        overlay.notes(painter, notes, (self.width(), self.height()), colours)

    # Interaction

    def touched(self, at: QPointF) -> tuple[int | None, int | None]:
        """Return the plane and the handle under a position.

        Parameters
        ----------
        at
            position [px]

        Returns
        -------
        both are None outside; the handle is None inside a plane
        """
        placement, to_screen = self.placement, self.to_screen
        if placement is None:
            return None, None
        # Handles come first: they are drawn over all planes.
        handles = to_screen.points(handles_of(placement.planes[self.chosen]))
        away = [(at - handle).manhattanLength() for handle in handles]
        if min(away) <= GRASP_PX:
            return self.chosen, int(np.argmin(away))
        pieces = back_to_front(placement.planes, self.camera)
        return touched(pieces, self.camera, to_screen.place(at)), None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        index, handle = self.touched(at)
        # Any other button rotates, also over a plane. Otherwise a full view could not be rotated.
        if event.button() != Qt.MouseButton.LeftButton or index is None:
            self._drag = OrbitDrag(self, at)
            return
        self.choose(index)
        self._drag = MoveDrag(self, at) if handle is None else TurnDrag(self, handle)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            self._drag.move(event.position())
            return
        index, handle = self.touched(event.position())
        shape = Qt.CursorShape.CrossCursor if handle is not None else Qt.CursorShape.SizeAllCursor
        self.setCursor(Qt.CursorShape.OpenHandCursor if index is None else shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not event.buttons():
            self._drag = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # Qt sends this in place of the second press, so no drag has to be undone.
        if event.button() == Qt.MouseButton.LeftButton:
            self.enlarge_requested.emit()

    def step(self, notches: int) -> None:
        if self.placement is not None:
            self.advance(notches * self.placement.planes[self.chosen].pixel_mm)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Unused keys go on to the window, which has shortcuts of its own.
        if not act_on(self, Qt.Key(event.key()), event.modifiers()):
            super().keyPressEvent(event)

    def end_drag(self) -> None:
        self._drag = None


def _box(placement: PlanePlacement) -> tuple[Point, Point]:
    return placement.middle, placement.size_mm
