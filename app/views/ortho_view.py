"""Three linked slices and a projection, two by two, with the display controls below."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QImage, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.views.colours import ViewColours
from app.views.mip_view import MipView
from app.views.note import Note
from app.views.raster_view import RasterView
from app.views.slice_view import SliceView
from app.views.state import ViewState
from app.views.text import number, place
from app.views.view_toolbar import ViewToolbar
from engine.geometry import ImageGrid

SEPARATOR_PX = 2
FLAT = 0.02
"""Height of a volume, in its widths, below which only slices across z are worth a look."""
EMPTY_TEXT = "No image yet"
MAIN_PARTS, OTHER_PARTS = 3, 2
"""Widths of the view that matters most and of those beside it."""


class OrthoView(QWidget):
    """Axial, coronal, sagittal and projection; a double-click enlarges one of them."""

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.axial = SliceView(state, "axial")
        self.coronal = SliceView(state, "coronal")
        self.sagittal = SliceView(state, "sagittal")
        self.mip = MipView(state)
        self.toolbar = ViewToolbar(state)
        self._panes = Panes(state, self.views)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._panes, 1)
        column.addWidget(self.toolbar)
        for view in self.views:
            view.enlarge_requested.connect(lambda view=view: self.toggle_enlarged(view))
        self._was_flat = False
        state.volume_changed.connect(self._follow_shape)
        state.display_changed.connect(self._follow_blur)

    @property
    def views(self) -> tuple[RasterView, ...]:
        """The four views, in reading order."""
        return self.axial, self.coronal, self.sagittal, self.mip

    @property
    def enlarged(self) -> RasterView | None:
        """The view that fills the space, None while all four are shown."""
        shown = [view for view in self.views if not view.isHidden()]
        return shown[0] if len(shown) == 1 else None

    def toggle_enlarged(self, view: RasterView) -> None:
        """Give a view all the space, or show all four again."""
        alone = self.enlarged is None
        for other in self.views:
            other.setVisible(other is view or not alone)
        view.setFocus()

    def _follow_shape(self) -> None:
        """Give slices of a thin volume all the space; the other views would show a line."""
        volume = self.state.volume
        is_flat = volume is not None and _is_flat(volume.grid)
        if is_flat != self._was_flat:
            self._was_flat = is_flat
            for view in self.views:
                view.setVisible(view is self.axial or not is_flat)

    def _follow_blur(self) -> None:
        """Give the slices that are sharp the most space, where others are blurred."""
        sharp = {1: self.coronal, 2: self.axial, 0: self.sagittal}
        axis = self.state.blurred_axis
        self._panes.arrange(self.views, None if axis is None else sharp[axis])

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.state.set_colours(colours)

    def cursor_text(self) -> str:
        """Place and value under the cursor, for the status bar; empty without a volume."""
        value = self.state.value_at_cursor()
        if value is None:
            return ""
        at = place(self.state.cursor_mm, self.state.length_unit)
        return f"{at}   {number(self.state.to_shown(value))} {self.state.shown_unit}"

    def snapshot(self) -> QImage:
        """The views as they are on the screen, without the controls."""
        return self._panes.grab().toImage()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.enlarged is not None:
            self.toggle_enlarged(self.enlarged)
        else:
            super().keyPressEvent(event)


def _is_flat(grid: ImageGrid) -> bool:
    """Whether there is hardly anything along z."""
    x, y, z = grid.size_mm
    return grid.shape[0] == 1 or bool(z < FLAT * max(x, y))


class Panes(QWidget):
    """Four views with thin lines between them, and a word in the middle while they are empty."""

    def __init__(self, state: ViewState, views: tuple[RasterView, ...]) -> None:
        super().__init__()
        self._state = state
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SEPARATOR_PX)
        self._main: RasterView | None = None
        self._place(views)
        self.note = Note(EMPTY_TEXT, self)
        state.display_changed.connect(self._dress)
        state.volume_changed.connect(self._show_note)
        self._dress()
        self._show_note()

    def arrange(self, views: tuple[RasterView, ...], main: RasterView | None) -> None:
        """Give one view the left side and stack the others beside it; two by two without one."""
        if main is not self._main:
            self._main = main
            for view in views:
                self._grid.removeWidget(view)
            self._place(views)

    def _place(self, views: tuple[RasterView, ...]) -> None:
        others = [view for view in views if view is not self._main]
        if self._main is None:
            for index, view in enumerate(views):
                self._grid.addWidget(view, index // 2, index % 2)
        else:
            self._grid.addWidget(self._main, 0, 0, len(others), 1)
            for index, view in enumerate(others):
                self._grid.addWidget(view, index, 1)
        self._grid.setColumnStretch(0, 0 if self._main is None else MAIN_PARTS)
        self._grid.setColumnStretch(1, 0 if self._main is None else OTHER_PARTS)

    def sizeHint(self) -> QSize:
        return QSize(760, 620)

    def _show_note(self) -> None:
        self.note.setVisible(self._state.volume is None)

    def _dress(self) -> None:
        self.note.set_colours(self._state.colours)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._state.colours.grid))
        painter.end()
