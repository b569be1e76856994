"""Noise and Hessian of counts near an image, for several bootstrap replicates at once.

    noise      g_c = Aᵀ( (y_c − y) / q ),    q = A x + b
    Hessian    F v = Aᵀ( y · A v / q² )

g_c is the change of the gradient of the log-likelihood when the counts y become those of replicate
c. Its covariance over the replicates is F.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.operators.lower_bound import LEAST_EXPECTED

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws
    from engine.recon.model.counts import SystemModel


class LinearisedCounts:
    """Log-likelihood of counts near an image, to second order.

    Parameters
    ----------
    whole : model of all counts
    parts : models of its subsets
    x : (n_z, n_y, n_x) the image
    """

    def __init__(self, whole: SystemModel, parts: Sequence[SystemModel], x: Array) -> None:
        self._whole, self._x = whole, x
        self._parts = [(part, _weights(part, x)) for part in parts]

    def noise(self, draws: Draws) -> Array:
        """Return g_c of all replicates, (n, n_z, n_y, n_x).

        Parameters
        ----------
        draws
            counts y_c of the rows in each replicate
        """
        # Of all rows at once: a subset does not know their numbers in the replicates.
        return self._whole.noise_of_replicates(_inverse(self._whole, self._x), draws)

    def hessian_times(self, images: Array) -> Array:
        """Return F v_c of several images, (n, n_z, n_y, n_x).

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) v_c
        """
        return _sum(part.curvature_times(images, weights) for part, weights in self._parts)


def _sum(images: Iterator[Array]) -> Array:
    """Return the sum of images, in the memory of the first one."""
    total = next(images)
    for each in images:
        total += each
    return total


def _inverse(model: SystemModel, x: Array) -> Array:
    """Return 1 / q of each row; 0 where no counts are expected."""
    expected = model.expected(x) + model.background
    # The square of a smaller number would not be a float32.
    seen = expected > sqrt(LEAST_EXPECTED)
    return np.divide(1, expected, out=np.zeros_like(expected), where=seen)


def _weights(model: SystemModel, x: Array) -> Array:
    """Return y / q² of each row; 0 where no counts are expected."""
    inverse = _inverse(model, x)
    return (inverse * inverse * model.counts).astype(inverse.dtype)
