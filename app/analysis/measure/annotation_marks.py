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
"""Width of the border that holds the orientation letters."""
SHORT = 1e-6
CURVE_STRIDE = 4
"""Every fourth point of the smoothed curve is drawn."""
HALO = "#c0101214"


class AnnotationMarks(QObject):
    """Paint the annotations of the displayed scan, and find the one under the pointer.

    Parameters
    ----------
    model : annotations
    state : state of the views
    ask : returns a text that the user types; empty if cancelled
    """

    def __init__(self, model: AnnotationModel, state: ViewState, ask: Callable[[], str]) -> None:
        super().__init__(state)
        self._model, self._state, self._ask = model, state, ask
        # The panes repaint on this signal; marks themselves have no widget.
        model.changed.connect(state.marks_changed)
        state.add_marks(self)

    @property
    def uses_cross_cursor(self) -> bool:
        """True while the pointer draws."""
        return self._annotation_tool != "" and self._state.volume is not None

    @property
    def _annotation_tool(self) -> str:
        tool = self._model.regions.tool
        return tool if tool in ANNOTATION_TOOLS else ""

    def paint(self, painter: QPainter, pane: SlicePane, viewport: Viewport) -> None:
        """Paint the annotations in the displayed slice or slab.

        Parameters
        ----------
        painter
            active painter of the pane
        pane
            pane to paint
        viewport
            visible part of the slice
        """
        for which, found in enumerate(self._model.annotations):
            if self._is_in_slice(found, pane):
                self._draw(painter, found, pane, viewport, is_chosen=which == self._model.chosen)

    def drag(self, pane: SlicePane, at: QPointF) -> Drag | None:
        """Return the drag that starts at a point, or None.

        The selected tool draws. Without a tool the drag moves a point or a text under the pointer.

        Parameters
        ----------
        pane
            pane in which the button was pressed
        at
            pointer in the pane [px]
        """
        model = self._model
        kind: AnnotationKind | None = next(
            (k for k in ANNOTATION_TOOLS if k == self._annotation_tool), None
        )
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
        return self._drag_at(pane, pane.viewport, at)

    def _is_half_drawn(self, pane: SlicePane) -> bool:
        """Return True if the selected angle has only one leg and is in the displayed slice."""
        found = self._model.chosen_one
        return (
            found is not None
            and found.kind == "angle"
            and found.points_mm[1] == found.points_mm[2]
            and self._is_in_slice(found, pane)
        )

    def _drag_at(self, pane: SlicePane, viewport: Viewport, at: QPointF) -> Drag | None:
        # The last annotation is painted on top, so it is tested first.
        for which, found in reversed(list(enumerate(self._model.annotations))):
            if not self._is_in_slice(found, pane):
                continue
            ends = _points_px(found, pane, viewport)
            for i_point, end in enumerate(ends):
                # A text has one point, which moves with the text itself.
                if QLineF(end, at).length() <= NEAR_PX and found.kind != "text":
                    self._model.choose(which)
                    return MovePoint(pane, self._model, which, i_point)
            if self._words_box(found, ends, viewport).contains(at):
                self._model.choose(which)
                return MoveAnnotation(pane, self._model, which, at)
        return None

    def _is_in_slice(self, found: Annotation, pane: SlicePane) -> bool:
        volume, axis = self._state.volume, found.axis
        if volume is None or pane.orientation.normal != axis:
            return False
        # Slice numbers are compared, because positions in mm differ by rounding.
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
        ends, ink = _points_px(found, pane, viewport), self._state.colours.line
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
            # A dot on the tip would hide the arrowhead; intermediate points of a curve are only
            # shown for editing.
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
        # The font of the application also measures when no painter exists, as in hit tests.
        metrics = QFontMetricsF(QApplication.font())
        size = QSizeF(metrics.horizontalAdvance(words), metrics.height())
        at, direction = _free_side(found, ends)
        reach = abs(direction.x()) * size.width() / 2 + abs(direction.y()) * size.height() / 2
        box = QRectF(QPointF(), size)
        box.moveCenter(at + direction * (AWAY_PX + reach))
        width, height = viewport.size
        max_left, max_top = width - BORDER_PX - size.width(), height - BORDER_PX - size.height()
        # Texts stay inside the pane, clear of the orientation letters.
        left, top = min(box.left(), max_left), min(box.top(), max_top)
        box.moveTopLeft(QPointF(max(left, BORDER_PX), max(top, BORDER_PX)))
        return box


def _free_side(found: Annotation, ends: list[QPointF]) -> tuple[QPointF, QPointF]:
    """Return a point of an annotation, and the direction from there to free space."""
    if found.kind == "text":
        return ends[0], QPointF(1, 0)
    if found.kind in ("arrow", "curve"):
        return ends[0], _unit_vector(ends[0] - ends[1], QPointF(1, 0))
    if found.kind == "distance":
        along = _unit_vector(ends[1] - ends[0], QPointF(1, 0))
        # The text of a distance is above its line, whichever end was drawn first.
        across = QPointF(along.y(), -along.x())
        return (ends[0] + ends[1]) / 2, across if across.y() < 0 else -across
    # The text of an angle is outside, on the bisector of the legs.
    legs = [_unit_vector(end - ends[1], QPointF()) for end in (ends[0], ends[2])]
    return ends[1], _unit_vector(-(legs[0] + legs[1]), QPointF(legs[0].y(), -legs[0].x()))


def _unit_vector(direction: QPointF, other: QPointF) -> QPointF:
    """Return a unit vector, or a default direction for a zero vector."""
    length = math.hypot(direction.x(), direction.y())
    return direction / length if length > SHORT else other


def _points_px(found: Annotation, pane: SlicePane, viewport: Viewport) -> list[QPointF]:
    to_screen = pane.orientation.to_screen
    return [QPointF(*viewport.to_px(*to_screen(point))) for point in found.points_mm]


def _curve(found: Annotation, pane: SlicePane, viewport: Viewport) -> list[QPointF]:
    """Return the smoothed curve through the points [px]."""
    to_screen = pane.orientation.to_screen
    places = curve_through(found.points_mm)[::CURVE_STRIDE]
    points = [(float(x), float(y), float(z)) for x, y, z in places]
    seen = [to_screen(point) for point in (*points, found.points_mm[-1])]
    return [QPointF(*viewport.to_px(*uv)) for uv in seen]


def _draw_arc(painter: QPainter, ends: list[QPointF]) -> None:
    """Draw an arc between the legs; the shorter leg limits its radius."""
    legs = [QLineF(ends[1], end) for end in (ends[0], ends[2])]
    radius = min(ARC_PX, *(0.6 * leg.length() for leg in legs))
    start, span = legs[0].angle(), legs[0].angleTo(legs[1])
    # The arc takes the smaller of both angles.
    span = span if span <= 180 else span - 360
    if radius > 0 and math.isfinite(span):
        around = QRectF(ends[1].x() - radius, ends[1].y() - radius, 2 * radius, 2 * radius)
        # Qt counts angles in sixteenths of a degree.
        painter.drawArc(around, round(16 * start), round(16 * span))
