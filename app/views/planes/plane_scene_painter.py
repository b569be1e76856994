"""Paint planes in a box: images, occlusion, frames and handles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPolygonF, QTransform

from app.views import overlay
from app.views.colour.colours import ViewColours
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_scene import back_to_front, box_edges, corners_of, handles_of
from app.views.scan.scan_scene import SceneCamera
from engine.geometry import Plane

Array = NDArray[np.float64]
HANDLE_PX = 5.5
ARROW_PX = 34.0


def inks(colours: ViewColours) -> tuple[str, str, str]:
    """Return the colours of the slices across z, y and x.

    Parameters
    ----------
    colours
        colours of the theme
    """
    return colours.accent, colours.line, colours.crosshair


@dataclass(frozen=True)
class PlacedImage:
    """A coloured image (rows, columns) and the position of its slice."""

    image: QImage
    plane: Plane


@dataclass(frozen=True)
class ScreenMap:
    """Maps points in space to the screen.

    Attributes
    ----------
    camera : viewing direction
    middle : point (3,) that is painted at `centre`
    centre : position on the screen [px]
    px_per_mm : scale
    """

    camera: SceneCamera
    middle: Array
    centre: QPointF
    px_per_mm: float

    def points(self, points_mm: Array) -> list[QPointF]:
        """Map points to the screen.

        Parameters
        ----------
        points_mm
            (n, 3) [mm]
        """
        seen = self.camera.seen(points_mm - self.middle)[:, :2] * self.px_per_mm
        return [self.centre + QPointF(float(x), -float(y)) for x, y in seen]

    def direction(self, direction: Array) -> QPointF:
        """Map a vector to the screen.

        Parameters
        ----------
        direction
            (3,) [mm]

        Returns
        -------
        vector [px]
        """
        x, y, _ = self.camera.seen(direction) * self.px_per_mm
        return QPointF(float(x), -float(y))

    def place(self, at: QPointF) -> Array:
        """Map a position on the screen to the plane of the camera.

        Parameters
        ----------
        at
            position [px]

        Returns
        -------
        (2,) right and up [mm]
        """
        x, y = (at - self.centre).toTuple()
        middle = self.camera.seen(self.middle)[:2]
        return np.asarray(middle + np.array([x, -y]) / self.px_per_mm)


def paint_scene(
    painter: QPainter,
    placement: PlanePlacement,
    images: Sequence[PlacedImage],
    to_screen: ScreenMap,
    colours: ViewColours,
) -> None:
    """Paint the box and its slices.

    Parameters
    ----------
    painter
        an active painter
    placement
        the requested slices
    images
        images of slices, perhaps at older positions; empty for plain planes
    to_screen
        map to the screen
    colours
        colours of the theme
    """
    behind, others = box_edges(placement, to_screen.camera)
    _lines(painter, behind, to_screen, colours.grid)
    # Images may be older than the placement. Each is painted at the position that it shows.
    shown = [each.plane for each in images] or list(placement.planes)
    # Painter's algorithm: nearer pieces simply cover those behind.
    for piece in back_to_front(shown, to_screen.camera):
        polygon = QPolygonF(to_screen.points(piece.corners_mm))
        painter.setPen(Qt.PenStyle.NoPen)
        brush = QBrush(QColor(colours.plate))
        if images:
            brush = _texture(images[piece.index], to_screen)
        # Antialiasing would show seams between pieces.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setBrush(brush)
        painter.drawPolygon(polygon)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(inks(colours)[piece.index % 3]), 1.0))
        painter.drawPolygon(polygon)
    _lines(painter, others, to_screen, colours.muted, 0.7)


def paint_handles(
    painter: QPainter, plane: Plane, ink: str, to_screen: ScreenMap, colours: ViewColours
) -> None:
    """Paint frame, normal and handles of the selected slice.

    Parameters
    ----------
    painter
        an active painter
    plane
        the slice
    ink
        its colour
    to_screen
        map to the screen
    colours
        colours of the theme
    """
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(ink), 2.0))
    painter.drawPolygon(QPolygonF(to_screen.points(corners_of(plane))))
    (centre,) = to_screen.points(np.array([plane.centre_mm]))
    normal = plane.turn[:, 2] * (-1.0 if plane.turn[:, 2] @ to_screen.camera.axes[2] < 0 else 1.0)
    tip = centre + to_screen.direction(normal) * (ARROW_PX / to_screen.px_per_mm)
    # A normal towards the viewer would be a dot with an arrow head in a random direction.
    if QLineF(centre, tip).length() > HANDLE_PX:
        overlay.arrow(painter, QLineF(centre, tip), ink, colours.canvas)
    painter.setPen(QPen(QColor(colours.canvas), 1.5))
    painter.setBrush(QColor(ink))
    for at in to_screen.points(handles_of(plane)):
        painter.drawEllipse(at, HANDLE_PX, HANDLE_PX)


def _texture(placed: PlacedImage, to_screen: ScreenMap) -> QBrush:
    plane, image = placed.plane, placed.image
    n_rows, n_columns = plane.shape
    (first,) = to_screen.points(corners_of(plane)[:1])
    across = to_screen.direction(plane.turn[:, 0] * plane.pixel_mm * n_columns / image.width())
    down = to_screen.direction(plane.turn[:, 1] * plane.pixel_mm * n_rows / image.height())
    brush = QBrush(image)
    # Parallel projection is affine, so one transform places the whole image.
    brush.setTransform(QTransform(across.x(), across.y(), down.x(), down.y(), first.x(), first.y()))
    return brush


def _lines(
    painter: QPainter, edges_mm: Array, to_screen: ScreenMap, ink: str, width: float = 1.0
) -> None:
    painter.setPen(QPen(QColor(ink), width))
    ends = [to_screen.points(edge) for edge in edges_mm]
    painter.drawLines([QLineF(a, b) for a, b in ends])
