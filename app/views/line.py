"""A straight line in a slice, for the line profile."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QPainter, QPen

from app.views.slices.halo import halo_pen, halo_text
from app.views.slices.slice_marks import SlicePane
from app.views.text import millimetres
from app.views.viewport import Viewport
from engine.geometry import Orientation, PlaneName, Point

NEAR_PX = 9.0
"""Distance from an end at which a press moves this end [px]."""
END_PX = 3.5
SHORTEST_PX = 4.0
"""A shorter drag counts as a click [px]."""


@dataclass(frozen=True)
class Line:
    """A line in a plane between two points [mm]."""

    plane: PlaneName
    start_mm: Point
    end_mm: Point

    @property
    def length_mm(self) -> float:
        """Length from end to end."""
        return math.dist(self.start_mm, self.end_mm)


def draw(
    painter: QPainter, line: Line, orientation: Orientation, viewport: Viewport, ink: str
) -> None:
    """Paint a line with a dot and a number at each end. Letters would look like patient sides.

    Parameters
    ----------
    painter
        an active painter
    line
        the line
    orientation
        plane of the view
    viewport
        visible part of the plane
    ink
        colour of the line
    """
    ends = [
        QPointF(*viewport.to_px(*orientation.to_screen(p))) for p in (line.start_mm, line.end_mm)
    ]
    across = QLineF(*ends)
    halo = "#c0101214"
    # The dark outline keeps the line visible over bright voxels.
    for pen in (halo_pen(halo), QPen(QColor(ink), 1.6)):
        painter.setPen(pen)
        painter.drawLine(across)
    painter.setPen(QPen(QColor(halo), 1.0))
    painter.setBrush(QColor(ink))
    for end in ends:
        painter.drawEllipse(end, END_PX, END_PX)
    along = across.unitVector()
    away = QPointF(along.dx(), along.dy()) * 13
    for letter, end, sign in (("1", ends[0], -1), ("2", ends[1], 1)):
        at = end + away * sign + QPointF(-4, 5)
        halo_text(painter, at.x(), at.y(), letter, ink, halo)


class Drawn(SlicePane, Protocol):
    """The interface of a slice view that supports drawing a line."""

    plane: PlaneName


class LineDrag:
    """Draws a line from the press, or moves the end that was pressed."""

    def __init__(self, view: Drawn, at: QPointF) -> None:
        self._view, self._from = view, at
        self._fixed, self._is_start = self._fixed_end(at)

    def _fixed_end(self, at: QPointF) -> tuple[Point, bool]:
        """Return the end that stays, and True if the pointer moves the start of the line."""
        line, viewport = self._view.state.line, self._view.viewport
        if line is not None and viewport is not None and line.plane == self._view.plane:
            to_screen = self._view.orientation.to_screen
            for fixed, other in ((line.start_mm, line.end_mm), (line.end_mm, line.start_mm)):
                place = QPointF(*viewport.to_px(*to_screen(fixed)))
                if QLineF(place, at).length() <= NEAR_PX:
                    return other, fixed is line.start_mm
        # Not near an end: a new line starts here.
        return self._view.point_at(at), False

    def move(self, at: QPointF) -> None:
        view, here = self._view, self._view.point_at(at)
        # A click must not replace the line by one of zero length.
        if QLineF(self._from, at).length() < SHORTEST_PX:
            return
        ends = (here, self._fixed) if self._is_start else (self._fixed, here)
        line = Line(view.plane, *ends)
        if line.length_mm > 0:
            view.state.set_line(line)
            view.readout = f"{millimetres(line.length_mm)} {view.state.length_unit}"
            view.update()

    def end(self) -> None:
        self._view.readout = ""
        self._view.update()
