"""A volume: values on a grid, with their unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from engine.core.checked import checked_class
from engine.core.errors import GeometryError, LongUnitError
from engine.core.interactive import Described
from engine.core.json_types import Plain
from engine.data.formatting import MAX_UNIT_CHARACTERS, Information
from engine.data.patient_position import BY_USER, HFS_AXES, KEY, STATED_AXES
from engine.data.storage.volume_file import place_of
from engine.geometry.grid import ImageGrid
from engine.geometry.patient_planes import UNKNOWN_AXES, is_axes_code, to_patient_axes

if TYPE_CHECKING:
    from engine.data.error_map import ErrorMap
    from engine.data.runs.record import RecordedRun

FRAME = "slice_frame"
"""Key of `Volume.info` for the position of a rotated slice."""
QUANTITY = "quantity"
"""Key of `Volume.info` for images that show something else than the reconstructed values."""


@checked_class()
@dataclass(frozen=True, eq=False, repr=False)
class Volume(Described):
    """Values on an image grid.

    Attributes
    ----------
    values : (n_z, n_y, n_x) float32, C-contiguous
    grid : position of the voxels [mm, LPS]
    unit : unit of the values, for example "counts/mm", "1/mm"; at most `MAX_UNIT_CHARACTERS`
    info : provenance, written next to the volume
    notes : notes of the reader, one sentence each
    patient : patient ID if the file states it, only for comparison, never written; else ""
    frame_of_reference : UID of its coordinate system (DICOM), likewise
    error : bootstrap replicates of exactly this array of values; None if their error is not known.
        An error of another array is dropped, because changed values have another error

    Examples
    --------
    >>> import numpy as np, engine
    >>> grid = engine.ImageGrid(shape=(2, 3, 4), voxel_mm=(1.0, 1.0, 2.0))
    >>> engine.Volume(np.zeros(grid.shape, np.float32), grid, unit="1/mm").axes
    'LPS'
    >>> engine.Volume(np.zeros(grid.shape, np.float32), grid, unit="1/mm")
    <Volume 1 × 1 × 2 mm, 4 × 3 × 2, 1/mm>
    """

    values: NDArray[np.float32]
    grid: ImageGrid
    unit: str
    info: Plain = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    patient: str = field(default="", repr=False)
    frame_of_reference: str = field(default="", repr=False)
    error: ErrorMap | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.unit) > MAX_UNIT_CHARACTERS:
            n = len(self.unit)
            raise LongUnitError(
                f"The unit of the volume has {n:,} characters, expected at most "
                f"{MAX_UNIT_CHARACTERS}; shorten the unit.",
                n,
            )
        if self.error is not None and self.error.image is not self.values:
            object.__setattr__(self, "error", None)
        if self.values.shape != self.grid.shape:
            raise GeometryError(
                f"the volume has shape {self.values.shape}, but its grid has "
                f"{self.grid.shape} (z, y, x); give the grid of this volume."
            )

    def facts(self) -> Mapping[str, str]:
        stated = {"quantity": self.quantity} if self.quantity else {}
        return {"grid": self.grid.describe(), "unit": self.unit, **stated}

    def image_html(self) -> str:
        from engine.data.volume_exports import middle_slice

        return middle_slice(self)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        # A copy only where NumPy asks for one, or where the type requires it.
        values = np.asarray(self.values, dtype)
        if copy is False and values is not self.values:
            raise ValueError(f"a volume of {self.values.dtype} cannot become {dtype} without copy.")
        return values.copy() if copy and values is self.values else values

    @property
    def affine(self) -> NDArray[np.float64]:
        """Matrix (4, 4) from indices (x, y, z, 1) of a voxel to its centre (x, y, z, 1) [mm].

        The points are those of the patient (LPS) if `sides` is known, otherwise of the scanner.
        NIfTI has the signs of x and y reversed (RAS), see `to_nibabel`.
        """
        voxels = np.diag([*self.grid.voxel_mm, 1.0])
        voxels[:3, 3] = [float(self.grid.centres_mm(axis)[0]) for axis in range(3)]
        found: NDArray[np.float64] = to_patient(self) @ to_scanner(self) @ voxels
        return found

    def to_nibabel(self) -> Any:
        """Return the volume as a Nifti1Image of nibabel: values [x, y, z], affine in RAS."""
        from engine.data.volume_exports import to_nibabel

        return to_nibabel(self)

    def to_xarray(self) -> Any:
        """Return the volume as an xarray.DataArray with the coordinates z, y and x [mm].

        Raises
        ------
        ResourceError
            if xarray is not installed
        """
        from engine.data.volume_exports import to_xarray

        return to_xarray(self)

    def show(self) -> None:
        """Show the volume: a picture of its middle slice in a notebook, elsewhere the window.

        The window is a process of its own, which reads a temporary file and removes it at the end.
        """
        from engine.data.volume_exports import show

        show(self)

    @property
    def record(self) -> RecordedRun | None:
        """Record of the run that made the volume; None if `info` contains none."""
        from engine.data.runs.record import RecordedRun

        found = self.info.get("run")
        return RecordedRun.model_validate(found) if isinstance(found, dict) else None

    @property
    def is_in_file(self) -> bool:
        """True if the values are in a mapped file, because they can exceed the memory."""
        return place_of(self.values) is not None

    @property
    def quantity(self) -> str:
        """Quantity of an image that does not show the reconstructed values; "" for all others.

        Readable characters only, because `info` can come from a file of another program, and
        because text headers end a field at a semicolon, a quotation mark or a line break.
        """
        text = str(self.info.get(QUANTITY, ""))
        return "".join(each for each in text if each.isprintable() and each not in ';"')[:60]

    @property
    def axes(self) -> str:
        """Patient sides to which x, y and z grow: "LPS", or "LPI" if z points to the feet.

        "xyz" if the patient position is not known, or there is no patient.
        """
        return str(self.info.get("axes", "LPS"))

    @property
    def sides(self) -> str:
        """Patient sides to which x, y and z grow, for orientation letters and files.

        Equal to `axes`. For scanner axes ("xyz") they follow the patient position that the scan or
        the user states; "xyz" if neither does.
        """
        # `info` can come from a file of another program, so its content is validated.
        stated = str(self.info.get(STATED_AXES, ""))
        return stated if self.axes == UNKNOWN_AXES and is_axes_code(stated) else self.axes

    def informed(self, text: str) -> Volume:
        """Return the volume with one more note that only informs.

        Parameters
        ----------
        text
            one sentence about the reading of its file
        """
        return replace(self, notes=(*self.notes, Information(text)))

    @property
    def hfs_axes(self) -> str:
        """Patient sides to which the scanner's axes grow for head first, supine."""
        return str(self.info.get(HFS_AXES, "LPS"))

    def positioned(self, sides: str) -> Volume:
        """Return the volume with a patient position stated by the user.

        Parameters
        ----------
        sides
            sides to which x, y and z grow, such as "RPI"; "" changes nothing

        Returns
        -------
        the volume itself if its position is already known
        """
        if not sides or self.sides != UNKNOWN_AXES:
            return self
        # KEY records that the user stated it, for the provenance
        return replace(self, info={**self.info, STATED_AXES: sides, KEY: BY_USER})

    @property
    def head_sign(self) -> int:
        """1, or −1 if z grows towards the feet: factor that converts z to the patient's z.

        Files with patient axes are written with it, in agreement with the letters of the views.
        """
        # only the sign of z differs between "LPS" and "LPI"
        return -1 if self.axes.endswith("I") else 1


def to_patient(volume: Volume) -> NDArray[np.float64]:
    """Return the matrix from coordinates of a volume to those of the patient.

    Parameters
    ----------
    volume
        its `sides` decide

    Returns
    -------
    matrix
        (4, 4) [mm, LPS]; a rotation or reflection without translation
    """
    matrix = np.eye(4)
    matrix[:3, :3] = to_patient_axes(volume.sides)
    return matrix


def to_scanner(volume: Volume) -> NDArray[np.float64]:
    """Return the matrix from the volume's own axes to scanner coordinates [mm].

    Parameters
    ----------
    volume
        any volume

    Returns
    -------
    matrix
        (4, 4); the identity unless the volume is a rotated slice
    """
    matrix = np.eye(4)
    frame = volume.info.get(FRAME)
    if isinstance(frame, dict):
        across, down = (np.array(frame[key], float) for key in ("across", "down"))
        # The third axis completes a right-handed frame: n = across × down.
        matrix[:3, :3] = np.stack([across, down, np.cross(across, down)], axis=1)
        matrix[:3, 3] = frame["centre_mm"]
    return matrix
