"""Share of the views of a helical scan that see each voxel, and division by it.

Filtered back projection of a circle is correct because all views see every voxel. On a helix only
some views see a voxel, and its sum contains the share

    v = Σ_seen w Δβ / τ²  /  ½ Σ_all Δβ / τ²

of the correct value. w is the weight of the ray, Δβ the angle of the view, τ its depth. Division by
v corrects the level. The heights of the views differ from those of a circle, which is not
corrected. The image is therefore approximate. Voxels seen over less than half a turn are set to 0.

After Feldkamp, Davis & Kress, J Opt Soc Am A 1 (1984) 612, extended to a helix as in Wang et al.,
IEEE TMI 12 (1993) 486.
"""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.operators.xray.transform import Region, XrayTransform
from engine.recon.filtering.design import FilterDesign

CHUNK_BYTES = 64 * 2**20
"""Memory for views, in addition to the volumes."""


def divided_by_visibility(
    image: Array, A: XrayTransform, plan: FilterDesign, region: Region | None = None
) -> Array:
    """Divide a filtered back projection by the share of views that see each voxel.

    Parameters
    ----------
    image
        (n_z, n_y, n_x) of the grid of A or of a region; changed in place and returned
    A
        transform of the design's geometry
    plan
        design of the filter, with the ray weights
    region
        slices (z, y, x) of the image; None: the whole grid
    """
    share = _share(A, plan, region)
    xp = module_of(share)
    wanted = _of_all_views(plan, A.grid)
    wanted = xp.asarray(wanted if region is None else wanted[region[1:]])
    least = np.pi / turned_rad(plan)
    for seen, values in zip(share, image, strict=True):  # no temporary volumes
        seen /= wanted
        values[...] = xp.where(seen >= least, values / xp.maximum(seen, least), 0)
    return image


def _share(A: XrayTransform, plan: FilterDesign, region: Region | None) -> Array:
    """Return Σ w Δβ / τ², some views at a time: all would need as much memory as the scan."""
    geometry = plan.geometry
    few = _few_views(geometry.n_views, 4 * geometry.shape[0] * geometry.shape[1])
    share = _visible_sum(A, plan, few[0], region)
    for views in few[1:]:
        share += _visible_sum(A, plan, views, region)
    return share


def _visible_sum(
    A: XrayTransform, plan: FilterDesign, views: range, region: Region | None
) -> Array:
    """Return Σ w Δβ / τ² over some views."""
    seen = np.empty((len(views), *plan.geometry.shape), np.float32)
    for k, view in enumerate(views):
        seen[k] = plan.weights(view) * plan.step_rad[view]
    some = A.with_geometry(plan.geometry.select(slice(views.start, views.stop)))
    return some.back_project(A.on.to_device(seen), weighting="fdk", region=region)


def _few_views(n: int, bytes_each: int) -> list[range]:
    at_once = max(1, CHUNK_BYTES // bytes_each)
    return [range(start, min(start + at_once, n)) for start in range(0, n, at_once)]


def turned_rad(plan: FilterDesign) -> float:
    """Return the total rotation of the source [rad]."""
    angles = np.unwrap(plan.orbit.angles_rad)
    # n views cover n steps, but lie only n − 1 steps apart.
    return float(np.ptp(angles)) * plan.geometry.n_views / max(plan.geometry.n_views - 1, 1)


def _of_all_views(plan: FilterDesign, grid: ImageGrid) -> Array:
    """Return ½ Σ Δβ / τ² over all views, (n_y, n_x), at the middle height of the grid."""
    n_z, n_y, n_x = grid.shape
    y, x = np.meshgrid(np.arange(n_y) + 0.5, np.arange(n_x) + 0.5, indexing="ij")
    places = np.stack([x, y, np.full_like(x, n_z / 2), np.ones_like(x)])
    depth_rows = _depths(plan.geometry, grid)
    total = np.zeros((n_y, n_x))
    for few in _few_views(len(depth_rows), 3 * total.nbytes):  # depths and two temporaries
        views = slice(few.start, few.stop)
        depth = np.einsum("vk,kyx->vyx", depth_rows[views], places)
        total += np.einsum("v,vyx->yx", plan.step_rad[views] / 2, 1 / np.maximum(depth, 1e-3) ** 2)
    return total.astype(np.float32)


def _depths(geometry: XrayGeometry, grid: ImageGrid) -> Array:
    """Return rows (n_views, 4) that map a voxel (x, y, z, 1) to its depth τ."""
    rows: Array = geometry.in_voxels(grid)[:, 2]
    return rows
