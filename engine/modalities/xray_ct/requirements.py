"""Memory and time that a CT run needs."""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from engine.core.backend.devices import DeviceInfo
from engine.core.errors import GeometryError
from engine.core.paths import cache_dir
from engine.corrections.preprocess.opposite_rays import ENOUGH_PAIRS, STEPS
from engine.data.projections import Projections
from engine.data.storage.columns import Scratch
from engine.geometry.grid import ImageGrid
from engine.geometry.xray import XrayGeometry
from engine.io.safety.budget import free_memory
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
from engine.modalities.xray_ct.extent import growth_limit
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.modalities.xray_ct.slab_sizes import SlabNeeds, slab_needs
from engine.recon.algorithms.base import WorkingMemory
from engine.recon.filtering.orbit import orbit_of
from engine.recon.filtering.settings import MIN_VIEWS

if TYPE_CHECKING:
    from engine.modalities.xray_ct.iteration_sizes import IterationNeeds

REAL_BYTES = 4


MEASURED = 2
"""Number of sets of projections in host memory in addition: counts and line integrals."""
HOST = WorkingMemory(3, 2)
"""Additional arrays of the CPU projectors: copies in their own order, sums."""
FILTERED = 2
"""Number of volumes that a filter between iterations needs."""
FILTERED_PASSES = 2
"""Projections of each filtered image: one for its residual, one to continue the algorithm."""
READ_BY_RAYS = 1
"""Additional volumes on a GPU for line integrals: transposed, or in a texture."""
SHARES = 2
"""Volumes for the share of views that see a voxel: of all so far, and of the current ones."""
CHUNK_BYTES = 1024 * MIB
"""Largest amount of chunked data on a GPU."""
UPDATES_PER_SECOND_PER_THREAD = 4e8
"""Voxels times views per second and thread, conservative for two slow cores."""
GRIDDED_VOXELS_PER_SECOND_PER_THREAD = 4e7
GRIDDED_SAMPLES_PER_SECOND_PER_THREAD = 7e7
"""Gridding: voxels of slices, and filtered values of all slices. EPYC, busy, 2026-11-29."""
DIRECT_UPDATES_PER_SECOND_PER_THREAD = 7e8
"""The same for filtered back projection, whose back projection is voxel-driven.

Measured: 1.1e9 for 1024³ voxels with AVX-512; half of that is expected without.
"""
UPDATES_PER_SECOND_PER_MULTIPROCESSOR, DIRECT_UPDATES_PER_SECOND_PER_MULTIPROCESSOR = 1.2e9, 2.5e9
UPDATES_PER_SECOND_OF_UNKNOWN_CARD = 1e10
"""The same on a GPU, for iterations, for filtered back projection, and for an unknown GPU.

Half of the speed of an H100 multiprocessor (docs/benchmarks), and a cautious guess. The window
corrects them by its measurements.
"""
SLABS_SLOWER = 2.0
"""Factor by which iterations are slower with volumes and projections in files."""
VALUES_READ_PER_SECOND, VALUES_PREPARED_PER_SECOND = 3e7, 2e7
"""Values read from a file, and values processed by the default steps, per second."""
VOXELS_FINISHED_PER_SECOND = 5e7
VALUES_FILTERED_PER_SECOND = 1e8
"""Values that are filtered again for a slab, per second."""
CORRECT_S, UPDATE_S = 0.3, 0.1
"""Time to prepare a small scan, mostly imports.

And of an iteration, in addition to its voxels [s].
"""
PAIRS_PER_SECOND = 8e6
"""Pairs of opposite rays that the search for the axis of a cone or fan beam compares per second.

Measured: 2.4 s for 721 views of 560 columns.
"""
SMALLER = "Choose larger voxels or a smaller volume, or bin the projections."


