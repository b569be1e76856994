"""Noise estimated from projections with edges and slopes; narrow, uneven and truncated objects."""

import numpy as np
import pytest

from engine.recon.algorithms.strength import noise_of, tv_strength
from tests.engine.recon.algorithms.linear_toys import system


def rods(n_columns=160, n_views=12, n_rows=2):
    """Return line integrals of two rods, which have edges of infinite slope."""
    s = np.linspace(-1, 1, n_columns)
    turn = np.linspace(0, np.pi, n_views)[:, None, None]
    large = 2 * np.sqrt(np.maximum(0.64 - s**2, 0))
    small = np.sqrt(np.maximum(0.01 - (s - 0.5 * np.cos(turn)) ** 2, 0))
    return np.repeat(large + small, n_rows, axis=1).astype(np.float32)


@pytest.mark.parametrize("sigma", [0.01, 0.3])
def test_noise_estimate_ignores_edges_and_slopes(rng, sigma):
    y = np.linspace(0, 4, 128) + 2 * (np.arange(128) > 60) + np.zeros((20, 5, 1))

    assert noise_of(y + sigma * rng.standard_normal(y.shape)) == pytest.approx(sigma, rel=0.05)


@pytest.mark.parametrize("columns", [slice(0, 160), slice(40, 120), slice(70, 90), slice(0, 7)])
def test_complete_or_truncated_rods_give_the_added_noise(rng, columns):
    y = rods(n_rows=40)[..., columns]

    assert noise_of(y + 0.05 * rng.standard_normal(y.shape)) == pytest.approx(0.05, rel=0.06)


def test_noise_that_grows_with_attenuation_gives_its_root_mean_square(rng):
    y = rods(n_rows=20)
    sigma = 0.02 * np.exp(y / 2)  # noise of the logarithm of counts

    found = noise_of(y + sigma * rng.standard_normal(y.shape))
    assert found == pytest.approx(np.sqrt(np.mean(sigma**2)), rel=0.06)


def test_mean_of_two_pixels_has_less_noise_by_the_root_of_two(rng):
    noisy = rods(n_rows=20) + 0.05 * rng.standard_normal((12, 20, 160))
    binned = noisy.reshape(12, 20, 80, 2).mean(axis=3)

    assert noise_of(binned) == pytest.approx(noise_of(noisy) / 2**0.5, rel=0.06)


def test_rods_without_noise_give_almost_none():
    y = rods()

    assert noise_of(y) < 3e-4 * np.sqrt(np.mean(y**2))


@pytest.mark.parametrize("n_columns", [1, 4])
def test_rows_too_short_for_a_difference_give_no_noise(rng, n_columns):
    assert noise_of(rng.random((3, 2, n_columns))) == 0


def test_strength_scales_with_the_geometric_mean_of_the_spacing(rng):
    model, _ = system(rng, noise=0.3, rays=8)
    even = tv_strength(model, (2.0, 2.0, 2.0))
    assert even > 0
    for spacing in ((1.0, 2.0, 4.0), (8.0, 1.0, 1.0), (1.0, 1.0, 8.0)):
        assert tv_strength(model, spacing) == pytest.approx(even)
    assert tv_strength(model, (6.0, 6.0, 6.0)) == pytest.approx(3 * even)
