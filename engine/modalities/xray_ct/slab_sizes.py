"""Sizes and cost of the slabs of a filtered back projection.

Slices are processed in slabs, each from chunks of views. Projections and volume are in files.
Memory contains the larger of two things: the blocks of views of the preparation, or a slab with a
chunk of views during back projection and the rows that threads filter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from engine.corrections.preprocess.blocks import block_bytes
from engine.geometry.grid import ImageGrid

REAL_BYTES = 4
CHUNK_BYTES = 256 * 2**20
"""Memory for a chunk of projections, unless a few views exceed it."""
MIN_VIEWS = 16
"""Smallest number of views in a chunk: a slab is traversed once per chunk."""
FILTERED_AT_ONCE_BYTES = 16 * 2**20
"""Memory for the rows that a thread filters at a time."""
PART_OF_FREE = 0.8
"""Fraction of the free memory that a run uses; libraries and tables need some, too."""
STEP_COPIES, FILTER_COPIES = 10, 8
"""Copies of a block in a step of the preparation, and in the filter of rows."""
MIN_SLICES = 1
"""Smallest number of slices of a slab, regardless of memory."""
CLIMBING_COPIES = 3
"""Arrays per slab for a helix: sums, share of views that see a voxel, and current addition."""
SETS_ON_DISK = 3
"""Sets of projections in files: as measured, before and after the current step."""
VOLUMES_ON_DISK = 2
"""Volumes in files when a run ends: its own, and that of the result."""


@dataclass(frozen=True)
class SlabSizes:
    """Sizes of the slabs of a filtered back projection.

    Attributes
    ----------
    slices : largest number of slices of a slab
    views : largest number of views that are processed at once
    """

    slices: int
    views: int


@dataclass(frozen=True)
class SlabNeeds:
    """Memory and time of a run in slabs.

    Attributes
    ----------
    sizes : sizes of slabs and chunks
    memory_bytes : peak memory
    disk_bytes : largest size of the files
    n_slabs : number of slabs of the volume
    """

    sizes: SlabSizes
    memory_bytes: int
    disk_bytes: int
    n_slabs: int

    def divided(self, n_slices: int, n_parts: int) -> SlabNeeds:
        """Return the requirements with at least as many slabs as parts.

        Parameters
        ----------
        n_slices
            number of slices of the volume
        n_parts
            number of workers
        """
        slices = min(self.sizes.slices, max(n_slices // n_parts, 1))
        sizes = replace(self.sizes, slices=slices)
        return replace(self, sizes=sizes, n_slabs=-(-n_slices // slices))


def slab_needs(
    shape: tuple[int, int, int],
    grid: ImageGrid,
    *,
    free_bytes: int,
    threads: int,
    climbs: bool = False,
    are_there: bool = False,
    grids_bytes: int = 0,
) -> SlabNeeds:
    """Return the sizes of slabs for projections and a volume.

    At least one slice is processed at a time, even if it exceeds the free memory.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns) of the projections
    grid
        grid of the volume
    free_bytes
        free memory
    threads
        number of threads
    climbs
        True for a helix, which needs additional arrays
    are_there
        True if the projections are prepared and in files, whose size is not counted again
    grids_bytes
        memory of the grids of all threads, for gridding
    """
    n_views, n_rows, n_columns = shape
    # Kernels read a border of one pixel around each view.
    per_set, per_view = REAL_BYTES * prod(shape), REAL_BYTES * (n_rows + 2) * (n_columns + 2)
    per_slice = REAL_BYTES * prod(grid.shape[1:]) * (CLIMBING_COPIES if climbs else 1)
    views = min(n_views, max(MIN_VIEWS, CHUNK_BYTES // per_view))
    rows = min(FILTERED_AT_ONCE_BYTES, per_set)
    preparing = STEP_COPIES * threads * block_bytes(shape)
    extra = views * per_view + FILTER_COPIES * threads * rows + grids_bytes
    # Fixed costs are subtracted first; the slab gets the rest of the memory.
    left = PART_OF_FREE * free_bytes - extra
    slices = int(min(grid.shape[0], max(MIN_SLICES, left // per_slice)))
    n_slabs = -(-grid.shape[0] // slices)
    # Slabs of equal size: a small last slab would use the threads badly.
    even = -(-grid.shape[0] // n_slabs)
    volume = REAL_BYTES * grid.n_voxels
    disk = max(SETS_ON_DISK * per_set, per_set + volume, VOLUMES_ON_DISK * volume)
    if are_there:
        disk = max(volume, VOLUMES_ON_DISK * volume - per_set)
    memory = max(preparing, extra + even * per_slice)
    return SlabNeeds(SlabSizes(even, views), int(memory), disk, n_slabs)
