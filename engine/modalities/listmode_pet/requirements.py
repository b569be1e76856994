"""Memory and time that a list-mode PET run needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.core.backend.devices import DeviceInfo
from engine.core.paths import cache_dir
from engine.corrections.randoms import Randoms
from engine.corrections.resolution import Resolution
from engine.data.listmode import ListMode
from engine.data.storage.columns import Scratch
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.io.safety.budget import free_memory
from engine.modalities.listmode_pet.auto_settings import algorithm_of
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.sensitivity_needs import (
    BYTES_PER_LINE,
    BYTES_PER_TRACED_LINE,
    lines_traced,
    sensitivity_needs,
    slabs_of,
)
from engine.modalities.requirements import (
    BASE_BYTES,
    GPU_SAFETY,
    KERNELS_S,
    MIB,
    START_S,
    GpuRequirements,
    Requirements,
    card_rate,
)
from engine.modalities.resolution_needs import ResolutionNeeds, resolution_needs

if TYPE_CHECKING:
    from engine.modalities.ring_scatter.needs import ScatterNeeds
    from engine.recon.algorithms import Algorithm

BYTES_PER_EVENT = 60
"""Memory of an event [bytes].

Crystals, bin, time, factors, background, expected counts, sorting, and copies of subsets.
"""
PIECES_BYTES = 512 * 2**20
"""Memory for events in files: the current pieces, and the counts by place."""
BYTES_PER_EXPECTED = 4
"""Memory of the expected counts of a subset, per event [bytes]."""
SCRATCH_BYTES_PER_EVENT, SORTED_BYTES_PER_EVENT = 40, 9
"""Disk space of an event [bytes], and that of its sorted columns.

Crystals, kind, factors and expected counts, for a while twice, and the copies of subsets.
"""
EVENTS_SORTED_PER_SECOND_PER_THREAD, EVENTS_CORRECTED_PER_SECOND = 1e7, 2e7
"""Events sorted into files (read twice), and corrected there in pieces, per second."""
IMAGES = 10
"""Number of float32 images in memory at once: iterate, shares, sensitivity, previews, filters."""
BYTES_PER_SUM = 8
"""Memory of a voxel per CPU thread [bytes]: a float32 sum and its value, or an int64 sum alone."""
GPU_BYTES_PER_EVENT = 8 + 2 + 4 + 4
"""GPU memory of an event [bytes]: two crystals, time bin, background and expected counts."""
GPU_IMAGES = 6
"""Number of float32 images on a GPU: iterate, packed copy, shares, sensitivity, two for filters."""
SAMPLED_BYTES_PER_VOXEL = 56
"""GPU memory of a voxel of a sampled sensitivity [bytes]: two sums, a batch, steps in float64."""
BATCH = 2_000_000
"""Smallest batch of lines for the sensitivity on a GPU, and largest number traced at once."""
GPU_CHUNK = 2**16
"""Smallest number of events for a launch; two chunks are on the GPU, one computing, one copying."""
SLABS_PER_SECOND_PER_THREAD = 1.5e8
"""Voxel slabs that rays cross per second and thread; below `isocenter bench listmode`."""
SLABS_PER_SECOND_PER_MULTIPROCESSOR, SLABS_PER_SECOND_OF_UNKNOWN_CARD = 1.6e8, 1.0e9
"""The same on a GPU, and for an unknown GPU.

Half of the speed of an H100 multiprocessor (docs/benchmarks), and a cautious guess. The window
corrects it by its measurements.
"""
VOXELS_UPDATED_PER_SECOND, UPDATE_S = 1e8, 0.025
"""Voxels of an update per second, and fixed time of an update [s].

