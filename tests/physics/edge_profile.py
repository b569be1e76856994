"""Measure edge profiles of uniform objects with simulated photons.

    python -m pytest -m slow tests/physics/test_edge_profile.py --log-cli-level=INFO

The objects are a water cylinder of 20 cm and the body of NEMA NU 2 (`tests.physics.edge_objects`).
Each shipped ring protocol reconstructs the same photons with and without time of flight. Each run
logs a row of the table in docs/benchmarks.

A value is the mean of the image at a distance inside the skin, relative to its middle. In the body,
spheres and lung are left out with a margin. The standard error comes from the seeds.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np

import engine
from engine.corrections.resolution import Resolution
from engine.data.volume import Volume
from engine.geometry.grid import ImageGrid
from engine.modalities.listmode_pet.auto_settings import fitted
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.studies import shipped_protocols
from engine.recon.algorithms import Osem
from engine.recon.postprocess import Gaussian
from tests.physics.edge_objects import TOF, Array, Case, Scans

log = logging.getLogger(__name__)
RingProtocol = ListModeProtocol | RingSinogramProtocol

MANY, MAX_SUBSETS = 100_000_000, 8
"""Counts for the narrowest filter, and the maximum number of subsets for the pairs of a seed."""
PARTS = 4
"""Points per voxel along x and y for its distance from the skin."""
WITHIN_MM = 12.5
"""Maximum distance of planes from the middle: the outer ones have few lines."""
DEPTHS_MM = (2.0, 5.0, 8.0, 12.0, 16.0, 20.0, 30.0)
"""Limits of the layers inside the skin; everything deeper is the middle."""
N_NEAR, N_RIM = 5, 2
"""Number of layers up to 20 mm inside the skin, and of those up to 8 mm."""


def reconstructed(scans: Scans, protocol: RingProtocol) -> Volume:
    """Reconstruct the photons of one seed as a user would."""
    if isinstance(protocol, RingSinogramProtocol):
        inputs = {"attenuation": scans.mu_map}
        study = engine.Study(data=scans.sinogram, inputs=inputs, protocol=protocol)
    else:
        study = engine.Study(data=scans.listmode, protocol=protocol)
    return engine.reconstruct(study, on=engine.cpu())


def profile(volume: Volume, case: Case) -> Array:
    """Return the mean of each layer inside the skin relative to the middle, outermost first."""
    shares = layer_shares(case, volume.grid)
    sums = np.tensordot(shares, volume.values.astype(float), axes=3)
    means = sums / shares.sum(axis=(1, 2, 3))
    return means[:-1] / means[-1]


@lru_cache(maxsize=4)
def layer_shares(case: Case, grid: ImageGrid) -> Array:
    """Return the fraction of each voxel in each layer, the middle last: (layers, z, y, x)."""
    z = grid.centres_mm(axis=2)[:, None, None]
    x, y = (finer(grid.centres_mm(axis=k), grid.voxel_mm[k]) for k in (0, 1))
    x, y = x[None, None, :], y[None, :, None]
    uniform = case.counts_at(x, y, z) & (np.abs(z) < WITHIN_MM)
    depth = case.depth(x, y)
    shares = []
    for low, high in pairwise((*DEPTHS_MM, math.inf)):
        inside = uniform & (depth > low) & (depth <= high)
        n_z, n_y, n_x = inside.shape
        parts = inside.reshape(n_z, n_y // PARTS, PARTS, n_x // PARTS, PARTS)
        shares.append(parts.mean(axis=(2, 4)))
    return np.array(shares)


def finer(centres: Array, voxel_mm: float) -> Array:
    """Return `PARTS` points inside each voxel along an axis."""
    inside = (np.arange(PARTS) + 0.5) / PARTS - 0.5
    return (np.asarray(centres, float)[:, None] + voxel_mm * inside).ravel()


def protocols() -> dict[str, RingProtocol]:
    """Return all shipped protocols for rings, including the two standard ones."""
    shipped = {
        key: each
        for key, each in shipped_protocols().items()
        if isinstance(each, ListModeProtocol | RingSinogramProtocol)
    }
    return {"standard": ListModeProtocol(), "standard-sinograms": RingSinogramProtocol(), **shipped}


def follows_scan(protocol: RingProtocol) -> bool:
    """Return True if a protocol derives updates or filter width from the scan."""
    if not (isinstance(protocol, ListModeProtocol) and protocol.fit_to_scan):
        return False
    open_width = any(
        isinstance(each, Gaussian) and each.fwhm_mm is None for each in protocol.finishing
    )
    algorithm = protocol.algorithm
    open_updates = isinstance(algorithm, Osem) and algorithm.iterations == algorithm.updates is None
    return open_width or open_updates


def for_many_counts(protocol: ListModeProtocol, scans: Scans) -> ListModeProtocol:
    """Return a protocol with the updates and the filter for `MANY` counts of the object."""
    data = engine.read(scans.listmode)
    if not isinstance(data, engine.ListMode):
        raise TypeError(f"{scans.listmode.name} holds {type(data).__name__}, not list mode.")
    if not protocol.time_of_flight:
        data = replace(data, tof_bins=None)
    sharpened = protocol.corrections.of(Resolution).use != "off"
    found = fitted(protocol, data, sharpened=sharpened, of_frame=MANY)[0]
    if not isinstance(found.algorithm, Osem):
        return found
    # more subsets than the photons can fill would add noise; updates stay the same
    n_updates = found.algorithm.n_iterations * found.algorithm.n_subsets
    algorithm = Osem(iterations=math.ceil(n_updates / MAX_SUBSETS), subsets=MAX_SUBSETS)
    return found.model_copy(update={"algorithm": algorithm})


@dataclass(frozen=True)
class Edge:
    """The edge of an object in the images of several seeds.

    Attributes
    ----------
    values : (layers,) mean over seeds, relative to the middle, outermost layer first
    errors : (layers,) standard errors of these means
    settings : updates and filter
    """

    values: Array
    errors: Array
    settings: str

    @property
    def overshoot(self) -> float:
        """Largest excess from 2 to 20 mm inside the skin."""
        return float(self.values[:N_NEAR].max() - 1)

    @property
    def deviation(self) -> float:
        """Largest distance from the middle from 8 mm inwards."""
        return float(np.abs(self.values[N_RIM:] - 1).max())


def edge_of(scans: Sequence[Scans], case: Case, protocol: RingProtocol) -> Edge:
    """Reconstruct each seed with a protocol, and return the edge."""
    volumes = [reconstructed(each, protocol) for each in scans]
    profiles = np.array([profile(volume, case) for volume in volumes])
    errors = profiles.std(axis=0, ddof=1) / math.sqrt(len(scans))
    edge = Edge(profiles.mean(axis=0), errors, settings_of(volumes[0], protocol))
    timing = f"{TOF.fwhm_ps:g} ps" if scans[0].is_timed else "no"
    log.info("%s", row(case, timing, protocol.name, edge))
    return edge


def settings_of(volume: Volume, protocol: RingProtocol) -> str:
    """Return updates and filter of an image: those that the scan decided, or the protocol's."""
    found = [c["text"] for c in volume.info["corrections"] if c["kind"] == "defaults"]
    if found:
        return str(found[0]).split(", by ")[0]
    filters = " and ".join(each.describe() for each in protocol.finishing)
    return f"{protocol.algorithm.describe()}, {filters or 'no filter'}"


def row(case: Case, timing: str, name: str, edge: Edge) -> str:
    """Return a row of the table in docs/benchmarks."""
    values = " | ".join(f"{value:.3f}" for value in edge.values)
    cells = (case.name, timing, name, edge.settings, values, f"{edge.errors.max():.3f}")
    return f"| {' | '.join(cells)} |"
