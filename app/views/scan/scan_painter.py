"""Paint the geometry of a scan: source path, detector, rays, volume."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from app.language.translation import tr
from app.views import overlay
from app.views.colour.colours import ViewColours
from app.views.scan.scan_scene import ScanScene, SceneCamera
from app.views.slices.halo import halo_text
from app.views.text import number

Array = NDArray[np.float64]
OTHERS = 8
"""Number of other views whose detector is drawn faintly."""
MAX_POINTS = 720
DOT_PX = 4.5
AHEAD = 1 / 14
"""Position of the direction arrow, as a share of the path."""
SHORTEST_PX = 34.0
"""Least length of a line with a number [px]."""


@dataclass(frozen=True, eq=False)
class ScanPainter:
    """One drawing, with `scale` pixels per millimetre and the point `middle_mm` at the centre."""

    painter: QPainter
    scene: ScanScene
    camera: SceneCamera
    colours: ViewColours
    scale: float
    centre: QPointF
    middle_mm: Array
    unit: str

    def draw(self, view: int) -> None:
        """Draw everything from back to front.

        Parameters
        ----------
        view
            index of the highlighted view
        """
        self._draw_axis()
        self._draw_other_detectors(view)
        # The detector may be in front of the volume or behind it, depending on the camera.
        near = self.camera.seen(self.scene.corners_mm(view)).mean(axis=0)[2]
        layers: list[tuple[float, Callable[[], None]]]
        layers = [(near, partial(self._draw_detector, view)), (0.0, self._draw_box)]
        for _, paint in sorted(layers, key=lambda layer: layer[0]):
            paint()
        self._draw_paths()
        self._draw_rays(view)
        self._draw_directions(view)
        self._draw_distances(view)

    def at(self, points_mm: Array) -> list[QPointF]:
        """Return the positions of points on the screen.

        Parameters
        ----------
        points_mm
            (n, 3) [mm]
        """
        seen = self.camera.seen(points_mm - self.middle_mm) * self.scale
        return [QPointF(self.centre.x() + x, self.centre.y() - y) for x, y, _ in seen]

    def _set_pen(
        self, colour: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> None:
        self.painter.setPen(QPen(QColor(colour), width, style))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_axis(self) -> None:
        ends = self.at(self.scene.axis_mm())
        self._set_pen(self.colours.muted, 1.0, Qt.PenStyle.DashDotLine)
        self.painter.drawLine(*ends)
        self._draw_label(ends[1] + QPointF(6, 4), "z", self.colours.muted)

    def _draw_box(self) -> None:
        edges = self.scene.box_mm()
        self._set_pen(self.colours.text, 1.2)
        for edge in edges:
            self.painter.drawLine(*self.at(edge))

    def _draw_paths(self) -> None:
        n = self.scene.geometry.n_views
        # A scan may have many thousand views, more than the screen has pixels.
        some = np.unique(np.linspace(0, n - 1, min(n, MAX_POINTS)).astype(int))
        for path, colour in (
            (self.scene.detector_path_mm, self.colours.grid),
            (self.scene.source_path_mm, self.colours.warning),
        ):
            self._set_pen(colour, 1.6)
            self.painter.drawPolyline(QPolygonF(self.at(path[some])))
        first, ahead = 0, max(1, round(AHEAD * n))
        if n < 2:
            return
        places = self.scene.source_path_mm[[first, ahead - 1, ahead]]
        start, before, after = self.at(places)
        self.painter.setBrush(QColor(self.colours.canvas))
        self.painter.drawEllipse(start, DOT_PX, DOT_PX)
        self._draw_label(start + QPointF(-14, 18), tr("first view"), self.colours.muted)
        # From the side, the direction of motion may point to the viewer.
        if QLineF(before, after).length() > 0:
            line = QLineF(before, after)
            line.setLength(max(line.length(), 1.0))
            overlay.arrow(self.painter, line, self.colours.warning, self.colours.canvas)

    def _draw_other_detectors(self, view: int) -> None:
        n = self.scene.geometry.n_views
        colour = QColor(self.colours.muted)
        colour.setAlphaF(0.45)
        self._set_pen(colour.name(QColor.NameFormat.HexArgb))
        for k in np.unique(np.linspace(0, n, OTHERS, endpoint=False).astype(int)):
            if k != view:
                self.painter.drawPolygon(QPolygonF(self.at(self.scene.corners_mm(int(k)))))

    def _draw_detector(self, view: int) -> None:
        fill = QColor(self.colours.accent)
        fill.setAlphaF(0.28)
        self._set_pen(self.colours.accent, 1.8)
        self.painter.setBrush(fill)
        self.painter.drawPolygon(QPolygonF(self.at(self.scene.corners_mm(view))))

    def _draw_rays(self, view: int) -> None:
        colour = QColor(self.colours.warning)
        colour.setAlphaF(0.55)
        self._set_pen(colour.name(QColor.NameFormat.HexArgb))
        for ray in self.scene.rays_mm(view):
            self.painter.drawLine(*self.at(ray))
        source, detector = self.at(self.scene.central_mm(view))
        self._set_pen(self.colours.warning, 1.6)
        self.painter.drawLine(source, detector)
        if self.scene.geometry.beam == "cone":
            self._set_pen(self.colours.text, 1.0, Qt.PenStyle.DotLine)
            self.painter.drawLine(*self.at(self.scene.to_axis_mm(view)))
            self._set_pen(self.colours.warning)
            self.painter.setBrush(QColor(self.colours.warning))
            self.painter.drawEllipse(source, DOT_PX, DOT_PX)
        else:
            line = QLineF(source, detector)
            overlay.arrow(
                self.painter,
                QLineF(source, line.pointAt(0.12)),
                self.colours.warning,
                self.colours.canvas,
            )

    def _draw_directions(self, view: int) -> None:
        """Draw u and v from the corner of the first pixel, along the edges of the detector."""
        first, across, _, along = self.at(self.scene.corners_mm(view))
        for text, tip in (("u", across), ("v", along)):
            line = QLineF(first, tip)
            if line.length() < 4:
                continue
            # Half the edge, but long enough for a line detector with a single row.
            line.setLength(max(0.5 * line.length(), 14.0))
            overlay.arrow(self.painter, line, self.colours.text, self.colours.canvas)
            self._draw_label(line.p2() + QPointF(4, -4), text, self.colours.text)
        self._set_pen(self.colours.text)
        self.painter.setBrush(QColor(self.colours.text))
        self.painter.drawEllipse(first, 2.5, 2.5)

    def _draw_distances(self, view: int) -> None:
        """Draw the distances from source to axis and, perpendicular, to the detector."""
        # A parallel beam has no source distance.
        if self.scene.geometry.beam == "parallel":
            return
        path = self.scene.to_axis_mm(view)
        source, axis = self.at(path)
        self._set_pen(self.colours.text)
        self.painter.setBrush(QColor(self.colours.text))
        self.painter.drawEllipse(axis, 2.0, 2.0)
        detector = self.at(self.scene.central_mm(view))[1]
        whole = float(self.scene.geometry.source_detector_mm[view])
        self._draw_length(
            QLineF(source, axis),
            float(np.linalg.norm(path[1] - path[0])),
            tr("{length} to the axis"),
        )
        self._draw_length(QLineF(axis, detector), whole, tr("{length} to the detector"))

    def _draw_length(self, line: QLineF, length_mm: float, template: str) -> None:
        # Seen from the front, a distance is a point and its label would cover the drawing.
        if line.length() > SHORTEST_PX:
            text = template.format(length=f"{number(length_mm, 4)} {self.unit}")
            wide = QFontMetricsF(self.painter.font()).horizontalAdvance(text)
            self._draw_label(line.pointAt(0.5) + QPointF(-wide / 2, -7), text, self.colours.text)

    def _draw_label(self, at: QPointF, text: str, ink: str) -> None:
        halo_text(self.painter, at.x(), at.y(), text, ink, self.colours.canvas)
