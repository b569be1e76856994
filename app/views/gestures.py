"""Pointer gestures that start with a button press."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QPointF, Qt

from app.language.translation import tr
from app.views.colour import windows
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion.fusion_state import FusionState
from app.views.state import ViewState
from app.views.text import number
from app.views.viewport import Viewport

CLICK_PX = 4.0
"""Shorter movements of the pressed right button are a click, which opens the menu."""
SWEEP_PX = 250.0  # this drag changes the width by a factor e, or the level by one width
WHEEL_NOTCH = 120  # Qt's angle of one notch, in eighths of a degree


class Drag(Protocol):
    """A gesture in progress."""

    def move(self, at: QPointF) -> None:
        """Handle a pointer position; also called once for the press itself.

        Parameters
        ----------
        at
            position in the view [px]
        """

    def end(self) -> None:
        """Handle the release of the button."""


class Pane(Protocol):
    """The interface of a view that gestures use."""

    state: ViewState
    readout: str

    @property
    def viewport(self) -> Viewport | None: ...
    def show_part(self, viewport: Viewport) -> None: ...
    def update(self) -> None: ...
    def setCursor(self, shape: Qt.CursorShape) -> None: ...
    def unsetCursor(self) -> None: ...


class PointDrag:
    """Calls back with each position."""

    def __init__(self, follow: Callable[[QPointF], None]) -> None:
        self.move = follow

    def end(self) -> None:
        """Do nothing: there is no state to restore."""


class PanDrag:
    """The image follows the pointer."""

    def __init__(self, pane: Pane, at: QPointF) -> None:
        self._pane, self._from, self._before = pane, at, pane.viewport
        pane.setCursor(Qt.CursorShape.ClosedHandCursor)

    def move(self, at: QPointF) -> None:
        # Always from the start of the drag: rounding errors of single moves do not add up.
        delta = at - self._from
        if self._before is not None and not delta.isNull():
            self._pane.show_part(self._before.panned(delta.x(), delta.y()))

    def end(self) -> None:
        self._pane.unsetCursor()


class WindowDrag:
    """A drag to the right widens the window; a drag upwards raises its level."""

    def __init__(self, pane: Pane, at: QPointF, appearance: VolumeAppearance) -> None:
        self._pane, self._from, self._appearance, self._before = (
            pane,
            at,
            appearance,
            appearance.window,
        )
        self.has_moved = False

    def move(self, at: QPointF) -> None:
        delta, appearance = (at - self._from) / SWEEP_PX, self._appearance
        self.has_moved |= (at - self._from).manhattanLength() >= CLICK_PX
        # The press alone must show the readout without changing the window.
        if self.has_moved:
            pinned = appearance.is_pinned
            appearance.set_window(
                *windows.dragged(self._before, delta.x(), -delta.y(), pinned=pinned)
            )
        # Read back: the limits may have been corrected by `set_window`.
        low, high = appearance.window
        self._pane.readout = tr(
            "W {width}  L {level}   {low} to {high} {unit}",
            width=number(high - low),
            level=number((low + high) / 2),
            low=number(low),
            high=number(high),
            unit=appearance.unit,
        )
        self._pane.update()

    def end(self) -> None:
        self._pane.readout = ""
        self._pane.update()


class SwipeDrag:
    """The border between two images follows the pointer."""

    def __init__(self, pane: Pane, width_px: int, fusion: FusionState) -> None:
        self._pane, self._width_px, self._fusion = pane, width_px, fusion
        pane.setCursor(Qt.CursorShape.SplitHCursor)

    def move(self, at: QPointF) -> None:
        # The position is a share of the width, since all panes show the same border.
        self._fusion.set_swipe(at.x() / max(self._width_px, 1))

    def end(self) -> None:
        self._pane.unsetCursor()


class WheelNotches:
    """Collects whole notches of a wheel or touchpad, which may send small parts."""

    def __init__(self) -> None:
        self._angle = 0

    def turned(self, angle: int) -> int:
        """Add a rotation of the wheel.

        Parameters
        ----------
        angle
            rotation in eighths of a degree, as Qt reports it

        Returns
        -------
        number of completed notches, with sign
        """
        # After a change of direction the rest of the old one must not delay the first step.
        if angle * self._angle < 0:
            self._angle = 0
        self._angle += angle
        # `int` rounds towards zero, so both directions need a full notch.
        notches = int(self._angle / WHEEL_NOTCH)
        self._angle -= notches * WHEEL_NOTCH
        return notches
