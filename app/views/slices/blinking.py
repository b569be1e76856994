"""Timer that shows two volumes in turn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from app.views.fusion.fusion_state import FusionState

BLINK_MS = 700
"""Time for which a blinking view shows each volume."""


class Blinking(QObject):
    """Shows both volumes in turn while they blink.

    Attributes
    ----------
    timer : runs while they blink; None otherwise

    Parameters
    ----------
    fusion : state of the second volume
    parent : the views
    """

    def __init__(self, fusion: FusionState, parent: QObject) -> None:
        super().__init__(parent)
        self._fusion = fusion
        self.timer: QTimer | None = None

    def follow(self) -> None:
        """Start or stop the timer."""
        fusion, timer = self._fusion, self.timer
        if fusion.blinks and timer is None:
            self.timer = QTimer(self)
            self.timer.timeout.connect(fusion.toggle_hidden)
            self.timer.start(BLINK_MS)
        elif timer is not None and not fusion.blinks:
            self.timer = None
            timer.stop()
            timer.deleteLater()
