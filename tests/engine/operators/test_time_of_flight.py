from dataclasses import replace

import numpy as np
import pytest

from engine.backend import cpu
from engine.geometry.tof import TofBins
from engine.kernels.tof import cut_gaussian_cdf
from engine.operators.rays import RayProjector, Rays
from tests.engine.operators.ray_oracles import GRID, chord_mm, octant_rays, swapped


def project(rays: Rays, tof: TofBins, i_bin: int, x: np.ndarray) -> np.ndarray:
    """Return the line integrals with every ray in the same time bin."""
    bins = np.full(len(rays.ends), i_bin, np.int16)
    return RayProjector(replace(rays, tof_bins=bins), GRID, on=cpu(2), tof=tof, dtype=x.dtype.name)(
        x
    )


@pytest.fixture
def rays(rng):
    return octant_rays(rng, 40, GRID)


@pytest.mark.parametrize(("dtype", "atol"), [("float32", 1e-5), ("float64", 1e-12)])
def test_bins_sum_to_the_plain_integral(rng, rays, dtype, atol):
    x = rng.random(GRID.shape).astype(dtype)
    tof = TofBins(fwhm_ps=60, bin_ps=50, n_bins=21)  # 79 mm to both sides, rays 52 + 3σ = 64

    total = sum(project(rays, tof, i_bin, x) for i_bin in range(tof.n_bins))

    plain = RayProjector(rays, GRID, on=cpu(2), dtype=dtype)(x)
    np.testing.assert_allclose(total, plain, atol=atol * plain.max())


def test_swapped_ends_mirror_the_bins(rng, rays):
    x = rng.random(GRID.shape)
    tof = TofBins(fwhm_ps=60, bin_ps=50, n_bins=15)

    for i_bin in (5, 7, 10):
        mirrored = project(swapped(rays), tof, tof.n_bins - 1 - i_bin, x)
        np.testing.assert_allclose(mirrored, project(rays, tof, i_bin, x), atol=1e-9)


def test_exact_time_picks_the_half_nearer_the_second_point(rays):
    ones = np.ones(GRID.shape)
    halves = TofBins(fwhm_ps=1e-3, bin_ps=2000, n_bins=2)
    points = rays.points_mm[rays.ends]

    near_first, near_second = (project(rays, halves, i_bin, ones) for i_bin in (0, 1))

    # the slab that holds the midpoint goes to one side whole: sqrt(3) voxels at most
    slab_mm = np.sqrt(3) * max(GRID.voxel_mm)
    middles = points.mean(axis=1)
    first = [chord_mm(p, m, GRID) for p, m in zip(points[:, 0], middles, strict=True)]
    second = [chord_mm(m, q, GRID) for m, q in zip(middles, points[:, 1], strict=True)]
    np.testing.assert_allclose(near_first, first, atol=slab_mm)
    np.testing.assert_allclose(near_second, second, atol=slab_mm)
    assert np.abs(np.subtract(first, second)).max() > 2 * slab_mm  # or the test says nothing


def test_poor_time_gives_the_bin_fraction_everywhere(rng, rays):
    x = rng.random(GRID.shape)
    tof = TofBins(fwhm_ps=1e6, bin_ps=2e5, n_bins=9)
    low, high = tof.edges_mm[2:4] / tof.sigma_mm

    timed = project(rays, tof, 2, x)

    fraction = cut_gaussian_cdf(high) - cut_gaussian_cdf(low)
    plain = RayProjector(rays, GRID, on=cpu(2), dtype="float64")(x)
    np.testing.assert_allclose(timed, fraction * plain, rtol=1e-3)  # chord / σ = 3e-4


def test_a_point_source_follows_the_bin_weight(rng):
    source = np.zeros(GRID.shape)
    source[2, 3, 4] = 1
    centre = np.array([GRID.centres_mm(axis)[i] for axis, i in enumerate((4, 3, 2))])
    away = np.arange(-60, 61, 2.0)  # midpoint of the line, from the source [mm]
    ends = centre + (away[:, None, None] + np.array([-200, 200])[:, None]) * np.array([1, 0, 0])
    rows = np.arange(2 * len(away), dtype=np.int32).reshape(-1, 2)
    tof = TofBins(fwhm_ps=200, bin_ps=100, n_bins=21)

    rays = Rays(ends.reshape(-1, 3), rows)
    seen = project(rays, tof, 10, source)

    w, sigma = tof.bin_mm / 2, tof.sigma_mm
    truth = [cut_gaussian_cdf((w + s) / sigma) - cut_gaussian_cdf((s - w) / sigma) for s in away]
    np.testing.assert_allclose(seen, GRID.voxel_mm[0] * np.array(truth), atol=1e-3)


def test_rays_without_time_bins_ignore_the_scanners_bins(rng, rays):
    x = rng.random(GRID.shape).astype(np.float32)
    tof = TofBins(fwhm_ps=60, bin_ps=50, n_bins=15)

    untimed = RayProjector(rays, GRID, on=cpu(1), tof=tof)(x)

    np.testing.assert_array_equal(untimed, RayProjector(rays, GRID, on=cpu(1))(x))
