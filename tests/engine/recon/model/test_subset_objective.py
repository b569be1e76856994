"""One interface for all scans: gradients are slopes, subsets add up, EM is one step."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import uniform_spread
from engine.geometry.tof import TofBins
from engine.operators.event_weights import draws_of
from engine.operators.matrix.projector import MatrixProjector
from engine.operators.point_spread import PointSpreadBlur
from engine.operators.rays import RayProjector, Rays
from engine.recon.model import (
    BinnedModel,
    BlurredModel,
    HistogramModel,
    LinearModel,
    ListModeModel,
    ReadyModel,
    ShardedModel,
    TimedModel,
)
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import random_response
from tests.engine.operators.ray_oracles import octant_rays
from tests.tolerances import FLOAT64_SUMS

GRID = ImageGrid((4, 5, 6), (2.0, 2.0, 3.0))
N_SUBSETS, N_RAYS = 3, 120
TOF = TofBins(fwhm_ps=60, bin_ps=60, n_bins=5)
RESPONSE = random_response(panels(n_rows=6, n_columns=4, n_planes=5), seed=8)


def projector(rng, dtype="float64", n=N_RAYS, **options):
    return RayProjector(octant_rays(rng, n // 8, GRID), GRID, on=cpu(1), dtype=dtype, **options)


def binned(rng, dtype="float64"):
    A = projector(rng, dtype)
    counts = rng.poisson(4.0, N_RAYS).astype(dtype)
    factors = rng.uniform(0.5, 1, N_RAYS).astype(dtype)
    return BinnedModel.of(A, np.full(N_RAYS, 0.5, dtype), counts, factors)


def list_mode(rng, dtype="float64", **options):
    A = projector(rng, dtype, **options)
    sensitivity = rng.uniform(5, 9, GRID.shape).astype(dtype)
    return ListModeModel(A, rng.uniform(0, 0.5, N_RAYS).astype(dtype), sensitivity)


def sharded(rng):
    model = list_mode(rng, "float32", reproducible=True)

    def share(x, k, of):
        step = model.subset(k, of).em_step(x)
        return step.numerator, step.log_sum, step.n_skipped

    return ShardedModel.of(model, share)


def timed(rng):
    ends = octant_rays(rng, N_RAYS // 8, GRID)
    lines, parts = RayProjector(ends, GRID, on=cpu(1), dtype="float64"), []
    for k in range(N_SUBSETS):
        bins = rng.integers(0, TOF.n_bins, len(ends.ends[k::N_SUBSETS])).astype(np.int16)
        rows = Rays(ends.points_mm, ends.ends[k::N_SUBSETS], bins)
        parts.append(RayProjector(rows, GRID, on=cpu(1), dtype="float64", tof=TOF))
    counts = rng.poisson(3.0, N_RAYS).astype(float)
    return TimedModel.of(tuple(parts), np.full(N_RAYS, 0.1), counts, lines)


def panel_counts(rng):
    A = MatrixProjector(RESPONSE, on=cpu(1))
    counts = rng.poisson(30 * A(rng.random(A.in_shape))).astype(np.float32)
    return HistogramModel.of(A, np.full((), 0.01, np.float32), counts)


def blurred(rng):
    return BlurredModel.of(list_mode(rng), PointSpreadBlur(uniform_spread(3.0), GRID))


def line_integrals(rng):
    return LinearModel(projector(rng), rng.normal(5, 1, N_RAYS))


MODELS = {
    "binned": binned,
    "list mode": list_mode,
    "timed": timed,
    "blurred": blurred,
    "line integrals": line_integrals,
}
"""Models in float64. Responses of panels and shares of workers are float32."""
COUNTS = [name for name in MODELS if name != "line integrals"]


def objective_and_image(name, rng):
    model = MODELS[name](rng)
    return model.objective(N_SUBSETS), rng.uniform(0.2, 1.5, model.A.in_shape)


def whole_gradient(objective, x):
    return sum(objective.gradient(k, x).image for k in range(objective.n_subsets))


@pytest.mark.parametrize("name", MODELS)
def test_gradient_is_the_slope_of_the_value_in_every_subset(name, rng):
    objective, x = objective_and_image(name, rng)
    v, h = rng.standard_normal(x.shape), 1e-5
    for k in range(N_SUBSETS):
        above, below = (objective.gradient(k, x + sign * h * v).value for sign in (1, -1))
        slope = float((objective.gradient(k, x).image * v).sum())
        assert (above - below) / (2 * h) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("name", MODELS)
def test_gradient_without_the_value_has_the_same_bits(name, rng):
    objective, x = objective_and_image(name, rng)
    x[:2] = 0
    gradient = objective.gradient_image(1, x)
    np.testing.assert_array_equal(gradient, objective.gradient(1, x).image)
    gradient[:] = np.nan  # the caller may change its copy
    assert np.isfinite(objective.gradient(1, x).image).all()


@pytest.mark.parametrize("name", MODELS)
def test_hessian_is_minus_the_slope_of_the_gradient(name, rng):
    objective, x = objective_and_image(name, rng)
    v, h = rng.standard_normal(x.shape), 1e-5
    slope = whole_gradient(objective, x + h * v) - whole_gradient(objective, x - h * v)
    found = objective.hessian_times(x, v)
    np.testing.assert_allclose(-slope / (2 * h), found, atol=1e-6 * np.abs(found).max())


@pytest.mark.parametrize("name", MODELS)
def test_subsets_add_up_to_all_data(name, rng):
    objective, x = objective_and_image(name, rng)
    values = [objective.gradient(k, x).value for k in range(N_SUBSETS)]
    assert objective.value(x) == pytest.approx(sum(values), rel=FLOAT64_SUMS)
    if name not in ("timed", "line integrals"):  # the first model sorts its rows for 3 subsets
        whole = MODELS[name](np.random.default_rng(0)).objective(1)
        thirds = MODELS[name](np.random.default_rng(0)).objective(3)
        np.testing.assert_allclose(whole_gradient(thirds, x), whole_gradient(whole, x), atol=1e-9)
        np.testing.assert_allclose(thirds.sensitivity(), whole.sensitivity(), rtol=FLOAT64_SUMS)


@pytest.mark.parametrize("name", COUNTS)
def test_step_by_the_curvature_is_expectation_maximisation(name, rng):
    """The step x + x ∇L_k / s_k is the update of OSEM, its numerator divided by s_k."""
    model = MODELS[name](rng)
    objective, x = model.objective(N_SUBSETS), rng.uniform(0.2, 1.5, model.A.in_shape)
    part = model.balanced_subset(1, N_SUBSETS)
    found = x * objective.sensitivity(1) + x * objective.gradient(1, x).image
    np.testing.assert_allclose(found, part.em_step(x).numerator, rtol=1e-9, atol=1e-12)
    curvature = objective.curvature(x, 0.25)
    np.testing.assert_allclose(curvature * (x + 0.25), objective.sensitivity(), rtol=1e-12)


def test_gradient_is_known_in_an_empty_image(rng):
    """The numerator of a fused update would not contain it."""
    for name in COUNTS:
        objective, x = objective_and_image(name, rng)
        x[:2] = 0
        h = np.zeros_like(x)
        h[0, 2, 3] = 1e-7
        rise = objective.value(x + h) - objective.value(x)
        slope = whole_gradient(objective, x)[0, 2, 3]
        assert rise / 1e-7 == pytest.approx(slope, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("make", [sharded, panel_counts])
def test_single_precision_models_follow_the_same_rule(make, rng):
    model = make(rng)
    objective, x = model.objective(2), rng.uniform(0.2, 1.5, model.A.in_shape).astype("f4")
    for k in range(2):
        part = model.balanced_subset(k, 2)
        expected = part.em_step(x).numerator - x * part.sensitivity
        found = x * objective.gradient(k, x).image
        atol = 1e-5 * np.abs(part.sensitivity * x).max()
        np.testing.assert_allclose(found, expected, atol=atol)  # sums are float32
    ready = ReadyModel.of(model, x, 2)
    np.testing.assert_array_equal(
        ready.objective(2).gradient(0, x).image, objective.gradient(0, x).image
    )


def test_line_integrals_have_the_row_sums_of_their_hessian(rng):
    objective, x = objective_and_image("line integrals", rng)
    ones = np.ones_like(x)
    np.testing.assert_allclose(objective.sensitivity(), objective.hessian_times(x, ones))
    subsets = sum(objective.sensitivity(k) for k in range(N_SUBSETS))
    np.testing.assert_allclose(subsets, objective.curvature(x, 0.0))


@pytest.mark.parametrize("make", [*(MODELS[name] for name in COUNTS), panel_counts])
def test_noise_is_the_change_of_the_gradient_with_the_counts(make, rng):
    model = make(rng)
    objective, x = model.objective(N_SUBSETS), rng.uniform(0.2, 1.5, model.A.in_shape)
    x, draws = x.astype(objective.sensitivity().dtype), draws_of(4, seed=2)

    found = objective.linearised(x).noise(draws)

    before = whole_gradient(objective, x)
    for c, noise in enumerate(found):
        changed = model.resampled(draws, c).objective(N_SUBSETS)
        expected = whole_gradient(changed, x) - before
        np.testing.assert_allclose(noise, expected, rtol=0, atol=2e-5 * abs(before).max())


@pytest.mark.parametrize("make", [*(MODELS[name] for name in COUNTS), panel_counts])
def test_hessian_of_several_images_is_that_of_each(make, rng):
    model = make(rng)
    objective, x = model.objective(N_SUBSETS), rng.uniform(0.2, 1.5, model.A.in_shape)
    x = x.astype(objective.sensitivity().dtype)
    images = rng.standard_normal((3, *x.shape)).astype(x.dtype)

    found = objective.linearised(x).hessian_times(images)

    for one, image in zip(found, images, strict=True):
        expected = objective.hessian_times(x, image)
        np.testing.assert_allclose(one, expected, rtol=0, atol=1e-5 * abs(expected).max())
