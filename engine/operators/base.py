"""What a linear operator is, and how operators combine: A.T, A @ B, A + B, A - B, 2 * A."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import Any, Never, overload

from engine.core.arrays import Array, as_supported, module_of, to_host
from engine.core.backend import Backend
from engine.core.backend.filters import solvers_of_cupy
from engine.core.errors import GeometryError
from engine.core.profiling import Profiler
from engine.operators.flat import flat_operator
from engine.operators.norm import power_iteration
from engine.operators.scalar import real_number

Shape = tuple[int, ...]


class LinearOperator(ABC):
    """A maps arrays of in_shape to arrays of out_shape; its adjoint maps them back.

    A(x) and A @ x check the shape and call `forward`; A.T(y) does the same with `adjoint`.
    Operators combine as matrices do: A @ B, A + B, A - B, -A, 2 * A, A / 2; `algebra` stacks them.
    The result is an operator again, and computes nothing until it is applied.

    Examples
    --------
    >>> import numpy as np, engine
    >>> from engine.operators.algebra import Diagonal
    >>> A: engine.LinearOperator = Diagonal(np.array([1.0, 2.0]))
    >>> (A @ np.ones(2)).tolist(), ((A.T @ A - A) @ np.ones(2)).tolist()
    ([1.0, 2.0], [0.0, 2.0])
    """

    in_shape: tuple[int, ...]
    out_shape: tuple[int, ...]
    adjoint_rtol: float = 1e-4
    """How well ⟨A x, y⟩ = ⟨x, Aᵀ y⟩ holds; looser only where the pair is unmatched."""
    on: Backend | None = None
    """The device it works on; None: the one that its arrays are on."""
    profiler: Profiler | None = None
    """Times the work of the operator, and of those who use it."""

    # numpy would otherwise take `array @ A` and `numpy_scalar * A` apart, element by element, and
    # return an array of operators; this makes it ask the operator. CuPy follows the same sign.
    __array_ufunc__ = None

    @abstractmethod
    def forward(self, x: Array) -> Array:
        """A x."""

    @abstractmethod
    def adjoint(self, y: Array) -> Array:
        """Aᵀ y."""

    def subset(self, k: int, of: int) -> LinearOperator:
        """Return rows k, k + of, ... along the first axis of the output."""
        return _Rows(self, k, of)

    def subset_values(self, y: Array, k: int, of: int) -> Array:
        """Return what of `y`, in the shape of our output, belongs to the rows of a subset."""
        return y[k::of]

    def product_subset(self, B: LinearOperator, k: int, of: int) -> LinearOperator:
        """Rows k, k + of, ... of self @ B; a diagonal needs those rows of B alone."""
        return self.subset(k, of) @ B

    def __call__(self, x: Array) -> Array:
        """A x, after a check of the shape; x may be of anything that speaks DLPack."""
        x = as_supported(x)
        self.expect(x, self.in_shape)
        return self.forward(x)

    @property
    def T(self) -> LinearOperator:  # noqa: N802
        """The adjoint as an operator."""
        return _Transposed(self)

    @property
    def H(self) -> LinearOperator:  # noqa: N802
        """The adjoint, as `T`: operators here are real."""
        return self.T

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix: numbers of elements of the output and of the input."""
        return prod(self.out_shape), prod(self.in_shape)

    def norm(self, *, rtol: float = 1e-3, seed: int = 0, max_iterations: int = 500) -> float:
        """Largest singular value ‖A‖, by power iteration with the adjoint the operator has.

        Parameters
        ----------
        rtol
            relative residual of AᵀA at which it ends: a singular value lies within rtol / 2 of the
            result, which is never above the norm but for rounding
        seed
            of the random start: the same seed, the same result
        max_iterations
            each is one projection and one back projection; `NumericalError` if more are needed
        """
        return power_iteration(lambda x: self.T(self(x)), self.in_shape, rtol, seed, max_iterations)

    def __repr__(self) -> str:
        where = "" if self.on is None else f" on {self.on.name}"
        return f"<{self.name} {self.in_shape} -> {self.out_shape}{where}>"

    @overload
    def __matmul__(self, other: LinearOperator) -> LinearOperator: ...

    @overload
    def __matmul__(self, other: Array) -> Array: ...

    def __matmul__(self, other: LinearOperator | Array) -> LinearOperator | Array:
        return _Product(self, other) if isinstance(other, LinearOperator) else self(other)

    def __rmatmul__(self, other: object) -> Never:
        raise TypeError(
            f"{type(other).__name__} @ {self.name}: an operator stands left of what it is applied "
            "to; write A.T @ y for the adjoint."
        )

    def __add__(self, other: LinearOperator) -> LinearOperator:
        return _Sum(self, other) if isinstance(other, LinearOperator) else NotImplemented

    def __sub__(self, other: LinearOperator) -> LinearOperator:
        return _Sum(self, -other) if isinstance(other, LinearOperator) else NotImplemented

    def __neg__(self) -> LinearOperator:
        return _Scaled(-1.0, self)

    def __mul__(self, factor: float) -> LinearOperator:
        return _Scaled(real_number(factor, self.name), self)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> LinearOperator:
        return _Scaled(1 / real_number(divisor, self.name), self)

    @property
    def name(self) -> str:
        """What it is called in `repr` and in errors."""
        return type(self).__name__

    def as_scipy(self, dtype: str = "float32") -> Any:
        """Wrap the operator as a scipy.sparse.linalg.LinearOperator on flat vectors of numpy."""
        from scipy.sparse import linalg

        return flat_operator(self, linalg.LinearOperator, to_host, dtype)

    def as_cupyx(self, dtype: str = "float32") -> Any:
        """Wrap it as a cupyx.scipy.sparse.linalg.LinearOperator on flat vectors of CuPy."""
        return flat_operator(self, solvers_of_cupy().LinearOperator, lambda values: values, dtype)

    def span(self, name: str, **amounts: Any) -> AbstractContextManager[Any]:
        """Time what is inside as a stage of the profile, where there is one."""
        return nullcontext() if self.profiler is None else self.profiler.span(name, **amounts)

    def expect(self, array: Array, shape: tuple[int, ...]) -> None:
        if array.shape != shape:
            raise GeometryError(
                f"{self.name}: got an array of shape {array.shape}, needs {shape}; "
                "data, scanner and image grid must belong together."
            )


