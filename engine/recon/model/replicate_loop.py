"""Expectation maximisation of several bootstrap replicates at once, with shared rays."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array
from engine.operators.event_weights import Draws
from engine.operators.lower_bound import least_factor
from engine.recon.model.counts import SystemModel, em_updated


class ReplicateLoop:
    """Images of several replicates, updated together on the CPU.

    Parameters
    ----------
    model : model of the measured counts, which shares rays
    start : (n_z, n_y, n_x) start image of all replicates
    draws : counts of the rows in each replicate
    n_subsets : number of subsets

    Attributes
    ----------
    images : (n, n_z, n_y, n_x) current image of each replicate
    """

    def __init__(self, model: SystemModel, start: Array, draws: Draws, n_subsets: int) -> None:
        self.images = np.repeat(start[np.newaxis], draws.n, axis=0)
        self._A = model.A
        self._parts = [
            (model.subset(k, n_subsets), draws.of_rows(k, n_subsets)) for k in range(n_subsets)
        ]
        self._seen = np.zeros(start.shape, bool)
        for part, _ in self._parts:
            self._seen |= part.sensitivity > 0
        self._least = least_factor(n_subsets)

    def update(self, k: int) -> None:
        """Update all images with subset k.

        Parameters
        ----------
        k
            number of the subset
        """
        part, draws = self._parts[k]
        shared = part.em_numerators(self.images, draws)
        for c, image in enumerate(self.images):
            self.images[c] = em_updated(
                image, shared[c], part.sensitivity, self._seen, self._least, self._A
            )
