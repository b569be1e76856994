"""Tests of SIRT and OS-SIRT: formula, limits, conserved values."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import nnls

from engine.core.errors import NumericalError, SettingsError
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.sirt import Sirt, farthest_first
from engine.recon.model import LinearModel
from tests.engine.recon.algorithms.linear_toys import Dense, discs, error, last, system, zeros


def sirt(**settings):
    return Sirt(**{"iterations": 5, "subsets": 1} | settings)


def weighted(model):
    """Return elements and data with each row divided by the square root of its sum."""
    roots = np.sqrt(model.A.elements.sum(axis=1))
    return model.A.elements / roots[:, None], model.y.ravel() / roots


def test_one_subset_is_the_formula_of_sirt(rng):
    model, _ = system(rng)
    a, y = model.A.elements, model.y.ravel()
    x = rng.random(20)
    expected = np.maximum(x + 0.7 * (a.T @ ((y - a @ x) / a.sum(axis=1))) / a.sum(axis=0), 0)

    actual = last(solve(sirt(iterations=1, relaxation=0.7), model, x.reshape(4, 5)))

    np.testing.assert_allclose(actual.ravel(), expected, rtol=1e-12)


def test_sirt_never_raises_the_residual_weighted_by_path_length(rng):
    model, _ = system(rng)
    a, y = weighted(model)
    images = [s.image for s in solve(sirt(iterations=50, non_negative=False), model, zeros(model))]
    costs = [np.linalg.norm(a @ x.ravel() - y) for x in images]

    assert np.all(np.diff(costs) < 0)


def test_residual_of_a_scan_decreases_with_every_iteration(rng):
    model, _ = discs(rng)
    residuals = [s.residual for s in solve(sirt(iterations=12), model, zeros(model))]

    assert np.all(np.diff(residuals) < 0)


def test_reported_residual_is_that_of_the_image(rng):
    model, _ = system(rng)
    for step in solve(sirt(iterations=4), model, zeros(model)):
        expected = np.linalg.norm(model.A(step.image) - model.y) / np.linalg.norm(model.y)
        assert step.residual == pytest.approx(expected, rel=1e-12)


def test_residual_of_subsets_is_that_of_their_input_images(rng):
    model, _ = system(rng)
    order, squares, before = farthest_first(4), [], zeros(model)
    for step in solve(sirt(iterations=2, subsets=4), model, zeros(model)):
        part = model.subset(order[(step.update - 1) % 4], 4)
        squares.append(np.sum((part.A(before) - part.y) ** 2))
        before = step.image
        if step.subset < 4:
            continue
        expected = np.sqrt(sum(squares[-4:])) / np.linalg.norm(model.y)
        assert step.residual == pytest.approx(expected, rel=1e-12)


def test_interrupted_pass_reports_the_residual_of_the_whole(rng):
    model, _ = system(rng)
    whole, so_far = [], ()
    for step in solve(sirt(iterations=3, subsets=4), model, zeros(model)):
        whole.append(step.residual if step.subset == 4 else None)
        if step.update == 6:
            image, so_far = step.image, step.so_far()
    rest = solve(sirt(iterations=3, subsets=4), model, image, done=6, so_far=so_far)
    assert [s.residual for s in rest if s.subset == 4] == pytest.approx(whole[7::4], rel=1e-12)


def test_sirt_converges_to_the_weighted_least_squares_solution(rng):
    model, _ = system(rng)
    a, y = weighted(model)
    expected = np.linalg.lstsq(a, y, rcond=None)[0]

    actual = last(solve(sirt(iterations=4000, non_negative=False), model, zeros(model)))

    np.testing.assert_allclose(actual.ravel(), expected, atol=1e-6)


def test_non_negative_sirt_converges_to_non_negative_least_squares(rng):
    model, _ = system(rng)
    expected, _ = nnls(*weighted(model))
    assert (expected == 0).sum() > 3

    actual = last(solve(sirt(iterations=4000), model, zeros(model)))

    np.testing.assert_allclose(actual.ravel(), expected, atol=1e-6)


@pytest.mark.parametrize("subsets", [1, 5])
def test_image_of_consistent_data_does_not_change(rng, subsets):
    model, _ = discs(rng)
    flat = np.full(model.A.in_shape, 0.02, np.float32)
    model = LinearModel(model.A, model.A(flat))

    actual = last(solve(sirt(subsets=subsets), model, flat))

    np.testing.assert_allclose(actual, flat, rtol=1e-4)  # values are float32


def test_subsets_converge_to_the_truth_of_consistent_data(rng):
    model, truth = system(rng, noise=0)

    actual = last(solve(sirt(iterations=600, subsets=8), model, zeros(model)))

    np.testing.assert_allclose(actual, truth, atol=1e-5)


def test_subsets_converge_faster(rng):
    model, truth = discs(rng, noise=0.002)
    one, many = (
        error(last(solve(sirt(iterations=4, subsets=n), model, zeros(model))), truth)
        for n in (1, 10)
    )

    assert many < one / 2


def test_default_settings_give_an_accurate_image(rng):
    model, truth = discs(rng)

    assert error(last(solve(Sirt(), model, zeros(model))), truth) < 0.15


def test_values_stay_within_the_bounds(rng):
    model, truth = discs(rng, noise=0.1)
    image = last(solve(sirt(subsets=6, largest=0.025), model, zeros(model)))

    assert image.min() == 0
    assert image.max() == np.float32(0.025) < truth.max()


def test_unseen_voxels_keep_their_value(rng):
    model, _ = system(rng)
    elements = model.A.elements.copy()
    elements[:, 3] = 0
    model = LinearModel(Dense(elements, (4, 5)), model.y)
    x = rng.random((4, 5))

    assert last(solve(sirt(subsets=3), model, x))[0, 3] == x[0, 3]


def test_start_image_is_not_modified(rng):
    model, _ = system(rng)
    x = zeros(model)
    last(solve(sirt(subsets=2), model, x))

    assert not x.any()


@pytest.mark.parametrize("subsets", [1, 3])
def test_resumed_run_equals_an_uninterrupted_one(rng, subsets):
    model, _ = discs(rng)
    whole = list(solve(sirt(subsets=subsets), model, zeros(model)))
    retained = whole[subsets]

    rest = list(solve(sirt(subsets=subsets), model, retained.image, done=retained.update))

    assert [s.update for s in rest] == [s.update for s in whole[subsets + 1 :]]
    np.testing.assert_array_equal(rest[-1].image, whole[-1].image)


def test_filter_acts_once_in_each_iteration_and_its_image_is_returned(rng):
    model, _ = system(rng)
    calls = []

    def halved(image):
        calls.append(image)
        return image / 2

    steps = list(solve(sirt(iterations=3, subsets=4), model, zeros(model), between=halved))

    assert len(calls) == 3
    np.testing.assert_array_equal(steps[-1].image, calls[-1] / 2)


def test_bad_pixels_are_reported(rng):
    model, _ = system(rng)
    model.y[3] = np.nan

    with pytest.raises(NumericalError, match=r"iteration 1: .* bad pixels"):
        last(solve(sirt(), model, zeros(model)))


def test_more_subsets_than_views_are_refused(rng):
    model, _ = system(rng)

    with pytest.raises(
        SettingsError, match="100, but the scan has only 40 views; choose at most 40"
    ):
        last(solve(sirt(subsets=100), model, zeros(model)))


def test_power_of_two_subsets_are_in_bit_reversed_order():
    assert farthest_first(8) == [0, 4, 2, 6, 1, 5, 3, 7]


@pytest.mark.parametrize("n", [1, 2, 6, 10, 37])
def test_every_subset_occurs_once_and_far_from_the_last(n):
    order = farthest_first(n)
    gaps = [min((a - b) % n, (b - a) % n) for a, b in pairwise(order)]

    assert sorted(order) == list(range(n))
    assert all(gap > 1 for gap in gaps) or n < 6


def test_description_names_algorithm_and_subsets():
    assert sirt().describe() == "SIRT, 5 iterations"
    assert sirt(subsets=20).describe() == "OS-SIRT, 5 iterations × 20 subsets"
