"""Filtered back projection of cone (FDK), fan and parallel beams, in one call.

x = Σ_views q / τ², with q from `engine.recon.filtering.projections`; mm in, 1/mm out.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.arrays import Array, taken
from engine.core.backend import Backend, cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.scene import rows_seeing
from engine.operators.xray.transfers import MadeViews
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
    """Attenuation (n_z, n_y, n_x) [1/mm] from line integrals; on a GPU, as `XrayTransform` says.

    values : (n_views, n_rows, n_columns) line integrals, -log of the transmission [1]; of numpy,
        of the device, or of anything that speaks DLPack
    region : slices (z, y, x) of the grid; only the rows that see them are filtered
    """
    settings, on = settings or FilterSettings(), on or cpu()
    values = taken(values)
    # decided from the whole data, also for a region: a box must hold the values of the whole volume
    plan = planned(values, geometry, settings, is_checked=not on.is_cuda)
    seen = rows_seeing(grid, region, plan.geometry)
    A = XrayTransform(plan.geometry, grid, on=on)
    return _inverted(A, values, plan, settings, seen, region)


def _inverted(
    A: XrayTransform, values: Array, plan: FilterDesign, settings: FilterSettings, rows: slice,
    region: Region | None = None,
) -> Array:  # fmt: skip
    """Filter and project back; on a GPU chunk by chunk, as the values come there."""
    if not A.on.is_cuda or not range(values.shape[1])[rows]:
        with A.span("filter", events=values.size, unit="pixels"):
            done = filtered(values, plan, settings, rows=rows, on=A.on)
        return back_projected(A, done, plan, region)
    chunks = FilteredChunks(values, plan, settings, on=A.on, rows=rows)
    image = back_projected(A, chunks, plan, region)
    chunks.check()
    return image


def back_projected(
    A: XrayTransform, rows: Array | MadeViews, plan: FilterDesign, region: Region | None = None
) -> Array:
    """Return Σ_views q / τ² of filtered rows; of a climbing scan, over the share that sees."""
    image = A.back_project(rows, weighting="fdk", region=region)
    return divided_by_visibility(image, A, plan, region) if plan.climbs else image


@dataclass(frozen=True, eq=False)
class FilteredBackProjection:
    """Direct inversion of an X-ray transform. It reuses the kernels and textures of the transform.

    Attributes
    ----------
    A : the transform; its adjoint is not asked for
    """

    A: XrayTransform

    def __call__(self, y: Array, settings: FilterSettings) -> Array:
        """Attenuation (n_z, n_y, n_x) [1/mm] from line integrals of A.out_shape."""
        A = self.A
        plan = planned(y, A.geometry, settings, is_checked=not A.on.is_cuda)
        return _inverted(A.with_geometry(plan.geometry), y, plan, settings, slice(None))
