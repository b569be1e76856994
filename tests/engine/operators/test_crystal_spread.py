"""The spread of photons in panels, compared with closed forms."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np
import pytest

from engine.geometry.tof import FWHM_PER_SIGMA
from engine.operators.crystal_edges import edge_efficiencies
from engine.operators.crystal_spread import REACH, CrystalSpread, Shifts
from tests.engine.geometry.panels import panels

N = 1 << 13
BLACK = {"photo_fraction": 1.0}
ALL = {"energy_window_kev": (0.0, 2000.0), "energy_fwhm": 0.0}


def spread(**changes: object) -> CrystalSpread:
    return CrystalSpread.of(panels(**changes), n_photons=N, seed=1)


def test_absorbing_crystals_accept_the_window_fraction_of_a_gaussian() -> None:
    """For each photon: Φ((high − 511) / σ) − Φ((low − 511) / σ), all at their first interaction."""
    found = spread(**BLACK, energy_window_kev=(480.0, 530.0), energy_fwhm=0.15)
    sigma = 0.15 * 510.999 / FWHM_PER_SIGMA
    expected = sum(erf(d / sqrt(2) / sigma) for d in (530 - 510.999, 510.999 - 480)) / 2
    detected = found.chances[0, 0].sum(axis=(2, 3))
    error = sqrt(expected * (1 - expected) / N)
    assert detected == pytest.approx(np.full_like(detected, expected), abs=5 * error)
    np.testing.assert_array_equal(found.chances[0, 0, :, :, REACH, REACH], detected)


@pytest.mark.parametrize("place", ["mean", "largest"])
def test_without_an_energy_window_every_interacting_photon_is_detected(place: str) -> None:
    found = spread(**ALL, place=place)
    assert found.chances.sum(axis=(4, 5)) == pytest.approx(1)
    assert 0.3 < found.chances[0, 0, 0, 0, REACH, REACH] < 0.95


def test_perpendicular_photons_spread_symmetrically() -> None:
    found = spread(**ALL, block_crystals=4).chances[0, 0, 0, 0] * N
    for image in (found[::-1], found[:, ::-1], found.T):
        sums = found + image
        assert ((found - image) ** 2)[sums > 0].sum() < 2.5 * sums[sums > 0].sum()


def test_oblique_photons_are_displaced_along_their_direction() -> None:
    found = spread(**ALL)
    rows = np.arange(-REACH, REACH + 1)
    oblique = found.at(found.step * (found.chances.shape[2] - 1), 0.0)[0, 0]
    assert rows @ oblique.sum(axis=1) > 0.05
    assert abs(oblique.sum(axis=0) @ rows) < 0.05


def test_directions_between_tracked_ones_are_interpolated_linearly() -> None:
    found = spread()
    corners = [found.chances[0, 0, i, k] for i in (0, 1) for k in (0, 1)]
    middle = found.at(found.step / 2, found.step / 2)[0, 0]
    np.testing.assert_allclose(middle, np.mean(corners, axis=0))
    np.testing.assert_allclose(found.at(found.step, 0.0)[0, 0], found.chances[0, 0, 1, 0])


def test_likely_shifts_come_first_and_add_up_to_one() -> None:
    chances = np.zeros((2, 5, 5))
    chances[0, 2, 2], chances[1, 3, 2], chances[0, 0, 4] = 0.5, 0.2, 0.1
    found = Shifts.of(chances)
    assert found.shifts.tolist() == [[0, 0, 0], [1, 1, 0], [0, -2, 2]]
    np.testing.assert_allclose(found.drawn_as, [[0.625, 0.25, 0.125], [0.625, 0.875, 1]])
    assert found.reach == 2


def test_absorbing_crystals_detect_in_the_layer_that_stops_the_photon() -> None:
    found = spread(**BLACK, **ALL, n_layers=3).chances
    assert found.sum(axis=(4, 5)) == pytest.approx(
        np.broadcast_to(np.eye(3)[..., None, None], found.shape[:4])
    )


@pytest.mark.parametrize("place", ["mean", "largest"])
def test_scattered_photons_can_be_detected_in_another_layer(place: str) -> None:
    """Each photon is detected once, mostly at its first interaction, and more often behind it."""
    found = spread(**ALL, n_layers=2, thickness_mm=20.0, place=place).chances.sum(axis=(4, 5))
    assert found.sum(axis=1) == pytest.approx(1)
    behind, before = found[0, 1].mean(), found[1, 0].mean()
    # After scattering back, photons have little energy left to deposit in front.
    assert 0.35 > behind > 10 * before > 0.01


def test_edges_of_absorbing_crystals_lose_no_counts() -> None:
    e = edge_efficiencies(panels(**BLACK), n_photons=1 << 13)
    assert e == pytest.approx(np.ones(30), abs=0.06)


def test_edges_exist_in_each_layer() -> None:
    """Photons that scatter out at an edge are lost in both layers, absorbed ones are not."""
    wide = {"n_rows": 8, "n_columns": 8, "thickness_mm": 20.0, "separation_mm": 30.0}
    e = edge_efficiencies(panels(**wide, n_layers=2), n_photons=1 << 12).reshape(2, 2, 8, 8)
    np.testing.assert_array_equal(e[0], e[1])
    assert (e[0, :, 0, 0] < 0.95 * e[0, :, 3:5, 3:5].mean(axis=(1, 2))).all()
    black = edge_efficiencies(panels(**BLACK, n_layers=2), n_photons=1 << 12)
    assert black == pytest.approx(np.ones(60), abs=0.09)


def test_blocks_and_edges_lose_counts_symmetrically() -> None:
    scanner = panels(n_rows=8, n_columns=8, block_crystals=4, thickness_mm=20.0, separation_mm=30)
    e = edge_efficiencies(scanner, n_photons=1 << 13).reshape(2, 8, 8)
    np.testing.assert_array_equal(e[0], e[1])
    np.testing.assert_array_equal(e[0], e[0][::-1])
    np.testing.assert_array_equal(e[0], e[0][:, ::-1])
    inside, corner, border = e[0, 1:3, 1:3].mean(), e[0, 0, 0], e[0, 3:5, 1:3].mean()
    assert corner < 0.95 * border < 0.95 * inside
    again = edge_efficiencies(scanner, threads=2, n_photons=1 << 13)
    np.testing.assert_array_equal(again, e.ravel())
