"""Filtered back projection of cone (FDK), fan and parallel beams, in one call.

x = Σ_views q / τ², with q from `engine.recon.filtering.projections`; mm in, 1/mm out.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array, accepted
from engine.core.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.scene import VolumeBox, rows_seeing
from engine.operators.xray.transfers import ComputedViews
from engine.operators.xray.transform import Region, XrayTransform
from engine.recon.filtering.design import FilterDesign
from engine.recon.filtering.filtered_chunks import FilteredChunks
from engine.recon.filtering.projections import filtered, planned
from engine.recon.filtering.settings import FilterSettings
from engine.recon.filtering.visibility import divided_by_visibility


def fdk(
    values: Array,
    geometry: XrayGeometry,
    grid: ImageGrid,
    *,
    settings: FilterSettings | None = None,
    region: Region | None = None,
    on: Backend | None = None,
) -> Array:
    """Reconstruct attenuation from line integrals by filtered back projection.

    Parameters
    ----------
    values
        (n_views, n_rows, n_columns) line integrals, -log of the transmission [1]; NumPy, GPU or any
        DLPack array
    geometry
        source and detector of each view
    grid
        grid of the image
    settings
        filter and ray weights; None: defaults
    region
        slices (z, y, x) of the grid; only the rows that see them are filtered
    on
        device; None: the CPU with all cores

    Returns
    -------
    (n_z, n_y, n_x) attenuation [1/mm]; for NumPy and CuPy arrays on the device `on`, unless it is
    too large, and for arrays of other libraries in their type and on their device

    Examples
    --------
    >>> import numpy as np, engine
    >>> angles_rad = np.linspace(0, np.pi, 90, endpoint=False)
    >>> orbit = engine.parallel(angles_rad, shape=(1, 64), pixel_mm=1)
    >>> grid = engine.ImageGrid(shape=(1, 32, 32), voxel_mm=(1.0, 1.0, 1.0))
    >>> engine.fdk(np.ones((90, 1, 64), np.float32), orbit, grid).shape
    (1, 32, 32)
    """
    settings, on = settings or FilterSettings(), on or cpu()
    given = values
    values, back = accepted(given)
    # from all data, also for a region: its values must equal those of the whole volume
    plan = planned(values, geometry, settings, is_checked=not on.is_cuda)
    seen = rows_seeing(grid, region, plan.geometry)
    A = XrayTransform(plan.geometry, grid, on=on)
    volume = _inverted(A, values, plan, settings, seen, region)
    return volume if given is values else back(volume)


def _inverted(
    A: XrayTransform, values: Array, plan: FilterDesign, settings: FilterSettings, rows: slice,
    region: Region | None = None,
) -> Array:  # fmt: skip
    """Filter and back-project; on a GPU chunk by chunk, as values are uploaded."""
    if settings.method != "direct" and _is_gridded(A, settings):
        from engine.recon.filtering.gridding import gridded

        box = VolumeBox.of(region, A.grid.shape)
        with A.span("back", events=box.n_voxels * len(values), unit="voxel updates"):
            return gridded(values, plan, settings, A.grid, box, on=A.on, on_progress=A.on_progress)
    if not A.on.is_cuda or not range(values.shape[1])[rows]:
        with A.span("filter", events=values.size, unit="pixels"):
            done = filtered(values, plan, settings, rows=rows, on=A.on)
        return back_projected(A, done, plan, region)
    chunks = FilteredChunks(values, plan, settings, on=A.on, rows=rows)
    image = back_projected(A, chunks, plan, region)
    chunks.check()
    return image


def _is_gridded(A: XrayTransform, settings: FilterSettings) -> bool:
    from engine.recon.filtering.gridding import is_gridded  # most runs do not need its kernels

    return is_gridded(settings, A.geometry, A.grid, A.on)


def back_projected(
    A: XrayTransform, rows: Array | ComputedViews, plan: FilterDesign, region: Region | None = None
) -> Array:
    """Return Σ_views q / τ² of filtered rows; a helix is corrected for the visible share of views.

    Parameters
    ----------
    A
        transform of the design's geometry
    rows
        filtered rows, or an object that makes them chunk by chunk
    plan
        design of the filter
    region
        slices (z, y, x) of the grid; None: all
    """
    image = A.back_project(rows, weighting="fdk", region=region)
    return divided_by_visibility(image, A, plan, region) if plan.climbs else image


@dataclass(frozen=True, eq=False)
class FilteredBackProjection:
    """Direct inversion of an X-ray transform. It reuses the kernels and textures of the transform.

    Attributes
    ----------
    A : the transform; its adjoint is not used
    """

    A: XrayTransform

    def __call__(self, y: Array, settings: FilterSettings) -> Array:
        """Reconstruct attenuation from line integrals.

        Parameters
        ----------
        y
            line integrals with the shape A.out_shape
        settings
            filter and ray weights

        Returns
        -------
        (n_z, n_y, n_x) attenuation [1/mm]
        """
        A = self.A
        # On a GPU the values are checked during filtering, which reads them anyway.
        plan = planned(y, A.geometry, settings, is_checked=not A.on.is_cuda)
        return _inverted(A.with_geometry(plan.geometry), y, plan, settings, slice(None))
