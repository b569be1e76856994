"""Helper functions of the solvers of y = A x: value limits and sums.

Arrays stay on the device of y.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, module_of

if TYPE_CHECKING:
    from engine.recon.model import LinearModel


MIN_SUM = 1e-6
"""Sums of rows or columns below this fraction of the largest count as zero: float32 rounding."""


class Misfit:
    """y − A x of an image, computed on first use."""

    def __init__(self, model: LinearModel, x: Array) -> None:
        self._model, self._x = model, x

    @cached_property
    def rays(self) -> Array:
        """Residual y − A x, with the shape of y."""
        return self._model.y - self._model.A(self._x)

    def relative(self) -> float:
        """Return ‖A x − y‖ / ‖y‖."""
        return relative(self.rays, self._model.y)


def clip(x: Array, non_negative: bool, largest: float | None) -> Array:
    """Return the image limited to the bounds.

    Parameters
    ----------
    x
        image
    non_negative
        lower bound 0; False: none
    largest
        upper bound; None: none
    """
    most = np.inf if largest is None else largest
    return module_of(x).clip(x, 0.0 if non_negative else -np.inf, most)


def inverted(sums: Array) -> Array:
    """Return 1 / sums, and 0 where a sum is close to 0.

    Parameters
    ----------
    sums
        sums of rows or columns
    """
    xp = module_of(sums)
    # Rays that touch only a corner of the grid have tiny sums, whose inverse would dominate.
    enough = sums > MIN_SUM * sums.max()
    return xp.where(enough, 1 / xp.where(enough, sums, 1), 0).astype(sums.dtype)


def dot(a: Array, b: Array) -> float:
    """Return ⟨a, b⟩, summed in double precision."""
    return float(module_of(a).sum(a * b, dtype=np.float64))


def norm(a: Array) -> float:
    """Return ‖a‖."""
    return float(np.sqrt(dot(a, a)))


def relative(residual: Array, y: Array) -> float:
    """Return ‖residual‖ / ‖y‖.

    Parameters
    ----------
    residual
        y − A x
    y
        measured values; if they are all 0, the norm of the residual is returned
    """
    # Data without any attenuation have norm 0.
    return norm(residual) / (norm(y) or 1.0)
