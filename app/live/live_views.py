"""Three slices of a running scan, where they lie in space, and its newest projection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.live.projection_pane import ProjectionPane
from app.views.colours import ViewColours
from app.views.plane_placement import PlanePlacement
from app.views.plane_scene_view import PlaneSceneView
from app.views.plane_view import PlaneView
from app.views.raster_view import RasterView
from app.views.windows import Window
from engine.geometry import Plane, Point

if TYPE_CHECKING:
    from engine.live import LiveImages, LiveUpdate

GAP_PX = 2
WHOLE_TURN_DEG = 179.0
"""Until views cover so much, the window of values follows them: the level of the image changes."""


class LiveViews(QWidget):
    """The views; the window of values is the same for the three slices.

    `placed` tells the planes that are wanted.

    Attributes
    ----------
    placement : where slices are wanted; None before there is one
    can_move : whether there is anybody who makes slices elsewhere
    """

    placed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.slices = [PlaneView(index, self) for index in range(3)]
        self.scene = PlaneSceneView(self.slices[0].state, self)
        self.projection = ProjectionPane(self)
        self._panes: tuple[RasterView | PlaneSceneView, ...]
        self._panes = (*self.slices, self.scene, self.projection)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GAP_PX)
        for k, view in enumerate(self.slices):
            grid.addWidget(view, 0, 2 * k, 1, 2)
        grid.addWidget(self.scene, 1, 0, 1, 3)
        grid.addWidget(self.projection, 1, 3, 1, 3)
        for row in range(2):
            grid.setRowStretch(row, 1)
        for column in range(6):
            grid.setColumnStretch(column, 1)
        self.placement: PlanePlacement | None = None
        self.can_move = True
        self._first: PlanePlacement | None = None
        self._asked: tuple[Plane, ...] | None = None
        self._follows, self._is_setting = True, False
        self._enlarged: QWidget | None = None
        for index, view in enumerate(self.slices):
            view.moved.connect(self._move)
            view.advanced.connect(lambda mm, index=index: self._advance(index, mm))
            view.state.window_changed.connect(lambda view=view: self._share(view))
        self.scene.placed.connect(self._want)
        self.scene.reset_requested.connect(self.reset)
        for pane in self._panes:
            pane.enlarge_requested.connect(lambda pane=pane: self._enlarge(pane))

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        for view in (*self.slices, self.projection):
            view.state.set_colours(colours)

    def begin(self) -> None:
        """Begin with another scan: nothing of the one before stays."""
        self.placement = self._first = self._asked = None
        self._follows = True
        self.scene.show_placement(None)
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
        placement = self._agreed(images.planes, is_newest=not note)
        covered = float(np.degrees(images.covered_rad))
        self._is_setting = True
        for view, values, plane in zip(self.slices, images.values, images.planes, strict=True):
            view.note = note
            view.show_slice(values, plane, placement)
        if self._follows:
            self.slices[0].state.auto_window()
            self._spread(self.slices[0].state.window)
            self._follows = covered < WHOLE_TURN_DEG
        self._is_setting = False
        self.scene.show_images(images.values, images.planes)

    def reset(self) -> None:
        """Ask for the slices as they were at first."""
        if self._first is not None:
            self._want(self._first)

    def _agreed(self, planes: Sequence[Plane], *, is_newest: bool) -> PlanePlacement:
        """Return what is wanted, or where the slices are if others were made than were asked for.

        Another detector has other slices than those that are on show: what is there is true.
        """
        there = tuple(planes)
        if self.placement is None or (is_newest and self._is_other(there)):
            self.placement = self._first = PlanePlacement.of(there)
            self.scene.show_placement(self.placement)
            self._asked = None
        elif is_newest and there == self._asked:
            self._asked = None
        return self.placement

    def _is_other(self, planes: tuple[Plane, ...]) -> bool:
        if self.placement is None or self._asked is None:
            return self.placement is None or planes != self.placement.planes
        return [_size(plane) for plane in planes] != [_size(plane) for plane in self._asked]

    def _share(self, view: PlaneView) -> None:
        """The user has set the window in one view; the others follow, and it stays."""
        if not self._is_setting:
            self._follows, self._is_setting = False, True
            self._spread(view.state.window)
            self._is_setting = False

    def _spread(self, window: Window) -> None:
        for other in self.slices:
            other.state.set_window(*window)

    def _move(self, point: Point) -> None:
        if self.placement is not None:
            self._want(self.placement.through(point))

    def _advance(self, index: int, mm: float) -> None:
        if self.placement is not None:
            self._want(self.placement.moved(index, mm))

    def _want(self, placement: PlanePlacement) -> None:
        if not self.can_move:
            self.scene.show_placement(self.placement)
            return
        self.placement, self._asked = placement, placement.planes
        for view in self.slices:
            view.show_placement(placement)
        self.scene.show_placement(placement)
        self.placed.emit(placement.planes)

    def _enlarge(self, pane: QWidget) -> None:
        """One view alone, or all again."""
        self._enlarged = None if self._enlarged is pane else pane
        for each in self._panes:
            each.setVisible(self._enlarged in (None, each))


def _size(plane: Plane) -> tuple[tuple[int, int], float]:
    return plane.shape, plane.pixel_mm
