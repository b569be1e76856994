"""Oblique slices of an existing image, interpolated linearly between voxels.

A pixel at the centre of a voxel has the value of the voxel. Outside the image it is 0, in HU air.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.data.attenuation_law import AIR_HU
from engine.data.rigid_resampling import values_at
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.plane import Plane, first_planes
from engine.io.volumes.slice_frame import described
from engine.protocols.privacy.key import pseudonym_of
from engine.protocols.privacy.records import without_names
from engine.protocols.run_context.environment import environment
from engine.protocols.run_context.provenance import CLAIM, hash_array

FORMAT = "isocenter-slices-provenance-1"


class VolumeSlices:
    """Slices of a volume in any plane.

    Parameters
    ----------
    volume : image to cut

    Attributes
    ----------
    grid : grid of the volume
    unit : unit of the values
    messages : sentences on the method
    warnings : always empty
    """

    messages = ("image values, interpolated linearly between voxels",)
    warnings: tuple[str, ...] = ()

    def __init__(self, volume: Volume) -> None:
        self._volume = volume
        self.grid: ImageGrid = volume.grid
        self.unit = volume.unit
        # 0 HU is water. A slice beyond the border must not look like tissue.
        self._outside = AIR_HU if volume.unit == "HU" else 0.0

    def first_planes(self) -> tuple[Plane, Plane, Plane]:
        """Return planes across z, y and x through the central voxel of the volume."""
        return first_planes(self.grid)

    def values(self, planes: Sequence[Plane]) -> list[Array]:
        """Return each slice (n_rows, n_columns) in `unit`."""
        return [self._made(plane) for plane in planes]

    def provenance(self, data: Path, planes: Sequence[Plane]) -> Plain:
        """Return the provenance of slices, as JSON values.

        Parameters
        ----------
        data
            file of the scan, which is replaced by a pseudonym
        planes
            planes of the slices
        """
        return {
            "format": FORMAT,
            "claim": CLAIM,
            "environment": environment(),
            "scan": {"name": pseudonym_of(data)},
            "image": {"values_sha256": hash_array(self._volume.values)},
            "image_made_with": without_names(self._volume.info),
            "made_with": list(self.messages),
            "planes": [described(plane) for plane in planes],
        }

    def _made(self, plane: Plane) -> Array:
        rows, columns = (np.arange(n) + 0.5 for n in plane.shape)
        at = plane.to_mm
        # Column 2 of the matrix is the normal; half a step puts the points into the plane's centre.
        points = (rows[:, None, None] * at[:3, 1] + columns[None, :, None] * at[:3, 0]) + (
            at[:3, 3] + 0.5 * at[:3, 2]
        )
        found = values_at(self._volume, points.reshape(-1, 3), self._outside)
        return found.reshape(plane.shape)
