"""Operators as physics of deepinv, a library of learned reconstruction on PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deepinv.physics import LinearPhysics

from engine.operators.adaptors.torch import product

if TYPE_CHECKING:
    from engine.operators.base import LinearOperator


def physics_of(operator: LinearOperator, **options: Any) -> LinearPhysics:
    """Return the physics y = A x, with the exact adjoint.

    Parameters
    ----------
    operator
        A
    options
        further options of LinearPhysics, such as noise_model

    Returns
    -------
    physics of images (batch, channel, *in_shape) and data (batch, channel, *out_shape)
    """

    def forward(x: Any, **_: Any) -> Any:
        return product(operator, x)

    def adjoint(y: Any, **_: Any) -> Any:
        return product(operator.T, y)

    return LinearPhysics(A=forward, A_adjoint=adjoint, img_size=(1, *operator.in_shape), **options)
