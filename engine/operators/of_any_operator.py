"""Methods of all operators: arrays of any library, the norm, and forms for other libraries.

The norm is the largest singular value, found by power iteration:

    v ← AᵀA v / ‖AᵀA v‖,   λ = ⟨v, AᵀA v⟩,   until ‖AᵀA v − λ v‖ ≤ rtol λ;   ‖A‖ = √λ

Golub & Van Loan, Matrix Computations, 4th ed. (2013), 8.2. AᵀA is never formed: each step is one
projection and one back projection.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.arrays import Array, accepted, is_in_files, is_tensor, module_of
from engine.core.errors import ArgumentError, DataError, NumericalError, ResourceError
from engine.core.interactive import shown

if TYPE_CHECKING:
    from engine.operators.base import LinearOperator

Product = Callable[[Any, Any], Any]
"""Method of an operator, `forward` or `adjoint`."""
_INSTALLED_BY = {
    "torch": "PyTorch is not installed; install isocenter[torch].",
    "deepinv": "deepinv is not installed; install it with pip install deepinv.",
    "cil": "CIL is not installed; install it with conda install -c ccpi cil.",
}
"""Library to the message if it is missing."""


def exchanging(method: Product) -> Product:
    """Return a method of an operator that takes arrays of any library.

    Parameters
    ----------
    method
        `forward` or `adjoint`, for NumPy arrays and arrays on the operator's GPU

    Returns
    -------
    a method whose result has the type and the device of its argument; for PyTorch tensors it takes
    part in differentiation
    """

    @wraps(method)
    def exchanged(A: LinearOperator, values: Any) -> Any:
        # the usual case first, because iterations call this for each product
        on_host = A.on is None or A.on.gpu is None
        if on_host and type(values) is np.ndarray and values.dtype.kind != "c":
            return method(A, values)
        if is_tensor(values):
            transposed = method.__name__ == "adjoint"
            return adaptor("torch").product(A.T if transposed else A, values)
        found, back = accepted(values)
        check_device(A, found)
        # large results that an operator leaves on the host do not fit on its GPU
        is_placed = found is values and module_of(found) is not np
        return method(A, found) if is_placed else back(method(A, found))

    return exchanged


def check_device(A: LinearOperator, values: Array) -> None:
    """Raise an error for values on a GPU if the operator works on the CPU.

    Parameters
    ----------
    A
        the operator
    values
        NumPy or CuPy array

    Raises
    ------
    DataError
        with the remedy; moving the values there and back would hide a large cost
    """
    on_host = module_of(values) is np or is_in_files(values)
    if A.on is not None and A.on.gpu is None and not on_host:
        raise DataError(
            f"{A.name} works on the CPU, but the array is on a GPU; create the operator with "
            "on=engine.best(), or copy the array to the host."
        )


def adaptor(library: str) -> Any:
    """Return the module that adapts operators to a library.

    Parameters
    ----------
    library
        name of a module of `engine.operators.adaptors`

    Raises
    ------
    ResourceError
        if the library is not installed
    """
    try:
        return import_module(f"engine.operators.adaptors.{library}")
    except ImportError as e:
        raise ResourceError(f"{_INSTALLED_BY[library]} ({e})") from e


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
    ArgumentError
        for anything else, with the correct expression; it is a TypeError too
    """
    if isinstance(factor, Real):
        return float(factor)
    # CuPy returns sums as arrays without axes; converting them waits for the GPU.
    if getattr(factor, "ndim", None) == 0 and factor.dtype.kind in "iuf":
        return float(factor)
    raise ArgumentError(
        f"{operator} cannot be multiplied by {type(factor).__name__}, got {shown(factor)}; use a "
        "real number, A @ B for two operators, or Diagonal(factors) @ A for one factor per value."
    )
