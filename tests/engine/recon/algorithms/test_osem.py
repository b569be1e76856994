"""Laws of expectation maximisation for dense toy data (facts: EM invariants 8 to 11)."""

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.operators.algebra import Diagonal
from engine.operators.rays import RayProjector, Rays
from engine.recon.algorithms import Mlem, Osem
from engine.recon.algorithms.driver import solve
from engine.recon.model import BinnedModel, ListModeModel

GRID = ImageGrid((6, 8, 10), (4.0, 4.0, 4.0))


def toy(rng, n_lines=500):
    """Return all lines of a toy scanner, their detection factors n·a and their background."""
    points = rng.normal(size=(2 * n_lines, 3))
    points *= 60 / np.linalg.norm(points, axis=1, keepdims=True)
    points[1::2] = -points[::2] + rng.uniform(-15, 15, (n_lines, 3))
    ends = np.arange(2 * n_lines, dtype=np.int32).reshape(-1, 2)
    factors = rng.uniform(0.2, 1.0, n_lines).astype("f4")
    background = rng.uniform(0.1, 0.5, n_lines).astype("f4")
    truth = rng.uniform(0.2, 1.0, GRID.shape).astype("f4")
    return Rays(points, ends), factors, background, truth


def binned(rays, factors, background, counts):
    A = Diagonal(factors) @ RayProjector(rays, GRID, on=cpu(2))
    return BinnedModel.of(A, background, counts)


def list_mode(rays, factors, background, counts, *, reproducible=False, on=None):
    line = np.repeat(np.arange(len(counts)), counts.astype(int))
    events = Rays(rays.points_mm, rays.ends[line])
    A = RayProjector(events, GRID, on=on or cpu(2), reproducible=reproducible)
    all_lines = RayProjector(rays, GRID, on=cpu(2), reproducible=reproducible)
    return ListModeModel(A, (background / factors)[line], all_lines.T(factors))


def poisson(rng, rays, factors, background, truth):
    return rng.poisson(factors * RayProjector(rays, GRID, on=cpu(2))(truth) + background)


def last(steps):
    return list(steps)[-1].image


def ones():
    return np.ones(GRID.shape, np.float32)


def test_mlem_without_background_preserves_the_counts(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, 0 * background, truth)
    model = list_mode(rays, factors, 0 * background, counts)
    for step in solve(Mlem(iterations=4), model, ones()):
        retained = np.sum(model.sensitivity * step.image, dtype="f8")
        assert retained == pytest.approx(counts.sum(), rel=1e-5)


def test_each_event_subset_explains_the_counts_of_all(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, 0 * background, truth)
    model = list_mode(rays, factors, 0 * background, counts)
    n_subsets = 4
    for step in solve(Osem(iterations=1, subsets=n_subsets), model, ones()):
        n_events = model.subset(step.subset - 1, n_subsets).A.out_shape[0]
        retained = np.sum(model.sensitivity * step.image, dtype="f8")
        assert retained == pytest.approx(n_subsets * n_events, rel=1e-5)


def test_mlem_with_background_explains_the_counts(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth).astype("f4")
    model = binned(rays, factors, background, counts)
    x = ones()
    expected = model.A(x)
    image = last(solve(Mlem(iterations=1), model, x))
    share = np.sum(counts * expected / (expected + background), dtype="f8")
    assert np.sum(model.sensitivity * image, dtype="f8") == pytest.approx(share, rel=1e-5)


def test_mlem_never_lowers_the_likelihood(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth)
    model = list_mode(rays, factors, background, counts)
    values = [s.log_likelihood for s in solve(Mlem(iterations=30), model, ones())]
    assert len(values) == 30
    assert np.all(np.diff(values) > -1e-6 * abs(values[-1]))  # sums are float32
    assert values[-1] > values[0] + 10


def test_list_mode_equals_histogram(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth)
    images = [
        last(solve(Mlem(iterations=8), model, ones()))
        for model in (
            binned(rays, factors, background, counts.astype("f4")),
            list_mode(rays, factors, background, counts),
        )
    ]
    np.testing.assert_allclose(*images, rtol=2e-3, atol=1e-5)  # float32, eight iterations


