"""Interpolation on lines of response of a table between detector samples."""

from __future__ import annotations

import numpy as np
from numba import njit

from engine.core.arrays import Array, only_read
from engine.kernels.blocks import run_blocks
from engine.kernels.compile_cache import cached_njit

_KERNEL = cached_njit(error_model="numpy")
_INLINE = njit(inline="always", error_model="numpy")

Corners = tuple[tuple[int, int, int, int], tuple[float, float, float, float]]
"""Samples around a position, and the weight of each."""


def look_up(crystals: Array, bins: Array, places: Array, table: Array, *, threads: int) -> Array:
    """Interpolate a table between detector samples for each event, linearly along both ends.

    Parameters
    ----------
    crystals
        (n, 2) crystals of the events
    bins
        (n,) TOF bin of the table for each event; empty: sum of all bins
    places
        (crystals, 2) ring and angle of each crystal, in units of samples
    table
        (rings, angles, rings, angles, bins)
    threads
        number of threads

    Returns
    -------
    (n,) float32
    """
    # Read-only: otherwise Numba would compile again for an array in a mapped file.
    columns = [only_read(np.ascontiguousarray(one)) for one in (crystals, bins, places, table)]
    out = np.empty(len(crystals), np.float32)

    def work(_: int, start: int, stop: int) -> None:
        _lookup_events(start, stop, *columns, out)

    run_blocks(work, len(crystals), threads)
    return out


@_INLINE
def _around(places: Array, crystal: int, n_rings: int, n_angles: int) -> Corners:
    """Return the samples around a crystal, number = ring · n_angles + angle, and their weights."""
    ring, angle = places[crystal, 0], places[crystal, 1]
    low, before = int(ring), int(angle)
    up, on = ring - low, angle - before
    high = min(low + 1, n_rings - 1)
    # Angles are periodic, rings are not.
    after = before + 1 if before + 1 < n_angles else 0
    low *= n_angles
    high *= n_angles
    samples = low + before, low + after, high + before, high + after
    return samples, ((1 - up) * (1 - on), (1 - up) * on, up * (1 - on), up * on)


@_INLINE
def _across(table: Array, one: int, to: Corners, bin_: int) -> float:
    """Return the table value from one sample, interpolated between four others."""
    (a, b, c, d), (first, second, third, last) = to
    row = table[one]
    low = first * row[a, bin_] + second * row[b, bin_]
    return float(low + (third * row[c, bin_] + last * row[d, bin_]))


@_KERNEL
def _lookup_events(
    start: int, stop: int, crystals: Array, bins: Array, places: Array, table: Array, out: Array
) -> None:
    """Look up the events [start, stop) in sequence, in one thread."""
    n_rings, n_angles, n_bins = table.shape[0], table.shape[1], table.shape[4]
    # One index for ring and angle of a sample.
    flat = table.reshape(n_rings * n_angles, n_rings * n_angles, n_bins)
    for row in range(start, stop):
        own, shares = _around(places, crystals[row, 0], n_rings, n_angles)
        to = _around(places, crystals[row, 1], n_rings, n_angles)
        first, last = (bins[row], bins[row] + 1) if bins.size else (0, n_bins)
        total = 0.0
        for bin_ in range(first, last):
            total += shares[0] * _across(flat, own[0], to, bin_)
            total += shares[1] * _across(flat, own[1], to, bin_)
            total += shares[2] * _across(flat, own[2], to, bin_)
            total += shares[3] * _across(flat, own[3], to, bin_)
        out[row] = total
