"""Align a μ-map with the image of its scan: from its file, by registration or by hand."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.language.translation import tr
from app.ui.theme.formatting import sentence_case
from engine.data import Plain, Volume, moved, values_at
from engine.data.runs.events import Failed, Finished, Preview, StageStarted
from engine.geometry import Point, RigidMotion, motion_of

Points = NDArray[np.float64]
TONES = {"green": "ok", "yellow": "warning", "red": "missing"}
"""Tone of each colour of the light."""


class Placing(Enum):
    """Origin of the map's position."""

    FILE = tr("original position")
    FOUND = tr("found by image registration")
    HAND = tr("moved by hand")


class AlignmentModel(QObject):
    """The map, the image under it, and the motion between them.

    Signals
    -------
    changed : anything but the image
    image_changed : a new image is shown

    Parameters
    ----------
    mu_map : map in the position from its file [1/mm]

    Attributes
    ----------
    image : image without attenuation correction; None until one exists
    motion : rigid motion that is applied to the map
    placing : origin of the motion
    work : current activity, for the user; empty if nothing runs
    fault : reason why there is no image or no motion; empty if there is none
    """

    changed = Signal()
    image_changed = Signal()

    def __init__(self, mu_map: Volume) -> None:
        super().__init__()
        self._file_map = self._map = mu_map
        self.image: Volume | None = None
        self.motion, self.placing = RigidMotion(), Placing.FILE
        self.work, self.fault = "", ""
        self._found: Plain = {}

    def begin(self) -> None:
        """Wait for an image."""
        self.work, self.fault = tr("Starting …"), ""
        self.changed.emit()

    def take(self, event: object) -> None:
        """Update the model from an event of the alignment run.

        Parameters
        ----------
        event
            an event of the engine; kinds that do not concern the alignment are ignored
        """
        match event:
            case StageStarted():
                self.work = f"{sentence_case(event.text)} …"
            case Preview():
                self._show(event.volume)
            case Finished():
                self._show(event.volume)
                # The motion refers to the axes of the final image, so the map is turned to them
                # first.
                self._use_registration(event.provenance["registration"])
            case Failed():
                self.refuse(event.text)
            case _:
                return
        self.changed.emit()

    def refuse(self, text: str) -> None:
        """Store the reason why the alignment failed.

        Parameters
        ----------
        text
            sentence for the user
        """
        self.fault = text
        self.changed.emit()

    def end(self) -> None:
        """Mark the run as ended, whatever its result."""
        # A run that ends with neither a motion nor a reason was stopped by the user.
        if not (self._found or self.fault):
            self.fault = tr("Stopped. Search again, or move the μ-map by hand.")
        self.work = ""
        self.changed.emit()

    def _show(self, image: Volume) -> None:
        from engine.io import facing

        self.image, self._map = image, facing(self._file_map, image)
        self.image_changed.emit()

    def _use_registration(self, found: Plain) -> None:
        self._found = found
        # A map that the user has moved stays there. A motion with a red light is shown, never
        # applied.
        if self.placing is not Placing.HAND and found["light"] != "red":
            self.apply_registration()

    # User actions

    @property
    def has_motion(self) -> bool:
        """True if registration found a motion, even an untrusted one."""
        return bool(self._found)

    def apply_registration(self) -> None:
        """Move the map to the position that registration found."""
        self.motion = RigidMotion(tuple(self._found["shift_mm"]), tuple(self._found["turn_deg"]))
        self.placing = Placing.FOUND
        self.changed.emit()

    def reset_position(self) -> None:
        """Move the map back to the position from its file."""
        self.motion, self.placing = RigidMotion(), Placing.FILE
        self.changed.emit()

    def place(self, numbers: tuple[float, ...]) -> None:
        """Move the map by hand.

        Parameters
        ----------
        numbers
            shifts x, y, z [mm], then rotations about these axes [degrees]

        Raises
        ------
        DataError
            the six numbers are not a valid motion
        """
        motion = motion_of(numbers)
        # Leaving a number field without a change must not mark the map as moved by hand.
        if motion != self.motion:
            self.motion, self.placing = motion, Placing.HAND
            self.changed.emit()

    def shift(self, start: RigidMotion, by_mm: Point) -> None:
        """Move the map by hand during a drag.

        Parameters
        ----------
        start
            motion when the drag began
        by_mm
            distance of the pointer from the start of the drag, x, y, z [mm]
        """
        x, y, z = (a + b for a, b in zip(start.shift_mm, by_mm, strict=True))
        self.place((x, y, z, *start.turn_deg))

    # Display

    def map_at(self, points_mm: Points) -> NDArray[np.float32]:
        """Sample the moved map.

        Parameters
        ----------
        points_mm
            positions (n, 3) in the image [mm]

        Returns
        -------
        values of the map (n,) [1/mm]
        """
        return values_at(self._map, self.motion.back(points_mm, self._map.grid.centre_mm))

    @property
    def tone(self) -> str:
        """Colour role of the alignment state in the window."""
        if self.fault:
            return "missing"
        if self.placing is Placing.HAND or not self._found:
            return "muted"
        # The file position is only doubtful if registration disagrees with it.
        untrusted = self.placing is Placing.FILE and self._found["light"] != "green"
        return "warning" if untrusted else TONES[self._found["light"]]

    @property
    def words(self) -> str:
        """State of the alignment, as a sentence."""
        if self.fault:
            return self.fault
        if self.placing is Placing.HAND:
            return tr(
                "The μ-map was moved by hand: {distance_mm:.1f} mm, {angle_deg:.1f}°.",
                distance_mm=self.motion.distance_mm,
                angle_deg=self.motion.angle_deg,
            )
        if not self._found:
            return tr("The μ-map is in its original position.")
        if self.placing is Placing.FILE and self._found["light"] != "green":
            return tr(
                "The μ-map is in its original position. Result of the image registration: {found}",
                found=self._found["text"],
            )
        return sentence_case(self._found["text"])

    @property
    def numbers(self) -> tuple[float, ...]:
        """The motion as six numbers: x, y, z [mm], and angles about them [degrees]."""
        return (*self.motion.shift_mm, *self.motion.turn_deg)

    def aligned(self) -> Volume:
        """Return the map in its final position, with the motion in its provenance."""
        how: Plain = {**self.motion.record(), "by": "hand"}
        # "likeness" is a stored value of older versions and stays for compatibility.
        if self.placing is Placing.FOUND:
            how = {**self._found, "by": "likeness"}
        there = moved(self._map, self.motion)
        return replace(there, notes=(), info={**there.info, "registration": how})
