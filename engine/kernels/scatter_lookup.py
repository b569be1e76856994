"""Values on lines of response from a table between detector samples."""

from __future__ import annotations

import numpy as np

from engine.arrays import Array, only_read
from engine.kernels.blocks import run_blocks
from engine.kernels.compile_cache import cached_njit

_KERNEL = cached_njit(error_model="numpy")


def look_up(crystals: Array, bins: Array, places: Array, table: Array, *, threads: int) -> Array:
    """Read the table between its samples, linear along both ends of each event: (n,) float32.

    crystals : (n, 2) of the events
    bins : (n,) bin of the table for each event; empty: all bins together
    places : (crystals, 2) ring and angle of each crystal, counted in samples
    table : (rings, angles, rings, angles, bins)
    """
    columns = [only_read(np.ascontiguousarray(one)) for one in (crystals, bins, places, table)]
    out = np.empty(len(crystals), np.float32)

    def work(_: int, start: int, stop: int) -> None:
        _look_up_events(start, stop, *columns, out)

    run_blocks(work, len(crystals), threads)
    return out


@_KERNEL
def _look_up_events(
    start: int, stop: int, crystals: Array, bins: Array, places: Array, table: Array, out: Array
) -> None:
    """Look the events [start, stop) up, one after the other, in one thread."""
    n_rings, n_angles, n_bins = table.shape[0], table.shape[1], table.shape[4]
    # of each end the four samples around it, by ring and angle, and their shares
    rings, angles = np.empty((2, 4), np.int64), np.empty((2, 4), np.int64)
    shares = np.empty((2, 4))
    for row in range(start, stop):
        for end in range(2):
            ring, angle = places[crystals[row, end], 0], places[crystals[row, end], 1]
            low, before = int(ring), int(angle)
            up, on = ring - low, angle - before
            for corner in range(4):
                higher, further = corner // 2, corner % 2
                rings[end, corner] = min(low + higher, n_rings - 1)
                turned = before + further
                angles[end, corner] = turned - n_angles if turned >= n_angles else turned
                shares[end, corner] = (up if higher else 1.0 - up) * (on if further else 1.0 - on)
        total = 0.0
        for one in range(4):
            if shares[0, one] == 0.0:
                continue
            near = table[rings[0, one], angles[0, one]]
            for other in range(4):
                weight = shares[0, one] * shares[1, other]
                values = near[rings[1, other], angles[1, other]]
                if bins.size:
                    total += weight * values[bins[row]]
                else:
                    for t in range(n_bins):
                        total += weight * values[t]
        out[row] = total
