"""A small window with the histogram of a volume: it stays where it is put, on any screen."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from app.language.translation import tr
from app.views.colour.volume_colours import VolumeLook
from app.views.literal_text import PlainLabel
from app.views.plots.histogram_view import HistogramView

SIZE_PX = (480, 260)
WORDS = tr("Frequency of each value (logarithmic) and the window limits")


class HistogramWindow(QDialog):
    """Blocks nothing; follows the volume until it is closed."""

    def __init__(self, look: VolumeLook, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.setWindowFlag(Qt.WindowType.Tool)
        self.view = HistogramView(look)
        self.words = PlainLabel(WORDS)
        self.words.setWordWrap(True)
        column = QVBoxLayout(self)
        column.addWidget(self.view, 1)
        column.addWidget(self.words)
        self.resize(*SIZE_PX)
        look.volume_changed.connect(self._name)
        self._name()

    def _name(self) -> None:
        unit = f" [{self._look.shown_unit}]" if self._look.shown_unit else ""
        self.setWindowTitle(
            tr("Histogram: {name}{unit}", name=self._look.name or tr("displayed volume"), unit=unit)
        )
