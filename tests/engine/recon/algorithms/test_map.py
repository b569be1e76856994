"""MAP reaches one optimum in few passes, for any subsets, their order and interruptions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import islice, pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array

from engine.core.backend import cpu, cuda
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import uniform_spread
from engine.operators import neighbours, planes
from engine.operators.point_spread import PointSpreadBlur
from engine.operators.rays import RayProjector
from engine.priors import Quadratic
from engine.recon.algorithms import Bsrem, Osem, Svrg, map_algorithms, solve, svrg_cycle
from engine.recon.algorithms.optimality import block_change
from engine.recon.algorithms.penalised import PenalisedLikelihood
from engine.recon.algorithms.subset_order import alternating, shuffled
from engine.recon.algorithms.subsets import CountDemand
from engine.recon.algorithms.svrg_cycle import Limits, run_cycle
from engine.recon.model import BinnedModel, BlurredModel, LinearModel, ListModeModel, MapModel
from engine.recon.model.counts_objective import CountsObjective
from engine.recon.priors.equal_noise import TypicalVoxel
from tests.emulator import EmulatedGpu
from tests.engine.operators.ray_oracles import octant_rays
from tests.engine.recon.algorithms.ring_scan import SPACING, VOXEL_MM, Matrix, ring_scan

BARS = (0.01, 0.01, 0.005)
"""PETRIC's limits for object, background and regions."""


@cache
def prepared(strength=0.03):
    return Svrg(strength=strength).prepared(ring_scan().model(), 24)


@cache
def optimum(strength=0.03, n_cycles=96):
    """Return the optimum in float64, and its KKT residual."""
    ready = prepared(strength)
    anchor = ready.likelihood.anchor(ready.x)
    for number in range(n_cycles):
        anchor = run_cycle(ready.likelihood, anchor, number).after
    return anchor.x, ready.likelihood.kkt(anchor)


def steps(algorithm, model, n=None):
    return list(islice(solve(algorithm, model, model.start), n))


def formula_gradient(x, strength=0.03):
    """Return the gradient of the penalised likelihood in NumPy, from matrix and formula."""
    scan, prior = ring_scan(), prepared(strength).likelihood.prior
    expected = scan.factors * (scan.lengths @ x.ravel()) + scan.background
    found = (scan.lengths.T @ (scan.factors * (scan.counts / expected - 1))).reshape(x.shape)
    padded, kappa = np.pad(x[0], 1), np.pad(prior.kappa[0], 1)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                rows, columns = slice(1 + dy, -1 + dy or None), slice(1 + dx, -1 + dx or None)
                a, b = x[0], padded[rows, columns]
                D = a + b + 2 * np.abs(a - b) + prior.epsilon
                slope = (a - b) * (a + 3 * b + 2 * np.abs(a - b) + 2 * prior.epsilon) / D**2
                weight = kappa[rows, columns] * prior.kappa[0] / np.hypot(dy, dx)
                found[0] -= prior.strength * weight * slope
    return found


def test_reference_satisfies_the_optimality_conditions():
    """With twice the cycles, it changes by less than 0.1 %."""
    scan, (x, kkt) = ring_scan(), optimum()
    assert kkt < 1e-5
    s = (scan.lengths.T @ scan.factors).reshape(x.shape)
    left = s * np.abs(x - np.maximum(x + x / s * formula_gradient(x), 0))
    assert left.sum() / (s * x).sum() < 1e-5
    level = x[scan.around].mean()
    assert np.abs(optimum(n_cycles=192)[0] - x).max() / level < 1e-3
    assert x.min() >= 0 and (formula_gradient(x)[x == 0] < 0.02 * s[x == 0]).all()


