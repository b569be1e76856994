"""Check of the factors of operators."""

from __future__ import annotations

from numbers import Real
from typing import Any


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
