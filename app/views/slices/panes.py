"""The grid of the views: four, rows of one size, or one large view."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from app.language.translation import tr
from app.views.colour.raster_view import RasterView
from app.views.filling import are_in_a_row, halves, main_share
from app.views.note import Note
from app.views.state import ViewState

SEPARATOR_PX = 2
EMPTY_TEXT = tr("No image yet")
MAX_ACROSS = 5
MAIN_PARTS = 60
"""First width of the main view [%]."""


class Panes(QWidget):
    """Four views separated by thin lines, with a note while they are empty."""

    def __init__(self, state: ViewState, views: tuple[RasterView, ...]) -> None:
        super().__init__()
        self._state = state
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SEPARATOR_PX)
        self._four: tuple[RasterView, ...] = ()
        self._main: RasterView | None = None
        self._placed: tuple[tuple[tuple[RasterView, int, int, int], ...], tuple[int, ...]] = (), ()
        self.show_four(views, None)
        self.note = Note(EMPTY_TEXT, self)
        state.display_changed.connect(self._update_colours)
        state.volume_changed.connect(self._show_note)
        for signal in (state.volume_changed, state.display_changed):
            signal.connect(self.fill)
        self._update_colours()
        self._show_note()

    def show_four(self, views: tuple[RasterView, ...], main: RasterView | None) -> None:
        """Show four views.

        Parameters
        ----------
        views
            the views
        main
            view to show large at the left; None shows all in one size
        """
        self._four, self._main = views, main
        if main is None:
            self._show_rows((views[:2], views[2:]))
            self.fill()
            return
        others = [view for view in views if view is not main]
        # The main view spans all rows of the left column.
        spots = [(main, 0, 0, len(others))]
        spots += [(view, row, 1, 1) for row, view in enumerate(others)]
        self._place_views(tuple(spots), (MAIN_PARTS, 100 - MAIN_PARTS))
        self.fill()

    def fill(self) -> None:
        """Give columns and rows the shares that leave the least empty border."""
        volume, views = self._state.volume, self._four
        if volume is None or not views:
            return
        size, margin = (float(self.width()), float(self.height())), views[0].margin_px
        rects = {view: view.image_rect(volume) for view in views}
        if self._main is None and are_in_a_row(tuple(rects.values()), size, margin):
            self._show_rows((views,))
            return
        if self._main is None:
            self._show_rows((views[:2], views[2:]))
            column, row = halves(tuple(rects.values()), size, margin)
            self._grid.setRowStretch(0, row)
            self._grid.setRowStretch(1, 100 - row)
        else:
            others = tuple(rects[view] for view in views if view is not self._main)
            column = main_share(rects[self._main], others, size, margin)
        self._grid.setColumnStretch(0, column)
        self._grid.setColumnStretch(1, 100 - column)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fill()
        # Otherwise one image has the old shares, and the first image of a film differs in size.
        self._grid.activate()

    def show_rows(self, rows: Sequence[Sequence[RasterView]]) -> None:
        """Show views row by row, all of one size.

        Parameters
        ----------
        rows
            views of each row
        """
        self._four = ()
        self._show_rows(rows)

    def _show_rows(self, rows: Sequence[Sequence[RasterView]]) -> None:
        spots = [(v, i, k, 1) for i, row in enumerate(rows) for k, v in enumerate(row)]
        self._place_views(tuple(spots), ())

    def _place_views(
        self, spots: tuple[tuple[RasterView, int, int, int], ...], parts: tuple[int, ...]
    ) -> None:
        # Rebuilding the layout makes the views flicker.
        if (spots, parts) == self._placed:
            return
        for view, *_ in self._placed[0]:
            self._grid.removeWidget(view)
            view.setVisible(any(view is other for other, *_ in spots))
        self._placed = spots, parts
        for view, row, column, n_rows in spots:
            self._grid.addWidget(view, row, column, n_rows, 1)
            view.show()
        rows = 1 + max(row for _, row, _, _ in spots)
        columns = 1 + max(column for _, _, column, _ in spots)
        # QGridLayout keeps the stretch of rows and columns that are no longer used.
        for k in range(MAX_ACROSS):
            shared = 1 if k < columns else 0
            self._grid.setColumnStretch(k, parts[k] if k < len(parts) else shared)
            self._grid.setRowStretch(k, 1 if k < rows else 0)

    def sizeHint(self) -> QSize:
        return QSize(760, 620)

    def _show_note(self) -> None:
        self.note.setVisible(self._state.volume is None)

    def _update_colours(self) -> None:
        self.note.set_colours(self._state.colours)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._state.colours.grid))
        painter.end()
