"""Tests of modulation, noise power and widths against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage, special

from engine.analysis.quality.modulation import of_edge, of_wire
from engine.analysis.quality.noise_power import noise_power
from engine.analysis.quality.peak_profile import FWTM_PER_FWHM, peak_widths
from engine.core.errors import DataError

PIXEL, SIGMA = 1.0, 1.1
X, Y = np.meshgrid(np.arange(-80, 80) * PIXEL, np.arange(-80, 80) * PIXEL)


def gaussian_frequency(level: float) -> float:
    """Return the frequency at which exp(-2 π² σ² f²) has a level."""
    return float(np.sqrt(-np.log(level) / 2) / (np.pi * SIGMA))


def edge(noise: float, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Return pixels around the edge of a blurred disc of 60 mm."""
    r, turn = np.hypot(X - 0.3, Y + 0.2) - 60, np.arctan2(Y + 0.2, X - 0.3)
    near = np.abs(r) <= 8
    values = 500 * special.erfc(r[near] / (np.sqrt(2) * SIGMA))
    return r[near], turn[near], values + noise * rng.standard_normal(len(values))


def test_edge_has_the_modulation_of_its_gaussian_blur(rng: np.random.Generator) -> None:
    found = of_edge(*edge(0.0, rng), PIXEL)
    f = found.modulation.frequency
    used = f < 0.35
    expected = np.exp(-2 * (np.pi * SIGMA * f) ** 2)
    np.testing.assert_allclose(found.modulation.value[used], expected[used], atol=0.01)
    assert found.half[0] == pytest.approx(gaussian_frequency(0.5), rel=0.01)
    assert found.tenth[0] == pytest.approx(gaussian_frequency(0.1), rel=0.02)


def test_error_of_an_edge_equals_its_spread(rng: np.random.Generator) -> None:
    found = [of_edge(*edge(20.0, rng), PIXEL) for _ in range(24)]
    spread = np.std([each.half[0] for each in found], ddof=1)
    reported = np.mean([each.half[1] for each in found])
    assert 0.6 * spread < reported < 1.6 * spread


def test_wire_has_the_modulation_of_its_blur() -> None:
    near = np.hypot(X, Y) <= 10
    values = np.exp(-((X - 0.0) ** 2 + Y**2) / (2 * SIGMA**2))[near]
    found = of_wire(X[near], Y[near], values, PIXEL)
    f = found.modulation.frequency
    np.testing.assert_allclose(
        found.modulation.value[f < 0.5], np.exp(-2 * (np.pi * SIGMA * f[f < 0.5]) ** 2), atol=2e-3
    )
    assert found.half[0] == pytest.approx(gaussian_frequency(0.5), rel=5e-3)


def test_edge_of_few_pixels_gives_one_sentence() -> None:
    r = np.array([0.0, 1.0, 2.0])
    with pytest.raises(DataError, match="the edge has too few pixels"):
        of_edge(r, r, r, PIXEL)


def test_white_noise_power_is_its_variance_times_the_pixel_area(
    rng: np.random.Generator,
) -> None:
    dx, dy, sd = 0.8, 0.8, 3.0
    found = noise_power(sd * rng.standard_normal((60, 48, 48)), (dx, dy, 2.0))
    n_sigma = (found.power - sd**2 * dx * dy) / found.error
    # the lowest frequencies belong in part to the background
    assert np.abs(n_sigma[2:]).max() < 4.5
    assert np.std(n_sigma[2:]) < 1.6
    assert found.variance == pytest.approx(sd**2, rel=0.02)


def test_smoothed_noise_has_the_power_of_its_filter(rng: np.random.Generator) -> None:
    sigma, n = 1.2, 64
    noise = rng.standard_normal((40, n, n))
    smooth = ndimage.gaussian_filter(noise, (0, sigma, sigma), mode="wrap", truncate=8)
    found = noise_power(smooth, (1.0, 1.0, 1.0))
    expected = np.exp(-((2 * np.pi * sigma * found.frequency) ** 2))
    used = slice(2, 16)
    np.testing.assert_allclose(found.power[used], expected[used], rtol=0.2, atol=2e-3)


def test_slope_is_not_counted_as_noise() -> None:
    ramp = np.broadcast_to(np.arange(32.0)[None, None, :] ** 2, (3, 32, 32))
    assert noise_power(ramp, (1.0, 1.0, 1.0)).variance < 1e-15 * ramp.max() ** 2
    with pytest.raises(DataError, match="needs a region of at least 8 × 8 pixels"):
        noise_power(ramp[:, :4], (1.0, 1.0, 1.0))


@pytest.mark.parametrize("shift", [0.0, 0.3, 0.5])
def test_gaussian_has_its_widths(shift: float, rng: np.random.Generator) -> None:
    """NEMA's width is too large by the chords between samples, as documented; the fit is exact."""
    at, sigma = np.arange(-20, 21) * 1.0, 2.0
    values = np.exp(-((at - shift) ** 2) / (2 * sigma**2))
    fwhm = 2 * np.sqrt(2 * np.log(2)) * sigma
    found = peak_widths(at, values)
    assert found.place == pytest.approx(shift, abs=0.03)
    assert found.fwhm == pytest.approx(fwhm, rel=0.02)
    assert found.fwtm == pytest.approx(FWTM_PER_FWHM * fwhm, rel=0.03)
    assert found.fitted == pytest.approx(fwhm, rel=1e-6)
    noisy = [peak_widths(at, values + 0.01 * rng.standard_normal(41)) for _ in range(40)]
    for width, error in (("fwhm", "fwhm_error"), ("fitted", "fitted_error")):
        spread = np.std([getattr(each, width) for each in noisy], ddof=1)
        reported = np.mean([getattr(each, error) for each in noisy])
        assert 0.6 * spread < reported < 1.6 * spread


def test_peak_at_the_end_has_no_width() -> None:
    assert np.isnan(peak_widths(np.arange(5.0), np.array([1.0, 2.0, 3.0, 4.0, 5.0])).fwhm)
