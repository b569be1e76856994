"""The three-dimensional view: volume, surface or projection from any direction.

While the image changes it is drawn in few pixels, so that one takes at most `BUDGET_S`. Once it
rests, it is drawn again in all pixels, in strips that each take as long, so the window never waits.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QHideEvent, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.language.translation import tr
from app.views.colour.colours import DARK, LIGHT, ViewColours
from app.views.colour.raster import Raster
from app.views.colour.raster_view import RasterView
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion.fusion_text import caption_parts, named
from app.views.gestures import Drag, PointDrag
from app.views.literal_text import literal_tip
from app.views.overlay import BETWEEN
from app.views.rendering.packing import PackedParts, Packer
from app.views.rendering.ray_scene import RayFrame, RayScene
from app.views.rendering.ray_shader import RayProgram, RenderMode
from app.views.rendering.rendering_state import RenderingState
from app.views.rendering.scene_maker import SceneMaker, extent_mm
from app.views.rendering.turning import FRONT, edges_of
from app.views.scan.scan_scene import SceneCamera
from app.views.state import ViewState
from app.views.view_keys import ZOOM_STEP
from app.views.viewport import Viewport
from engine.core.errors import EngineError
from engine.data import Volume
from engine.geometry import Edges, Rect

if TYPE_CHECKING:
    from app.views.rendering.ray_caster import RayCaster

BUDGET_S = 0.045
"""Longest time for one image while it turns, and for one strip of a fine image [s]."""
REST_MS = 180
"""Time without a change after which the image is drawn in all pixels."""
COARSE_STEP, FINE_STEP = 1.4, 0.7
"""Distance of the samples along a ray [voxels]."""
MIN_PX = 96
"""Shortest edge of the coarsest image."""
DEGREES_PER_PX, STEP_DEG = 0.5, 15.0
HALF_BRIGHT = 1.5
"""Sum of red, green and blue that separates dark from bright grounds."""
MODE_NAMES: dict[RenderMode, str] = {
    "volume": tr("Volume rendering"),
    "surface": tr("Surface"),
    "projection": tr("Projection (MIP)"),
}
TIP = tr(
    "Drag to rotate. Wheel: zoom. Middle button: move. Right button: window. R: from the front."
)


class RenderingView(RasterView):
    """One pane with the volume from any direction.

    Signals
    -------
    failed : a sentence, if this computer cannot draw it

    Attributes
    ----------
    rendering : mode, levels and regions
    camera : the viewing direction
    """

    failed = Signal(str)
    has_crosshair = False

    def __init__(
        self, state: ViewState, rendering: RenderingState, parent: QWidget | None = None
    ) -> None:
        super().__init__(state, tr("3D view"), parent)
        self.setToolTip(literal_tip(TIP))
        self.rendering = rendering
        self.camera: SceneCamera = FRONT
        # Created by the first paint: OpenGL must not slow down the start of the window.
        self._caster: RayCaster | None = None
        self.fault = ""
        self._is_packing_fault = False
        self._maker = SceneMaker(state, rendering)
        self._packer = Packer(self)
        self._packer.packed.connect(self._use_parts)
        self._packer.failed.connect(self._refuse_parts)
        self._parts: PackedParts | None = None
        self._asked: PackedParts | None = None
        self._shown: QImage | None = None
        self._is_fresh = False
        self._next_row = 0
        self._rates: dict[tuple[RayProgram, float], float] = {}
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._next_strip = QTimer(self, singleShot=True, interval=1)
        for timer in (self._rest, self._next_strip):
            timer.timeout.connect(self._refine)
        fusion = state.fusion
        for signal in (fusion.volume_changed, fusion.window_changed, fusion.display_changed):
            signal.connect(self._forget_image)
        for signal in (fusion.mixing_changed, rendering.changed):
            signal.connect(self._forget_image)
        state.fit_requested.connect(self._face_front)
        self.part_changed.connect(self._forget_image)

    # Content

    def make_raster(self, volume: Volume) -> Raster:
        # The pane only needs an area. Its pixels come from the rays.
        return Raster.of(np.zeros((1, 1), np.float32), self.image_rect(volume))

    def image_rect(self, volume: Volume) -> Rect:
        low, high = extent_mm(volume, self._parts, self.state.axes)
        size = high - low
        across = math.hypot(size[0], size[1])
        # High enough for a tilt of 20°. A view from above is as wide as it is deep.
        high_mm = max(float(size[2]), 0.94 * float(size[2]) + 0.34 * across)
        return Rect(-across / 2, -high_mm / 2, across, high_mm)

    def edges(self) -> Edges:
        return edges_of(self.camera)

    def shown_edges(self) -> Edges:
        # The camera is in patient axes, so the letters need no conversion unless they are unknown.
        return self.edges().on("xyz") if self.state.axes == "xyz" else self.edges()

    @property
    def mark_colours(self) -> ViewColours:
        # The ground has the lowest colour of the map, whatever the theme.
        scene = self._maker.scene(self._parts, self.camera)
        if scene is None or scene.mode == "surface":
            return self.state.colours
        return LIGHT if sum(scene.ground) > HALF_BRIGHT else DARK

    def cursor_uv(self) -> tuple[float, float]:
        return self.viewport.centre if self.viewport is not None else (0.0, 0.0)

    def caption(self) -> str:
        state = self.state
        if state.volume is None:
            return tr("3D view")
        mode = self.rendering.mode
        title = MODE_NAMES[mode]
        if mode == "surface":
            title = f"{title}   {self._level_text(upper=False)}"
            if self.rendering.is_fused:
                title = f"{title}, {self._level_text(upper=True)}"
        names: tuple[str, ...] = (named(state),) if state.fusion.has_values else ()
        if self.rendering.is_fused:
            names = caption_parts(state, "both")
        return BETWEEN.join((title, *names))

    def _level_text(self, *, upper: bool) -> str:
        shown = self.rendering.appearance(upper=upper)
        return f"≥ {shown.shown_text(self.rendering.level(upper=upper))}"

    def note(self) -> str:
        parts = self._parts
        if parts is None or parts.packed_lower is None:
            return ""
        notes = []
        gain = self._maker.projection_gain(upper=False)
        if self.rendering.mode == "projection" and gain > 1:
            notes.append(tr("window × {gain:g}", gain=gain))
        factor = parts.packed_lower.factor
        if factor > 1:
            notes.append(tr("means of {n} × {n} × {n} voxels", n=factor))
        if n_not_finite := parts.packed_lower.n_not_finite:
            notes.append(tr("NaN values shown as 0: {n_nan}", n_nan=n_not_finite))
        return ", ".join(notes)

    def warning(self) -> str:
        return self.fault

    # Interaction

    @property
    def degrees(self) -> float:
        """Angle of the camera about the long axis, 0 from the front, in [0, 360)."""
        return (self.camera.azimuth_deg - FRONT.azimuth_deg) % 360

    def set_degrees(self, degrees: float) -> None:
        """Set the angle about the long axis. The tilt stays.

        Parameters
        ----------
        degrees
            angle, as in the projection; any number of turns
        """
        if degrees % 360 != self.degrees:
            self.set_camera(replace(self.camera, azimuth_deg=FRONT.azimuth_deg + degrees % 360))

    def set_camera(self, camera: SceneCamera) -> None:
        """Set the viewing direction.

        Parameters
        ----------
        camera
            the viewing direction
        """
        if camera != self.camera:
            self.camera = camera
            self._forget_image()

    def primary_drag(self, at: QPointF) -> Drag:
        start = self.camera

        def turn(to: QPointF) -> None:
            delta = (to - at) * DEGREES_PER_PX
            # The point under the pointer follows it, so the camera moves the other way.
            self.set_camera(start.turned(-delta.x(), delta.y()))

        return PointDrag(turn)

    def dragged_appearance(self, *, upper: bool) -> VolumeAppearance:
        return self.rendering.appearance(upper=upper and self.rendering.is_fused)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.accept()
        factor = ZOOM_STEP ** (event.angleDelta().y() / 120)
        self.zoom(factor, self.to_mm(event.position()))

    def step(self, n_notches: int) -> None:
        self.set_camera(self.camera.turned(STEP_DEG * n_notches, 0.0))

    def step_arrow(self, right: int, down: int) -> None:
        self.set_camera(self.camera.turned(-STEP_DEG * right, STEP_DEG * down))

    def _face_front(self) -> None:
        self.set_camera(FRONT)

    def _forget_image(self) -> None:
        self._is_fresh = False
        self._next_row = 0
        super()._forget_image()

    # Drawing

    def hideEvent(self, event: QHideEvent) -> None:
        self._stop_timers()
        # Otherwise the next paint would find a coarse image that nothing refines.
        self._is_fresh = self.is_refined
        super().hideEvent(event)

    def _stop_timers(self) -> None:
        self._rest.stop()
        self._next_strip.stop()

    def release(self) -> None:
        """Free the textures, and wait for the thread."""
        self._stop_timers()
        self._packer.wait()
        if self._caster is not None:
            self._caster.close()
        self._caster, self._parts, self._asked, self._shown = None, None, None, None
        self._is_fresh = False

    @property
    def is_refined(self) -> bool:
        """True if the image on the screen has all its pixels."""
        return self._is_fresh and self._next_row < 0

    @property
    def _has_newest_parts(self) -> bool:
        return self._parts is not None and self._parts.is_like(self._asked)

    def advance(self) -> bool:
        viewport = self.viewport
        if viewport is None or self.fault:
            return True
        self._ask_for_parts()
        if self._has_newest_parts and not self.is_refined:
            if not self._is_fresh:
                self._draw_coarse(viewport)
            self._stop_timers()
            self._draw_strip(viewport)
        return bool(self.fault) or (self._has_newest_parts and self.is_refined)

    def _forget_other_scan(self) -> None:
        """Leave the view empty until the volume of another scan or result is packed."""
        if self._parts is not None and self._parts.subjects != self.state.subjects:
            self._parts = self._shown = None
            self._is_fresh = False

    def _paint_raster(self, painter: QPainter, raster: Raster, viewport: Viewport) -> None:
        self._ask_for_parts()
        self._forget_other_scan()
        if not self._is_fresh:
            self._draw_coarse(viewport)
        self._paint_drawn(painter, viewport)

    def _paint_drawn(self, painter: QPainter, viewport: Viewport) -> None:
        shown = self._shown
        if shown is None:
            painter.setPen(QColor(self.state.colours.muted))
            words = "" if self.fault else tr("Preparing the 3D view …")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)
            return
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(QRectF(self.rect()), shown)

    def paint_marks(self, painter: QPainter, viewport: Viewport) -> None:
        if self._shown is not None:
            super().paint_marks(painter, viewport)

    def _ask_for_parts(self) -> None:
        """Ask for the textures of the displayed volumes, unless they are known."""
        volume, fusion = self.state.volume, self.state.fusion
        caster = self.caster
        if volume is None or caster is None:
            return
        upper = fusion.volume if self.rendering.is_fused and fusion.opacity > 0 else None
        regions = self.rendering.regions if self.rendering.shows_regions else ()
        wanted = PackedParts(volume, upper, regions, fusion.placing, self.state.subjects)
        if not wanted.is_like(self._asked):
            self._asked = wanted
            self._packer.ask(wanted, caster.limits)

    def _use_parts(self, parts: PackedParts) -> None:
        if parts.is_like(self._asked):
            self._parts = parts
            self._forget_image()

    def forget_packing_fault(self) -> bool:
        """Draw again, for other volumes than those that could not be packed.

        Returns
        -------
        True if there was such a fault; one of the computer remains
        """
        if not self._is_packing_fault:
            return False
        self.fault, self._is_packing_fault = "", False
        self._asked = self._parts = self._shown = None
        self._forget_image()
        return True

    def _refuse_parts(self, fault: str) -> None:
        self._is_packing_fault = True
        self._fail(fault)

    def _fail(self, fault: str) -> None:
        self.fault = fault
        self.update()
        # Later: the views must not be exchanged while one of them is painted.
        QTimer.singleShot(0, self, lambda: self.failed.emit(fault))

    @property
    def caster(self) -> RayCaster | None:
        """OpenGL, created by the first call; None if this computer has none."""
        if self._caster is None and not self.fault:
            # Imported here, because the start of the window must not load OpenGL.
            from app.views.rendering.ray_caster import RayCaster

            try:
                self._caster = RayCaster()
            except EngineError as e:
                self._fail(str(e))
        return self._caster

    def _draw_coarse(self, viewport: Viewport) -> None:
        scene, caster = self._maker.scene(self._parts, self.camera), self.caster
        if scene is None or caster is None:
            return
        ratio = self.devicePixelRatioF()
        width, height = self.width() * ratio, self.height() * ratio
        rate = self._rates.get((scene.program, COARSE_STEP), 1e-6)
        part = min(math.sqrt(BUDGET_S / (rate * width * height)), 1.0)
        part = max(part, min(MIN_PX / min(width, height), 1.0))
        if self._draw(caster, scene, self._ray_frame(viewport, part * ratio, COARSE_STEP)):
            self._shown = caster.image()
            self._is_fresh, self._next_row = True, 0
            self._next_strip.stop()
            self._rest.start()

    def _ray_frame(self, viewport: Viewport, ratio: float, step: float) -> RayFrame:
        width, height = (max(round(length * ratio), 1) for length in viewport.size)
        u, v = viewport.centre
        return RayFrame((u, -v), viewport.px_per_mm * ratio, (width, height), step)

    def _draw(self, caster: RayCaster, scene: RayScene, frame: RayFrame) -> bool:
        """Draw, and remember how long a pixel takes; False if it failed."""
        before = time.perf_counter()
        try:
            caster.draw(scene, frame)
        except EngineError as e:
            self._fail(str(e))
            return False
        n_rows = frame.size[1] if frame.rows is None else frame.rows[1]
        spent = (time.perf_counter() - before) / (n_rows * frame.size[0])
        key = scene.program, frame.step
        # The mean of the last two: one slow image must not make the next one coarse.
        self._rates[key] = (self._rates.get(key, spent) + spent) / 2
        return True

    def _refine(self) -> None:
        """Draw the next strip of the fine image while the view is visible."""
        viewport = self.viewport
        is_coarse = self._is_fresh and not self.is_refined
        if viewport is not None and is_coarse and self.isVisible():
            self._draw_strip(viewport)
            # The event loop comes first, so a drag starts at once.
            if not self.is_refined and not self.fault:
                self._next_strip.start()

    def _draw_strip(self, viewport: Viewport) -> None:
        """Draw the next strip of the fine image, and show it after the last one."""
        scene, caster = self._maker.scene(self._parts, self.camera), self.caster
        if scene is None or caster is None:
            return
        frame = self._ray_frame(viewport, self.devicePixelRatioF(), FINE_STEP)
        width, height = frame.size
        rate = self._rates.get((scene.program, FINE_STEP), 2e-6)
        n_rows = max(min(round(BUDGET_S / (rate * width)), height - self._next_row), 4)
        if not self._draw(caster, scene, replace(frame, rows=(self._next_row, n_rows))):
            return
        self._next_row += n_rows
        if self._next_row >= height:
            self._shown = caster.image()
            self._next_row = -1
            self.update()
