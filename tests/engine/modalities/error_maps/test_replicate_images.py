"""Images of bootstrap replicates: with shared rays, one by one, and by the Poisson distribution."""

import numpy as np
import pytest

from engine.core.arrays import module_of
from engine.core.backend import cpu, cuda
from engine.core.errors import DeviceMemoryError
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import PointSpread
from engine.kernels.rays import device_rays
from engine.kernels.rays.event_weights import weights_of
from engine.modalities.error_maps import images as replicate_images_module
from engine.modalities.error_maps.images import NearOptimum, replicate_images
from engine.modalities.error_maps.needs import gpu_replicate_bytes
from engine.operators.event_weights import draws_of
from engine.operators.point_spread import PointSpreadBlur
from engine.operators.rays import RayProjector, Rays
from engine.recon.algorithms import Mlem, Osem
from engine.recon.algorithms.driver import solve
from engine.recon.algorithms.map_algorithms import Svrg
from engine.recon.model import (
    BinnedModel,
    BlurredModel,
    ListModeModel,
    MapModel,
    ReplicateLoop,
)
from tests.emulator import EmulatedGpu
from tests.engine.recon.algorithms.test_osem import GRID, list_mode, ones, poisson, toy

N, UPDATES = 9, 6
DRAWS = draws_of(N, seed=3)


def events(rng, *, factor=1, reproducible=False, on=None):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, factor * truth)
    return list_mode(rays, factors, background, counts, reproducible=reproducible, on=on)


def bins(rng, *, on=None):
    rays, factors, background, truth = toy(rng)
    counts = poisson(rng, rays, factors, background, truth).astype(np.float32)
    A = RayProjector(rays, GRID, on=on or cpu(2))
    return BinnedModel.of(A, background / factors, counts, factors)


def blurred(rng, *, on=None):
    radius, wide = np.array([0.0, 100.0]), np.array([6.0, 7.0])
    spread = PointSpread(radius, wide, wide, 5.0)
    return BlurredModel.of(events(rng, on=on), PointSpreadBlur(spread, GRID))


def flattened(image):
    """Return an image with half the contrast, like a filter between iterations."""
    return 0.5 * (image + image.mean())


def images(model, algorithm, *, batch=N, n_updates=UPDATES, between=None):
    return np.stack(
        list(
            replicate_images(
                algorithm, model, ones(), DRAWS, n_updates=n_updates, batch=batch, between=between
            )
        )
    )


def separate_runs(model, algorithm, between=None):
    """Return the image of each replicate from a separate run."""
    for c in range(N):
        own = model.resampled(DRAWS, c)
        *_, step = solve(algorithm, own, ones(), between=between)
        yield algorithm.completed(own, step.image)[0]


@pytest.mark.parametrize("model_of", [events, bins, blurred])
def test_shared_rays_give_the_images_of_single_runs(rng, model_of):
    model = model_of(rng)
    assert model.shares_rays
    algorithm = Mlem(iterations=UPDATES)

    for one, other in zip(images(model, algorithm), separate_runs(model, algorithm), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4 * other.max())


def test_filters_between_iterations_act_on_each_replicate(rng):
    model, algorithm = events(rng), Mlem(iterations=UPDATES)

    found = images(model, algorithm, between=flattened)
    for one, other in zip(found, separate_runs(model, algorithm, flattened), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4 * other.max())


def test_batch_size_does_not_change_the_replicates(rng):
    model, algorithm = events(rng, reproducible=True), Osem(iterations=2, subsets=3)

    np.testing.assert_array_equal(images(model, algorithm, batch=8), images(model, algorithm))


