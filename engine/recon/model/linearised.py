"""Noise and Hessian of counts near an image, for several bootstrap replicates at once.

    noise      g_c = Aᵀ( (y_c − y) / q ),    q = A x + b
    Hessian    F v = Aᵀ( y · A v / q² )

g_c is the change of the gradient of the log-likelihood when the counts y become those of replicate
c. Its covariance over the replicates is F.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Array
from engine.operators.lower_bound import MIN_EXPECTED

if TYPE_CHECKING:
    from engine.operators.event_weights import Draws
    from engine.recon.model.counts import SystemModel


class LinearisedCounts:
    """Log-likelihood of counts near an image, to second order.

    All rows are projected at once, because each subset would copy the images of all replicates.

    Parameters
    ----------
    model : model of all counts
    x : (n_z, n_y, n_x) the image
    """

    def __init__(self, model: SystemModel, x: Array) -> None:
        expected = model.expected(x) + model.background
        # The square of a smaller number would not be a float32.
        seen = expected > sqrt(MIN_EXPECTED)
        self._model = model
        self._inverse = np.divide(1, expected, out=np.zeros_like(expected), where=seen)
        weights = self._inverse * self._inverse * model.counts
        self._weights = weights.astype(expected.dtype)

    def noise(self, draws: Draws) -> Array:
        """Return g_c of all replicates, (n, n_z, n_y, n_x).

        Parameters
        ----------
        draws
            counts y_c of the rows in each replicate
        """
        return self._model.noise_of_replicates(self._inverse, draws)

    def hessian_times(self, images: Array) -> Array:
        """Return F v_c of several images, (n, n_z, n_y, n_x).

        Parameters
        ----------
        images
            (n, n_z, n_y, n_x) v_c
        """
        return self._model.curvature_times(images, self._weights)
