"""Tests of angular steps, and of the weights of redundant rays."""

import numpy as np
import pytest

from engine.recon.filtering.redundancy import coverage, parker, wang
from tests.tolerances import FLOAT64, FLOAT64_SUMS


def parker_of_both(beta, gamma, range_rad, twin_gamma):
    """Return weights of rays, and of the opposite rays at β + π + 2γ with the given fan angle."""
    twin = np.mod(beta + np.pi + 2 * gamma, 2 * np.pi)
    twin_weight = np.where(twin <= range_rad, parker(twin, twin_gamma, range_rad), 0)
    return parker(beta, gamma, range_rad), twin_weight


@pytest.mark.parametrize("range_deg", [181, 200, 240, 300, 359])
def test_parker_weights_of_opposite_rays_add_up_to_one(rng, range_deg):
    range_rad = np.radians(range_deg)
    excess = (range_rad - np.pi) / 2
    gamma = rng.uniform(-excess, excess, 2000)
    beta = rng.uniform(0, range_rad, 2000)
    one, twin = parker_of_both(beta, gamma, range_rad, -gamma)
    np.testing.assert_allclose(one + twin, 1, atol=FLOAT64_SUMS)


def test_parker_weights_hold_beyond_their_fan(rng):
    range_rad = np.radians(200)
    gamma, beta = rng.uniform(-0.6, 0.6, 2000), rng.uniform(0, range_rad, 2000)
    one, twin = parker_of_both(beta, gamma, range_rad, -gamma)
    np.testing.assert_allclose(one + twin, 1, atol=FLOAT64_SUMS)


def test_parker_weights_with_the_wrong_sign_do_not_add_up(rng):
    range_rad = np.radians(210)
    gamma, beta = rng.uniform(-0.2, 0.2, 2000), rng.uniform(0, range_rad, 2000)
    one, twin = parker_of_both(beta, -gamma, range_rad, gamma)
    wrong_twin = np.mod(beta + np.pi + 2 * gamma, 2 * np.pi)
    wrong = np.where(wrong_twin <= range_rad, parker(wrong_twin, gamma, range_rad), 0)
    assert np.abs(parker(beta, -gamma, range_rad) + wrong - 1).max() > 0.1
    # if both signs are reversed, the weights are right again
    np.testing.assert_allclose(one + twin, 1, atol=1e-9)


def test_parker_weights_start_and_end_at_zero():
    gamma = np.linspace(-0.2, 0.2, 21)
    range_rad = np.pi + 0.5
    assert parker(0.0, gamma, range_rad) == pytest.approx(0)
    assert parker(range_rad, gamma, range_rad) == pytest.approx(0)


@pytest.mark.parametrize("overlap", [0.01, 0.3, 40.0])
def test_wang_weights_of_opposite_rays_add_up_to_one(rng, overlap):
    across = rng.uniform(-2 * overlap, 2 * overlap, 2000)
    one, twin = wang(across, overlap), wang(-across, overlap)
    np.testing.assert_allclose(one + twin, 1, atol=FLOAT64)
    assert (one[across < -overlap] == 0).all() and (one[across > overlap] == 1).all()


def test_even_views_have_even_steps():
    whole = coverage(np.radians(np.arange(0, 360, 4)))
    assert whole.is_whole and whole.n_repeated == 0
    np.testing.assert_allclose(whole.step_rad, np.radians(4))


def test_last_view_that_repeats_the_first_shares_its_step():
    whole = coverage(np.radians(np.arange(0, 361, 4)))
    assert whole.is_whole and whole.n_repeated == 1
    np.testing.assert_allclose(whole.step_rad[[0, -1]], np.radians(2))
    np.testing.assert_allclose(whole.step_rad[1:-1], np.radians(4))


@pytest.mark.parametrize("turns", [1, 1.5, 2, 3.25])
def test_steps_of_any_number_of_turns_add_up_to_one(turns):
    whole = coverage(np.radians(np.arange(0, 360 * turns, 0.7)))
    assert whole.is_whole
    assert whole.step_rad.sum() == pytest.approx(2 * np.pi)
    assert (whole.step_rad > 0).all()


def test_order_of_views_does_not_matter(rng):
    angles = np.radians(np.sort(rng.uniform(0, 215, 90)))
    order = rng.permutation(90)
    sorted_, shuffled = coverage(angles), coverage(angles[order])
    np.testing.assert_allclose(shuffled.step_rad, sorted_.step_rad[order])
    np.testing.assert_allclose(shuffled.from_start_rad, sorted_.from_start_rad[order])


def test_uneven_views_integrate_smooth_functions_over_the_circle(rng):
    angles = np.radians(np.arange(720) / 2 + rng.uniform(-0.2, 0.2, 720))
    whole = coverage(angles)
    assert whole.is_whole
    assert np.sum(whole.step_rad * np.cos(angles) ** 2) == pytest.approx(np.pi, rel=1e-5)
    even = 2 * np.pi / 720 * np.cos(angles) ** 2
    assert abs(np.sum(even) - np.pi) > 10 * abs(
        np.sum(whole.step_rad * np.cos(angles) ** 2) - np.pi
    )


def test_open_scan_starts_after_the_largest_gap():
    part = coverage(np.radians(np.arange(300, 520, 2)))
    assert not part.is_whole
    assert np.degrees(part.range_rad) == pytest.approx(220)
    np.testing.assert_allclose(np.degrees(part.from_start_rad), np.arange(1, 220, 2))


def test_few_lost_views_still_cover_the_circle():
    angles = np.delete(np.radians(np.arange(360)), [17, 18, 200])
    whole = coverage(angles)
    assert whole.is_whole
    assert whole.step_rad.sum() == pytest.approx(2 * np.pi)
    assert np.degrees(whole.typical_gap_rad) == pytest.approx(1)
    assert np.degrees(whole.largest_gap_rad) == pytest.approx(3)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_views_cover_the_whole_circle(n):
    whole = coverage(np.arange(n) * 2 * np.pi / n)
    assert whole.is_whole
    assert whole.step_rad.sum() == pytest.approx(2 * np.pi)
