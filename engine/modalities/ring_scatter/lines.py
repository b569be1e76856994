"""Sample of lines of response: their counts and their position relative to the object.

A sum over all n lines is (n / m) times the sum over m evenly distributed ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.corrections.scatter_estimation.samples import MIN_ATTENUATION, dense_mu
from engine.data.cropping import cropped, extent
from engine.data.volume import Volume
from engine.operators.rays import RayProjector, Rays

MARGIN = 0.03
"""Smallest distance of a line that misses the object, as a fraction of the scanner's radius.

For bins of several lines, it is increased by the distance between these lines.
"""
MAX_ROWS = 1000
"""Largest ball, in rows of voxels, that takes less time than a distance transform."""


@dataclass(frozen=True, eq=False)
class SampledLines:
    """Sample of live lines of response, or of live bins.

    Attributes
    ----------
    rays : (n,) lines
    efficiency : (n,) fraction of the arriving photons that each counts
    attenuation : (n,) fraction of the photons that the object transmits
    stands_for : number of lines that each represents
    """

    rays: Rays
    efficiency: NDArray[np.float32]
    attenuation: NDArray[np.float32]
    stands_for: float

    def total(self, values: NDArray[np.floating], which: NDArray[np.bool_] | None = None) -> float:
        """Return the sum of values over all lines of the scanner, or over some of them.

        Parameters
        ----------
        values
            (n,) one for each sampled line
        which
            (n,) True for the lines to include; None for all
        """
        seen = values if which is None else values[which]
        # float64, because many small values are added.
        return float(np.sum(seen, dtype=np.float64)) * self.stands_for


def path_lengths(
    volume: Volume, rays: Rays, *, on: Backend, reproducible: bool
) -> NDArray[np.float32]:
    """Return the integrals of a volume along lines, without time of flight.

    Parameters
    ----------
    volume
        volume to integrate
    rays
        (n,) lines; their time bins are ignored
    on
        device
    reproducible
        True for exact sums, independent of threads

    Returns
    -------
    lengths
        (n,) on the host
    """
    untimed, volume = Rays(rays.points_mm, rays.ends), cropped(volume)
    projector = RayProjector(untimed, volume.grid, on=on, reproducible=reproducible)
    lengths: NDArray[np.float32] = on.to_host(projector(on.to_device(volume.values)))
    return lengths


def object_mask(mu_map: Volume, margin_mm: float) -> Volume:
    """Return a mask of the object with a margin.

    Parameters
    ----------
    mu_map
        attenuation [1/mm]
    margin_mm
        distance from the object up to which the mask is 1

    Returns
    -------
    object_mask
        1 in and near the object, 0 elsewhere
    """
    inside = _inside(mu_map)
    found, box = np.zeros(inside.shape, np.float32), extent(inside)
    if box is not None:
        steps = mu_map.grid.voxel_mm[::-1]
        # Voxels outside this box are farther away than the margin.
        near = tuple(
            slice(max(0, low - ceil(margin_mm / step)), high + ceil(margin_mm / step))
            for (low, high), step in zip(box, steps, strict=True)
        )
        found[near] = grown(inside[near], steps, margin_mm)
    return Volume(found, mu_map.grid, "")


def grown(
    inside: NDArray[np.bool_],
    steps_mm: tuple[float, ...],
    margin_mm: float,
    max_rows: int = MAX_ROWS,
) -> NDArray[np.bool_]:
    """Return the voxels up to a distance from the selected ones, (n_z, n_y, n_x).

    Parameters
    ----------
    inside
        (n_z, n_y, n_x) selected voxels
    steps_mm
        distance of neighbouring voxels along z, y and x [mm]
    margin_mm
        largest distance between centres of voxels [mm]
    max_rows
        largest ball, in rows of voxels, that is added voxel by voxel
    """
    reach = [int(margin_mm / step) for step in steps_mm]
    z, y, x = ((np.arange(-n, n + 1) * step) ** 2 for n, step in zip(reach, steps_mm, strict=True))
    ball = np.sqrt(z[:, None, None] + y[:, None] + x) <= margin_mm
    # A distance transform takes longer than adding a small ball, but not longer for a large one.
    if np.count_nonzero(ball.any(axis=2)) > max_rows:
        from scipy import ndimage

        found: NDArray[np.bool_] = ndimage.distance_transform_edt(~inside, steps_mm) <= margin_mm
        return found
    halves = (ball.sum(axis=2) - 1) // 2  # half of the length of each row; -1 for none
    padded, (n_z, n_y, n_x) = np.pad(inside, [(n, n) for n in reach]), inside.shape
    found = np.zeros_like(inside)
    wide = np.zeros((*padded.shape[:2], n_x), np.bool_)
    for half in range(reach[2] + 1):
        for first in (reach[2] - half, reach[2] + half):
            wide |= padded[:, :, first : first + n_x]
        for k, j in np.argwhere(halves == half):
            found |= wide[k : k + n_z, j : j + n_y]
    return found


def reach_of(mu_map: Volume) -> float:
    """Return the largest distance of the object from the axis [mm].

    Parameters
    ----------
    mu_map
        attenuation [1/mm]

    Returns
    -------
    reach
        0 for an empty map
    """
    x, y = mu_map.grid.centres_mm(axis=0), mu_map.grid.centres_mm(axis=1)
    across = _inside(mu_map).any(axis=0)
    return float(np.hypot(x[None, :], y[:, None])[across].max(initial=0.0))


def _inside(mu_map: Volume) -> NDArray[np.bool_]:
    return mu_map.values > MIN_ATTENUATION * dense_mu(mu_map)
