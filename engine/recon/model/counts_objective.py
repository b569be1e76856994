"""Poisson log-likelihood of counts, divided among the subsets of a model.

L_k(x) = Σ_i y_i log(A_k x + b)_i − Σ_n s_kn x_n,    ∇L_k = A_kᵀ( y / (A_k x + b) ) − s_k
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array, to_host
from engine.recon.model.subset_objective import SubsetGradient, SubsetObjective

if TYPE_CHECKING:
    from engine.recon.model.counts import SystemModel
    from engine.recon.model.linearised import LinearisedCounts


class CountsObjective(SubsetObjective):
    """Log-likelihood of measured counts.

    Parameters
    ----------
    model : model of all counts
    n_subsets : number of subsets, with the rows of `balanced_subset`

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
        self._parts = [model.balanced_subset(k, n_subsets) for k in range(n_subsets)]

    def gradient(self, k: int, x: Array) -> SubsetGradient:
        part = self._parts[k]
        ratio = part.ratio_step(x)
        value = ratio.log_sum - self._dot(part.sensitivity, x)
        image = self._subtracted(ratio.image, part.sensitivity)
        return SubsetGradient(image, value, ratio.n_skipped)

    def gradient_image(self, k: int, x: Array) -> Array:
        # Without the logarithms of all rows.
        part = self._parts[k]
        return self._subtracted(part.ratio_image(x), part.sensitivity)

    def sensitivity(self, k: int | None = None) -> Array:
        return self._whole if k is None else self._parts[k].sensitivity

    def hessian_times(self, x: Array, vector: Array) -> Array:
        total = np.zeros_like(x)
        for part in self._parts:
            total += hessian_times(part, x, vector)
        return total

    def linearised(self, x: Array) -> LinearisedCounts:
        """Return the noise and the Hessian of the data at an image, for several images at once.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        """
        from engine.recon.model.linearised import LinearisedCounts  # few runs need it

        return LinearisedCounts(self.model, x)

    def curvature(self, x: Array, delta: float) -> Array:
        found = np.empty_like(x)
        delta = x.dtype.type(delta)

        def divide(planes: slice) -> None:
            np.add(x[planes], delta, out=found[planes])
            np.divide(self._whole[planes], found[planes], out=found[planes])

        self.by_planes(divide, x)
        return found

    def size(self, value: float) -> float:
        # Σ s x is about the number of counts, and an error of A x + b counts once for each of them.
        return abs(value) + 2 * self.model.n_counts

    def _subtracted(self, image: Array, sensitivity: Array) -> Array:
        """Subtract a sensitivity from an image in place, and return the image."""

        def subtract(planes: slice) -> None:
            image[planes] -= sensitivity[planes]

        self.by_planes(subtract, image)
        return image

    def _dot(self, one: Array, other: Array) -> float:
        """Return Σ one · other; one sum for each plane, so that bits do not depend on threads."""
        sums = np.zeros(len(one))

        def add(planes: slice) -> None:
            products = one[planes] * other[planes]
            sums[planes] = products.sum(axis=(1, 2), dtype=np.float64)

        self.by_planes(add, one)
        return float(sums.sum())

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


def hessian_times(part: SystemModel, x: Array, vector: Array) -> Array:
    """Return Aᵀ( y · A v / (A x + b)² ) of the counts of a model.

    Parameters
    ----------
    part
        model of all counts or of a subset
    x
        (n_z, n_y, n_x)
    vector
        (n_z, n_y, n_x) v
    """
    expected = part.expected(x) + part.background
    rows = expected > 0
    weights = np.divide(part.counts, expected, out=np.zeros_like(expected), where=rows)
    np.divide(weights, expected, out=weights, where=rows)
    weights *= part.expected(vector)
    return to_host(part.A.T(weights))
