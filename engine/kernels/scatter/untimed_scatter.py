"""Single scatter without time of flight: contributions of scatter points to pairs of samples.

`engine.corrections.scatter_estimation.simulation` has the formulas. A call processes the samples
[start, stop) in sequence, in one thread. The lanes of a register hold a block of `LANES` points.
A first pass selects the blocks with counted photons; a second pass processes them in long loops
without branches. Terms are added in a fixed order, so the bits do not depend on the number of
threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from engine.core.arrays import Array
from engine.core.json_types import Plain
from engine.kernels.compile_cache import cached_njit
from engine.kernels.processor import HAS_AVX512, LANES
from engine.kernels.vectors.gathered import gathered_pairs
from engine.kernels.vectors.registers import (
    either,
    every,
    fused,
    halved,
    higher,
    is_any,
    lower,
    read,
    real,
    whole,
    write,
)

# Without reassociation, so that every processor adds terms in the order that is written here.
_MATH: Plain = {"fastmath": {"contract"}, "error_model": "numpy"}
_CALLED_MATH: Plain = {**_MATH, "_nrt": False}
_KERNEL = cached_njit(**_MATH)
_INLINE = njit(inline="always", **_MATH)
_CALLED = njit(**_CALLED_MATH)
N_ROWS = 6
"""Values of each path: see `add_untimed`."""
_BLOCK = N_ROWS * LANES
_AT_ONCE = 64
"""Blocks that are worked on together, and pairs: their values stay in the first cache."""
_FOUR = 4
"""Lanes of the register that adds the last points of a processor with AVX-512."""


class QuickTables(NamedTuple):
    """Tables over the cosine in float32, with a polynomial for one of them: it takes no loads."""

    least: float  # smallest cosine that is counted
    chance: Array  # per steradian, times the window's relative efficiency; from `least` to 1
    growth: Array  # (10,) coefficients of the powers of 1 - cosine, the constant one first


class _Found(NamedTuple):
    """Blocks of points at which a pair of samples counts photons."""

    along: Array  # (blocks · LANES,) float32: minus the cosine of each angle
    at: Array  # the same, int32: step of the table
    part: Array  # the same, float32: fraction of this step
    block: Array  # (blocks,) int64: number of the block
    pair: Array  # (blocks,) int64: number of its pair
    other: Array  # (pairs,) int64: second sample of each pair
    sums: Array  # (pairs · LANES,) float32: sums of each pair
    rest: Array  # (3 · pairs · LANES,) float32: of each pair's last block, if points do not fill it


@_INLINE
def _reals(n: int) -> Array:
    """Return n registers of float32, each in one line of the cache."""
    memory = np.empty((n + 1) * LANES, np.float32)
    first = (-memory.ctypes.data % (4 * LANES)) // 4
    return memory[first : first + n * LANES]


@_INLINE
def _new_found(n_blocks: int) -> _Found:
    n = _AT_ONCE + n_blocks
    return _Found(
        _reals(n),
        np.empty(n * LANES, np.int32),
        _reals(n),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(_AT_ONCE, np.int64),
        _reals(_AT_ONCE),
        _reals(3 * _AT_ONCE),
    )


@_INLINE
def _decay(x: Any) -> Any:
    """Return exp(-x) as `decay_single` does, in each lane."""
    one, y = every(np.float32(1)), x * every(np.float32(1 / 16))
    part = every(np.float32(1 / 24)) - y * every(np.float32(1 / 120))
    part = every(np.float32(1 / 2)) - y * (every(np.float32(1 / 6)) - y * part)
    part = one - y * (one - y * part)
    part = part * part
    part = part * part
    part = part * part
    return part * part


@_INLINE
def _curve(x: Any, c: Array) -> Any:
    """Value of a polynomial of degree 9; c : its coefficients, the constant one first."""
    high = every(c[8]) + x * every(c[9])
    high = every(c[6]) + x * (every(c[7]) + x * high)
    high = every(c[4]) + x * (every(c[5]) + x * high)
    high = every(c[2]) + x * (every(c[3]) + x * high)
    return every(c[0]) + x * (every(c[1]) + x * high)


@_CALLED
def _find(own: Array, rows: Array, least: np.float32, found: _Found, n: int, pair: int) -> int:
    """Append the blocks of a pair at which photons are counted; return the new number of blocks.

    own, rows : paths to either sample, as those of `add_untimed`
    """
    for block in range(own.shape[0]):
        at = block * _BLOCK
        along = read(own, at) * read(rows, at)
        along = fused(read(own, at + LANES), read(rows, at + LANES), along)
        along = fused(read(own, at + 2 * LANES), read(rows, at + 2 * LANES), along)
        # Written in any case, and overwritten by the next block unless counted: no branch.
        write(along, found.along, n * LANES)
        found.block[np.uint32(n)], found.pair[np.uint32(n)] = block, pair
        n += is_any(along + every(least) < every(np.float32(0)))
    return n


@_CALLED
def _locate(found: _Found, n: int, least: np.float32, n_chances: int) -> None:
    """Fill where n blocks read the table."""
    scale = np.float32(n_chances - 1) / (np.float32(1) - least)
    zero, last = every(np.float32(0)), every(np.float32(n_chances - 2))
    for i in range(n):
        ahead = zero - (read(found.along, i * LANES) + every(least))
        at = higher(ahead * every(scale), zero)
        low = lower(real(whole(at)), last)
        write(whole(low), found.at, i * LANES)
        write(at - low, found.part, i * LANES)


@_CALLED
def _add_blocks(
    own: Array, rows: Array, angles: tuple[np.float32, Array, Array], found: _Found, n: int,
    n_full: int,
) -> None:  # fmt: skip
    """Add n blocks to the sums of their pairs; blocks from `n_full` on are written to `rest`."""
    least, chances, growths = angles
    one, zero = every(np.float32(1)), every(np.float32(0))
    for i in range(n):
        block, pair = found.block[np.uint32(i)], found.pair[np.uint32(i)]
        mine = block * _BLOCK
        other = found.other[np.uint32(pair)] * own.size + mine
        low, high = gathered_pairs(chances, found.at, i * LANES)
        chance = low + read(found.part, i * LANES) * (high - low)
        along = read(found.along, i * LANES)
        growth = _curve(one + along, growths)
        # One photon was scattered and the other was not, or the reverse.
        both = read(rows, other + 5 * LANES) * _decay(growth * read(own, mine + 4 * LANES))
        reverse = _decay(growth * read(rows, other + 4 * LANES))
        both = fused(read(own, mine + 5 * LANES), reverse, both)
        value = chance * read(own, mine + 3 * LANES) * read(rows, other + 3 * LANES)
        is_counted = along + every(least) < zero
        if block < n_full:
            before = read(found.sums, pair * LANES)
            # As Numba's loops do on either processor: results keep the bits of earlier versions.
            if HAS_AVX512:
                after = fused(either(is_counted, value, zero), both, before)
            else:
                after = before + either(is_counted, value * both, zero)
            write(after, found.sums, pair * LANES)
        else:
            write(either(is_counted, value, zero), found.rest, 3 * pair * LANES)
            write(both, found.rest, (3 * pair + 1) * LANES)
            write(either(is_counted, value * both, zero), found.rest, (3 * pair + 2) * LANES)


@_CALLED
def _with_rest(total: np.float32, rest: Array, n: int) -> np.float32:
    """Return a sum plus those of the last n points, in the order of Numba's loops."""
    value, both, product = rest[:LANES], rest[LANES : 2 * LANES], rest[2 * LANES :]
    first = 0
    if HAS_AVX512 and n >= _FOUR:
        a, b, c, d = total, np.float32(0), np.float32(0), np.float32(0)
        while first + _FOUR <= n:
            a += value[first] * both[first]
            b += value[first + 1] * both[first + 1]
            c += value[first + 2] * both[first + 2]
            d += value[first + 3] * both[first + 3]
            first += _FOUR
        total = np.float32((a + c) + (b + d))
    for i in range(first, n):
        total += product[i]
    return total