def test_penalised_algorithm_runs_once_per_replicate(rng):
    model = events(rng, factor=20)
    penalised = MapModel.of(model, (4.0, 4.0, 4.0), ones(), 2)
    algorithm = Svrg(iterations=2, subsets=2)

    found = images(penalised, algorithm, n_updates=2)

    for one, other in zip(found, separate_runs(penalised, algorithm), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("model_of", [events, bins])
def test_subsets_have_the_counts_of_the_replicate(rng, model_of):
    """Replicates with shared rays and single runs use the same random numbers."""
    model, x = model_of(rng), ones()
    parts = [model.subset(k, 3) for k in range(3)]

    found = sum(
        part.em_numerators(np.repeat(x[np.newaxis], N, 0), model.draws_of_subset(DRAWS, k, 3))
        for k, part in enumerate(parts)
    )

    for c, one in enumerate(found):
        other = model.resampled(DRAWS, c).em_step(x).numerator
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4 * other.max())


@pytest.mark.parametrize("model_of", [events, bins])
def test_svrg_replicates_start_near_their_optimum(rng, model_of):
    model = model_of(rng, factor=20) if model_of is events else model_of(rng)
    penalised = MapModel.of(model, (4.0, 4.0, 4.0), ones(), 2)
    algorithm = Svrg(subsets=2, strength=0.1)
    *_, last = solve(algorithm, penalised, ones())

    near = NearOptimum.of(algorithm, penalised, last.image)
    found = replicate_images(
        algorithm, penalised, ones(), DRAWS, n_updates=last.update, batch=4, near=near
    )

    found, complete = np.stack(list(found)), np.stack(list(separate_runs(penalised, algorithm)))
    changes, expected = found - last.image, complete - last.image
    inside = last.image > 0.3 * last.image.max()
    assert np.corrcoef(changes[:, inside].ravel(), expected[:, inside].ravel())[0, 1] > 0.97
    ratio = found.std(axis=0)[inside] / complete.std(axis=0)[inside]
    assert np.median(ratio) == pytest.approx(1, abs=0.07)


def test_spread_of_replicates_equals_that_of_new_measurements(rng):
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

    # Without background MLEM preserves the counts. Those of replicates have a Poisson distribution
    # around n.
    assert np.mean(totals) == pytest.approx(n, abs=4 * np.sqrt(n / 200))
    assert np.var(totals, ddof=1) == pytest.approx(n, rel=4 * np.sqrt(2 / 199))


def test_list_mode_and_bins_have_the_same_replicate_counts(rng):
    """If each bin is one event, both use the same weights."""
    model = events(rng)
    draws = DRAWS

    in_list = model.resampled(draws, 2)
    ones_in_bins = BinnedModel(
        model.A, model.background, model.sensitivity, np.ones(model.A.out_shape, np.float32)
    )

    counts = np.asarray(ones_in_bins.resampled(draws, 2).counts)
    np.testing.assert_array_equal(counts, weights_of(draws, 2, len(counts)))
    assert in_list.A.out_shape[0] == counts.sum()


@pytest.mark.parametrize("subsets", [1, 3])
@pytest.mark.parametrize("model_of", [events, bins, blurred])
def test_gpu_gives_the_images_of_the_cpu(on_gpu, model_of, subsets):
    algorithm = Osem(iterations=2, subsets=subsets)
    on_host, on_device = (model_of(np.random.default_rng(6), on=on) for on in (cpu(2), on_gpu))
    assert on_device.shares_rays

    found = images(on_device, algorithm, between=flattened)

    for one, other in zip(found, images(on_host, algorithm, between=flattened), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4 * other.max())


def test_integer_sums_on_a_gpu_have_the_bits_of_the_cpu(on_gpu):
    on_host, on_device = (
        events(np.random.default_rng(6), reproducible=True, on=on) for on in (cpu(2), on_gpu)
    )
    algorithm = Osem(iterations=2, subsets=3)

    np.testing.assert_array_equal(images(on_device, algorithm), images(on_host, algorithm))


@pytest.mark.parametrize("model_of", [events, bins, blurred])
def test_images_stay_on_a_gpu_between_updates(rng, model_of, monkeypatch):
    gpu, copied = EmulatedGpu(), []
    model = model_of(rng, on=cuda(gpu))
    loop = ReplicateLoop(model, ones(), DRAWS, 2)
    download = gpu.download

    def counted(values, out=None):
        copied.append(values.size)
        return download(values, out)

    monkeypatch.setattr(gpu, "download", counted)

    for k in (0, 1, 0):
        loop.update(k)

    assert module_of(loop.images) is gpu.xp
    assert max(copied) == 1, "only the extreme values of the images are copied to the host"


