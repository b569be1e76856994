"""cuSPARSE calls: products of a CSR matrix with a dense matrix, in the order of a stream.

C = alpha op(A) op(B) + beta C (cuSPARSE, "Generic API Functions", cusparseSpMM).
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy import sparse

from tests.emulator.card.card import ADDRESS, INT, Card, call, put
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.memory import array_at

LONG = c_int64
_INDICES = {2: np.int32, 3: np.int64}
"""Types by `cusparseIndexType_t`."""
_REALS = {0: np.float32, 1: np.float64}
"""Types by `cudaDataType`."""
_BY_ROWS = 2
"""`CUSPARSE_ORDER_ROW`."""
_numbers = count(1)
_streams: dict[int, int | None] = {}
_described: dict[int, Callable[[], Any]] = {}
"""Functions by descriptor; each makes a matrix from the memory at the time of a product."""


@dataclass(frozen=True)
class Part:
    """An array in the card's memory."""

    at: int
    size: int
    kind: Any

    def checked(self, card: Card) -> Part:
        """Raise CudaError if the array is outside the card's memory."""
        card.check(self.at, self.size * np.dtype(self.kind).itemsize, "a sparse product")
        return self

    def read(self) -> Any:
        """Return the array with its present values."""
        return array_at(self.at, (self.size,), self.kind)


@call(ADDRESS)
def cusparseCreate(card: Card, at: int) -> None:
    put(at, c_void_p, 1)


@call(ADDRESS)
def cusparseDestroy(card: Card, handle: int) -> None:
    """Accept the call; all handles are the same."""


@call(ADDRESS, ADDRESS)
def cusparseSetStream(card: Card, handle: int, stream: int | None) -> None:
    _streams[handle] = stream


@call(ADDRESS)
def cusparseCreateMatDescr(card: Card, at: int) -> None:
    put(at, c_void_p, 1)


@call(ADDRESS)
def cusparseDestroyMatDescr(card: Card, descriptor: int) -> None:
    """Accept the call; all descriptors are the same (general, zero-based)."""


@call(ADDRESS, INT)
def cusparseSetMatType(card: Card, descriptor: int, kind: int) -> None:
    if kind:
        raise CudaError(Status.NOT_SUPPORTED, "a matrix that is stored partially")


@call(ADDRESS, INT)
def cusparseSetMatIndexBase(card: Card, descriptor: int, base: int) -> None:
    if base:
        raise CudaError(Status.NOT_SUPPORTED, "column numbers that start at 1")


def _describe(at: int, made: Callable[[], Any]) -> None:
    number = next(_numbers)
    _described[number] = made
    put(at, c_void_p, number)


@call(ADDRESS, LONG, LONG, LONG, ADDRESS, ADDRESS, ADDRESS, INT, INT, INT, INT)
def cusparseCreateCsr(
    card: Card, at: int, n_rows: int, n_columns: int, n: int, rows: int, columns: int,
    values: int, rows_type: int, columns_type: int, base: int, kind: int,
) -> None:  # fmt: skip
    starts = Part(rows, n_rows + 1, _INDICES[rows_type]).checked(card)
    places = Part(columns, n, _INDICES[columns_type]).checked(card)
    numbers = Part(values, n, _REALS[kind]).checked(card)

    def made() -> Any:
        parts = numbers.read(), places.read() - base, starts.read() - base
        return sparse.csr_matrix(parts, (n_rows, n_columns))

    _describe(at, made)


@call(ADDRESS, LONG, LONG, LONG, ADDRESS, INT, INT)
def cusparseCreateDnMat(
    card: Card,
    at: int,
    n_rows: int,
    n_columns: int,
    stride: int,
    values: int,
    kind: int,
    order: int,
) -> None:
    """Describe a dense matrix with rows or columns `stride` numbers from each other."""
    size = np.dtype(_REALS[kind]).itemsize
    steps = (stride * size, size) if order == _BY_ROWS else (size, stride * size)
    n = 1 + (n_rows - 1) * steps[0] // size + (n_columns - 1) * steps[1] // size
    flat = Part(values, n, _REALS[kind]).checked(card)
    _describe(at, lambda: as_strided(flat.read(), (n_rows, n_columns), steps))


@call(ADDRESS)
def cusparseDestroySpMat(card: Card, descriptor: int) -> None:
    del _described[descriptor]


@call(ADDRESS)
def cusparseDestroyDnMat(card: Card, descriptor: int) -> None:
    del _described[descriptor]


_PRODUCT = (ADDRESS, INT, INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, INT, INT, ADDRESS)


@call(*_PRODUCT)
def cusparseSpMM_bufferSize(card: Card, *given: int) -> None:
    put(given[-1], c_size_t, 8)


@call(*_PRODUCT)
def cusparseSpMM(
    card: Card, handle: int, a_turned: int, b_turned: int, alpha: int, a: int, b: int, beta: int,
    c: int, kind: int, algorithm: int, buffer: int,
) -> None:  # fmt: skip
    factor, old_factor = (float(array_at(at, (1,), _REALS[kind])[0]) for at in (alpha, beta))
    left, right, out = (_described[each] for each in (a, b, c))

    def multiply() -> None:
        first, second, place = left(), right(), out()
        product = factor * ((first.T if a_turned else first) @ (second.T if b_turned else second))
        place[...] = product + old_factor * place if old_factor else product

    card.work.put(card.work.stream(_streams.get(handle)), multiply)
