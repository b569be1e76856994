"""Proximal map of total variation in slabs, for images in files, with identical bits.

A step of the dual looks one voxel further along each axis. A slab that has n + 1 slices more on
either side therefore has after n steps, in its own slices, what the whole image has.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np

from engine.core.arrays import Array, module_of
from engine.data.storage.out_of_core import OutOfCoreArray
from engine.recon.priors.gradient import Gradient
from engine.recon.priors.tv import Bounds, TotalVariation

COPIES = 20
"""Slabs in memory at once: dual images of three directions each, and what is made of them."""


def total_variation(gradient: Gradient, y: Array) -> TotalVariation:
    """Return the total variation of images that lie where the data `y` do."""
    in_files = isinstance(y, OutOfCoreArray)
    return SlabbedTotalVariation(gradient) if in_files else TotalVariation(gradient)


@dataclass(frozen=True)
class SlabbedTotalVariation(TotalVariation):
    """Σ |∇x| over all voxels of an image in a file; dual images are (n_z, 3, n_y, n_x)."""

    def no_flow(self, x: Array) -> Array:
        shape = self.gradient.in_shape
        flow: Array = module_of(x).zeros((shape[0], len(shape), *shape[1:]), x.dtype)
        return flow

    def prox(
        self, v: Array, weight: float, *, bounds: Bounds, flow: Array, steps: int
    ) -> tuple[Array, Array]:
        if weight == 0 or self.gradient.norm_bound == 0:
            return bounds(v), flow
        source, dual = cast(OutOfCoreArray, v), cast(OutOfCoreArray, flow)
        storage, n_z = source.storage, source.shape[0]
        image, after = (storage.empty(each.shape, source.dtype) for each in (source, dual))
        margin = margin_of(steps)
        n_at_once = slices_within(storage.budget_bytes, source.shape, margin)
        for start in range(0, n_z, n_at_once):
            slab = slice(start, min(start + n_at_once, n_z))
            wide = slice(max(slab.start - margin, 0), min(slab.stop + margin, n_z))
            tv = TotalVariation(self._gradient_of(wide))
            begun = np.ascontiguousarray(np.moveaxis(dual.part(wide), 1, 0))
            x, p = tv.prox(source.part(wide), weight, bounds=bounds, flow=begun, steps=steps)
            inner = slice(slab.start - wide.start, slab.stop - wide.start)
            image[slab] = x[inner]
            after[slab] = np.moveaxis(p[:, inner], 0, 1)
            storage.rest()
        xp = module_of(v)
        return xp.asarray(image), xp.asarray(after)

    def _gradient_of(self, slices: slice) -> Gradient:
        _, *rest = self.gradient.in_shape
        return Gradient((slices.stop - slices.start, *rest), self.gradient.spacing_mm)


def margin_of(steps: int) -> int:
    """Return how many slices on either side of a slab have a part in it after so many steps."""
    return steps + 1


def slices_within(budget_bytes: int, shape: tuple[int, ...], margin: int) -> int:
    """Return how many slices of an image are worked on together, one at least."""
    per_slice = 4 * COPIES * prod(shape[1:])
    return max(1, budget_bytes // per_slice - 2 * margin)
