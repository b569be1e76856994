"""Maximum intensity projection, rotated about the patient's long axis by dragging.

A MIP is brighter than any slice. For activity its window is wider than that of the slices, by the
ratio of their bright values. One window drag then suits both, and the caption states the factor.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.colour.windows import Window
from app.views.fusion.fusion_text import caption_parts, named
from app.views.gestures import Drag, PointDrag
from app.views.literal_text import literal_tip
from app.views.overlay import BETWEEN
from app.views.slices import projection
from app.views.slices.fused_projection import FusedProjection
from app.views.slices.projection import Projector
from app.views.state import ViewState
from app.views.viewport import Viewport
from engine.data import Volume
from engine.geometry import Edges, Rect

DEGREES_PER_PX = 0.6
ANGLE_STEP = 3.0  # degrees between the angles a drag stops at
NOTCH_DEGREES = 15.0
TIP = tr(
    "Maximum along each line of sight. Drag to rotate. These values are higher than those "
    "of a slice, so the window can be wider. The note at the lower left states the factor."
)


class MipView(RasterView):
    """Maximum intensity projection. Horizontal drag, wheel and arrow keys rotate it.

    `no_rendering` is the reason why it is shown in place of the 3D view; "" for none.
    """

    has_spare_note = True

    def __init__(self, state: ViewState, parent: QWidget | None = None) -> None:
        super().__init__(state, tr("Maximum intensity projection"), parent)
        self.setToolTip(literal_tip(TIP))
        self.no_rendering = ""
        self._degrees = 0.0
        self._projector: Projector | None = None
        self._gain = 1.0
        state.fit_requested.connect(self._face_front)
        self._fused = FusedProjection(state)
        fusion = state.fusion
        fusion.volume_changed.connect(self._forget_fused)
        fusion.window_changed.connect(self._forget_fused_window)
        fusion.display_changed.connect(self._forget_fused_colours)
        fusion.mixing_changed.connect(self.update)

    @property
    def degrees(self) -> float:
        """Viewing angle, 0 from the front, in [0, 360)."""
        return self._degrees

    def set_degrees(self, degrees: float) -> None:
        """Set the viewing angle.

        Parameters
        ----------
        degrees
            angle about the long axis; any number of turns
        """
        if degrees % 360 != self._degrees:
            self._degrees = degrees % 360
            self.forget_raster()

    def make_raster(self, volume: Volume) -> Raster:
        # The projector caches a coarse copy, which is only valid for one volume.
        if self._projector is None or self._projector.volume is not volume:
            self._projector = Projector(volume)
            self._gain = self._brightness_ratio()
        values, rect = self._projector.project(self._scanner_degrees, self.state.convention)
        return Raster.of(values[::-1] if self._is_turned else values, self._with_head_up(rect))

    @property
    def _is_turned(self) -> bool:
        """True if z points to the feet, so that the head would be at the bottom."""
        return self.state.axes.endswith("I")

    @property
    def _scanner_degrees(self) -> float:
        """The angle of view about z of the volume, which may not be the patient's."""
        return projection.scanner_degrees(self._degrees, self.state.axes)

    def _with_head_up(self, rect: Rect) -> Rect:
        return projection.turned_over(rect) if self._is_turned else rect

    def forget_raster(self) -> None:
        self._fused.forget_values()
        super().forget_raster()

    def _forget_fused(self) -> None:
        self._fused.forget_values()
        self._forget_image()  # its transparency depends on the other volume

    def _forget_fused_window(self) -> None:
        # The first volume keeps its colours.
        self._fused.forget_colours()
        self.update()

    def _forget_fused_colours(self) -> None:
        self._fused.forget_colours()
        self._forget_image()

    @property
    def fills_view(self) -> bool:
        return self.shows_own and not (self._fused.is_there and self._fused.is_drawn_below)

    def own_image(self, raster: Raster) -> QImage:
        if not (self._fused.is_there and self._fused.is_drawn_below):
            return super().own_image(raster)
        return self._fused.own_image(raster, self.shown_window(), self.state.colour_map)

    def paint_image(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        fused = self._fused
        if not (fused.is_there and fused.is_drawn_below):
            super().paint_image(painter, raster, viewport)
            return
        self.paint_over(painter, raster, viewport)
        with fused.mixing(painter, viewport, fused.border_px(self, viewport)):
            self.paint_own(painter, raster, viewport)

    def paint_over(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        volume, fused = self.state.volume, self._fused
        if volume is None or not fused.is_there:
            return
        found = fused.values(
            volume, self._scanner_degrees, self.state.convention, is_turned=self._is_turned
        )
        if found is not None:
            is_alone, at_px = fused.is_drawn_below, fused.border_px(self, viewport)
            fused.paint(painter, viewport, found, is_alone=is_alone, swipe_px=at_px)

    def shown_window(self) -> Window:
        low, high = self.state.window
        return low, low + self._gain * (high - low)

    def _brightness_ratio(self) -> float:
        """Return the ratio of bright values of projection and slices."""
        if self._projector is None or not self.state.is_pinned:
            return 1.0
        return projection.gain_of(self._projector, self.state.convention)

    def image_rect(self, volume: Volume) -> Rect:
        width = float(max(volume.grid.size_mm[:2]))
        height = float(volume.grid.size_mm[2])
        return self._with_head_up(Rect(-width / 2, -float(volume.grid.upper_mm[2]), width, height))

    def edges(self) -> Edges:
        found = projection.edges(self._scanner_degrees, self.state.convention)
        return replace(found, top=found.bottom, bottom=found.top) if self._is_turned else found

    def cursor_uv(self) -> tuple[float, float]:
        state = self.state
        if state.volume is None:
            return 0.0, 0.0
        degrees = self._scanner_degrees
        u, v = projection.cursor_uv(state.volume, state.cursor_mm, degrees, state.convention)
        return u, -v if self._is_turned else v

    def caption(self) -> str:
        if self.state.volume is None:
            return tr("Projection")
        names: tuple[str, ...] = (named(self.state),) if self.state.fusion.has_values else ()
        if self._fused.is_there:
            names = caption_parts(self.state, "both")
        return BETWEEN.join((tr("Projection   {degrees:.0f}°", degrees=self._degrees), *names))

    def warning(self) -> str:
        return self.no_rendering

    def note(self) -> str:
        # The factor is stated, because the same colour means different values in the two views.
        wider = self.state.volume is not None and self._gain > 1
        return tr("window × {gain:g}", gain=self._gain) if wider else ""

    def primary_drag(self, at: QPointF) -> Drag:
        start = self._degrees

        def turn(to: QPointF) -> None:
            turned = (to.x() - at.x()) * DEGREES_PER_PX
            # A click must not rotate the image.
            if abs(turned) >= ANGLE_STEP:
                # Few angles: each new one costs a projection of the whole volume.
                self.set_degrees(round((start - turned) / ANGLE_STEP) * ANGLE_STEP)

        return PointDrag(turn)

    def step(self, n_notches: int) -> None:
        self.set_degrees(self._degrees + NOTCH_DEGREES * n_notches)

    def step_arrow(self, right: int, down: int) -> None:
        self.set_degrees(self._degrees - NOTCH_DEGREES * right)

    def _face_front(self) -> None:
        self.set_degrees(0.0)
