"""Norm of an operator: its largest singular value, by power iteration.

    v ← AᵀA v / ‖AᵀA v‖,   λ = ⟨v, AᵀA v⟩,   until ‖AᵀA v − λ v‖ ≤ rtol λ;   ‖A‖ = √λ

Golub & Van Loan, Matrix Computations, 4th ed. (2013), 8.2. AᵀA is never formed: each step is one
projection and one back projection.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import NumericalError


def power_iteration(
    normal: Callable[[Array], Array],
    shape: tuple[int, ...],
    rtol: float,
    seed: int,
    max_iterations: int,
) -> float:
    """Return the square root of the largest eigenvalue of x ↦ AᵀA x.

    Parameters
    ----------
    normal
        maps an array of `shape` to one of the same shape, NumPy or on its own device
    shape
        shape of its arrays
    rtol
        relative residual that ends the iteration
    seed
        seed of the random start
    max_iterations
        maximum number of steps

    Raises
    ------
    NumericalError
        if the residual stays above `rtol`, or numbers are not finite
    """
    # both signs: difference operators have their largest singular vector among images that
    # alternate from voxel to voxel, to which a positive start is nearly orthogonal
    start = np.random.default_rng(seed).standard_normal(shape, np.float32)
    # one step before the first norm: from here on arrays are on the operator's device
    v = normal(start)
    for _ in range(max_iterations):
        length = _length(v)
        # A zero operator, or a start in its null space.
        if length == 0:
            return 0.0
        v = v / length
        w = normal(v)
        eigenvalue = _inner(v, w)
        # ≤ 0 only by rounding, or for a back projection that is not the transpose
        if _length(w - eigenvalue * v) <= rtol * eigenvalue:
            return math.sqrt(eigenvalue)
        v = w
    raise NumericalError(
        f"the operator norm has not converged to a relative tolerance of {rtol:g} after "
        f"{max_iterations} iterations; increase max_iterations or rtol."
    )


def _inner(a: Array, b: Array) -> float:
    """Return ⟨a, b⟩, summed in float64: float32 loses digits in an image of 10⁸ voxels."""
    return float((a * b).sum(dtype=np.float64))


def _length(a: Array) -> float:
    return math.sqrt(_inner(a, a))
