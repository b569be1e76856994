"""A map of the counts of the detector blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, ViewColours
from app.views.literal_text import literal_tip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.geometry import Scanner

HEIGHT_PX, MIN_CELL_PX = 84, 3.0
TIP = tr("Counts in each detector block during the last second: around the ring and along the axis")
NONE = tr("No counts yet")


class BlockMap(QWidget):
    """Blocks as cells: brighter with more counts, framed if silent."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colours = DARK
        self._scanner: Scanner | None = None
        self._cells: NDArray[np.int64] = np.zeros((0, 2), np.int64)
        self.counts: NDArray[np.int64] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(literal_tip(TIP))
        self.show_counts(None, None)

    def sizeHint(self) -> QSize:
        return QSize(240, HEIGHT_PX)

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self._colours = colours
        self.update()

    @property
    def text(self) -> str:
        """Number of blocks, and how many of them are silent."""
        if self.counts is None:
            return NONE
        silent = int(np.count_nonzero(self.counts == 0))
        if not silent:
            return tr("{n_blocks} blocks, none silent", n_blocks=len(self.counts))
        return tr(
            "{n_blocks} blocks, {n_silent} silent", n_blocks=len(self.counts), n_silent=silent
        )

    def show_counts(self, scanner: Scanner | None, counts: NDArray[np.int64] | None) -> None:
        """Show the counts of blocks.

        Parameters
        ----------
        scanner
            the scanner; None clears the map
        counts
            counts of each block in the last second; None clears the map
        """
        # The positions of all crystals are read only for a new scanner.
        if scanner is not None and scanner is not self._scanner:
            self._cells = cells_of(scanner)
        self._scanner = scanner
        self.counts = None if scanner is None else counts
        self.setAccessibleName(tr("Counts in the detector blocks"))
        self.setAccessibleDescription(self.text)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, colours = QPainter(self), self._colours
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.fillRect(area, QColor(colours.canvas))
        if self.counts is None or not len(self._cells):
            painter.setPen(QColor(colours.muted))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, NONE)
        else:
            self._paint_cells(painter, area, self.counts)
        painter.setPen(QPen(QColor(colours.grid), 1.0))
        painter.drawRect(area)
        painter.end()

    def _paint_cells(self, painter: QPainter, area: QRectF, counts: NDArray[np.int64]) -> None:
        columns, rows = (int(n) + 1 for n in self._cells.max(axis=0))
        wide, high = area.width() / columns, area.height() / rows
        # Small cells without a gap, or the map would be mostly gaps.
        gap = 1.0 if min(wide, high) > MIN_CELL_PX else 0.0
        # A percentile as reference: one noisy block would make all others dark.
        typical = max(float(np.percentile(counts, 95)), 1.0)
        silent = QPen(QColor(self._colours.warning), 1.0)
        for (column, row), n in zip(self._cells, counts, strict=False):
            cell = QRectF(
                area.left() + column * wide,
                area.bottom() - (row + 1) * high,
                wide - gap,
                high - gap,
            )
            colour = QColor(self._colours.accent)
            colour.setAlphaF(min(float(n) / typical, 1.0))
            painter.fillRect(cell, colour)
            if not n:
                painter.setPen(silent)
                painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5))


def cells_of(scanner: Scanner) -> NDArray[np.int64]:
    """Return the cell of each block.

    Parameters
    ----------
    scanner
        a scanner with blocks

    Returns
    -------
    (n, 2) column around the axis and row along it
    """
    groups, at = scanner.groups, scanner.positions_mm
    n = np.maximum(np.bincount(groups), 1)
    x, y, z = (np.bincount(groups, at[:, k]) / n for k in range(3))
    # Rounded, so that blocks of one column are not split by rounding errors, and 360° is 0°.
    angles = np.round(np.degrees(np.arctan2(y, x)) % 360, 1) % 360
    _, columns = np.unique(angles, return_inverse=True)
    _, rows = np.unique(np.round(z, 1), return_inverse=True)
    return np.stack([columns, rows], axis=1).astype(np.int64)
