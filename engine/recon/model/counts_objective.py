"""Poisson log-likelihood of counts, divided among the subsets of a model.

L_k(x) = Σ_i y_i log(A_k x + b)_i − Σ_n s_kn x_n,    ∇L_k = A_kᵀ( y / (A_k x + b) ) − s_k
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, to_host
from engine.recon.model.subset_objective import SubsetGradient, SubsetObjective, dot

if TYPE_CHECKING:
    from engine.recon.model.counts import SystemModel


class CountsObjective(SubsetObjective):
    """Log-likelihood of measured counts.

    Parameters
    ----------
    model : model of all counts
    n_subsets : number of subsets, with the rows and sensitivities of `SystemModel.subset`

    Examples
    --------
    >>> import numpy as np, engine
    >>> rays = engine.Rays(np.array([[-9.0, 0, 0], [9.0, 0, 0]]), np.array([[0, 1]], np.int32))
    >>> grid = engine.ImageGrid(shape=(1, 1, 2), voxel_mm=(1.0, 1.0, 1.0))
    >>> A = engine.RayProjector(rays, grid, on=engine.cpu())
    >>> counts, none = np.array([6.0], np.float32), np.zeros(1, np.float32)
    >>> objective = engine.BinnedModel.of(A, none, counts).objective(1)
    >>> objective.gradient(0, np.ones(grid.shape, np.float32)).image.tolist()  # 6 / 2 − 1
    [[[2.0, 2.0]]]
    """

    def __init__(self, model: SystemModel, n_subsets: int) -> None:
        self.model, self.n_subsets = model, n_subsets
        self.shape, self.A = model.A.in_shape, model.A
        # Prepared once: a subset of list mode copies its background.
        self._parts = [model.subset(k, n_subsets) for k in range(n_subsets)]

    def gradient(self, k: int, x: Array) -> SubsetGradient:
        part = self._parts[k]
        ratio = part.ratio_step(x)
        sensitivity = part.sensitivity
        value = ratio.log_sum - dot(sensitivity, x)
        return SubsetGradient(ratio.image - sensitivity, value, ratio.n_skipped)

    def sensitivity(self, k: int | None = None) -> Array:
        return self._whole if k is None else self._parts[k].sensitivity

    def hessian_times(self, x: Array, vector: Array) -> Array:
        total = np.zeros_like(x)
        for part in self._parts:
            total += _hessian_times(part, x, vector)
        return total

    def curvature(self, x: Array, least: float) -> Array:
        return self._whole / (x + x.dtype.type(least))

    @cached_property
    def _whole(self) -> Array:
        """Sensitivity of all data."""
        images = [part.sensitivity for part in self._parts]
        # Subsets of list mode share one image.
        if all(image is images[0] for image in images):
            return images[0] * images[0].dtype.type(self.n_subsets)
        total = np.zeros_like(images[0])
        for image in images:
            total += image
        return total


def _hessian_times(part: SystemModel, x: Array, vector: Array) -> Array:
    """Return Aᵀ( y · A v / (A x + b)² ) of one subset."""
    expected = part.expected(x) + part.background
    rows = expected > 0
    weights = np.divide(part.counts, expected, out=np.zeros_like(expected), where=rows)
    np.divide(weights, expected, out=weights, where=rows)
    weights *= part.expected(vector)
    return to_host(part.A.T(weights))
