"""Annotations over the slices: painting and hit testing."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QLineF, QObject, QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QApplication

from app.analysis.measure.annotation_drags import (
    DrawAnnotation,
    DrawCurve,
    EndAngle,
    MoveAnnotation,
    MovePoint,
    PlaceWords,
)
from app.analysis.measure.annotation_text import label_text
from app.state.models.annotation_model import ANNOTATION_TOOLS, AnnotationModel
from app.views import overlay
from app.views.gestures import Drag
from app.views.planes.plane_geometry import slice_index
from app.views.slices.halo import halo_pen, halo_text
from app.views.slices.slice_marks import SlicePane
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.analysis.quality import curve_through
from engine.analysis.regions import Annotation, AnnotationKind

NEAR_PX, END_PX, CHOSEN_END_PX = 9.0, 2.5, 4.0
ARC_PX, AWAY_PX = 22.0, 9.0
LINE_PX = 1.6
BORDER_PX = 26.0
"""The letters at the edges have this much room."""
SHORT = 1e-6
CURVE_STRIDE = 4
"""One in so many places that a curve is smoothed through is drawn."""
HALO = "#c0101214"


class AnnotationMarks(QObject):
    """Paints the annotations of the scan on show, and hands the pointer what it holds.

    Parameters
    ----------
    model : the annotations
    state : what the slices show
    ask : returns words that the user types; empty if none
    """

    def __init__(self, model: AnnotationModel, state: ViewState, ask: Callable[[], str]) -> None:
        super().__init__(state)
        self._model, self._state, self._ask = model, state, ask
        model.changed.connect(state.marks_changed)
        state.add_marks(self)

    @property
    def uses_cross_cursor(self) -> bool:
        """True while the pointer draws."""
        return self._tool != "" and self._state.volume is not None

    @property
    def _tool(self) -> str:
        tool = self._model.regions.tool
        return tool if tool in ANNOTATION_TOOLS else ""

    def paint(self, painter: QPainter, pane: SlicePane, viewport: Viewport) -> None:
        """Paint the annotations in the displayed slice or slab."""
        for which, found in enumerate(self._model.annotations):
            if self._is_on(found, pane):
                self._draw(painter, found, pane, viewport, is_chosen=which == self._model.chosen)

    def drag(self, pane: SlicePane, at: QPointF) -> Drag | None:
        """Draw with the tool that is chosen; or move an end, or words."""
        model = self._model
        kind: AnnotationKind | None = next((k for k in ANNOTATION_TOOLS if k == self._tool), None)
        if self._state.volume is None or pane.viewport is None:
            return None
        if kind == "text":
            return PlaceWords(pane, model, at, self._ask)
        if kind == "angle" and self._is_half_drawn(pane):
            return EndAngle(pane, model, model.chosen)
        if kind == "curve":
            return DrawCurve(pane, model, at)
        if kind is not None:
            return DrawAnnotation(pane, model, at, kind)
        return self._held(pane, pane.viewport, at)

    def _is_half_drawn(self, pane: SlicePane) -> bool:
        """True if the chosen angle lacks its other leg, in the slice on show."""
        found = self._model.chosen_one
        return (
            found is not None
            and found.kind == "angle"
            and found.points_mm[1] == found.points_mm[2]
            and self._is_on(found, pane)
        )

    def _held(self, pane: SlicePane, viewport: Viewport, at: QPointF) -> Drag | None:
        for which, found in reversed(list(enumerate(self._model.annotations))):
            if not self._is_on(found, pane):
                continue
            ends = _ends(found, pane, viewport)
            for i_point, end in enumerate(ends):
                if QLineF(end, at).length() <= NEAR_PX and found.kind != "text":
                    self._model.choose(which)
                    return MovePoint(pane, self._model, which, i_point)
            if self._words_box(found, ends, viewport).contains(at):
                self._model.choose(which)
                return MoveAnnotation(pane, self._model, which, at)
        return None

    def _is_on(self, found: Annotation, pane: SlicePane) -> bool:
        volume, axis = self._state.volume, found.axis
        if volume is None or pane.orientation.normal != axis:
            return False
        here, there = (
            slice_index(volume.grid, axis, point[axis])
            for point in (pane.plane_point, found.points_mm[0])
        )
        return there in self._state.slab_now.range(volume.grid, axis, here)

    def _draw(
        self,
        painter: QPainter,
        found: Annotation,
        pane: SlicePane,
        viewport: Viewport,
        *,
        is_chosen: bool,
    ) -> None:
        ends, ink = _ends(found, pane, viewport), self._state.colours.line
        path = _curve(found, pane, viewport) if found.kind == "curve" else ends
        if found.kind == "arrow":
            overlay.arrow(painter, QLineF(*ends), ink, HALO)
        else:
            for pen in (halo_pen(HALO), QPen(QColor(ink), LINE_PX)):
                painter.setPen(pen)
                painter.drawPolyline(path)
                if found.kind == "angle":
                    _draw_arc(painter, ends)
        if found.kind != "text" or is_chosen:
            radius = CHOSEN_END_PX if is_chosen else END_PX
            painter.setPen(QPen(QColor(HALO), 1.0))
            painter.setBrush(QColor(ink))
            n_seen = 1 if found.kind in ("arrow", "curve") and not is_chosen else len(ends)
            for end in ends[:n_seen]:
                painter.drawEllipse(end, radius, radius)
        box = self._words_box(found, ends, viewport)
        metrics = QFontMetricsF(painter.font())
        words = label_text(found, self._state.length_unit)
        halo_text(painter, box.left(), box.top() + metrics.ascent(), words, ink, HALO)

    def _words_box(self, found: Annotation, ends: list[QPointF], viewport: Viewport) -> QRectF:
        """Return the position of the text on the free side of the annotation."""
        words = label_text(found, self._state.length_unit)
        metrics = QFontMetricsF(QApplication.font())
        size = QSizeF(metrics.horizontalAdvance(words), metrics.height())
        at, way = _free_side(found, ends)
        reach = abs(way.x()) * size.width() / 2 + abs(way.y()) * size.height() / 2
        box = QRectF(QPointF(), size)
        box.moveCenter(at + way * (AWAY_PX + reach))
        width, height = viewport.size
        most_left, most_top = width - BORDER_PX - size.width(), height - BORDER_PX - size.height()
        left, top = min(box.left(), most_left), min(box.top(), most_top)
        box.moveTopLeft(QPointF(max(left, BORDER_PX), max(top, BORDER_PX)))
        return box


def _free_side(found: Annotation, ends: list[QPointF]) -> tuple[QPointF, QPointF]:
    """Return a point of an annotation, and the direction from there to free space."""
    if found.kind == "text":
        return ends[0], QPointF(1, 0)
    if found.kind in ("arrow", "curve"):
        return ends[0], _unit(ends[0] - ends[1], QPointF(1, 0))
    if found.kind == "distance":
        along = _unit(ends[1] - ends[0], QPointF(1, 0))
        across = QPointF(along.y(), -along.x())
        return (ends[0] + ends[1]) / 2, across if across.y() < 0 else -across
    legs = [_unit(end - ends[1], QPointF()) for end in (ends[0], ends[2])]
    return ends[1], _unit(-(legs[0] + legs[1]), QPointF(legs[0].y(), -legs[0].x()))


def _unit(way: QPointF, other: QPointF) -> QPointF:
    """Return a unit vector, or a default direction for a zero vector."""
    length = math.hypot(way.x(), way.y())
    return way / length if length > SHORT else other


def _ends(found: Annotation, pane: SlicePane, viewport: Viewport) -> list[QPointF]:
    to_screen = pane.orientation.to_screen
    return [QPointF(*viewport.to_px(*to_screen(point))) for point in found.points_mm]


def _curve(found: Annotation, pane: SlicePane, viewport: Viewport) -> list[QPointF]:
    """Return a curve as it is smoothed through its points."""
    to_screen = pane.orientation.to_screen
    places = curve_through(found.points_mm)[::CURVE_STRIDE]
    points = [(float(x), float(y), float(z)) for x, y, z in places]
    seen = [to_screen(point) for point in (*points, found.points_mm[-1])]
    return [QPointF(*viewport.to_px(*uv)) for uv in seen]


def _draw_arc(painter: QPainter, ends: list[QPointF]) -> None:
    """An arc between the legs, as far from the corner as the shorter one allows."""
    legs = [QLineF(ends[1], end) for end in (ends[0], ends[2])]
    radius = min(ARC_PX, *(0.6 * leg.length() for leg in legs))
    start, span = legs[0].angle(), legs[0].angleTo(legs[1])
    span = span if span <= 180 else span - 360
    if radius > 0 and math.isfinite(span):
        around = QRectF(ends[1].x() - radius, ends[1].y() - radius, 2 * radius, 2 * radius)
        painter.drawArc(around, round(16 * start), round(16 * span))
