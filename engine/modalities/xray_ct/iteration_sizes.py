"""Memory and time of iterations with volumes and projections in files.

Memory contains the data in progress: a slab of slices and a chunk of views during a projection, or
some slices of the arrays of an update; before that, the blocks of views of the preparation. As much
memory is used as is free, up to a limit. A resumed run therefore has the same slabs, and the same
bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from engine.corrections.preprocess.blocks import block_bytes
from engine.geometry.grid import ImageGrid
from engine.modalities.xray_ct.slab_sizes import (
    PART_OF_FREE,
    REAL_BYTES,
    SETS_ON_DISK,
    STEP_COPIES,
    VOLUMES_ON_DISK,
)
from engine.operators.xray.slab_memory import min_bytes
from engine.recon.algorithms.base import Algorithm
from engine.recon.priors.tv_slabs import COPIES

MAX_BYTES = 2**30
"""Largest amount of memory for data in progress; more hardly makes iterations faster."""
CHECKPOINTS = 2
"""Volumes in the last two checkpoints."""


@dataclass(frozen=True)
class IterationNeeds:
    """Memory and time of iterations in slabs.

    Attributes
    ----------
    budget_bytes : memory for data in progress
    memory_bytes : peak memory, including the preparation
    disk_bytes : largest size of the files
    """

    budget_bytes: int
    memory_bytes: int
    disk_bytes: int


def iteration_needs(
    algorithm: Algorithm,
    shape: tuple[int, int, int],
    grid: ImageGrid,
    *,
    free_bytes: int,
    threads: int,
    are_there: bool = False,
) -> IterationNeeds:
    """Return the requirements of an algorithm in slabs.

    At least one slice and one view are processed at a time, even if they exceed the free memory.

    Parameters
    ----------
    algorithm
        algorithm of the run
    shape
        (n_views, n_rows, n_columns) of the projections
    grid
        grid of the iterations
    free_bytes
        free memory
    threads
        number of threads
    are_there
        True if the projections are prepared and in files, whose size is not counted again
    """
    per_set, per_slice = REAL_BYTES * prod(shape), REAL_BYTES * prod(grid.shape[1:])
    least = max(
        min_bytes(shape, grid, threads),
        algorithm.min_slices(grid.shape[0]) * COPIES * per_slice,
    )
    # The limit keeps slabs equal on computers with different amounts of free memory.
    budget = max(least, min(MAX_BYTES, int(PART_OF_FREE * free_bytes)))
    preparing = STEP_COPIES * threads * block_bytes(shape)
    alive = algorithm.memory
    # Checkpoints and the result need disk space in addition to the volumes of the algorithm.
    volumes = alive.volumes + CHECKPOINTS + VOLUMES_ON_DISK
    iterating = int(alive.projections * per_set + volumes * per_slice * grid.shape[0])
    disk = iterating - per_set if are_there else max(SETS_ON_DISK * per_set, iterating)
    memory = budget if are_there else max(preparing, budget)
    return IterationNeeds(budget, memory, disk)
