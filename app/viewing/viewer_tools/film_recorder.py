"""Record the views as the images of a film, and restore their state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from app.language.translation import tr
from app.viewing.viewer_tools.cine import Cine
from app.views.grabbing import WAIT_MS, advance
from app.views.state import ViewState

MAX_FRAMES, MAX_PX = 240, 1280
PAD_PX = 6
CLAIM = tr("Not for clinical use")
Frame = NDArray[np.uint8]


class FilmRecorder(QObject):
    """Grabs one image per turn of the event loop, so that the window stays responsive.

    Signals
    -------
    progressed : number of finished images, and of all
    recorded : the images, (rows, columns, 3) each; none if it was cancelled
    interrupted : the recording was cancelled, because another image was opened
    """

    progressed = Signal(int, int)
    recorded = Signal(object)
    interrupted = Signal()

    def __init__(self, cine: Cine, state: ViewState) -> None:
        super().__init__(cine)
        self._cine, self._state = cine, state
        self._left: list[int] = []
        self._frames: list[Frame] = []
        self._begun_at, self._cursor_mm = 0, state.cursor_mm
        self._subjects, self._degrees = state.subjects, 0.0
        self._widget: QWidget | None = None
        self._n_all = 0

    @property
    def is_recording(self) -> bool:
        """True while it records."""
        return self._widget is not None

    def start(self, widget: QWidget) -> None:
        """Record all positions of the film.

        Parameters
        ----------
        widget
            widget that shows them
        """
        # The timer of the film would otherwise change the position between two grabs.
        self._cine.play(False)
        self._left, self._frames = positions(self._cine.n_steps), []
        self._begun_at, self._n_all = self._cine.position, len(self._left)
        self._degrees = self._cine.degrees
        self._cursor_mm, self._subjects = self._state.cursor_mm, self._state.subjects
        self._widget = widget
        self._show_next()

    def cancel(self) -> None:
        """Cancel the recording and discard it."""
        self._left, self._frames = [], []
        self._finish()

    def _show_next(self) -> None:
        if self._widget is None:
            return
        if self._is_interrupted:
            # One film must not show two patients.
            self._left, self._frames, self._widget = [], [], None
            self.recorded.emit([])
            self.interrupted.emit()
        elif not self._left:
            self._finish()
        else:
            self._cine.show(self._left.pop(0))
            self._grab()

    @property
    def _is_interrupted(self) -> bool:
        return self._state.volume is None or self._state.subjects != self._subjects

    def _grab(self) -> None:
        """Take the image once all views show it completely."""
        widget = self._widget
        if widget is None or self._is_interrupted:
            self._show_next()
            return
        if not advance(widget):
            QTimer.singleShot(WAIT_MS, self, self._grab)
            return
        self._frames.append(framed(widget.grab().toImage(), self._state))
        self.progressed.emit(len(self._frames), self._n_all)
        # Back to the event loop, so that the cancel button works.
        QTimer.singleShot(0, self, self._show_next)

    def _finish(self) -> None:
        if self._widget is not None:
            self._widget = None
            if self._cine.kind == "turn":
                # The angle may be between two positions of the film.
                self._cine.turn(self._degrees)
            else:
                self._cine.show(self._begun_at)
            self._state.set_cursor(self._cursor_mm)
            self.recorded.emit(self._frames)
            self._frames = []


def positions(n: int) -> list[int]:
    """Return the positions to record, evenly spread.

    Parameters
    ----------
    n
        number of positions of the film

    Returns
    -------
    at most `MAX_FRAMES` indices, in order
    """
    # The first and the last position are always included.
    n_frames = min(n, MAX_FRAMES)
    return [round(k * (n - 1) / max(n_frames - 1, 1)) for k in range(n_frames)]


def framed(image: QImage, state: ViewState) -> Frame:
    """Return an image of limited size with a line that describes its colours.

    Parameters
    ----------
    image
        image of the widget
    state
        display settings of the volumes

    Returns
    -------
    (rows, columns, 3) RGB
    """
    if image.width() > MAX_PX:
        image = image.scaledToWidth(MAX_PX, Qt.TransformationMode.SmoothTransformation)
    # The image is already in device pixels; the painter must not scale it again.
    image.setDevicePixelRatio(1)
    font = QFont(QApplication.font())
    font.setPixelSize(max(round(image.width() / 64), 11))
    high = QFontMetrics(font).height() + 2 * PAD_PX
    made = QImage(image.width(), image.height() + high, QImage.Format.Format_RGB888)
    colours = state.colours
    made.fill(QColor(colours.canvas))
    painter = QPainter(made)
    painter.drawImage(0, 0, image)
    painter.setFont(font)
    painter.setPen(QColor(colours.text))
    line = QRect(PAD_PX, image.height(), image.width() - 2 * PAD_PX, high)
    flag = Qt.AlignmentFlag
    painter.drawText(line, flag.AlignVCenter | flag.AlignLeft, legend(state))
    painter.setPen(QColor(colours.warning))
    painter.drawText(line, flag.AlignVCenter | flag.AlignRight, CLAIM)
    painter.end()
    # QImage pads each row to a multiple of four bytes, which is cut off here.
    flat = np.frombuffer(made.constBits(), np.uint8).reshape(made.height(), -1)
    return flat[:, : 3 * made.width()].reshape(made.height(), made.width(), 3).copy()


def legend(state: ViewState) -> str:
    """Return the display windows as text.

    Parameters
    ----------
    state
        display settings of the volumes
    """
    appearances = [state, *([state.fusion] if state.fusion.has_values else [])]
    if state.fusion.compares:
        appearances = [state.fusion.compared]
    elif state.fusion.is_compared:
        appearances.append(state.fusion.compared)
    words = []
    for appearance in appearances:
        low, high = (appearance.shown_number(end) for end in appearance.window)
        span = tr("{low} to {high}", low=low, high=high)
        words.append(f"{span} {appearance.shown_unit}".rstrip())
    return "   ".join(words)
