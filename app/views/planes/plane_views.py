"""Three linked oblique slices and their planes in 3-D."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from app.views.colour.colours import ViewColours
from app.views.colour.raster_view import RasterView
from app.views.colour.windows import Window
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_scene_view import PlaneSceneView
from app.views.planes.plane_view import PlaneView
from app.views.state import ViewState
from engine.geometry import Plane, Point

GAP_PX = 2
Values = NDArray[np.floating]
Pane = RasterView | PlaneSceneView


class PlaneViews(QWidget):
    """The views. All slices have the same display window.

    Signals
    -------
    placed : the requested planes
    window_set : the user has set the display window

    Parameters
    ----------
    more : additional views next to the scene
    fused : display settings of the volume of the slices, to show its overlay too

    Attributes
    ----------
    placement : requested positions; None before there are any
    can_move : True if something computes slices at other positions
    """

    placed = Signal(object)
    window_set = Signal()

    def __init__(self, *more: RasterView, fused: ViewState | None = None) -> None:
        super().__init__()
        self.slices = [PlaneView(index, self, fused=fused) for index in range(3)]
        self.scene = PlaneSceneView(self.slices[0].state, self)
        self._panes: tuple[Pane, ...] = (*self.slices, self.scene, *more)
        self.placement: PlanePlacement | None = None
        self.can_move = True
        self._first: PlanePlacement | None = None
        self._is_setting = False
        self._enlarged: QWidget | None = None
        self._places: dict[QWidget, tuple[range, range]] = {}
        self._lay_out(more)
        for index, view in enumerate(self.slices):
            view.moved.connect(self._move)
            view.advanced.connect(lambda mm, index=index: self._move_along_normal(index, mm))
            view.state.window_changed.connect(lambda view=view: self._share_window(view))
        self.scene.placed.connect(self.want)
        self.scene.reset_requested.connect(self.reset)
        for pane in self._panes:
            pane.enlarge_requested.connect(lambda pane=pane: self._enlarge(pane))

    def _lay_out(self, more: Sequence[RasterView]) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(GAP_PX)
        # Three slices span six columns of two; further views below use three each.
        below, wide = len(more) > 0, 2 if more else 1
        for k, pane in enumerate(self._panes):
            row, place = divmod(k, 3) if below else divmod(k, 2)
            n = wide if row == 0 else 3 if below else 1
            self._places[pane] = range(row, row + 1), range(place * n, place * n + n)
            grid.addWidget(pane, row, place * n, 1, n)
        self._grid = grid
        self._stretch_visible()

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme.

        Parameters
        ----------
        colours
            colours of the theme
        """
        for pane in self._panes:
            if isinstance(pane, RasterView):
                pane.state.set_colours(colours)

    def begin(self, placement: PlanePlacement | None = None) -> None:
        """Start with another scan and forget the previous one.

        Parameters
        ----------
        placement
            initial positions; None if they are not known yet
        """
        self.placement = self._first = placement
        # Clears the old images before the new positions appear.
        self.scene.show_placement(None)
        self.scene.show_placement(placement)
        for view in self.slices:
            view.stale_note = ""
            view.state.set_volume(None)

    def show_slices(
        self, values: Sequence[Values], planes: Sequence[Plane], *, unit: str = "1/mm"
    ) -> None:
        """Show slices at their positions. Requested positions stay.

        Parameters
        ----------
        values
            one array (n_rows, n_columns) per slice
        planes
            their positions
        unit
            unit of the values
        """
        if self.placement is None:
            return
        self._is_setting = True
        for view, each, plane in zip(self.slices, values, planes, strict=True):
            view.show_slice(each, plane, self.placement, unit)
        self._is_setting = False
        self.scene.show_images(values, planes)

    def auto_window(self) -> None:
        """Fit the window to the first slice. This does not count as the user's choice."""
        self._is_setting = True
        self.slices[0].state.auto_window()
        self._set_windows(self.slices[0].state.window)
        self._is_setting = False

    def reset(self) -> None:
        """Request the initial slices."""
        if self._first is not None:
            self.want(self._first)

    def want(self, placement: PlanePlacement) -> None:
        """Request slices at other positions.

        Parameters
        ----------
        placement
            the positions; ignored while nothing can compute them
        """
        if not self.can_move:
            # The scene has already moved its plane, so it is moved back.
            self.scene.show_placement(self.placement)
            return
        self.placement = placement
        for view in self.slices:
            view.show_placement(placement)
        self.scene.show_placement(placement)
        self.placed.emit(placement.planes)

    def window_chosen(self) -> None:
        """Handle a window that the user has set; subclasses store it."""

    def _share_window(self, view: PlaneView) -> None:
        """Copy a window that the user has set in one view to the others."""
        # Setting the other views emits the same signal, which must not start again.
        if not self._is_setting:
            self._is_setting = True
            self._set_windows(view.state.window)
            self._is_setting = False
            self.window_chosen()
            self.window_set.emit()

    def _set_windows(self, window: Window) -> None:
        for other in self.slices:
            other.state.set_window(*window)

    def _move(self, point: Point) -> None:
        if self.placement is not None:
            self.want(self.placement.through(point))

    def _move_along_normal(self, index: int, mm: float) -> None:
        if self.placement is not None:
            self.want(self.placement.moved(index, mm))

    def _enlarge(self, pane: QWidget) -> None:
        """Show one view alone, or all again."""
        self._enlarged = None if self._enlarged is pane else pane
        for each in self._panes:
            # Hidden views keep their zoom and position.
            each.setVisible(self._enlarged in (None, each))
        self._stretch_visible()

    def _stretch_visible(self) -> None:
        """Give space only to rows and columns with visible views."""
        grid = self._grid
        rows, columns = range(grid.rowCount()), range(grid.columnCount())
        if self._enlarged is not None:
            rows, columns = self._places[self._enlarged]
        for row in range(grid.rowCount()):
            grid.setRowStretch(row, int(row in rows))
        for column in range(grid.columnCount()):
            grid.setColumnStretch(column, int(column in columns))
