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
from engine.simulate.shapes import Shape
from engine.simulate.voxels import VoxelPhantom


def line_integrals(
    phantom: ShapePhantom | VoxelPhantom,
    geometry: XrayGeometry,
    *,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> NDArray[np.float32]:
    """(n_views, n_rows, n_columns) ∫ μ dl from the source, or all along parallel rays.

    The rays run through the middles of the pixels and do not end at the detector.

    Parameters
    ----------
    phantom
        phantom of shapes, whose integrals are exact, or of voxels, whose are Joseph's
    geometry
        source and detector of each view
    threads
        threads of the CPU; None: all cores that may be used
    on_progress
        called with (done, in all)

    Raises
    ------
    DataError
        if a phantom of voxels has no attenuation map
    """
    threads = threads or usable_cores()
    if isinstance(phantom, VoxelPhantom):
        if phantom.mu is None:
            raise DataError(f"phantom {phantom.name!r} has no attenuation; add an attenuation map.")
        return XrayTransform(geometry, phantom.mu.grid, on=cpu(threads)).forward(phantom.mu.values)
    shapes = [s for s in phantom.shapes if s.mu_per_mm]
    n_rows, n_columns = geometry.shape
    out = np.zeros((geometry.n_views, n_rows, n_columns), np.float32)
    if not shapes:
        return out
    rays = _rays(geometry)
    kinds = np.array([_kind(s) for s in shapes])
    densities = np.array([s.mu_per_mm for s in shapes])
    scene = (_in_frames(rays, shapes), rays[:, 3:], _begin(geometry), kinds, densities)

    def work(_: int, start: int, stop: int) -> None:
        chords.integrals(start, stop, *scene, np.empty(n_columns), out)

    run_blocks(work, geometry.n_views * n_rows, threads, on_progress)
    return out


def finer(geometry: XrayGeometry, k: int) -> XrayGeometry:
    """Return the detector with k × k pixels in the place of each."""
    n_rows, n_columns = geometry.shape
    shape = (k * n_rows, k * n_columns)
    return replace(geometry, u_mm=geometry.u_mm / k, v_mm=geometry.v_mm / k, shape=shape)


def mean_of_pixels(fine: Array, k: int) -> Array:
    """(n, rows, columns) means of k × k pixels."""
    n, n_rows, n_columns = fine.shape
    return np.asarray(fine.reshape(n, n_rows // k, k, n_columns // k, k).mean(axis=(2, 4)))


def _rays(geometry: XrayGeometry) -> Array:
    """(n_views, 6, 3) start and direction of rays, linear in column and row [mm]."""
    u, v = geometry.u_mm, geometry.v_mm
    first, still = geometry.corner_mm + (u + v) / 2, np.zeros_like(u)
    source = geometry.source_mm
    if geometry.beam == "cone":
        return np.stack([source, still, still, first - source, u, v], axis=1)
    return np.stack([first, u, v, source, still, still], axis=1)


def _in_frames(rays: Array, shapes: list[Shape]) -> Array:
    """(n_views, n_shapes, 6, 3) the rays in the frames in which the shapes are unit solids."""
    frames = np.stack([s.to_frame for s in shapes])
    local = np.einsum("sij,vkj->vski", frames, rays)
    centres = np.array([s.centre_mm for s in shapes])
    local[:, :, 0] -= np.einsum("sij,sj->si", frames, centres)
    return local


def _begin(geometry: XrayGeometry) -> float:
    return 0.0 if geometry.beam == "cone" else -np.inf


def _kind(shape: Shape) -> int:
    return {0: chords.BALL, 1: chords.TUBE, 3: chords.BOX}[len(shape.flat_axes)]
