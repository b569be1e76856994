"""Playback in the views: rotating projection, slices, iterations or frames."""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import QObject, QTimer, Signal

from app.views.planes.plane_geometry import slice_index
from app.views.scrubber import IterationScrubber
from app.views.slices.ortho_view import OrthoView
from engine.geometry import PLANES, PlaneName

CineKind = Literal["turn", "axial", "coronal", "sagittal", "images"]
STEP_DEGREES = 5
PER_S, MIN_PER_S, MAX_PER_S = 12, 1, 30


class Cine(QObject):
    """Steps through a rotation, slices or images of a run, in a loop.

    All views follow, because they share cursor and image. This includes a second volume.

    Signals
    -------
    changed : content, speed, or start and stop

    Attributes
    ----------
    kind : content of the film
    per_s : images per second
    """

    changed = Signal()

    def __init__(self, views: OrthoView, scrubber: IterationScrubber) -> None:
        super().__init__(views)
        self._views, self._scrubber, self._state = views, scrubber, views.state
        self.kind: CineKind = "turn"
        self.per_s = PER_S
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.advance)
        self._state.volume_changed.connect(self._follow)

    @property
    def is_playing(self) -> bool:
        """True while a film plays."""
        return self._timer.isActive()

    @property
    def n_steps(self) -> int:
        """Number of images."""
        volume = self._state.volume
        if volume is None:
            return 0
        if self.kind == "turn":
            return 360 // STEP_DEGREES
        if self.kind == "images":
            return self._scrubber.slider.maximum() + 1
        return volume.grid.shape[2 - self._normal(self.kind)]

    @property
    def position(self) -> int:
        """Index of the displayed image."""
        volume = self._state.volume
        if self.kind == "turn" or volume is None:
            # From the view itself, so that playing continues where the user has rotated to.
            return round(self.degrees / STEP_DEGREES)
        if self.kind == "images":
            return self._scrubber.slider.value()
        normal = self._normal(self.kind)
        return slice_index(volume.grid, normal, self._state.cursor_mm[normal])

    @property
    def degrees(self) -> float:
        """Angle of the projection or the 3D view."""
        return self._views.turning.degrees

    def turn(self, degrees: float) -> None:
        """Turn the projection or the 3D view.

        Parameters
        ----------
        degrees
            angle about the long axis
        """
        self._views.turning.set_degrees(degrees)

    def show(self, position: int) -> None:
        """Show one of the images.

        Parameters
        ----------
        position
            its index
        """
        if self.kind == "turn":
            self.turn(STEP_DEGREES * position)
        elif self.kind == "images":
            self._scrubber.slider.setValue(position)
        else:
            # A step from the current position keeps the cursor at voxel centres.
            self._state.step_cursor(self._normal(self.kind), position - self.position)

    def advance(self) -> None:
        """Show the next image; after the last one, the first."""
        # The volume may have been closed or replaced since the last step.
        if self.n_steps > 1:
            self.show((self.position + 1) % self.n_steps)

    def play(self, on: bool) -> None:
        """Start or stop playing.

        Parameters
        ----------
        on
            True to play; ignored if there is a single image
        """
        if on and self.n_steps > 1:
            self._timer.start(round(1000 / self.per_s))
        else:
            self._timer.stop()
        self.changed.emit()

    def set_kind(self, kind: CineKind) -> None:
        """Set the content of the film.

        Parameters
        ----------
        kind
            rotation, slices of a plane, or images of the run
        """
        self.kind = kind
        # Restarts the timer, and stops it if the new content has a single image.
        self.play(self.is_playing)

    def set_speed(self, per_s: int) -> None:
        """Set the speed.

        Parameters
        ----------
        per_s
            images per second, clipped to the allowed range
        """
        self.per_s = min(max(per_s, MIN_PER_S), MAX_PER_S)
        self.play(self.is_playing)

    def kinds(self) -> list[CineKind]:
        """Return the contents that are possible now."""
        # A film of one image is not offered.
        n_images = self._scrubber.slider.maximum() + 1
        return [kind for kind in get_args(CineKind) if kind != "images" or n_images > 1]

    def _follow(self) -> None:
        if self._state.volume is None and self.is_playing:
            self.play(False)

    def _normal(self, plane: PlaneName) -> int:
        return self._views.slices[PLANES.index(plane)].orientation.normal
