"""Rays of events: forward, back and fused update, with and without TOF, in float and fixed point.

In fixed point the bits must be those of the CPU.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.geometry.grid import ImageGrid
from engine.geometry.tof import TofBins
from engine.operators.rays import RayProjector, Rays
from engine.selftest.reference_answers import Family, Faults, far, other, random_numbers

GRID = ImageGrid((13, 17, 140), (2.5, 3.0, 0.5), (4.0, -3.0, 2.0))
"""Off centre, with unequal edges, longer than a thread block, and no multiple of a block size."""
TOF = TofBins(fwhm_ps=250, bin_ps=120, n_bins=7)
N = 1001
"""Number of events, which is not a multiple of a block size."""


def rays(*, is_timed: bool) -> Rays:
    """Return rays in all directions: some along an axis, some that miss, one of length 0.

    Parameters
    ----------
    is_timed
        True to give each ray a TOF bin
    """
    rng = random_numbers()
    size, middle = np.array(GRID.size_mm), np.array(GRID.centre_mm)
    points = middle + rng.normal(size=(2 * N, 3)) * size
    # Rays along an axis have zero components of the direction, where kernels must not divide by 0.
    points[:60:2] = points[1:60:2] + np.repeat(np.diag(3 * size), 10, axis=0)
    points[60] = points[61]
    ends = np.arange(2 * N, dtype=np.int32).reshape(N, 2)
    bins = rng.integers(0, TOF.n_bins, N).astype(np.int16) if is_timed else None
    return Rays(points, ends, bins)


def values(n: int = N) -> NDArray[np.float32]:
    """Return one value for each ray.

    Parameters
    ----------
    n
        number of rays
    """
    return random_numbers().random(n, np.float32)


def image() -> NDArray[np.float32]:
    """Return an image in which all voxels differ."""
    return (random_numbers().random(GRID.shape) + 0.1).astype(np.float32)


def _ask(there: Backend, here: Backend) -> Faults:
    for is_timed in (False, True):
        for reproducible in (False, True):
            words = f"{'TOF, ' if is_timed else ''}{'fixed' if reproducible else 'floating'} point"
            asked = rays(is_timed=is_timed)
            got, wanted = (
                _answers(RayProjector(asked, GRID, on=on, tof=TOF, reproducible=reproducible), on)
                for on in (there, here)
            )
            for name, value in wanted.items():
                # The forward projection is in floating point in both modes; only sums are in fixed
                # point.
                compare = other if reproducible and name != "forward" else far
                yield from compare(f"{name}, {words}", got[name], value)


def _answers(A: RayProjector, on: Backend) -> dict[str, NDArray[np.float32]]:
    numerator, expected = A.em_numerator(image(), values())
    part = A.subset(1, 3)
    found = {
        "forward": A(image()),
        "back": A.T(values()),
        "update": numerator,
        "expected counts": expected,
        "back of a subset": part.T(values(part.out_shape[0])),
    }
    return {name: on.to_host(value) for name, value in found.items()}


LIST_MODE = Family("list mode", _ask)
