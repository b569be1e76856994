"""What an operator may be multiplied by."""

from __future__ import annotations

from numbers import Real
from typing import Any


def real_number(factor: Any, operator: str) -> float:
    """Return a factor as a float of Python, which leaves float32 arrays float32.

    Parameters
    ----------
    factor
        a real number, of numpy's too, or a real array without axes, as sums of CuPy are
    operator
        what it multiplies, for the error

    Raises
    ------
    TypeError
        if it is anything else, with what to write instead
    """
    if isinstance(factor, Real):
        return float(factor)
    if getattr(factor, "ndim", None) == 0 and factor.dtype.kind in "iuf":
        return float(factor)
    raise TypeError(
        f"{operator} and {type(factor).__name__}: an operator is multiplied by a real number; "
        "write A @ B for two operators, Diagonal(factors) @ A for a factor of each value."
    )
