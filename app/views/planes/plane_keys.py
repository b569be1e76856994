"""Keys in the 3-D scene of planes, for use without a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt

from app.views.scan.scene_widget import ZOOM_STEP

if TYPE_CHECKING:
    from app.views.planes.plane_scene_view import PlaneSceneView

ORBIT_DEG, TURN_DEG = 10.0, 5.0
ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
NUMBERS = (Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_3)
ZOOMS = {
    Qt.Key.Key_Plus: ZOOM_STEP,
    Qt.Key.Key_Equal: ZOOM_STEP,
    Qt.Key.Key_Minus: 1 / ZOOM_STEP,
}
STEPS = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}


def act_on(scene: PlaneSceneView, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
    """Handle a key.

    Parameters
    ----------
    scene
        the scene
    key
        the key
    modifiers
        pressed modifiers; Ctrl and Alt belong to the menus

    Returns
    -------
    True if the key has a function
    """
    others = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    if modifiers & others:
        return False
    if key in ARROWS:
        _arrow(scene, *ARROWS[key], turns=bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
    elif key in STEPS and scene.placement is not None:
        scene.step(STEPS[key])
    elif key in NUMBERS:
        scene.choose(NUMBERS.index(key))
    elif key in ZOOMS:
        scene.zoom(ZOOMS[key])
    elif key == Qt.Key.Key_0:
        scene.fit()
    elif key == Qt.Key.Key_R:
        scene.reset_requested.emit()
    else:
        return False
    return True


def _arrow(scene: PlaneSceneView, right: int, up: int, *, turns: bool) -> None:
    if not turns:
        scene.set_camera(scene.camera.turned(-ORBIT_DEG * right, ORBIT_DEG * up))
        return
    if scene.placement is not None:
        across, down, _ = scene.placement.planes[scene.chosen].turn.T
        # Left and right rotate about the vertical edge of the plane, up and down about the
        # horizontal.
        x, y, z = (float(value) for value in (down if right else across))
        scene.turn((x, y, z), float(np.radians(TURN_DEG) * (right or up)))
