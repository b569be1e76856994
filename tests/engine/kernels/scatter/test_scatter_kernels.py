"""Parts of the kernels of scatter, against closed forms and a search through all."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from scipy.spatial import KDTree

from engine.corrections.scatter_estimation.detection import efficiency_of
from engine.corrections.scatter_estimation.klein_nishina import energy_ratio, total
from engine.corrections.scatter_estimation.pair_sums import _angles, line_factors
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.sums import _quick
from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.ring import RingScanner, RingSettings
from engine.kernels.rays.decay import decay, decay_single
from engine.kernels.scatter.path_segments import find_nearest
from tests.tolerances import FLOAT64_SUMS

RING = RingScanner(
    RingSettings(
        name="ring", n_rings=4, n_crystals_per_ring=60, radius_mm=150, ring_pitch_mm=20,
        max_ring_difference=3, n_tangential=36, fov_mm=(160, 80),
    )
)  # fmt: skip


def test_decay_is_the_exponential() -> None:
    x = np.linspace(0, 30, 3001)
    for function, error in ((decay, 1e-6), (decay_single, 2e-6)):
        compiled = njit(lambda value, function=function: function(value))
        found = np.array([compiled(each) for each in x.astype(np.float32)])
        assert np.abs(found - np.exp(-x)).max() < error


def test_the_nearest_of_many_points_is_found() -> None:
    rng = np.random.default_rng(5)
    points, places = rng.normal(size=(311, 3)) * 80, rng.normal(size=(1000, 3)) * 90
    found = np.empty(len(places), np.int64)
    find_nearest(0, len(places), places, np.ascontiguousarray(points.T, np.float32), found)
    far, want = KDTree(points).query(places)
    np.testing.assert_allclose(np.linalg.norm(points[found] - places, axis=1), far, rtol=1e-5)
    assert (found == want).mean() > 0.99  # others are as near to seven digits


def test_of_points_that_are_equally_near_it_is_the_first() -> None:
    points = np.ones((3, 4), np.float32)
    found = np.empty(2, np.int64)
    find_nearest(0, 2, np.zeros((2, 3)), points, found)
    assert not found.any()


@pytest.mark.parametrize("lowest", [250.0, 430.0])
def test_what_attenuation_grows_by_is_that_of_the_cross_sections(lowest: float) -> None:
    window = EnergyWindow(lowest, 650.0, 0.12)
    angles = _angles(efficiency_of(window, RING.crystal_depth, RING.block_mm))
    quick = _quick(angles)
    cosine = np.linspace(angles.least, 1, 500)
    found = np.polynomial.Polynomial(quick.growth)(1 - cosine)
    sigma = total(ELECTRON_KEV * energy_ratio(cosine)) / total(np.array(ELECTRON_KEV))
    np.testing.assert_allclose(found, sigma - 1, atol=2e-6)


def test_factors_of_lines_are_those_of_each_line_alone() -> None:
    """r² / (E E), of two samples by their own angles."""
    samples, depth = DetectorSamples.of(RING, 2), RING.crystal_depth
    found = line_factors(samples, depth)
    for a, b in ((0, 14), (31, 50), (70, 22)):
        way = samples.places_mm[b] - samples.places_mm[a]
        far = np.linalg.norm(way)
        cosines = -way @ samples.normals[a] / far, way @ samples.normals[b] / far
        seen = np.prod([float(depth.efficiency(np.array(c))) for c in cosines])
        assert samples.partners[a, b]
        assert found[a, b] == pytest.approx(far**2 / seen, rel=FLOAT64_SUMS)
    assert not found[~samples.partners].any()
