"""Tests of simulated single scatter: laws, and the formula for one point and one line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.corrections.scatter_estimation.cost import cost_of
from engine.corrections.scatter_estimation.detection import counted
from engine.corrections.scatter_estimation.klein_nishina import differential, energy_ratio, total
from engine.corrections.scatter_estimation.samples import DetectorSamples, ScatterPoints
from engine.corrections.scatter_estimation.simulation import ScatterTable, simulate_scatter
from engine.data.volume import Volume
from engine.geometry.energy import ELECTRON_KEV, EnergyWindow
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner, RingSettings
from engine.geometry.tof import TofSettings
from tests.judge.studies import ring_300
from tests.judge_scans import ring_of
from tests.tolerances import FLOAT64_SUMS

WINDOW = EnergyWindow(425.0, 650.0, 0.11)
RING = RingScanner(
    RingSettings(
        name="ring", n_rings=5, n_crystals_per_ring=60, radius_mm=150, ring_pitch_mm=15,
        max_ring_difference=4, n_tangential=36, fov_mm=(160, 75),
        tof=TofSettings(fwhm_ps=250, bin_ps=250, n_bins=13),
    )
)  # fmt: skip
GRID = ImageGrid((5, 12, 12), (14.0, 14.0, 15.0))


@pytest.fixture(scope="module")
def volumes() -> tuple[Volume, Volume]:
    """Return activity off the axis in a body of water."""
    x, y = GRID.centres_mm(0), GRID.centres_mm(1)
    body = np.broadcast_to(np.hypot(x, y[:, None]) < 70, GRID.shape)
    source = np.zeros(GRID.shape, np.float32)
    source[1:4, 3:6, 6:9] = 100.0
    return Volume(source, GRID, "counts/mm"), Volume(0.0096 * body.astype(np.float32), GRID, "1/mm")


def simulated(
    volumes: tuple[Volume, Volume], *, with_tof: bool = True, threads: int = 2
) -> ScatterTable:
    image, mu = volumes
    return simulate_scatter(
        image, mu, RING, WINDOW, with_tof=with_tof, n_points=60, seed=3, on=cpu(threads),
        samples=DetectorSamples.of(RING, 3),
    )  # fmt: skip


@pytest.fixture(scope="module")
def timed(volumes: tuple[Volume, Volume]) -> ScatterTable:
    return simulated(volumes)


def test_time_bins_add_up_to_the_scatter_without_time(
    volumes: tuple[Volume, Volume], timed: ScatterTable
) -> None:
    whole = simulated(volumes, with_tof=False).values[..., 0]
    assert whole.max() > 0
    assert np.abs(timed.values.sum(axis=-1) - whole).max() < 1e-4 * whole.max()


def test_swapped_ends_reverse_the_time_bins(timed: ScatterTable) -> None:
    np.testing.assert_array_equal(timed.values, timed.values.transpose(2, 3, 0, 1, 4)[..., ::-1])
    lines = RING.lors(np.arange(0, RING.n_lors, 97))
    bins = (np.arange(len(lines)) % 13).astype(np.int16)
    one = timed.of_lines(RING.positions_mm, lines, bins)
    other = timed.of_lines(RING.positions_mm, np.ascontiguousarray(lines[:, ::-1]), 12 - bins)
    np.testing.assert_allclose(one, other, rtol=1e-5, atol=FLOAT64_SUMS)


def test_activity_nearer_one_end_arrives_there_first(timed: ScatterTable) -> None:
    """The source is at −y, so photons reach the crystal at −y first."""
    down, up = 45, 15  # 60 positions per ring
    lines = np.full((13, 2), (2 * 60 + down, 2 * 60 + up), np.int32)
    bins = np.arange(13, dtype=np.int16)
    found = timed.of_lines(RING.positions_mm, lines, bins)
    # After scattering, a pair travels a longer path, but it starts at the source.
    assert found[:6].sum() > 1.5 * found[7:].sum()


def test_twice_the_activity_scatters_twice_as_much(
    volumes: tuple[Volume, Volume], timed: ScatterTable
) -> None:
    image, mu = volumes
    twice = simulated((replace(image, values=2 * image.values), mu))
    np.testing.assert_allclose(twice.values, 2 * timed.values, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(timed.scaled(2).values, 2 * timed.values)


def test_number_of_threads_does_not_change_the_bits(
    volumes: tuple[Volume, Volume], timed: ScatterTable
) -> None:
    np.testing.assert_array_equal(simulated(volumes, threads=1).values, timed.values)


def test_no_attenuation_gives_no_scatter(volumes: tuple[Volume, Volume]) -> None:
    image, mu = volumes
    table = simulated((image, replace(mu, values=np.zeros_like(mu.values))))
    assert not table.values.any()


def test_lines_at_samples_are_read_exactly(timed: ScatterTable) -> None:
    samples = timed.samples
    places = samples.places_mm
    at = samples.of_crystals(places)
    ring, angle = np.divmod(np.arange(len(places)), samples.n_angles)
    np.testing.assert_allclose(at[:, 0], ring, atol=FLOAT64_SUMS)
    np.testing.assert_allclose(at[:, 1] % samples.n_angles, angle, atol=FLOAT64_SUMS)


def test_one_point_and_one_line_follow_the_formula() -> None:
    """Two small voxels far from each other: one is active, the other one scatters."""
    grid = ImageGrid((1, 1, 41), (1.0, 1.0, 1.0))
    source, mu = np.zeros(grid.shape, np.float32), np.zeros(grid.shape, np.float32)
    source[0, 0, 10], mu[0, 0, 30] = 7.0, 1e-4
    volumes = Volume(source, grid, "counts/mm"), Volume(mu, grid, "1/mm")
    samples = DetectorSamples.of(RING, 3)
    table = simulate_scatter(
        *volumes, RING, WINDOW, with_tof=False, n_points=60, seed=3, on=cpu(), samples=samples
    )
    point = ScatterPoints.of(volumes[1], 60, 3).places_mm[0]
    # From the point through the source along −x, and from the point at an angle.
    ring, n = samples.n_rings // 2, samples.n_angles
    one, other = ring * n + n // 2, ring * n + 2
    a, b = samples.places_mm[one] - point, samples.places_mm[other] - point
    r_a, r_b = np.linalg.norm(a), np.linalg.norm(b)
    cosine = np.array([-(a @ b) / r_a / r_b])
    depth = RING.crystal_depth

    def efficiency(direction: np.ndarray, sample: int) -> float:
        return float(depth.efficiency(np.array(direction @ samples.normals[sample])))

    line = samples.places_mm[other] - samples.places_mm[one]
    r = np.linalg.norm(line)
    own = efficiency(-line / r, one) * efficiency(line / r, other)
    kev = ELECTRON_KEV * energy_ratio(cosine)
    chance = differential(cosine) / total(np.array(ELECTRON_KEV)) * counted(kev, WINDOW, depth)
    # Values fall linearly between voxel centres, so the integral along x is that of the voxel.
    crossing = point + a * (point[0] + 10.0) / (point[0] + 150.0)
    integral = 7.0 * (1 - abs(crossing[1])) * (1 - abs(crossing[2])) * r_a / (point[0] + 150.0)
    expected = (
        r**2 / own * 1e-4 * efficiency(a / r_a, one) * efficiency(b / r_b, other) / (r_a * r_b) ** 2
    )
    expected *= float(chance[0]) * integral
    found = table.values[ring, n // 2, ring, 2, 0]
    assert found == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(("radius", "excess"), [(100.0, 0.69)])
def test_stated_cost_of_missing_scatter_equals_that_of_tracked_photons(
    radius: float, excess: float
) -> None:
    """20 cm of water in a ring of 240 mm, 425 to 650 keV: the middle was 69 % too high."""
    ring = ring_of(ring_300(240.0), diameter_mm=300, voxel_mm=(4.0, 4.0, 5.0))
    cost = cost_of(ring, 2 * radius, 200.0, on=cpu())
    assert cost.excess == pytest.approx(excess, abs=0.1)
    assert cost.fraction == pytest.approx(0.28, abs=0.03)
    assert "200 mm wide" in cost.describe()
    assert "70 %" in cost.describe()
    assert cost_of(ring, 40.0, 200.0, on=cpu()).excess < 0.1
