"""Laws of OSEM with few counts: it loses no voxels or events, and the total is most likely."""

import numpy as np
import pytest
from scipy.optimize import brentq

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import PointSpread
from engine.operators.point_spread import PointSpreadBlur
from engine.operators.rays import RayProjector, Rays
from engine.recon.algorithms import Mlem, Osem
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.subsets import CountDemand, even_updates, subsets_for
from engine.recon.model import BinnedModel, BlurredModel, ListModeModel
from engine.recon.model.total import likeliest_scale

GRID = ImageGrid((6, 8, 10), (4.0, 4.0, 4.0))


def toy(rng, n_lines=400):
    """Return lines of a toy scanner, their factors and background, and a true image."""
    points = rng.normal(size=(2 * n_lines, 3))
    points *= 60 / np.linalg.norm(points, axis=1, keepdims=True)
    points[1::2] = -points[::2] + rng.uniform(-15, 15, (n_lines, 3))
    ends = np.arange(2 * n_lines, dtype=np.int32).reshape(-1, 2)
    factors = rng.uniform(0.2, 1.0, n_lines).astype("f4")
    background = rng.uniform(0.1, 0.5, n_lines).astype("f4")
    truth = (rng.random(GRID.shape) < 0.1).astype("f4")
    return Rays(points, ends), factors, background, truth


def scan(rng, kind, n_counts, *, with_background):
    """Return a model of `n_counts` expected counts; half of them are background, if any."""
    rays, factors, background, truth = toy(rng)
    A = RayProjector(rays, GRID, on=cpu(1))
    trues, background = factors * A(truth), background * with_background
    trues *= n_counts / trues.sum() / (1 + with_background)
    background *= trues.sum() / max(background.sum(), 1e-9)
    counts = rng.poisson(trues + background)
    if kind == "bins":
        return BinnedModel.of(A, background / factors, counts.astype("f4"), factors)
    line = np.repeat(np.arange(len(counts)), counts)
    events = RayProjector(Rays(rays.points_mm, rays.ends[line]), GRID, on=cpu(1))
    return ListModeModel(events, (background / factors)[line], A.T(factors))


def totals(model, x):
    """Return Σ s x, and Σ y (A x) / (A x + b) by NumPy."""
    p = model.A(x).astype(float)
    y, b = np.broadcast_to(model.counts, p.shape), model.background
    explained = np.sum(y[p > 0] * p[p > 0] / (p + b)[p > 0])
    return float(np.sum(model.sensitivity.astype(float) * x)), float(explained)


def image(algorithm, model):
    start = np.where(model.sensitivity > 0, np.float32(0.1), np.float32(0))
    *_, last = solve(algorithm, model, start)
    return algorithm.completed(model, last.image)[0]


@pytest.mark.parametrize("with_background", [False, True])
@pytest.mark.parametrize("kind", ["events", "bins"])
@pytest.mark.parametrize("n_counts", [20, 200, 20_000])
def test_image_explains_as_many_counts_as_it_expects(rng, kind, n_counts, with_background):
    model = scan(rng, kind, n_counts, with_background=with_background)
    for algorithm in (Osem(iterations=3, subsets=8), Mlem(iterations=10)):
        expected, explained = totals(model, image(algorithm, model))
        assert expected == pytest.approx(explained, rel=1e-4)  # sums are float32
        if not with_background:
            assert expected == pytest.approx(model.n_counts, rel=1e-4)


def test_subsets_of_two_events_lose_neither_voxels_nor_events(rng):
    model = scan(rng, "events", 16, with_background=False)
    n_subsets = model.A.out_shape[0] // 2
    found = image(Osem(iterations=3, subsets=n_subsets), model)
    assert (found[model.sensitivity > 0] > 0).all()
    assert (model.A(found) > 0).all(), "each event must have activity on its line"


def test_bound_has_no_effect_if_subsets_see_all_voxels(rng):
    """OSEM without a bound gives the same image."""
    model = scan(rng, "bins", 400_000, with_background=True)
    x = np.where(model.sensitivity > 0, 0.5, 0.0)
    parts = [model.subset(k, 4) for k in range(4)]
    for _ in range(2):
        for part in parts:
            ratio = part.counts / (part.A(x.astype("f4")) + part.background)
            update = part.A.T(ratio.astype("f4")) / np.maximum(part.sensitivity, 1e-9)
            assert update[part.sensitivity > 0].min() > 0.1
            x = np.where(part.sensitivity > 0, x * update, x)
    *_, last = solve(Osem(iterations=2, subsets=4), model, np.full(GRID.shape, 0.5, "f4"))
    np.testing.assert_allclose(last.image, x, rtol=1e-4)  # values are float32


def test_resolution_model_preserves_the_total(rng):
    inner = scan(rng, "events", 100, with_background=True)
    spread = PointSpread(np.array([0.0, 60.0]), np.array([6.0, 9.0]), np.array([6.0, 6.0]), 6.0)
    model = BlurredModel.of(inner, PointSpreadBlur(spread, GRID))
    expected, explained = totals(model, image(Osem(iterations=3, subsets=6), model))
    assert expected == pytest.approx(explained, rel=1e-4)


def test_likeliest_scale_is_the_root_of_the_derivative(rng):
    p, b = rng.uniform(0.1, 2.0, 200), rng.uniform(0.0, 3.0, 200)
    y = rng.poisson(0.3 * p + b).astype(float)
    total = 1.3 * p.sum()
    expected = brentq(lambda a: np.sum(y * p / (a * p + b)) - total, 1e-6, 1e3)
    assert likeliest_scale(p, y, b, total) == pytest.approx(expected, rel=1e-6)


def test_background_that_explains_all_counts_leaves_no_activity():
    ones = np.ones(10)
    assert likeliest_scale(ones, 0.5 * ones, ones, 10.0) == 0.0


@pytest.mark.parametrize(
    ("n_counts", "passes", "subsets"),
    [(500, 48, 1), (20_000, 24, 2), (75_000, 8, 6), (1e6, 6, 8), (1e8, 2, 24)],
)
def test_fewer_counts_have_fewer_subsets_and_as_many_updates(n_counts, passes, subsets):
    found = Osem().for_counts(CountDemand(n_counts, in_subset=10_000), n_updates=48)
    assert (found.n_iterations, found.n_subsets) == (passes, subsets)


def test_fixed_settings_are_not_changed():
    few = CountDemand(100, in_subset=10_000)
    assert Osem(iterations=2, subsets=9).for_counts(few) == Osem(iterations=2, subsets=9)
    assert Osem(subsets=9).for_counts(few).n_subsets == 9
    assert Osem(iterations=2).for_counts(few).n_iterations == 2
    assert Mlem(iterations=5).for_counts(few) == Mlem(iterations=5)


def test_subsets_divide_the_updates():
    for n in range(1, 500):
        updates = even_updates(n)
        assert n <= updates < n + 8
        assert updates % subsets_for(updates) == 0


def test_number_of_filterings_does_not_depend_on_the_subsets():
    many = Osem(updates=480)
    few = many.for_counts(CountDemand(100, in_subset=10_000))
    assert (few.n_iterations, few.n_subsets) == (480, 1)
    assert few.updates_between_filters == many.updates_between_filters == 24
