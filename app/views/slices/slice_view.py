"""One orthogonal slice through the cursor."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Literal

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.language.keys import name_of_key
from app.language.translation import tr
from app.views import line, overlay
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion.comparing import COMPARING
from app.views.fusion.fusion_text import caption_parts, note_of, values_text, warning_of
from app.views.fusion.upper_slice import UpperSlice
from app.views.gestures import Drag, PointDrag, SwipeDrag
from app.views.overlay import BETWEEN
from app.views.planes.plane_geometry import slice_index
from app.views.slices.plane_cache import slice_of
from app.views.slices.slab import SlabCutter
from app.views.state import ViewState
from app.views.text import millimetres
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Edges, ImageGrid, Orientation, PlaneName, Point, Rect, orientation

Part = Literal["both", "upper", "difference"]
VIEW_NAMES: dict[PlaneName, str] = {
    "axial": tr("Axial view"),
    "coronal": tr("Coronal view"),
    "sagittal": tr("Sagittal view"),
}
UPPER_NAMES: dict[PlaneName, str] = {
    "axial": tr("Axial view, second volume"),
    "coronal": tr("Coronal view, second volume"),
    "sagittal": tr("Sagittal view, second volume"),
}
DIFFERENCE_NAMES: dict[PlaneName, str] = {
    "axial": tr("Axial view, difference"),
    "coronal": tr("Coronal view, difference"),
    "sagittal": tr("Sagittal view, difference"),
}
NAMES = {"both": VIEW_NAMES, "upper": UPPER_NAMES, "difference": DIFFERENCE_NAMES}
POINTER_PX, EDGE_PX = 14.0, 4.0
"""Distance of the value from the pointer, and from the edges of the view."""
STATED_REMARK = tr("patient position set manually")
COMPARED_REMARK = tr("compared slice by slice")
ASKEW_REMARK = tr("single slice of the upper volume (oblique)")
BOX_REMARK = tr("dashed: reconstructed volume")


@lru_cache(maxsize=64)
def _rect_of(orientation: Orientation, grid: ImageGrid) -> Rect:
    """Return the area of the slices of a grid. Linked views ask for it many times in a paint."""
    return orientation.rect(grid)


class SliceView(RasterView):
    """The axial, coronal or sagittal slice through the cursor.

    With a second volume, `part` selects the content: "both" for the fused image, or "upper" and
    "difference" for the second volume or the difference alone, next to a view of the first one.
    """

    tracks_pointer = True
    shows_handles = True

    def __init__(
        self,
        state: ViewState,
        plane: PlaneName,
        parent: QWidget | None = None,
        *,
        part: Part = "both",
        cutters: tuple[SlabCutter, SlabCutter] | None = None,
    ) -> None:
        super().__init__(state, NAMES[part][plane], parent)
        self.plane, self.part = plane, part
        self.pointer_text = ""
        self._pointer: QPointF | None = None
        # The tiles of a light box share their cutters, so that neighbours reuse slices.
        self._cutter, of_upper = cutters or (SlabCutter(), SlabCutter())
        self._upper = UpperSlice(state, of_upper, is_difference=part == "difference")
        self._orientation = self._current_orientation()
        self._shown_index: int | None = None
        self._depth_mm = 0.0
        self._cursor_before = state.cursor_mm
        for signal in (state.line_changed, state.marks_changed):
            signal.connect(self._on_line)
        fusion = state.fusion
        fusion.volume_changed.connect(self._follow_fusion)
        state.slab_changed.connect(self.forget_raster)
        for appearance in (fusion, fusion.compared):
            appearance.window_changed.connect(self._forget_upper_window)
            appearance.display_changed.connect(self._forget_upper_colours)
        fusion.mixing_changed.connect(self.update)

    @property
    def orientation(self) -> Orientation:
        """Orientation of the plane on the screen."""
        return self._orientation

    def make_raster(self, volume: Volume) -> Raster:
        orientation = self._orientation
        # Remembered, to recompute only if the cursor moves to another slice.
        self._shown_index = self._index(volume)
        index, slab = self._shown_index, self.state.slab_now
        if not slab.kind:
            return Raster.of(slice_of(volume, orientation, index), self.image_rect(volume))
        thick = self._cutter.cut(volume, orientation.normal, index, slab)
        return Raster.of(orientation.extract(thick, 0), self.image_rect(volume))

    def image_rect(self, volume: Volume) -> Rect:
        return _rect_of(self._orientation, volume.grid)

    def edges(self) -> Edges:
        return self._orientation.edges

    def cursor_uv(self) -> tuple[float, float]:
        return self._orientation.to_screen(self.state.cursor_mm)

    def caption(self) -> str:
        title = name_of_key(self.plane)
        volume = self.state.volume
        if volume is None:
            return title
        normal, unit = self._orientation.normal, self.state.length_unit
        at = millimetres(self.plane_point[normal])
        thick = self.state.slab_now.describe(volume.grid, normal, self._index(volume), unit)
        parts = [f"{title}   {'xyz'[normal]} {at} {unit}", thick]
        return BETWEEN.join(filter(None, (*parts, *caption_parts(self.state, self.part))))

    def warning(self) -> str:
        fusion = self.state.fusion
        # Both volumes next to each other are shown as they are; the row above the views says why
        # there is no difference.
        return fusion.warning if fusion.is_side_by_side else warning_of(self.state)

    def note(self) -> str:
        fusion = self.state.fusion
        # The most specific note wins: there is space for a single line.
        is_compared = fusion.mode in COMPARING or fusion.is_compared
        if fusion.has_values and self.state.slab.kind and is_compared:
            return COMPARED_REMARK
        if fusion.has_values and self.state.slab.kind and not fusion.placing.is_straight:
            return ASKEW_REMARK
        if self.state.note:
            return self.state.note
        if limits := note_of(self.state, self.part):
            return limits
        if self.state.box is not None:
            return BOX_REMARK
        blurred = self.state.blurred_axis
        turned = self.state.turn_of(self.plane).describe()
        if self.state.is_stated:
            turned = ", ".join(filter(None, (turned, STATED_REMARK)))
        if blurred is None or blurred == self._orientation.normal:
            return turned
        return tr("blurred along the {value} axis", value="xyz"[blurred]) + (
            f", {turned}" if turned else ""
        )

    @property
    def plane_point(self) -> Point:
        """A point of the displayed slice [mm]."""
        return self.state.cursor_mm

    @property
    def shows_own(self) -> bool:
        fusion = self.state.fusion
        if self.part != "both":
            return False
        if fusion.blinks:
            return not fusion.blinks_up
        # Two volumes that cannot be compared leave the first one on the screen.
        return not fusion.compares or bool(fusion.obstacle(fusion.mode))

    @property
    def shows_upper(self) -> bool:
        """True if the upper volume or the comparison is painted."""
        fusion = self.state.fusion
        if self.part != "both":
            return True
        return not fusion.is_side_by_side and (fusion.blinks_up or not fusion.blinks)

    def dragged_appearance(self, *, upper: bool) -> VolumeAppearance:
        fusion = self.state.fusion
        if fusion.compares or self.part == "difference":
            return fusion.compared
        # The upper image on the screen is the first volume in this case.
        if self.is_mixed_over:
            return self.state if upper else fusion
        is_upper = self.part == "upper" or (upper and self.shows_upper)
        return fusion if is_upper and fusion.has_values else self.state

    @property
    def is_mixed_over(self) -> bool:
        """True if the first volume is painted over the second one, which shows anatomy."""
        return self.part == "both" and self.state.fusion.is_blended_below

    @property
    def fills_view(self) -> bool:
        return self.shows_own and not self.is_mixed_over

    def own_image(self, raster: Raster) -> QImage:
        if not self.is_mixed_over:
            return super().own_image(raster)
        return self._upper.own_image(raster, self.shown_window(), self.state.colour_map)

    def paint_image(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        if not self.is_mixed_over:
            super().paint_image(painter, raster, viewport)
            return
        self.paint_over(painter, raster, viewport)
        with self._upper.mixing(painter, viewport, self._upper.border_px(self, viewport)):
            self.paint_own(painter, raster, viewport)

    def paint_over(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        if not self.shows_upper or not self.state.fusion.has_values:
            return
        at = self.plane_point
        found = self._upper.values(self._orientation, raster.values, raster.rect, at)
        if found is not None:
            is_alone = not self.shows_own or self.is_mixed_over
            at_px = self._upper.border_px(self, viewport)
            self._upper.paint(painter, viewport, found, is_alone=is_alone, swipe_px=at_px)

    def forget_raster(self) -> None:
        self._reorient()
        self._upper.forget_values()
        self._cutter.keep_only(self.state.volume if self.state.slab_now.kind else None)
        super().forget_raster()

    def _follow_fusion(self) -> None:
        if self.state.slab.kind:  # a comparison does not use slabs
            self.forget_raster()
        self._forget_upper()

    def _forget_upper(self) -> None:
        self._upper.forget_values()
        self._forget_image()  # its transparency depends on the other volume

    def _forget_upper_window(self) -> None:
        # The first volume keeps its colours.
        self._upper.forget_colours()
        self.update()

    def _forget_upper_colours(self) -> None:
        self._upper.forget_colours()
        self._forget_image()

    def primary_drag(self, at: QPointF) -> Drag:
        if self.part == "both" and self._upper.is_on_border(at, self.width()):
            return SwipeDrag(self, self.width(), self.state.fusion)
        # A double-click enlarges the view and must not leave the cursor elsewhere.
        self._cursor_before = self.state.cursor_mm
        if self.state.draws_lines:
            return line.LineDrag(self, at)
        # The last marks are painted on top, so they get the press first.
        for marks in reversed(self.state.marks):
            drag = marks.drag(self, at)
            if drag is not None:
                return drag
        return PointDrag(self._move_cursor_to)

    def undo_click(self) -> None:
        self.state.set_cursor(self._cursor_before)

    def step(self, n_notches: int) -> None:
        self.state.step_cursor(self._orientation.normal, n_notches)

    def step_arrow(self, right: int, down: int) -> None:
        # Arrows follow the screen, also in a rotated or mirrored plane.
        for direction, n_voxels in (
            (self._orientation.right, right),
            (self._orientation.down, down),
        ):
            if n_voxels:
                self.state.step_cursor(direction.axis, direction.sign * n_voxels)

    def turn(self) -> None:
        self.state.set_turn(self.plane, self.state.turn_of(self.plane).turned())

    def mirror(self) -> None:
        turn = self.state.turn_of(self.plane)
        self.state.set_turn(self.plane, turn.flipped(upright=False))

    def on_cursor(self) -> None:
        volume = self.state.volume
        if volume is not None and self._index(volume) != self._shown_index:
            self.forget_raster()
        depth_mm = self.plane_point[self._orientation.normal]
        if depth_mm != self._depth_mm:  # a finer volume has another slice within the same voxel
            self._depth_mm = depth_mm
            self._upper.forget_values()
        self.update()

    def on_display(self) -> None:
        self._reorient()
        super().on_display()

    def _current_orientation(self) -> Orientation:
        state = self.state
        upright = orientation(self.plane, state.convention, state.axes)
        return state.turn_of(self.plane).of(upright)

    def _reorient(self) -> None:
        """Keep the visible part of the plane when sides change."""
        before, self._orientation = self._orientation, self._current_orientation()
        volume, viewport = self.state.volume, self._viewport
        if before == self._orientation or volume is None or viewport is None:
            return
        # Through patient coordinates, which stay the same when the plane is turned.
        at = before.to_patient(*viewport.centre, 0.0)
        self._viewport = replace(viewport, centre=self._orientation.to_screen(at))
        self._image_rect = self.image_rect(volume)

    def point_at(self, at: QPointF) -> Point:
        """Return the point of the displayed slice under a position.

        Parameters
        ----------
        at
            position in the view [px]

        Returns
        -------
        (x, y, z) [mm]
        """
        u, v = self.to_mm(at)
        depth_mm = self.plane_point[self._orientation.normal]
        return self._orientation.to_patient(u, v, depth_mm)

    def follow_pointer(self, at: QPointF | None) -> None:
        text = "" if at is None else self._value_at(at)
        if text != self.pointer_text:
            self.pointer_text, self._pointer = text, at
            self.update()

    def _value_at(self, at: QPointF) -> str:
        """Return the values under a position; empty outside the image."""
        volume = self.state.volume
        if volume is None:
            return ""
        u, v = self.to_mm(at)
        rect = self.image_rect(volume)
        if not (0 <= u - rect.u < rect.width and 0 <= v - rect.v < rect.height):
            return ""
        return values_text(self.state, self.point_at(at))

    def _paint_value(self, painter: QPainter) -> None:
        """Paint the value next to the pointer, within the view."""
        at = self._pointer
        is_busy = self._drag is not None or self.state.magnifies
        if at is None or not self.pointer_text or is_busy:
            return
        width, height = overlay.plate_size(painter.font(), self.pointer_text)
        x = min(at.x() + POINTER_PX, self.width() - width - EDGE_PX)
        y = at.y() + POINTER_PX
        if y + height > self.height() - EDGE_PX:  # above the pointer instead
            y = at.y() - POINTER_PX - height
        area = QRectF(max(x, EDGE_PX), y, width, height)
        overlay.plate(painter, area, self.pointer_text, self.state.colours)

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        for marks in self.state.marks:
            marks.paint(painter, self, viewport)
        if self.part == "both":
            self._upper.paint_border(painter, (self.width(), self.height()))  # below the letters
        super().paint_marks(painter, viewport)
        if self.state.box is not None:
            area = overlay.to_view(self._orientation.rect(self.state.box), viewport)
            overlay.dashed_box(painter, area, self.state.colours)
        drawn, volume = self.state.line, self.state.volume
        if drawn is not None and volume is not None and self._holds(drawn, volume):
            line.draw(painter, drawn, self._orientation, viewport, self.state.colours.line)
        self._paint_value(painter)

    def _holds(self, drawn: line.Line, volume: Volume) -> bool:
        """Return True if a line is in the displayed slice."""
        normal = self._orientation.normal
        there = slice_index(volume.grid, normal, drawn.start_mm[normal])
        return drawn.plane == self.plane and there == self._index(volume)

    def _on_line(self) -> None:
        if self.state.draws_lines or any(marks.uses_cross_cursor for marks in self.state.marks):
            self.setCursor(Qt.CursorShape.CrossCursor)
        else:
            self.unsetCursor()
        self.update()

    def _move_cursor_to(self, at: QPointF) -> None:
        self.state.set_cursor(self.point_at(at))

    def _index(self, volume: Volume) -> int:
        normal = self._orientation.normal
        return slice_index(volume.grid, normal, self.plane_point[normal])
