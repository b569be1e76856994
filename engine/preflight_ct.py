"""What a CT run needs before it starts: memory and time, in numbers the user can act on."""

from __future__ import annotations

from engine.devices import DeviceInfo
from engine.geometry.grid import ImageGrid
from engine.preflight import Needs
from engine.protocol_ct import CtProtocol

BYTES_PER_PIXEL = 20
"""Counts, integrals, filtered or expected values, and a copy with columns first."""
BYTES_PER_VOXEL = 28
"""Image, update, weights and two copies with heights first; sums of the matched adjoint."""
UPDATES_PER_SECOND_PER_THREAD = 4e8
"""Voxels times views a thread projects in a second, below `facts` of two slow cores."""
START_S = 2.0


def estimate(
    protocol: CtProtocol, shape: tuple[int, int, int], grid: ImageGrid, *, on: DeviceInfo
) -> Needs:
    """Return what projections of `shape` (n_views, n_rows, n_columns) on `grid` need."""
    import psutil

    n_views, n_rows, n_columns = shape
    pixels = n_views * n_rows * n_columns
    memory = BYTES_PER_PIXEL * pixels + BYTES_PER_VOXEL * grid.n_voxels
    passes = 1 if protocol.algorithm.kind == "fdk" else 2 * protocol.algorithm.n_iterations + 2
    updates = passes * n_views * grid.n_voxels
    seconds = START_S + updates / (UPDATES_PER_SECOND_PER_THREAD * max(on.threads, 1))
    return Needs(memory, int(psutil.virtual_memory().available), seconds, None)
