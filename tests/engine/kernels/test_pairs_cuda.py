"""Sums over neighbours on a GPU: the bits of the CPU, and no register spills."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cuda
from engine.kernels.neighbours.device_pairs import OPTIONS, source
from engine.operators.neighbours import N_HALF, NeighbourSums, Potential, Term
from tests.emulator import EmulatedGpu, nvrtc
from tests.engine.kernels.test_gaussian_cuda import CARDS

SHAPE, SPACING = (3, 5, 33), (3.0, 2.0, 2.0)


def sums(potential, rng):
    shares = rng.integers(0, 3, (N_HALF, *SHAPE)).astype(np.uint8)
    return NeighbourSums(potential, SPACING, (1.5, 0.01), rng.random(SHAPE), shares)


def assert_same_bits(on, potential, dtype):
    rng = np.random.default_rng(3)
    of, x, v = sums(potential, rng), rng.random(SHAPE), rng.standard_normal(SHAPE)
    x, v = x.astype(dtype), v.astype(dtype)
    x[:, :2] = 0
    for term in Term:
        found = of(term, on.to_device(x), on.to_device(v))
        np.testing.assert_array_equal(on.to_host(found), of(term, x, v))


@pytest.mark.parametrize("options", CARDS)
@pytest.mark.parametrize("potential", Potential)
def test_neighbour_sums_have_the_same_bits_on_an_emulated_gpu(options, potential):
    on = cuda(EmulatedGpu(**options))
    assert_same_bits(on, potential, np.float32)
    if not options:
        assert_same_bits(on, potential, np.float64)


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("potential", Potential)
def test_neighbour_sums_have_the_same_bits_on_the_gpu_of_this_machine(potential, dtype):
    assert_same_bits(cuda(), potential, dtype)


@pytest.mark.skipif(not nvrtc.is_installed(), reason="NVRTC is not installed")
@pytest.mark.parametrize("arch", [75, 80, 90, 120])
def test_neighbour_kernel_compiles_without_spills(arch):
    for dtype in (np.float32, np.float64):
        for use in nvrtc.compile_for(source(np.dtype(dtype)), arch, OPTIONS).kernels.values():
            assert not use.spills and use.stack_bytes == 0
