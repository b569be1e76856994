"""Operators as differentiable layers of PyTorch.

    forward   y = A x
    backward  ∂L/∂x = Aᵀ ∂L/∂y

The backward pass is a product again, so that derivatives of any order exist. Memory is shared
by DLPack: tensors on a GPU stay there.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import torch

from engine.core.arrays import accepted
from engine.core.errors import GeometryError
from engine.operators.of_any_operator import check_device

__all__ = ["OperatorModule", "product"]

if TYPE_CHECKING:
    from torch import Tensor

    from engine.operators.base import LinearOperator


class OperatorModule(torch.nn.Module):
    """Layer that applies an operator; it has no parameters.

    Parameters
    ----------
    operator : A; use `A.T` for a layer that back-projects

    Examples
    --------
    >>> import numpy as np, torch
    >>> from engine.operators.algebra import Diagonal
    >>> layer = Diagonal(np.array([2.0, 3.0])).as_torch()
    >>> x = torch.ones(4, 2, requires_grad=True)
    >>> layer(x).sum().backward()
    >>> x.grad[0].tolist()
    [2.0, 3.0]
    """

    def __init__(self, operator: LinearOperator) -> None:
        super().__init__()
        self.operator = operator

    def forward(self, x: Tensor) -> Tensor:
        """Return A x.

        Parameters
        ----------
        x
            (..., *in_shape); leading axes are optional

        Returns
        -------
        (..., *out_shape), in the dtype and on the device of x
        """
        return product(self.operator, x)

    def adjoint(self, y: Tensor) -> Tensor:
        """Return Aᵀ y.

        Parameters
        ----------
        y
            (..., *out_shape)

        Returns
        -------
        (..., *in_shape), in the dtype and on the device of y
        """
        return product(self.operator.T, y)

    @property
    def T(self) -> OperatorModule:  # noqa: N802
        """The layer of the adjoint."""
        return OperatorModule(self.operator.T)

    def extra_repr(self) -> str:
        """Return name and shapes of the operator."""
        A = self.operator
        return f"{A.name} {A.in_shape} -> {A.out_shape}"


@torch.compiler.disable
def product(A: LinearOperator, x: Tensor) -> Tensor:
    """Return A x of a tensor, with its derivative.

    Parameters
    ----------
    A
        the operator
    x
        (..., *in_shape)

    Raises
    ------
    GeometryError
        if the last axes do not have the shape of the operator's input
    """
    n = len(A.in_shape)
    if tuple(x.shape[-n:]) != A.in_shape:
        raise GeometryError(
            f"{A.name}: got a tensor of shape {tuple(x.shape)}, expected (..., "
            f"{', '.join(map(str, A.in_shape))}); use data, scanner and image grid that belong "
            "together."
        )
    found: Tensor = _Product.apply(x, A)
    return found


class _Product(torch.autograd.Function):
    """A x with the derivative Aᵀ; `A` is not a tensor."""

    @staticmethod
    def forward(x: Tensor, A: LinearOperator) -> Tensor:
        return _values(A, x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.A = inputs[1]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return _Product.apply(gradient, ctx.A.T), None

    @staticmethod
    def jvp(ctx: Any, direction: Tensor, _: None) -> Tensor:
        found: Tensor = _Product.apply(direction, ctx.A)
        return found

    @staticmethod
    def vmap(
        info: Any, in_dims: tuple[int | None, ...], x: Tensor, A: LinearOperator
    ) -> tuple[Tensor, int | None]:
        # leading axes are a batch already
        at = in_dims[0]
        return _Product.apply(x if at is None else x.movedim(at, 0), A), None if at is None else 0


def _values(A: LinearOperator, x: Tensor) -> Tensor:
    """Return A x of a tensor (..., *in_shape), without a derivative."""
    n = len(A.in_shape)
    lead = x.shape[:-n]
    # NumPy has no bfloat16, and kernels have no half precision
    real = x.detach().resolve_neg()
    real = real if real.dtype == torch.float64 or not real.is_floating_point() else real.float()
    if not lead:
        return _as_dtype(_product_of_one(A, real), x)
    out = x.new_empty((prod(lead), *A.out_shape), dtype=_result_dtype(x))
    for i, each in enumerate(real.reshape(-1, *A.in_shape)):
        out[i] = _product_of_one(A, each)
    return out.reshape(*lead, *A.out_shape)


def _product_of_one(A: LinearOperator, x: Tensor) -> Tensor:
    values, back = accepted(x.contiguous())
    check_device(A, values)
    found: Tensor = back(A.forward(values))
    return found


def _result_dtype(x: Tensor) -> torch.dtype:
    return x.dtype if x.is_floating_point() else torch.float32


def _as_dtype(found: Tensor, x: Tensor) -> Tensor:
    return found.to(_result_dtype(x))
