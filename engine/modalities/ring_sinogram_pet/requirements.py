"""Memory and time that a run on sinograms needs."""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.backend.devices import DeviceInfo
from engine.corrections.bin_resolution import BinResolution
from engine.corrections.resolution import POINT_SPREAD
from engine.data.sinogram import Sinogram
from engine.geometry.grid import ImageGrid
from engine.geometry.sinogram_layout import SinogramLayout
from engine.io.safety.budget import free_memory
from engine.modalities.count_demand import ring_demand
from engine.modalities.listmode_pet.requirements import (
    GPU_BYTES_PER_EVENT,
    UPDATE_S,
    VOXELS_FINISHED_PER_SECOND,
    VOXELS_UPDATED_PER_SECOND,
    slabs_per_second,
)
from engine.modalities.requirements import (
    BASE_BYTES,
    GPU_SAFETY,
    KERNELS_S,
    START_S,
    GpuRequirements,
    Requirements,
)
from engine.modalities.resolution_needs import resolution_needs
from engine.modalities.ring_scatter.needs import ScatterNeeds
from engine.modalities.ring_sinogram_pet.protocol import RingSinogramProtocol
from engine.modalities.ring_sinogram_pet.scatter_needs import scatter_needs

IMAGES = 10
"""Number of float32 images in memory at once: iterate, shares, sums, previews, filters."""
BYTES_PER_BIN, BYTES_PER_COLUMN = 8 + 3 * 4 + 8 + 16 + 64, 4
"""Memory of a bin, and of each sinogram of the study in a bin [bytes].

Ends, counts, background and factors with their subsets, numbers of bins, values of a step, and the
arrays for sorting.
"""
BYTES_PER_TIMED = 8 + 4 + 2 * 24 + 28
"""Memory of a timed count [bytes].

Bin, count and background; copies and numbers while they are sorted; ends, time and row.
"""
BINS_READ_PER_SECOND, BINS_CORRECTED_PER_SECOND = 5e7, 2.5e6
"""Bins read per second, and bins of further sinograms converted to factors per second.

Measured: 2.4 s for two sinograms of 2.9 million bins in the demo.
"""
GPU_CHUNK = 2**16
"""Smallest number of bins for a launch; two chunks are on the GPU at once."""
SMALLER = "Choose larger voxels or a smaller field of view, or sinograms with a larger span."


def estimate(
    protocol: RingSinogramProtocol,
    grid: ImageGrid,
    n_bins: int,
    *,
    on: DeviceInfo,
    n_columns: int = 1,
    n_timed: int = 0,
    left: float = 1.0,
    scan: Sinogram | None = None,
) -> Requirements:
    """Return memory and time for a sinogram on a grid.

    Parameters
    ----------
    protocol
        protocol of the run
    grid
        grid of the image
    n_bins
        number of bins
    on
        device
    n_columns
        number of sinograms in memory, including the counts
    n_timed
        number of timed counts, which are then the rows of the updates
    left
        fraction of the updates that remain
    scan
        counts in all bins or in one; None without counts, for example for a list of protocols
    """
    algorithm = protocol.algorithm
    if scan is not None:
        tof = None if scan.timed is None else scan.scanner.tof
        # Few counts get fewer subsets, which changes memory and time.
        algorithm = algorithm.for_counts(ring_demand(scan.n_prompts, grid, tof))
    n_sums = 0 if on.is_gpu else on.threads
    # Each thread has a sum and a value next to it.
    blur = resolution_needs(protocol.corrections.of(BinResolution), grid, scan)
    images = 4 * grid.n_voxels * (IMAGES + algorithm.n_parts + algorithm.extra_images + 2 * n_sums)
    images += grid.n_voxels * blur.bytes_per_voxel + blur.matrix_bytes
    rate = slabs_per_second(on)
    scatter = None
    if scan is not None:
        scatter = scatter_needs(protocol, scan, n_bins, n_timed, on=on, slabs_per_second=rate)
    if scatter:
        # Scatter is estimated before the image exists, so both never need memory together.
        images = max(images, scatter.memory_bytes)
    images = max(images, blur.build_bytes)
    memory = BASE_BYTES + images + n_bins * (BYTES_PER_BIN + BYTES_PER_COLUMN * n_columns)
    memory += n_timed * BYTES_PER_TIMED + (ends_bytes(scan.layout) if scan is not None else 0)
    pass_s = n_bins * max(grid.shape) * 0.7 / rate
    # With timed counts only those are traced; the sensitivity still needs all lines.
    update_s = pass_s * n_timed / n_bins if n_timed else pass_s
    voxels_s, build_s = 0.0, 0.0
    if not on.is_gpu:
        build_s = blur.build_s
        voxels_s = UPDATE_S + grid.n_voxels / VOXELS_UPDATED_PER_SECOND + blur.update_s
    stages = {
        "start": START_S,
        "read": n_columns * n_bins / BINS_READ_PER_SECOND,
        "kernels": KERNELS_S,
        "correct": max(n_columns - 1, 0) * n_bins / BINS_CORRECTED_PER_SECOND,
        **({"scatter": scatter.seconds} if scatter else {}),
        # Sensitivity and start image: two passes over all bins.
        "sensitivity": 2 * pass_s,
        "reconstruct": build_s
        + left * (algorithm.typical_passes * update_s + algorithm.typical_image_updates * voxels_s),
        "finish": grid.n_voxels / VOXELS_FINISHED_PER_SECOND,
    }
    gpu = _on_gpu(grid, n_bins + n_timed, scatter, on.free_bytes) if on.is_gpu else None
    if protocol.error_replicates is not None:
        from engine.modalities.error_maps.needs import error_needs  # few runs have an error map

        seconds, passes = stages["reconstruct"], algorithm.typical_passes
        error = error_needs(
            protocol, grid.n_voxels, seconds, passes=passes, has_shared_rays=True, gpu=gpu
        )
        gpu = error.gpu
        memory, stages["errors"] = memory + error.memory_bytes, error.seconds
    return Requirements(int(memory), free_memory(), stages, gpu)


def n_columns_of(contents: Iterable[str]) -> int:
    """Return the number of sinograms in memory: the counts, and each auxiliary sinogram.

    Parameters
    ----------
    contents
        keys of the auxiliary files of a study
    """
    # A table of widths has no values of bins
    return 1 + len(set(contents) - {POINT_SPREAD.key})


def ends_bytes(layout: SinogramLayout) -> int:
    """Return the memory for the ends of all lines; bins that sum lines have ends of their own."""
    levels = int(layout.plane_ends.max()) - int(layout.plane_ends.min()) + 1
    across = 2 * layout.n_views * layout.n_tangential
    if layout.bin_mm is None and layout.n_mashed == 1:
        across = layout.scanner.settings.n_crystals_per_ring
    return levels * across * 3 * 8


def _on_gpu(
    grid: ImageGrid, n_rows: int, scatter: ScatterNeeds | None, free_bytes: int
) -> GpuRequirements:
    """Return the GPU memory for the images, or for those of the scatter simulation if larger."""
    n_voxels = grid.n_voxels
    if scatter:
        n_voxels = max(n_voxels, scatter.coarse.n_voxels, scatter.mu_map.n_voxels)
    least = 4 * n_voxels * IMAGES + 2 * GPU_CHUNK * GPU_BYTES_PER_EVENT
    least = max(least, scatter.gpu_bytes if scatter else 0)
    whole = least + n_rows * GPU_BYTES_PER_EVENT
    return GpuRequirements(
        int(GPU_SAFETY * least), int(GPU_SAFETY * whole), free_bytes, rest="the bins"
    )