class Composite(LinearOperator):
    """What is made of other operators: it works where they do, and is as exact as they are."""

    def __init__(
        self, parts: tuple[LinearOperator, ...], in_shape: Shape, out_shape: Shape
    ) -> None:
        self.parts = parts
        self.in_shape, self.out_shape = in_shape, out_shape
        self.on = next((part.on for part in parts if part.on is not None), None)
        self.adjoint_rtol = max(part.adjoint_rtol for part in parts)


class _Transposed(Composite):
    def __init__(self, A: LinearOperator) -> None:
        super().__init__((A,), A.out_shape, A.in_shape)
        self._A = A

    def forward(self, x: Array) -> Array:
        return self._A.adjoint(x)

    def adjoint(self, y: Array) -> Array:
        return self._A.forward(y)

    @property
    def T(self) -> LinearOperator:  # noqa: N802
        return self._A

    @property
    def name(self) -> str:
        return f"{_bracketed(self._A)}.T"


class _Product(Composite):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if A.in_shape != B.out_shape:
            raise GeometryError(
                f"{A.name} takes arrays of shape {A.in_shape}, {B.name} gives {B.out_shape}; "
                "they must be built for the same grid and data."
            )
        super().__init__((A, B), B.in_shape, A.out_shape)
        self._A, self._B = A, B

    def forward(self, x: Array) -> Array:
        return self._A.forward(self._B.forward(x))

    def adjoint(self, y: Array) -> Array:
        return self._B.adjoint(self._A.adjoint(y))

    def subset(self, k: int, of: int) -> LinearOperator:
        return self._A.product_subset(self._B, k, of)

    @property
    def name(self) -> str:
        return " @ ".join(_bracketed(part) for part in self.parts)


class _Sum(Composite):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if (A.in_shape, A.out_shape) != (B.in_shape, B.out_shape):
            raise GeometryError(
                f"{A.name} maps {A.in_shape} to {A.out_shape}, {B.name} maps {B.in_shape} to "
                f"{B.out_shape}; only operators of the same shape can be added."
            )
        super().__init__((A, B), A.in_shape, A.out_shape)
        self._A, self._B = A, B

    def forward(self, x: Array) -> Array:
        return self._A.forward(x) + self._B.forward(x)

    def adjoint(self, y: Array) -> Array:
        return self._A.adjoint(y) + self._B.adjoint(y)

    def subset(self, k: int, of: int) -> LinearOperator:
        return self._A.subset(k, of) + self._B.subset(k, of)

    @property
    def name(self) -> str:
        return f"{self._A.name} + {self._B.name}".replace("+ -", "- ")


class _Scaled(Composite):
    def __init__(self, factor: float, A: LinearOperator) -> None:
        super().__init__((A,), A.in_shape, A.out_shape)
        self._factor, self._A = factor, A

    def forward(self, x: Array) -> Array:
        return self._factor * self._A.forward(x)

    def adjoint(self, y: Array) -> Array:
        return self._factor * self._A.adjoint(y)

    def subset(self, k: int, of: int) -> LinearOperator:
        return self._factor * self._A.subset(k, of)

    def subset_values(self, y: Array, k: int, of: int) -> Array:
        return self._A.subset_values(y, k, of)

    @property
    def name(self) -> str:
        sign = "-" if self._factor == -1 else f"{self._factor:g} * "
        return sign + _bracketed(self._A)


class _Rows(Composite):
    """Rows of any operator, at the cost of all of them."""

    def __init__(self, A: LinearOperator, k: int, of: int) -> None:
        rows = slice(k, None, of)
        n_rows = len(range(A.out_shape[0])[rows])
        super().__init__((A,), A.in_shape, (n_rows, *A.out_shape[1:]))
        self._A, self._rows = A, rows

    def forward(self, x: Array) -> Array:
        return self._A.forward(x)[self._rows]

    def adjoint(self, y: Array) -> Array:
        whole = module_of(y).zeros(self._A.out_shape, y.dtype)
        whole[self._rows] = y
        return self._A.adjoint(whole)

    @property
    def name(self) -> str:
        return f"{_bracketed(self._A)}[{self._rows.start}::{self._rows.step}]"


def _bracketed(A: LinearOperator) -> str:
    """Name of a part of a product."""
    return f"({A.name})" if isinstance(A, _Product | _Sum | _Scaled) else A.name
