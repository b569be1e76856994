"""Tests of simulated X-ray scans: counts, defects, rings, hardening, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.errors import SettingsError
from engine.data.projections import Projections
from engine.geometry.orbits import circle, parallel
from engine.geometry.xray import XrayGeometry
from engine.simulate.phantom import ShapePhantom
from engine.simulate.shapes import Box
from engine.simulate.xray import Detector, simulate_integrals, simulate_xray, transmission
from tests.tolerances import FLOAT64

P = 0.8
GEOMETRY = parallel(np.zeros(40), shape=(20, 30), pixel_mm=1.0)
SLAB = ShapePhantom("slab", (Box((0, 0, 0), (10, 50, 50), mu_per_mm=P / 20),))
"""Every ray of GEOMETRY has the integral P."""
CLEAN = Detector(gain_spread=0.0, read_noise=0.0)


def scan(geometry: XrayGeometry = GEOMETRY, **options: Any) -> Projections:
    return simulate_xray(SLAB, geometry, **{"seed": 5, "detector": CLEAN, "threads": 2} | options)


def corrected(data: Projections) -> np.ndarray:
    """Return line integrals from the mean flat and dark."""
    dark = data.darks.mean(axis=0, dtype=float)
    return -np.log((data.values - dark) / (data.flats.mean(axis=0, dtype=float) - dark))


def test_counts_follow_poisson_statistics() -> None:
    detector = Detector(photons=1000.0, open_counts=5000.0, gain_spread=0.0, read_noise=4.0)
    values = scan(detector=detector).values.astype(float)
    n, light = values.size, 1000 * np.exp(-P)
    variance = 25 * light + 16 + 1 / 12  # 5 counts per photon, read noise, rounding
    assert values.mean() == pytest.approx(100 + 5 * light, abs=5 * np.sqrt(variance / n))
    assert values.var() == pytest.approx(variance, rel=5 * np.sqrt(2 / n))


def test_flats_and_darks_have_their_own_noise() -> None:
    data = scan(n_flats=30, n_darks=20, detector=Detector(gain_spread=0.0, read_noise=3.0))
    assert data.flats.shape == (30, 20, 30)
    assert data.darks.shape == (20, 20, 30)
    assert data.flats.mean() == pytest.approx(40_100, rel=1e-3)
    assert data.flats.var() == pytest.approx(4 * 20_000, rel=0.05)  # 2 counts per photon
    assert data.darks.mean() == pytest.approx(100, abs=0.1)
    assert data.darks.var() == pytest.approx(9, rel=0.1)
    assert len(np.unique(data.flats, axis=0)) == 30
    none = scan(n_flats=0, n_darks=0)
    assert none.flats is None
    assert none.darks is None


def test_counts_are_whole_and_saturate_at_full_scale() -> None:
    values = scan(detector=Detector(full_scale=18_000.0)).values
    assert values.max() == 18_000
    assert (values == 18_000).mean() > 0.4
    np.testing.assert_array_equal(values, np.rint(values))


def test_same_seed_gives_the_same_scan_for_any_number_of_threads() -> None:
    noisy = {"detector": Detector(dead_share=0.01, ring_spread=0.01)}
    one, same, other = scan(threads=1, **noisy), scan(**noisy), scan(seed=6, **noisy)
    for name in ("values", "flats", "darks"):
        np.testing.assert_array_equal(getattr(one, name), getattr(same, name))
        assert (getattr(one, name) != getattr(other, name)).any()


def test_pixel_gain_appears_in_flats_and_leaves_no_ring() -> None:
    data = scan(detector=Detector(gain_spread=0.1, read_noise=0.0), n_flats=200)
    assert data.flats.mean(axis=0).std() == pytest.approx(4000, rel=0.1)
    error = corrected(data).mean(axis=0) - P
    # 40 views of 8987 photons and 200 flats of 20 000 photons.
    noise = np.sqrt(1 / 8987 / 40 + 1 / 20_000 / 200)
    assert error.std() == pytest.approx(noise, rel=0.15)


def test_changed_gain_makes_rings() -> None:
    data = scan(detector=Detector(gain_spread=0.0, ring_spread=0.02), n_flats=200)
    ring = corrected(data).mean(axis=0) - P
    assert ring.std() == pytest.approx(0.02, rel=0.1)
    halves = [corrected(data.select(v)).mean(axis=0) for v in (slice(0, 20), slice(20, 40))]
    assert np.corrcoef(halves[0].ravel(), halves[1].ravel())[0, 1] > 0.95


def test_dead_and_hot_pixels_are_the_same_in_every_image() -> None:
    data = scan(detector=Detector(dead_share=0.02, hot_share=0.01))
    for images in (data.values, data.flats, data.darks):
        assert ((images == 0).all(axis=0)).sum() == 12
        assert ((images == 65_535).all(axis=0)).sum() == 6
    pixels = data.info["simulated_detector"]
    assert pixels["dead_share"] == 0.02
    maps = Detector(dead_share=0.02, hot_share=0.01).pixels((20, 30), 5)
    np.testing.assert_array_equal(maps.dead, (data.darks == 0).all(axis=0))


def test_beam_hardening_equals_that_of_three_energies() -> None:
    p = np.linspace(0, 4, 9)
    expected = 0.5 * np.exp(-p) + 0.25 * np.exp(-0.6 * p) + 0.25 * np.exp(-1.4 * p)
    np.testing.assert_allclose(transmission(p, 0.4), expected, rtol=FLOAT64)
    np.testing.assert_allclose(transmission(p, 0.0), np.exp(-p), rtol=FLOAT64)
    little = np.array([0.02])
    assert -np.log(transmission(little, 1.0)) == pytest.approx(little - little**2 / 4, rel=1e-5)
    assert np.isfinite(transmission(np.array([1e4]), 1.0)).all()
    measured = corrected(scan(hardening=0.4, n_flats=200)).mean()
    assert measured == pytest.approx(-np.log(transmission(np.array(P), 0.4)), abs=5e-4)


def test_pixel_averages_photons_and_not_integrals() -> None:
    # A slab with its upper edge in the centre of the middle row.
    edge = ShapePhantom("edge", (Box((0, 0, -50), (10, 50, 50), mu_per_mm=0.15),))
    geometry = parallel(np.zeros(60), shape=(3, 30), pixel_mm=1.0)
    data = simulate_xray(edge, geometry, seed=1, detector=CLEAN, oversample=2, n_flats=200)
    rows = corrected(data).mean(axis=(0, 2))
    half = -np.log((1 + np.exp(-3.0)) / 2)
    assert rows == pytest.approx([3.0, half, 0.0], abs=3e-3)
    means = simulate_integrals(edge, geometry, oversample=2).values.mean(axis=(0, 2))
    assert means == pytest.approx([3.0, 1.5, 0.0], abs=1e-5)


def test_scan_records_kind_and_progress() -> None:
    done = []
    data = scan(on_progress=lambda *at: done.append(at))
    assert data.kind == "counts"
    assert data.info["seed"] == 5
    assert data.notes == ("Simulated projections, not a measurement.",)
    assert done[-1] == (40, 40)
    integrals = simulate_integrals(SLAB, GEOMETRY)
    assert integrals.kind == "integrals"
    np.testing.assert_allclose(integrals.values, P, rtol=1e-6)


def test_many_views_are_simulated_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    geometry = parallel(circle(7), shape=(20, 30), pixel_mm=1.0)
    whole = scan(geometry)
    monkeypatch.setattr("engine.simulate.xray._BLOCK_RAYS", 2 * 20 * 30)
    np.testing.assert_array_equal(scan(geometry).values, whole.values)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"photons": -1.0}, "photons is -1"),
        ({"photons": 0.0}, "the open beam has no counts"),
        ({"read_noise": np.nan}, "read_noise is nan"),
        ({"dead_share": 0.7, "hot_share": 0.5}, "add up to 1.2, expected at most 1"),
    ],
)
def test_invalid_detectors_are_refused(change: dict[str, float], fault: str) -> None:
    with pytest.raises(SettingsError, match=fault):
        Detector(**change)


@pytest.mark.parametrize("option", [{"hardening": 1.5}, {"oversample": 0}, {"n_flats": -1}])
def test_invalid_scans_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        scan(**option)
