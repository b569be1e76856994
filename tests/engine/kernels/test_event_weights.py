"""Weights of events in bootstrap replicates: Python integers, and the Poisson distribution."""

from math import exp, factorial

import numpy as np
import pytest

from engine.kernels.rays.event_weights import Draws, key_of, weights_of

WORD = 2**64 - 1
GAMMA, DELTA = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03
N = 400_000


def mixed(z: int) -> int:
    """Return Stafford's variant 13, as in SplittableRandom."""
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & WORD
    return z ^ z >> 31


def poisson(u: int) -> int:
    """Return the inverse of the Poisson distribution with mean 1, from 32 bits."""
    n, below = 0, exp(-1)
    while u >= round(2**32 * below):
        n += 1
        below += exp(-1) / factorial(n)
    return n


def expected(seed: int, row: int, replicate: int, n_events: int) -> int:
    key = mixed((seed * GAMMA + 1) & WORD)
    total = 0
    for event in range(n_events):
        at = key + GAMMA * (512 * row + replicate // 2) + DELTA * event
        z = mixed(at & WORD)
        total += poisson(z >> 32 if replicate % 2 else z & 0xFFFFFFFF)
    return total


@pytest.mark.parametrize("replicate", [0, 1, 7, 12])
def test_weights_follow_the_formula(replicate):
    draws = Draws(key_of(9), first=3, step=5, n=20)
    counts = np.array([1, 0, 2, 7, 1], np.float32)

    found = weights_of(draws, replicate, 5, counts)

    assert found.tolist() == [
        expected(9, 3 + 5 * row, replicate, int(n)) for row, n in enumerate(counts)
    ]


def test_later_replicates_do_not_depend_on_the_batch():
    whole, late = Draws(key_of(2), 0, 1, 20), Draws(key_of(2), 0, 1, 4, first_replicate=16)

    np.testing.assert_array_equal(weights_of(late, 1, 1000), weights_of(whole, 17, 1000))


def test_weights_follow_the_poisson_law():
    found = weights_of(Draws(key_of(1), 0, 1, 2), 0, N)

    numbers = np.bincount(found.astype(int), minlength=7)[:7]
    law = N * np.array([exp(-1) / factorial(k) for k in range(7)])
    # χ² with 6 degrees of freedom is below 22.5 in 99.9 % of cases.
    assert np.sum((numbers - law) ** 2 / law) < 22.5


@pytest.mark.parametrize(("one", "other"), [((1, 0), (1, 1)), ((1, 0), (1, 2)), ((1, 0), (2, 0))])
def test_replicates_and_seeds_are_independent(one, other):
    a, b = (weights_of(Draws(key_of(seed), 0, 1, 4), c, N) for seed, c in (one, other))

    # The standard error of a correlation of independent numbers is 1 / √N.
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / np.sqrt(N)


def test_neighbouring_events_are_independent():
    found = weights_of(Draws(key_of(1), 0, 1, 2), 0, N)

    assert abs(np.corrcoef(found[1:], found[:-1])[0, 1]) < 4 / np.sqrt(N)


def test_fraction_of_a_count_keeps_its_weight():
    counts = np.full(5, 2.25, np.float32)

    assert (weights_of(Draws(key_of(1), 0, 1, 2), 0, 5, counts) % 1 == 0.25).all()
