"""Operators as the solvers of scipy and cupyx take them: on flat vectors."""

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
        class of the library: scipy.sparse.linalg.LinearOperator or the one of cupyx
    result
        brings what the operator returns to the library: solvers of scipy work on the host
    dtype
        that the library is told; A itself decides in what it works
    """

    def matvec(x: Array) -> Array:
        # solvers know vectors only; reshape makes no copy
        return result(A(x.reshape(A.in_shape))).ravel()

    def rmatvec(y: Array) -> Array:
        return result(A.T(y.reshape(A.out_shape))).ravel()

    return kind(A.shape, matvec=matvec, rmatvec=rmatvec, dtype=np.dtype(dtype))
