"""What a run needs before it starts: memory and time, in numbers the user can act on."""

from __future__ import annotations

from dataclasses import dataclass

from engine.backend import Backend
from engine.errors import ResourceError
from engine.geometry.grid import ImageGrid
from engine.protocol import Protocol

MOST_SAMPLED = 20_000_000
"""Lines a sensitivity usually takes: all of them, or a sample."""
BYTES_PER_EVENT = 60
"""Ids, bin, time, factors, background, expected counts, sorting, and subset copies."""
IMAGES = 10
"""Float32 images alive at once: iterate, shares, sensitivity, previews, filters."""
SLABS_PER_SECOND_PER_THREAD = 1.5e8
"""Slabs of one voxel a ray passes in a second, below `isocenter bench listmode` for small scans."""
LINES_PER_SECOND = 3.0e6
"""Lines of response listed and weighted in a second for the sensitivity."""


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


def estimate(
    protocol: Protocol, grid: ImageGrid, n_events: int, *, on: Backend, n_lors: int = 0
) -> Needs:
    """Return what `n_events` on `grid` need; `n_lors` lines make the sensitivity."""
    import psutil

    accumulator = 8 if protocol.reproducible else 4
    per_voxel = 4 * IMAGES + accumulator * on.threads + 8 * 3  # sensitivity sums in float64
    memory = grid.n_voxels * per_voxel + n_events * BYTES_PER_EVENT
    lines = n_lors
    if protocol.sensitivity.method != "exact":
        lines = min(n_lors, max(MOST_SAMPLED, 4 * n_events))
    rays = n_events * protocol.algorithm.n_iterations + lines
    slabs = rays * max(grid.shape) * 0.7
    seconds = slabs / (SLABS_PER_SECOND_PER_THREAD * on.threads) + lines / LINES_PER_SECOND + 2.0
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