@pytest.mark.parametrize("strength", [0.03, 0.1])
def test_petric_limits_are_met_by_pass_12_and_then_hold(strength):
    """The passes of OSEM, an update, the row sums of κ, full gradients and subsets are counted.

    n cycles take 2.6 + 3 n passes.
    """
    scan, reference = ring_scan(), optimum(strength)[0]
    model = scan.model("float32")
    images = [step.image for step in islice(Svrg(strength=strength).run(model, model.start), 6)]
    for image in images[2:]:  # after 11.6 passes, and in the 9 passes after that
        assert (np.array(scan.errors(image, reference)) < BARS).all()


def test_bsrem_needs_more_than_twice_as_many_passes():
    scan, reference = ring_scan(), optimum()[0]
    model = scan.model("float32")
    last = steps(Bsrem(iterations=24, subsets=12, strength=0.03), model)[-1]
    errors = scan.errors(last.image, reference)
    assert max(errors) > 0.005 and max(errors) < 0.1  # converging, but not yet converged


@pytest.mark.parametrize("parts", [8, 16, 24])
def test_run_stops_by_itself_with_the_regions_of_the_optimum(parts):
    scan = ring_scan()
    model = scan.model("float32")
    *_, last = solve(Svrg(subsets=parts, strength=0.03), model, model.start)
    assert "no region changes" in last.ends and last.iteration <= 6
    assert scan.errors(last.image, optimum()[0])[2] < 0.005


def test_order_of_the_lines_does_not_matter():
    """The prior depends on one pass of OSEM, and so slightly on the order."""
    scan, images = ring_scan(3e6), []
    for order in (slice(None), np.random.default_rng(5).permutation(len(scan.counts))):
        model = scan.model("float32", order)
        *_, last = solve(Svrg(strength=0.03), model, model.start)
        images.append(last.image)
    assert max(scan.errors(*images)) < 0.005


@pytest.mark.parametrize("parts", [8, 16, 24])
def test_voxels_after_40_passes_do_not_depend_on_the_subsets(parts):
    scan, reference = ring_scan(), optimum()[0]
    model = scan.model("float32")
    ready = Svrg(strength=0.03).prepared(model, parts)
    anchor = ready.likelihood.anchor(ready.x)
    for number in range(13):
        anchor = run_cycle(ready.likelihood, anchor, number).after
    assert max(scan.errors(anchor.x, reference)[:2]) < 0.005


def test_objective_and_kkt_residual_are_reported_and_improve():
    found = steps(Svrg(iterations=5), ring_scan().model("float32"))
    objective = [step.optimality.objective for step in found]
    assert all(np.diff(objective) > 0)
    assert [step.log_likelihood for step in found] == [
        step.optimality.log_likelihood for step in found
    ]
    kkt = [step.optimality.kkt for step in found]
    assert all(later < earlier for earlier, later in pairwise(kkt))


@pytest.mark.parametrize("algorithm", [Svrg(iterations=4, strength=0.1), Bsrem(subsets=4)])
def test_resumed_run_has_the_same_bits(algorithm):
    model = ring_scan().model("float32")
    whole = [step.image.copy() for step in steps(algorithm, model, 3)]
    rest = solve(algorithm, model, whole[0], done=1)
    for expected in whole[1:]:
        np.testing.assert_array_equal(next(rest).image, expected)


def test_images_are_not_negative_and_empty_voxels_can_rise():
    model = ring_scan().model("float32")
    start = model.start.copy()
    ready = Svrg(strength=0.03).prepared(model, 24)
    start[:, 10:] = 0
    anchor = ready.likelihood.anchor(start)
    for number in range(8):
        anchor = run_cycle(ready.likelihood, anchor, number).after
        assert anchor.x.min() >= 0
    assert max(ring_scan().errors(anchor.x, optimum()[0])) < 0.02


def line_integrals():
    """Return random line integrals of 24 voxels with a quadratic prior, and their Φ."""
    rng, shape = np.random.default_rng(2), (2, 3, 4)
    A = Matrix(csr_array(np.concatenate([3 * np.eye(24), rng.random((16, 24))])), shape)
    model = LinearModel(A, A(rng.random(shape) + 1), SPACING)
    prior = Quadratic(SPACING, 0.1)
    return model, prior, PenalisedLikelihood(model.objective(4), prior, 0.0)


