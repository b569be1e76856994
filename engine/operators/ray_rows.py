"""Rows of a ray projector: as the user gives them, and checked and converted for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array, module_of
from engine.core.checked import checked_class
from engine.core.errors import GeometryError
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.rays.slice_tracing import EventRows
from engine.kernels.rays.tof import chord_table
from engine.operators.ray_checks import check_bins, check_ends, check_points


@checked_class()
@dataclass(frozen=True)
class Rays:
    """Rays: the rows of a projector.

    Attributes
    ----------
    points_mm : (m, 3) float64, (x, y, z) of the crystals, or of the ends themselves [mm]; on the
        host, while the other arrays can be on the device
    ends : (n, 2) int32, the two points of each ray; order matters for time of flight
    tof_bins : (n,) int16, TOF bin of each ray, counted towards its second point; None: no TOF

    Examples
    --------
    >>> import numpy as np, engine
    >>> ends_mm = np.array([[-10.0, 0.5, 0.5], [10.0, 0.5, 0.5]])
    >>> rays = engine.Rays(ends_mm, np.array([[0, 1]], np.int32))
    """

    points_mm: NDArray[np.float64]
    ends: NDArray[np.int32]
    tof_bins: NDArray[np.int16] | None = None

    def __post_init__(self) -> None:
        for name, width in (("points_mm", 3), ("ends", 2)):
            array = getattr(self, name)
            if len(array.shape) != 2 or array.shape[1] != width:
                raise GeometryError(
                    f"Rays: {name} has the shape {tuple(array.shape)}, expected (n, {width}); give "
                    "one row for each point or ray."
                )


def checked_rows(
    rays: Rays, grid: ImageGrid, tof: TofBins | None, dtype: np.dtype[Any]
) -> EventRows:
    """Check the rays and convert them for the kernels.

    Parameters
    ----------
    rays
        the rows
    grid
        grid of the image
    tof
        TOF bins of the scanner; None: no TOF
    dtype
        dtype of the arithmetic
    """
    # Kernels work in voxels; lengths are converted to mm at the end.
    points = np.array(grid.to_voxels(rays.points_mm), np.float64, order="C")
    check_points(rays.points_mm, points)
    check_ends(rays.ends, len(points))
    ends = _typed(rays.ends, np.int32)
    if tof is None or rays.tof_bins is None:
        # Kernels are compiled for fixed types, so an empty array stands for "no TOF".
        return rows_of(points, ends, np.empty(0, np.int16), grid, tof, dtype)
    check_bins(rays.tof_bins, tof.n_bins, len(ends))
    return rows_of(points, ends, _typed(rays.tof_bins, np.int16), grid, tof, dtype)


def rows_of(
    points: Array,
    ends: Array,
    bins: Array,
    grid: ImageGrid,
    tof: TofBins | None,
    dtype: np.dtype[Any],
) -> EventRows:
    """Return checked rows with the table of their TOF weights.

    Parameters
    ----------
    points
        (m, 3) float64 [voxels]
    ends
        (n, 2) int32
    bins
        (n,) int16; empty: no TOF
    grid
        grid of the image
    tof
        TOF bins of the scanner
    dtype
        dtype of the arithmetic
    """
    voxel_mm = np.array(grid.voxel_mm, np.float64)
    if tof is None or not bins.size:
        no_table, no_lanes = np.empty(0, dtype), np.empty(0, np.float32)
        return EventRows(points, ends, voxel_mm, bins, no_table, 1, 1.0, 1.0, no_lanes)
    table = chord_table(tof.sigma_mm, tof.bin_mm, dtype)
    timing = (table.coefficients, tof.n_bins, tof.bin_mm, table.part_mm, table.in_lanes())
    return EventRows(points, ends, voxel_mm, bins, *timing)


def _typed(values: Array, dtype: Any) -> Array:
    """Copy checked values, so that callers cannot change them; read-only arrays are not copied."""
    if isinstance(values, np.ndarray) and not values.flags.writeable:
        return np.ascontiguousarray(values, dtype)
    return module_of(values).array(values, dtype, order="C")
