"""A volume: values on a grid, with their unit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import GeometryError
from engine.core.json_types import Plain
from engine.data.patient_position import BY_USER, HFS_AXES, KEY, STATED_AXES
from engine.data.reading_note import Information
from engine.data.storage.volume_file import place_of
from engine.geometry.grid import ImageGrid
from engine.geometry.patient_planes import UNKNOWN_AXES, is_axes_code


@dataclass(frozen=True)
class Volume:
    """Values on an image grid.

    Attributes
    ----------
    values : (n_z, n_y, n_x) float32, C-contiguous
    grid : where each voxel is [mm, LPS]
    unit : unit of the values, for example "counts/mm", "1/mm"
    info : free provenance, written beside the volume
    notes : notes of the reader, one sentence each
    patient : number of the patient where the file says it, to be compared, never written; else ""
    frame_of_reference : UID of the space that its places are told in, likewise

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid(shape=(2, 3, 4), voxel_mm=(1.0, 1.0, 2.0))
    >>> engine.Volume(np.zeros(grid.shape, np.float32), grid, unit="1/mm").axes
    'LPS'
    """

    values: NDArray[np.float32]
    grid: ImageGrid
    unit: str
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    patient: str = field(default="", repr=False)
    frame_of_reference: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.values.shape != self.grid.shape:
            raise GeometryError(
                f"the volume has shape {self.values.shape}, but its grid has "
                f"{self.grid.shape} (z, y, x); give the grid of this volume."
            )

    @property
    def is_in_file(self) -> bool:
        """True if the values lie in a file that is mapped, since memory may not hold them."""
        return place_of(self.values) is not None

    @property
    def axes(self) -> str:
        """Sides of the patient to which x, y and z grow: "LPS", or "LPI" where z runs feetwards.

        "xyz" where it is not known how a patient lay, or there is none.
        """
        return str(self.info.get("axes", "LPS"))

    @property
    def sides(self) -> str:
        """Sides of the patient to which x, y and z grow: for letters, and files of others.

        They are `axes`. For axes of the scanner ("xyz") they follow the position of the patient
        that the scan or the user states, "xyz" if neither does.
        """
        stated = str(self.info.get(STATED_AXES, ""))
        return stated if self.axes == UNKNOWN_AXES and is_axes_code(stated) else self.axes

    def informed(self, text: str) -> Volume:
        """Return the volume with a further note that only informs: a sentence on its reading."""
        return replace(self, notes=(*self.notes, Information(text)))

    @property
    def hfs_axes(self) -> str:
        """Sides to which the scanner's axes grow for a patient head first and supine."""
        return str(self.info.get(HFS_AXES, "LPS"))

    def positioned(self, sides: str) -> Volume:
        """Return a volume that states no patient position with the `sides` of a stated one.

        Parameters
        ----------
        sides
            to which x, y and z grow, such as "RPI"; "" changes nothing
        """
        if not sides or self.sides != UNKNOWN_AXES:
            return self
        return replace(self, info={**self.info, STATED_AXES: sides, KEY: BY_USER})

    @property
    def head_sign(self) -> int:
        """1, or −1 where z grows towards the feet: what turns z into the patient's.

        Files that state the patient's axes are written with it, as views are lettered.
        """
        return -1 if self.axes.endswith("I") else 1