@pytest.mark.parametrize("most", [24, 5])
@pytest.mark.parametrize("momentum", [0.0, 0.4, 0.9])
@pytest.mark.parametrize("number", [0, 1])
def test_image_of_a_cycle_is_the_weighted_mean_of_its_last_updates(
    number, momentum, most, monkeypatch
):
    """Formulas: D = 1 / max(c_L, c_R), weights 1, 2, ..., α = 2 / (1 + (1 − m)^0.4 pass).

    With much momentum: α = 3 / (1 + (0.32 pass)²), alternating subsets.
    """
    monkeypatch.setattr(svrg_cycle, "MEAN_OF" if momentum < 0.9 else "SLOW_MEAN_OF", most)
    model, prior, of = line_integrals()
    of = replace(of, momentum=momentum)
    x, objective = np.ones(of.objective.shape), of.objective
    parts = [objective.gradient(k, x).image for k in range(4)]
    total, images = sum(parts), []

    def D(x):
        return 1 / np.maximum(model.A.T(model.A(np.ones_like(x))), prior.curvature(x))

    def length(each):
        if momentum == 0.9:
            return 3 / (1 + (0.32 * each) ** 2)
        return 2 / (1 + (1 - momentum) ** 0.4 * each)

    passes = [1, 2] if number else [0]
    x = np.maximum(0, x + length(passes[0]) * D(x) * (total - prior.gradient(x)))
    change = 0.0
    for each in passes:
        scaling = D(x)
        for k in (alternating if momentum == 0.9 else shuffled)(4, each):
            corrected = 4 * (objective.gradient(k, x).image - parts[k]) + total
            step = length(each) * scaling * (corrected - prior.gradient(x))
            new = np.maximum(0, x + momentum * change + step)
            x, change = new, new - x
            images.append(x)
    # A step that is too long would be repeated with half its length.
    monkeypatch.setattr(svrg_cycle, "MAX_HALVINGS", 0)
    cycle = run_cycle(of, of.anchor(np.ones(objective.shape)), number)
    last = images[-most:]
    expected = np.average(last, axis=0, weights=range(1, len(last) + 1))
    np.testing.assert_allclose(cycle.after.x, expected, rtol=1e-12)


def test_momentum_reaches_the_same_optimum_sooner_if_voxels_share_counts():
    """Data are sums over random halves of 96 voxels, which hardly determine more than the mean."""
    rng, shape = np.random.default_rng(4), (4, 4, 6)
    lengths = csr_array((rng.random((960, 96)) < 0.5).astype(float))
    truth = rng.random(shape) + 1
    counts = rng.poisson(20 * (lengths @ truth.ravel())) / 20
    model = BinnedModel.of(Matrix(lengths, shape), np.zeros(960), counts)
    of = PenalisedLikelihood(model.objective(8), Quadratic(SPACING, 0.2), 1e-3)
    start = np.full(shape, counts.sum() / lengths.sum())

    def after(momentum, n_cycles):
        likelihood = replace(of, momentum=momentum)
        anchor = likelihood.anchor(start)
        for number in range(n_cycles):
            anchor = run_cycle(likelihood, anchor, number).after
        return anchor

    best = after(0.0, 800)
    assert of.kkt(best) < 1e-8
    without, with_momentum = (abs(after(m, 4).x - best.x).max() for m in (0.0, 0.8))
    assert with_momentum < 0.5 * without
    assert abs(after(0.8, 160).x - best.x).max() < 1e-5


def test_resumed_run_with_momentum_has_the_same_bits(monkeypatch):
    monkeypatch.setattr(map_algorithms, "MUCH_SHARING", 1.0)
    algorithm, model = Svrg(iterations=4, strength=0.1), ring_scan().model("float32")
    assert algorithm.prepared(model, 24).likelihood.momentum == 0.9
    whole = [step.image.copy() for step in steps(algorithm, model, 3)]
    rest = solve(algorithm, model, whole[0], done=1)
    for expected in whole[1:]:
        np.testing.assert_array_equal(next(rest).image, expected)


