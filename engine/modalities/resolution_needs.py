"""Memory and time that the resolution model needs.

An update blurs the image with K and the ratio image with Kᵀ. Each blur is a product with two sparse
matrices: m_z elements per plane and m_xy elements per pixel (`engine.operators.point_spread`). With
V voxels an update takes

    2 V (m_z + m_xy) / PRODUCTS_PER_SECOND,

in one thread, for any number of threads. A Gaussian of variance t [voxels²] has the weights T_k(t)
= e^(−t) I_k(t), and a pixel has the elements (j, k) with T_j(t_x) T_k(t_y) > 1e-6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.corrections.resolution import AnyResolution
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import MIN_WEIGHT, PointSpread, uniform_spread
from engine.geometry.tof import FWHM_PER_SIGMA

if TYPE_CHECKING:
    from engine.data.sinogram import Sinogram

PRODUCTS_PER_SECOND = 3.5e9
"""Elements times voxels per second of one thread: 3.3e9 to 4.2e9 on two EPYC cores, 2026-11-28."""
ELEMENTS_BUILT_PER_SECOND = 4e6
"""Matrix elements computed and sorted per second: 2.2e6 to 4.7e6 on the same machine."""
BYTES_PER_ELEMENT, BUILD_BYTES_PER_ELEMENT = 16, 57
"""Memory per element of matrix and transpose, and peak while the matrix is built [bytes].

The peak was 352 MiB for 6.1 million elements.
"""
IMAGES_BEFORE = 3
"""Number of float32 images in memory while the matrix is built."""
IMAGES = 6
"""Number of float32 images of the blur.

The blurred image, the ratio, two transposed copies, and the blurred sensitivity of all subsets and
of the current one.
"""
FEW_PROBED = 2000
"""Number of lines whose tilt is measured: enough for an estimate, and quick."""


@dataclass(frozen=True)
class ResolutionNeeds:
    """Costs of the resolution model; all 0 if the protocol switches it off.

    Attributes
    ----------
    update_s : time of an update in one thread [s]
    build_s : time to build the matrices, once per run [s]
    bytes_per_voxel : memory for images of the blur, per voxel [bytes]
    matrix_bytes : memory for matrices and transposes [bytes]
    build_bytes : peak memory while they are built [bytes]
    """

    update_s: float = 0.0
    build_s: float = 0.0
    bytes_per_voxel: int = 0
    matrix_bytes: int = 0
    build_bytes: int = 0


def resolution_needs(
    resolution: AnyResolution, grid: ImageGrid, scan: ListMode | Sinogram | None
) -> ResolutionNeeds:
    """Return the costs of the resolution model of a protocol.

    Parameters
    ----------
    resolution
        correction "resolution" of the protocol
    grid
        grid of the image
    scan
        sample of the scan; None if unknown, so that only a width in the protocol can be used
    """
    # Without a scan, the resolution of its scanner is unknown.
    if resolution.use == "off" or (scan is None and resolution.fwhm_mm is None):
        return ResolutionNeeds()
    if scan is None:
        spread = uniform_spread(float(resolution.fwhm_mm or 0.0))
    else:
        spread = resolution.spread(scan, n_probed=FEW_PROBED).scaled(resolution.share)
    in_plane = pixel_elements(spread, grid)
    n_pixels = grid.shape[1] * grid.shape[2]
    n_products = 2 * grid.n_voxels * (in_plane + plane_elements(spread, grid))
    return ResolutionNeeds(
        float(n_products / PRODUCTS_PER_SECOND),
        float(n_pixels * in_plane / ELEMENTS_BUILT_PER_SECOND),
        4 * IMAGES,
        int(n_pixels * in_plane * BYTES_PER_ELEMENT),
        int(n_pixels * in_plane * BUILD_BYTES_PER_ELEMENT) + 4 * IMAGES_BEFORE * grid.n_voxels,
    )


def plane_elements(spread: PointSpread, grid: ImageGrid) -> float:
    """Return the mean number of planes that a plane is blurred into.

    Parameters
    ----------
    spread
        point spread of the scanner
    grid
        grid of the image
    """
    fwhm_mm = float(np.mean(spread.axial_at(grid.centres_mm(axis=2))))
    n = len(_weights(fwhm_mm, grid.voxel_mm[2]))
    # A matrix has no elements outside the image.
    return min(2 * n - 1, grid.shape[0])


def pixel_elements(spread: PointSpread, grid: ImageGrid) -> float:
    """Return the mean number of pixels that a pixel is blurred into.

    Parameters
    ----------
    spread
        point spread of the scanner
    grid
        grid of the image
    """
    # Equal areas: pixels far from the axis are more numerous, and their blur is wider.
    radius = 0.5 * min(grid.size_mm[:2]) * np.sqrt(np.linspace(0.05, 0.95, 10))
    widths = (
        np.interp(radius, spread.radius_mm, w) for w in (spread.radial_mm, spread.tangential_mm)
    )
    counts = [_pixels(x, y, grid) for x, y in zip(*widths, strict=True)]
    return min(sum(counts) / len(counts), grid.shape[1] * grid.shape[2])


def _pixels(x_mm: float, y_mm: float, grid: ImageGrid) -> int:
    """Return the number of pixels of a Gaussian along the axes of the grid."""
    x, y = _weights(x_mm, grid.voxel_mm[0]), _weights(y_mm, grid.voxel_mm[1])
    both = np.outer(np.concatenate([y[:0:-1], y]), np.concatenate([x[:0:-1], x]))
    return int(np.count_nonzero(both > MIN_WEIGHT))


def _weights(fwhm_mm: float, voxel_mm: float) -> NDArray[np.float64]:
    """Return T_0, T_1, ... above the smallest weight."""
    from scipy import special

    variance = (fwhm_mm / FWHM_PER_SIGMA / voxel_mm) ** 2
    table = [special.ive(0, variance)]
    while (further := special.ive(len(table), variance)) > MIN_WEIGHT:
        table.append(further)
    return np.array(table)
