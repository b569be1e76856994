"""Filtered back projection of parallel rays by gridding: its choice, and its filtered rows.

The filter is that of `engine.recon.filtering.projections`; only the interpolation of rows differs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.operators.xray import gridding
from engine.operators.xray.gridding import GriddedSlices, SpectraOf
from engine.operators.xray.scene import VolumeBox
from engine.recon.filtering.design import FilterDesign
from engine.recon.filtering.projections import RowFilter
from engine.recon.filtering.settings import MIN_VIEWS, FilterSettings

_MIN_LENGTH = 4 / 3
"""Length of the transform, relative to the largest distance between a voxel and a pixel."""


def obstacle(geometry: XrayGeometry, grid: ImageGrid, on: Backend) -> str:
    """Return why a scan cannot be back-projected by gridding; empty if it can.

    Parameters
    ----------
    geometry
        source and detector of each view
    grid
        grid of the image
    on
        device

    Returns
    -------
    a sentence, or an empty text
    """
    if reason := gridding.obstacle(geometry, grid):
        return reason
    return "Gridding is available on the CPU only." if on.is_cuda else ""


def is_gridded(
    settings: FilterSettings, geometry: XrayGeometry, grid: ImageGrid, on: Backend
) -> bool:
    """Return True if a scan is back-projected by gridding, by its setting and by its geometry.

    Parameters
    ----------
    settings
        filter with its method
    geometry
        source and detector of each view
    grid
        grid of the image
    on
        device
    """
    if settings.method == "direct" or obstacle(geometry, grid, on):
        return False
    return settings.method == "gridding" or geometry.n_views >= MIN_VIEWS


def describe_method(
    settings: FilterSettings, geometry: XrayGeometry, grid: ImageGrid, on: Backend
) -> str:
    """Return a sentence about the method of back projection, for the record of a run.

    Parameters
    ----------
    settings
        filter with its method
    geometry
        source and detector of each view
    grid
        grid of the image
    on
        device

    Returns
    -------
    empty for the direct method, unless another one was requested
    """
    if settings.method == "direct":
        return ""
    if is_gridded(settings, geometry, grid, on):
        return "Back projection by gridding: rows are interpolated with their whole band."
    if reason := obstacle(geometry, grid, on):
        return f"Back projection by voxels: rows are interpolated linearly. {reason}"
    return (
        "Back projection by voxels: rows are interpolated linearly. Gridding is chosen from "
        f"{MIN_VIEWS} views on."
    )


def gridded(
    values: Array, plan: FilterDesign, settings: FilterSettings, grid: ImageGrid,
    box: VolumeBox | None = None, *, on: Backend,
    on_progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float32]:  # fmt: skip
    """Return the filtered back projection of a box; it has the same bits as in the whole volume.

    Parameters
    ----------
    values
        (n_views, n_rows, n_measured) line integrals, which may be in a file
    plan
        design of the filter
    settings
        filter and ray weights
    grid
        the whole volume
    box
        voxels to return; None: all
    on
        device with the threads
    on_progress
        called several times a second; may raise to stop

    Returns
    -------
    (n_z, n_y, n_x) of the box [1/mm]
    """
    settings = _padded(settings, plan, grid)

    def of_rows(rows: range) -> RowFilter:
        return RowFilter(plan, settings, values.shape[2], rows)

    def filtered(rows: range) -> SpectraOf:
        work = of_rows(rows)

        def of_views(views: range) -> NDArray[np.complex64]:
            part = values[views.start : views.stop, work.first : work.last]
            return work.spectra(np.ascontiguousarray(part), views)

        return of_views

    sizes = of_rows(range(1))
    work = GriddedSlices(plan.geometry, grid, sizes.length, sizes.first_column, on.threads)
    return work.slices(filtered, box or VolumeBox.of(None, grid.shape), on_progress)


def _padded(settings: FilterSettings, plan: FilterDesign, grid: ImageGrid) -> FilterSettings:
    """Return settings with enough padding that no voxel reads a repetition of the row."""
    n_y, n_x = grid.shape[1:]
    n_columns = plan.geometry.shape[1]
    matrices = plan.geometry.in_voxels(grid)
    columns = matrices[:, 0] / matrices[:, 2, 3:]
    middle = columns @ np.array([n_x / 2, n_y / 2, 0, 1])
    reach = np.abs(columns[:, :2]) @ np.array([n_x / 2, n_y / 2])
    farthest = max((middle + reach).max(), (n_columns - middle + reach).max())
    padding = max(settings.padding, _MIN_LENGTH * float(farthest) / n_columns)
    return settings.model_copy(update={"padding": padding})