def test_rings_have_the_least_momentum_for_any_strength():
    for algorithm in (Svrg(), Svrg(strength=0.03)):
        assert algorithm.prepared(ring_scan().model(), 24).likelihood.momentum == 0.5


def test_line_integrals_with_a_quadratic_prior_reach_the_exact_solution():
    """CT uses the same cycle: (AᵀA + H) x = Aᵀy."""
    model, prior, of = line_integrals()
    A, shape = model.A, of.objective.shape
    of = replace(of, momentum=0.8)
    anchor = of.anchor(np.ones(shape))
    for number in range(20):
        anchor = run_cycle(of, anchor, number).after
    basis = np.eye(24).reshape(24, *shape)
    hessian = np.array([prior.hessian_times(anchor.x, e).ravel() for e in basis])
    expected = np.linalg.solve((A.values.T @ A.values).toarray() + hessian, A.values.T @ model.y)
    np.testing.assert_allclose(anchor.x.ravel(), expected, rtol=1e-3)


def test_step_that_lowers_the_objective_is_repeated_at_half_its_length(monkeypatch):
    monkeypatch.setattr(svrg_cycle, "LONGEST_STEP", 24.0)
    ready = prepared()
    cycle = run_cycle(ready.likelihood, ready.likelihood.anchor(ready.x), 0)
    assert cycle.after.value >= cycle.before.value
    assert cycle.step < 24 and cycle.n_passes > 3


def test_rounding_repeats_no_cycle_of_a_converged_image(monkeypatch):
    """L has a constant that depends on the units of the data; here L is about 0."""
    ready = Svrg(strength=0.03).prepared(ring_scan(3e6).model("float32"), 16)
    anchor = ready.likelihood.anchor(ready.x)
    for number in range(60):
        anchor = run_cycle(ready.likelihood, anchor, number).after
    gradient, share = CountsObjective.gradient, anchor.log_likelihood / 16

    def without_constant(self, k, x):
        found = gradient(self, k, x)
        return replace(found, value=found.value - share)

    monkeypatch.setattr(CountsObjective, "gradient", without_constant)
    anchor, falls = ready.likelihood.anchor(anchor.x), 0
    for number in range(60, 80):
        cycle = run_cycle(ready.likelihood, anchor, number)
        assert cycle.n_passes == 3
        anchor, falls = cycle.after, falls + (cycle.after.value < anchor.value)
    assert falls  # otherwise the test could not fail


def test_few_counts_without_background_repeat_no_cycle():
    """Without limits, a voxel near 0 with one count would grow in each update of a pass."""
    scan = ring_scan()
    truth = np.where(scan.around, 1.0, np.where(np.any(scan.regions, axis=0), 3.0, 0.0))
    mean = scan.factors * (scan.lengths @ truth.ravel())
    counts = np.random.default_rng(1).poisson(3e3 * mean / mean.sum()).astype(float)
    few = replace(scan, counts=counts, background=0 * mean)
    ready = Svrg(strength=0.005).prepared(few.model("float32"), 24)
    anchor = ready.likelihood.anchor(ready.x)
    for number in range(4):
        cycle = run_cycle(ready.likelihood, anchor, number)
        assert cycle.n_passes == (3 if number else 2) and cycle.after.value > anchor.value
        anchor = cycle.after


