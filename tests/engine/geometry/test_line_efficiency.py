"""Geometric efficiency of crystal pairs: closed forms, and an independent photon count."""

from __future__ import annotations

import numpy as np
import pytest

from engine.geometry.energy import ELECTRON_KEV
from engine.geometry.line_efficiency import (
    LSO,
    CrystalDepth,
    scattered_above,
)
from engine.geometry.ring import RingScanner, RingSettings
from engine.io import read_scanner
from tests.tolerances import FLOAT64_SUMS

BLACK = CrystalDepth(100.0, 1.0)
SLAB = CrystalDepth(20.0, 0.087)
THIN = CrystalDepth(1e-3, 0.1)


def ring(**changes) -> RingScanner:
    values = {
        "name": "tiny", "n_rings": 6, "n_crystals_per_ring": 32, "radius_mm": 60,
        "ring_pitch_mm": 5, "max_ring_difference": 5, "n_tangential": 24, "fov_mm": (60, 30),
    }  # fmt: skip
    return RingScanner(RingSettings(**(values | changes)))


def pairs(scanner) -> np.ndarray:
    found = scanner.lors(np.arange(scanner.n_lors))
    return found[scanner.in_coincidence(found)]


def test_facing_crystals_have_factor_one():
    scanner = ring()
    n = scanner.settings.n_crystals_per_ring
    facing = np.array([[k, k + n // 2] for k in range(n // 2)])
    # Factors are float32.
    np.testing.assert_allclose(scanner.geometric_factor(facing), 1, rtol=1e-6)


def test_efficiency_of_thick_crystals_follows_cosines_and_of_thin_ones_only_distance():
    cosines = np.array([1.0, 0.8, 0.3, 0.05])
    np.testing.assert_allclose(BLACK.efficiency(cosines), cosines, rtol=FLOAT64_SUMS)
    # A thin crystal absorbs 1e-4 of the photons; at a cosine of 0.05 the second order is 1e-3.
    np.testing.assert_allclose(THIN.efficiency(cosines), 1, rtol=2e-3)
    assert BLACK.efficiency(np.array([-0.5])) == 0, "photons from behind must not count"


def test_table_of_a_ring_equals_the_formula_of_its_positions():
    scanner = ring()
    crystals = pairs(scanner)
    by_positions = super(RingScanner, scanner).geometric_factor(crystals)
    # The table and the positions are float32.
    np.testing.assert_allclose(scanner.geometric_factor(crystals), by_positions, rtol=1e-5)
    swapped = scanner.geometric_factor(crystals[:, ::-1])
    np.testing.assert_array_equal(swapped, scanner.geometric_factor(crystals))


def test_panels_are_normalised_along_their_normal():
    panels = read_scanner("test-panels")
    half = panels.n_crystals // 2
    straight = np.array([[k, k + half] for k in range(half)])
    oblique = np.array([[0, panels.n_crystals - 1]])
    values = panels.geometric_factor(straight)
    assert np.ptp(values) < 1e-6
    first, second = panels.positions_mm[[0, panels.n_crystals - 1]]
    r = np.linalg.norm(second - first)
    cosine = (second - first)[1] / r
    far = (second - first)[1]
    expected = panels.crystal_depth.efficiency(cosine) ** 2 * (far / r) ** 2
    # A quotient of two float32 factors.
    assert panels.geometric_factor(oblique)[0] / values[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("rise_mm", [0.0, 150.0, 400.0])
def test_counted_photons_give_the_same_efficiency(rise_mm, rng):
    """Count unscattered photons of a uniform sheet between two slabs, absorbed at random depths."""
    gap_mm, cell_mm, n = 300.0, 20.0, 400_000

    def rate(rise: float) -> float:
        # Choose a point in a cell of each face. The photons that cross both are |n·d| |n·d| / r².
        a = rng.uniform(-cell_mm / 2, cell_mm / 2, (n, 2))
        b = rng.uniform(-cell_mm / 2, cell_mm / 2, (n, 2)) + np.array([0.0, rise])
        line = np.column_stack([b - a, np.full(n, gap_mm)])
        r = np.linalg.norm(line, axis=1)
        cosine = gap_mm / r
        free = rng.exponential(1 / SLAB.attenuation_per_mm, (n, 2)) * cosine[:, None]
        stopped = (free < SLAB.depth_mm).all(axis=1)
        return float((stopped * cosine**2 / r**2).mean())

    centres = np.array([[0.0, 0.0, 0.0], [0.0, rise_mm, gap_mm]])
    r = np.linalg.norm(centres[1] - centres[0])
    cosine = gap_mm / r
    expected = float(SLAB.efficiency(np.array(cosine))) ** 2 * (gap_mm / r) ** 2
    # Three standard errors of two rates of 400,000 photons are 0.3 %; the cells are small enough.
    assert rate(rise_mm) / rate(0.0) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize("kev", [200.0, 350.0, 425.0, 500.0])
def test_scatter_above_an_energy_is_the_integral_of_klein_and_nishina(kev):
    cosine = np.linspace(-1, 1, 200_001)
    ratio = 1 / (2 - cosine)
    density = ratio**2 * (ratio + 1 / ratio - 1 + cosine**2)
    expected = density[ratio * ELECTRON_KEV > kev].sum() / density.sum()
    # The sum counts whole steps of the cosine, 1e-5 each, on either side of the energy.
    assert scattered_above(kev) == pytest.approx(expected, abs=1e-4)


def test_all_scatter_has_at_least_a_third_of_the_energy_and_none_all_of_it():
    assert scattered_above(ELECTRON_KEV / 3) == pytest.approx(1)
    assert scattered_above(ELECTRON_KEV) == 0
    assert CrystalDepth(20.0, 0.1).removal_per_mm == pytest.approx(0.1)
    assert LSO.removal_per_mm < LSO.attenuation_per_mm
