"""The CUDA kernel of bootstrap replicates: its weights and numerators equal those of the CPU."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.errors import DeviceMemoryError, ResourceError
from engine.kernels.rays import device_rays
from engine.kernels.rays.device_rays import DeviceRays
from engine.kernels.rays.event_weights import Draws, draws_of, key_of, weights_of
from engine.kernels.variants import RayVariant
from engine.operators.rays import RayProjector
from tests.emulator import EmulatedGpu
from tests.emulator.sanitizer import assert_runs_sanitized
from tests.engine.kernels import cuda_cases
from tests.engine.kernels.test_cuda_twins import BACK_RTOL, named

CASE = cuda_cases.case()
FORMS = [
    RayVariant("warp", order, sums, timing)
    for order, sums, timing in product(
        ("linear", "tiles"), ("float", "fixed"), ("none", "constant", "global")
    )
]
NUMBERS = (1, 2, 3, 8, 16, 17, 20, 32, 33)
WEIGHTS = """
extern "C" __global__ void __launch_bounds__(128) weights(
    const float* counts, unsigned long long key, unsigned long long number,
    unsigned long long step, int replicate, int n, float* out) {
  const int row = blockIdx.x * 128 + threadIdx.x;
  if (row < n) out[row] = weight_of(key, number + row * step, replicate, counts[row]);
}
"""


def images_of(n):
    images = np.random.default_rng(n).random((n, *cuda_cases.GRID.shape), np.float32)
    images[:, :2] = 0  # some rays then expect only background
    images[n // 2] *= 1e6  # in the unit of another image, fixed-point sums of a row would overflow
    return images


def numerators(variant, n, on, *, counts=None, part=1):
    """Return numerators of all rays with a background, or of every part-th ray without."""
    A, draws = cuda_cases.projector(variant, CASE, on), draws_of(n, seed=5)
    background = CASE.background
    if part > 1:
        A, draws, background = A.subset(1, part), draws.of_rows(1, part), None
    return on.to_host(A.em_numerators(images_of(n), background, counts, draws))


@cache
def twin(is_timed, sums, n, part=1):
    variant = RayVariant(sums=sums, timing="global" if is_timed else "none")
    return numerators(variant, n, cpu(2), part=part)


def assert_equal(found, expected, sums):
    if sums == "fixed":
        np.testing.assert_array_equal(found, expected)
        return
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, 0, BACK_RTOL * other.max())


@pytest.mark.parametrize("variant", FORMS, ids=named)
def test_every_replicate_kernel_equals_its_twin_in_both_orders_of_threads(variant):
    for reverse in (False, True):
        on = cuda(EmulatedGpu(reverse=reverse))
        for part in (1, 3):
            found = numerators(variant, 7, on, part=part)
            assert_equal(found, twin(variant.timing != "none", variant.sums, 7, part), variant.sums)


@pytest.mark.parametrize("n", NUMBERS)
@pytest.mark.parametrize("sums", ["float", "fixed"])
def test_any_number_of_replicates_equals_the_twin(n, sums):
    variant = RayVariant("thread", "tiles", sums, "none", block=64)

    found = numerators(variant, n, cuda(EmulatedGpu()))

    assert_equal(found, twin(False, sums, n), sums)


@pytest.mark.parametrize("sums", ["float", "fixed"])
def test_rows_of_later_launches_have_their_own_weights(sums, monkeypatch):
    monkeypatch.setattr(device_rays, "SLABS_PER_LAUNCH", 1)
    variant, reported, n_rays = RayVariant("warp", sums=sums, block=64), [], len(CASE.rays.ends)
    on = cuda(EmulatedGpu(late=True))
    rays = replace(CASE.rays, tof_bins=None)
    A = RayProjector(
        rays, cuda_cases.GRID, on=on, reproducible=sums == "fixed", variant=variant,
        on_progress=lambda done, total: reported.append((done, total)),
    )  # fmt: skip

    found = on.to_host(A.em_numerators(images_of(7), CASE.background, None, draws_of(7, seed=5)))

    assert_equal(found, twin(False, sums, 7), sums)
    assert len(reported) > 2 and reported[0] == (64, n_rays) and reported[-1] == (n_rays, n_rays)


@pytest.mark.parametrize("part", [1, 3])
@pytest.mark.parametrize("sums", ["float", "fixed"])
def test_rows_beyond_the_memory_are_sent_in_pieces(sums, part, monkeypatch):
    monkeypatch.setattr(device_rays, "ROWS_OF_A_PIECE", 50)
    variant, counts = RayVariant("warp", "tiles", sums, "global"), None
    if sums == "float":
        counts = np.ones(len(CASE.rays.ends), np.float32)[part // 3 :: part]
    place, sizes = DeviceRays.place, []

    def placed(self, ends, bins):
        if len(ends) > 50:
            raise DeviceMemoryError("allocating memory: the GPU is out of memory (planted).")
        sizes.append(len(ends))
        return place(self, ends, bins)

    monkeypatch.setattr(DeviceRays, "place", placed)
    found = numerators(variant, 7, cuda(EmulatedGpu()), counts=counts, part=part)

    assert_equal(found, twin(True, sums, 7, part), sums)
    assert len(sizes) > 1 and max(sizes) == 50


def test_single_launch_reports_its_pass():
    reported = []
    A = RayProjector(
        CASE.rays, cuda_cases.GRID, on=cuda(EmulatedGpu()),
        on_progress=lambda done, total: reported.append((done, total)),
    )  # fmt: skip

    A.em_numerators(images_of(7), None, None, draws_of(7, seed=5))

    assert reported == [(len(CASE.rays.ends),) * 2]


@pytest.mark.parametrize("timing", ["none", "global"])
def test_counts_equal_the_twin(timing, rng):
    counts = rng.integers(0, 5, len(CASE.rays.ends)).astype(np.float32)
    counts[::5] += np.float32(0.3)
    counts[7] = 300
    variant = RayVariant("warp", timing=timing)

    on_host, on_device = (
        numerators(variant, 7, on, counts=counts) for on in (cpu(2), cuda(EmulatedGpu()))
    )

    assert_equal(on_device, on_host, "float")
    assert np.abs(on_host - twin(timing != "none", "float", 7)).max() > 0.1 * on_host.max()


def test_integer_sums_refuse_counts():
    counts = np.ones(len(CASE.rays.ends), np.float32)

    with pytest.raises(ResourceError, match="reproducible rays without counts"):
        numerators(RayVariant("warp", sums="fixed"), 7, cuda(EmulatedGpu()), counts=counts)


@pytest.mark.parametrize(
    "draws",
    [
        Draws(key_of(1), 0, 1, 32),
        Draws(key_of(2**63), 5 << 40, 7, 32, 992),
        Draws(key_of(3), (1 << 40) - 3, 1, 32, 66),
        Draws(key_of(4), 2**33 + 1, 2**31 + 5, 32),
    ],
    ids=["first", "of a late frame", "across frames", "far apart"],
)
def test_weights_have_the_bits_of_the_cpu(draws, rng):
    n = 1000
    counts = rng.integers(0, 9, n).astype(np.float32)
    counts[::3] += rng.random(len(counts[::3]), np.float32)
    counts[:3] = 1, 0, 2000.75
    gpu = EmulatedGpu()
    source = RayVariant("warp").replicates() + WEIGHTS
    kernel, out = gpu.load(source, ()).function("weights"), gpu.empty((n,), np.float32)

    for replicate in (0, 1, 18, 31):
        number = np.uint64(draws.first), np.uint64(draws.step)
        place = np.int32(draws.first_replicate + replicate)
        kernel(8, 128, gpu.upload(counts), draws.key, *number, place, np.int32(n), out)
        expected = weights_of(draws, replicate, n, counts)
        np.testing.assert_array_equal(gpu.download(out), expected)


def test_zero_images_stay_zero():
    images, on = images_of(5), cuda(EmulatedGpu())
    images[3] = 0
    for sums in ("float", "fixed"):
        A = cuda_cases.projector(RayVariant("warp", sums=sums), CASE, on)
        found = on.to_host(A.em_numerators(images, None, None, draws_of(5, seed=5)))
        assert not found[3].any() and np.isfinite(found).all() and found[2].any()


def test_runs_without_replicates_do_not_compile_the_kernel():
    gpu = EmulatedGpu()
    A = cuda_cases.projector(RayVariant("warp"), CASE, cuda(gpu))
    A.em_numerator(CASE.image)
    sources = [source for source, _ in gpu._modules]
    assert len(sources) == 2 and not any("replicates(" in source for source in sources)

    A.em_numerators(images_of(2), None, None, draws_of(2, seed=5))
    assert sum("replicates(" in source for source, _ in gpu._modules) == 1


def test_kernel_stays_within_its_arrays():
    """Run under AddressSanitizer, in a process that loads it at the start."""
    code = f"""
from engine.core.backend import cuda
from tests.emulator import EmulatedGpu
from tests.engine.kernels import test_replicates_cuda as cases
from engine.kernels.variants import RayVariant
for variant in {[FORMS[1], FORMS[9]]!r}:
    for n in (1, 7, 33):
        cases.numerators(variant, n, cuda(EmulatedGpu(sanitize=True)))
"""
    assert_runs_sanitized(code)