def test_limits_of_a_cycle_grow_with_the_image_and_line_integrals_have_none():
    x, first = np.float64([[[0, 1, 1, 1, 1]]]), np.float64([[[0, 1, 1, 1, 0.1]]])
    stepped, planes_of = np.float64([[[9, -9, 9, 1.2, 9]]]), slice(None)
    for scale in (1.0, 64.0):
        found = scale * stepped
        Limits(scale * first, 2.0, 20, 1e-3 * scale).apply(planes_of, scale * x, found)
        np.testing.assert_allclose(found, [[scale * np.array([0.005, 0.5, 2.005, 1.2, 0.22])]])
    found = stepped.copy()
    Limits(first, 2.0, 20, 0.0).apply(planes_of, x, found)
    np.testing.assert_array_equal(found, stepped)


def test_number_of_subsets_depends_on_the_counts():
    many, few = CountDemand(1e7, 1e4), CountDemand(1.5e5, 1e4)
    assert [Svrg().for_counts(each).n_parts for each in (many, few)] == [24, 10]
    for n_counts, n_families, expected in ((1.9e7, None, 24), (2e7, None, 16), (2e7, 384, 24)):
        demand = CountDemand(n_counts, 1e4, n_families=n_families)
        assert Svrg().for_counts(demand).n_parts == expected
    assert [Svrg().for_counts(CountDemand(n, 1e4)).n_parts for n in (10, 200, 1e3)] == [1, 4, 8]
    between = (2.4e5, 4.7e5, 6e5, 7.2e5)
    found = [Svrg().for_counts(CountDemand(n, 1e4)).n_parts for n in between]
    assert found == [16, 16, 20, 24]
    assert Svrg(subsets=3).for_counts(many).n_parts == 3


def test_strength_is_described_by_a_word_and_a_number():
    assert Svrg().describe() == "MAP, at most 20 iterations, standard (0.1)"
    typical = TypicalVoxel(9.0)
    smooth, sharp = (Svrg(smoothness=name).strength_for(typical) for name in ("smooth", "sharp"))
    assert smooth == pytest.approx(4 * sharp)
    assert "own strength (0.2)" in Svrg(strength=0.2).describe()
    assert Osem().describe() and Bsrem().n_subsets == 12


def test_more_counts_need_a_weaker_prior_and_all_frames_share_it():
    typical = TypicalVoxel(16.0)
    assert Svrg().strength_for(typical) == pytest.approx(0.1 / 8)
    assert Svrg(strength=0.2).strength_for(typical) == 0.2
    frames = [
        Svrg().for_frame(share).strength_for(TypicalVoxel(16.0 * share))
        for share in (0.25, 1.0, 4.0)
    ]
    assert frames == pytest.approx([0.1 / 8] * 3)
    few = Svrg().strength_for(TypicalVoxel(0.5))
    assert few == pytest.approx(0.1 * 2**0.75)
    assert Svrg().strength_for(TypicalVoxel(0.0)) == few
    assert Svrg().for_frame(0.0).strength_for(TypicalVoxel(0.0)) == few


def test_prior_weakens_with_counts_by_the_power_law():
    """The factor of the prior is strength times activity."""
    ready = [Svrg().prepared(ring_scan(n).model(), 8) for n in (1e6, 4e6)]
    few, many = (each.likelihood.prior.strength / each.activity for each in ready)
    assert few / many == pytest.approx(4**0.75, rel=0.03)


def test_prior_does_not_depend_on_the_subsets():
    model = ring_scan().model()
    one, other = (Svrg().prepared(model, n).likelihood.strength for n in (8, 24))
    assert one == pytest.approx(other, rel=1e-9)


def test_hot_organ_does_not_change_the_smoothness_of_the_rest():
    """The factor of the prior is strength times activity, which a hot disc raises."""
    scan = ring_scan()
    truth = np.where(scan.around, 1.0, 0.0) + sum(
        value * mask for mask, value in zip(scan.regions, (40.0, 1.0, 1.0, 0.0), strict=True)
    )
    factors = list[float]()
    for image in (truth, np.where(truth > 1, 1.0, truth)):
        counts = scan.factors * (scan.lengths @ (20 * image.ravel()))
        trues = replace(scan, counts=counts, background=0 * counts)
        factors.append(Svrg().prepared(trues.model(), 8).likelihood.prior.strength)
    assert factors[0] == pytest.approx(factors[1], rel=0.1)


