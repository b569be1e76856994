"""Memory and time that a list-mode PET run needs."""

from __future__ import annotations

from dataclasses import replace

from engine.core.backend.devices import DeviceInfo
from engine.core.paths import cache_dir
from engine.corrections.randoms import Randoms
from engine.data.listmode import ListMode
from engine.data.storage.columns import Scratch
from engine.geometry.grid import ImageGrid
from engine.geometry.ring import RingScanner
from engine.io.safety.budget import free_memory
from engine.modalities.listmode_pet.auto_settings import algorithm_of
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.listmode_pet.resolution_needs import ResolutionNeeds, resolution_needs
from engine.modalities.listmode_pet.scatter_needs import scatter_needs
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
from engine.modalities.ring_scatter.effort import EXACT_BELOW, N_LINES
from engine.modalities.ring_scatter.needs import ScatterNeeds
from engine.recon.algorithms import Algorithm

BYTES_PER_EVENT = 60
"""Ids, bin, time, factors, background, expected counts, sorting, and subset copies."""
PIECES_BYTES = 512 * 2**20
"""Memory of events that lie in files: the pieces at work, and what tells their places."""
BYTES_PER_EXPECTED = 4
"""Expected counts of a subset, which stay in memory."""
SCRATCH_BYTES_PER_EVENT, SORTED_BYTES_PER_EVENT = 40, 9
"""Bytes of the disk: ids, kind, factors and expected counts, twice for a while, and the subsets'
copies; of these the events as they are once read."""
EVENTS_SORTED_PER_SECOND_PER_THREAD, EVENTS_CORRECTED_PER_SECOND = 1e7, 2e7
"""Events read twice and put in order on the way into files, and piece by piece corrected there."""
IMAGES = 10
"""Float32 images alive at once: iterate, shares, sensitivity, previews, filters."""
BYTES_PER_SUM = 8
"""Bytes of a voxel by thread of the CPU: a float32 sum beside its value, or an int64 one alone."""
GPU_BYTES_PER_EVENT = 8 + 2 + 4 + 4
"""Two crystal ids, time bin, background and expected counts."""
GPU_IMAGES = 6
"""Float32 images on the GPU: iterate, its packed copy, shares, sensitivity, two for filters."""
SAMPLED_BYTES_PER_VOXEL = 56
"""Memory of a sampled sensitivity on the GPU: two sums, a batch, the error's steps in float64."""
BATCH = 2_000_000
"""Lines of a batch of the sensitivity on the GPU, at least, and at most those traced at once."""
GPU_CHUNK = 2**16
"""Fewest events worth a launch; two chunks are there at once, one at work and one on its way."""
SLABS_PER_SECOND_PER_THREAD = 1.5e8
"""Slabs of one voxel a ray passes in a second, below `isocenter bench listmode` for small scans."""
SLABS_PER_SECOND_PER_MULTIPROCESSOR, SLABS_PER_SECOND_OF_UNKNOWN_CARD = 1.6e8, 1.0e9
"""The same on a GPU: half of what a multiprocessor of an H100 does (docs/benchmarks); and a careful
guess. The window corrects it by what it measures."""
VOXELS_UPDATED_PER_SECOND, UPDATE_S = 1e8, 0.025
"""Voxels of an update per second: laid out for the rays, cleared and summed for each thread,
divided; and seconds of an update besides: threads, figures, messages. Two EPYC cores, 2026-11-28,
8 to 15 ns per voxel with one thread and 7 to 11 ns with two."""
RANDOMS_S, RANDOMS_BYTES = 0.85, 145 * MIB
"""Rates of singles from delayeds, of a million lines of a crystal map."""
CORRECT_S = 0.3
"""Corrections of a scan of few events: imports, tables of the scanner."""
EVENTS_READ_PER_SECOND, EVENTS_SORTED_PER_SECOND = 1e7, 3e6
"""Events read from a file, and events put in order after their corrections."""
VOXELS_FINISHED_PER_SECOND = 2e7


def slabs_per_second(on: DeviceInfo) -> float:
    """Return how many slabs of one voxel rays pass on a device."""
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
    """Return what `n_events` on `grid` need.

    `n_lors` lines make the sensitivity; `left` is the share of the updates still to do; `scan`,
    which may hold only some of the events, tells with its μ-map whether scatter is simulated.
    """
    n_sums = 0 if on.is_gpu else on.threads
    blur = resolution_needs(protocol, grid, scan)
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
    per_voxel = 4 * IMAGES + BYTES_PER_SUM * n_sums + blur.bytes_per_voxel
    images = grid.n_voxels * per_voxel + blur.matrix_bytes
    # what is done before the image is begun
    images = max(images, blur.build_bytes, sensitivity.memory_bytes)
    scatter = scan and scatter_needs(protocol, scan, n_events, on=on, slabs_per_second=rate)
    if scatter:
        images = max(images, scatter.memory_bytes)  # so is the scatter
    correct_s = CORRECT_S + n_events / EVENTS_SORTED_PER_SECOND
    if _fits_randoms(protocol, scan):
        images, correct_s = max(images, RANDOMS_BYTES), correct_s + RANDOMS_S
    algorithm = protocol.algorithm
    if scan is not None:
        algorithm = algorithm_of(protocol, scan, n_events)
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
    images += BASE_BYTES
    memory, free = images + n_events * BYTES_PER_EVENT, free_memory()
    found = Requirements(int(memory), free, stages, gpu, once="sensitivity")
    in_files = scan is not None and isinstance(scan.storage, Scratch)
    least = images + PIECES_BYTES + BYTES_PER_EXPECTED * n_events // protocol.algorithm.n_subsets
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
    """Return the time of all updates: events, voxels and blur."""
    n_updates = algorithm.n_iterations * algorithm.n_subsets
    traced_s = n_events * algorithm.n_passes / 2 * ray_s  # forward and back in one pass
    if on.is_gpu:
        return traced_s
    update_s = UPDATE_S + grid.n_voxels / VOXELS_UPDATED_PER_SECOND + blur.update_s
    return traced_s + n_updates * update_s + blur.build_s


def _fits_randoms(protocol: ListModeProtocol, scan: ListMode | None) -> bool:
    """Return True if randoms are fitted to the delayeds of a crystal map."""
    if scan is None or isinstance(scan.scanner, RingScanner):
        return False
    return protocol.corrections.of(Randoms).use != "off" and scan.n_delayed > 0


def _in_files(
    found: Requirements, memory: int, n_events: int, *, threads: int, are_there: bool
) -> Requirements:
    """Return the needs of a run whose events lie in files; are_there : whether they do already."""
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
    """Make room for the coarse images, tracing the μ-map, or the simulation, if they are larger."""
    few = n_lors <= EXACT_BELOW
    lines = n_lors if few else 0  # fewer than all of them are a sample
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
    whole = max(images, iterates + n_events * GPU_BYTES_PER_EVENT)
    return GpuRequirements(int(GPU_SAFETY * images), int(GPU_SAFETY * whole), free_bytes)
