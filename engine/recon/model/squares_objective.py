"""Log-likelihood of line integrals with equal Gaussian noise, divided among the subsets of a model.

L_k(x) = −½ ‖A_k x − y_k‖²,    ∇L_k = A_kᵀ( y_k − A_k x )
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from engine.core.arrays import Array, module_of
from engine.recon.model.subset_objective import SubsetGradient, SubsetObjective, dot

if TYPE_CHECKING:
    from engine.recon.model.linear import LinearModel


class SquaresObjective(SubsetObjective):
    """Log-likelihood of line integrals in memory.

    Parameters
    ----------
    model : model of all line integrals
    n_subsets : number of subsets, with the rows of `LinearModel.subset`
    """

    def __init__(self, model: LinearModel, n_subsets: int) -> None:
        self.model, self.n_subsets = model, n_subsets
        self.shape, self.A = model.A.in_shape, model.A
        self._parts = [model.subset(k, n_subsets) for k in range(n_subsets)]
        self._sums: dict[int, Array] = {}

    def gradient(self, k: int, x: Array) -> SubsetGradient:
        part = self._parts[k]
        residual = part.y - part.A(x)
        return SubsetGradient(part.A.T(residual), -dot(residual, residual) / 2)

    def sensitivity(self, k: int | None = None) -> Array:
        if k is None:
            return self._whole
        if k not in self._sums:
            A, y = self._parts[k].A, self._parts[k].y
            self._sums[k] = A.T(A(module_of(y).ones(self.shape, y.dtype)))
        return self._sums[k]

    def hessian_times(self, x: Array, vector: Array) -> Array:
        return self.model.A.T(self.model.A(vector))

    def curvature(self, x: Array, delta: float) -> Array:
        return self._whole

    @cached_property
    def _whole(self) -> Array:
        """Row sums of AᵀA."""
        y = self.model.y
        return self.model.A.T(self.model.A(module_of(y).ones(self.shape, y.dtype)))