def estimate_unread(
    protocol: CtProtocol,
    scan: Projections,
    grid: ImageGrid,
    *,
    on: DeviceInfo,
    seeks_axis: bool = False,
) -> Requirements:
    """Return the requirements of a run before the values of a scan are known.

    Parameters
    ----------
    protocol
        protocol of the run
    scan
        scan after its steps, without values
    grid
        requested grid
    on
        device
    seeks_axis
        True if the run searches the rotation axis

    Returns
    -------
    requirements
        an upper bound, with a lower bound in `minimum` if iterations may enlarge the grid
    """
    climbs = protocol.algorithm.direct and climbing(scan.geometry)
    axis_s = axis_seconds(scan.shape, scan.geometry.beam) if seeks_axis else 0.0
    minimum = estimate(protocol, scan.shape, grid, on=on, climbs=climbs, axis_s=axis_s)
    # Iterations may enlarge the grid, so the estimate has two bounds.
    most = largest_grid(protocol, scan.geometry, grid)
    if most == grid:
        return minimum
    return replace(estimate(protocol, scan.shape, most, on=on, axis_s=axis_s), minimum=minimum)


def axis_seconds(shape: tuple[int, int, int], beam: str) -> float:
    """Return the time of the search for the axis by opposite rays [s].

    Coarse steps over half of the columns compare some of the pairs. The last search compares all.

    Parameters
    ----------
    shape
        (n_views, n_rows, n_columns) of the projections
    beam
        "parallel" or "cone"
    """
    n_views, _, n_columns = shape
    # The search for parallel beams uses one averaged row, so its time is negligible.
    if beam != "cone":
        return 0.0  # half a turn of parallel beams is part of CORRECT_S
    pairs = n_views * n_columns
    coarse = min(pairs, ENOUGH_PAIRS) * n_columns / 2
    last = pairs * (4 * STEPS[-2] / STEPS[-1] + 1)
    return (coarse + last) / PAIRS_PER_SECOND


def largest_grid(protocol: CtProtocol, geometry: XrayGeometry, grid: ImageGrid) -> ImageGrid:
    """Return the largest grid that a run may use.

    Parameters
    ----------
    protocol
        protocol of the run
    geometry
        geometry of the scan
    grid
        requested grid

    Returns
    -------
    largest_grid
        iterations may need more than the requested grid
    """
    return grid if protocol.algorithm.direct else growth_limit(geometry, grid)


def climbing(geometry: XrayGeometry) -> bool:
    """Return True if the source moves along the axis during the scan.

    Parameters
    ----------
    geometry
        geometry of the scan
    """
    try:
        return orbit_of(geometry).climbs
    except GeometryError:  # the run itself will say so
        return False


