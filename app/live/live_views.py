"""Three slices of a running scan and its newest projection, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.live.plane_view import LivePlaneView
from app.live.projection_pane import ProjectionPane
from app.views.colours import ViewColours
from app.views.windows import Window
from engine.geometry import Point

if TYPE_CHECKING:
    from engine.live import LiveImages, LiveUpdate

GAP_PX = 2
WHOLE_TURN_DEG = 179.0
"""Until views cover so much, the window of values follows them: the level of the image changes."""


class LiveViews(QWidget):
    """The views; the window of values is the same for the three slices.

    `moved` tells a point (x, y, z) [mm] through which slices are wanted.
    """

    moved = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.slices = [LivePlaneView(index, self) for index in range(3)]
        self.projection = ProjectionPane(self)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GAP_PX)
        for k, view in enumerate((*self.slices, self.projection)):
            grid.addWidget(view, k // 2, k % 2)
            grid.setRowStretch(k // 2, 1)
            grid.setColumnStretch(k % 2, 1)
        self.point: Point | None = None
        self._follows, self._is_setting = True, False
        self._enlarged: QWidget | None = None
        for view in self.slices:
            view.moved.connect(self._move)
            view.state.window_changed.connect(lambda view=view: self._share(view))
        for pane in (*self.slices, self.projection):
            pane.enlarge_requested.connect(lambda pane=pane: self._enlarge(pane))

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        for view in (*self.slices, self.projection):
            view.state.set_colours(colours)

    def begin(self) -> None:
        """Begin with another scan: nothing of the one before stays."""
        self.point, self._follows = None, True
        for view in self.slices:
            view.note = ""
            view.state.set_volume(None)
        self.projection.state.set_volume(None)

    def show_update(self, update: LiveUpdate) -> None:
        """Show what is newest."""
        if update.images is not None:
            self.show_images(update.images)
        if update.projection is not None:
            self.projection.show_frame(update.projection)

    def show_images(self, images: LiveImages, note: str = "") -> None:
        """Show slices; `note` says what they are if not the newest."""
        if self.point is None:
            self.point = images.planes[0].centre_mm
        covered = float(np.degrees(images.covered_rad))
        self._is_setting = True
        for view, values, plane in zip(self.slices, images.values, images.planes, strict=True):
            view.note = note
            view.show_slice(values, plane, self.point)
        if self._follows:
            self.slices[0].state.auto_window()
            self._spread(self.slices[0].state.window)
            self._follows = covered < WHOLE_TURN_DEG
        self._is_setting = False

    def _share(self, view: LivePlaneView) -> None:
        """The user has set the window in one view; the others follow, and it stays."""
        if not self._is_setting:
            self._follows, self._is_setting = False, True
            self._spread(view.state.window)
            self._is_setting = False

    def _spread(self, window: Window) -> None:
        for other in self.slices:
            other.state.set_window(*window)

    def _move(self, point: Point) -> None:
        self.point = point
        for view in self.slices:
            view.show_point(point)
        self.moved.emit(point)

    def _enlarge(self, pane: QWidget) -> None:
        """One view alone, or all again."""
        self._enlarged = None if self._enlarged is pane else pane
        for each in (*self.slices, self.projection):
            each.setVisible(self._enlarged in (None, each))
