"""Base of the widgets that draw a 3-D scene from a movable camera."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views import overlay
from app.views.colour.colours import ViewColours
from app.views.gestures import WheelNotches
from app.views.scan.scan_scene import SceneCamera

ZOOM_STEP = 1.2
"""Change of the magnification by a notch of the wheel or a key."""


class SceneWidget(QWidget):
    """A scene with a camera. Subclasses draw it, and handle drags, steps of the wheel and keys.

    Parameters
    ----------
    name : accessible name
    parent : parent widget

    Attributes
    ----------
    camera : viewing direction
    zooms : smallest and largest magnification
    """

    zooms: ClassVar[tuple[float, float]] = (0.5, 20.0)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.camera, self._zoom = SceneCamera(), 1.0
        self._wheel = WheelNotches()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    @property
    @abstractmethod
    def colours(self) -> ViewColours:
        """Colours of the theme."""

    @abstractmethod
    def paint_scene(self, painter: QPainter) -> None:
        """Draw the scene on the empty canvas.

        Parameters
        ----------
        painter
            an active painter with antialiasing
        """

    @abstractmethod
    def step(self, notches: int) -> None:
        """Handle the wheel without Ctrl.

        Parameters
        ----------
        notches
            notches of the wheel, positive away from the user
        """

    @abstractmethod
    def end_drag(self) -> None:
        """End a drag; the window may never receive the release of its button."""

    def set_camera(self, camera: SceneCamera) -> None:
        """Set the viewing direction.

        Parameters
        ----------
        camera
            the viewing direction
        """
        self.camera = camera
        self.update()

    def zoom(self, factor: float) -> None:
        """Change the magnification about the centre.

        Parameters
        ----------
        factor
            above 1 enlarges
        """
        low, high = self.zooms
        self._zoom = min(max(self._zoom * factor, low), high)
        self.update()

    def fit(self) -> None:
        """Show the whole scene."""
        self._zoom = 1.0
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.colours.canvas))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint_scene(painter)
        if self.hasFocus():
            overlay.focus_frame(painter, QRectF(self.rect()), self.colours)
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # Otherwise a scroll area around the view would scroll as well.
        event.accept()
        angle = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM_STEP ** (angle / 120))
        elif notches := self._wheel.turned(angle):
            self.step(notches)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        # The release event is lost if another window takes the focus.
        self.end_drag()
        self.update()
