"""Every form of the CUDA kernels, run as text on the CPU, equals its Numba twin."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from engine.core.backend import cpu, cuda
from engine.core.profiling import Profiler
from engine.geometry.grid import ImageGrid
from engine.kernels.rays.device_rays import DeviceRays
from engine.kernels.rays.slice_tracing import EventRows
from engine.kernels.variants import RayVariant, variants
from tests.emulator import EmulatedGpu
from tests.emulator.sanitizer import assert_runs_sanitized
from tests.engine.kernels import cuda_cases
from tests.engine.operators.ray_oracles import rays_of, siddon

PROJECTION_RTOL = 1e-5  # float32: the sums have another order
BACK_RTOL = 5e-5  # relative to the maximum: rays that only touch a voxel can count or not
IN_DOUBLE = 1e-7  # factor for both
STEPS = 4e-9  # relative to the maximum: fixed-point sums, compared with a floating-point twin


def named(variant):
    parts = (variant.mapping, variant.order, variant.sums, variant.timing, variant.real)
    return "-".join((*parts, str(variant.block)))


CASE = cuda_cases.case()
OTHER_BLOCKS = [
    RayVariant("thread", "linear", "fixed", "global", "float", 64),
    RayVariant("warp", "tiles", "fixed", "none", "float", 256),
    RayVariant("block", "linear", "fixed", "global", "float", 64),
    RayVariant("block", "tiles", "fixed", "none", "float", 512),
]
IMAGE_FORMS = [
    RayVariant("warp", order, sums, "global", real)
    for order, sums, real in product(("linear", "tiles"), ("float", "fixed"), ("float", "double"))
]
SANITIZED = [
    RayVariant("thread", "tiles", "fixed", "constant", "float"),
    RayVariant("warp", "linear", "float", "none", "double"),
    RayVariant("warp", "tiles", "float", "global", "float"),
    RayVariant("block", "linear", "fixed", "global", "float"),
]


@cache
def twin(is_timed, sums, real):
    variant = RayVariant(sums=sums, timing="global" if is_timed else "none", real=real)
    return cuda_cases.results(variant, CASE, cpu(2))


def assert_equals_twin(found, variant, sums):
    for name, expected in twin(variant.timing != "none", sums, variant.real).items():
        if sums == "fixed":
            np.testing.assert_array_equal(found[name], expected, name)
            continue
        scale = IN_DOUBLE if variant.real == "double" else 1.0
        if expected.ndim == 3:
            most = max(scale * BACK_RTOL, STEPS if variant.sums != sums else 0)
            rtol, atol = 0.0, most * np.abs(expected).max()
        else:
            rtol, atol = scale * PROJECTION_RTOL, scale * 1e-6
        np.testing.assert_allclose(found[name], expected, rtol, atol, err_msg=name)


def near(variant):
    """Return the sums of the twin to compare with; fixed sums in double precision are too slow."""
    return "float" if variant.real == "double" else variant.sums


IN_ALL_BITS = [one for one in variants() if near(one) != one.sums]


@pytest.mark.parametrize("variant", [*variants(), *OTHER_BLOCKS], ids=named)
def test_every_ray_kernel_equals_its_twin_in_both_orders_of_threads(variant):
    for reverse in (False, True):
        on = cuda(EmulatedGpu(reverse=reverse))
        assert_equals_twin(cuda_cases.results(variant, CASE, on), variant, near(variant))


@pytest.mark.slow
@pytest.mark.parametrize("variant", IN_ALL_BITS, ids=named)
def test_fixed_sums_in_double_have_the_bits_of_their_twin(variant):
    for reverse in (False, True):
        on = cuda(EmulatedGpu(reverse=reverse))
        assert_equals_twin(cuda_cases.results(variant, CASE, on), variant, "fixed")


@pytest.mark.parametrize("variant", IMAGE_FORMS, ids=named)
def test_device_loop_equals_updates_by_hand(variant):
    sums = near(variant)
    expected, figure = cuda_cases.em_by_hand(replace(variant, sums=sums), CASE, cpu(2))
    for reverse in (False, True):
        on = cuda(EmulatedGpu(reverse=reverse))
        found, log_likelihood = cuda_cases.em_on_gpu(variant, CASE, on)
        if sums == "fixed":
            np.testing.assert_array_equal(found, expected)
        most = 1e-4 * (IN_DOUBLE if variant.real == "double" else 1.0)
        most = max(most, STEPS if variant.sums != sums else 0)
        np.testing.assert_allclose(found, expected, 0, most * expected.max())
        assert log_likelihood == pytest.approx(figure, rel=1e-5)


@pytest.mark.parametrize("mapping", ["thread", "warp", "block"])
def test_touched_counts_the_voxels_of_a_ray(mapping, rng):
    grid = ImageGrid((5, 6, 40), (2.0, 3.0, 2.5))
    # Rays enter at one end and leave at the other, so none touches the border of the image.
    starts, ends = rng.uniform(grid.lower_mm, grid.upper_mm, (2, 50, 3))
    starts[:, 0], ends[:, 0] = grid.lower_mm[0], grid.upper_mm[0]
    rays = rays_of(starts, ends)
    truth = [np.count_nonzero(siddon(p, q, grid)) for p, q in zip(starts, ends, strict=True)]
    on = cuda(EmulatedGpu())
    variant = RayVariant(mapping, timing="none", real="double")

    tracer = DeviceRays(
        host_rows(rays, grid), grid.shape, variant, on=on, on_progress=None, profiler=Profiler(on)
    )

    assert tracer.voxels_per_row() == np.mean(truth)


def host_rows(rays, grid):
    """Return the rays in the format of the kernels."""
    nothing = np.empty(0)
    return EventRows(
        np.ascontiguousarray(grid.to_voxels(rays.points_mm)), rays.ends, np.array(grid.voxel_mm),
        nothing.astype(np.int16), nothing, 1, 1.0, 1.0, nothing,
    )  # fmt: skip


def test_kernels_stay_within_their_arrays():
    """Run all kernels once under AddressSanitizer, in a process that loads it at the start."""
    code = f"""
from engine.core.backend import cuda
from tests.emulator import EmulatedGpu
from tests.engine.kernels import cuda_cases
from engine.kernels.variants import RayVariant
case = cuda_cases.case(4)
for variant in {SANITIZED!r}:
    on = cuda(EmulatedGpu(sanitize=True))
    cuda_cases.results(variant, case, on)
    cuda_cases.em_on_gpu(variant, case, on)
"""
    assert_runs_sanitized(code)
