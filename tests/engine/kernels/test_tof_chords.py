import numpy as np
import pytest

from engine.kernels.tof import chord_table, cut_gaussian_cdf


def look_up(table, s_mm):
    """The table's integral up to a place [mm]; it is constant beyond its ends."""
    nodes = (np.arange(table.integrals.size) - (table.integrals.size - 1) / 2) * table.step_mm
    return np.interp(s_mm, nodes, table.integrals) * table.step_mm


def test_cut_gaussian_has_no_mass_beyond_the_cutoff():
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

    seen = sum(
        look_up(table, starts + chords - centre) - look_up(table, starts - centre)
        for centre in centres
    )

    np.testing.assert_allclose(seen, chords, rtol=1e-9, atol=1e-11 * bin_mm)


@pytest.mark.parametrize("cutoff", [3.0, 4.5])
@pytest.mark.parametrize(("sigma_mm", "bin_mm"), [(12.7, 3.0), (24.5, 80.0)])
def test_table_follows_the_integral_of_the_formula(rng, sigma_mm, bin_mm, cutoff):
    table = chord_table(sigma_mm, bin_mm, "float64", cutoff)
    lows = rng.uniform(-2.5, 2.5, 20) * sigma_mm

    found = look_up(table, lows + 4) - look_up(table, lows)

    s = lows[:, None] + (np.arange(400) + 0.5) * 4 / 400
    above = np.vectorize(cut_gaussian_cdf)((s + bin_mm / 2) / sigma_mm, cutoff)
    below = np.vectorize(cut_gaussian_cdf)((s - bin_mm / 2) / sigma_mm, cutoff)
    truth = 4 * (above - below).mean(axis=1)
    np.testing.assert_allclose(found, truth, atol=2e-4 * truth.max())


def test_integrals_are_odd_and_constant_at_the_ends():
    integrals = chord_table(12.0, 15.0, "float64").integrals

    np.testing.assert_array_equal(integrals, -integrals[::-1])
    assert integrals[-1] == pytest.approx(integrals[-2], abs=1e-12)
    assert integrals.size % 2 == 1
