"""Exact attenuation of every ray of an X-ray scan of a phantom."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.backend import cpu, usable_cores
from engine.core.errors import DataError
from engine.geometry.xray import XrayGeometry
from engine.kernels.blocks import OnProgress, run_blocks
from engine.kernels.rays import chords
from engine.operators.xray.transform import XrayTransform
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Shape, kind_of
from engine.simulate.voxels import VoxelPhantom


def line_integrals(
    phantom: ShapePhantom | VoxelPhantom,
    geometry: XrayGeometry,
    *,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> NDArray[np.float32]:
    """Return exact line integrals ∫ μ dl of all rays of an X-ray scan.

    Rays pass through the centres of the pixels and do not end at the detector.

    Parameters
    ----------
    phantom
        phantom of shapes (exact integrals) or of voxels (Joseph's method)
    geometry
        source and detector of each view
    threads
        threads of the CPU; None: all available cores
    on_progress
        called with (done, total)

    Returns
    -------
    NDArray
        (n_views, n_rows, n_columns)

    Raises
    ------
    DataError
        if a phantom of voxels has no attenuation map
    """
    threads = threads or usable_cores()
    if isinstance(phantom, VoxelPhantom):
        if phantom.mu is None:
            raise DataError(
                f"the phantom {phantom.name!r} has no attenuation map; add an attenuation map to "
                "it."
            )
        return XrayTransform(geometry, phantom.mu.grid, on=cpu(threads)).forward(phantom.mu.values)
    # Shapes that only emit would cost time in every ray.
    shapes = [s for s in phantom.shapes if s.mu_per_mm]
    n_rows, n_columns = geometry.shape
    out = np.zeros((geometry.n_views, n_rows, n_columns), np.float32)
    if not shapes:
        return out
    rays = _rays(geometry)
    kinds = np.array([kind_of(s) for s in shapes])
    densities = np.array([s.mu_per_mm for s in shapes])
    scene = (_in_frames(rays, shapes), rays[:, 3:], _begin(geometry), kinds, densities)

    # One row of scratch memory for each block, because blocks run in parallel.
    def work(_: int, start: int, stop: int) -> None:
        chords.integrals(start, stop, *scene, np.empty(n_columns), out)

    run_blocks(work, geometry.n_views * n_rows, threads, on_progress)
    return out


def finer(geometry: XrayGeometry, k: int) -> XrayGeometry:
    """Return the geometry with k × k pixels for each pixel.

    Parameters
    ----------
    geometry
        geometry of the scan
    k
        pixels along each side of an original pixel
    """
    n_rows, n_columns = geometry.shape
    shape = (k * n_rows, k * n_columns)
    # The outer corner of the detector stays the same, because it follows from its centre and size.
    return replace(geometry, u_mm=geometry.u_mm / k, v_mm=geometry.v_mm / k, shape=shape)


def mean_of_pixels(fine: Array, k: int) -> Array:
    """Return the means (n, rows, columns) of k × k pixels.

    Parameters
    ----------
    fine
        (n, k · rows, k · columns)
    k
        pixels along each side of a block
    """
    n, n_rows, n_columns = fine.shape
    return np.asarray(fine.reshape(n, n_rows // k, k, n_columns // k, k).mean(axis=(2, 4)))


def _rays(geometry: XrayGeometry) -> Array:
    """Return start and direction of rays, linear in column and row, (n_views, 6, 3) [mm]."""
    u, v = geometry.u_mm, geometry.v_mm
    first, still = geometry.corner_mm + (u + v) / 2, np.zeros_like(u)
    source = geometry.source_mm
    # In a cone beam all rays start at the source; in a parallel beam they share the direction,
    # which `source_mm` then holds.
    if geometry.beam == "cone":
        return np.stack([source, still, still, first - source, u, v], axis=1)
    return np.stack([first, u, v, source, still, still], axis=1)


def _in_frames(rays: Array, shapes: list[Shape]) -> Array:
    """Return the rays in the frames of the shapes, (n_views, n_shapes, 6, 3)."""
    frames = np.stack([s.to_frame for s in shapes])
    # Rays stay linear under the transform, so six vectors per view and shape replace one per pixel.
    local = np.einsum("sij,vkj->vski", frames, rays)
    centres = np.array([s.centre_mm for s in shapes])
    local[:, :, 0] -= np.einsum("sij,sj->si", frames, centres)
    return local


def _begin(geometry: XrayGeometry) -> float:
    return 0.0 if geometry.beam == "cone" else -np.inf
