"""Mean, maximum and sum of the image on show."""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.state.services.context import AppContext


class StatisticsTab(QWidget):
    """Statistics of the voxels."""

    title = "Statistics"

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        # The session holds all state of the window. Panels follow its signals, not each other.
        self._view = context.session.view
        self._text = QLabel()
        column = QVBoxLayout(self)
        column.addWidget(self._text)
        column.addStretch(1)
        self._view.volume_changed.connect(self._follow)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()

    def _follow(self) -> None:
        # A run shows a new image after each update, and a hidden tab must not slow it down.
        if self.isVisible():
            self._show()

    def _show(self) -> None:
        volume = self._view.volume
        if volume is None:
            self._text.setText("No image yet. Reconstruct a scan or open an image.")
            return
        total, unit = float(np.sum(volume.values, dtype=np.float64)), volume.unit
        mean, highest = total / volume.values.size, float(volume.values.max())
        self._text.setText(f"Mean {mean:.5g} {unit}\nMaximum {highest:.5g} {unit}\nSum {total:.5g}")
