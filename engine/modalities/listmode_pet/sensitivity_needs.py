"""Memory and time of the sensitivity image on the CPU.

There are three methods (`engine.modalities.listmode_pet.sensitivity`). For a ring without a body
and with even crystals, lines are summed by rings. With a body or uneven crystals, a sampled ratio
is added. For all other scanners N lines are traced, in batches of B lines:

    N = n_lors, or the multiple of B that is not less than max(8 B, 4 events),
    B = max(500,000, voxels / 4).

A line crosses the image transaxially: from crystal to crystal, or from edge to edge.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core.backend.devices import DeviceInfo
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.geometry.scanner import Scanner
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sampling_effort import (
    BATCH,
    EXACT_BELOW,
    LINES_PER_EVENT,
    MAX_AT_ONCE,
    MIN_BATCHES,
    TRACED_BELOW,
    VOXELS_PER_LINE,
    memory_bytes,
)

CHORD = 0.7
"""Mean fraction of the width of the image that lines cross."""
LINES_PER_SECOND = 3.0e6
"""Lines listed and weighted per second in one thread."""
RING_S, RATIO_S = 0.3, 3.0
"""Time of the sums by rings, and of the ratio with a body, in one thread [s]; 0.2 s for the mMR."""
VOXELS_SUMMED_PER_SECOND = 3e7
"""Voxels of a batch added, squared and compared per second in one thread."""
BYTES_PER_VOXEL, SUM_BYTES = 28, 4
"""Memory of a voxel, and of the sums of a thread [bytes].

Sum and squares of the batches in float64, a batch, and its square.
"""
BYTES_PER_LINE, BYTES_PER_TRACED_LINE = 25, 105
"""Memory of a line of a batch, and of a line while it becomes a ray [bytes]."""


@dataclass(frozen=True)
class SensitivityNeeds:
    """Costs of the sensitivity image.

    Attributes
    ----------
    seconds : time of the stage [s]
    memory_bytes : peak memory of the stage [bytes]
    """

    seconds: float
    memory_bytes: int


def sensitivity_needs(
    protocol: ListModeProtocol,
    grid: ImageGrid,
    n_events: int,
    *,
    n_lors: int,
    scan: ListMode | None,
    on: DeviceInfo,
    slabs_per_second: float,
) -> SensitivityNeeds:
    """Return the costs of the sensitivity image.

    Parameters
    ----------
    protocol
        protocol with the method
    grid
        grid of the image
    n_events
        number of events of the whole scan
    n_lors
        number of lines of response of the scanner
    scan
        sample of the scan with its scanner and auxiliary files; None if it is unknown
    on
        device; a GPU lists lines itself, while sums by rings use the CPU
    slabs_per_second
        speed of the projector, in voxel slabs crossed by rays
    """
    scanner, threads = None if scan is None else scan.scanner, max(on.threads, 1)
    images = grid.n_voxels * (BYTES_PER_VOXEL + SUM_BYTES * threads)
    is_exact = protocol.sensitivity.method == "exact"
    # The same decision as in compute_sensitivity, or the estimate would be for another method.
    if isinstance(scanner, RingScanner) and not is_exact and n_lors > TRACED_BELOW:
        if not _has_ratio(scan):
            return SensitivityNeeds(RING_S / threads, images)
        seconds = (RING_S + RATIO_S) / threads
        return SensitivityNeeds(seconds, images + memory_bytes(scanner, grid))
    lines, batch = lines_traced(protocol, grid, n_events, n_lors)
    ray_s = slabs_of(grid, scanner) / slabs_per_second
    n_batches = -(-lines // max(batch, 1))
    seconds = lines * ray_s
    # A GPU lists lines itself, so the host adds nothing.
    if not on.is_gpu:
        seconds += lines / LINES_PER_SECOND
        seconds += n_batches * grid.n_voxels / VOXELS_SUMMED_PER_SECOND
    listed = batch * BYTES_PER_LINE + min(batch, MAX_AT_ONCE) * BYTES_PER_TRACED_LINE
    return SensitivityNeeds(seconds, images + listed)


def lines_traced(
    protocol: ListModeProtocol, grid: ImageGrid, n_events: int, n_lors: int
) -> tuple[int, int]:
    """Return the number of lines that are traced one by one, and of a batch.

    Parameters
    ----------
    protocol
        protocol with the method
    grid
        grid of the image
    n_events
        number of events of the whole scan
    n_lors
        number of lines of response of the scanner
    """
    enough = LINES_PER_EVENT * n_events
    method = protocol.sensitivity.method
    if method == "exact" or (method == "auto" and n_lors <= max(EXACT_BELOW, enough)):
        return n_lors, min(BATCH, n_lors)
    batch = min(max(BATCH, grid.n_voxels // VOXELS_PER_LINE), n_lors)
    n_batches = max(MIN_BATCHES, -(-min(enough, n_lors) // max(batch, 1)))
    return n_batches * batch, batch


def slabs_of(grid: ImageGrid, scanner: Scanner | None) -> float:
    """Return the mean number of voxels that a line crosses transaxially.

    Parameters
    ----------
    grid
        grid of the image
    scanner
        scanner with its bore; None if it is unknown
    """
    across_mm = max(grid.size_mm[:2])
    if scanner is not None:
        across_mm = min(across_mm, 2 * scanner.bore_radius_mm)
    return float(CHORD * across_mm / min(grid.voxel_mm[:2]))


def _has_ratio(scan: ListMode | None) -> bool:
    """Return True if a body or uneven crystals weight the lines of a ring."""
    # An unknown scan gets the longer estimate, which is on the safe side.
    if scan is None:
        return True
    weights = (scan.mu_map, scan.efficiencies, scan.components)
    return any(each is not None for each in weights)
