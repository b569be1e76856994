"""Sort like CuPy's part of Thrust: along the last axis, stable, NaN last.

The kernels of Thrust are machine code, which the software card cannot run.
"""

from __future__ import annotations

import math
from ctypes import c_int, c_int64, c_void_p
from typing import Any

import numpy as np

from tests.emulator.card.card import ADDRESS, INT, Card, call
from tests.emulator.card.memory import array_at

_TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
"""Types by CuPy's numbers (cupy/cuda/common)."""
SORT = "_Z11thrust_sortiPvPmRKSt6vectorIlSaIlEElS_"
ARGSORT = "_Z14thrust_argsortiPmPvS0_RKSt6vectorIlSaIlEElS0_"


def _shape(vector: int) -> tuple[int, ...]:
    """Return the values of a `std::vector<long>`: its first two words are its begin and end."""
    first, end = (c_void_p * 2).from_address(vector)
    return tuple((c_int64 * ((end - first) // 8)).from_address(first))


def _values(card: Card, at: int, shape: tuple[int, ...], dtype: Any) -> Any:
    card.check(at, math.prod(shape) * np.dtype(dtype).itemsize, "sorting")
    return array_at(at, shape, dtype)


def sort(card: Card, kind: int, at: int, keys: int, shape: int, stream: int, pool: int) -> None:
    values = _values(card, at, _shape(shape), _TYPES[kind])
    card.work.put(card.work.stream(stream), lambda: values.sort(axis=-1, kind="stable"))


def argsort(
    card: Card, kind: int, index: int, at: int, keys: int, shape: int, stream: int, pool: int
) -> None:
    values = _values(card, at, _shape(shape), _TYPES[kind])
    order = _values(card, index, values.shape, np.int64)

    def sort_them() -> None:
        order[...] = np.argsort(values, axis=-1, kind="stable")
        values.sort(axis=-1, kind="stable")

    card.work.put(card.work.stream(stream), sort_them)


sort.__name__, argsort.__name__ = SORT, ARGSORT
call(c_int, *(ADDRESS,) * 3, c_int64, ADDRESS)(sort)
call(INT, *(ADDRESS,) * 4, c_int64, ADDRESS)(argsort)
