import numpy as np
import pytest

from engine.kernels.tof import cut_gaussian_cdf, weight_table


def look_up(table, s_mm):
    nodes = (np.arange(table.weights.size) - (table.weights.size - 1) / 2) * table.step_mm
    return np.interp(s_mm, nodes, table.weights)


def test_cut_gaussian_has_no_mass_beyond_three_sigmas():
    assert cut_gaussian_cdf(-3.0) == 0
    assert cut_gaussian_cdf(0.0) == 0.5
    assert cut_gaussian_cdf(3.0) == 1
    assert cut_gaussian_cdf(1.0) - cut_gaussian_cdf(-1.0) == pytest.approx(0.68269 / 0.99730, 1e-4)


@pytest.mark.parametrize(("sigma_mm", "bin_mm"), [(24.5, 15.0), (24.5, 80.0), (0.01, 15.0)])
def test_bins_sum_to_one_anywhere(rng, sigma_mm, bin_mm):
    table = weight_table(sigma_mm, bin_mm, "float64")
    centres = (np.arange(41) - 20) * bin_mm
    anywhere = rng.uniform(-5, 5, 200) * bin_mm

    total = sum(look_up(table, anywhere - centre) for centre in centres)

    np.testing.assert_allclose(total, 1, rtol=1e-12)


def test_table_follows_the_formula(rng):
    table = weight_table(24.5, 15.0, "float64")
    s_mm = rng.uniform(-100, 100, 200)

    truth = [cut_gaussian_cdf((s + 7.5) / 24.5) - cut_gaussian_cdf((s - 7.5) / 24.5) for s in s_mm]

    np.testing.assert_allclose(look_up(table, s_mm), truth, atol=1e-4)  # step σ/64, squared / 8


def test_weights_are_even_and_end_at_zero():
    weights = weight_table(12.0, 15.0, "float64").weights

    np.testing.assert_array_equal(weights, weights[::-1])
    assert weights[0] == 0
    assert weights.size % 2 == 1