Voxels are packed for the rays, cleared and summed per thread, and divided. The fixed time is for
threads, figures and messages. Two EPYC cores, 2026-11-28: 8 to 15 ns per voxel with one thread, 7
to 11 ns with two.
"""
RANDOMS_S, RANDOMS_BYTES = 0.85, 145 * MIB
"""Time and memory of the rates of singles from delayeds, for a million lines of a crystal map."""
CORRECT_S = 0.3
"""Time of the corrections of a small scan [s]: imports, tables of the scanner."""
EVENTS_READ_PER_SECOND, EVENTS_SORTED_PER_SECOND = 1e7, 3e6
"""Events read from a file, and events sorted after their corrections, per second."""
VOXELS_FINISHED_PER_SECOND = 2e7


def slabs_per_second(on: DeviceInfo) -> float:
    """Return the number of voxel slabs that rays cross per second.

    Parameters
    ----------
    on
        device
    """
    if on.is_gpu:
        return card_rate(on, SLABS_PER_SECOND_PER_MULTIPROCESSOR, SLABS_PER_SECOND_OF_UNKNOWN_CARD)
    return SLABS_PER_SECOND_PER_THREAD * on.threads


def estimate(
    protocol: ListModeProtocol,
    grid: ImageGrid,
    n_events: int,
    *,
    on: DeviceInfo,
    n_lors: int = 0,
    left: float = 1.0,
    scan: ListMode | None = None,
) -> Requirements:
    """Return memory and time of a run.

    Parameters
    ----------
    protocol
        protocol of the run
    grid
        grid of the image
    n_events
        number of events
    on
        device
    n_lors
        number of lines of the sensitivity; 0 if it is unknown
    left
        fraction of the updates that remain
    scan
        sample of the scan with its μ-map; None if it is unknown
    """
    n_sums = 0 if on.is_gpu else on.threads
    blur = resolution_needs(protocol.corrections.of(Resolution), grid, scan)
    rate = slabs_per_second(on)
    scanner = None if scan is None else scan.scanner
    ray_s = slabs_of(grid, scanner) / rate
    sensitivity = sensitivity_needs(
        protocol,
        grid,
        n_events,
        n_lors=n_lors,
        scan=scan,
        on=on,
        slabs_per_second=rate,
    )
    algorithm = protocol.algorithm
    if scan is not None:
        # Few counts get fewer subsets, which changes the number of updates and images.
        algorithm = algorithm_of(protocol, scan, n_events)
    n_images = IMAGES + algorithm.extra_images
    per_voxel = 4 * n_images + BYTES_PER_SUM * n_sums + blur.bytes_per_voxel
    images = grid.n_voxels * per_voxel + blur.matrix_bytes
    # Sensitivity and matrices are computed before the image exists.
    images = max(images, blur.build_bytes, sensitivity.memory_bytes)
    scatter = None
    if scan is not None and scan.mu_map is not None:
        from engine.modalities.listmode_pet.scatter_needs import scatter_needs

        scatter = scatter_needs(protocol, scan, n_events, on=on, slabs_per_second=rate)
    if scatter:
        images = max(images, scatter.memory_bytes)  # so is the scatter
    correct_s = CORRECT_S + n_events / EVENTS_SORTED_PER_SECOND
    if _fits_randoms(protocol, scan):
        images, correct_s = max(images, RANDOMS_BYTES), correct_s + RANDOMS_S
    stages = {
        "start": START_S,
        "read": n_events / EVENTS_READ_PER_SECOND,
        "kernels": KERNELS_S,
        "correct": correct_s,
        **({"scatter": scatter.seconds} if scatter else {}),
        "sensitivity": sensitivity.seconds,
        "reconstruct": left * _iterations_s(algorithm, grid, n_events, ray_s, blur, on),
        "finish": grid.n_voxels / VOXELS_FINISHED_PER_SECOND,
    }
    lines, _ = lines_traced(protocol, grid, n_events, n_lors)
    gpu = _on_gpu(protocol, grid, n_events, lines, n_lors, on.free_bytes) if on.is_gpu else None
    if gpu and scatter:
        gpu = _with_scatter(gpu, protocol, scatter, n_lors)
    if protocol.error_replicates is not None:
        from engine.modalities.error_maps.needs import error_needs  # few runs have an error map

        seconds, passes = stages["reconstruct"], algorithm.typical_passes
        error = error_needs(
            protocol, grid.n_voxels, seconds, passes=passes, has_shared_rays=True, gpu=gpu
        )
        gpu = error.gpu
        images, stages["errors"] = images + error.memory_bytes, error.seconds
    images += BASE_BYTES
    # Everything in memory is the fastest way, so it is tried first.
    memory, free = images + n_events * BYTES_PER_EVENT, free_memory()
    found = Requirements(int(memory), free, stages, gpu, once="sensitivity")
    in_files = scan is not None and isinstance(scan.storage, Scratch)
    # In files, only pieces of the events and one column per subset are in memory.
    least = images + PIECES_BYTES + BYTES_PER_EXPECTED * n_events // protocol.algorithm.n_parts
    if not in_files and (found.fits_memory or least >= memory):
        return found
    return _in_files(found, least, n_events, threads=on.threads, are_there=in_files)


def _iterations_s(
    algorithm: Algorithm,
    grid: ImageGrid,
    n_events: int,
    ray_s: float,
    blur: ResolutionNeeds,
    on: DeviceInfo,
) -> float:
    """Return the time of all updates: events, voxels and blur [s]."""
    traced_s = n_events * algorithm.typical_passes / 2 * ray_s  # forward and back in one pass
    if on.is_gpu:
        return traced_s
    update_s = UPDATE_S + grid.n_voxels / VOXELS_UPDATED_PER_SECOND + blur.update_s
    return traced_s + algorithm.typical_image_updates * update_s + blur.build_s


def _fits_randoms(protocol: ListModeProtocol, scan: ListMode | None) -> bool:
    """Return True if randoms are fitted to the delayeds of a crystal map."""
    # For rings the fit uses fan sums, which take hardly any time.
    if scan is None or isinstance(scan.scanner, RingScanner):
        return False
    return protocol.corrections.of(Randoms).use != "off" and scan.n_delayed > 0


def _in_files(
    found: Requirements, memory: int, n_events: int, *, threads: int, are_there: bool
) -> Requirements:
    """Return the requirements with events in files.

    Parameters
    ----------
    found
        requirements with all events in memory
    memory
        memory with events in files [bytes]
    n_events
        number of events
    threads
        number of threads
    are_there
        True if the events are already in files
    """
    per_event = SCRATCH_BYTES_PER_EVENT - (SORTED_BYTES_PER_EVENT if are_there else 0)
    stages = {
        **found.stages,
        "read": n_events / (EVENTS_SORTED_PER_SECOND_PER_THREAD * threads),
        "correct": n_events / EVENTS_CORRECTED_PER_SECOND,
    }
    on_disk = Scratch(cache_dir())
    return replace(
        found,
        memory_bytes=int(memory),
        stages=stages,
        disk_bytes=n_events * per_event,
        disk_free_bytes=on_disk.free_bytes,
    )


def _with_scatter(
    gpu: GpuRequirements, protocol: ListModeProtocol, scatter: ScatterNeeds, n_lors: int
) -> GpuRequirements:
    """Return the larger of the GPU memory and that of the scatter simulation."""
    from engine.modalities.ring_scatter.effort import EXACT_BELOW, N_LINES

    few = n_lors <= EXACT_BELOW
    # Few lines are all traced for the sensitivity of the coarse image, many are sampled.
    lines = n_lors if few else 0
    coarse = _on_gpu(protocol, scatter.coarse, scatter.part_rows, lines, n_lors, gpu.free_bytes)
    traced = N_LINES * (BYTES_PER_LINE + BYTES_PER_TRACED_LINE)
    events = scatter.part_rows * (GPU_BYTES_PER_EVENT + BYTES_PER_TRACED_LINE)
    most = max(scatter.mu_map.n_voxels * 4 * GPU_IMAGES + max(traced, events), scatter.gpu_bytes)
    mu_map = int(GPU_SAFETY * most)
    return replace(
        gpu,
        images_bytes=max(gpu.images_bytes, coarse.images_bytes, mu_map),
        whole_bytes=max(gpu.whole_bytes, coarse.whole_bytes, mu_map),
    )


def _sum_bytes(protocol: ListModeProtocol) -> int:
    return 8 if protocol.reproducible else 4


def _on_gpu(
    protocol: ListModeProtocol,
    grid: ImageGrid,
    n_events: int,
    lines: int,
    n_lors: int,
    free_bytes: int,
) -> GpuRequirements:
    iterates = grid.n_voxels * (4 * GPU_IMAGES + _sum_bytes(protocol))
    sampled = lines < n_lors or protocol.sensitivity.method == "sampled"
    per_voxel = SAMPLED_BYTES_PER_VOXEL if sampled else 4 * GPU_IMAGES + _sum_bytes(protocol)
    batch = min(n_lors, max(BATCH, grid.n_voxels // 4))
    lines = batch * BYTES_PER_LINE + min(batch, BATCH) * BYTES_PER_TRACED_LINE
    sensitivity = grid.n_voxels * per_voxel + lines
    chunks = 2 * GPU_CHUNK * GPU_BYTES_PER_EVENT
    images = max(iterates + chunks, sensitivity)
    # Chunks make a GPU independent of the number of events, if the images fit.
    whole = max(images, iterates + n_events * GPU_BYTES_PER_EVENT)
    return GpuRequirements(int(GPU_SAFETY * images), int(GPU_SAFETY * whole), free_bytes)
