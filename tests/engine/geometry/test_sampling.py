import numpy as np
import pytest

from engine.geometry.sampling import stratified


def test_every_stratum_gives_one_number_with_uniform_probability(rng):
    samples = np.stack([stratified(1000, 100, rng) for _ in range(400)])

    np.testing.assert_array_equal(samples // 10, np.tile(np.arange(100), (400, 1)))
    counts = np.bincount(samples.ravel(), minlength=1000)  # 40 on average
    # binomial with a probability of 1/10
    assert np.mean((counts - 40) ** 2 / 40) == pytest.approx(0.9, abs=0.2)


def test_all_numbers_are_returned_if_all_are_requested(rng):
    np.testing.assert_array_equal(stratified(10, 10, rng), np.arange(10))


def test_periodic_numbers_are_sampled_uniformly(rng):
    """Numbers count views, bins and pairs of rings. Each bin must sample all ring differences."""
    n_views, n_bins, n_rings = 60, 20, 16
    numbers = stratified(n_views * n_bins * n_rings**2, 24_000, rng)

    transaxial, pair = np.divmod(numbers, n_rings**2)
    difference = np.abs(pair // n_rings - pair % n_rings)
    means = np.bincount(transaxial % n_bins, difference) / np.bincount(transaxial % n_bins)

    expected = (n_rings**2 - 1) / (3 * n_rings)
    assert np.abs(means - expected).max() < 4 * difference.std() / np.sqrt(len(numbers) / n_bins)
