"""cuFFT calls: batched plans, and transforms in the order of a stream.

A real row of n becomes n // 2 + 1 complex numbers; the inverse is not divided by n (cuFFT,
"Fourier Transform Types").
"""

from __future__ import annotations

from ctypes import c_int, c_size_t
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.emulator.card.card import ADDRESS, INT, Card, call, put
from tests.emulator.card.errors import CudaError, Status
from tests.emulator.card.memory import array_at

_plans: dict[int, _Plan] = {}


@dataclass
class _Plan:
    n: int = 0
    n_rows: int = 0
    stream: int | None = None


@call(ADDRESS)
def cufftCreate(card: Card, at: int) -> None:
    _plans[len(_plans) + 1] = _Plan()
    put(at, c_int, len(_plans))


@call(INT)
def cufftDestroy(card: Card, plan: int) -> None:
    _plans[plan] = _Plan()


@call(INT, INT)
def cufftSetAutoAllocation(card: Card, plan: int, is_automatic: int) -> None:
    """Accept the call; the caller always provides memory for a plan."""


@call(INT, ADDRESS)
def cufftSetWorkArea(card: Card, plan: int, at: int) -> None:
    card.check(at, 1, "the memory of a Fourier transform")


@call(INT, INT, INT, INT, ADDRESS)
def cufftMakePlan1d(card: Card, plan: int, n: int, kind: int, n_rows: int, size: int) -> None:
    _plans[plan].n, _plans[plan].n_rows = n, n_rows
    put(size, c_size_t, 8 * n * n_rows)


@call(INT, ADDRESS)
def cufftSetStream(card: Card, plan: int, stream: int | None) -> None:
    _plans[plan].stream = stream


def _transformed(card: Card, number: int, given: tuple[int, Any], out: tuple[int, Any]) -> None:
    plan = _plans[number]
    half = plan.n // 2 + 1
    arrays = []
    for at, dtype in (given, out):
        kind = np.dtype(dtype)
        real = kind.kind == "f"
        is_half = np.dtype(given[1]).kind == "f" or np.dtype(out[1]).kind == "f"
        shape = (plan.n_rows, plan.n if real or not is_half else half)
        card.check(at, shape[0] * shape[1] * kind.itemsize, "a Fourier transform")
        arrays.append(array_at(at, shape, kind))
    source, target = arrays

    @np.errstate(all="ignore")  # a GPU does not report them
    def transform() -> None:
        if source.dtype.kind == "f":
            target[...] = np.fft.rfft(source, axis=1)
        elif target.dtype.kind == "f":
            target[...] = np.fft.irfft(source, plan.n, axis=1, norm="forward")
        else:
            raise CudaError(Status.NOT_SUPPORTED, "a transform of complex numbers")

    card.work.put(card.work.stream(plan.stream), transform)


@call(INT, ADDRESS, ADDRESS)
def cufftExecR2C(card: Card, plan: int, source: int, target: int) -> None:
    _transformed(card, plan, (source, np.float32), (target, np.complex64))


@call(INT, ADDRESS, ADDRESS)
def cufftExecC2R(card: Card, plan: int, source: int, target: int) -> None:
    _transformed(card, plan, (source, np.complex64), (target, np.float32))


@call(INT, ADDRESS, ADDRESS)
def cufftExecD2Z(card: Card, plan: int, source: int, target: int) -> None:
    _transformed(card, plan, (source, np.float64), (target, np.complex128))


@call(INT, ADDRESS, ADDRESS)
def cufftExecZ2D(card: Card, plan: int, source: int, target: int) -> None:
    _transformed(card, plan, (source, np.complex128), (target, np.float64))
