"""A small window with the histogram of a volume."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.volume_colours import VolumeAppearance
from app.views.plots.histogram_view import HistogramView
from app.views.slices.labels import WrappedLabel

SIZE_PX = (480, 260)
WORDS = tr("Frequency of each value (logarithmic) and the window limits")


class HistogramWindow(QDialog):
    """A modeless window that follows the volume until it is closed."""

    def __init__(self, appearance: VolumeAppearance, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        # A tool window stays above its parent without taking a place in the task bar.
        self.setWindowFlag(Qt.WindowType.Tool)
        self.view = HistogramView(appearance)
        self.words = WrappedLabel(WORDS)
        column = QVBoxLayout(self)
        column.addWidget(self.view, 1)
        column.addWidget(self.words)
        self.resize(*SIZE_PX)
        appearance.volume_changed.connect(self._show_title)
        self._show_title()

    def _show_title(self) -> None:
        unit = f" [{self._appearance.shown_unit}]" if self._appearance.shown_unit else ""
        self.setWindowTitle(
            tr(
                "Histogram: {name}{unit}",
                name=self._appearance.name or tr("displayed volume"),
                unit=unit,
            )
        )
