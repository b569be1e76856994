"""Reconstruct the central slice, by which a preprocessing step checks its result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend, cpu
from engine.data.projections import Projections
from engine.geometry.grid import ImageGrid

N_VOXELS = 192
"""Voxels along each side of the slice."""
MARGIN = 2
"""Rows on each side of the middle row."""


def middle_rows(projections: Projections, *, on: Backend) -> Projections:
    """Return the integrals of the rows that contribute to the central slice, on the host.

    Parameters
    ----------
    projections
        line integrals of the whole detector
    on
        device of the values
    """
    # In a cone beam, the voxels of the slice project to a few rows around the middle one.
    middle = projections.shape[1] // 2
    rows = slice(max(middle - MARGIN, 0), middle + MARGIN + 1)
    values = projections.values[:, rows]
    return replace(
        projections,
        values=np.ascontiguousarray(on.to_host(values) if on.is_cuda else values, np.float32),
        geometry=projections.geometry.cropped(rows, slice(None)),
        flats=None,
        darks=None,
        bad_pixels=None,
    )


def middle_slice(projections: Projections, *, on: Backend) -> NDArray[np.float32]:
    """Return the slice in the middle of all rows, by filtered back projection.

    Parameters
    ----------
    projections
        line integrals, such as those of `middle_rows`
    on
        its threads are used; the slice is computed on the CPU

    Returns
    -------
    middle_slice
        (1, 192, 192) float32 [1/mm]
    """
    from engine.recon.filtering.fdk import fdk  # heavy: Numba
    from engine.recon.filtering.settings import FilterSettings

    g = projections.geometry
    magnification = float(g.magnification.mean())
    voxel = g.shape[1] * g.pixel_size_mm[0] / magnification / N_VOXELS
    height = float(g.detector_mm[:, 2].mean())
    # In a cone beam the height at the axis is closer to the source plane by the magnification.
    if g.beam == "cone":
        source = float(g.source_mm[:, 2].mean())
        height = source + (height - source) / magnification
    grid = ImageGrid((1, N_VOXELS, N_VOXELS), (voxel, voxel, voxel), (0.0, 0.0, height))
    # Extrapolation for truncation would change the values that a fit compares.
    settings = FilterSettings(truncation="off")
    return np.asarray(
        fdk(projections.values, g, grid, settings=settings, on=cpu(on.threads)), np.float32
    )
