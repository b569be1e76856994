"""OSEM on dual-head histograms on the emulated GPU equals that of the CPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.core.backend import Backend, cpu, cuda
from engine.core.errors import DeviceError
from engine.core.profiling import Profiler
from engine.operators.matrix import em as matrix_em
from engine.operators.matrix.projector import MatrixProjector
from engine.recon.algorithms import Mlem, Osem
from engine.recon.algorithms.base import Iterate
from engine.recon.algorithms.driver import solve
from engine.recon.model import HistogramModel
from engine.recon.priors.edges import EdgePrior
from tests.emulator import EmulatedGpu
from tests.engine.geometry.panels import panels
from tests.engine.operators.random_response import random_response

Array = NDArray[Any]
RESPONSE = random_response(panels(n_rows=6, n_columns=4, n_planes=5), seed=8)


def scan(on: Backend, *, corrected: bool, **options: Any) -> HistogramModel:
    A = MatrixProjector(RESPONSE, on=on, dtype=np.float32, **options)
    rng = np.random.default_rng(9)
    exact = MatrixProjector(RESPONSE, on=cpu(1), dtype=np.float64)
    mean = 1e4 * exact(rng.random(A.in_shape))
    if not corrected:
        return HistogramModel.of(A, np.zeros(()), rng.poisson(mean).astype(np.float32))
    factors = rng.uniform(0.5, 1, A.out_shape).astype(np.float32)
    factors[::7] = 0
    background = rng.uniform(0.1, 0.2, A.out_shape).astype(np.float32)
    counts = rng.poisson(factors * (mean + background)).astype(np.float32)
    return HistogramModel.of(A, background, counts, factors)


def iterates(model: HistogramModel, algorithm: Osem, **options: Any) -> list[tuple[Iterate, Array]]:
    start = np.ones(model.A.in_shape, np.float32)
    return [(each, each.image) for each in solve(algorithm, model, start, **options)]


@pytest.mark.parametrize("of", [1, 4])
def test_counts_with_tiny_expectation_leave_the_image_finite(on_gpu: Backend, of: int) -> None:
    """In sparse scans, voxels without counts vanish update by update."""
    A = MatrixProjector(RESPONSE, on=cpu(1))
    start = np.full(A.in_shape, 1e-39, np.float32)
    start[:, :, -4:] = 1
    for on in (cpu(1), on_gpu):
        model = scan(on, corrected=False)
        *_, last = solve(Osem(iterations=1, subsets=of), model, start)
        assert np.isfinite(last.image).all()
        assert last.n_skipped > 0


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize("algorithm", [Osem(iterations=3, subsets=4), Mlem(iterations=3)])
def test_images_and_likelihoods_equal_those_of_the_cpu(
    on_gpu: Backend, algorithm: Osem, corrected: bool
) -> None:
    found = iterates(scan(on_gpu, corrected=corrected), algorithm)
    on_cpu = iterates(scan(cpu(2), corrected=corrected), algorithm)
    assert len(found) == len(on_cpu)
    for (one, image), (other, expected) in zip(found, on_cpu, strict=True):
        assert np.allclose(image, expected, rtol=1e-5, atol=1e-6 * expected.max())
        assert one.n_skipped == other.n_skipped
        if other.log_likelihood is not None:
            assert one.log_likelihood == pytest.approx(other.log_likelihood, rel=1e-6)
        assert type(image) is np.ndarray
        assert image.dtype == np.float32


@pytest.mark.parametrize("of", [1, 4])
def test_neighbour_prior_has_the_weight_of_the_cpu(on_gpu: Backend, of: int) -> None:
    inside = np.ones(RESPONSE.scanner.grid.shape, bool)
    inside[:5] = False
    prior = EdgePrior(0.1, (0.5, 1.0, 0.5), 2e5, inside)
    algorithm = Osem(iterations=2, subsets=of)
    images = []
    for on in (on_gpu, cpu(1)):
        model = scan(on, corrected=True)
        images.append(iterates(replace(model, prior=prior), algorithm)[-1][1])
    assert np.allclose(*images, rtol=1e-4, atol=1e-5 * images[1].max())
    plain = iterates(scan(on_gpu, corrected=True), algorithm)[-1][1]
    assert np.abs(plain - images[0]).max() > 0.01 * plain.max()


def test_likelihood_has_the_same_bits_for_any_requests_in_between(on_gpu: Backend) -> None:
    model, algorithm = scan(on_gpu, corrected=True), Osem(iterations=2, subsets=4)
    start = np.ones(model.A.in_shape, np.float32)
    expected = [step.log_likelihood for step in solve(algorithm, model, start)]
    message = []
    for step in solve(algorithm, model, start):
        if step.subset in (1, 3):
            step.so_far()
        message.append(step.log_likelihood)
    assert message == expected


def test_results_repeat_their_bits() -> None:
    one, other = (
        iterates(scan(cuda(EmulatedGpu(reverse=reverse)), corrected=True), Osem(iterations=2))
        for reverse in (False, True)
    )
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(one, other, strict=True))


def test_sensitivities_are_on_the_host_if_the_gpu_is_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    algorithm = Osem(iterations=2, subsets=4)
    expected = iterates(scan(cuda(EmulatedGpu()), corrected=True), algorithm)
    monkeypatch.setattr(matrix_em, "RESERVED_IMAGES", 1e9)
    model = scan(cuda(EmulatedGpu()), corrected=True)
    found = iterates(model, algorithm)
    assert np.array_equal(found[-1][1], expected[-1][1])
    assert {type(s) for s in sensitivities(model)} == {np.ndarray}


def sensitivities(model: HistogramModel) -> list[Any]:
    loop: Any = model.em_loop(np.ones(model.A.in_shape, np.float32), 2)
    return [subset.sensitivity for subset in loop._subsets]


def test_one_eighth_of_a_symmetric_sensitivity_is_stored_on_the_gpu() -> None:
    on = cuda(EmulatedGpu())
    plain, corrected = (sensitivities(scan(on, corrected=which)) for which in (False, True))
    assert {s.shape for s in plain} == {(12, 3, 8)}
    assert {s.shape for s in corrected} == {RESPONSE.scanner.grid.shape}
    assert np.ndarray not in {type(s) for s in plain + corrected}


def test_filter_between_iterations_runs_on_the_device_of_the_image() -> None:
    on = cuda(EmulatedGpu())

    def halved(image: Any) -> Any:
        assert type(image) is not np.ndarray
        return image * np.float32(0.5)

    algorithm = Mlem(iterations=1)
    plain = iterates(scan(on, corrected=False), algorithm)[-1][1]
    assert np.allclose(
        iterates(scan(on, corrected=False), algorithm, between=halved)[-1][1], plain / 2
    )


def test_single_step_through_the_host_equals_that_of_the_loop() -> None:
    model = scan(cuda(EmulatedGpu()), corrected=True)
    x = np.ones(model.A.in_shape, np.float32)
    step = model.em_step(x)
    image = iterates(model, Mlem(iterations=1))[-1][1]
    s = model.A.on.to_host(model.sensitivity)
    assert np.allclose(image * s, np.where(s > 0, step.numerator, 0), rtol=1e-5)


def test_stages_are_timed_and_errors_are_raised() -> None:
    on = cuda(EmulatedGpu())
    model = scan(on, corrected=False, profiler=(profiler := Profiler(on)))
    iterates(model, Osem(iterations=1, subsets=2))
    stages = {stage.key: stage for stage in profiler.snapshot().stages}
    assert {"upload", "forward", "back", "update", "preview"} <= stages.keys()
    assert stages["forward"].events == RESPONSE.scanner.orientations.n_pairs
    on.gpu.fail_at_launch = on.gpu.n_launches + 5
    with pytest.raises(DeviceError, match="launch failure"):
        iterates(model, Osem(iterations=1, subsets=2))
