"""cuBLAS's calls: products of vectors and matrices, in the order of a stream.

Matrices are stored by columns (cuBLAS, "Data Layout").
"""

from __future__ import annotations

from ctypes import c_int, c_void_p
from typing import Any

import numpy as np

from tests.emulator.card.card import ADDRESS, INT, Card, call, put
from tests.emulator.card.memory import array_at

_on_device = False
_stream: int | None = None


@call(ADDRESS)
def cublasCreate_v2(card: Card, at: int) -> None:
    put(at, c_void_p, 1)


@call(ADDRESS)
def cublasDestroy_v2(card: Card, handle: int) -> None:
    """There is one."""


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
    """Products are whole in any."""


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
