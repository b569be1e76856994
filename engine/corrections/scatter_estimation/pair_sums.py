"""Sums of single scatter over points of the object, for pairs of detector samples.

`engine.corrections.scatter_estimation.simulation` states the formulas.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.corrections.scatter_estimation.detection import Efficiency
from engine.corrections.scatter_estimation.klein_nishina import differential, energy_ratio, total
from engine.corrections.scatter_estimation.samples import ScatterPoints
from engine.corrections.scatter_estimation.sums import OnPaths, summed
from engine.corrections.scatter_estimation.timing import PathTiming
from engine.data.volume import Volume
from engine.geometry.energy import ELECTRON_KEV
from engine.geometry.line_efficiency import CrystalDepth
from engine.kernels.scatter import paths
from engine.kernels.scatter import single_scatter as kernels
from engine.kernels.scatter.device_scatter import OnProgress, ScatterScene

N_COSINES = 1024
"""Steps of the tables over the scattering angle."""
MIN_CHANCE = 1e-4
"""Angles with a smaller probability, relative to forward scattering, are omitted."""


class FacingSamples(Hashable, Protocol):
    """Detector samples that represent the crystals."""

    @property
    def places_mm(self) -> NDArray[np.float64]:
        """(n, 3)."""

    @property
    def normals(self) -> NDArray[np.float64]:
        """(n, 3) unit vectors away from the object."""

    @property
    def partners(self) -> NDArray[np.bool_]:
        """(n, n) True if two samples represent lines of the scanner."""


def pair_sums(
    fields: tuple[Volume, Volume],
    samples: FacingSamples,
    depth: CrystalDepth,
    efficiency: Efficiency,
    points: ScatterPoints,
    timing: PathTiming,
    on: Backend,
    on_progress: OnProgress | None = None,
    on_paths: OnPaths | None = None,
) -> NDArray[np.float64]:
    """Return T for pairs of samples, (n, n, groups of time bins).

    Parameters
    ----------
    fields
        activity, and attenuation at 511 keV [1/mm]
    samples
        positions and normals of the detectors
    depth
        depth and attenuation of the crystals
    efficiency
        relative probability that a crystal counts a photon of an energy
    points
        scatter points
    timing
        time bins
    on
        GPU, or CPU with its threads
    on_progress
        called with the number of scatter points done and in total; may raise to stop
    on_paths
        called with the paths of each batch of scatter points; a GPU does not call it
    """
    scene = scene_of(fields, samples, depth, efficiency, timing)
    sums = summed(scene, points, on=on, on_progress=on_progress, on_paths=on_paths)
    # Kernels compute each pair once; T is symmetric up to the direction of time.
    _mirror(sums)
    sums *= line_factors(samples, depth)[:, :, None]
    return sums


def scene_of(
    fields: tuple[Volume, Volume],
    samples: FacingSamples,
    depth: CrystalDepth,
    efficiency: Efficiency,
    timing: PathTiming,
) -> ScatterScene:
    """Return an object and its detector samples in the layout of the kernels.

    Parameters
    ----------
    fields
        activity, and attenuation at 511 keV [1/mm]
    samples
        positions and normals of the detectors
    depth
        depth and attenuation of the crystals
    efficiency
        relative probability that a crystal counts a photon of an energy
    timing
        time bins
    """
    return ScatterScene(
        _detectors(samples, depth),
        _once(samples),
        _field(fields[0]),
        _field(fields[1]),
        timing.steps,
        timing.n_steps,
        _angles(efficiency),
        timing.first_mm,
        timing.stride,
        timing.n_groups,
    )


def _field(volume: Volume) -> paths.Field:
    grid, voxel = volume.grid, np.array(volume.grid.voxel_mm, np.float64)
    values = np.ascontiguousarray(volume.values, np.float32)
    # Fields interpolate between voxel centres, hence half a voxel from the corner.
    return paths.Field(values, np.asarray(grid.lower_mm + voxel / 2), voxel)


def _detectors(samples: FacingSamples, depth: CrystalDepth) -> paths.Samples:
    return paths.Samples(samples.places_mm, samples.normals, depth.depth_mm, depth.removal_per_mm)


@lru_cache(maxsize=4)
def _angles(efficiency: Efficiency) -> kernels.AngleTables:
    """Return tables over the cosine, up to the largest angle that is still counted."""
    cosine = np.linspace(-1, 1, 4001)
    chance = _chance(cosine, efficiency)
    counted = np.flatnonzero(chance > MIN_CHANCE * chance[-1])
    # A table of the useful range alone has finer steps for the same size.
    least = float(cosine[counted[0]])
    cosine = np.linspace(least, 1, N_COSINES + 1)
    kev = ELECTRON_KEV * energy_ratio(cosine)
    growth = total(kev) / total(np.array(ELECTRON_KEV)) - 1
    return kernels.AngleTables(least, _chance(cosine, efficiency), growth)


def _chance(cosine: NDArray[np.float64], efficiency: Efficiency) -> NDArray[np.float64]:
    """Return p(θ) of the simulation [1/steradian]."""
    seen = efficiency(ELECTRON_KEV * energy_ratio(cosine))
    return differential(cosine) / total(np.array(ELECTRON_KEV)) * seen


def _once(samples: FacingSamples) -> NDArray[np.bool_]:
    """Return the pairs to compute, (n, n): each once, with the lower number first."""
    n = len(samples.places_mm)
    return np.ascontiguousarray(samples.partners & (np.arange(n)[:, None] < np.arange(n)))


def _mirror(sums: NDArray[np.float64]) -> None:
    """Fill the pairs in reversed order, with reversed time bins."""
    sums += sums.transpose(1, 0, 2)[:, :, ::-1]


@lru_cache(maxsize=2)  # of single and double scatter; rounds have them in common
def line_factors(samples: FacingSamples, depth: CrystalDepth) -> NDArray[np.float64]:
    """Return r² / (E E) of the lines between samples.

    Parameters
    ----------
    samples
        positions and normals of the detectors
    depth
        depth and attenuation of the crystals

    Returns
    -------
    line_factors
        (n, n), 0 for pairs without lines
    """
    places, normals = samples.places_mm, samples.normals
    squares = (places**2).sum(axis=1)
    # |a − b|² from scalar products needs no (n, n, 3) array; rounding can make it negative.
    length = np.sqrt(np.maximum(squares[:, None] + squares - 2 * places @ places.T, 1e-18))
    # Component of each line along the normal of the sample of its row.
    ahead = (places * normals).sum(axis=1)[:, None] - normals @ places.T
    efficiency = np.asarray(depth.efficiency(ahead / length))
    seen = efficiency * efficiency.T
    return np.divide(length**2, seen, out=np.zeros_like(length), where=samples.partners)