@_CALLED
def _add_found(
    own: Array, rows: Array, angles: tuple[np.float32, Array, Array], found: _Found,
    numbers: tuple[int, int], n_points: int, sums: Array,
) -> None:  # fmt: skip
    """Add the blocks and pairs that were found, of these numbers, to the sums of a sample."""
    n, n_pairs = numbers
    n_full, n_rest = n_points // LANES, n_points % LANES
    found.sums[:] = 0
    if n_rest:
        found.rest[:] = 0
    _locate(found, n, angles[0], angles[1].size)
    _add_blocks(own, rows, angles, found, n, n_full)
    for pair in range(n_pairs):
        total = halved(read(found.sums, pair * LANES))
        if n_rest:
            rest = found.rest[3 * pair * LANES : 3 * (pair + 1) * LANES]
            total = _with_rest(total, rest, n_rest)
        sums[found.other[np.uint32(pair)]] += total


@_INLINE
def _weigh(rows: Array, weights: Array, own: Array) -> None:
    """Copy the paths to a sample, times the weights of their points."""
    own[:] = rows
    for block in range(own.shape[0]):
        for lane in range(min(LANES, len(weights) - block * LANES)):
            own[block, 3, lane] *= weights[block * LANES + lane]


@_KERNEL
def add_untimed(
    start: int, stop: int, partners: Array, weights: Array, rows: Array, angles: QuickTables,
    sums: Array,
) -> None:  # fmt: skip
    """Add the single scatter of some points to the pairs of samples [start, stop), without time.

    Parameters
    ----------
    start, stop
        range of first samples
    partners
        (samples, samples) True if two samples, the lower number first, are a pair
    weights
        (points,) volume times attenuation of each scatter point [mm²]
    rows
        (samples, blocks, N_ROWS, LANES) float32 of the paths from blocks of points, the last one
        padded with zeros: direction x, y and z, efficiency of unscattered photons, attenuation,
        activity
    angles
        tables over the cosine of the scattering angle
    sums
        (samples, samples) float64, to which the scatter is added
    """
    n_blocks = rows.shape[1]
    tables = np.float32(angles.least), angles.chance, angles.growth
    own = _reals(n_blocks * N_ROWS).reshape(n_blocks, N_ROWS, LANES)
    found = _new_found(n_blocks)
    for a in range(start, stop):
        _weigh(rows[a], weights, own)
        n, n_pairs = 0, 0
        for b in range(a + 1, len(partners)):
            if partners[a, b]:
                before = n
                n = _find(own, rows[b], tables[0], found, n, n_pairs)
                if n > before:
                    found.other[n_pairs] = b
                    n_pairs += 1
            if n >= _AT_ONCE or n_pairs == _AT_ONCE or b + 1 == len(partners):
                _add_found(own, rows, tables, found, (n, n_pairs), len(weights), sums[a])
                n, n_pairs = 0, 0
