"""Memory and time of an error map, before a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from engine.io.safety.budget import free_memory
from engine.modalities.requirements import GPU_SAFETY, VOXEL_BYTES, GpuRequirements

if TYPE_CHECKING:
    from engine.recon.algorithms import Algorithm

IMAGES_OF_A_REPLICATE = 8
"""Float32 images in memory for each replicate of a batch: its image and its numerator, both
interleaved with the sums of two threads, and copies."""
GPU_IMAGES_OF_A_REPLICATE = 6
"""Float32 images on a GPU for each replicate of a batch: its image, also blurred and interleaved,
and sums of 64 bits or its numerator, all but the first with a border."""
MAX_MEMORY_SHARE = 0.5
"""Share of the free memory that the replicates of a batch may use."""
LANES = 8
"""Replicates in a vector, the smallest batch on the CPU."""
SMALLEST_BATCH = 2
"""The same on a GPU: two replicates share the bits of a random number."""
MAX_ON_GPU = 32
"""Replicates of a launch on a GPU, one for each thread of a warp."""
SHARED_COST = 0.45
"""Time of a replicate that shares its rays with others, relative to the iterations of the run."""
GPU_SHARED_COST = 0.4
"""The same on a GPU, calculated and not measured: 220 voxels of an event with 12 bytes each, at
3.35 TB/s from the memory of an H100, relative to its 482 million events per second."""


HESSIAN_PASSES = 3
"""Passes over the data of a replicate of the Hessian, if rays were not shared: its noise and its
iterations. Measured for a small animal with 1e5 and 1e6 counts, 2026-11-29."""
PASSES_OF_A_CYCLE = 4
"""Passes over the data of a replicate of MAP, which begins at that of the Hessian."""
PREPARED_PASSES = 4
"""Passes over the data in which the prior of a run is derived again."""


class ErrorNeeds(NamedTuple):
    """Needs of an error map.

    Attributes
    ----------
    memory_bytes : memory of the replicates
    seconds : time of all replicates
    gpu : memory of the GPU for the run with its replicates; None on the CPU
    """

    memory_bytes: int = 0
    seconds: float = 0.0
    gpu: GpuRequirements | None = None


class _Replicates(Protocol):
    """Settings of an error map, and the algorithm that it is for."""

    error_replicates: int | None
    error_method: Literal["bootstrap", "hessian"]
    algorithm: Algorithm


def error_needs(
    protocol: _Replicates,
    n_voxels: int,
    iterations_s: float,
    *,
    passes: float,
    has_shared_rays: bool,
    gpu: GpuRequirements | None = None,
) -> ErrorNeeds:
    """Return the needs of an error map; nothing if none is requested.

    Parameters
    ----------
    protocol
        protocol with the number of replicates and the method
    n_voxels
        voxels of the image
    iterations_s
        time of the iterations of the run
    passes
        passes over the data in these iterations
    has_shared_rays
        True if the projector can trace a ray once for several images
    gpu
        memory of the GPU for the run without replicates; None on the CPU
    """
    n = protocol.error_replicates
    if n is None:
        return ErrorNeeds(gpu=gpu)
    is_linear, is_penalised = protocol.error_method == "hessian", protocol.algorithm.is_penalised
    # Finished images of all replicates, and their deviations.
    finished = (VOXEL_BYTES + 1) * n_voxels * n
    shares_rays = has_shared_rays
    if gpu is not None:
        if shares_rays and not is_penalised:
            copies = batch_of(n, n_voxels, _memory_for_replicates(gpu)) * VOXEL_BYTES * n_voxels
            seconds = GPU_SHARED_COST * n * iterations_s
            return ErrorNeeds(copies + finished, seconds, _with_replicates(gpu, n, n_voxels))
        # The Hessian shares rays only on the CPU.
        shares_rays = False
    runs = (SHARED_COST if shares_rays else 1.0) * n
    if is_penalised:
        own = 0 if is_linear else PASSES_OF_A_CYCLE * n
        runs = (PREPARED_PASSES + HESSIAN_PASSES * runs + own) / passes
    batch = batch_of(n, n_voxels) if is_penalised or shares_rays else 1
    return ErrorNeeds(batch * replicate_bytes(n_voxels) + finished, runs * iterations_s, gpu)


def _memory_for_replicates(gpu: GpuRequirements) -> int:
    """Return the memory of a GPU that a run leaves to its replicates."""
    return max(gpu.free_bytes - gpu.whole_bytes, 0)


def _with_replicates(gpu: GpuRequirements, n: int, n_voxels: int) -> GpuRequirements:
    """Return the memory of a GPU with a batch of replicates, or with the smallest one."""
    batch = batch_of(n, n_voxels, _memory_for_replicates(gpu))
    each = int(GPU_SAFETY * gpu_replicate_bytes(n_voxels))
    return replace(
        gpu,
        images_bytes=gpu.images_bytes + min(batch, SMALLEST_BATCH) * each,
        whole_bytes=gpu.whole_bytes + batch * each,
    )


def replicate_bytes(n_voxels: int) -> int:
    """Return the memory of a replicate in a batch on the CPU [bytes]."""
    return IMAGES_OF_A_REPLICATE * VOXEL_BYTES * n_voxels


def gpu_replicate_bytes(n_voxels: int) -> int:
    """Return the memory of a replicate in a batch on a GPU [bytes]."""
    return GPU_IMAGES_OF_A_REPLICATE * VOXEL_BYTES * n_voxels


def batch_of(n_replicates: int, n_voxels: int, gpu_free_bytes: int | None = None) -> int:
    """Return the number of replicates that fit in memory together.

    Parameters
    ----------
    n_replicates
        number of replicates
    n_voxels
        voxels of the image
    gpu_free_bytes
        free memory of the GPU; None on the CPU

    Returns
    -------
    all replicates; or a multiple of `LANES` on the CPU, and an even number up to `MAX_ON_GPU` on a
    GPU
    """
    if gpu_free_bytes is not None:
        fitting = int(MAX_MEMORY_SHARE * gpu_free_bytes / gpu_replicate_bytes(n_voxels))
        most = max(min(fitting, MAX_ON_GPU) // SMALLEST_BATCH, 1) * SMALLEST_BATCH
        if n_replicates <= most:
            return n_replicates
        # Batches of about the same size: a launch of few replicates leaves most threads idle.
        n_batches = -(-n_replicates // most)
        return -(-n_replicates // (n_batches * SMALLEST_BATCH)) * SMALLEST_BATCH
    fitting = int(MAX_MEMORY_SHARE * free_memory() / replicate_bytes(n_voxels))
    return n_replicates if fitting >= n_replicates else max(fitting // LANES, 1) * LANES
