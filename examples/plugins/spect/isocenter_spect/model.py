"""System model: counts that each view expects from the photons of each voxel.

A voxel is a point. Its image is tabulated for sizes and for places within a pixel, as shares of the
pixels around. Forward and back projection use the same numbers, so that the pair is exact.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import convolve1d

from engine.core.arrays import Array
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.operators.base import LinearOperator
from isocenter_spect import kernels
from isocenter_spect.camera import parallel_share
from isocenter_spect.protocol import CollimatorResolution, PhotonAttenuation, SpectProtocol
from isocenter_spect.scan import SpectScan

FINE, PARTS = 30, 10
"""Samples along a pixel, and tabulated places within it."""
SIZE_STEP, MAX_SIZES = 1 / 20, 60
"""Step between tabulated diameters in pixels, and their largest number."""
Floats = NDArray[np.floating]


class SpectProjector(LinearOperator):
    """Views of an image, by a table of images of points.

    Parameters
    ----------
    camera : see `isocenter_spect.kernels`
    inside : (n_z, n_y, n_x) bool, voxels that are points of the camera
    shape : (n_rows, n_columns) of a view
    numbers : numbers of the views
    threads : CPU threads
    """

    adjoint_rtol = 1e-5

    def __init__(
        self, camera: Any, inside: Array, shape: Any, numbers: NDArray[np.int64], threads: int
    ) -> None:
        self.camera, self.inside, self.numbers, self.threads = camera, inside, numbers, threads
        self.in_shape, self.out_shape = inside.shape, (len(numbers), *shape)

    def forward(self, x: Array) -> Array:
        values, out = np.ascontiguousarray(x[self.inside]), np.zeros(self.out_shape, x.dtype)

        def work(part: NDArray[np.int64]) -> None:
            views = out[part[0] : part[-1] + 1]
            kernels.forward(self.camera, self.numbers[part], values, views)

        _in_parts(work, len(out), self.threads)
        return out

    def adjoint(self, y: Array) -> Array:
        counts, out = np.ascontiguousarray(y), np.zeros(self.in_shape, y.dtype)
        sums = np.zeros(len(self.camera[3]))

        def work(part: NDArray[np.int64]) -> None:
            kernels.back(self.camera, self.numbers, part[0], part[-1] + 1, counts, sums)

        _in_parts(work, len(sums), self.threads)
        out[self.inside] = sums
        return out

    def subset(self, k: int, of: int) -> SpectProjector:
        numbers = self.numbers[k::of]
        return SpectProjector(self.camera, self.inside, self.out_shape[1:], numbers, self.threads)


def _in_parts(work: Any, n: int, threads: int) -> None:
    parts = [each for each in np.array_split(np.arange(n), threads) if len(each)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, parts))


def projector(
    scan: SpectScan, protocol: SpectProtocol, grid: ImageGrid, threads: int
) -> SpectProjector:
    """Return the operator of a scan, with the effects that its corrections have added."""
    scan = scan.checked()
    angles, views = np.deg2rad(scan.angles_deg), np.zeros((len(scan.counts), 6))
    views[:, 0], views[:, 1], views[:, 2] = np.cos(angles), np.sin(angles), scan.radii_mm
    holes, crystal, parallel = scan.holes, scan.crystal, protocol.parallel
    if holes is not None and crystal is not None:
        place = np.array(holes.places_mm)
        views[:, 2] = holes.radius_mm + place[:, 1]
        # Photons are detected in the middle of the crystal on average.
        views[:, 3] = scan.radii_mm + crystal.thickness_mm / 2 - views[:, 2]
        views[:, 4:] = place[:, ::2]
        d, sigma = holes.diameter_mm, crystal.sigma_mm
        optics, growth = np.array([1, d, 0, holes.least_cos]), np.array([d, 0, d])
    else:
        d, length, gap = parallel.hole_mm, parallel.length_mm, parallel.gap_mm
        sigma = parallel.crystal_mm / FWHM_PER_SIGMA
        optics = np.array([0, d, parallel_share(d, length, parallel.wall_mm), 0])
        growth = np.array([d * (1 + gap / length), d / length, 0])
    inside = protocol.inside(grid, float(views[:, 2].min()))
    x, y, z = (grid.centres_mm(axis) for axis in range(3))
    points = np.stack(np.broadcast_arrays(x, y[:, None], z[:, None, None]), axis=-1)[inside]
    reach = float(np.hypot(points[:, 0], points[:, 1]).max())
    depths = np.array([views[:, 2].min() - reach, views[:, 2].max() + reach])
    diameters = growth[0] + growth[1] * depths + growth[2] * views[:, 3].max() / depths
    resolution = protocol.corrections.of(CollimatorResolution)
    is_sharp, pixel = resolution.kind not in scan.effects, scan.pixel_mm
    blur = 0.0 if is_sharp else sigma, resolution.n_sigmas
    table, sizes = images_of_points(np.sort(diameters), blur, pixel, holes is None, is_sharp)
    passed = np.ones((1, 1), np.float32)
    if PhotonAttenuation.kind in scan.effects and scan.mu_map is not None:
        passed = _survival(scan.mu_map, views, optics[0] > 0, points, threads)
    camera = views, optics, growth, points, passed, table, sizes, pixel
    return SpectProjector(camera, inside, scan.counts.shape[1:], np.arange(len(views)), threads)


def images_of_points(
    diameters: Floats, blur: tuple[float, float], pixel: float, is_parallel: bool, is_sharp: bool
) -> tuple[NDArray[np.float32], Floats]:
    """Return shares of pixels [size, row part, column part, row, column], and (first size, step).

    The shares add up to 1. `blur` is a standard deviation and the half width that it is cut at. A
    sharp image is as wide as a pixel.
    """
    (low, high), (sigma, n_sigmas) = diameters, blur
    n_sizes = 1 if is_sharp else min(ceil((high - low) / (SIZE_STEP * pixel)) + 1, MAX_SIZES)
    step = max((high - low) / max(n_sizes - 1, 1), 1e-9)
    reach = pixel / 2 if is_sharp else high * (1 if is_parallel else 0.5) + n_sigmas * sigma
    half = ceil(reach / pixel + 0.5)
    n = (half + 1) * FINE
    at = np.arange(-n, n + 1) * (pixel / FINE)
    near, sharp = np.abs(at) <= n_sigmas * sigma, (np.abs(at) <= pixel / 2) * 1.0
    gauss = np.exp(-0.5 * (at[near] / max(sigma, 1e-9)) ** 2)
    # Borders of the pixels, in samples, for each place of the point within the middle pixel.
    borders = (np.arange(2 * half + 2) - half) * FINE + n
    borders = borders - (2 * np.arange(PARTS)[:, None] + 1) * FINE // (2 * PARTS)
    table = np.empty((n_sizes, PARTS, PARTS, 2 * half + 1, 2 * half + 1), np.float32)
    for k in range(n_sizes):
        disc = _disc(np.hypot(at, at[:, None]), low + k * step, is_parallel=is_parallel)
        image: Floats = np.outer(sharp, sharp) if is_sharp else disc
        for axis in (0, 1):
            image = convolve1d(image, gauss, axis=axis, mode="constant")
        sums = np.zeros((len(at) + 1, len(at) + 1))
        sums[1:, 1:] = (image / image.sum()).cumsum(axis=0).cumsum(axis=1)
        edges = sums[borders[:, None, :, None], borders[None, :, None, :]]
        table[k] = np.diff(np.diff(edges, axis=-1), axis=-2)
    return table, np.array([low, step])


def _disc(distance: Floats, diameter: float, *, is_parallel: bool) -> Floats:
    """Return a disc, or the overlap of two discs at a distance, which parallel holes give."""
    q = np.minimum(distance / diameter, 1)
    return np.asarray(np.arccos(q) - q * np.sqrt(1 - q * q) if is_parallel else (q <= 0.5) * 1.0)


def _survival(
    mu_map: Volume, views: Floats, is_pinhole: bool, points: Floats, threads: int
) -> NDArray[np.float32]:
    """Return the share of photons (n_views, n_points) that leave the object."""
    grid, mu = mu_map.grid, np.ascontiguousarray(mu_map.values, np.float32)
    voxel, out = np.array(grid.voxel_mm), np.empty((len(views), len(points)), np.float32)
    lower, step = np.array(grid.lower_mm, float), voxel.min() / 2

    def work(k: int) -> None:
        kernels.survival(views[k], is_pinhole, points, mu, lower, voxel, step, out[k])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(len(views))))
    return out
