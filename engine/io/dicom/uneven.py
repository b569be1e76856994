"""Resample unevenly spaced slices, and distinguish them from series with missing slices.

Slices are missing if the instance numbers have a gap. Without such numbers, they are missing if a
single distance is a multiple of the typical one, unless the slices there are as thick. Any other
uneven spacing belongs to the series. The slices are interpolated linearly between their heights
h_k,

    v(h) = v_k + (h − h_k) / (h_(k+1) − h_k) · (v_(k+1) − v_k),    h_k ≤ h ≤ h_(k+1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import GeometryError
from engine.io.dicom.slices import Slice
from engine.io.safety.budget import refuse_large_data

SAME_PLACE_MM = 0.01
UNEVEN = 0.05
"""Part of the typical distance by which others may differ, because headers are rounded."""
MAX_TIMES = 8
"""Maximum number of resampled slices for each existing one."""


def heights_of(ordered: Sequence[Slice]) -> Array:
    """Return the heights of slices along the normal of the first one [mm].

    Parameters
    ----------
    ordered
        slices in order
    """
    return np.array([float(ordered[0].normal @ each.position) for each in ordered])


def typical_step(steps: Array) -> float:
    """Return the median distance of slices; of two distances the smaller one."""
    return float(np.sort(steps)[(len(steps) - 1) // 2]) if len(steps) > 2 else float(steps.min())


def uneven_steps(steps: Array) -> NDArray[np.int64]:
    """Return the indices of distances that differ from the typical one.

    Parameters
    ----------
    steps
        distances between neighbouring slices [mm]
    """
    typical = typical_step(steps)
    return np.flatnonzero(np.abs(steps - typical) > max(UNEVEN * typical, SAME_PLACE_MM))


def lacking_after(ordered: Sequence[Slice], steps: Array, k: int) -> int:
    """Return the number of missing slices after slice k.

    Parameters
    ----------
    ordered
        slices in order
    steps
        distances between neighbouring slices [mm]
    k
        slice before the gap

    Returns
    -------
    n
        0 if the series is uneven there
    """
    typical = typical_step(steps)
    jumps = _jumps(ordered)
    if len(jumps):
        # Divided by the typical jump, because numbers of interleaved series can go up by 2 or more.
        return max(round(float(jumps[k] / typical_step(jumps))) - 1, 0)
    n_lost = steps[k] / typical - 1
    is_multiple = abs(n_lost - round(n_lost)) < UNEVEN * (round(n_lost) + 1)
    adjacent = [steps[at] for at in (k - 1, k + 1) if 0 <= at < len(steps)]
    # Several large steps in a row are a series with wider spacing there, not a gap.
    is_alone = all(abs(each - typical) <= max(UNEVEN * typical, SAME_PLACE_MM) for each in adjacent)
    is_thick = any(
        abs(each.thickness - steps[k]) <= UNEVEN * steps[k] for each in ordered[k : k + 2]
    )
    return max(round(n_lost), 0) if is_multiple and is_alone and not is_thick else 0


def _jumps(ordered: Sequence[Slice]) -> Array:
    """Return the differences of instance numbers; empty if they do not follow the heights."""
    numbers = [each.number for each in ordered if each.number is not None]
    jumps = np.diff(np.array(numbers, float))
    follows = bool((jumps > 0).all() or (jumps < 0).all())
    return np.abs(jumps) if len(numbers) == len(ordered) and follows else np.zeros(0)


def at_even_heights(
    ordered: Sequence[Slice], values: NDArray[np.float32]
) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    """Return values at even heights, and a note if they were resampled.

    Parameters
    ----------
    ordered
        slices in order
    values
        (slice, row, column)

    Returns
    -------
    values, notes
        the same array and no notes if the spacing is even

    Raises
    ------
    GeometryError
        if an even spacing would need too many slices
    """
    heights = heights_of(ordered)
    steps = np.diff(heights)
    if len(steps) < 2 or not len(uneven_steps(steps)):
        return values, ()
    first, last = float(heights[0]), float(heights[-1])
    # The finest existing distance everywhere, so that no detail is lost.
    n = int(np.ceil((last - first) / steps.min() - UNEVEN)) + 1
    name = ordered[0].path.parent.name
    if n > MAX_TIMES * len(ordered):
        raise GeometryError(
            f"{name}: the distances of its slices are {steps.min():.3g} to {steps.max():.3g} mm, "
            "too uneven for resampling; export the series with equal spacing."
        )
    refuse_large_data(4 * n * values[0].size, name)
    step = (last - first) / (n - 1)
    note = (
        f"{name}: its slices are {steps.min():.3g} to {steps.max():.3g} mm apart; they were "
        f"resampled to a spacing of {step:.3g} mm by linear interpolation."
    )
    return _interpolated(values, heights, first + step * np.arange(n)), (note,)


def _interpolated(
    values: NDArray[np.float32], heights: Array, wanted: Array
) -> NDArray[np.float32]:
    # Clipped, because rounding can put the last height just beyond the last slice.
    below = np.clip(np.searchsorted(heights, wanted, side="right") - 1, 0, len(heights) - 2)
    part = (wanted - heights[below]) / np.diff(heights)[below]
    out = np.empty((len(wanted), *values.shape[1:]), np.float32)
    for k, (low, weight) in enumerate(zip(below, np.clip(part, 0.0, 1.0), strict=True)):
        out[k] = (1 - weight) * values[low] + weight * values[low + 1]
    return out
