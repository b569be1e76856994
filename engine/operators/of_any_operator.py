"""What every operator offers: its norm, its form for solvers of libraries, its real factors.

The norm is the largest singular value, found by power iteration:

    v ← AᵀA v / ‖AᵀA v‖,   λ = ⟨v, AᵀA v⟩,   until ‖AᵀA v − λ v‖ ≤ rtol λ;   ‖A‖ = √λ

Golub & Van Loan, Matrix Computations, 4th ed. (2013), 8.2. AᵀA is never formed: each step is one
projection and one back projection.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.arrays import Array
from engine.core.errors import NumericalError

if TYPE_CHECKING:
    from engine.operators.base import LinearOperator


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


def flat_operator(
    A: LinearOperator, kind: Callable[..., Any], result: Callable[[Array], Array], dtype: str
) -> Any:
    """Wrap an operator as the LinearOperator of a library.

    Parameters
    ----------
    A
        the operator
    kind
        class of the library, scipy.sparse.linalg.LinearOperator or that of cupyx
    result
        converts results to arrays of the library: solvers of SciPy work on the host
    dtype
        dtype that the library assumes; A itself decides about its arithmetic
    """

    def matvec(x: Array) -> Array:
        # solvers only know vectors; reshape makes no copy
        return result(A(x.reshape(A.in_shape))).ravel()

    def rmatvec(y: Array) -> Array:
        return result(A.T(y.reshape(A.out_shape))).ravel()

    return kind(A.shape, matvec=matvec, rmatvec=rmatvec, dtype=np.dtype(dtype))


def real_number(factor: Any, operator: str) -> float:
    """Return a factor as a Python float, which preserves the dtype float32 of arrays.

    Parameters
    ----------
    factor
        real number, also of NumPy, or a real array without axes, such as a sum of CuPy
    operator
        name of the operator, for the error

    Raises
    ------
    TypeError
        for anything else, with the correct expression
    """
    if isinstance(factor, Real):
        return float(factor)
    # CuPy returns sums as arrays without axes; converting them waits for the GPU.
    if getattr(factor, "ndim", None) == 0 and factor.dtype.kind in "iuf":
        return float(factor)
    raise TypeError(
        f"{operator} cannot be multiplied by {type(factor).__name__}; use a real number, A @ B "
        "for two operators, or Diagonal(factors) @ A for one factor per value."
    )