def test_subset_order_is_a_reproducible_permutation():
    assert shuffled(6, 0) == [1, 3, 5, 4, 0, 2]
    orders = [shuffled(24, seed) for seed in range(20)]
    assert all(sorted(order) == list(range(24)) for order in orders)
    assert len({tuple(order) for order in orders}) == 20


def test_alternating_order_is_a_permutation_with_steps_of_nearly_half():
    assert alternating(8, 0)[:3] == [(shuffled(8, 0)[0] + 3 * k) % 8 for k in range(3)]
    for n in range(1, 40):
        order = alternating(n, 5)
        assert sorted(order) == list(range(n))
        steps = {(after - before) % n for before, after in pairwise(order)}
        assert n < 3 or (len(steps) == 1 and abs(steps.pop() - 0.46 * n) < 2)
    assert len({alternating(24, seed)[0] for seed in range(20)}) > 10


def test_block_of_voxels_is_compared_by_its_mean():
    before, after = np.zeros((1, 4, 10)), np.zeros((1, 4, 10))
    after[0, 0, 0], after[0, 3, 9] = 1.6, -2.4
    even = np.ones_like(before)
    assert block_change(before, after, even) == pytest.approx(0.15)  # 2.4 over 4 x 4 voxels
    assert block_change(before, before, even) == 0
    # A change counts less if the data hardly determine it.
    assert block_change(before, after, 0.1 * even) == pytest.approx(0.015)


def test_voxel_size_is_that_of_the_scan():
    assert ring_scan().model().spacing_mm == (VOXEL_MM,) * 3


def test_number_of_threads_does_not_change_the_bits(monkeypatch):
    """This holds for image, objective and KKT residual. Each thread processes some planes."""
    monkeypatch.setattr(planes, "SINGLE_THREAD_VOXELS", 0)
    monkeypatch.setattr(planes, "VOXELS_AT_ONCE", 1)
    monkeypatch.setattr(neighbours, "VOXELS_AT_ONCE", 0)
    rng, grid = np.random.default_rng(3), ImageGrid((5, 8, 8), (2.0, 2.0, 2.0))
    rays, found = octant_rays(rng, 40, grid), []
    background = rng.uniform(0, 0.2, len(rays.ends)).astype("f4")
    for threads in (1, 3):
        A = RayProjector(rays, grid, on=cpu(threads), reproducible=True)
        events = ListModeModel(A, background, np.full(grid.shape, 9, np.float32))
        start = np.full(grid.shape, 0.2, np.float32)
        model = MapModel.of(events, grid.voxel_mm[::-1], start, threads)
        found.append(next(solve(Svrg(subsets=4), model, start)))
    np.testing.assert_array_equal(found[1].image, found[0].image)
    assert found[1].optimality == found[0].optimality


def test_gpu_agrees_with_the_cpu():
    """Events, blur and prior are on the device; sums have another order."""
    rng, grid = np.random.default_rng(3), ImageGrid((3, 8, 8), (2.0, 2.0, 2.0))
    rays, images = octant_rays(rng, 40, grid), []
    background = rng.uniform(0, 0.2, len(rays.ends)).astype("f4")
    for on in (cpu(1), cuda(EmulatedGpu())):
        A = RayProjector(rays, grid, on=on)
        events = ListModeModel(A, background, np.full(grid.shape, 9, np.float32))
        blurred = BlurredModel.of(events, PointSpreadBlur(uniform_spread(3.0), grid))
        start = np.full(grid.shape, 0.2, np.float32)
        model = MapModel.of(blurred, grid.voxel_mm[::-1], start)
        step = next(solve(Svrg(subsets=4), model, start))
        assert step.optimality.gain > 0
        images.append(step.image)
    np.testing.assert_allclose(*images, atol=1e-4 * images[0].max())  # 60 updates in float32
