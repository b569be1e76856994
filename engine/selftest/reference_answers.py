"""A family of reference answers: results of a GPU, and their comparison with the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend

Faults = Iterator[str]
SEED = 20261125
FLOAT_RTOL = 3e-5
"""Tolerance for float sums in another order, relative to the largest value."""
TEXTURE_RTOL = 1 / 100
"""Tolerance for 8-bit fractions along two axes on noise, relative to the largest value."""


@dataclass(frozen=True)
class Family:
    """A group of checks of a card.

    Attributes
    ----------
    name : displayed name
    ask : yields faults of the first device as texts; the second device, the CPU, is the reference
    """

    name: str
    ask: Callable[[Backend, Backend], Faults]


def random_numbers() -> np.random.Generator:
    """Return a generator with the same numbers for every test."""
    return np.random.default_rng(SEED)


def far(what: str, got: Array, wanted: Array, rtol: float = FLOAT_RTOL) -> Faults:
    """Yield a fault if two arrays differ by more than a tolerance.

    Parameters
    ----------
    what
        name of the answer in the fault
    got
        answer of the card
    wanted
        answer of the CPU
    rtol
        tolerance relative to the largest value of `wanted`
    """
    if got.shape != wanted.shape:
        yield f"{what}: shape {got.shape}, expected {wanted.shape}"
        return
    with np.errstate(invalid="ignore", over="ignore"):
        # Infinities of a faulty card would cause warnings here; they are counted below.
        away = np.abs(got.astype(np.float64) - wanted)
    n_bad = int((~np.isfinite(away)).sum())
    largest = float(np.abs(wanted).max())
    if n_bad:
        yield f"{what}: {n_bad} of {got.size} values are not finite"
    # Relative to the largest value, not per element: sums that cancel have no relative accuracy.
    elif not float(away.max()) <= rtol * largest:
        yield f"{what}: off by {float(away.max()) / max(largest, 1e-30):.2g} of the largest value"


def other(what: str, got: Array, wanted: Array) -> Faults:
    """Yield a fault unless two arrays have the same bits.

    Parameters
    ----------
    what
        name of the answer in the fault
    got
        answer of the card
    wanted
        answer of the CPU
    """
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        yield f"{what}: {got.dtype} {got.shape}, expected {wanted.dtype} {wanted.shape}"
    elif got.tobytes() != wanted.tobytes():
        n = int((got.view(np.uint8) != wanted.view(np.uint8)).sum())
        yield f"{what}: {n} of {got.nbytes} bytes differ from the CPU"
