"""Pointer drags in the 3-D scene of planes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF

from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_scene import hinge_of, turn_towards
from app.views.planes.plane_scene_painter import ScreenMap
from app.views.scan.scan_scene import SceneCamera

DEGREES_PER_PX = 0.4
MIN_PART = 0.3
"""Visible share of a normal. Below it, a plane follows the pointer up and down instead."""
STEP_DEG = 1.0
"""Step of a rotation, so that upright planes can be reached exactly."""


class SteeredScene(Protocol):
    """The interface of a scene that gestures use."""

    placement: PlanePlacement | None
    chosen: int
    camera: SceneCamera

    @property
    def to_screen(self) -> ScreenMap: ...
    def set_camera(self, camera: SceneCamera) -> None: ...
    def want(self, placement: PlanePlacement) -> None: ...


class OrbitDrag:
    """The camera moves around the box."""

    def __init__(self, scene: SteeredScene, at: QPointF) -> None:
        self._scene, self._from = scene, at

    def move(self, at: QPointF) -> None:
        delta, self._from = at - self._from, at
        turn = (-DEGREES_PER_PX * delta.x(), DEGREES_PER_PX * delta.y())
        self._scene.set_camera(self._scene.camera.turned(*turn))

    def end(self) -> None:
        """Nothing to tidy."""


class MoveDrag:
    """The selected plane follows the pointer along its normal."""

    def __init__(self, scene: SteeredScene, at: QPointF) -> None:
        self._scene, self._from, self._before = scene, at, scene.placement

    def move(self, at: QPointF) -> None:
        before = self._before
        if before is None or at == self._from:
            return
        normal, to_screen = before.normal(self._scene.chosen), self._scene.to_screen
        direction = to_screen.direction(normal)
        # A normal towards the viewer has no direction on the screen, and dividing by it would jump.
        if np.hypot(direction.x(), direction.y()) < MIN_PART * to_screen.px_per_mm:
            towards = 1.0 if normal @ self._scene.camera.axes[2] > 0 else -1.0
            direction = QPointF(0.0, -towards * to_screen.px_per_mm)
        mm = QPointF.dotProduct(at - self._from, direction) / QPointF.dotProduct(
            direction, direction
        )
        self._scene.want(before.moved(self._scene.chosen, mm))

    def end(self) -> None:
        """Nothing to tidy."""


class TurnDrag:
    """A handle follows the pointer around the centre of its plane."""

    def __init__(self, scene: SteeredScene, handle: int) -> None:
        self._scene, self._handle, self._before = scene, handle, scene.placement
        self._angle_rad = 0.0

    def move(self, at: QPointF) -> None:
        if self._before is None:
            return
        scene, plane = self._scene, self._before.planes[self._scene.chosen]
        at_mm = scene.to_screen.place(at)
        # The last angle is the start of the search, so that the handle does not jump to the back.
        self._angle_rad = turn_towards(plane, self._handle, scene.camera, at_mm, self._angle_rad)
        angle = np.radians(STEP_DEG * round(np.degrees(self._angle_rad) / STEP_DEG))
        x, y, z = (float(value) for value in hinge_of(plane, self._handle))
        scene.want(self._before.turned(scene.chosen, (x, y, z), float(angle)))

    def end(self) -> None:
        """Nothing to tidy."""
