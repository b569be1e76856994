"""Interface between a scan and algorithms that maximise its likelihood subset by subset.

    L(x) = Σ_k L_k(x),    k = 0 ... B − 1

List mode, sinograms, histograms of two panels and projections of X-rays share it, so an algorithm
is written once. `Model.objective` returns it. The data of a subset are a fair share of all data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Array, module_of
from engine.operators.base import LinearOperator
from engine.operators.planes import by_planes


@dataclass(frozen=True)
class SubsetGradient:
    """Gradient of the log-likelihood of one subset at an image.

    Attributes
    ----------
    image : (n_z, n_y, n_x) ∇L_k(x)
    value : L_k(x), up to a constant of the data
    n_skipped : rows with counts but no expected counts, which are left out
    """

    image: Array
    value: float
    n_skipped: int = 0


class SubsetObjective(ABC):
    """Log-likelihood L of a scan, divided among subsets; algorithms maximise it.

    Images are on the host for counts, and on the device of the data for line integrals. Their type
    is that of the data, float32 or float64. An objective does not change after construction.

    Attributes
    ----------
    shape : (n_z, n_y, n_x) of the images
    n_subsets : B
    A : operator from images to all data; its `on` is the device of the projections
    """

    shape: tuple[int, ...]
    n_subsets: int
    A: LinearOperator

    @abstractmethod
    def gradient(self, k: int, x: Array) -> SubsetGradient:
        """Return gradient and value of one subset, for one projection and one back projection.

        Parameters
        ----------
        k
            number of the subset
        x
            (n_z, n_y, n_x) image, not negative
        """

    def gradient_image(self, k: int, x: Array) -> Array:
        """Return ∇L_k(x) alone, (n_z, n_y, n_x), which the caller can change.

        An objective overrides it if the value is not free.

        Parameters
        ----------
        k
            number of the subset
        x
            (n_z, n_y, n_x) image, not negative
        """
        return self.gradient(k, x).image

    @abstractmethod
    def sensitivity(self, k: int | None = None) -> Array:
        """Return the sensitivity of a subset, (n_z, n_y, n_x); 0 in voxels without data.

        Counts: s_k = Σ_i A_in over all lines of the subset. Line integrals: A_kᵀ A_k 1.

        Parameters
        ----------
        k
            number of the subset; None for all data
        """

    @abstractmethod
    def hessian_times(self, x: Array, vector: Array) -> Array:
        """Return −L''(x) v of all data, for two projections and one back projection.

        Applied to an image of ones it gives row sums, which are κ² of even resolution.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        vector
            (n_z, n_y, n_x) v
        """

    @abstractmethod
    def curvature(self, x: Array, delta: float) -> Array:
        """Return the diagonal that scales the steps of expectation maximisation or SIRT.

        Counts: s / (x + δ). Line integrals: AᵀA 1.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        delta
            δ, activity added to each voxel, so that voxels at 0 can rise
        """

    def value(self, x: Array) -> float:
        """Return L(x), up to a constant of the data.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        """
        return sum(self.gradient(k, x).value for k in range(self.n_subsets))

    def size(self, value: float) -> float:
        """Return the sum of the sizes of the terms of L, on which its rounding depends.

        Parameters
        ----------
        value
            L(x), up to a constant of the data
        """
        return abs(value)

    def by_planes(self, work: Callable[[slice], None], x: Array) -> None:
        """Call a function on all planes of an image, by CPU threads; on a GPU at once.

        Parameters
        ----------
        work
            called with slices along the first axis; must be safe in several threads
        x
            (n_z, n_y, n_x) image
        """
        if module_of(x) is np:
            by_planes(work, x.shape, self.A.on)
        else:
            work(slice(None))


def dot(one: Array, other: Array) -> float:
    """Return Σ one · other, summed in float64."""
    return float(module_of(one).sum(one * other, dtype=np.float64))
