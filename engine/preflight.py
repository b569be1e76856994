"""What a run needs before it starts: memory and time, in numbers the user can act on."""

from __future__ import annotations

from dataclasses import dataclass

from engine.backend import Backend
from engine.errors import ResourceError
from engine.geometry.grid import ImageGrid
from engine.protocol import Protocol

BYTES_PER_EVENT = 60
"""Ids, bin, time, factors, background, expected counts, sorting, and subset copies."""
IMAGES = 10
"""Float32 images alive at once: iterate, shares, sensitivity, previews, filters."""
SLABS_PER_SECOND_PER_THREAD = 9.0e7
"""Slabs of one voxel the fused update passes in a second, from `isocenter bench listmode`."""


@dataclass(frozen=True)
class Needs:
    """Memory [bytes] and time [s] a run will take, as estimated before it starts."""

    memory_bytes: int
    free_bytes: int
    seconds: float

    @property
    def fits(self) -> bool:
        """Whether the memory is there."""
        return self.memory_bytes <= self.free_bytes

    def describe(self) -> str:
        """One line for the status bar."""
        minutes, seconds = divmod(round(self.seconds), 60)
        gib = 2**30
        return (
            f"needs {self.memory_bytes / gib:.1f} GiB, about {minutes}:{seconds:02d}, "
            f"{self.free_bytes / gib:.1f} GiB free"
        )


def estimate(protocol: Protocol, grid: ImageGrid, n_events: int, *, on: Backend) -> Needs:
    """Return what reconstructing `n_events` on `grid` needs."""
    import psutil

    accumulator = 8 if protocol.reproducible else 4
    per_voxel = 4 * IMAGES + accumulator * on.threads + 8 * 3  # sensitivity sums in float64
    memory = grid.n_voxels * per_voxel + n_events * BYTES_PER_EVENT
    slabs = n_events * max(grid.shape) * 0.7 * protocol.algorithm.n_iterations
    seconds = slabs / (SLABS_PER_SECOND_PER_THREAD * on.threads) + 2.0
    return Needs(int(memory), int(psutil.virtual_memory().available), seconds)


def refuse_if_too_large(needs: Needs, grid: ImageGrid) -> None:
    """Raise `ResourceError` with the numbers if the memory is not there."""
    if not needs.fits:
        gib = 2**30
        raise ResourceError(
            f"grid {grid.describe()}: the run needs {needs.memory_bytes / gib:.1f} GiB of memory, "
            f"{needs.free_bytes / gib:.1f} GiB are free; choose larger voxels or a smaller field "
            "of view."
        )
