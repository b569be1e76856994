"""Interface of linear operators, and how they combine: A.T, A @ B, A + B, A - B, 2 * A."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, Never, Self, overload

from engine.core.arrays import Array, as_supported, module_of, to_host
from engine.core.backend import Backend
from engine.core.backend.filters import solvers_of_cupy
from engine.core.errors import ArgumentError, GeometryError
from engine.core.interactive import same, shown, table
from engine.core.profiling import Profiler
from engine.operators.of_any_operator import (
    adaptor,
    exchanging,
    flat_operator,
    power_iteration,
    real_number,
)

if TYPE_CHECKING:
    import torch

Shape = tuple[int, ...]
Definition = tuple[Callable[..., Any], tuple[Any, ...]]
"""Function and arguments that create an operator again, as `__reduce__` returns them."""


class LinearOperator(ABC):
    """A maps arrays of in_shape to arrays of out_shape; its adjoint maps them back.

    Several threads can use an operator at the same time, with the results of a single thread. A
    pickle stores its definition (geometry, grid, options). Loading it compiles or loads kernels and
    chooses a device of the same kind again. Progress callbacks and profilers are not stored.

    A(x) and A @ x check the shape and call `forward`; A.T(y) does the same with `adjoint`.
    Operators combine like matrices: A @ B, A + B, A - B, -A, 2 * A, A / 2; `algebra` stacks them.
    The result is again an operator, which computes nothing until it is applied.

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
    """Relative tolerance of ⟨A x, y⟩ = ⟨x, Aᵀ y⟩; large only for an unmatched pair."""
    on: Backend | None = None
    """Device of the operator; None: the device of its arrays."""
    profiler: Profiler | None = None
    """Times the operator and its users."""
    streams: bool = False
    """True if arrays are too large for the memory of a GPU, and stay on the host."""

    # NumPy would otherwise evaluate `array @ A` and `numpy_scalar * A` element by element and
    # return an array of operators; None makes it defer to the operator. CuPy does the same.
    __array_ufunc__ = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # Each operator computes with NumPy or CuPy arrays; the exchange with other libraries is the
        # same for all, also for operators of users.
        for name in ("forward", "adjoint"):
            if name in cls.__dict__:
                setattr(cls, name, exchanging(cls.__dict__[name]))

    @abstractmethod
    def forward(self, x: Array) -> Array:
        """Return A x.

        Parameters
        ----------
        x
            array of shape `in_shape`, on the host or the operator's device

        Returns
        -------
        array of shape `out_shape`, in the type and on the device of x
        """

    @abstractmethod
    def adjoint(self, y: Array) -> Array:
        """Return Aᵀ y.

        Parameters
        ----------
        y
            array of shape `out_shape`, on the host or the operator's device

        Returns
        -------
        array of shape `in_shape`, in the type and on the device of y
        """

    def subset(self, k: int, of: int) -> LinearOperator:
        """Return the operator of rows k, k + of, ... along the first axis of the output.

        Parameters
        ----------
        k
            number of the subset, 0 to of − 1
        of
            number of subsets
        """
        return _Rows(self, k, of)

    def subset_values(self, y: Array, k: int, of: int) -> Array:
        """Return the values that belong to the rows of a subset.

        Parameters
        ----------
        y
            values in the shape of the output
        k
            number of the subset
        of
            number of subsets
        """
        return y[k::of]

    def product_subset(self, B: LinearOperator, k: int, of: int) -> LinearOperator:
        """Return rows k, k + of, ... of self @ B; a diagonal operator needs only these rows of B.

        Parameters
        ----------
        B
            operator on the right
        k
            number of the subset
        of
            number of subsets
        """
        return self.subset(k, of) @ B

    def __call__(self, x: Array) -> Array:
        """Return A x after a check of the shape, in the type and on the device of x.

        Parameters
        ----------
        x
            array of NumPy, CuPy, PyTorch, JAX or another library with DLPack, or nested lists. A
            tensor of PyTorch that requires a gradient gets a result that has one

        Raises
        ------
        GeometryError
            if the shape is not `in_shape`
        DataError
            if the library or the device of the array is not supported
        """
        x = x if hasattr(x, "shape") else as_supported(x)
        self.expect(x, self.in_shape)
        return self.forward(x)

    @property
    def T(self) -> LinearOperator:  # noqa: N802
        """The adjoint as an operator."""
        return _Transposed(self)

    @property
    def H(self) -> LinearOperator:  # noqa: N802
        """The adjoint, equal to `T`: operators here are real."""
        return self.T

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix: numbers of elements of output and input."""
        return prod(self.out_shape), prod(self.in_shape)

    def norm(self, *, rtol: float = 1e-3, seed: int = 0, max_iterations: int = 500) -> float:
        """Return the largest singular value ‖A‖, by power iteration with the operator's adjoint.

        Parameters
        ----------
        rtol
            relative residual of AᵀA that ends the iteration. A singular value is then within rtol /
            2 of the result, which is never above the norm, up to rounding
        seed
            seed of the random start; the same seed gives the same result
        max_iterations
            maximum number of steps, each a projection and a back projection

        Raises
        ------
        NumericalError
            if more iterations are needed
        """
        # With the operator's own adjoint: for an unmatched pair this is the norm that iterations
        # see.
        on = None if self.streams else self.on

        def normal(x: Array) -> Array:
            return self.T(self(x if on is None else on.to_device(x)))

        return power_iteration(normal, self.in_shape, rtol, seed, max_iterations)

    def __copy__(self) -> Self:
        # `copy` would otherwise create the operator again from its definition, like a pickle
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __repr__(self) -> str:
        where = "" if self.on is None else f" on {self.on.name}"
        return f"<{self.name} {self.in_shape} -> {self.out_shape}{where}>"

    def _repr_html_(self) -> str:
        device = {} if self.on is None else {"device": self.on.label}
        return table(
            self.name, {"input": str(self.in_shape), "output": str(self.out_shape), **device}
        )

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        # the definition, as in a pickle
        return self is other or same(self.__reduce_ex__(4), other.__reduce_ex__(4))

    def __hash__(self) -> int:
        return hash((type(self), self.in_shape, self.out_shape))

    @overload
    def __matmul__(self, other: LinearOperator) -> LinearOperator: ...

    @overload
    def __matmul__(self, other: Array) -> Array: ...

    def __matmul__(self, other: LinearOperator | Array) -> LinearOperator | Array:
        return _Product(self, other) if isinstance(other, LinearOperator) else self(other)

    def __rmatmul__(self, other: object) -> Never:
        raise ArgumentError(
            f"{type(other).__name__} @ {self.name}: an operator must be on the left of its "
            "argument; write A.T @ y for the adjoint."
        )

    def __add__(self, other: LinearOperator) -> LinearOperator:
        return _Sum(self, self._addend(other))

    def __sub__(self, other: LinearOperator) -> LinearOperator:
        return _Sum(self, -self._addend(other))

    def __radd__(self, other: object) -> LinearOperator:
        return self._addend(other)  # raises: operators have their own sum

    __rsub__ = __radd__

    def _addend(self, other: Any) -> LinearOperator:
        if isinstance(other, LinearOperator):
            return other
        raise ArgumentError(
            f"{self.name} + {shown(other)}: only another operator can be added or subtracted; use "
            "A + B, or 2 * A for a factor."
        )

    def __neg__(self) -> LinearOperator:
        return _Scaled(-1.0, self)

    def __mul__(self, factor: float) -> LinearOperator:
        return _Scaled(real_number(factor, self.name), self)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> LinearOperator:
        return _Scaled(1 / real_number(divisor, self.name), self)

    @property
    def name(self) -> str:
        """Name in `repr` and in error messages."""
        return type(self).__name__

    def as_scipy(self, dtype: str = "float32") -> Any:
        """Return the operator as a scipy.sparse.linalg.LinearOperator on flat NumPy vectors.

        Parameters
        ----------
        dtype
            dtype that SciPy assumes for its vectors
        """
        from scipy.sparse import linalg

        return flat_operator(self, linalg.LinearOperator, to_host, dtype)

    def as_cupyx(self, dtype: str = "float32") -> Any:
        """Return the operator as a cupyx.scipy.sparse.linalg.LinearOperator on flat CuPy vectors.

        Parameters
        ----------
        dtype
            dtype that CuPy assumes for its vectors
        """
        return flat_operator(self, solvers_of_cupy().LinearOperator, lambda values: values, dtype)

    def as_torch(self) -> torch.nn.Module:
        """Return the operator as a differentiable layer of PyTorch.

        Its derivative is `adjoint`, and that of the backward pass is `forward` again. Tensors can
        have leading axes, such as batch and channel. Needs the extra `isocenter[torch]`.

        Raises
        ------
        ResourceError
            if PyTorch is not installed
        """
        return adaptor("torch").OperatorModule(self)

    def as_deepinv(self, **options: Any) -> Any:
        """Return the operator as a deepinv.physics.LinearPhysics on (batch, channel, ...).

        Parameters
        ----------
        options
            options of LinearPhysics, such as noise_model

        Raises
        ------
        ResourceError
            if deepinv is not installed
        """
        return adaptor("deepinv").physics_of(self, **options)

    def as_cil(self, image_geometry: Any, data_geometry: Any) -> Any:
        """Return the operator as a cil.optimisation.operators.LinearOperator.

        Parameters
        ----------
        image_geometry
            CIL's geometry of the input, with the axes z, y, x
        data_geometry
            CIL's geometry of the output, with the axes view, row, column

        Raises
        ------
        ResourceError
            if CIL is not installed
        """
        return adaptor("cil").AdaptedOperator(self, image_geometry, data_geometry)

    def as_sirf(self, image: Any, data: Any) -> Any:
        """Return the operator as an acquisition model with the methods of SIRF.

        Parameters
        ----------
        image
            template of the input, a container with `as_array`, `fill` and `clone`
        data
            template of the output

        Raises
        ------
        GeometryError
            if a template has another number of values than the operator
        """
        return adaptor("sirf").AdaptedAcquisitionModel(self, image, data)

    def span(self, name: str, **amounts: Any) -> AbstractContextManager[Any]:
        """Time the block as a stage of the profile, if there is one.

        Parameters
        ----------
        name
            key of the stage
        amounts
            amounts of work, as for `Profiler.span`
        """
        return nullcontext() if self.profiler is None else self.profiler.span(name, **amounts)

    def expect(self, array: Array, shape: tuple[int, ...]) -> None:
        """Raise an error if an array has another shape.

        Parameters
        ----------
        array
            input of the operator
        shape
            required shape

        Raises
        ------
        GeometryError
            with the expected and the actual shape
        """
        # Arrays of another shape could broadcast without an error.
        if array.shape != shape:
            raise GeometryError(
                f"{self.name}: got an array of shape {tuple(array.shape)}, expected {shape}; use "
                "data, scanner and image grid that belong together."
            )


class Composite(LinearOperator):
    """Operator made of other operators: on the same device, and with their adjoint tolerance."""

    def __init__(
        self, parts: tuple[LinearOperator, ...], in_shape: Shape, out_shape: Shape
    ) -> None:
        self.parts = parts
        self.in_shape, self.out_shape = in_shape, out_shape
        # Parts without a device (such as a diagonal) work on the device of their arrays.
        self.on = next((part.on for part in parts if part.on is not None), None)
        self.adjoint_rtol = max(part.adjoint_rtol for part in parts)
        self.streams = any(part.streams for part in parts)


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
                f"{A.name} has the input shape {A.in_shape}, but {B.name} has the output shape "
                f"{B.out_shape}; create both for the same grid and data."
            )
        # Shapes are checked when operators are combined, long before the first projection.
        super().__init__((A, B), B.in_shape, A.out_shape)
        self._A, self._B = A, B

    def forward(self, x: Array) -> Array:
        return self._A.forward(self._B.forward(x))

    def adjoint(self, y: Array) -> Array:
        return self._B.adjoint(self._A.adjoint(y))

    def subset(self, k: int, of: int) -> LinearOperator:
        # The left operator decides: a diagonal can take rows of B, a general operator needs all of
        # B.
        return self._A.product_subset(self._B, k, of)

    @property
    def name(self) -> str:
        return " @ ".join(_bracketed(part) for part in self.parts)


class _Sum(Composite):
    def __init__(self, A: LinearOperator, B: LinearOperator) -> None:
        if (A.in_shape, A.out_shape) != (B.in_shape, B.out_shape):
            raise GeometryError(
                f"{A.name} maps {A.in_shape} to {A.out_shape}, but {B.name} maps {B.in_shape} to "
                f"{B.out_shape}; add only operators with the same shapes."
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
    """Rows of any operator, at the cost of all rows."""

    def __init__(self, A: LinearOperator, k: int, of: int) -> None:
        rows = slice(k, None, of)
        n_rows = len(range(A.out_shape[0])[rows])
        super().__init__((A,), A.in_shape, (n_rows, *A.out_shape[1:]))
        self._A, self._rows = A, rows

    def forward(self, x: Array) -> Array:
        return self._A.forward(x)[self._rows]

    def adjoint(self, y: Array) -> Array:
        # The fallback for operators without their own subsets: other rows are projected as zeros.
        whole = module_of(y).zeros(self._A.out_shape, y.dtype)
        whole[self._rows] = y
        return self._A.adjoint(whole)

    @property
    def name(self) -> str:
        return f"{_bracketed(self._A)}[{self._rows.start}::{self._rows.step}]"


def _bracketed(A: LinearOperator) -> str:
    """Return the name of a part, in brackets if it is itself a combination."""
    return f"({A.name})" if isinstance(A, _Product | _Sum | _Scaled) else A.name


def created(kind: type[LinearOperator], *arguments: Any, **options: Any) -> Definition:
    """Return the call of a constructor as `LinearOperator.__reduce__` returns it.

    Parameters
    ----------
    kind
        class of the operator
    arguments, options
        arguments of its constructor
    """
    return partial(kind, **options), arguments
