"""Operators made of numbers or of other operators: identity, and block operators.

    stack(A, B)         x ↦ (A x, B x)            [A; B]
    side_by_side(A, B)  (x, y) ↦ A x + B y        [A, B]

A penalty is then a set of additional rows: ‖A x − y‖² + τ ‖L x‖² = ‖stack(A, τ^½ L) x − (y, 0)‖².
"""

from __future__ import annotations

from functools import reduce
from itertools import accumulate, pairwise
from operator import add

from engine.core.arrays import Array, module_of
from engine.core.errors import GeometryError
from engine.operators.base import Composite, LinearOperator


class Diagonal(LinearOperator):
    """Multiplication by one factor per entry.

    Parameters
    ----------
    factors
        array of any shape; its device is that of the operator
    """

    def __init__(self, factors: Array) -> None:
        self.factors = factors
        self.in_shape = self.out_shape = factors.shape

    def forward(self, x: Array) -> Array:
        """Multiply by the factors."""
        return self.factors * x

    def adjoint(self, y: Array) -> Array:
        """Multiply by the factors."""
        return self.factors * y

    def product_subset(self, B: LinearOperator, k: int, of: int) -> LinearOperator:
        """Return a subset of weighted rows, at the cost of these rows only.

        Parameters
        ----------
        B
            operator whose rows are weighted
        k
            number of the subset
        of
            number of subsets
        """
        return Diagonal(B.subset_values(self.factors, k, of)) @ B.subset(k, of)


class Identity(LinearOperator):
    """Operator that returns its input.

    Parameters
    ----------
    shape
        shape of its arrays
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.in_shape = self.out_shape = shape

    def forward(self, x: Array) -> Array:
        """Return a copy, like all operators: changing the result must not change `x`."""
        return x.copy()

    def adjoint(self, y: Array) -> Array:
        """Return a copy."""
        return y.copy()

    def product_subset(self, B: LinearOperator, k: int, of: int) -> LinearOperator:
        """Return a subset of the rows of B.

        Parameters
        ----------
        B
            operator
        k
            number of the subset
        of
            number of subsets
        """
        return B.subset(k, of)


class VerticalStack(Composite):
    """Operators on the same input, with concatenated results; made by `stack`."""

    def __init__(self, parts: tuple[LinearOperator, ...]) -> None:
        first = parts[0]
        for part in parts[1:]:
            if part.in_shape != first.in_shape:
                raise GeometryError(
                    f"{first.name} has the input shape {first.in_shape}, but {part.name} has "
                    f"{part.in_shape}; stack only operators with the same input shape."
                )
        # flat, because outputs of different shapes (projections, gradients) have no common first
        # axis
        sizes = [part.shape[0] for part in parts]
        # All parts work on the same input, so the first one defines its shape.
        super().__init__(parts, first.in_shape, (sum(sizes),))
        self._ends = [0, *accumulate(sizes)]

    def forward(self, x: Array) -> Array:
        """Return all results, flat and concatenated (n,)."""
        # ravel makes no copy of contiguous results; concatenate then copies once.
        results = [part.forward(x).ravel() for part in self.parts]
        return module_of(results[0]).concatenate(results)

    def adjoint(self, y: Array) -> Array:
        """Return the sum of the adjoints, each of its own part of y (n,)."""
        images = (part.adjoint(each) for part, each in zip(self.parts, self.split(y), strict=True))
        return reduce(add, images)

    def split(self, y: Array) -> list[Array]:
        """Return the parts of y as views, each in the output shape of its operator.

        Parameters
        ----------
        y
            (n,) flat values
        """
        self.expect(y, self.out_shape)
        places = pairwise(self._ends)
        shapes = (part.out_shape for part in self.parts)
        return [y[a:b].reshape(shape) for (a, b), shape in zip(places, shapes, strict=True)]

    @property
    def name(self) -> str:
        """The call that creates it."""
        return f"stack({', '.join(part.name for part in self.parts)})"


def stack(*operators: LinearOperator) -> VerticalStack:
    """Stack operators vertically: x ↦ (A x, B x, ...).

    Parameters
    ----------
    operators
        with the same in_shape; their outputs may differ in shape

    Returns
    -------
    VerticalStack
        its output is flat, (n,) with n the elements of all outputs; `split` gives them back

    Raises
    ------
    GeometryError
        if they take arrays of different shapes, or there are none

    Examples
    --------
    >>> import numpy as np
    >>> A = stack(Identity((2,)), 3 * Identity((2,)))
    >>> A @ np.array([1.0, 2.0])
    array([1., 2., 3., 6.])
    """
    if not operators:
        raise GeometryError("no operators were given; give at least one operator to stack.")
    return VerticalStack(operators)


def side_by_side(*operators: LinearOperator) -> LinearOperator:
    """Put operators side by side: (x, y, ...) ↦ A x + B y + ...

    Parameters
    ----------
    operators
        with the same out_shape; their inputs may differ in shape

    Returns
    -------
    LinearOperator
        its input is flat, (n,) with n the elements of all inputs

    Raises
    ------
    GeometryError
        if they give arrays of different shapes, or there are none
    """
    # [A, B] is the transpose of [Aᵀ; Bᵀ].
    return stack(*(A.T for A in operators)).T
