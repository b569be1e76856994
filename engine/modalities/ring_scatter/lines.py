"""Sample of lines of response: their counts and their position relative to the object.

A sum over all lines is (n / m) Σ over m evenly spread ones of n.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.corrections.scatter_estimation.samples import LEAST_ATTENUATION, dense_mu
from engine.data.cropping import cropped, extent
from engine.data.volume import Volume
from engine.operators.rays import RayProjector, Rays

MARGIN = 0.03
"""Lines that miss the object pass it at this part of the scanner's radius, or further off: and the
bins of several lines by as much more as those lie apart."""


@dataclass(frozen=True, eq=False)
class SampledLines:
    """Sample of live lines of response, or of live bins.

    Attributes
    ----------
    rays : (n,)
    efficiency : (n,) what each counts of the photons that reach it
    attenuation : (n,) share of the photons that the object lets pass
    stands_for : lines that each stands for
    """

    rays: Rays
    efficiency: NDArray[np.float32]
    attenuation: NDArray[np.float32]
    stands_for: float

    def total(self, values: NDArray[np.floating], which: NDArray[np.bool_] | None = None) -> float:
        """Sum of values over all lines of the scanner, or those of a kind."""
        seen = values if which is None else values[which]
        return float(np.sum(seen, dtype=np.float64)) * self.stands_for


def path_lengths(
    volume: Volume, rays: Rays, *, on: Backend, reproducible: bool
) -> NDArray[np.float32]:
    """Integrals of a volume along lines, (n,), whatever their time bins."""
    untimed, volume = Rays(rays.points_mm, rays.ends), cropped(volume)
    projector = RayProjector(untimed, volume.grid, on=on, reproducible=reproducible)
    lengths: NDArray[np.float32] = on.to_host(projector(on.to_device(volume.values)))
    return lengths


def object_mask(mu_map: Volume, margin_mm: float) -> Volume:
    """Return 1 where the object is, or nearer to it than the margin, and 0 elsewhere."""
    from scipy import ndimage

    inside = _inside(mu_map)
    found, box = np.zeros(inside.shape, np.float32), extent(inside)
    if box is not None:
        sampling = mu_map.grid.voxel_mm[::-1]
        near = tuple(  # nothing further off is as near as the margin
            slice(max(0, low - ceil(margin_mm / step)), high + ceil(margin_mm / step))
            for (low, high), step in zip(box, sampling, strict=True)
        )
        found[near] = ndimage.distance_transform_edt(~inside[near], sampling) <= margin_mm
    return Volume(found, mu_map.grid, "")


def reach_of(mu_map: Volume) -> float:
    """Return how far from the axis the object lies at most [mm]; 0 where there is none."""
    x, y = mu_map.grid.centres_mm(axis=0), mu_map.grid.centres_mm(axis=1)
    across = _inside(mu_map).any(axis=0)
    return float(np.hypot(x[None, :], y[:, None])[across].max(initial=0.0))


def _inside(mu_map: Volume) -> NDArray[np.bool_]:
    return mu_map.values > LEAST_ATTENUATION * dense_mu(mu_map)
