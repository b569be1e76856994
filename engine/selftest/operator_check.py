"""Check of an operator: its adjoint, and for GPU kernels their agreement with the CPU."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from engine.core.arrays import Array, to_host
from engine.core.backend import Backend
from engine.core.checked import checked
from engine.core.errors import NumericalError
from engine.operators.base import LinearOperator
from engine.operators.xray.transform import XrayTransform
from engine.operators.xray.user_transform import UserTransform, changed
from engine.selftest.guard_bands import Fenced
from engine.selftest.reference_answers import far, random_numbers

MATCHED = 1e-3
"""Operators with a smaller tolerance are tested with both signs, which is much stricter."""
N_PAIRS = 12
TWIN_RTOL = 1e-4
"""Tolerance between kernel and twin relative to the largest value: coordinates are float32."""
TEXTURE_RTOL = 1e-2
"""Tolerance for kernels that read textures with 8-bit fractions."""


@dataclass(frozen=True)
class OperatorCheck:
    """Measured accuracy of an operator.

    Attributes
    ----------
    name : name of the operator
    adjoint_error : largest relative difference of ⟨A x, y⟩ and ⟨x, Aᵀ y⟩
    adjoint_rtol : tolerance that the operator declares
    twin_error : largest difference from the CPU, relative to the largest value; None on the CPU

    Examples
    --------
    >>> import engine
    >>> print(engine.OperatorCheck("GaussianBlur", 2e-7, 1e-5, None))
    GaussianBlur: adjoint within 2e-07 (declared 1e-05)
    """

    name: str
    adjoint_error: float
    adjoint_rtol: float
    twin_error: float | None

    def __str__(self) -> str:
        twin = "" if self.twin_error is None else f", difference from the CPU {self.twin_error:.2g}"
        return (
            f"{self.name}: adjoint within {self.adjoint_error:.2g} (declared "
            f"{self.adjoint_rtol:.2g}){twin}"
        )


@checked()
def check_operator(A: LinearOperator) -> OperatorCheck:
    """Measure if Aᵀ is the adjoint of A, and if kernels of a GPU agree with the CPU.

    x and y are random, y also in one view at a time. Operators that are declared matched get random
    numbers of both signs. Operators with kernels of a user are also tested with another geometry
    and, on a GPU, with the constants of `choices` and with guard bands around all arrays.

    Parameters
    ----------
    A
        operator, in the shapes that its arrays will have

    Returns
    -------
    the measured errors

    Raises
    ------
    NumericalError
        with all faults, if an error exceeds its tolerance

    Examples
    --------
    >>> import engine
    >>> grid = engine.ImageGrid((9, 9, 9), (2.0, 2.0, 2.0))
    >>> found = engine.check_operator(engine.GaussianBlur(5.0, grid))
    >>> found.adjoint_error <= found.adjoint_rtol
    True
    """
    faults: list[str] = []
    is_twice = isinstance(A, XrayTransform | UserTransform) and A.on.is_cuda
    # First, between guard bands: a kernel that writes outside its array can crash the process.
    twins = [_twin_error(each, faults) for each in _compared(A)] if is_twice else []
    errors = [] if faults else [_adjoint_error(each, faults) for each in _operators(A)]
    if faults:
        raise NumericalError(
            f"{A.name}: {'; '.join(dict.fromkeys(faults))}. Correct the operator, or declare its "
            "measured tolerance."
        )
    return OperatorCheck(A.name, max(errors), A.adjoint_rtol, max(twins, default=None))


def _operators(A: LinearOperator) -> Iterator[LinearOperator]:
    yield A
    if isinstance(A, UserTransform):
        yield changed(A)


def _compared(A: LinearOperator) -> Iterator[LinearOperator]:
    """Yield the operators that are compared with the CPU: also with constants for the tuner."""
    yield from _operators(A)
    if not isinstance(A, UserTransform):
        return
    other = changed(A)
    for direction, kernel in A.kernels.items():
        for name, values in () if kernel is None else kernel.choices.items():
            yield from (other.with_constants(direction, **{name: value}) for value in values)


def _adjoint_error(A: LinearOperator, faults: list[str]) -> float:
    errors = [0.0]
    for x, y in _pairs(A):
        there, back = to_host(A(x)), to_host(A.T(y))
        if not (np.isfinite(there).all() and np.isfinite(back).all()):
            faults.append("some results are not finite")
            return np.inf
        one, other = _inner(there, y), _inner(x, back)
        # with both signs the products nearly cancel
        scale = abs(one) if (x >= 0).all() else sqrt(_inner(there, there) * _inner(y, y))
        if scale == 0 and other == 0:
            continue
        errors.append(abs(one - other) / max(scale, 1e-30))
    if max(errors) > A.adjoint_rtol:
        faults.append(
            f"⟨A x, y⟩ and ⟨x, Aᵀ y⟩ differ by {max(errors):.2g}, declared {A.adjoint_rtol:.2g}"
        )
    return max(errors)


def _pairs(A: LinearOperator) -> Iterator[tuple[Array, Array]]:
    """Yield inputs and outputs, positive ones first."""
    rng = random_numbers()
    views = [None, *np.unique(np.linspace(0, A.out_shape[0] - 1, N_PAIRS).astype(int))]
    for n, view in enumerate(views):
        x, y = rng.random(A.in_shape, np.float32), rng.random(A.out_shape, np.float32)
        # ramps notice values in the wrong place, which random numbers average out
        x, y = x * _ramp(A.in_shape, n), y * _ramp(A.out_shape, n + 1)
        yield x, y if view is None else y * _only(view, A.out_shape)
    if A.adjoint_rtol <= MATCHED:
        for _ in range(2):
            x = rng.standard_normal(A.in_shape, np.float32)
            yield x, rng.standard_normal(A.out_shape, np.float32)


def _ramp(shape: tuple[int, ...], n: int) -> Array:
    """Return a ramp along one axis, the axes in turn and both directions."""
    axis = n % len(shape)
    ramp = np.linspace(0, 1, shape[axis], dtype=np.float32) if shape[axis] > 1 else np.ones(1)
    ramp = ramp[::-1] if n // len(shape) % 2 else ramp
    wide: Array = ramp.reshape([-1 if each == axis else 1 for each in range(len(shape))])
    return wide.astype(np.float32)


def _only(view: int, shape: tuple[int, ...]) -> Array:
    chosen = np.arange(shape[0]) == view
    return chosen.reshape(-1, *[1] * (len(shape) - 1)).astype(np.float32)


def _twin_error(A: LinearOperator, faults: list[str]) -> float:
    """Compare both directions with the CPU, with guard bands around the arrays."""
    if not isinstance(A, XrayTransform | UserTransform) or A.on.gpu is None:
        return 0.0
    fenced = Fenced(A.on.gpu)
    there, here = A.placed(_fenced(A.on, fenced)), A.placed(_host())
    rtol = TWIN_RTOL if isinstance(A, UserTransform) else TEXTURE_RTOL
    rng, error = random_numbers(), 0.0
    for name, side, shape in (("forward", "", A.in_shape), ("back", "T", A.out_shape)):
        values = rng.random(shape, np.float32)
        got = A.on.to_host((there.T if side else there)(values))
        wanted = (here.T if side else here)(values)
        faults += [f"{fault} (kernel and twin)" for fault in far(name, got, wanted, rtol)]
        error = max(error, float(np.abs(got - wanted).max() / max(np.abs(wanted).max(), 1e-30)))
    if n_broken := fenced.n_broken():
        faults.append(f"{n_broken} bytes outside arrays were overwritten")
    return error


def _fenced(on: Backend, gpu: Fenced) -> Backend:
    return replace(on, gpu=gpu)


def _host() -> Backend:
    from engine.core.backend import cpu

    return cpu()


def _inner(a: Array, b: Array) -> float:
    return float((a.astype(np.float64) * b).sum())
