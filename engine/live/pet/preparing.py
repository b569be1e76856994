"""Prepare a live image: compiled kernels, and the sensitivity of the scanner."""

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
    """Return the grid of the image of a scan."""
    return protocol.grid.grid_for(head.scanner)


def live_image_of(
    corrections: LiveCorrections,
    protocol: ListModeProtocol,
    *,
    on: Backend,
    stopped: Callable[[], bool],
    keeps: bool = True,
) -> LiveImage:
    """Compile the kernels, compute or load the sensitivity, and return an image without events.

    Parameters
    ----------
    corrections
        corrections of the scan
    protocol
        protocol of the image
    on
        device and threads
    stopped
        polled during the work; True ends it
    keeps
        True to store a new sensitivity in the cache

    Raises
    ------
    ReadingStoppedError
        if it was stopped
    """
    head = corrections.head
    grid = grid_of(head, protocol)
    tof = None if head.tof_bins is None else head.scanner.tof
    mu_map = None if head.mu_map is None else head.mu_map.grid
    # First: compiling during the first update would delay the image
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
    """Return the sensitivity over all lines of a scan, from the cache if possible.

    Parameters
    ----------
    head
        scan without events
    grid
        grid of the image
    protocol
        protocol with the settings of the sensitivity
    on
        device and threads
    stopped
        polled during the work; True ends it
    keeps
        True to store a new sensitivity in the cache

    Raises
    ------
    ReadingStoppedError
        if it was stopped
    """
    # Without factors of events, which are not part of the sensitivity
    data = replace(head, factors=None)
    folder = cache_dir() / "sensitivity"
    key = key_of(data, grid, protocol.sensitivity, on=on)
    # Computing can take minutes, and every scan of a protocol needs the same one
    found = load(folder, key, grid)
    if found is not None:
        return found

    def refresh(_: int, __: int) -> None:
        if stopped():
            raise ReadingStoppedError("the live reconstruction was closed.")

    made = compute_sensitivity(data, grid, protocol.sensitivity, on=on, on_progress=refresh)
    if keeps:
        keep(folder, key, made)
    return made
