"""Memory and time of iterations with volumes and projections in files.

Memory holds what is worked on together: a slab of slices and a chunk of views as they are
projected, or some slices of the arrays of an update, and before that the blocks of views that steps
of preparation work on. It is as much as is free, up to a bound, so that a run that goes on after an
interruption has the same slabs, and by them the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from engine.corrections.preprocess.blocks import BLOCK_BYTES
from engine.geometry.grid import ImageGrid
from engine.modalities.xray_ct.slab_sizes import (
    PART_OF_FREE,
    REAL_BYTES,
    SETS_ON_DISK,
    STEP_COPIES,
    VOLUMES_ON_DISK,
)
from engine.operators.xray.slab_memory import least_bytes
from engine.recon.algorithms.base import Algorithm
from engine.recon.priors.tv_slabs import COPIES

MOST_BYTES = 2**30
"""Memory for what is worked on together, at most; more makes iterations little faster."""
CHECKPOINTS = 2
"""Volumes in the last two checkpoints."""


@dataclass(frozen=True)
class IterationNeeds:
    """Memory and time of iterations in slabs.

    Attributes
    ----------
    budget_bytes : memory for what is worked on together
    memory_bytes : at once, that of the preparation too
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
    """Return what an algorithm needs for projections of `shape` (n_views, n_rows, n_columns).

    A slice and a view at least are worked on, even where they exceed the free memory.

    are_there : True if the projections are prepared and in files, whose room counts no more
    """
    per_set, per_slice = REAL_BYTES * prod(shape), REAL_BYTES * prod(grid.shape[1:])
    least = max(
        least_bytes(shape, grid, threads),
        algorithm.least_slices(grid.shape[0]) * COPIES * per_slice,
    )
    budget = max(least, min(MOST_BYTES, int(PART_OF_FREE * free_bytes)))
    preparing = STEP_COPIES * threads * min(BLOCK_BYTES, per_set)
    alive = algorithm.memory
    volumes = alive.volumes + CHECKPOINTS + VOLUMES_ON_DISK
    iterating = int(alive.projections * per_set + volumes * per_slice * grid.shape[0])
    disk = iterating - per_set if are_there else max(SETS_ON_DISK * per_set, iterating)
    memory = budget if are_there else max(preparing, budget)
    return IterationNeeds(budget, memory, disk)
