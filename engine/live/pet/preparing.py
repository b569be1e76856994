"""What a live image needs before it can begin: kernels, and the sensitivity of the scanner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.core.backend import Backend
from engine.core.errors import ReadingStoppedError
from engine.core.paths import cache_dir
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.live.pet.live_corrections import LiveCorrections
from engine.live.pet.live_image import LiveImage
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity import Sensitivity, compute_sensitivity
from engine.modalities.listmode_pet.sensitivity_cache import keep, key_of, load
from engine.modalities.listmode_pet.warm_up import of_events


def grid_of(head: ListMode, protocol: ListModeProtocol) -> ImageGrid:
    """Return the voxels of the image of a scan."""
    return protocol.grid.grid_for(head.scanner)


def live_image_of(
    corrections: LiveCorrections,
    protocol: ListModeProtocol,
    *,
    on: Backend,
    stopped: Callable[[], bool],
    keeps: bool = True,
) -> LiveImage:
    """Compile, make or find the sensitivity, and return an image without events.

    Parameters
    ----------
    corrections
        of the scan
    protocol
        of the image
    on
        device and threads
    stopped
        asked whether to give up
    keeps
        whether a sensitivity that is made now is kept for other scans
    """
    head = corrections.head
    grid = grid_of(head, protocol)
    tof = None if head.tof_bins is None else head.scanner.tof
    mu_map = None if head.mu_map is None else head.mu_map.grid
    for step in of_events(on, grid, tof, reproducible=False, mu_map=mu_map):
        step()
    sensitivity = sensitivity_of(head, grid, protocol, on=on, stopped=stopped, keeps=keeps)
    algorithm = protocol.algorithm
    updates = (algorithm.n_iterations * algorithm.n_subsets, algorithm.n_subsets)
    return LiveImage(grid, sensitivity, tof, updates, on=on)


def sensitivity_of(
    head: ListMode,
    grid: ImageGrid,
    protocol: ListModeProtocol,
    *,
    on: Backend,
    stopped: Callable[[], bool],
    keeps: bool = True,
) -> Sensitivity:
    """Return the sensitivity over all lines of a scan, kept from before or made now."""
    data = replace(head, factors=None)
    folder = cache_dir() / "sensitivity"
    key = key_of(data, grid, protocol.sensitivity, on=on)
    found = load(folder, key, grid)
    if found is not None:
        return found

    def look(_: int, __: int) -> None:
        if stopped():
            raise ReadingStoppedError("the live reconstruction was closed.")

    made = compute_sensitivity(data, grid, protocol.sensitivity, on=on, on_progress=look)
    if keeps:
        keep(folder, key, made)
    return made
