"""One oblique slice with the intersection lines of the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.views import overlay
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion.fusion_text import caption_parts, warning_of
from app.views.fusion.upper_plane import UpperPlane
from app.views.gestures import Drag, PointDrag, SwipeDrag
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_scene_painter import inks
from app.views.planes.plane_text import NAMES, SIDES, edges_of, facing, place_of
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Edges, ImageGrid, Plane, Point, Rect

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating]

PARALLEL = 1e-6
"""Smallest cross product of two normals. Below it, slices are parallel or equal."""


class PlaneView(RasterView):
    """A slice. Its values come from outside; other positions are requested by signals.

    Signals
    -------
    moved : point (x, y, z) [mm] that all slices should contain
    advanced : distance [mm] that this slice alone should move along its axis
    """

    moved = Signal(object)
    advanced = Signal(float)
    has_crosshair = False

    def __init__(
        self, index: int, parent: QWidget | None = None, *, fused: ViewState | None = None
    ) -> None:
        super().__init__(ViewState(parent), NAMES[index], parent)
        self._index = index
        self._upper = None if fused is None else UpperPlane(fused, self._forget_image)
        # z grows upwards on the screen; y grows downwards, as in other views.
        self._sign = 1.0 if index == 0 else -1.0
        self.stale_note = ""
        self._plane = Plane((1, 1), 1.0, (0.0, 0.0, 0.0), *SIDES[index])
        self._placement = PlanePlacement.of((self._plane,))

    def show_slice(
        self, values: Array, plane: Plane, placement: PlanePlacement, unit: str = "1/mm"
    ) -> None:
        """Show a slice.

        Parameters
        ----------
        values
            (n_rows, n_columns)
        plane
            its position
        placement
            positions of all slices, for the intersection lines
        unit
            unit of the values
        """
        n_rows, n_columns = values.shape
        # Rows of an upright slice are flipped, so that z grows upwards.
        rows = values[:: int(self._sign)]
        self._plane, self._placement = plane, placement
        # Centred on itself, so that a rotating slice keeps zoom and window.
        grid = ImageGrid((1, n_rows, n_columns), (plane.pixel_mm,) * 3)
        made = np.ascontiguousarray(rows[None], np.float32)
        self.state.set_volume(Volume(made, grid, unit, {"axes": "xyz"}))

    def set_fused(self, on: bool) -> None:
        """Choose if the overlay applies to this slice.

        Parameters
        ----------
        on
            True if the slice belongs to the displayed volume
        """
        if self._upper is not None and on != self._upper.is_over_lower:
            self._upper.is_over_lower = on
            self.update()

    @property
    def upper(self) -> UpperPlane | None:
        """The overlay; None without one."""
        return self._upper if self._upper is not None and self._upper.is_there else None

    @property
    def shows_own(self) -> bool:
        if self.upper is None:
            return True
        fusion = self.upper.fusion
        if fusion.blinks:
            return not fusion.blinks_up
        return not fusion.compares or bool(fusion.obstacle(fusion.mode))

    def own_image(self, raster: Raster) -> QImage:
        if self.upper is None or not self.upper.is_drawn_below:
            return super().own_image(raster)
        return self.upper.own_image(raster, self.shown_window(), self.state.colour_map)

    def paint_image(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        upper = self.upper
        if upper is None or not upper.is_drawn_below:
            super().paint_image(painter, raster, viewport)
            return
        # Anatomy of the second volume is below, so it is painted first.
        self.paint_over(painter, raster, viewport)
        with upper.mixing(painter, viewport, upper.border_px(self, viewport)):
            self.paint_own(painter, raster, viewport)

    def paint_over(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        upper = self.upper
        found = upper and upper.values(self._plane, self._sign, raster.rect)
        if upper is None or not found or (upper.fusion.blinks and self.shows_own):
            return
        is_alone = not self.shows_own or upper.is_drawn_below
        swipe_px = upper.border_px(self, viewport)
        upper.paint(painter, viewport, found, is_alone=is_alone, swipe_px=swipe_px)

    def forget_raster(self) -> None:
        # The overlay is sampled in the plane of the slice, which has changed.
        if self._upper is not None:
            self._upper.forget_values()
        super().forget_raster()

    def dragged_appearance(self, *, upper: bool) -> VolumeAppearance:
        if self.upper is None:
            return self.state
        fusion = self.upper.fusion
        if fusion.compares:
            return fusion.compared
        return fusion if upper != self.upper.is_drawn_below else self.state

    def warning(self) -> str:
        return warning_of(self.upper.state) if self.upper is not None else ""

    def show_placement(self, placement: PlanePlacement) -> None:
        """Show requested positions before their images exist.

        Parameters
        ----------
        placement
            the positions
        """
        self._placement = placement
        self.update()

    def make_raster(self, volume: Volume) -> Raster:
        return Raster.of(volume.values[0], self.image_rect(volume))

    def image_rect(self, volume: Volume) -> Rect:
        (width, height), (x, y) = volume.grid.size_mm[:2], volume.grid.lower_mm[:2]
        return Rect(float(x), float(y), float(width), float(height))

    def edges(self) -> Edges:
        across, down, _ = self._plane.turn.T
        return edges_of(across, self._sign * down)

    def shown_edges(self) -> Edges:
        return self.edges()  # the patient position is unknown: axes of the scanner

    def cursor_uv(self) -> tuple[float, float]:
        return self._to_uv(self._placement.point)

    def caption(self) -> str:
        if self.state.volume is None:
            return self.accessibleName()
        # With a note, the image is older than the request, so its own position is stated.
        plane = self._plane if self.stale_note else self._requested_plane
        where = place_of(self._index, plane, self._placement.middle)
        both = caption_parts(self.upper.state, "both") if self.upper is not None else ()
        return overlay.BETWEEN.join((where, *both))

    def note(self) -> str:
        return self.stale_note or (self.upper.note() if self.upper is not None else "")

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        colours = self.state.colours
        at = QPointF(*viewport.to_px(*self.cursor_uv()))
        area = overlay.to_view(self.image_rect_now(), viewport).intersected(QRectF(self.rect()))
        painter.save()
        # The intersection lines have no ends and would run over captions.
        painter.setClipRect(area)
        for index, direction in self._intersections():
            painter.setPen(QPen(QColor(inks(colours)[index % 3]), 1.0))
            overlay.line_through(painter, at, direction, area)
        painter.restore()
        if self.upper is not None:
            self.upper.paint_border(painter, (self.width(), self.height()))
        super().paint_marks(painter, viewport)

    def image_rect_now(self) -> Rect:
        """Return the rectangle of the image [mm]; an empty one without an image."""
        return self.image_rect(self.state.volume) if self.state.volume else Rect(0, 0, 0, 0)

    def _intersections(self) -> Sequence[tuple[int, QPointF]]:
        """Return the other slices and the screen directions of their intersection lines."""
        found = list[tuple[int, QPointF]]()
        across, down, normal = self._plane.turn.T
        for index in range(len(self._placement.planes)):
            direction = np.cross(self._placement.normal(index), normal)
            if index != self._index and np.linalg.norm(direction) > PARALLEL:
                found.append((index, QPointF(direction @ across, self._sign * (direction @ down))))
        return found

    def primary_drag(self, at: QPointF) -> Drag:
        upper = self.upper
        if upper is not None and upper.is_on_border(at, self.width()):
            return SwipeDrag(self, self.width(), upper.fusion)
        return PointDrag(self._point_at)

    def _point_at(self, at: QPointF) -> None:
        self._request_slices_at(*self.to_mm(at))

    def step(self, n_notches: int) -> None:
        # Along the axis and not the normal, so that PgUp increases the coordinate in every slice.
        self.advanced.emit(n_notches * facing(self._index) * self._plane.pixel_mm)

    def step_arrow(self, right: int, down: int) -> None:
        u, v = self.cursor_uv()
        self._request_slices_at(u + right * self._plane.pixel_mm, v + down * self._plane.pixel_mm)

    @property
    def _requested_plane(self) -> Plane:
        planes = self._placement.planes
        return planes[self._index] if self._index < len(planes) else self._plane

    def _to_uv(self, point: Point) -> tuple[float, float]:
        """Return (u, v) [mm] of a point, or of its foot on the slice, from the centre."""
        across, down, _ = self._plane.turn.T
        away = np.array(point) - self._plane.centre_mm
        return float(across @ away), self._sign * float(down @ away)

    def _request_slices_at(self, u: float, v: float) -> None:
        """Ask for slices through a place of the slice that is wanted."""
        across, down, normal = self._plane.turn.T
        centre = np.array(self._plane.centre_mm)
        height = float(normal @ (self._requested_plane.centre_mm - centre))
        x, y, z = centre + u * across + self._sign * v * down + height * normal
        self.moved.emit((float(x), float(y), float(z)))
