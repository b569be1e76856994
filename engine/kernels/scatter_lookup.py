"""Values on lines of response from a table between detector samples.

A call takes the events [start, stop) one after the other, in one thread.
"""

from __future__ import annotations

import numpy as np

from engine.arrays import Array
from engine.kernels.compile_cache import cached_njit

_KERNEL = cached_njit(error_model="numpy")


@_KERNEL
def look_up_events(
    start: int, stop: int, crystals: Array, bins: Array, places: Array, table: Array, out: Array
) -> None:
    """Read the table between its samples, linear along both ends of each event.

    crystals : (n, 2) of the events
    bins : (n,) bin of the table for each event; empty: all bins together
    places : (crystals, 2) ring and angle of each crystal, counted in samples
    table : (rings, angles, rings, angles, bins)
    """
    n_rings, n_angles, n_bins = table.shape[0], table.shape[1], table.shape[4]
    low, share = np.empty((2, 2), np.int64), np.empty((2, 2))
    for row in range(start, stop):
        for end in range(2):
            for axis in range(2):
                at = places[crystals[row, end], axis]
                k = int(at)
                low[end, axis], share[end, axis] = k, at - k
        total = 0.0
        for corner in range(16):
            weight = 1.0
            z1 = z2 = p1 = p2 = 0
            for axis in range(4):
                end, which = axis // 2, axis % 2
                up = (corner >> axis) & 1
                weight *= share[end, which] if up else 1.0 - share[end, which]
                k = low[end, which] + up
                if axis == 0:
                    z1 = min(k, n_rings - 1)
                elif axis == 1:
                    p1 = k - n_angles if k >= n_angles else k
                elif axis == 2:
                    z2 = min(k, n_rings - 1)
                else:
                    p2 = k - n_angles if k >= n_angles else k
            if weight == 0.0:
                continue
            if bins.size:
                total += weight * table[z1, p1, z2, p2, bins[row]]
            else:
                for t in range(n_bins):
                    total += weight * table[z1, p1, z2, p2, t]
        out[row] = total