def estimate(
    protocol: CtProtocol,
    shape: tuple[int, int, int],
    grid: ImageGrid,
    *,
    on: DeviceInfo,
    climbs: bool = False,
    in_files: bool = False,
    axis_s: float = 0.0,
) -> Requirements:
    """Return the requirements of a run with a known grid.

    Parameters
    ----------
    protocol
        protocol of the run
    shape
        (n_views, n_rows, n_columns) of the projections
    grid
        grid of the iterations
    on
        device
    climbs
        True if a direct inversion is divided by the share of views that see a voxel
    in_files
        True if the projections are already in files, so that the volume is computed in slabs
    axis_s
        time of the search for the rotation axis [s]
    """
    per_set, per_volume = REAL_BYTES * prod(shape), REAL_BYTES * grid.n_voxels
    alive = protocol.algorithm.memory
    volumes = alive.volumes + (FILTERED if protocol.between else 0) + (SHARES if climbs else 0)
    work = int(volumes * per_volume + alive.projections * per_set)
    chunks = min(CHUNK_BYTES, int(alive.in_chunks * per_set))
    # Ray-driven line integrals read the volume in another layout.
    read = 0 if protocol.algorithm.direct else per_volume * READ_BY_RAYS
    gpu = _on_gpu(shape, grid, work + chunks + read, on.free_bytes) if on.is_gpu else None
    host = BASE_BYTES + MEASURED * per_set + 2 * per_volume
    # With a GPU that streams, the host holds the arrays that do not fit on it.
    if gpu is None or gpu.streams:
        host += work
    if gpu is None:
        host += int(HOST.volumes * per_volume + HOST.projections * per_set)
    if gpu is None:
        host += grids_bytes(protocol, grid, on)
    updates = passes(protocol) * shape[0] * grid.n_voxels
    direct = protocol.algorithm.direct
    rate = _updates_per_second(on, direct=direct)
    # On a GPU the overhead of an iteration is hidden by the work of the kernels.
    update_s = 0.0 if on.is_gpu else UPDATE_S * protocol.algorithm.n_iterations
    n_values = prod(shape)
    reconstruct_s = updates / rate + update_s
    if gpu is None and _grids(protocol, shape[0]):
        reconstruct_s = _gridded_s(shape, grid) / max(on.threads, 1)
    stages = {
        "start": START_S,
        "read": n_values / VALUES_READ_PER_SECOND,
        "correct": CORRECT_S + n_values / VALUES_PREPARED_PER_SECOND + axis_s,
        "kernels": KERNELS_S,
        "reconstruct": reconstruct_s,
        "finish": grid.n_voxels / VOXELS_FINISHED_PER_SECOND,
    }
    found = Requirements(host, free_memory(), stages, gpu)
    # Slabs are slower, so they are only used if memory does not suffice otherwise.
    if not in_files and (found.fits_memory or not may_be_in_slabs(protocol, on)):
        return found
    if not direct:
        some = needs_of_iterations(protocol, shape, grid, on, are_there=in_files)
        # Slabs must actually save memory; for small volumes their buffers are larger.
        if not in_files and some.memory_bytes >= host:
            return found
        slower = {"reconstruct": stages["reconstruct"] * SLABS_SLOWER}
        return _in_files(found, some, slower)
    grids = grids_bytes(protocol, grid, on)
    needs = needs_in_slabs(shape, grid, on, climbs=climbs, are_there=in_files, grids_bytes=grids)
    if not in_files and needs.memory_bytes >= host:
        return found
    filtered_s = needs.n_slabs * prod(shape) / VALUES_FILTERED_PER_SECOND
    return _in_files(found, needs, {"reconstruct": stages["reconstruct"] + filtered_s})


def grids_bytes(protocol: CtProtocol, grid: ImageGrid, on: DeviceInfo) -> int:
    """Return the memory for gridding; 0 if the protocol excludes it.

    Parameters
    ----------
    protocol
        protocol of the run
    grid
        grid of the image
    on
        CPU
    """
    if not _may_grid(protocol):
        return 0
    from engine.kernels.grid_layout import buffer_bytes  # most runs do not need it

    return buffer_bytes(grid.shape, max(on.threads, 1))


def _may_grid(protocol: CtProtocol) -> bool:
    """Return True if the rows can be back-projected by gridding, which needs memory of its own."""
    chosen = protocol.algorithm.filter
    return chosen is not None and chosen.method != "direct" and protocol.beam != "cone"


def _grids(protocol: CtProtocol, n_views: int) -> bool:
    """Return True if a run will use gridding, unless the geometry of the scan prevents it."""
    # Without a stated beam the scan may be a cone beam, and the longer forecast is safe.
    if protocol.beam != "parallel" or not _may_grid(protocol):
        return False
    chosen = protocol.algorithm.filter
    return chosen is not None and (chosen.method == "gridding" or n_views >= MIN_VIEWS)


def _gridded_s(shape: tuple[int, int, int], grid: ImageGrid) -> float:
    """Return the processor time of gridding: of transforms of slices, and of rows and waves."""
    samples = shape[0] * shape[2] * grid.shape[0]
    of_rows = samples / GRIDDED_SAMPLES_PER_SECOND_PER_THREAD
    return grid.n_voxels / GRIDDED_VOXELS_PER_SECOND_PER_THREAD + of_rows


def remedy(protocol: CtProtocol) -> str:
    """Return the remedy if memory does not suffice.

    Parameters
    ----------
    protocol
        protocol of the run
    """
    hindrances = _slab_obstacles(protocol)
    return f"{SMALLER} {hindrances[0]}" if hindrances else SMALLER


