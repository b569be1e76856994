"""Relative difference prior of a scan: its first image, and the limits of κ."""

from __future__ import annotations

import numpy as np
import pytest

from engine.recon.algorithms.prior_choices import RelativeDifferenceChoice
from engine.recon.priors.even_resolution import (
    MIN_SHARE,
    doubly_updated,
    limited,
    scale_for,
)
from engine.recon.priors.relative import RelativeDifference

SHAPE = (4, 10, 10)


def scan(seed=1):
    """Return row sums and first image: an object of activity 1 in air."""
    rng = np.random.default_rng(seed)
    first, squares = np.zeros(SHAPE, np.float32), np.full(SHAPE, 1e6, np.float32)
    first[:, 2:8, 2:8] = 1
    squares[first > 0] = rng.uniform(3, 9, 144)
    return squares, first


def test_half_of_the_object_has_the_limit_and_the_rest_its_own_value():
    squares, first = scan()
    found, inside = limited(squares, first, 1.0), first > 0
    limit = found.max()
    np.testing.assert_array_equal(found, np.minimum(squares, limit))
    assert np.mean(squares[inside] > limit) == pytest.approx(0.5, abs=0.01)
    assert (found[~inside] == limit).all()  # air has no counts, so it does not affect the limit


def test_units_and_counts_do_not_change_the_limit():
    squares, first = scan()
    expected = limited(squares, first, 1.0)
    np.testing.assert_array_equal(limited(4 * squares, first / 8, 1 / 8), 4 * expected)


def test_hot_organ_does_not_lower_the_limit():
    """Its row sums are as low as its activity is high. Here it defines the typical activity."""
    squares, first = scan()
    expected = limited(squares, first, 1.0).max()
    first[:1, 4, 4:6], squares[:1, 4, 4:6] = 50, 0.1
    assert limited(squares, first, 40.0).max() == pytest.approx(expected, rel=0.1)


def test_voxels_with_few_counts_have_the_lower_limit():
    squares, first = scan()
    ends = first[:1] > 0
    few = squares.copy()
    few[:1][ends] = np.linspace(-1, 0.3, ends.sum())  # smoothing makes some values negative
    found = limited(few, first, 1.0)
    np.testing.assert_allclose(found[:1][ends], MIN_SHARE * found.max(), rtol=1e-6)
    np.testing.assert_array_equal(found[1:], np.minimum(few[1:], found.max()))


def test_empty_image_has_the_highest_value_as_its_limit():
    squares, first = scan()
    found = limited(squares, 0 * first, 1.0)
    np.testing.assert_array_equal(found, np.maximum(squares, np.float32(MIN_SHARE * squares.max())))


def test_voxels_outside_have_no_weight():
    squares, first = scan()
    scale = scale_for(
        squares, first, 2.0, inside=first > 0, strength=0.1, spacing_mm=(1.0, 1.0, 1.0)
    )
    prior = RelativeDifferenceChoice().prior_for(scale)
    assert isinstance(prior, RelativeDifference)
    assert prior.kappa[first == 0].max() == 0 < prior.kappa[first > 0].min()
    assert (prior.strength, prior.epsilon) == (pytest.approx(0.2), pytest.approx(0.01))


def test_doubled_update_removes_a_wrong_total_and_halved_errors():
    sensitivity = np.array([[[2.0, 1.0, 4.0]]])
    optimum, error = np.array([[[1.0, 3.0, 2.0]]]), np.array([[[0.5, -1.0, 0.0]]])
    # e = optimum after an update that only scales. After the other one, half of the error is left.
    for x, e in ((3 * optimum, optimum), (optimum + error, optimum + error / 2)):
        gradient = sensitivity * (e / x - 1)
        np.testing.assert_allclose(doubly_updated(x, gradient, sensitivity), optimum)


def test_doubled_update_is_not_negative_and_preserves_an_optimum():
    x, sensitivity = np.float32([[[1, 1, 2, 5]]]), np.float32([[[1, 1, 1, 0]]])
    found = doubly_updated(x, np.float32([[[-0.9, 0.9, 0, 0]]]), sensitivity)
    np.testing.assert_allclose(found, [[[0, 2.8, 2, 0]]], rtol=1e-6)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(doubly_updated(x, 0 * x, 1 + sensitivity), x)
    assert not doubly_updated(0 * x, 0 * x, 0 * x).any()