def test_noiseless_truth_is_a_fixed_point(rng):
    rays, factors, background, truth = toy(rng)
    A = Diagonal(factors) @ RayProjector(rays, GRID, on=cpu(2))
    model = BinnedModel.of(A, background, A(truth) + background)
    image = last(solve(Mlem(iterations=3), model, truth))
    seen = model.sensitivity > 0
    np.testing.assert_allclose(image[seen], truth[seen], rtol=1e-5)


def test_scaled_data_scale_the_image(rng):
    rays, factors, background, truth = toy(rng)
    A = Diagonal(factors) @ RayProjector(rays, GRID, on=cpu(2))
    y = A(truth)
    one, three = (
        last(solve(Mlem(iterations=3), BinnedModel.of(A, 0 * background, k * y), k * ones()))
        for k in (1, 3)
    )
    np.testing.assert_allclose(three, 3 * one, rtol=1e-4, atol=1e-6)


def test_osem_with_one_subset_is_mlem(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth)
    model = list_mode(rays, factors, background, counts)
    one = last(solve(Osem(iterations=3, subsets=1), model, ones()))
    np.testing.assert_array_equal(one, last(solve(Mlem(iterations=3), model, ones())))


def test_order_of_events_does_not_change_reproducible_bits(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth)
    order = rng.permutation(len(counts))
    shuffled = Rays(rays.points_mm, rays.ends[order])
    images = [
        last(solve(Mlem(iterations=3), list_mode(*args, reproducible=True), ones()))
        for args in (
            (rays, factors, background, counts),
            (shuffled, factors[order], background[order], counts[order]),
        )
    ]
    np.testing.assert_array_equal(*images)


def test_images_are_non_negative_and_zero_without_sensitivity(rng):
    rays, factors, background, truth = toy(rng, n_lines=40)
    counts = poisson(rng, rays, factors, background, truth)
    model = list_mode(rays, factors, background, counts)
    unseen = model.sensitivity == 0
    assert unseen.any() and not unseen.all()
    image = last(solve(Osem(iterations=2, subsets=2), model, ones()))
    assert (image >= 0).all() and np.isfinite(image).all()
    assert (image[unseen] == 0).all()


def test_resumed_run_equals_an_uninterrupted_one(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth)
    model = list_mode(rays, factors, background, counts)
    osem = Osem(iterations=3, subsets=2)
    steps = list(solve(osem, model, ones()))
    resumed = list(solve(osem, model, steps[2].image, done=3))
    assert [s.update for s in resumed] == [4, 5, 6]
    np.testing.assert_array_equal(resumed[-1].image, steps[-1].image)


@pytest.mark.parametrize("requested", [(), (1, 2, 4), range(1, 9)])
def test_likelihood_is_the_same_for_any_requests_and_resumes(rng, requested):
    rays, factors, background, truth = toy(rng)
    background[::3] = 0
    counts = poisson(rng, rays, factors, background + 0.1, truth)
    model = list_mode(rays, factors, background, counts, reproducible=True)
    start = ones()
    start[:, :, 2:] = 0  # so that some events cross no activity
    osem = Osem(iterations=2, subsets=4)
    expected = [(s.log_likelihood, s.n_skipped) for s in solve(osem, model, start)]
    assert [value is None for value, _ in expected] == 2 * [True, True, True, False]
    assert expected[3][1] > 0
    for step in solve(osem, model, start):
        assert (step.log_likelihood, step.n_skipped) == expected[step.update - 1]
        if step.update in requested:
            rest = solve(osem, model, step.image, done=step.update, so_far=step.so_far())
            message = [(s.log_likelihood, s.n_skipped) for s in rest]
            assert message == expected[step.update :]


def test_filter_between_iterations_acts_once_in_each(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth)
    model = list_mode(rays, factors, background, counts)
    calls = []

    def watch(image):
        calls.append(image.copy())
        return image

    list(solve(Osem(iterations=3, subsets=2), model, ones(), between=watch))
    assert len(calls) == 3
