"""Point spread blur on a GPU: the sums of the CPU, in the same order, forward and adjoint."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.backend import cuda
from engine.geometry.grid import ImageGrid
from engine.geometry.point_spread import PointSpread, uniform_spread
from engine.kernels.smoothing.device_point_spread import OPTIONS, source
from engine.operators.point_spread import PointSpreadBlur
from tests.emulator import EmulatedGpu, nvrtc
from tests.engine.kernels.test_gaussian_cuda import CARDS

WIDER = PointSpread(
    np.array([0.0, 20.0, 60.0]), np.array([6.0, 8.0, 14.0]), np.array([6.0, 6.0, 7.0]), 5.0
)
BLURS = {
    "wider outside": PointSpreadBlur(WIDER, ImageGrid((7, 17, 18), (3.0, 2.5, 3.0))),
    "one plane": PointSpreadBlur(uniform_spread(6.0), ImageGrid((1, 5, 33), (2.0, 2.0, 2.0))),
    "one pixel": PointSpreadBlur(uniform_spread(6.0), ImageGrid((11, 1, 1), (2.0, 2.0, 2.0))),
}


@pytest.mark.parametrize("options", CARDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", BLURS)
def test_blur_on_an_emulated_gpu_equals_that_of_the_cpu(rng, name, dtype, options):
    blur, gpu = BLURS[name], EmulatedGpu(**options)
    cuda(gpu)
    x = rng.random(blur.in_shape).astype(dtype)
    for one in (blur, blur.T):
        actual, expected = gpu.download(one(gpu.upload(x))), one(x)
        assert actual.dtype == dtype
        # Products and sums are rounded as on the CPU, unless the CPU fuses them.
        np.testing.assert_allclose(actual, expected, rtol=4 * np.finfo(dtype).eps, atol=0)


@pytest.mark.gpu
@pytest.mark.parametrize("name", BLURS)
def test_blur_on_a_real_gpu_equals_that_of_the_cpu(rng, name):
    on, blur = cuda(), BLURS[name]
    x = rng.random(blur.in_shape, np.float32)
    np.testing.assert_allclose(on.to_host(blur(on.to_device(x))), blur(x), rtol=1e-6)
    np.testing.assert_allclose(on.to_host(blur.T(on.to_device(x))), blur.T(x), rtol=1e-6)


@pytest.mark.skipif(not nvrtc.is_installed(), reason="NVRTC is not installed")
@pytest.mark.parametrize("arch", [75, 80, 90, 120])
def test_blur_kernel_compiles_without_spills(arch):
    for dtype in (np.float32, np.float64):
        compiled = nvrtc.compile_for(source(np.dtype(dtype)), arch, OPTIONS)
        for use in compiled.kernels.values():
            assert not use.spills and use.stack_bytes == 0
