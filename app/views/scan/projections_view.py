"""Projections of a scan: one view, one sinogram, and their controls."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.colours import ViewColours
from app.views.literal_text import LiteralLabel, literal_tip
from app.views.scan.detector_state import DetectorState
from app.views.scan.detector_view import DetectorView
from app.views.scan.radiograph_view import RadiographView
from app.views.scan.sinogram_view import SinogramView
from app.views.scrubber import TickSlider
from app.views.view_toolbar import ViewToolbar

SEPARATOR_PX = 2
WIDE = 1.6
"""Aspect ratio from which the sinogram is below the projection."""
STAGES = (tr("As measured"), tr("After preparation"))


class ProjectionsView(QWidget):
    """Projection and sinogram, linked by a crosshair, with a slider for the views.

    `shown` reports if the widget is visible.
    """

    shown = Signal(bool)

    def __init__(self, state: DetectorState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = state
        self.radiograph, self.sinogram = RadiographView(state), SinogramView(state)
        self._panes = _Panes(state, self.views)
        self.slider = TickSlider()
        self.slider.setAccessibleName(tr("View"))
        self.slider.setToolTip(
            tr("Select the view. In an image, you can also use the wheel, PgUp and PgDn.")
        )
        self.place, self.value = LiteralLabel(), LiteralLabel()
        # The longest text sets the width, so that the slider does not move while playing.
        self.place.setMinimumWidth(
            self.place.fontMetrics().horizontalAdvance(tr("View 0000 of 0000"))
        )
        self.stage = QComboBox()
        self.stage.addItems(STAGES)
        self.stage.setAccessibleName(tr("Values as measured or after preparation"))
        self.toolbar = ViewToolbar(state)
        # Projections have no patient sides.
        self.toolbar.convention.hide()
        self._lay_out()
        self.slider.valueChanged.connect(state.go_to_view)
        for signal in (state.place_changed, state.volume_changed, state.sinogram_changed):
            signal.connect(self._show_place)
        state.cursor_changed.connect(self._show_place)
        state.volume_changed.connect(self._arrange)
        for view in self.views:
            view.pointed.connect(self._show_value)
            view.enlarge_requested.connect(lambda view=view: self.toggle_enlarged(view))
        self._show_place()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(8)
        for widget in (self.place, self.slider, self.stage):
            row.addWidget(widget, 1 if widget is self.slider else 0)
        note_row = QHBoxLayout()
        note_row.setContentsMargins(8, 0, 8, 2)
        note_row.addWidget(self.value)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._panes, 1)
        column.addLayout(row)
        column.addLayout(note_row)
        column.addWidget(self.toolbar)

    @property
    def views(self) -> tuple[DetectorView, DetectorView]:
        """Projection and sinogram."""
        return self.radiograph, self.sinogram

    @property
    def is_prepared(self) -> bool:
        """True if prepared values are requested."""
        return self.stage.currentIndex() == 1

    def toggle_enlarged(self, view: DetectorView) -> None:
        """Show one view alone, or both again.

        Parameters
        ----------
        view
            the view
        """
        # Hidden in either view means enlarged, whichever was double-clicked.
        alone = self.radiograph.isHidden() or self.sinogram.isHidden()
        for other in self.views:
            other.setVisible(other is view or alone)
        view.setFocus()

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.state.set_colours(colours)
        self.slider.colours = colours
        self.slider.update()

    def _arrange(self) -> None:
        """Put the sinogram of a wide detector below; show only a sinogram for a line detector."""
        frame = self.state.frame
        if frame is None:
            return
        (n_rows, n_columns), (width, height) = frame.shape, frame.pixel_mm
        ratio = n_columns * width / (n_rows * height * frame.taller)
        self.setFocusProxy(self.sinogram if n_rows == 1 else self.radiograph)
        stacked = ratio > WIDE
        # Columns of both images are aligned if they are below each other.
        self.sinogram.above = self.radiograph if stacked and n_rows > 1 else None
        self._panes.arrange(ratio, only_sinogram=n_rows == 1)

    def _show_place(self) -> None:
        state, frame = self.state, self.state.frame
        n = frame.n_views if frame else 0
        self.slider.setEnabled(n > 1)
        # Setting the slider would otherwise request the view again.
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(n - 1, 0))
        self.slider.setValue(state.view)
        self.slider.blockSignals(False)
        self.slider.update()
        self.place.setText(tr("View {view} of {n}", view=state.view + 1, n=n) if frame else "")
        self.place.setToolTip(literal_tip(frame.angle_text(state.view) if frame else ""))
        # The pointer may rest while the view changes, so the crosshair's value is shown.
        self._show_value(-1, -1, -1)

    def _show_value(self, view: int, row: int, column: int) -> None:
        """Show the pixel under the pointer, otherwise that under the crosshair."""
        state = self.state
        if column < 0:
            view, row, column = state.view, state.row, state.column
        note_row = state.value_text(view, row, column) if state.frame else ""
        self.value.setText(note_row[:1].upper() + note_row[1:])

    def showEvent(self, event: QShowEvent) -> None:
        self.shown.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        self.shown.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        hidden = [view for view in self.views if view.isHidden()]
        if event.key() == Qt.Key.Key_Escape and hidden:
            self.toggle_enlarged(hidden[0])
        else:
            super().keyPressEvent(event)


class _Panes(QWidget):
    """Projection and sinogram with a thin line between them."""

    def __init__(self, state: DetectorState, views: tuple[DetectorView, DetectorView]) -> None:
        super().__init__()
        self._state, self._views = state, views
        self._arranged: tuple[bool, bool] | None = None
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(SEPARATOR_PX)
        for view in views:
            self._box.addWidget(view, 1)
        state.display_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(760, 620)

    def arrange(self, ratio: float, *, only_sinogram: bool) -> None:
        """Place the views.

        Parameters
        ----------
        ratio
            width over height of a projection
        only_sinogram
            True for a detector with one row
        """
        wide = ratio > WIDE
        if (wide, only_sinogram) == self._arranged:
            return
        self._arranged = wide, only_sinogram
        direction = QBoxLayout.Direction
        self._box.setDirection(direction.TopToBottom if wide else direction.LeftToRight)
        # A very wide detector leaves more height for the sinogram.
        self._box.setStretch(0, 2 if wide and ratio > 2 * WIDE else 3)
        self._box.setStretch(1, 4 if wide and ratio > 2 * WIDE else 3)
        self._views[0].setVisible(not only_sinogram)
        self._views[1].show()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._state.colours.grid))
        painter.end()
