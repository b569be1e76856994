"""Gaussian smoothing on a GPU, with the same bits as on the CPU; see gaussian.cu."""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from engine.core.backend.gpu import Array, Gpu
from engine.kernels.source import render

BLOCK = 256
OPTIONS = ("-std=c++17", "-fmad=false")
"""Compiler options; equal bits need equal rounding."""


def source(dtype: np.dtype[np.float32] | np.dtype[np.float64]) -> str:
    """Return the CUDA source for images of a dtype."""
    return render("gaussian", real="double" if dtype == np.float64 else "float", block=BLOCK)


def smooth(image: Array, weights: tuple[NDArray[np.float64] | None, ...], gpu: Gpu) -> Array:
    """Return a smoothed volume on the device.

    Parameters
    ----------
    image
        (n_z, n_y, n_x) on the device, not changed
    weights
        weights along z, y and x, from `engine.kernels.smoothing.gaussian`; None: not smoothed
    gpu
        the device

    Returns
    -------
    contiguous, same shape and dtype
    """
    kernel = gpu.load(source(image.dtype), OPTIONS).function("smooth")
    current = gpu.empty(image.shape, image.dtype)
    current[...] = image
    result, n_all = gpu.empty(image.shape, image.dtype), image.size
    for axis, along in enumerate(weights):
        if along is None or not n_all:
            continue
        stride = prod(image.shape[axis + 1 :])
        size = np.int32(image.shape[axis]), np.int64(stride), np.int64(n_all)
        reach = np.int32(len(along) - 1)
        kernel(-(-n_all // BLOCK), BLOCK, current, gpu.upload(along), reach, *size, result)
        # Two buffers alternate: each axis reads the result of the previous one.
        current, result = result, current
    return current