def batches_on(gpu, algorithm, monkeypatch, batch=N):
    """Return the images and the attempted batch sizes."""
    tried, loop = [], replicate_images_module.ReplicateLoop

    def counted(model, start, draws, n_subsets):
        tried.append(draws.n)
        return loop(model, start, draws, n_subsets)

    model = events(np.random.default_rng(6), reproducible=True, on=cuda(gpu))
    with monkeypatch.context() as patch:
        patch.setattr(replicate_images_module, "ReplicateLoop", counted)
        return images(model, algorithm, batch=batch), tried


def test_full_gpu_halves_the_batch(monkeypatch):
    roomy, fewer, algorithm = EmulatedGpu(), EmulatedGpu(), Osem(iterations=1, subsets=2)
    expected, tried = batches_on(roomy, algorithm, monkeypatch)
    assert tried == [N]
    batches_on(fewer, algorithm, monkeypatch, batch=4)
    enough, needed = (gpu.memory.reserved_bytes for gpu in (fewer, roomy))
    assert enough < needed

    found, tried = batches_on(
        EmulatedGpu(memory_limit=(enough + needed) // 2), algorithm, monkeypatch
    )

    assert tried == [N, 4, 4, 1]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("subsets", [1, 2])
def test_events_that_do_not_fit_on_a_gpu_are_sent_in_pieces(monkeypatch, subsets):
    monkeypatch.setattr(device_rays, "ROWS_OF_A_PIECE", 1000)
    roomy, full, found = EmulatedGpu(), EmulatedGpu(), []
    for gpu in (roomy, full):
        rng = np.random.default_rng(6)
        model = events(rng, factor=30, reproducible=True, on=cuda(gpu))
        if gpu is full:
            gpu.memory_limit = gpu.memory.used_bytes + 7 * model.A.out_shape[0]
        loop = ReplicateLoop(model, ones(), DRAWS, subsets)
        for k in range(subsets):
            loop.update(k)
        found.append(loop.images.get())

    assert full.n_launches > roomy.n_launches + 100
    np.testing.assert_array_equal(*found)


def test_gpu_without_memory_for_two_replicates_is_reported(monkeypatch):
    gpu = EmulatedGpu()
    model = events(np.random.default_rng(6), on=cuda(gpu))
    gpu.memory_limit = gpu.memory.used_bytes + 4 * GRID.n_voxels

    with pytest.raises(DeviceMemoryError, match="the GPU is out of memory"):
        images(model, Osem(iterations=1, subsets=2))


def test_replicate_takes_no_more_gpu_memory_than_assumed(rng):
    """Integer sums of a blurred image need the most memory."""
    grid = ImageGrid((40, 64, 64), (2.0, 2.0, 2.0))
    points = rng.uniform(-60, 60, (200, 3))
    rays = Rays(points, np.arange(200, dtype=np.int32).reshape(-1, 2))
    spread = PointSpread(np.array([0.0, 100.0]), np.array([6.0, 7.0]), np.array([6.0, 7.0]), 5.0)
    start, peaks = np.ones(grid.shape, np.float32), []
    for n in (4, 8):
        gpu = EmulatedGpu()
        A = RayProjector(rays, grid, on=cuda(gpu), reproducible=True)
        within = ListModeModel(A, np.ones(100, np.float32), start)
        model = BlurredModel.of(within, PointSpreadBlur(spread, grid))
        ReplicateLoop(model, start, draws_of(n, seed=3), 1).update(0)
        peaks.append(gpu.memory.reserved_bytes)

    of_one = (peaks[1] - peaks[0]) / 4
    assert 0.7 * gpu_replicate_bytes(grid.n_voxels) < of_one <= gpu_replicate_bytes(grid.n_voxels)
