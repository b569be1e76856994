"""A logarithmic histogram with movable window limits."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views import overlay
from app.views.colour.colour_bar import strip, ticks
from app.views.colour.volume_colours import VolumeAppearance
from app.views.literal_text import literal_tip
from app.views.text import number
from app.views.volume_facts import facts_of

MARGIN_PX, BAR_PX, GRIP_PX = 14.0, 8.0, 6.0
STEP = 0.01
"""Step of an arrow key, as a share of the range."""
LOW, HIGH, BOTH = "low", "high", "both"
TIP = tr(
    "Drag a window limit, or drag between the limits to move both. The arrow keys move the "
    "limit that you used last."
)


class HistogramView(QWidget):
    """Shows the histogram of a volume and changes its window."""

    def __init__(self, appearance: VolumeAppearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._grabbed = ""
        self._used = HIGH
        self._from = 0.0
        self._before = appearance.window
        self.setAccessibleName(tr("Histogram of the values with the window limits"))
        self.setToolTip(literal_tip(TIP))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(260, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        for signal in (
            appearance.volume_changed,
            appearance.window_changed,
            appearance.display_changed,
        ):
            signal.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(460, 200)

    @property
    def span(self) -> tuple[float, float]:
        """Values at both ends of the axis: the range of the volume and the whole window."""
        low, high = self._appearance.window
        volume = self._appearance.volume
        if volume is None:
            return low, high
        found = facts_of(volume).histogram
        return min(found.lowest, low), max(found.highest, high)

    def x_of(self, value: float) -> float:
        """Return the horizontal position of a value [px].

        Parameters
        ----------
        value
            value in the unit of the volume
        """
        low, high = self.span
        return MARGIN_PX + (value - low) / (high - low) * (self.width() - 2 * MARGIN_PX)

    def value_at(self, x: float) -> float:
        """Return the value at a horizontal position.

        Parameters
        ----------
        x
            position [px]
        """
        low, high = self.span
        return low + (x - MARGIN_PX) / (self.width() - 2 * MARGIN_PX) * (high - low)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        appearance, colours = self._appearance, self._appearance.colours
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(colours.canvas))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if appearance.volume is None:
            painter.setPen(QColor(colours.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, tr("No volume"))
        else:
            self._paint_bars(painter)
            self._paint_axis(painter)
            self._paint_ends(painter)
        if self.hasFocus():
            overlay.focus_frame(painter, QRectF(self.rect()), colours)
        painter.end()

    @property
    def _axis_y_px(self) -> float:
        return self.height() - QFontMetricsF(self.font()).height() - BAR_PX - 8

    def _paint_bars(self, painter: QPainter) -> None:
        volume = self._appearance.volume
        if volume is None:
            return
        found = facts_of(volume).histogram
        # Logarithmic: most voxels are background, and a linear scale would show nothing else.
        heights = np.log1p(found.counts) / max(np.log1p(found.counts.max()), 1e-9)
        edges = np.linspace(found.lowest, found.highest, len(heights) + 1)
        lefts = [self.x_of(float(edge)) for edge in edges]
        space = self._axis_y_px - MARGIN_PX
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._appearance.colours.muted))
        for k in np.flatnonzero(heights):
            top = self._axis_y_px - float(heights[k]) * space
            width = max(lefts[k + 1] - lefts[k], 1.0)
            painter.drawRect(QRectF(lefts[k], top, width, self._axis_y_px - top))

    def _paint_axis(self, painter: QPainter) -> None:
        appearance, metrics = self._appearance, QFontMetricsF(painter.font())
        low, high = appearance.window
        left, right = self.x_of(low), self.x_of(high)
        bar = QRectF(left, self._axis_y_px + 2, max(right - left, 1.0), BAR_PX)
        painter.drawImage(bar, strip(appearance.colour_map))
        first, last = (appearance.to_shown(end) for end in self.span)
        widest = max(metrics.horizontalAdvance(number(end, 2)) for end in (first, last))
        most = int((self.width() - 2 * MARGIN_PX) / (1.6 * widest + 8))
        painter.setPen(QColor(appearance.colours.text))
        for value in ticks(first, last, most):
            x = self.x_of(appearance.from_shown(value))
            area = QRectF(x - 40, self._axis_y_px + BAR_PX + 4, 80, metrics.height())
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, number(value))

    def _paint_ends(self, painter: QPainter) -> None:
        colours = self._appearance.colours
        for name, value in zip((LOW, HIGH), self._appearance.window, strict=True):
            x = self.x_of(value)
            is_used = name == self._used and self.hasFocus()
            painter.setPen(QPen(QColor(colours.accent), 2.6 if is_used else 1.6))
            painter.drawLine(QLineF(x, 4, x, self._axis_y_px + BAR_PX + 2))
            painter.setBrush(QColor(colours.accent))
            painter.drawEllipse(QPointF(x, 8), GRIP_PX / 1.6, GRIP_PX / 1.6)

    # Interaction

    def _grabbed_limit(self, x: float) -> str:
        low, high = (self.x_of(end) for end in self._appearance.window)
        # With equal limits the nearer one wins, so both can always be reached.
        near = min((abs(x - low), LOW), (abs(x - high), HIGH))
        if near[0] <= GRIP_PX:
            return near[1]
        return BOTH if low < x < high else near[1]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._appearance.volume is not None:
            x = event.position().x()
            self._grabbed, self._from, self._before = (
                self._grabbed_limit(x),
                x,
                self._appearance.window,
            )
            self._used = self._grabbed if self._grabbed != BOTH else self._used
            # A click next to a limit moves it at once.
            self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if not self._grabbed:
            is_end = self._grabbed_limit(x) != BOTH
            self.setCursor(
                Qt.CursorShape.SizeHorCursor if is_end else Qt.CursorShape.OpenHandCursor
            )
            return
        moved = self.value_at(x) - self.value_at(self._from)
        if self._grabbed == BOTH:
            low, high = self._before
            self._appearance.set_window(low + moved, high + moved)
        else:
            self._move_end(self._grabbed, self.value_at(x))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grabbed = ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        if key in steps:
            low, high = self.span
            end = self._appearance.window[0 if self._used == LOW else 1]
            self._move_end(self._used, end + steps[key] * STEP * (high - low))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._used = LOW if self._used == HIGH else HIGH
            self.update()
        else:
            super().keyPressEvent(event)

    def _move_end(self, end: str, value: float) -> None:
        low, high = self._appearance.window
        # The limits must not cross, so a small distance always remains.
        least = STEP / 10 * (self.span[1] - self.span[0])
        if end == LOW:
            self._appearance.set_window(min(value, high - least), high)
        else:
            self._appearance.set_window(low, max(value, low + least))
