"""Sizes and cost of the slabs of a filtered back projection.

Slices are worked on in slabs, each from chunks of views; projections and volume lie in files.
Memory holds the larger of two things: the blocks of views that steps of preparation work on, or a
slab with a chunk of views as they are projected back, and the rows that threads filter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from engine.corrections.preprocess.blocks import BLOCK_BYTES
from engine.geometry.grid import ImageGrid

REAL_BYTES = 4
CHUNK_BYTES = 256 * 2**20
"""Projections that are kept together, unless a few views are more."""
FEWEST_VIEWS = 16
"""Views of a chunk at least: a slab is gone through once for each chunk."""
FILTERED_AT_ONCE_BYTES = 16 * 2**20
"""Rows that a thread filters at a time."""
PART_OF_FREE = 0.8
"""Part of the free memory that a run takes: its libraries and tables want some too."""
STEP_COPIES, FILTER_COPIES = 10, 8
"""Blocks that a step of preparation holds at once, and those of the filter of rows."""
LEAST_SLICES = 1
"""Slices of a slab, whatever they take."""
CLIMBING_COPIES = 3
"""Slabs of a climbing scan: with the share of views that see a voxel, and what is added to it."""
SETS_ON_DISK = 3
"""Sets of projections in files: as measured, before and after the step at work."""
VOLUMES_ON_DISK = 2
"""Volumes in files when a run ends: its own, and that of the result."""


@dataclass(frozen=True)
class SlabSizes:
    """Sizes of the slabs of a filtered back projection.

    Attributes
    ----------
    slices : largest number of slices of a slab
    views : largest number of views that are processed together
    """

    slices: int
    views: int


@dataclass(frozen=True)
class SlabNeeds:
    """Memory and time of a run in slabs.

    Attributes
    ----------
    sizes : sizes of slabs and chunks
    memory_bytes : at once
    disk_bytes : largest size of the files
    n_slabs : slabs of the volume
    """

    sizes: SlabSizes
    memory_bytes: int
    disk_bytes: int
    n_slabs: int

    def divided(self, n_slices: int, n_parts: int) -> SlabNeeds:
        """Return the needs of at least so many slabs, as far as there are slices."""
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
) -> SlabNeeds:
    """Return how projections of `shape` (n_views, n_rows, n_columns) become a volume in slabs.

    At least a slice is worked on, even where that exceeds the free memory.

    are_there : True if the projections are prepared and in files, whose room counts no more
    """
    n_views, n_rows, n_columns = shape
    per_set, per_view = REAL_BYTES * prod(shape), REAL_BYTES * (n_rows + 2) * (n_columns + 2)
    per_slice = REAL_BYTES * prod(grid.shape[1:]) * (CLIMBING_COPIES if climbs else 1)
    views = min(n_views, max(FEWEST_VIEWS, CHUNK_BYTES // per_view))
    block, rows = min(BLOCK_BYTES, per_set), min(FILTERED_AT_ONCE_BYTES, per_set)
    preparing = STEP_COPIES * threads * block
    extra = views * per_view + FILTER_COPIES * threads * rows
    left = PART_OF_FREE * free_bytes - extra
    slices = int(min(grid.shape[0], max(LEAST_SLICES, left // per_slice)))
    n_slabs = -(-grid.shape[0] // slices)
    even = -(-grid.shape[0] // n_slabs)
    volume = REAL_BYTES * grid.n_voxels
    disk = max(SETS_ON_DISK * per_set, per_set + volume, VOLUMES_ON_DISK * volume)
    if are_there:
        disk = max(volume, VOLUMES_ON_DISK * volume - per_set)
    memory = max(preparing, extra + even * per_slice)
    return SlabNeeds(SlabSizes(even, views), int(memory), disk, n_slabs)
