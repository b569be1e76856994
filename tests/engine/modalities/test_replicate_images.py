"""Images of bootstrap replicates: shared rays, one by one, and the Poisson law."""

import numpy as np
import pytest

from engine.core.backend import cpu
from engine.geometry.point_spread import PointSpread
from engine.kernels.rays.event_weights import weights_of
from engine.modalities.replicate_images import replicate_images
from engine.operators.event_weights import draws_of
from engine.operators.point_spread import PointSpreadBlur
from engine.operators.rays import RayProjector, Rays
from engine.recon.algorithms import Mlem, Osem
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.map_algorithms import Svrg
from engine.recon.model import BinnedModel, BlurredModel, ListModeModel, MapModel
from tests.engine.recon.algorithms.test_osem import GRID, list_mode, ones, poisson, toy

N, UPDATES = 9, 6
DRAWS = draws_of(N, seed=3)


def events(rng, *, factor=1, reproducible=False):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, factor * truth)
    return list_mode(rays, factors, background, counts, reproducible=reproducible)


def bins(rng):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth).astype(np.float32)
    A = RayProjector(rays, GRID, on=cpu(2))
    return BinnedModel.of(A, background / factors, counts, factors)


def blurred(rng):
    radius, wide = np.array([0.0, 100.0]), np.array([6.0, 7.0])
    spread = PointSpread(radius, wide, wide, 5.0)
    return BlurredModel.of(events(rng), PointSpreadBlur(spread, GRID))


def images(model, algorithm, *, batch=N, n_updates=UPDATES, between=None):
    return np.stack(
        list(
            replicate_images(
                algorithm, model, ones(), DRAWS, n_updates=n_updates, batch=batch, between=between
            )
        )
    )


def alone(model, algorithm, between=None):
    """Return the image of each replicate as a run of its own."""
    for c in range(N):
        own = model.resampled(DRAWS, c)
        *_, step = solve(algorithm, own, ones(), between=between)
        yield algorithm.completed(own, step.image)[0]


@pytest.mark.parametrize("model_of", [events, bins, blurred])
def test_shared_rays_give_the_images_of_single_runs(rng, model_of):
    model = model_of(rng)
    assert model.shares_rays
    algorithm = Mlem(iterations=UPDATES)

    for one, other in zip(images(model, algorithm), alone(model, algorithm), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4 * other.max())


def test_filters_between_iterations_act_on_each_replicate(rng):
    model, algorithm = events(rng), Mlem(iterations=UPDATES)

    def between(image):
        return 0.5 * (image + image.mean(dtype=np.float64).astype(np.float32))

    found = images(model, algorithm, between=between)
    for one, other in zip(found, alone(model, algorithm, between), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4 * other.max())


def test_a_batch_changes_no_replicate(rng):
    model, algorithm = events(rng, reproducible=True), Osem(iterations=2, subsets=3)

    np.testing.assert_array_equal(images(model, algorithm, batch=8), images(model, algorithm))


def test_a_penalised_algorithm_runs_for_each_replicate(rng):
    model = events(rng, factor=20)
    penalised = MapModel.of(model, (4.0, 4.0, 4.0), ones(), 2)
    algorithm = Svrg(iterations=2, subsets=2)

    found = images(penalised, algorithm, n_updates=2)

    for one, other in zip(found, alone(penalised, algorithm), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_spread_is_that_of_new_measurements(rng):
    measured = events(rng)
    nothing = np.zeros_like(measured.background)
    model = ListModeModel(measured.A, nothing, measured.sensitivity)
    n = model.A.out_shape[0]
    many = draws_of(200, seed=1)
    totals = [
        float(np.sum(model.sensitivity * image, dtype=np.float64))
        for image in replicate_images(
            Mlem(iterations=1), model, ones(), many, n_updates=1, batch=200
        )
    ]

    # Without background MLEM keeps the counts; those of replicates are Poisson numbers around n.
    assert np.mean(totals) == pytest.approx(n, abs=4 * np.sqrt(n / 200))
    assert np.var(totals, ddof=1) == pytest.approx(n, rel=4 * np.sqrt(2 / 199))


def test_counts_of_list_mode_and_bins_agree(rng):
    """Both take the same weights, if each bin is one event."""
    model = events(rng)
    draws = DRAWS

    in_list = model.resampled(draws, 2)
    ones_in_bins = BinnedModel(
        model.A, model.background, model.sensitivity, np.ones(model.A.out_shape, np.float32)
    )

    counts = np.asarray(ones_in_bins.resampled(draws, 2).counts)
    np.testing.assert_array_equal(counts, weights_of(draws, 2, len(counts)))
    assert in_list.A.out_shape[0] == counts.sum()


def test_a_gpu_gives_the_images_of_the_cpu(rng, on_gpu):
    rays, factors, background, truth = toy(rng, 60)
    rows = np.repeat(np.arange(60), poisson(rng, rays, factors, background, truth).astype(int))
    of_events = Rays(rays.points_mm, rays.ends[rows])
    sensitivity = RayProjector(rays, GRID, on=cpu(2)).T(factors)
    one, other = (
        images(
            ListModeModel(
                RayProjector(of_events, GRID, on=on, reproducible=True),
                (background / factors)[rows],
                sensitivity,
            ),
            Osem(iterations=1, subsets=2),
            n_updates=2,
        )
        for on in (cpu(2), on_gpu)
    )

    # Integer sums: the same bits, although the CPU shares rays and the GPU repeats events.
    np.testing.assert_array_equal(other, one)
