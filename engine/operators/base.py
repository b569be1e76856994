"""What a linear operator is, and how operators combine: A.T, A @ B, A + B, 2 * A."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.arrays import module_of, taken, to_host
from engine.backend.filters import solvers_of_cupy
from engine.errors import GeometryError
from engine.profiling import Profiler

Array = NDArray[Any]


class LinearOperator(ABC):
    """A maps arrays of in_shape to arrays of out_shape; its adjoint maps them back.

    A(x) checks the shape and calls `forward`; A.T(y) does the same with `adjoint`.
    """

    in_shape: tuple[int, ...]
    out_shape: tuple[int, ...]
    adjoint_rtol: ClassVar[float] = 1e-4
    """How well ⟨A x, y⟩ = ⟨x, Aᵀ y⟩ holds; looser only where the pair is unmatched."""
    profiler: Profiler | None = None
    """Times the work of the operator, and of those who use it."""

    @abstractmethod
    def forward(self, x: Array) -> Array:
        """A x."""

    @abstractmethod
    def adjoint(self, y: Array) -> Array:
        """Aᵀ y."""

    def subset(self, k: int, of: int) -> LinearOperator:
        """Rows k, k + of, ... along the first axis of the output."""
        return _Rows(self, k, of)

    def __call__(self, x: Array) -> Array:
        """A x, after a check of the shape; x may be of anything that speaks DLPack."""
        x = taken(x)
        self._expect(x, self.in_shape)
        return self.forward(x)

    @property
    def T(self) -> LinearOperator:  # noqa: N802
        """The adjoint as an operator."""
        return _Transposed(self)

    def __matmul__(self, other: LinearOperator) -> LinearOperator:
        return _Product(self, other)

    def __add__(self, other: LinearOperator) -> LinearOperator:
        return _Sum(self, other)

    def __rmul__(self, factor: float) -> LinearOperator:
        return _Scaled(factor, self)

    def as_scipy(self, dtype: str = "float32") -> Any:
        """Wrap the operator as a scipy.sparse.linalg.LinearOperator on flat vectors of numpy."""
        from scipy.sparse.linalg import LinearOperator as ScipyOperator

        return self._flat(ScipyOperator, to_host, dtype)

    def as_cupyx(self, dtype: str = "float32") -> Any:
        """Wrap it as a cupyx.scipy.sparse.linalg.LinearOperator on flat vectors of CuPy."""
        return self._flat(solvers_of_cupy().LinearOperator, lambda values: values, dtype)

    def _flat(self, kind: Any, result: Callable[[Array], Array], dtype: str) -> Any:
        def matvec(x: Array) -> Array:
            return result(self(x.reshape(self.in_shape))).ravel()

        def rmatvec(y: Array) -> Array:
            return result(self.T(y.reshape(self.out_shape))).ravel()

        shape = (prod(self.out_shape), prod(self.in_shape))
        return kind(shape, matvec=matvec, rmatvec=rmatvec, dtype=np.dtype(dtype))

    def span(self, name: str, **amounts: Any) -> AbstractContextManager[Any]:
        """Time what is inside as a stage of the profile, where there is one."""
        return nullcontext() if self.profiler is None else self.profiler.span(name, **amounts)

    def _expect(self, array: Array, shape: tuple[int, ...]) -> None:
        if array.shape != shape:
            raise GeometryError(
                f"{type(self).__name__}: got an array of shape {array.shape}, needs {shape}; "
                "data, scanner and image grid must belong together."
            )


class Diagonal(LinearOperator):
    """Multiplication by one factor per entry."""

    def __init__(self, factors: Array) -> None:
        self.factors = factors
        self.in_shape = self.out_shape = factors.shape

    def forward(self, x: Array) -> Array:
        """Multiply by the factors."""
        return self.factors * x

    def adjoint(self, y: Array) -> Array:
        """Multiply by the factors."""
        return self.factors * y


class _Transposed(LinearOperator):
    def __init__(self, A: LinearOperator) -> None:
        self._A = A
        self.in_shape, self.out_shape = A.out_shape, A.in_shape

    def forward(self, x: Array) -> Array:
        return self._A.adjoint(x)

    def adjoint(self, y: Array) -> Array:
        return self._A.forward(y)

    @property
    def T(self) -> LinearOperator:  # noqa: N802
        return self._A


class _Product(LinearOperator):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.in_shape != B.out_shape:
            raise GeometryError(
                f"{type(A).__name__} takes arrays of shape {A.in_shape}, {type(B).__name__} gives "
                f"{B.out_shape}; they must be built for the same grid and data."
            )
        self._A, self._B = A, B
        self.in_shape, self.out_shape = B.in_shape, A.out_shape

    def forward(self, x: Array) -> Array:
        return self._A.forward(self._B.forward(x))

    def adjoint(self, y: Array) -> Array:
        return self._B.adjoint(self._A.adjoint(y))

    def subset(self, k: int, of: int) -> LinearOperator:
        if isinstance(self._A, Diagonal):
            return Diagonal(self._A.factors[k::of]) @ self._B.subset(k, of)
        return self._A.subset(k, of) @ self._B


class _Sum(LinearOperator):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if (A.in_shape, A.out_shape) != (B.in_shape, B.out_shape):
            raise GeometryError(
                f"{type(A).__name__} maps {A.in_shape} to {A.out_shape}, {type(B).__name__} maps "
                f"{B.in_shape} to {B.out_shape}; only operators of the same shape can be added."
            )
        self._A, self._B = A, B
        self.in_shape, self.out_shape = A.in_shape, A.out_shape

    def forward(self, x: Array) -> Array:
        return self._A.forward(x) + self._B.forward(x)

    def adjoint(self, y: Array) -> Array:
        return self._A.adjoint(y) + self._B.adjoint(y)

    def subset(self, k: int, of: int) -> LinearOperator:
        return self._A.subset(k, of) + self._B.subset(k, of)


class _Scaled(LinearOperator):
    def __init__(self, factor: float, A: LinearOperator) -> None:
        self._factor, self._A = float(factor), A
        self.in_shape, self.out_shape = A.in_shape, A.out_shape

    def forward(self, x: Array) -> Array:
        return self._factor * self._A.forward(x)

    def adjoint(self, y: Array) -> Array:
        return self._factor * self._A.adjoint(y)

    def subset(self, k: int, of: int) -> LinearOperator:
        return self._factor * self._A.subset(k, of)


class _Rows(LinearOperator):
    """Rows of any operator, at the cost of all of them."""

    def __init__(self, A: LinearOperator, k: int, of: int) -> None:
        self._A, self._rows = A, slice(k, None, of)
        self.in_shape = A.in_shape
        self.out_shape = (len(range(A.out_shape[0])[self._rows]), *A.out_shape[1:])

    def forward(self, x: Array) -> Array:
        return self._A.forward(x)[self._rows]

    def adjoint(self, y: Array) -> Array:
        whole = module_of(y).zeros(self._A.out_shape, y.dtype)
        whole[self._rows] = y
        return self._A.adjoint(whole)
