"""Memory and time of an error map, before a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from engine.io.safety.budget import free_memory
from engine.modalities.requirements import VOXEL_BYTES

if TYPE_CHECKING:
    from engine.recon.algorithms import Algorithm

IMAGES_OF_A_REPLICATE = 8
"""Float32 images in memory for each replicate of a batch: its image and its numerator, both
interleaved with the sums of two threads, and copies."""
MOST_OF_MEMORY = 0.5
"""Share of the free memory that the replicates of a batch may use."""
LANES = 8
"""Replicates in a vector, the smallest batch."""
SHARED_COST = 0.45
"""Time of a replicate that shares its rays with others, relative to the iterations of the run."""


HESSIAN_PASSES = 6
"""Projections and back projections of each replicate of the Hessian: its noise, and iterations."""
PREPARED_PASSES = 4
"""Passes over the data in which the prior of a run is derived again."""


class ErrorNeeds(NamedTuple):
    """Needs of an error map.

    Attributes
    ----------
    memory_bytes : memory of the replicates
    seconds : time of all replicates
    """

    memory_bytes: int = 0
    seconds: float = 0.0


class _Replicates(Protocol):
    """Settings of an error map, and the algorithm that it is for."""

    error_replicates: int | None
    error_method: Literal["bootstrap", "hessian"]
    algorithm: Algorithm


def error_needs(
    protocol: _Replicates,
    n_voxels: int,
    iterations_s: float,
    *,
    passes: float,
    has_shared_rays: bool,
) -> ErrorNeeds:
    """Return the needs of an error map; nothing if none is requested.

    Parameters
    ----------
    protocol
        protocol with the number of replicates and the method
    n_voxels
        voxels of the image
    iterations_s
        time of the iterations of the run
    passes
        passes over the data in these iterations
    has_shared_rays
        True if the projector can trace a ray once for several images
    """
    n = protocol.error_replicates
    if n is None:
        return ErrorNeeds()
    is_linear = protocol.error_method == "hessian"
    # MAP replicates of the bootstrap run one by one.
    shares_rays = has_shared_rays and (is_linear or not protocol.algorithm.is_penalised)
    batch = batch_of(n, n_voxels) if shares_rays or is_linear else 1
    # Finished images of all replicates, and their deviations.
    finished = (VOXEL_BYTES + 1) * n_voxels * n
    runs = (SHARED_COST if shares_rays else 1.0) * n
    if is_linear:
        runs = (PREPARED_PASSES + HESSIAN_PASSES * runs) / passes
    seconds = runs * iterations_s
    return ErrorNeeds(batch * replicate_bytes(n_voxels) + finished, seconds)


def replicate_bytes(n_voxels: int) -> int:
    """Return the memory of a replicate in a batch [bytes]."""
    return IMAGES_OF_A_REPLICATE * VOXEL_BYTES * n_voxels


def batch_of(n_replicates: int, n_voxels: int) -> int:
    """Return the number of replicates that fit in memory together, at least `LANES`.

    Parameters
    ----------
    n_replicates
        number of replicates
    n_voxels
        voxels of the image
    """
    fitting = int(MOST_OF_MEMORY * free_memory() / replicate_bytes(n_voxels))
    return n_replicates if fitting >= n_replicates else max(fitting // LANES, 1) * LANES
