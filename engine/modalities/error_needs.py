"""Memory and time of an error map, before a run."""

from __future__ import annotations

from typing import NamedTuple

from engine.io.safety.budget import free_memory
from engine.modalities.requirements import VOXEL_BYTES

IMAGES_OF_A_REPLICATE = 8
"""Float32 images in memory for each replicate of a batch: its image and its numerator, both
interleaved with the sums of two threads, and copies."""
MOST_OF_MEMORY = 0.5
"""Share of the free memory that the replicates of a batch may use."""
LANES = 8
"""Replicates in a vector, the smallest batch."""
SHARED_COST = 0.45
"""Time of a replicate that shares its rays with others, relative to the iterations of the run."""


class ErrorNeeds(NamedTuple):
    """Needs of an error map.

    Attributes
    ----------
    memory_bytes : memory of the replicates
    seconds : time of all replicates
    """

    memory_bytes: int = 0
    seconds: float = 0.0


def error_needs(
    n_replicates: int | None, n_voxels: int, iterations_s: float, *, shares_rays: bool
) -> ErrorNeeds:
    """Return the needs of an error map; nothing if none is requested.

    Parameters
    ----------
    n_replicates
        number of replicates; None for no error map
    n_voxels
        voxels of the image
    iterations_s
        time of the iterations of the run
    shares_rays
        True if replicates share their rays (`engine.modalities.replicate_images`)
    """
    if n_replicates is None:
        return ErrorNeeds()
    batch = batch_of(n_replicates, n_voxels) if shares_rays else 1
    # Finished images of all replicates, and their deviations.
    finished = (VOXEL_BYTES + 1) * n_voxels * n_replicates
    cost = SHARED_COST if shares_rays else 1.0
    return ErrorNeeds(
        batch * replicate_bytes(n_voxels) + finished, cost * n_replicates * iterations_s
    )


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
