from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.kernels.rays.tof import cut_gaussian_cdf
from engine.operators.rays import RayProjector, Rays
from tests.engine.operators.ray_oracles import GRID, chord_mm, octant_rays, siddon, swapped
from tests.tolerances import FLOAT64_SUMS


def project(rays: Rays, tof: TofBins, i_bin: int, x: np.ndarray) -> np.ndarray:
    """Return the line integrals with every ray in the same TOF bin."""
    bins = np.full(len(rays.ends), i_bin, np.int16)
    return RayProjector(replace(rays, tof_bins=bins), GRID, on=cpu(2), tof=tof, dtype=x.dtype.name)(
        x
    )


@pytest.fixture
def rays(rng):
    return octant_rays(rng, 40, GRID)


@pytest.mark.parametrize(("dtype", "atol"), [("float32", 1e-5), ("float64", 1e-12)])
def test_bins_sum_to_the_integral_without_tof(rng, rays, dtype, atol):
    x = rng.random(GRID.shape).astype(dtype)
    tof = TofBins(fwhm_ps=60, bin_ps=50, n_bins=21)  # 79 mm to both sides; rays need 52 + 4σ = 67

    total = sum(project(rays, tof, i_bin, x) for i_bin in range(tof.n_bins))

    untimed = RayProjector(rays, GRID, on=cpu(2), dtype=dtype)(x)
    np.testing.assert_allclose(total, untimed, atol=atol * untimed.max())


def test_swapped_ends_mirror_the_bins(rng, rays):
    x = rng.random(GRID.shape)
    tof = TofBins(fwhm_ps=60, bin_ps=50, n_bins=15)

    for i_bin in (5, 7, 10):
        mirrored = project(swapped(rays), tof, tof.n_bins - 1 - i_bin, x)
        np.testing.assert_allclose(mirrored, project(rays, tof, i_bin, x), atol=FLOAT64_SUMS)


def test_exact_time_selects_the_half_nearer_the_second_point(rays):
    ones = np.ones(GRID.shape)
    halves = TofBins(fwhm_ps=1e-3, bin_ps=2000, n_bins=2)
    points = rays.points_mm[rays.ends]

    near_first, near_second = (project(rays, halves, i_bin, ones) for i_bin in (0, 1))

    middles = points.mean(axis=1)
    first = [chord_mm(p, m, GRID) for p, m in zip(points[:, 0], middles, strict=True)]
    second = [chord_mm(m, q, GRID) for m, q in zip(middles, points[:, 1], strict=True)]
    # Step of the table: the bin divided by 4096.
    np.testing.assert_allclose(near_first, first, atol=0.1)
    np.testing.assert_allclose(near_second, second, atol=0.1)
    assert np.abs(np.subtract(first, second)).max() > 5  # otherwise the test could not fail


def test_poor_timing_gives_the_bin_fraction_everywhere(rng, rays):
    x = rng.random(GRID.shape)
    tof = TofBins(fwhm_ps=3e4, bin_ps=6e3, n_bins=9)
    low, high = tof.edges_mm[2:4] / tof.sigma_mm

    timed = project(rays, tof, 2, x)

    fraction = cut_gaussian_cdf(high) - cut_gaussian_cdf(low)
    untimed = RayProjector(rays, GRID, on=cpu(2), dtype="float64")(x)
    np.testing.assert_allclose(timed, fraction * untimed, rtol=1e-2, atol=1e-2)  # chord / σ = 1e-2


def test_point_source_follows_the_bin_weight(rng):
    source = np.zeros(GRID.shape)
    source[2, 3, 4] = 1
    centre = np.array([GRID.centres_mm(axis)[i] for axis, i in enumerate((4, 3, 2))])
    away = np.arange(-60, 61, 2.0)  # distance of the line's midpoint from the source [mm]
    ends = centre + (away[:, None, None] + np.array([-200, 200])[:, None]) * np.array([1, 0, 0])
    rows = np.arange(2 * len(away), dtype=np.int32).reshape(-1, 2)
    tof = TofBins(fwhm_ps=200, bin_ps=100, n_bins=21)

    rays = Rays(ends.reshape(-1, 3), rows)
    measured = project(rays, tof, 10, source)

    truth = chord_integral(tof, 10, -away, GRID.voxel_mm[0])
    np.testing.assert_allclose(measured, truth, atol=2e-4)


def chord_integral(tof: TofBins, i_bin: int, middle_mm: np.ndarray, chord_mm) -> np.ndarray:
    """Return the weight of a bin, integrated over chords along the line, by quadrature."""
    n = 64
    s = middle_mm[..., None] + ((np.arange(n) + 0.5) / n - 0.5) * np.asarray(chord_mm)[..., None]
    low, high = tof.edges_mm[i_bin], tof.edges_mm[i_bin + 1]
    cdf = np.vectorize(cut_gaussian_cdf)
    return chord_mm * (cdf((high - s) / tof.sigma_mm) - cdf((low - s) / tof.sigma_mm)).mean(-1)


def test_every_voxel_has_the_integral_over_its_chord(rng):
    grid = ImageGrid((12, 14, 16), (4.0, 4.0, 4.0))
    tof = TofBins(fwhm_ps=200, bin_ps=40, n_bins=25)
    rays = octant_rays(rng, 2, grid)
    i_bins = rng.integers(8, 17, len(rays.ends)).astype(np.int16)

    timed = RayProjector(replace(rays, tof_bins=i_bins), grid, on=cpu(1), tof=tof)
    found = np.stack([timed.subset(k, len(i_bins)).adjoint(np.ones(1, np.float32))
                      for k in range(len(i_bins))])  # fmt: skip

    truth = np.zeros_like(found, dtype=float)
    for k, (p, q) in enumerate(rays.points_mm[rays.ends]):
        lengths = siddon(p, q, grid)
        z, y, x = np.nonzero(lengths)
        truth[k, z, y, x] = [
            _weighted_chord(p, q, grid, tof, i_bins[k], (i, j, h))
            for i, j, h in zip(x, y, z, strict=True)
        ]
    rms = np.sqrt(np.mean((found - truth) ** 2) / np.mean(truth**2))
    assert rms < 1e-3


def _weighted_chord(p, q, grid, tof, i_bin, voxel) -> float:
    """Return the integral of the bin's weight over the chord of one voxel, clipped at its faces."""
    start, end = grid.to_voxels(p), grid.to_voxels(q)
    near, far = 0.0, 1.0
    for axis in range(3):
        cuts = sorted(
            (edge - start[axis]) / (end[axis] - start[axis])
            for edge in (voxel[axis], voxel[axis] + 1)
        )
        near, far = max(near, cuts[0]), min(far, cuts[1])
    length = np.linalg.norm(q - p)
    middle, chord = ((near + far) / 2 - 0.5) * length, (far - near) * length
    return float(chord_integral(tof, i_bin, np.array(middle), max(chord, 0.0)))


def test_rays_without_time_bins_ignore_the_bins_of_the_scanner(rng, rays):
    x = rng.random(GRID.shape).astype(np.float32)
    tof = TofBins(fwhm_ps=60, bin_ps=50, n_bins=15)

    untimed = RayProjector(rays, GRID, on=cpu(1), tof=tof)(x)

    np.testing.assert_array_equal(untimed, RayProjector(rays, GRID, on=cpu(1))(x))
