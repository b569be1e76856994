"""Tests of filters: closed forms, and the same image on a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from engine.core.backend import Backend
from engine.geometry.tof import FWHM_PER_SIGMA
from engine.recon.postprocess import FILTERS, Filter, Gaussian, Median

VOXEL_MM = (2.0, 3.0, 4.0)


def point(shape: tuple[int, int, int] = (21, 21, 21)) -> np.ndarray:
    image = np.zeros(shape, np.float32)
    image[tuple(n // 2 for n in shape)] = 8
    return image


def test_gaussian_has_the_same_width_in_mm_along_every_axis() -> None:
    smooth = Gaussian(fwhm_mm=9.0).apply(point(), VOXEL_MM)

    assert smooth.sum() == pytest.approx(8, rel=1e-5)
    for axis, voxel_mm in enumerate(VOXEL_MM[::-1]):
        profile = smooth.sum(axis=tuple({0, 1, 2} - {axis})) / 8
        away = (np.arange(21) - 10) * voxel_mm
        sigma = np.sqrt((profile * away**2).sum())
        assert sigma * FWHM_PER_SIGMA == pytest.approx(9.0, rel=0.01)  # truncated at 4 sigma


def test_gaussian_preserves_a_uniform_image_at_the_border() -> None:
    uniform = np.full((9, 5, 7), 3, np.float32)

    for fwhm_mm in (3.0, 9.0, 40.0):
        smooth = Gaussian(fwhm_mm=fwhm_mm).apply(uniform, VOXEL_MM)
        np.testing.assert_allclose(smooth, 3, rtol=1e-6)


def test_gaussian_preserves_counts_at_the_border(rng: np.random.Generator) -> None:
    image = np.zeros((8, 7, 6), np.float32)
    image[0, 0, 0], image[7, 3, 5] = 8, 3

    smooth = Gaussian(fwhm_mm=6.0).apply(image, VOXEL_MM)

    assert smooth.sum() == pytest.approx(11, rel=1e-6)
    other = rng.random(image.shape, np.float32)
    forth = (Gaussian(fwhm_mm=6.0).apply(other, VOXEL_MM) * image).sum()
    assert forth == pytest.approx((other * smooth).sum(), rel=1e-5), (
        "the filter must be its own adjoint"
    )


def test_median_removes_a_hot_voxel_and_preserves_an_edge() -> None:
    edge = np.zeros((7, 7, 7), np.float32)
    edge[:, :, 3:] = 1

    np.testing.assert_array_equal(Median().apply(point(), VOXEL_MM), 0)
    np.testing.assert_array_equal(Median(size=5).apply(edge, VOXEL_MM), edge)


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 2, 5), (4, 5, 1), (3, 3, 2), (7, 19, 40)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_median_has_the_bits_of_scipy(
    shape: tuple[int, int, int], dtype: str, rng: np.random.Generator
) -> None:
    for image in (rng.standard_normal(shape), rng.integers(0, 4, shape)):  # also with ties
        values = image.astype(dtype)
        expected = ndimage.median_filter(values, size=3, mode="nearest")
        np.testing.assert_array_equal(Median().apply(values, VOXEL_MM), expected)


def test_median_accepts_any_memory_order(rng: np.random.Generator) -> None:
    image = rng.random((9, 8, 7), np.float32)
    expected = ndimage.median_filter(image.T, size=3, mode="nearest")
    np.testing.assert_array_equal(Median().apply(image.T, VOXEL_MM), expected)


@pytest.mark.parametrize("kind", FILTERS)
def test_image_on_a_gpu_is_filtered_there(
    kind: type[Filter], device: Backend, rng: np.random.Generator
) -> None:
    image = rng.random((9, 12, 15), np.float32)
    there = device.to_device(image)

    found = kind().apply(there, VOXEL_MM)

    assert type(found) is type(there)
    assert found.dtype == np.float32
    expected = kind().apply(image, VOXEL_MM)
    np.testing.assert_allclose(device.to_host(found), expected, rtol=1e-5)
    np.testing.assert_array_equal(device.to_host(there), image)
