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
    parts : models of the subsets, which together have all rows
    x : (n_z, n_y, n_x) the image
    """

    def __init__(self, parts: Sequence[SystemModel], x: Array) -> None:
        self._parts = [(part, *_row_factors(part, x)) for part in parts]

    def noise(self, draws: Draws) -> Array:
        """Return g_c of all replicates, (n, n_z, n_y, n_x).

        Parameters
        ----------
        draws
            counts y_c of the rows in each replicate
        """
        of = len(self._parts)
        return _sum(
            part.noise_of_replicates(inverse, draws.of_rows(k, of))
            for k, (part, inverse, _) in enumerate(self._parts)
        )

    def hessian_times(self, images: Array) -> Array:
        """Return F v_c of several images, (n, n_z, n_y, n_x).

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) v_c
        """
        return _sum(part.curvature_times(images, weights) for part, _, weights in self._parts)


def _sum(images: Iterator[Array]) -> Array:
    """Return the sum of images, in the memory of the first one."""
    total = next(images)
    for each in images:
        total += each
    return total


def _row_factors(part: SystemModel, x: Array) -> tuple[Array, Array]:
    """Return 1 / q and y / q² of each row; 0 where no counts are expected."""
    expected = part.expected(x) + part.background
    # The square of a smaller number would not be a float32.
    seen = expected > sqrt(LEAST_EXPECTED)
    inverse = np.divide(1, expected, out=np.zeros_like(expected), where=seen)
    return inverse, (inverse * inverse * part.counts).astype(inverse.dtype)
