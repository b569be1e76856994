"""Pointer drags that draw and move annotations."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF

from app.analysis.measure.annotation_text import measured
from app.state.models.annotation_model import AnnotationModel
from app.views.slices.slice_marks import SlicePane
from engine.analysis.regions import Annotation, AnnotationKind
from engine.geometry import Point

SHORTEST_PX = 4.0
"""A shorter drag is a click."""
BETWEEN_PX, MAX_ON_CURVE = 24.0, 200
"""Minimum distance between points of a curve, and maximum number of points."""


class _AnnotationDrag:
    """Drag that changes one annotation in a single undo step."""

    def __init__(self, pane: SlicePane, model: AnnotationModel, which: int = -1) -> None:
        self.pane, self.model, self.which = pane, model, which
        # All changes until `end_drag` become one undo step.
        model.regions.begin_drag()

    def end(self) -> None:
        """End the drag."""
        self.model.regions.end_drag()
        self.pane.readout = ""
        self.pane.update()

    def show(self, made: Annotation) -> None:
        """Update or add the annotation, and show its value."""
        if self.which < 0:
            self.which = self.model.add(made)
        else:
            self.model.change(self.which, made)
        self.pane.readout = measured(made, self.pane.state.length_unit)
        self.pane.update()

    def show_point(self, i_point: int, at: QPointF) -> None:
        """Move a point here, within the slice of the annotation."""
        found = self.model.annotations[self.which]
        here = list(self.pane.point_at(at))
        # The pane may show a neighbouring slice of a slab; the annotation stays in its own.
        here[found.axis] = found.points_mm[0][found.axis]
        self.show(found.with_point(i_point, (here[0], here[1], here[2])))


class DrawAnnotation(_AnnotationDrag):
    """Draw a distance, an arrow, or the first leg of an angle, from the pressed point."""

    def __init__(
        self, pane: SlicePane, model: AnnotationModel, at: QPointF, kind: AnnotationKind
    ) -> None:
        self._kind, self._from, self._start = kind, at, pane.point_at(at)
        super().__init__(pane, model)

    def move(self, at: QPointF) -> None:
        """Draw to the pointer.

        Parameters
        ----------
        at
            pointer in the pane [px]; a drag shorter than `SHORTEST_PX` draws nothing
        """
        if QLineF(self._from, at).length() < SHORTEST_PX:
            return
        here = self.pane.point_at(at)
        # An angle starts with both legs at one point; equal points mark it as half drawn.
        points = (self._start, here, here) if self._kind == "angle" else (self._start, here)
        # `model_validate` instead of the constructor: the kind is only known at run time.
        values = {"kind": self._kind, "axis": self.pane.orientation.normal, "points_mm": points}
        self.show(Annotation.model_validate(values))

    def end(self) -> None:
        super().end()
        # An angle needs a second drag, so its tool stays selected.
        if self._kind != "angle" and self.which >= 0:
            self.model.regions.set_tool("")


class DrawCurve(_AnnotationDrag):
    """Draw a curve along the pointer; it is smoothed through some of its points."""

    def __init__(self, pane: SlicePane, model: AnnotationModel, at: QPointF) -> None:
        self._places, self._points = [at], [pane.point_at(at)]
        super().__init__(pane, model)

    def move(self, at: QPointF) -> None:
        """Continue the curve to the pointer.

        Parameters
        ----------
        at
            pointer in the pane [px]; ignored within `BETWEEN_PX` of the last point
        """
        # Points at every mouse event would preserve the tremor of the hand.
        is_near = QLineF(self._places[-1], at).length() < BETWEEN_PX
        if is_near or len(self._places) >= MAX_ON_CURVE:
            return
        self._places.append(at)
        self._points.append(self.pane.point_at(at))
        values = {"kind": "curve", "axis": self.pane.orientation.normal}
        self.show(Annotation.model_validate({**values, "points_mm": tuple(self._points)}))

    def end(self) -> None:
        super().end()
        if self.which >= 0:
            self.model.regions.set_tool("")


class EndAngle(_AnnotationDrag):
    """Draw the second leg of an angle to the pointer."""

    def move(self, at: QPointF) -> None:
        """Move the end of the second leg to the pointer."""
        self.show_point(2, at)

    def end(self) -> None:
        super().end()
        self.model.regions.set_tool("")


class PlaceWords:
    """Place a text where the button is released; the text is asked for then."""

    def __init__(
        self, pane: SlicePane, model: AnnotationModel, at: QPointF, ask: Callable[[], str]
    ) -> None:
        self._pane, self._model, self._ask = pane, model, ask
        self._here: Point = pane.point_at(at)

    def move(self, at: QPointF) -> None:
        """Move the position to the pointer."""
        self._here = self._pane.point_at(at)

    def end(self) -> None:
        """Ask for the text and place it; an empty text places nothing."""
        # The tool ends before the dialog opens, because its event loop could start another drag.
        self._model.regions.set_tool("")
        words = self._ask()
        if words:
            values = {"kind": "text", "points_mm": (self._here,), "text": words}
            axis = self._pane.orientation.normal
            self._model.add(Annotation.model_validate({**values, "axis": axis}))


class MovePoint(_AnnotationDrag):
    """Move one point of an annotation with the pointer."""

    def __init__(self, pane: SlicePane, model: AnnotationModel, which: int, i_point: int) -> None:
        super().__init__(pane, model, which)
        self._i_point = i_point

    def move(self, at: QPointF) -> None:
        """Move the point to the pointer."""
        self.show_point(self._i_point, at)


class MoveAnnotation(_AnnotationDrag):
    """Move a whole annotation with the pointer."""

    def __init__(self, pane: SlicePane, model: AnnotationModel, which: int, at: QPointF) -> None:
        super().__init__(pane, model, which)
        self._found, self._start = model.annotations[which], pane.point_at(at)

    def move(self, at: QPointF) -> None:
        """Move the annotation by the distance from the pressed point.

        Parameters
        ----------
        at
            pointer in the pane [px]; an unchanged position makes no undo step
        """
        x, y, z = (b - a for a, b in zip(self._start, self.pane.point_at(at), strict=True))
        # A click without a move must not become an undo step.
        if (x, y, z) != (0, 0, 0):
            self.show(self._found.moved((x, y, z)))
