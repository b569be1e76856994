"""Sums over the 26 neighbours of each voxel on a GPU; see pairs.cu."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.backend.gpu import Array, Gpu
from engine.kernels.source import render

BLOCK = 256
OPTIONS = ("-std=c++17", "-fmad=false")
"""Compiler options; equal bits need equal rounding."""


def source(dtype: np.dtype[np.float32] | np.dtype[np.float64]) -> str:
    """Return the CUDA source for images of a dtype."""
    return render("pairs", real="double" if dtype == np.float64 else "float", block=BLOCK)


def sums(
    gpu: Gpu,
    term: int,
    kind: int,
    x: Array,
    vector: Array,
    kappa: Array,
    shares: Array | None,
    tables: tuple[Array, ...],
) -> Array:
    """Return the sums over the neighbours of each voxel.

    Parameters
    ----------
    gpu
        the device
    term, kind
        numbers from `engine.kernels.neighbours.pairs`
    x, vector, kappa
        (n_z, n_y, n_x) on the device, contiguous and of one type
    shares
        (13, n_z, n_y, n_x) uint8 on the device; None if all pairs count fully
    tables
        weights (26,), steps (26, 3), order (26,) and numbers (4,) on the device

    Returns
    -------
    (n_z, n_y, n_x)
    """
    weights, steps, order, numbers = tables
    out = gpu.empty(x.shape, x.dtype)
    if not x.size:
        return out
    # A kernel argument cannot be missing.
    some = gpu.empty((1,), np.uint8) if shares is None else shares
    size = tuple(np.int32(n) for n in x.shape[::-1])
    gpu.load(source(x.dtype), OPTIONS).function("pairs")(
        -(-x.size // BLOCK), BLOCK, np.int32(term), np.int32(kind), x, vector, kappa, weights,
        some, np.int32(shares is not None), steps, order, numbers, *size, np.int64(x.size), out,
    )  # fmt: skip
    return out


def tables_of(gpu: Gpu, *tables: NDArray[Any]) -> tuple[Array, ...]:
    """Return copies of tables on a device.

    Parameters
    ----------
    gpu
        the device
    tables
        arrays on the host
    """
    return tuple(gpu.upload(each) for each in tables)