def may_be_in_slabs(protocol: CtProtocol, on: DeviceInfo) -> bool:
    """Return True if the volume can be in a file and be processed slab by slab.

    Parameters
    ----------
    protocol
        protocol of the run
    on
        device; slabs run on the CPU only
    """
    return not on.is_gpu and not _slab_obstacles(protocol)


def _slab_obstacles(protocol: CtProtocol) -> list[str]:
    """Return sentences about changes of a protocol that make slabs possible.

    Filters read beyond the border of a slab. Only the exact transpose is a sum over slabs.
    """
    found = ["You can also remove the filters of step 5."] if protocol.finishing else []
    if protocol.algorithm.direct:
        return found
    if protocol.between:
        found.append("You can also remove the filters between iterations.")
    if protocol.adjoint != "matched":
        found.append("You can also choose the matched back projection.")
    return found


def needs_in_slabs(
    shape: tuple[int, int, int],
    grid: ImageGrid,
    on: DeviceInfo,
    *,
    climbs: bool,
    are_there: bool = False,
    grids_bytes: int = 0,
) -> SlabNeeds:
    """Return the requirements of a direct run in slabs, with the memory that is free now.

    See `slab_needs` for the parameters.
    """
    return slab_needs(
        shape,
        grid,
        free_bytes=free_memory(),
        threads=max(on.threads, 1),
        climbs=climbs,
        are_there=are_there,
        grids_bytes=grids_bytes,
    )


def needs_of_iterations(
    protocol: CtProtocol,
    shape: tuple[int, int, int],
    grid: ImageGrid,
    on: DeviceInfo,
    *,
    are_there: bool = False,
) -> IterationNeeds:
    """Return the requirements of iterations in slabs, with the memory that is free now.

    See `iteration_needs` for the parameters.
    """
    from engine.modalities.xray_ct.iteration_sizes import iteration_needs

    return iteration_needs(
        protocol.algorithm,
        shape,
        grid,
        free_bytes=free_memory(),
        threads=max(on.threads, 1),
        are_there=are_there,
    )


def _in_files(
    found: Requirements, needs: SlabNeeds | IterationNeeds, seconds: dict[str, float]
) -> Requirements:
    """Return the requirements of a run in slabs, with their memory, disk space and time."""
    return replace(
        found,
        memory_bytes=needs.memory_bytes,
        stages=found.stages | seconds,
        disk_bytes=needs.disk_bytes,
        disk_free_bytes=Scratch(cache_dir()).free_bytes,
        on_disk="projections and volume",
    )


def _updates_per_second(on: DeviceInfo, *, direct: bool) -> float:
    if on.is_gpu:
        of_one = UPDATES_PER_SECOND_PER_MULTIPROCESSOR
        if direct:
            of_one = DIRECT_UPDATES_PER_SECOND_PER_MULTIPROCESSOR
        return card_rate(on, of_one, UPDATES_PER_SECOND_OF_UNKNOWN_CARD)
    of_thread = DIRECT_UPDATES_PER_SECOND_PER_THREAD if direct else UPDATES_PER_SECOND_PER_THREAD
    return of_thread * max(on.threads, 1)


def passes(protocol: CtProtocol) -> int:
    """Return the largest number of projections and back projections of all views.

    Parameters
    ----------
    protocol
        protocol of the run

    Returns
    -------
    passes
        includes the passes of preparations and of filters between iterations
    """
    algorithm = protocol.algorithm
    restarted = FILTERED_PASSES * algorithm.n_iterations if protocol.between else 0
    return algorithm.n_passes + (0 if algorithm.direct else restarted)


def _on_gpu(
    shape: tuple[int, int, int], grid: ImageGrid, whole: int, free_bytes: int
) -> GpuRequirements:
    """Return the GPU memory for all data, or for a few slices and views at a time."""
    _, n_rows, n_columns = shape
    part = REAL_BYTES * (grid.shape[1] * grid.shape[2] + n_rows * n_columns)
    return GpuRequirements(
        int(GPU_SAFETY * 4 * part),
        int(GPU_SAFETY * whole),
        free_bytes,
        "a few slices and views",
        "volume and projections",
    )
