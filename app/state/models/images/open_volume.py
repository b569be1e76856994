"""One open volume, with its origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from app.state.models.images.volume_origin import Origin
from app.views.planes.placing import VolumePlacing
from engine.data import Volume
from engine.geometry import RigidMotion

Kind = Literal["image", "iterate", "input", "result", "file", "error"]
FILE_KEY = "file:"
"""Start of the key of a volume that was opened from a file; its path follows."""
IMAGE = "image"
"""Key of the image of the run. The volume behind it changes with every update and scrubber step."""


@dataclass(frozen=True, eq=False)
class OpenVolume:
    """A volume that can be shown alone or over another one.

    Attributes
    ----------
    key : constant while it is open: `IMAGE`, "input:mu_map", "result:ID", "file:PATH", …
    name : for the screen of its owner
    kind : image of the run, stored iterate, input of the study, result on disk, file, or error of
        the volume that is shown
    volume : values, grid and unit
    origin : scan and patient, as far as they are known
    motion : moves it to its aligned position; None if it needs no motion
    has_scanner_axes : True if its axes are those of the volume under it
    run : identifies the run or file of an image; all images of a run share it
    """

    key: str
    name: str
    kind: Kind
    volume: Volume
    origin: Origin = field(default_factory=Origin)
    motion: RigidMotion | None = None
    has_scanner_axes: bool = False
    run: object = None

    @property
    def subject(self) -> object:
        """Equal for all images of a run, different for those of another run or file."""
        return self.key, self.run

    def placing_over(self, base: OpenVolume) -> VolumePlacing:
        """Return the position of this volume relative to another one.

        Parameters
        ----------
        base
            the volume under it

        Returns
        -------
        how coordinates of `base` map to voxels of this volume
        """
        turns = not (self.has_scanner_axes or base.has_scanner_axes)
        return VolumePlacing.of(self.volume, base.volume, self.motion, turns=turns)
