"""A family of known answers: what is asked of a card, and how its answers are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array
from engine.core.backend import Backend

Faults = Iterator[str]
SEED = 20261125
FLOAT_RTOL = 3e-5
"""Floating sums in another order may differ by so much of the largest value."""
TEXTURE_RTOL = 1 / 100
"""Fractions of 8 bits, along two axes, of noise: of the largest value."""


@dataclass(frozen=True)
class Family:
    """What is asked of a card.

    Attributes
    ----------
    name : in words
    ask : yields what is wrong on the first device, in words, judged by the second, the CPU
    """

    name: str
    ask: Callable[[Backend, Backend], Faults]


def random_numbers() -> np.random.Generator:
    """Return the same numbers for every test."""
    return np.random.default_rng(SEED)


def far(what: str, got: Array, wanted: Array, rtol: float = FLOAT_RTOL) -> Faults:
    """Yield a fault if two arrays differ by more than `rtol` of the largest value."""
    if got.shape != wanted.shape:
        yield f"{what}: shape {got.shape}, wanted {wanted.shape}"
        return
    with np.errstate(invalid="ignore", over="ignore"):
        away = np.abs(got.astype(np.float64) - wanted)
    n_bad = int((~np.isfinite(away)).sum())
    largest = float(np.abs(wanted).max())
    if n_bad:
        yield f"{what}: {n_bad} of {got.size} values are no numbers"
    elif not float(away.max()) <= rtol * largest:
        yield f"{what}: off by {float(away.max()) / max(largest, 1e-30):.2g} of the largest value"


def other(what: str, got: Array, wanted: Array) -> Faults:
    """Yield a fault unless two arrays have the same bits."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        yield f"{what}: {got.dtype} {got.shape}, wanted {wanted.dtype} {wanted.shape}"
    elif got.tobytes() != wanted.tobytes():
        n = int((got.view(np.uint8) != wanted.view(np.uint8)).sum())
        yield f"{what}: other bits than on the CPU, in {n} of {got.nbytes} bytes"
