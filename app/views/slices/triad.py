"""The x, y and z axes as three arrows in a 3-D drawing."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QPainter

from app.views import overlay
from app.views.colour.colours import ViewColours
from app.views.scan.scan_scene import SceneCamera

TRIAD_PX = 30.0


def triad(painter: QPainter, camera: SceneCamera, height: int, colours: ViewColours) -> None:
    """Paint the arrows at the lower left of a 3-D drawing.

    Parameters
    ----------
    painter
        an active painter
    camera
        viewing direction
    height
        height of the drawing [px]
    colours
        colours of the theme
    """
    origin = QPointF(TRIAD_PX + 16, height - TRIAD_PX - 16)
    for name, direction in zip("xyz", camera.seen(np.eye(3)), strict=True):
        tip = origin + QPointF(direction[0], -direction[1]) * TRIAD_PX
        line = QLineF(origin, tip)
        if line.length() > 3:
            overlay.arrow(painter, line, colours.muted, colours.canvas)
        # The letter of an axis towards the viewer is moved aside, off the origin.
        beyond = origin + QPointF(direction[0], -direction[1]) * (TRIAD_PX + 10)
        at = beyond if line.length() > 3 else origin + QPointF(8, -6)
        painter.setPen(QColor(colours.text))
        painter.drawText(at + QPointF(-4, 4), name)  # no outline: drawing it takes a millisecond
