"""Gaussian smoothing: exact variance, the values of SciPy, and the same bits on every device."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from engine.core.backend import cuda
from engine.kernels.smoothing.device_gaussian import OPTIONS, source
from engine.kernels.smoothing.gaussian import SAMPLED_TRUE, mirrored, weights_of
from engine.operators.gaussian import smoothed
from tests.emulator import EmulatedGpu, nvrtc
from tests.tolerances import FLOAT64

SHAPES = [(9, 14, 21), (1, 1, 5), (3, 2, 40), (17, 1, 2)]
SIGMAS = [(1.3, 0.8, 2.1), (0.0, 0.7, 0.0), (9.0, 0.2, 3.0)]
"""Some are wider than the volume, so mirror images fill the kernel several times."""
CARDS = [
    pytest.param({}, id="text"),
    pytest.param({"reverse": True}, id="text, descending"),
    *(
        pytest.param(
            {"ptx": arch},
            id=f"compute_{arch}",
            marks=pytest.mark.skipif(not nvrtc.is_installed(), reason="NVRTC is not installed"),
        )
        for arch in (75, 90, 120)
    ),
]


def volume(shape, dtype=np.float32):
    """Return values of all sizes and signs, so that every rounding matters."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 6, shape)
    return values.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sigmas", SIGMAS)
@pytest.mark.parametrize("shape", SHAPES)
def test_smoothing_gives_the_values_of_scipy(shape, sigmas, dtype):
    image = volume(shape, dtype)
    expected = image
    for axis, sigma in enumerate(sigmas):
        if sigma >= SAMPLED_TRUE:
            expected = ndimage.gaussian_filter1d(
                expected, sigma, axis, mode="reflect", truncate=4.0
            )
        elif sigma:
            half = weights_of(sigma, 4.0)
            expected = ndimage.correlate1d(expected, [*half[:0:-1], *half], axis, mode="reflect")
    atol = np.finfo(dtype).eps * 4 * np.abs(image).max()
    np.testing.assert_allclose(smoothed(image, sigmas), expected, rtol=0, atol=atol)


@pytest.mark.parametrize("sigma", [0.01, 0.3, 0.52, 0.9, 1.0, 3.0])
def test_weights_have_the_requested_variance(sigma):
    """Simple samples of a Gaussian would have a variance that is 11 % too low at σ = 0.52."""
    one_side = weights_of(sigma, 4.0)
    assert one_side[0] + 2 * one_side[1:].sum() == pytest.approx(1, rel=FLOAT64)
    variance = 2 * (np.arange(len(one_side)) ** 2 * one_side).sum()
    assert variance == pytest.approx(sigma**2, rel=1e-9 if sigma < SAMPLED_TRUE else 1.2e-3)


@pytest.mark.parametrize("options", CARDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gaussian_has_the_same_bits_on_an_emulated_gpu(options, dtype):
    on = cuda(EmulatedGpu(**options))
    for shape, sigmas in zip(SHAPES[:3], SIGMAS, strict=True):
        image = volume(shape, dtype)
        on_device = smoothed(on.to_device(image), sigmas)
        assert on_device.dtype == dtype
        np.testing.assert_array_equal(on.to_host(on_device), smoothed(image, sigmas))


@pytest.mark.gpu
def test_gaussian_has_the_same_bits_on_the_gpu_of_this_machine():
    on, image = cuda(), volume((33, 65, 130))
    on_device = on.to_host(smoothed(on.to_device(image), SIGMAS[0]))
    np.testing.assert_array_equal(on_device, smoothed(image, SIGMAS[0]))


@pytest.mark.skipif(not nvrtc.is_installed(), reason="NVRTC is not installed")
@pytest.mark.parametrize("arch", [75, 90, 120])
def test_products_and_sums_are_not_fused(arch):
    assert "fma." in nvrtc.ptx_for(source(np.dtype(np.float32)), arch, OPTIONS[:1])
    assert "fma." not in nvrtc.ptx_for(source(np.dtype(np.float32)), arch, OPTIONS)


def test_weights_are_a_gaussian_that_sums_to_one():
    weights = weights_of(2.0, 4.0)
    assert len(weights) == 9
    assert 2 * weights[1:].sum() + weights[0] == pytest.approx(1)
    np.testing.assert_allclose(weights / weights[0], np.exp(-(np.arange(9) ** 2) / 8))


def test_line_continues_as_its_mirror_image():
    shown = [mirrored(i, 3) for i in range(-7, 10)]
    assert shown == [0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2]


def test_input_image_is_not_modified():
    image = volume(SHAPES[0])
    before = image.copy()
    smoothed(image, SIGMAS[0])
    smoothed(image[::-1, :, ::2], SIGMAS[0])
    np.testing.assert_array_equal(image, before)
    np.testing.assert_array_equal(
        smoothed(image[::-1, :, ::2], SIGMAS[0]),
        smoothed(np.ascontiguousarray(image[::-1, :, ::2]), SIGMAS[0]),
    )
    whole = smoothed(np.array([[[4, 8]]]), (0, 0, 1))
    assert whole.dtype == np.float32 and whole.sum() == pytest.approx(12)
