"""Proximal map of total variation in slabs, for images in files, with identical bits.

Each dual step depends on one more voxel along each axis. A slab with n + 1 additional slices on
both sides therefore has, after n steps, the same values as the whole image.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import cast

import numpy as np

from engine.core.arrays import Array, module_of
from engine.core.checked import checked
from engine.data.storage.out_of_core import OutOfCoreArray
from engine.recon.priors.gradient import Gradient
from engine.recon.priors.tv import Bounds, TotalVariation

COPIES = 20
"""Number of slab copies in memory: dual images of three directions each, and temporaries."""


@checked()
def total_variation(gradient: Gradient, y: Array) -> TotalVariation:
    """Return the total variation for images in the storage of the data.

    Parameters
    ----------
    gradient
        gradient of the images
    y
        data; if they are in files, slabs are used
    """
    in_files = isinstance(y, OutOfCoreArray)
    return SlabbedTotalVariation(gradient) if in_files else TotalVariation(gradient)


@dataclass(frozen=True)
class SlabbedTotalVariation(TotalVariation):
    """Total variation of an image in a file; dual images are (n_z, 3, n_y, n_x)."""

    def no_flow(self, x: Array) -> Array:
        shape = self.gradient.in_shape
        # z first: a slab of the dual image is then one contiguous part of its file.
        flow: Array = module_of(x).zeros((shape[0], len(shape), *shape[1:]), x.dtype)
        return flow

    def prox(
        self, v: Array, weight: float, *, bounds: Bounds, flow: Array, steps: int
    ) -> tuple[Array, Array]:
        """Return the proximal map and its dual image slab by slab; see `TotalVariation.prox`.

        Parameters
        ----------
        v
            (n_z, n_y, n_x) image in a file
        weight
            weight of TV
        bounds
            limits the values of an image
        flow
            (n_z, 3, n_y, n_x) dual image to continue from
        steps
            number of dual steps, which define the margin of a slab
        """
        if weight == 0 or self.gradient.norm_bound == 0:
            return bounds(v), flow
        source, dual = cast(OutOfCoreArray, v), cast(OutOfCoreArray, flow)
        storage, n_z = source.storage, source.shape[0]
        image, after = (storage.empty(each.shape, source.dtype) for each in (source, dual))
        margin = margin_of(steps)
        # Two margins are computed in addition to each slab, so larger slabs waste less.
        n_at_once = slices_within(storage.budget_bytes, source.shape, margin)
        for start in range(0, n_z, n_at_once):
            slab = slice(start, min(start + n_at_once, n_z))
            wide = slice(max(slab.start - margin, 0), min(slab.stop + margin, n_z))
            tv = TotalVariation(self._gradient_of(wide))
            # Files store z first, the algorithm works with the axis of the gradient first.
            begun = np.ascontiguousarray(np.moveaxis(dual.part(wide), 1, 0))
            x, p = tv.prox(source.part(wide), weight, bounds=bounds, flow=begun, steps=steps)
            # Only the slices that the margin has kept exact are stored.
            inner = slice(slab.start - wide.start, slab.stop - wide.start)
            image[slab] = x[inner]
            after[slab] = np.moveaxis(p[:, inner], 0, 1)
            storage.release_pages()
        xp = module_of(v)
        return xp.asarray(image), xp.asarray(after)

    def _gradient_of(self, slices: slice) -> Gradient:
        _, *rest = self.gradient.in_shape
        return Gradient((slices.stop - slices.start, *rest), self.gradient.spacing_mm)


def margin_of(steps: int) -> int:
    """Return the number of slices on both sides of a slab that affect it after some steps."""
    return steps + 1


def slices_within(budget_bytes: int, shape: tuple[int, ...], margin: int) -> int:
    """Return the number of slices that are processed together, at least one.

    Parameters
    ----------
    budget_bytes
        memory for the slab and its temporaries
    shape
        shape of the image
    margin
        additional slices on both sides
    """
    per_slice = 4 * COPIES * prod(shape[1:])
    return max(1, budget_bytes // per_slice - 2 * margin)
