"""Operators for the solvers of SciPy and CuPy, which work on flat vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.core.arrays import Array

if TYPE_CHECKING:
    from engine.operators.base import LinearOperator


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
