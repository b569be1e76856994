"""A slider over the stored iterates."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShortcut,
)
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QSlider, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import literal_tip
from app.views.slices.labels import ElidedLabel
from app.views.text import image_title

HANDLE_PX = 7.0  # radius
DOT_PX = 3.0  # radius
NAME_PX = 240  # longest name of an image
NO_ITERATES = tr("No iterations yet")
CLOSEST_DOTS_PX = 9.0  # nearer than this, dots would run together


class TickSlider(QSlider):
    """A horizontal slider with a dot per position. A click selects the nearest one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.colours = DARK
        self.setRange(0, 0)
        self.setPageStep(1)
        self.setMinimumWidth(80)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(200, 24)

    def centre_of(self, position: int) -> QPointF:
        """Return the centre of a position on the track.

        Parameters
        ----------
        position
            its index; a single one is at the right end
        """
        part = position / self.maximum() if self.maximum() else 1.0
        inset = HANDLE_PX + 2
        return QPointF(inset + part * (self.width() - 2 * inset), self.height() / 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # QSlider would move by a page; here a click goes directly to a position.
        if event.button() == Qt.MouseButton.LeftButton:
            self._select_at(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._select_at(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def _select_at(self, x_px: float) -> None:
        inset = HANDLE_PX + 2
        # Clipped, so that a drag beyond the track keeps the first or last position.
        part = (x_px - inset) / max(self.width() - 2 * inset, 1)
        self.setValue(round(min(max(part, 0.0), 1.0) * self.maximum()))

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = self.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left, right, here = self.centre_of(0), self.centre_of(self.maximum()), self._handle_centre()
        if self.maximum() == 0:
            left = QPointF(HANDLE_PX + 2, right.y())
        painter.setPen(QPen(QColor(colours.muted), 2, c=Qt.PenCapStyle.RoundCap))
        painter.drawLine(left, right)
        if self.isEnabled():
            painter.setPen(QPen(QColor(colours.accent), 3, c=Qt.PenCapStyle.RoundCap))
            painter.drawLine(left, here)
            self._paint_dots(painter)
            painter.setPen(QPen(QColor(colours.text if self.hasFocus() else colours.accent), 2))
            painter.setBrush(QColor(colours.canvas))
            painter.drawEllipse(here, HANDLE_PX - 1, HANDLE_PX - 1)
        painter.end()

    def _handle_centre(self) -> QPointF:
        return self.centre_of(self.value())

    def _paint_dots(self, painter: QPainter) -> None:
        # Dots that touch each other would look like a thick line.
        if (self.width() - 2 * HANDLE_PX) / max(self.maximum(), 1) < CLOSEST_DOTS_PX:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        for position in range(self.maximum() + 1):
            passed = position <= self.value()
            painter.setBrush(QColor(self.colours.accent if passed else self.colours.muted))
            painter.drawEllipse(self.centre_of(position), DOT_PX, DOT_PX)


class IterationScrubber(QWidget):
    """Selects a stored iterate. At the right end it follows new ones.

    `iterate_selected` carries the index of each displayed iterate, whether it was selected or
    followed.
    """

    iterate_selected = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: list[str] = []
        self._waiting = NO_ITERATES
        self.slider = TickSlider()
        self.slider.setAccessibleName(tr("Iteration"))
        self.slider.setToolTip(tr("Select a saved iteration (keys [ and ])"))
        self.latest = QPushButton(tr("Latest"))
        # The button is only visible for earlier images, and the slider keeps its width.
        policy = self.latest.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.latest.setSizePolicy(policy)
        self._text = ElidedLabel(mode=Qt.TextElideMode.ElideMiddle)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(8)
        row.addWidget(self._text)
        row.addWidget(self.slider, 1)
        row.addWidget(self.latest)
        self.slider.valueChanged.connect(self._on_value)
        self.latest.clicked.connect(lambda: self.show_latest())
        for key, direction in (("[", -1), ("]", 1)):
            QShortcut(QKeySequence(key), self).activated.connect(
                lambda direction=direction: self.step(direction)
            )
        self._refresh()

    def set_iterates(self, labels: list[str], waiting: str = NO_ITERATES) -> None:
        """Replace all iterates and show the last.

        Parameters
        ----------
        labels
            names such as "iteration 1 of 4"
        waiting
            text if there are none
        """
        self._labels, self._waiting = list(labels), waiting
        self._move_to(len(labels) - 1)

    def append(self, label: str) -> None:
        """Add a new iterate. It is displayed unless the user has selected an older one.

        Parameters
        ----------
        label
            its name
        """
        # Checked before the label is added, which changes the last index.
        follows = self.is_live
        self._labels.append(label)
        if follows:
            self._move_to(len(self._labels) - 1)
        else:
            self.slider.setMaximum(len(self._labels) - 1)
            self._refresh()

    def current(self) -> int:
        """Index of the displayed iterate, −1 if there are none."""
        return self.slider.value() if self._labels else -1

    @property
    def is_live(self) -> bool:
        """True if the latest iterate is displayed, so that new ones follow."""
        return self.current() == len(self._labels) - 1

    def step(self, n: int) -> None:
        """Move the selection.

        Parameters
        ----------
        n
            number of iterates, negative for earlier ones
        """
        self.slider.setValue(self.slider.value() + n)

    def show_latest(self) -> None:
        """Show the latest iterate and follow new ones."""
        self.slider.setValue(self.slider.maximum())

    def text(self) -> str:
        """Return the text next to the slider."""
        if not self._labels:
            return self._waiting
        label = self._labels[self.current()]
        return image_title(label)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.slider.colours = colours
        self.slider.update()

    def _move_to(self, index: int) -> None:
        """Change the range, then select, with a single signal."""
        self.slider.blockSignals(True)
        self.slider.setMaximum(max(len(self._labels) - 1, 0))
        self.slider.setValue(max(index, 0))
        self.slider.blockSignals(False)
        self._refresh()
        if self._labels:
            self.iterate_selected.emit(self.current())

    def _on_value(self, index: int) -> None:
        self._refresh()
        self.iterate_selected.emit(index)

    def _refresh(self) -> None:
        self.slider.setEnabled(bool(self._labels))
        self.latest.setVisible(not self.is_live)
        follows = tr("The view follows the latest iteration")
        welcome_lists = tr("Show the latest iteration and follow new ones")
        self.latest.setToolTip(literal_tip(follows if self.is_live else welcome_lists))
        # A minimum width for common labels, so that the slider does not move with each iteration.
        typical_px = self.fontMetrics().horizontalAdvance(tr("Iteration 00 of 00"))
        self._text.show_within(self.text(), typical_px, NAME_PX)
        self.slider.update()
