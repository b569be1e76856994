import numpy as np
import pytest

from engine.kernels.rays.tof import N_LANES, chord_table, cut_gaussian_cdf
from tests.tolerances import FLOAT64_SUMS


def integral_up_to(table, s_mm):
    """Return the table's integral up to a position [mm]; beyond its end it is constant."""
    parts = table.coefficients.reshape(-1, 4)
    away = np.minimum(np.abs(s_mm) / table.part_mm, len(parts) - 1)
    part = away.astype(int)
    powers = (away - part)[..., None] ** np.arange(4)
    return np.sign(s_mm) * (parts[part] * powers).sum(axis=-1) * table.part_mm


def test_truncated_gaussian_has_no_mass_beyond_the_cutoff():
    assert cut_gaussian_cdf(-4.0) == 0
    assert cut_gaussian_cdf(0.0) == 0.5
    assert cut_gaussian_cdf(3.9) < 1 == cut_gaussian_cdf(4.0)
    one_sigma = cut_gaussian_cdf(1.0, cutoff=3.0) - cut_gaussian_cdf(-1.0, cutoff=3.0)
    assert one_sigma == pytest.approx(0.68269 / 0.99730, 1e-4)


@pytest.mark.parametrize(("sigma_mm", "bin_mm"), [(24.5, 15.0), (24.5, 80.0), (0.01, 15.0)])
def test_bins_of_a_chord_sum_to_its_length(rng, sigma_mm, bin_mm):
    table = chord_table(sigma_mm, bin_mm, "float64")
    centres = (np.arange(41) - 20) * bin_mm
    starts = rng.uniform(-5, 5, 200) * bin_mm
    chords = rng.uniform(0, 8, 200)

    total = sum(
        integral_up_to(table, starts + chords - centre) - integral_up_to(table, starts - centre)
        for centre in centres
    )

    np.testing.assert_allclose(total, chords, rtol=FLOAT64_SUMS, atol=1e-11 * bin_mm)


@pytest.mark.parametrize("cutoff", [3.0, 4.5])
@pytest.mark.parametrize(("sigma_mm", "bin_mm"), [(12.7, 3.0), (24.5, 80.0)])
def test_table_equals_the_integral_of_the_formula(rng, sigma_mm, bin_mm, cutoff):
    table = chord_table(sigma_mm, bin_mm, "float64", cutoff)
    lows = rng.uniform(-2.5, 2.5, 20) * sigma_mm

    found = integral_up_to(table, lows + 4) - integral_up_to(table, lows)

    s = lows[:, None] + (np.arange(400) + 0.5) * 4 / 400
    above = np.vectorize(cut_gaussian_cdf)((s + bin_mm / 2) / sigma_mm, table.cutoff)
    below = np.vectorize(cut_gaussian_cdf)((s - bin_mm / 2) / sigma_mm, table.cutoff)
    truth = 4 * (above - below).mean(axis=1)
    np.testing.assert_allclose(found, truth, atol=2e-4 * truth.max())


@pytest.mark.parametrize("of_sigma", [0.02, 0.2, 0.25, 0.3, 0.59, 1.4, 4.7, 5.5, 40.0])
def test_cubics_equal_the_integral_for_any_bin_width(of_sigma):
    bin_mm, scale = 10 * of_sigma, min(of_sigma, 1.0)
    table = chord_table(10.0, bin_mm, "float64")
    s_mm = np.linspace(0, 42 + bin_mm / 2, 4001)

    found = integral_up_to(table, s_mm)

    middle = (s_mm[1:] + s_mm[:-1]) / 2
    weight = [cut_gaussian_cdf((s + bin_mm / 2) / 10, table.cutoff)
              - cut_gaussian_cdf((s - bin_mm / 2) / 10, table.cutoff) for s in middle]  # fmt: skip
    truth = np.concatenate([[0], np.cumsum(weight)]) * s_mm[1]
    assert np.abs(found - truth).max() < 2e-5 * scale  # mm; 2e-6 of sigma
    assert np.abs(np.diff(found) / s_mm[1] - weight).max() < 2e-4 * scale
    assert np.diff(found).min() > -1e-12 and 4 - 1e-9 < table.cutoff < 4.18


@pytest.mark.parametrize("of_sigma", [0.05, 0.235])
def test_bins_narrower_than_parts_sum_to_the_chord(rng, of_sigma):
    bin_mm, starts = 10 * of_sigma, rng.uniform(-20, 20, 100)
    table = chord_table(10.0, bin_mm, "float64")
    centres = np.arange(-1500, 1501) * bin_mm

    total = sum(integral_up_to(table, starts + 2 - centre) - integral_up_to(table, starts - centre)
               for centre in centres[np.abs(centres) < 70])  # fmt: skip

    np.testing.assert_allclose(total, 2, rtol=1e-5)


def test_integrals_grow_from_0_to_a_constant_and_fit_vectors():
    table = chord_table(12.0, 15.0, "float64")
    parts = table.coefficients.reshape(-1, 4)

    assert parts[0, 0] == 0 and (np.diff(parts[:, 0]) >= 0).all() and not parts[-1, 1:].any()
    assert integral_up_to(table, 1e3) == pytest.approx(7.5, abs=1e-12)  # half a bin
    lanes = table.in_lanes().reshape(4, N_LANES)
    np.testing.assert_allclose(lanes[::-1, : len(parts)].T, parts, rtol=1e-6)
    assert (lanes[3, len(parts) :] == lanes[3, len(parts) - 1]).all()
    assert chord_table(1.0, 40.0, "float32").in_lanes().size == 0
