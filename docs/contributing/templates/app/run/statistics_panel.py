"""Statistics of the image on show.

Template of a panel. Copy it to `app/run`, import `StatisticsTab` in `app/shell/panels.py`, and add
it to `TABS` there.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.context import AppContext
from app.ui.theme.widgets import label
from engine.data import Volume

EMPTY = tr("No image yet. Reconstruct a scan or open an image.")


class StatisticsTab(QWidget):
    """Mean, maximum and sum of the voxels."""

    title = tr("Statistics")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        # The session holds all state of the window. Panels follow its signals, not each other.
        self._view = context.session.view
        self._empty = label(EMPTY, "muted", wrap=True)
        self.mean, self.maximum, self.total = (label("") for _ in range(3))
        self._table = QWidget()
        rows = QFormLayout(self._table)
        rows.addRow(tr("Mean"), self.mean)
        rows.addRow(tr("Maximum"), self.maximum)
        rows.addRow(tr("Sum"), self.total)
        column = QVBoxLayout(self)
        column.addWidget(self._empty)
        column.addWidget(self._table)
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
        self._empty.setVisible(volume is None)
        self._table.setVisible(volume is not None)
        if volume is not None:
            self._show_values(volume)

    def _show_values(self, volume: Volume) -> None:
        total = float(np.sum(volume.values, dtype=np.float64))
        self.mean.setText(f"{total / volume.values.size:.5g} {volume.unit}")
        self.maximum.setText(f"{float(volume.values.max()):.5g} {volume.unit}")
        self.total.setText(f"{total:.5g}")
