"""How a map of the body is put onto the image of a scan: as found, as it was, or by hand."""

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
TONES = {"green": "ok", "yellow": "look", "red": "missing"}
"""Tone of each colour of the light."""


class Placing(Enum):
    """Who says where the map lies."""

    FILE = tr("position from its file")
    FOUND = tr("found by image registration")
    HAND = tr("by hand")


class AlignmentModel(QObject):
    """The map, the image under it, and the motion between them.

    Signals
    -------
    changed : anything but the image
    image_changed : another image is there

    Parameters
    ----------
    mu_map : as its file says [1/mm]

    Attributes
    ----------
    image : not corrected for attenuation; None before there is one
    motion : of the map
    placing : who says so
    work : what goes on, in words; empty when nothing does
    fault : why there is no image or no motion, in words
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
        """Take what the engine tells."""
        match event:
            case StageStarted():
                self.work = f"{sentence_case(event.text)} …"
            case Preview():
                self._show(event.volume)
            case Finished():
                self._show(event.volume)
                self._take_found(event.provenance["registration"])
            case Failed():
                self.refuse(event.text)
            case _:
                return
        self.changed.emit()

    def refuse(self, text: str) -> None:
        """Note why nothing was found."""
        self.fault = text
        self.changed.emit()

    def end(self) -> None:
        """Note that nothing goes on any more."""
        if not (self._found or self.fault):
            self.fault = tr("Stopped. Search again, or move the map by hand.")
        self.work = ""
        self.changed.emit()

    def _show(self, image: Volume) -> None:
        from engine.io import facing

        self.image, self._map = image, facing(self._file_map, image)
        self.image_changed.emit()

    def _take_found(self, found: Plain) -> None:
        self._found = found
        if self.placing is not Placing.HAND and found["light"] != "red":
            self.put_as_found()

    # what the user does

    @property
    def has_found(self) -> bool:
        """Whether a motion was found by likeness, to be trusted or not."""
        return bool(self._found)

    def put_as_found(self) -> None:
        """Put the map where likeness says."""
        self.motion = RigidMotion(tuple(self._found["shift_mm"]), tuple(self._found["turn_deg"]))
        self.placing = Placing.FOUND
        self.changed.emit()

    def put_back(self) -> None:
        """Put the map where its file says."""
        self.motion, self.placing = RigidMotion(), Placing.FILE
        self.changed.emit()

    def place(self, numbers: tuple[float, ...]) -> None:
        """Put the map by hand; raises `DataError` where the six numbers are no motion."""
        motion = motion_of(numbers)
        if motion != self.motion:
            self.motion, self.placing = motion, Placing.HAND
            self.changed.emit()

    def shift(self, start: RigidMotion, by_mm: Point) -> None:
        """Put the map by hand, away from where it was when a drag began."""
        x, y, z = (a + b for a, b in zip(start.shift_mm, by_mm, strict=True))
        self.place((x, y, z, *start.turn_deg))

    # what is shown

    def map_at(self, points_mm: Points) -> NDArray[np.float32]:
        """Return the map's values [1/mm] at points (n, 3) of the image [mm]."""
        return values_at(self._map, self.motion.back(points_mm, self._map.grid.centre_mm))

    @property
    def tone(self) -> str:
        """How the map stands, as a tone of the window."""
        if self.fault:
            return "missing"
        if self.placing is Placing.HAND or not self._found:
            return "muted"
        untrusted = self.placing is Placing.FILE and self._found["light"] != "green"
        return "look" if untrusted else TONES[self._found["light"]]

    @property
    def words(self) -> str:
        """How the map stands, in a sentence."""
        if self.fault:
            return self.fault
        if self.placing is Placing.HAND:
            return tr("{describe}, by hand.", describe=sentence_case(self.motion.describe()))
        if not self._found:
            return tr("The map has the position from its file.")
        if self.placing is Placing.FILE and self._found["light"] != "green":
            return tr(
                "The map has the position from its file. Image registration found: {found}",
                found=self._found["text"],
            )
        return sentence_case(self._found["text"])

    @property
    def numbers(self) -> tuple[float, ...]:
        """The motion as six numbers: x, y, z [mm], and angles about them [degrees]."""
        return (*self.motion.shift_mm, *self.motion.turn_deg)

    def aligned(self) -> Volume:
        """Return the map where it belongs, with the motion in its provenance."""
        how: Plain = {**self.motion.record(), "by": "hand"}
        if self.placing is Placing.FOUND:
            how = {**self._found, "by": "likeness"}
        there = moved(self._map, self.motion)
        return replace(there, notes=(), info={**there.info, "registration": how})
