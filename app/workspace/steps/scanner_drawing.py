"""A drawing of a scanner, front and side: crystals, gaps and grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.language.translation import tr
from app.ui.theme.theme import Colours, Theme
from app.workspace.steps.dual_head_drawing import PanelsDrawing
from engine.geometry import DualHead, ImageGrid, Scanner

MARGIN_PX = 10
CAPTION_PX = 18
CRYSTAL_PX = 2.2
GAP_PX = (2.0, 4.0)
"""Smallest and largest mark of a gap [px]. In between, marks are 1.5 crystals wide."""


@dataclass(frozen=True)
class DrawnCrystals:
    """The drawn positions of a scanner. They stand for the other 99 % of its crystals.

    Attributes
    ----------
    front_mm : (n, 2) distinct positions x, y [mm]
    front_alive : True if a position has at least one live crystal
    rings_mm : (m,) distinct positions along z [mm]
    rings_alive : True if a ring has at least one live crystal
    radius_mm : radius of the outermost crystal [mm]
    """

    front_mm: NDArray[np.float64]
    front_alive: NDArray[np.bool_]
    rings_mm: NDArray[np.float64]
    rings_alive: NDArray[np.bool_]
    radius_mm: float

    @classmethod
    def of(cls, scanner: Scanner) -> DrawnCrystals:
        """Collect the distinct positions of crystals.

        Parameters
        ----------
        scanner
            any scanner except two heads
        """
        points, alive = scanner.positions_mm, scanner.alive
        front, front_alive = _distinct(points[:, :2], alive)
        rings, rings_alive = _distinct(points[:, 2:], alive)
        radius = float(np.hypot(points[:, 0], points[:, 1]).max())
        return cls(front, front_alive, rings[:, 0], rings_alive, radius)


def _distinct(
    points_mm: NDArray[np.float64], alive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    # Rounded to 0.1 mm: smaller distances cannot be seen, and rounding errors vanish.
    tenths, where = np.unique(np.round(points_mm * 10), axis=0, return_inverse=True)
    any_alive = np.zeros(len(tenths), bool)
    np.logical_or.at(any_alive, where.ravel(), alive)
    return tenths / 10, any_alive


class ScannerDrawing(QWidget):
    """Draws a scanner and its grid to scale."""

    def __init__(self, theme: Theme, height: int = 150) -> None:
        super().__init__()
        self._theme, self._height = theme, height
        self._scanner: Scanner | None = None
        self._crystals: DrawnCrystals | None = None
        self._grid: ImageGrid | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        # The colours are read while painting, so a repaint is sufficient.
        theme.changed.connect(self.update)

    def show_scanner(self, scanner: Scanner | None, grid: ImageGrid | None) -> None:
        """Draw a scanner.

        Parameters
        ----------
        scanner
            the scanner; None hides the drawing
        grid
            the volume; None if it is not known
        """
        # Sorting a million positions takes too long for every change of the grid.
        if scanner is not self._scanner:
            self._scanner = scanner
            is_ring = scanner is not None and not isinstance(scanner, DualHead)
            self._crystals = DrawnCrystals.of(scanner) if scanner and is_ring else None
        self._grid = grid
        self.setAccessibleName(scanner.describe() if scanner else tr("no scanner"))
        self.setVisible(scanner is not None)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(280, self._height)

    def paintEvent(self, event: QPaintEvent) -> None:
        crystals, scanner = self._crystals, self._scanner
        if isinstance(scanner, DualHead):
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            drawing = PanelsDrawing(painter, scanner, self._grid, self._theme.colours)
            drawing.draw(QRectF(self.rect()))
            painter.end()
            return
        if crystals is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        across = 2 * crystals.radius_mm
        # A scanner with one ring still needs some width in the side view.
        along = max(float(np.ptp(crystals.rings_mm)), across / 12)
        space = self.height() - CAPTION_PX - 2 * MARGIN_PX
        scale = min(space / across, (self.width() - 4 * MARGIN_PX) / (across + along))
        y = MARGIN_PX + space / 2
        spare = (self.width() - scale * (across + along)) / 3
        front = QPointF(spare + scale * across / 2, y)
        side = QPointF(2 * spare + scale * (across + along / 2), y)
        _Drawing(painter, crystals, self._grid, self._theme.colours, scale).draw(front, side)
        self._draw_captions(painter, front, side, crystals)
        painter.end()

    def _draw_captions(
        self, painter: QPainter, front: QPointF, side: QPointF, crystals: DrawnCrystals
    ) -> None:
        painter.setPen(QColor(self._theme.colours.muted))
        low = self.height() - CAPTION_PX
        length = float(np.ptp(crystals.rings_mm))
        for centre, text in (
            (front.x(), tr("Ø {diameter_mm:.0f} mm", diameter_mm=2 * crystals.radius_mm)),
            (side.x(), tr("{length:.0f} mm long", length=length)),
        ):
            place = QRectF(centre - 70, low, 140, CAPTION_PX)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


@dataclass(frozen=True)
class _Drawing:
    painter: QPainter
    crystals: DrawnCrystals
    grid: ImageGrid | None
    colours: Colours
    scale: float

    def draw(self, front: QPointF, side: QPointF) -> None:
        self._draw_grid_box(front, 0, 1)
        self._draw_grid_box(side, 2, 1)
        self._draw_front(front)
        self._draw_side(side)

    def _draw_front(self, centre: QPointF) -> None:
        arc = 2 * np.pi * self.crystals.radius_mm * self.scale / len(self.crystals.front_mm)
        gap = float(np.clip(1.5 * arc, *GAP_PX))
        # Gaps last, so that live crystals do not cover them.
        for alive, colour in ((True, self.colours.link), (False, self.colours.warning)):
            chosen = self.crystals.front_mm[self.crystals.front_alive == alive] * self.scale
            points = QPolygonF([QPointF(centre.x() + x, centre.y() + y) for x, y in chosen])
            self.painter.setPen(QPen(QColor(colour), CRYSTAL_PX if alive else gap))
            self.painter.drawPoints(points)

    def _draw_side(self, centre: QPointF) -> None:
        reach = self.crystals.radius_mm * self.scale
        # The side view is centred on the rings, wherever z = 0 is.
        middle = float(self.crystals.rings_mm.mean())
        for z, alive in zip(self.crystals.rings_mm, self.crystals.rings_alive, strict=True):
            colour = self.colours.link if alive else self.colours.warning
            self.painter.setPen(QPen(QColor(colour), CRYSTAL_PX))
            x = centre.x() + (z - middle) * self.scale
            for y in (centre.y() - reach, centre.y() + reach):
                self.painter.drawLine(QPointF(x, y - 2), QPointF(x, y + 2))

    def _draw_grid_box(self, centre: QPointF, across: int, down: int) -> None:
        if self.grid is None:
            return
        size, middle = self.grid.size_mm * self.scale, self.grid.centre_mm
        x = centre.x() + middle[across] * self.scale
        y = centre.y() + middle[down] * self.scale
        box = QRectF(0, 0, size[across], size[down])
        box.moveCenter(QPointF(x, y))
        fill = QColor(self.colours.link)
        fill.setAlphaF(0.12)
        self.painter.setPen(QPen(QColor(self.colours.muted), 1, Qt.PenStyle.DashLine))
        self.painter.setBrush(fill)
        self.painter.drawRect(box)
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
