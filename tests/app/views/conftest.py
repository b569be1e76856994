"""Fixtures of view tests: style and font of the window, and volumes with marked sides."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QFontDatabase, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from app.ui.theme.theme import FONT_FOLDER
from app.views.state import ViewState
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid

SIDES = {"R": 1, "L": 2, "A": 3, "P": 4, "F": 5, "H": 6}
WINDOW = (0.0, 7.0)


@pytest.fixture(scope="session")
def qapp(qapp):
    """Return the application in the style of the window, without its theme."""
    QFontDatabase.addApplicationFont(str(FONT_FOLDER / "Roboto-Regular.ttf"))
    qapp.setStyle("Fusion")
    qapp.setFont(QFont("Roboto", 10))
    return qapp


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def sided() -> Volume:
    """Return a volume with marks of the values `SIDES` near its six faces; anisotropic voxels."""
    grid = ImageGrid((24, 30, 40), (2.0, 3.0, 4.0), (10.0, -20.0, 30.0))
    values = np.zeros(grid.shape, np.float32)
    z, y, x = (slice(n // 2 - 3, n // 2 + 3) for n in grid.shape)
    values[z, y, 2:6] = SIDES["R"]
    values[z, y, -6:-2] = SIDES["L"]
    values[z, 2:6, x] = SIDES["A"]
    values[z, -6:-2, x] = SIDES["P"]
    values[2:6, y, x] = SIDES["F"]
    values[-6:-2, y, x] = SIDES["H"]
    return Volume(values, grid, "counts/mm")


@pytest.fixture
def state(qapp, sided) -> ViewState:
    """Return a state that shows the marks in colours that no label has."""
    state = ViewState()
    state.set_volume(sided)
    state.set_cursor(sided.grid.centre_mm)
    state.set_window(*WINDOW)
    state.set_colour_map("rainbow")
    state.set_interpolation("nearest")
    return state


@pytest.fixture
def show(qtbot):
    """Return a function that shows a widget at a size."""

    def shown(widget, width=420, height=340):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        QApplication.processEvents()
        return widget

    return shown


@pytest.fixture
def pixels():
    """Return a function for the (rows, columns) colours 0xffRRGGBB of a painted widget."""

    def grabbed(widget):
        image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        flat = np.frombuffer(image.constBits(), np.uint32)
        return flat.reshape(image.height(), image.bytesPerLine() // 4)[:, : image.width()].copy()

    return grabbed


@pytest.fixture
def turn_wheel(qapp):
    """Return a function that turns the wheel over the middle of a widget."""

    def turned(widget, notches, modifiers=Qt.KeyboardModifier.NoModifier):
        middle = QPointF(widget.rect().center())
        event = QWheelEvent(
            middle,
            widget.mapToGlobal(middle),
            QPoint(),
            QPoint(0, round(120 * notches)),
            Qt.MouseButton.NoButton,
            modifiers,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(widget, event)

    return turned
