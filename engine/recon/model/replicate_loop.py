"""Expectation maximisation of several bootstrap replicates at once, with shared rays."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Array, module_of
from engine.operators.event_weights import Draws
from engine.operators.lower_bound import min_update_factor
from engine.recon.model.counts import SystemModel, em_updated


class ReplicateLoop:
    """Images of several replicates, updated together on the device of the model.

    Parameters
    ----------
    model : model of the measured counts, which shares rays
    start : (n_z, n_y, n_x) start image of all replicates
    draws : counts of the rows in each replicate
    n_subsets : number of subsets

    Attributes
    ----------
    images : (n, n_z, n_y, n_x) current image of each replicate, on the device
    """

    def __init__(self, model: SystemModel, start: Array, draws: Draws, n_subsets: int) -> None:
        self._A = model.A
        self._parts = [
            (model.subset(k, n_subsets), model.draws_of_subset(draws, k, n_subsets))
            for k in range(n_subsets)
        ]
        seen = np.zeros(start.shape, bool)
        for part, _ in self._parts:
            seen |= part.sensitivity > 0
        self._seen = self._on_device(seen)
        self._sensitivity: tuple[Array, Array] | None = None
        self._min_factor = min_update_factor(n_subsets)
        image = self._on_device(start)[np.newaxis]
        self.images: Array = module_of(image).repeat(image, draws.n, axis=0)

    def update(self, k: int) -> None:
        """Update all images with subset k.

        Parameters
        ----------
        k
            number of the subset
        """
        part, draws = self._parts[k]
        shared, sensitivity = part.em_numerators(self.images, draws), self._sensitivity_of(part)
        for c, image in enumerate(self.images):
            self.images[c] = em_updated(
                image, shared[c], sensitivity, self._seen, self._min_factor, self._A
            )

    def _sensitivity_of(self, part: SystemModel) -> Array:
        """Return the sensitivity of a part; one that all parts share is copied once."""
        if self._sensitivity is None or self._sensitivity[0] is not part.sensitivity:
            self._sensitivity = part.sensitivity, self._on_device(part.sensitivity)
        return self._sensitivity[1]

    def _on_device(self, values: Array) -> Array:
        on = self._A.on
        return values if on is None else on.to_device(values)
