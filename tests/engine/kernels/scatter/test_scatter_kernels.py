"""Parts of the scatter kernels, compared with closed forms and exhaustive search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates
from scipy.spatial import KDTree

from engine.corrections.scatter_estimation.detection import efficiency_of
from engine.corrections.scatter_estimation.klein_nishina import energy_ratio, total
from engine.corrections.scatter_estimation.pair_sums import _angles, line_factors, scene_of
from engine.corrections.scatter_estimation.samples import DetectorSamples
from engine.corrections.scatter_estimation.sums import _quick, traced
from engine.corrections.scatter_estimation.timing import PathTiming
from engine.data.volume import Volume
from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.kernels.processor import LANES
from engine.kernels.rays.decay import decay, decay_single
from engine.kernels.scatter.device_scatter import ScatterScene
from engine.kernels.scatter.path_segments import find_nearest
from engine.kernels.scatter.paths import clear_blocks
from engine.kernels.scatter.untimed_scatter import N_ROWS, QuickTables, add_untimed
from tests.tolerances import FLOAT64_SUMS

Values = NDArray[np.float32]
RING = RingScanner(
    RingSettings(
        name="ring", n_rings=4, n_crystals_per_ring=60, radius_mm=150, ring_pitch_mm=20,
        max_ring_difference=3, n_tangential=36, fov_mm=(160, 80),
    )
)  # fmt: skip


def _scene(mu: Values) -> ScatterScene:
    """Return an object in the ring, with anisotropic voxels."""
    grid = ImageGrid((mu.shape[0], mu.shape[1], mu.shape[2]), (4.0, 5.0, 6.0))
    depth = RING.crystal_depth
    efficiency = efficiency_of(EnergyWindow(430.0, 650.0, 0.12), depth, RING.block_mm)
    image = Volume(np.ones_like(mu), grid, "")
    fields = image, Volume(mu, grid, "1/mm")
    return scene_of(
        fields, DetectorSamples.of(RING, 2), depth, efficiency, PathTiming.of(None, image)
    )


def test_integrals_are_sums_of_interpolated_values(rng: np.random.Generator) -> None:
    mu = np.zeros((14, 30, 40), np.float32)
    mu[3:9, 8:20, 10:22] = rng.random((6, 12, 12))
    mu[0, 0, 0] = 1.0  # far from the other voxels, so paths have gaps
    scene, points = _scene(mu), np.array([[-5.0, 3.0, 2.0], [-20.0, -6.0, -11.0]])
    paths = traced(scene, points, 1)
    field = scene.mu
    for point, directions, found in zip(points, paths.directions, paths.attenuation, strict=True):
        at = np.arange(0.025, 200, 0.05)[:, None, None] * directions.T + point
        places = ((at - field.lower_mm) / field.voxel_mm)[..., ::-1]
        values = map_coordinates(np.pad(mu, 1), np.moveaxis(places, -1, 0) + 1, order=1)
        # Steps as long as a voxel sum single-voxel noise less exactly than steps of 0.05 mm.
        error = found - values.sum(axis=0) * 0.05
        assert np.abs(error).max() < 0.08 * found.max()
        assert abs(error.mean()) < 0.005 * found.mean()


def test_skipped_steps_are_empty(rng: np.random.Generator) -> None:
    mu = np.where(rng.random((41, 50, 61)) < 2e-4, np.float32(0.01), np.float32(0))
    is_clear = clear_blocks(np.pad(mu, 1))
    assert 0.2 < is_clear.mean() < 0.9
    scene, points = _scene(mu), rng.uniform(-40, 40, (20, 3))
    found = traced(scene, points, 1).attenuation
    # All voxels get a value too small to change the bits of the sums, so no step is skipped.
    filled = scene.mu._replace(values=np.maximum(mu, np.float32(1e-30)))
    expected = traced(replace(scene, mu=filled), points, 1).attenuation
    assert (found > 0).any()
    assert (expected > 0).all()
    np.testing.assert_array_equal(found, np.where(expected < 1e-20, 0, expected))


def test_filled_fields_need_no_map() -> None:
    assert clear_blocks(np.pad(np.ones((5, 6, 7), np.float32), 1)).size == 0


def test_decay_is_the_exponential() -> None:
    x = np.linspace(0, 30, 3001)
    for function, error in ((decay, 1e-6), (decay_single, 2e-6)):
        compiled = njit(lambda value, function=function: function(value))
        found = np.array([compiled(each) for each in x.astype(np.float32)])
        assert np.abs(found - np.exp(-x)).max() < error


def test_nearest_of_many_points_is_found() -> None:
    rng = np.random.default_rng(5)
    points, places = rng.normal(size=(311, 3)) * 80, rng.normal(size=(1000, 3)) * 90
    found = np.empty(len(places), np.int64)
    find_nearest(0, len(places), places, np.ascontiguousarray(points.T, np.float32), found)
    distance, expected = KDTree(points).query(places)
    np.testing.assert_allclose(np.linalg.norm(points[found] - places, axis=1), distance, rtol=1e-5)
    assert (found == expected).mean() > 0.99  # other points can be as near to seven digits


def test_first_of_equidistant_points_is_selected() -> None:
    points = np.ones((3, 4), np.float32)
    found = np.empty(2, np.int64)
    find_nearest(0, 2, np.zeros((2, 3)), points, found)
    assert not found.any()


@pytest.mark.parametrize("lowest", [250.0, 430.0])
def test_increase_of_attenuation_is_that_of_the_cross_sections(lowest: float) -> None:
    window = EnergyWindow(lowest, 650.0, 0.12)
    angles = _angles(efficiency_of(window, RING.crystal_depth, RING.block_mm))
    quick = _quick(angles)
    cosine = np.linspace(angles.least, 1, 500)
    found = np.polynomial.Polynomial(quick.growth)(1 - cosine)
    sigma = total(ELECTRON_KEV * energy_ratio(cosine)) / total(np.array(ELECTRON_KEV))
    np.testing.assert_allclose(found, sigma - 1, atol=2e-6)


def test_factors_of_lines_equal_those_of_each_single_line() -> None:
    """r² / (E E) of two samples, computed from their own angles."""
    samples, depth = DetectorSamples.of(RING, 2), RING.crystal_depth
    found = line_factors(samples, depth)
    for a, b in ((0, 14), (31, 50), (70, 22)):
        direction = samples.places_mm[b] - samples.places_mm[a]
        distance = np.linalg.norm(direction)
        cosines = (
            -direction @ samples.normals[a] / distance,
            direction @ samples.normals[b] / distance,
        )
        efficiency = np.prod([float(depth.efficiency(np.array(c))) for c in cosines])
        assert samples.partners[a, b]
        assert found[a, b] == pytest.approx(distance**2 / efficiency, rel=FLOAT64_SUMS)
    assert not found[~samples.partners].any()


@pytest.mark.parametrize("n", [1, LANES, 2 * LANES + 7])
def test_single_scatter_of_any_number_of_points_is_that_of_each_alone(
    rng: np.random.Generator, n: int
) -> None:
    samples, lowest = 90, -0.3
    values = rng.random((samples, n, N_ROWS)).astype(np.float32)
    values[..., :3] = _directions(rng, samples * n).reshape(samples, n, 3)
    weights, filled = rng.random(n), -(-n // LANES) * LANES
    rows = np.zeros((samples, filled, N_ROWS), np.float32)
    rows[:, :n] = values
    rows = np.ascontiguousarray(rows.reshape(samples, -1, LANES, N_ROWS).transpose(0, 1, 3, 2))
    partners = np.triu(rng.random((samples, samples)) < 0.7, 1)
    growth = rng.random(10) * 0.5 ** np.arange(10)
    chance = np.sin(np.linspace(0, 2, 1025))
    tables = QuickTables(lowest, chance.astype(np.float32), growth.astype(np.float32))
    found = np.ones((samples, samples))
    add_untimed(0, samples, partners, weights, rows, tables, found)
    x = values.astype(np.float64)
    cosine = -np.einsum("asi,bsi->abs", x[..., :3], x[..., :3])
    likely = np.interp(cosine, np.linspace(lowest, 1, 1025), chance) * (cosine > lowest)
    grown, efficiency = np.polynomial.Polynomial(growth)(1 - cosine), x[..., 3]
    to_b = x[:, None, :, 5] * np.exp(-grown * x[None, :, :, 4])
    to_a = x[None, :, :, 5] * np.exp(-grown * x[:, None, :, 4])
    expected_sums = (weights * efficiency[:, None] * efficiency * likely * (to_a + to_b)).sum(
        axis=2
    )
    np.testing.assert_allclose(found, 1 + partners * expected_sums, rtol=2e-5)


def _directions(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    vectors = rng.normal(size=(n, 3))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
