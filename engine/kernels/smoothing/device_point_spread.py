"""Blur by a point spread on a GPU: sparse matrices of planes and pixels; see point_spread.cu."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from engine.core.backend.gpu import Array, Gpu
from engine.kernels.source import render

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

BLOCK, PLANES = 256, 4
OPTIONS = ("-std=c++17", "-fmad=false")
"""Compiler options; the CPU twin rounds each product."""
Direction = Literal["along", "across"]


def source(dtype: np.dtype[np.float32] | np.dtype[np.float64]) -> str:
    """Return the CUDA source for images of a dtype."""
    real = "double" if dtype == np.float64 else "float"
    return render("point_spread", real=real, block=BLOCK, planes=PLANES)


@dataclass(frozen=True)
class SparseElements:
    """Square sparse matrix on the device.

    Attributes
    ----------
    counts : (n,) number of elements of each row
    columns, weights : (most, n) the k-th element of each row
    """

    counts: Array
    columns: Array
    weights: Array

    @classmethod
    def upload(cls, gpu: Gpu, matrix: csr_matrix) -> SparseElements:
        """Copy a sparse matrix to the device.

        Parameters
        ----------
        gpu
            the device
        matrix
            (n, n)
        """
        n, counts = matrix.shape[0], np.diff(matrix.indptr)
        # The k-th elements of all rows are contiguous: threads of neighbouring rows read
        # neighbouring numbers.
        shape = max(int(counts.max(initial=0)), 1), n
        columns, weights = np.zeros(shape, np.int32), np.zeros(shape, np.float32)
        rows = np.repeat(np.arange(n), counts)
        place = np.arange(matrix.nnz) - matrix.indptr[rows]
        columns[place, rows], weights[place, rows] = matrix.indices, matrix.data
        return cls(*(gpu.upload(each) for each in (counts.astype(np.int32), columns, weights)))


def applied(gpu: Gpu, direction: Direction, elements: SparseElements, image: Array) -> Array:
    """Return an image multiplied by a sparse matrix.

    Parameters
    ----------
    gpu
        the device
    direction
        "along": the matrix combines planes; "across": pixels of each plane
    elements
        the matrix
    image
        (n_z, n_y, n_x), contiguous on the device
    """
    kernel = gpu.load(source(image.dtype), OPTIONS).function(direction)
    n_planes, n_pixels = len(image), image.shape[1] * image.shape[2]
    n_high = n_planes if direction == "along" else -(-n_planes // PLANES)
    out = gpu.empty(image.shape, image.dtype)
    matrix = elements.counts, elements.columns, elements.weights
    size = np.int32(n_pixels), np.int32(n_planes)
    kernel((-(-n_pixels // BLOCK), n_high), BLOCK, image, *matrix, *size, out)
    return out
