"""Interface of priors with a gradient, as penalised algorithms use it.

A prior is a penalty R(x) that is subtracted from the log-likelihood. Its strength is part of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from engine.core.arrays import Array, module_of
from engine.operators.neighbours import NeighbourSums, Term


class SmoothPrior(ABC):
    """Penalty R of an image, with gradient and curvature. Images are NumPy or GPU arrays.

    All results have the type of the image, float32 or float64, and its device.

    Attributes
    ----------
    grows_linearly : True if R(c x) = c R(x), so that x · ∇R(x) = R(x)
    """

    grows_linearly: ClassVar[bool] = False

    @abstractmethod
    def value(self, x: Array) -> float:
        """Return R(x), summed in float64.

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        """

    @abstractmethod
    def gradient(self, x: Array) -> Array:
        """Return ∇R(x), (n_z, n_y, n_x).

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        """

    @abstractmethod
    def hessian_times(self, x: Array, vector: Array) -> Array:
        """Return R''(x) v, (n_z, n_y, n_x).

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        vector
            (n_z, n_y, n_x) v
        """

    @abstractmethod
    def curvature(self, x: Array) -> Array:
        """Return c(x) with vᵀ R''(x) v ≤ Σ c_n v_n² for every v, (n_z, n_y, n_x).

        Parameters
        ----------
        x
            (n_z, n_y, n_x)
        """


class PairPrior(SmoothPrior):
    """Prior that is a sum of one potential over pairs of neighbours.

    A subclass has a `strength`, and `sums` over the neighbours of each voxel.

        R(x) = strength · Σ_n Σ_m (w_nm / 2) κ_n κ_m φ(x_n, x_m)
    """

    strength: float

    @property
    @abstractmethod
    def sums(self) -> NeighbourSums:
        """Sums over the 26 neighbours of each voxel, with the weights w and κ."""

    def value(self, x: Array) -> float:
        # Every pair occurs twice, once from each side.
        terms = self.sums(Term.VALUE, x)
        return self.strength / 2 * float(module_of(x).sum(terms, dtype=np.float64))

    def gradient(self, x: Array) -> Array:
        return self._scaled(self.sums(Term.GRADIENT, x))

    def hessian_times(self, x: Array, vector: Array) -> Array:
        return self._scaled(self.sums(Term.HESSIAN, x, vector))

    def curvature(self, x: Array) -> Array:
        return self._scaled(self.sums(Term.CURVATURE, x))

    def _scaled(self, sums: Array) -> Array:
        # In place and in the type of the image: a float64 scalar would convert a GPU image.
        sums *= sums.dtype.type(self.strength)
        return sums
