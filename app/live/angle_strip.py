"""A strip from 0° to 360° with the source angles of the stored views."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating]

BAR_PX, TICK_PX, SIDE_PX = 14, 4, 14
MARKS = (0, 90, 180, 270, 360)


class AngleStrip(QWidget):
    """Stored angles as a bar; gaps stay empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = DARK
        self._angles_deg: Array = np.empty(0, np.float64)
        self._newest_deg: float | None = None
        self.setAccessibleName(tr("Stored angles"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(tr("X-ray source angles of the stored views"))

    def set_colours(self, colours: ViewColours) -> None:
        """Use the colours of another theme."""
        self._colours = colours
        self.update()

    def show_angles(self, angles_rad: Array | None, newest_rad: float | None) -> None:
        """Show the angles of the stored views.

        Parameters
        ----------
        angles_rad
            source angles [rad] in any order and any turn; None: no views
        newest_rad
            angle of the newest projection [rad], drawn as a line; None: not known
        """
        angles = np.empty(0) if angles_rad is None else np.asarray(angles_rad)
        # Later rotations overlap the first one, because only the direction counts.
        self._angles_deg = np.sort(np.degrees(np.mod(angles, 2 * np.pi)))
        self._newest_deg = None if newest_rad is None else float(np.degrees(newest_rad) % 360)
        n = len(self._angles_deg)
        self.setAccessibleDescription(tr("{n} views", n=n) if n else tr("No views yet"))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, BAR_PX + TICK_PX + self.fontMetrics().height() + 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, colours = QPainter(self), self._colours
        bar = QRectF(SIDE_PX, 1, self.width() - 2 * SIDE_PX, BAR_PX)
        painter.fillRect(bar, QColor(colours.canvas))
        if len(self._angles_deg):
            # The median ignores gaps, which must stay visible.
            step = float(np.median(np.diff(self._angles_deg))) if len(self._angles_deg) > 1 else 1.0
            wide = max(bar.width() * step / 360, 1.0) + 0.5  # half a pixel closes seams
            for angle in self._angles_deg:
                left = bar.left() + bar.width() * float(angle) / 360
                # The last bar would reach beyond 360° without the intersection.
                covered = QRectF(left, bar.top(), wide, bar.height()).intersected(bar)
                painter.fillRect(covered, QColor(colours.accent))
        painter.setPen(QPen(QColor(colours.grid), 1.0))
        painter.drawRect(bar)
        self._paint_marks(painter, bar)
        painter.end()

    def _paint_marks(self, painter: QPainter, bar: QRectF) -> None:
        colours = self._colours
        painter.setPen(QColor(colours.muted))
        for mark in MARKS:
            x = bar.left() + bar.width() * mark / 360
            painter.drawLine(QPointF(x, bar.bottom()), QPointF(x, bar.bottom() + TICK_PX))
            text = QRectF(x - 24, bar.bottom() + TICK_PX, 48, self.fontMetrics().height())
            painter.drawText(text, Qt.AlignmentFlag.AlignCenter, f"{mark}°")
        if self._newest_deg is not None:
            x = bar.left() + bar.width() * self._newest_deg / 360
            painter.setPen(QPen(QColor(colours.line), 2.0))
            painter.drawLine(QPointF(x, bar.top()), QPointF(x, bar.bottom()))
