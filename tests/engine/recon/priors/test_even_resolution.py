"""κ of the relative difference prior: limited to the median over the object."""

from __future__ import annotations

import numpy as np
import pytest

from engine.recon.priors.even_resolution import limited, relative_difference_for

SHAPE = (4, 10, 10)


def scan(seed=1):
    """Row sums, first image and its typical activity: an object of activity 1 in air."""
    rng = np.random.default_rng(seed)
    first, squares = np.zeros(SHAPE, np.float32), np.full(SHAPE, 1e6, np.float32)
    first[:, 2:8, 2:8] = 1
    squares[first > 0] = rng.uniform(1, 9, 144)
    return squares, first


def test_half_of_the_object_has_the_limit_and_the_rest_its_own_value():
    squares, first = scan()
    found, inside = limited(squares, first, 1.0), first > 0
    limit = found.max()
    np.testing.assert_array_equal(found, np.minimum(squares, limit))
    assert np.mean(squares[inside] > limit) == pytest.approx(0.5, abs=0.01)
    assert (found[~inside] == limit).all()  # air sends no counts, so it has no say


def test_neither_units_nor_counts_change_the_limit():
    squares, first = scan()
    want = limited(squares, first, 1.0)
    np.testing.assert_array_equal(limited(4 * squares, first / 8, 1 / 8), 4 * want)


def test_a_hot_organ_does_not_lower_the_limit():
    """Its row sums are as low as its activity is high, and the typical activity is its own."""
    squares, first = scan()
    want = limited(squares, first, 1.0).max()
    first[:1, 4, 4:6], squares[:1, 4, 4:6] = 50, 0.1
    assert limited(squares, first, 40.0).max() == pytest.approx(want, rel=0.1)


def test_an_empty_image_has_no_limit():
    squares, first = scan()
    np.testing.assert_array_equal(limited(squares, 0 * first, 1.0), squares)
    negative = np.where(first > 0, squares, -1)
    assert limited(negative, first, 1.0).min() == 0


def test_no_voxel_outside_has_a_weight():
    squares, first = scan()
    prior = relative_difference_for(
        squares, first, 2.0, inside=first > 0, strength=0.1, spacing_mm=(1.0, 1.0, 1.0)
    )
    assert prior.kappa[first == 0].max() == 0 < prior.kappa[first > 0].min()
    assert (prior.strength, prior.epsilon) == (pytest.approx(0.2), pytest.approx(0.01))
