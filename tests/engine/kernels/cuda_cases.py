"""Rays, images and calls for every GPU kernel that has a twin on the CPU."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.variants import RayVariant
from engine.operators.rays import RayProjector, Rays
from tests.engine.operators.ray_oracles import axis_rays, lattice_rays, octant_rays, rays_of

GRID = ImageGrid((6, 5, 140), (0.5, 3.0, 2.5), (4.0, -3.0, 2.0))
"""Longer than a block of threads, with anisotropic voxels, off-centre, no multiple of a tile."""
TOF = TofBins(fwhm_ps=150, bin_ps=60, n_bins=7)
N_SUBSETS = 3
N_PAST = 10
"""Number of rays at the end of the list that miss the image."""


@dataclass(frozen=True)
class Case:
    """Rays with their image and values."""

    rays: Rays
    image: NDArray[np.float32]
    values: NDArray[np.float32]
    background: NDArray[np.float32]


def along_rays(rng: np.random.Generator, n: int) -> Rays:
    """Return rays along the long axis, through most of its voxels."""
    starts = np.array(GRID.lower_mm) + rng.uniform(-0.1, 1.1, (n, 3)) * GRID.size_mm
    ends = np.array(GRID.lower_mm) + rng.uniform(-0.1, 1.1, (n, 3)) * GRID.size_mm
    starts[:, 0], ends[:, 0] = GRID.lower_mm[0] - 5, GRID.upper_mm[0] + 5
    starts[::2], ends[::2] = ends[::2].copy(), starts[::2].copy()
    return rays_of(starts, ends)


def grazing_rays(rng: np.random.Generator, n: int) -> Rays:
    """Return rays almost along the long axis that cross a plane between voxels."""
    voxel = np.array(GRID.voxel_mm)
    starts = GRID.lower_mm + rng.integers(1, 5, (n, 3)) * voxel
    ends = starts.copy()
    starts[:, 0], ends[:, 0] = GRID.lower_mm[0], GRID.upper_mm[0]
    offset = rng.uniform(-0.02, 0.02, (n, 2)) * voxel[1:]
    starts[:, 1:] += offset
    ends[:, 1:] -= offset
    return rays_of(starts, ends)


def face_rays(rng: np.random.Generator, n: int) -> Rays:
    """Return long rays in faces between voxels; every second ray is in an edge."""
    corners, voxel = rng.integers(0, 6, (n, 3)), np.array(GRID.voxel_mm)
    starts = GRID.lower_mm + corners * voxel
    starts[:, 0] = GRID.lower_mm[0] + rng.uniform(-1, 20, n)
    ends = starts.copy()
    ends[:, 0] = GRID.upper_mm[0] + rng.uniform(-20, 1, n)
    ends[::2, 1] += rng.uniform(-6, 6, len(ends[::2]))
    starts[::3], ends[::3] = ends[::3].copy(), starts[::3].copy()
    return rays_of(starts, ends)


def points(n: int) -> Rays:
    """Return rays of zero length in the centre of the image."""
    middle = np.tile(np.array(GRID.centre_mm), (n, 1))
    return rays_of(middle, middle)


def rays_past() -> Rays:
    """Return rays outside the image."""
    starts = np.tile(np.array(GRID.upper_mm) + 1, (N_PAST, 1))
    return rays_of(starts, starts + np.array([-50.0, 3, 0]))


def joined(*parts: Rays) -> Rays:
    """Return all rays in one list."""
    starts = np.cumsum([0, *(len(part.points_mm) for part in parts)])[:-1]
    ends = [part.ends + start for part, start in zip(parts, starts, strict=True)]
    places = np.concatenate([part.points_mm for part in parts])
    return Rays(places, np.concatenate(ends).astype(np.int32))


def case(n_each: int = 20) -> Case:
    """Return rays through, past, into and within the image, along axes, through voxel corners."""
    rng = np.random.default_rng(7)
    rays = joined(
        octant_rays(rng, n_each, GRID),
        axis_rays(rng, n_each, GRID),
        along_rays(rng, n_each),
        lattice_rays(rng, 3 * n_each, GRID),
        points(3),
        grazing_rays(rng, n_each),
        face_rays(rng, n_each),
        rays_past(),
    )
    n = len(rays.ends)
    bins = rng.integers(0, TOF.n_bins, n).astype(np.int16)
    image = rng.random(GRID.shape, np.float32)
    image[:2] = 0  # some rays then expect only background
    background = rng.random(n, np.float32)
    background[::4] = 0
    values = rng.standard_normal(n).astype(np.float32)
    return Case(replace(rays, tof_bins=bins), image, values, background)


def projector(variant: RayVariant, given: Case, on: Backend) -> RayProjector:
    """Return the rays in the form of a variant; on the CPU, return its twin."""
    timed = variant.timing != "none"
    return RayProjector(
        given.rays if timed else replace(given.rays, tof_bins=None),
        GRID,
        on=on,
        tof=TOF if timed else None,
        dtype=variant.dtype,
        reproducible=variant.sums == "fixed",
        variant=variant if on.is_cuda else None,
    )


def results(variant: RayVariant, given: Case, on: Backend) -> dict[str, NDArray[np.floating]]:
    """Return the results of the ray kernels for all rays, and for every third of them."""
    whole = projector(variant, given, on)
    part = whole.subset(1, N_SUBSETS)
    some = slice(1, None, N_SUBSETS)
    numerator, expected = whole.em_numerator(given.image, given.background)
    bare_shares, bare_expected = part.em_numerator(given.image)
    found = {
        "forward": whole(given.image),
        "forward of a part": part(given.image),
        "back": whole.T(given.values),
        "back of a part": part.T(given.values[some]),
        "shares": numerator,
        "shares of a part": bare_shares,
        "expected": expected,
        "expected of a part": bare_expected,
    }
    return {name: on.to_host(values) for name, values in found.items()}


def em_on_gpu(variant: RayVariant, given: Case, on: Backend) -> tuple[NDArray[np.floating], float]:
    """Return the image after two passes of the device loop, and the last log-likelihood."""
    whole = projector(variant, given, on)
    loop = whole.em_loop(_start(variant), _em_background(given), _sensitivity(variant), N_SUBSETS)
    for _ in range(2):
        for k in range(N_SUBSETS):
            loop.update(k)
        log_likelihood, _ = loop.figures()
    return loop.snapshot()(), log_likelihood


def em_by_hand(variant: RayVariant, given: Case, on: Backend) -> tuple[NDArray[np.floating], float]:
    """Return the same results, computed from the projector's parts and NumPy."""
    whole = projector(variant, given, on)
    x, sensitivity = _start(variant), _sensitivity(variant)
    s = sensitivity / x.dtype.type(N_SUBSETS)
    for _ in range(2):
        log_likelihood = 0.0
        for k in range(N_SUBSETS):
            background = _em_background(given)[k::N_SUBSETS]
            numerator, q = whole.subset(k, N_SUBSETS).em_numerator(x, background)
            log_likelihood += np.log(q[q > 0].astype(np.float64)).sum()
            log_likelihood -= (s * x).sum(dtype=np.float64)
            updated = np.divide(numerator, s, out=np.zeros_like(x), where=s > 0)
            # No voxel falls below a tenth of its value. In both precisions this tenth is a float32.
            least = x.dtype.type(np.float32(0.1)) * x
            x = np.where(s > 0, np.maximum(updated, least), updated)
    return x, float(log_likelihood)


def _em_background(given: Case) -> NDArray[np.float32]:
    """Return a background that is positive for all rays through the image.

    At the border of the image, rounding decides if a ray counts.
    """
    background = given.background + np.float32(0.1)
    background[-N_PAST:] = 0
    return background


def _start(variant: RayVariant) -> NDArray[np.floating]:
    return np.random.default_rng(8).random(GRID.shape).astype(variant.dtype)


def _sensitivity(variant: RayVariant) -> NDArray[np.floating]:
    sensitivity = np.random.default_rng(9).uniform(0.5, 2, GRID.shape).astype(variant.dtype)
    sensitivity[:, 0] = 0  # voxels that no ray crosses
    return sensitivity
