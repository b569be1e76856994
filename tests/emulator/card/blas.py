"""cuBLAS calls: products of vectors and matrices, in the order of a stream.

Matrices are stored by columns (cuBLAS, "Data Layout").
"""

from __future__ import annotations

from ctypes import c_int, c_void_p
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tests.emulator.card.card import ADDRESS, INT, Card, call, put
from tests.emulator.card.memory import array_at

_on_device = False
_stream: int | None = None


@call(ADDRESS)
def cublasCreate_v2(card: Card, at: int) -> None:
    put(at, c_void_p, 1)


@call(ADDRESS)
def cublasDestroy_v2(card: Card, handle: int) -> None:
    """Accept the call; all handles are the same."""


@call(ADDRESS, ADDRESS)
def cublasSetStream_v2(card: Card, handle: int, stream: int | None) -> None:
    global _stream
    _stream = stream


@call(ADDRESS, ADDRESS)
def cublasGetPointerMode_v2(card: Card, handle: int, at: int) -> None:
    put(at, c_int, int(_on_device))


@call(ADDRESS, INT)
def cublasSetPointerMode_v2(card: Card, handle: int, mode: int) -> None:
    global _on_device
    _on_device = bool(mode)


@call(ADDRESS, ADDRESS)
def cublasGetMathMode(card: Card, handle: int, at: int) -> None:
    put(at, c_int, 0)


@call(ADDRESS, INT)
def cublasSetMathMode(card: Card, handle: int, mode: int) -> None:
    """Accept any mode; products have full precision in all of them."""


def _vector(card: Card, n: int, at: int, step: int, dtype: Any) -> Any:
    size = ((n - 1) * step + 1) * np.dtype(dtype).itemsize
    card.check(at, size, "a product")
    return array_at(at, ((n - 1) * step + 1,), dtype)[::step]


def _dot(card: Card, dtype: Any, n: int, x: int, dx: int, y: int, dy: int, at: int) -> None:
    a, b = _vector(card, n, x, dx, dtype), _vector(card, n, y, dy, dtype)
    if _on_device:
        card.check(at, np.dtype(dtype).itemsize, "a product's place")
    out = array_at(at, (1,), dtype)
    stream = card.work.stream(_stream)
    card.work.put(stream, lambda: np.copyto(out, np.dot(a, b)))
    if not _on_device:
        card.work.synchronize(stream)


@call(ADDRESS, INT, ADDRESS, INT, ADDRESS, INT, ADDRESS)
def cublasSdot_v2(card: Card, handle: int, *given: int) -> None:
    _dot(card, np.float32, *given)


@call(ADDRESS, INT, ADDRESS, INT, ADDRESS, INT, ADDRESS)
def cublasDdot_v2(card: Card, handle: int, *given: int) -> None:
    _dot(card, np.float64, *given)


def _norm(card: Card, dtype: Any, n: int, x: int, dx: int, at: int) -> None:
    values, out = _vector(card, n, x, dx, dtype), array_at(at, (1,), dtype)
    stream = card.work.stream(_stream)
    card.work.put(stream, lambda: np.copyto(out, np.linalg.norm(values)))
    if not _on_device:
        card.work.synchronize(stream)


@call(ADDRESS, INT, ADDRESS, INT, ADDRESS)
def cublasSnrm2_v2(card: Card, handle: int, *given: int) -> None:
    _norm(card, np.float32, *given)


@call(ADDRESS, INT, ADDRESS, INT, ADDRESS)
def cublasDnrm2_v2(card: Card, handle: int, *given: int) -> None:
    _norm(card, np.float64, *given)


def _matrix(card: Card, at: int, n_rows: int, n_columns: int, stride: int, dtype: Any) -> Any:
    """Return a matrix with columns `stride` numbers from each other."""
    size = np.dtype(dtype).itemsize
    n = (n_columns - 1) * stride + n_rows
    card.check(at, n * size, "a product of matrices")
    flat = array_at(at, (n,), dtype)
    return as_strided(flat, (n_rows, n_columns), (size, stride * size))


@call(ADDRESS, INT, INT, INT, INT, *(ADDRESS, ADDRESS, INT) * 2, ADDRESS, INT)
def cublasSgeam(
    card: Card, handle: int, a_turned: int, b_turned: int, m: int, n: int,
    alpha: int, a: int, a_stride: int, beta: int, b: int, b_stride: int, c: int, c_stride: int,
) -> None:  # fmt: skip
    """Compute c = alpha op(a) + beta op(b), with shape m x n."""
    left = _matrix(card, a, *((n, m) if a_turned else (m, n)), a_stride, np.float32)
    right = _matrix(card, b, *((n, m) if b_turned else (m, n)), b_stride, np.float32)
    out = _matrix(card, c, m, n, c_stride, np.float32)
    left, right = left.T if a_turned else left, right.T if b_turned else right
    stream = card.work.stream(_stream)
    if _on_device:  # read in the order of the stream
        card.work.synchronize(stream)
    factors = [float(array_at(at, (1,), np.float32)[0]) for at in (alpha, beta)]
    parts = [(f, part) for f, part in zip(factors, (left, right), strict=True) if f]
    card.work.put(stream, lambda: np.copyto(out, sum(f * part for f, part in parts)))


_REALS = {0: np.float32, 1: np.float64}
"""Types by `cudaDataType`."""


@call(
    *(ADDRESS, INT, INT, INT, INT, INT, ADDRESS),
    *(ADDRESS, INT, INT, ADDRESS, INT, INT, ADDRESS, ADDRESS, INT, INT, INT, INT),
)
def cublasGemmEx(
    card: Card, handle: int, a_turned: int, b_turned: int, m: int, n: int, k: int, alpha: int,
    a: int, a_type: int, a_stride: int, b: int, b_type: int, b_stride: int, beta: int,
    c: int, c_type: int, c_stride: int, compute: int, algorithm: int,
) -> None:  # fmt: skip
    """Compute c = alpha op(a) op(b) + beta c, from m x k and k x n."""
    kinds = [_REALS[kind] for kind in (a_type, b_type, c_type)]
    left = _matrix(card, a, *((k, m) if a_turned else (m, k)), a_stride, kinds[0])
    right = _matrix(card, b, *((n, k) if b_turned else (k, n)), b_stride, kinds[1])
    out = _matrix(card, c, m, n, c_stride, kinds[2])
    left, right = left.T if a_turned else left, right.T if b_turned else right
    stream = card.work.stream(_stream)
    if _on_device:  # read in the order of the stream
        card.work.synchronize(stream)
    factors = [float(array_at(at, (1,), kinds[2])[0]) for at in (alpha, beta)]

    def multiply() -> None:
        product = factors[0] * (left @ right)
        out[...] = product + factors[1] * out if factors[1] else product

    card.work.put(stream, multiply)
