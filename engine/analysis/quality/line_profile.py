"""Profile along a straight line, and the width of its highest peak.

The image is interpolated linearly between voxel centres, in steps of at most half the smallest
voxel edge. The width is measured at h = (maximum + minimum) / 2 of the line: between the crossings
of h on both sides of the maximum, interpolated linearly between samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.data.volume import Volume
from engine.geometry.grid import Point

STEPS_PER_VOXEL = 2
MAX_SAMPLES = 4096

Samples = NDArray[np.float64]


@dataclass(frozen=True)
class LineProfile:
    """Values along a line.

    Attributes
    ----------
    points_mm : (n, 3) places x, y, z [mm]
    distance_mm : (n,) from the start of the line [mm]
    values : (n,) in the unit of the image
    unit : unit of the values
    """

    points_mm: Samples
    distance_mm: Samples
    values: Samples
    unit: str

    @property
    def length_mm(self) -> float:
        """Length of the line [mm]."""
        return float(self.distance_mm[-1])

    @property
    def peak(self) -> tuple[float, float]:
        """Position of the maximum [mm from the start], and its value."""
        i = int(np.argmax(self.values))
        return float(self.distance_mm[i]), float(self.values[i])

    @property
    def half_height(self) -> float:
        """Mean of minimum and maximum."""
        return float(self.values.min() + self.values.max()) / 2

    @property
    def half_places_mm(self) -> tuple[float, float] | None:
        """Positions at half height on both sides of the peak [mm]; None if one is off the line."""
        above = self.values > self.half_height
        i = int(np.argmax(self.values))
        before, after = np.flatnonzero(~above[:i]), np.flatnonzero(~above[i:])
        if not above[i] or len(before) == 0 or len(after) == 0:
            return None
        left, right = int(before[-1]), i + int(after[0])
        return self._crossing(left, left + 1), self._crossing(right - 1, right)

    @property
    def fwhm_mm(self) -> float | None:
        """Full width at half maximum of the highest peak [mm]; None if the line is too short."""
        places = self.half_places_mm
        return None if places is None else places[1] - places[0]

    def _crossing(self, i: int, j: int) -> float:
        low, high = self.values[i], self.values[j]
        part = (self.half_height - low) / (high - low)
        return float(self.distance_mm[i] + part * (self.distance_mm[j] - self.distance_mm[i]))

    def csv(self, length: str = "mm") -> str:
        """Return the samples as CSV text with a header line.

        Parameters
        ----------
        length
            name of the length unit in the header; the values stay in mm
        """
        places = ",".join(f"{name} [{length}]" for name in ("distance", "x", "y", "z"))
        head = f"{places},value [{self.unit or 'no unit'}]"
        rows = np.column_stack([self.distance_mm, self.points_mm, self.values])
        return "\n".join([head, *(",".join(f"{v:.7g}" for v in row) for row in rows)]) + "\n"


def profile_along(volume: Volume, start_mm: Point, end_mm: Point) -> LineProfile:
    """Sample an image along a line, linearly between the centres of voxels.

    Parameters
    ----------
    volume
        image; beyond its border the outermost voxels continue
    start_mm, end_mm
        ends (x, y, z) of the line [mm]

    Returns
    -------
    LineProfile
        samples less than a voxel apart, both ends included

    Raises
    ------
    GeometryError
        if both ends are the same point
    """
    start, end = np.array(start_mm, np.float64), np.array(end_mm, np.float64)
    length = float(np.linalg.norm(end - start))
    if not length > 0:
        raise GeometryError("line profile: both ends are the same point; draw a longer line.")
    # A cap for very long lines in fine images: a plot shows no more samples than this.
    wanted = int(np.ceil(STEPS_PER_VOXEL * length / min(volume.grid.voxel_mm))) + 1
    part = np.linspace(0.0, 1.0, min(max(wanted, 2), MAX_SAMPLES))
    points = start + part[:, None] * (end - start)
    return LineProfile(points, part * length, _sampled(volume, points), volume.unit)


def _sampled(volume: Volume, points_mm: Samples) -> Samples:
    """(n,) linear interpolation at points (n, 3)."""
    from scipy import ndimage

    places: Array = (points_mm - volume.grid.lower_mm) / np.array(volume.grid.voxel_mm) - 0.5
    found = ndimage.map_coordinates(
        volume.values, places.T[::-1], np.float64, order=1, mode="nearest"
    )
    # Voxels without a value (NaN) count as 0, so that the profile can still be drawn.
    return np.nan_to_num(np.asarray(found))
