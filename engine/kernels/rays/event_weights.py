"""Random weights of events in bootstrap replicates: independent Poisson numbers with mean 1.

In a replicate every event of the scan counts w times. The counts of any bin of a replicate are then
Poisson numbers around the measured counts, like those of a repeated measurement. A weight is a
function of the seed, the event and the replicate only:

    w = #{ j : u ≥ 2³² Σ_{k ≤ j} e⁻¹ / k! },    u: 32 bits of mix(key + γ (512 row + pair) + δ e)

e is the number of an event within its row. Rows of list mode have one event, e = 0. Two replicates
are a pair and share the 64 bits of one number: the even replicate takes the low half. If a count is
not an integer, its fractional part has the weight 1.

mix and γ: Steele, Lea & Flood, Fast splittable pseudorandom number generators, OOPSLA 2014 (mix64
with the constants of Stafford's variant 13). Poisson weights: Hanley & MacGibbon, Comput. Methods
Programs Biomed. 83 (2006) 57.
"""

from __future__ import annotations

from math import exp, factorial
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit

MAX_REPLICATES = 1024
"""Replicates with random numbers of their own: two for each of 512 numbers of an event."""
_N_THRESHOLDS = 12
"""Thresholds of u that fit into 32 bits: a weight above 12 has a probability of 6e-11."""
THRESHOLDS = tuple(
    round(2**32 * exp(-1) * sum(1 / factorial(k) for k in range(j + 1)))
    for j in range(_N_THRESHOLDS)
)
GAMMA, DELTA, PAIR_BITS = 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 9
"""γ, δ and the bits for the number of a pair."""
MIX_FIRST, MIX_SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Factors of mix64."""
_ROW_BITS = 40
"""Bits for the rows of one part of a scan: 10¹² rows."""
_FRONT_BITS, _BACK_BITS, _UNDECIDED = 12, 20, 255
"""A table of 4 KiB gives nearly all weights. Comparisons one by one take five times as long."""
_STRICT: Plain = {"error_model": "numpy", "_nrt": False}
_INLINE = njit(inline="always", **_STRICT)
_WORD = 2**64 - 1


class Draws(NamedTuple):
    """Weights of the rows of a projector.

    Attributes
    ----------
    key : start of the random numbers, from `key_of`
    first, step : row r has the number first + r · step
    n : number of replicates
    first_replicate : number of the first of them; even
    """

    key: np.uint64
    first: int
    step: int
    n: int
    first_replicate: int = 0

    def of_rows(self, start: int, step: int) -> Draws:
        """Return the weights of rows start, start + step, ...

        Parameters
        ----------
        start
            first row
        step
            distance of the rows
        """
        return self._replace(first=self.first + start * self.step, step=self.step * step)

    def replicates(self, first: int, n: int) -> Draws:
        """Return the weights in some of the replicates.

        Parameters
        ----------
        first
            number of the first one; even
        n
            number of replicates
        """
        return self._replace(n=n, first_replicate=self.first_replicate + first)


def draws_of(n: int, seed: int, part: int = 0) -> Draws:
    """Return the weights of all rows in n replicates.

    Parameters
    ----------
    n
        number of replicates, at most `MAX_REPLICATES`
    seed
        number from 0 to 2⁶³
    part
        number of the part of a scan, such as a time frame; its weights are independent of others
    """
    return Draws(key_of(seed), part << _ROW_BITS, 1, n)


def key_of(seed: int) -> np.uint64:
    """Return the start of the random numbers of a seed.

    Parameters
    ----------
    seed
        number from 0 to 2⁶³
    """
    z = (seed * GAMMA + 1) & _WORD
    z = ((z ^ z >> 30) * MIX_FIRST) & _WORD
    z = ((z ^ z >> 27) * MIX_SECOND) & _WORD
    return np.uint64(z ^ z >> 31)


def _by_front() -> NDArray[np.uint8]:
    """Return the Poisson number for the first bits of u; `_UNDECIDED` if the other bits matter."""
    fronts = np.arange(2**_FRONT_BITS, dtype=np.uint64) << np.uint64(_BACK_BITS)
    edges = np.array(THRESHOLDS, np.uint64)
    low = np.searchsorted(edges, fronts, "right")
    high = np.searchsorted(edges, fronts + np.uint64(2**_BACK_BITS - 1), "right")
    return np.where(low == high, low, _UNDECIDED).astype(np.uint8)


_BY_FRONT = _by_front()


@_INLINE
def poisson_of(u: np.uint32) -> int:
    """Return the Poisson number with mean 1 of 32 random bits.

    Parameters
    ----------
    u
        random bits
    """
    n = int(_BY_FRONT[u >> np.uint32(_BACK_BITS)])
    if n == _UNDECIDED:
        n = 0
        for threshold in THRESHOLDS:
            n += int(u >= np.uint32(threshold))
    return n


@_INLINE
def draw(draws: Draws, row: int, count: float, weights: Array) -> None:
    """Write the sum of the weights of a row's events, for all replicates.

    Parameters
    ----------
    draws
        weights of the rows
    row
        number of the row
    count
        number of its events; 1 in list mode
    weights
        (≥ n,) which are written; n rounded up to an even number
    """
    whole, number = int(count), np.uint64(draws.first + row * draws.step)
    for pair in range((draws.n + 1) // 2):
        pair_number = np.uint64(pair + draws.first_replicate // 2)
        at = draws.key + np.uint64(GAMMA) * ((number << np.uint64(PAIR_BITS)) | pair_number)
        even, odd = 0, 0
        for _ in range(whole):
            z = (at ^ (at >> np.uint64(30))) * np.uint64(MIX_FIRST)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_SECOND)
            z = z ^ (z >> np.uint64(31))
            even += poisson_of(np.uint32(z & np.uint64(0xFFFFFFFF)))
            odd += poisson_of(np.uint32(z >> np.uint64(32)))
            at += np.uint64(DELTA)
        weights[2 * pair] = even + (count - whole)
        weights[2 * pair + 1] = odd + (count - whole)


@cached_njit(**_STRICT)
def _write_weights(
    draws: Draws, replicate: int, counts: Array, of_row: Array, weights: Array
) -> None:
    for row in range(len(weights)):
        draw(draws, row, counts[row] if counts.size else 1.0, of_row)
        weights[row] = of_row[replicate]


def weights_of(
    draws: Draws, replicate: int, n_rows: int, counts: Array | None = None
) -> NDArray[np.float32]:
    """Return the counts of all rows in one replicate, (n_rows,).

    Parameters
    ----------
    draws
        weights of the rows
    replicate
        number of the replicate, from 0
    n_rows
        number of rows
    counts
        (n_rows,) number of events of each row; None: one each
    """
    # Only the pair of this replicate is drawn.
    pair = draws._replace(n=2, first_replicate=draws.first_replicate + replicate // 2 * 2)
    weights, of_row = np.empty(n_rows, np.float32), np.empty(2, np.float32)
    number = np.empty(0, np.float32) if counts is None else np.ascontiguousarray(counts, np.float32)
    _write_weights(pair, replicate % 2, number, of_row, weights)
    return weights
