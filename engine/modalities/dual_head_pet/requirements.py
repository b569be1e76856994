"""Memory and time that a dual-head run needs.

The response itself is not read for this. A plane of a row is the shadow of a crystal, W voxels
wide, extended along the path between the depths of detection: about W² + W (d_row + d_column)
voxels. Scatter in the crystals widens it by some millimetres, more for smaller stored values. For L
layers of crystals, L pairs are stored with half of the planes and L (L − 1) / 2 with all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.backend.devices import DeviceInfo
from engine.corrections.histogram import LineScatter
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import n_stored_planes, stored_orientations
from engine.io.safety.budget import free_memory
from engine.kernels.matrix.memory import MAX_CACHED_BYTES, fits_in_lanes
from engine.modalities.dual_head_pet.protocol import DualHeadProtocol
from engine.modalities.dual_head_pet.response.settings import AnalyticResponse
from engine.modalities.requirements import (
    BASE_BYTES,
    GPU_SAFETY,
    KERNELS_S,
    START_S,
    GpuRequirements,
    Requirements,
)

EDGE_VOXELS, SEEN_DEPTH = 1.0, 0.75
"""Voxels cut by the edge of the shadow; fraction of the crystal depth that counts."""
SPREAD_MM, SPREAD_FROM, SPREAD_FROM_BEHIND = 2.16, 0.05, 0.4
"""Widening of the shadow by scatter in the crystals, in mm per factor of e.

The factor is that of the smallest stored value below a fraction of the largest (rows of DHAPET).
Layers behind the first one receive more scattered photons (the same in two layers).
"""
MIN_STORED, MAX_SPREAD = 1e-5, 12.0
"""Threshold below which nothing more is found; largest extension of rows, in pitches.

The extension is six pitches on each side of the lines of the crystals.
"""
BYTES_PER_NONZERO = 4
"""Memory of a non-zero [bytes]: position and half-precision value."""
SORTED_BYTES = 1.5e8
"""Memory of decoded rows at a time, if they are not all stored [bytes]."""
BYTES_PER_DECODED, DECODED_ROWS = 12, 1.5
"""Memory of a decoded value [bytes]: position, value and group; and decoded rows per stored row."""
BYTES_PER_LINE = 4 * 4
"""Memory of a line [bytes]: prompts and factors, with background and in subsets."""
STEP_BYTES = 4 * 4 + 2 * 8
"""Memory of a line of a subset [bytes]: expected counts, ratio, their images, logarithms."""
IMAGES = 10
"""Number of float32 images at once: iterate, shares, copy by phases, sums, previews, filters."""
PRIOR_IMAGES = 12
"""Number of additional images for a prior: its weights, and those of an update."""
PRODUCTS_PER_SECOND_PER_THREAD = 8.0e9
"""Products of non-zeros and lines per second and thread, half of the rate measured for DHAPET."""
POINTS_PER_SECOND_PER_THREAD, PACKED_PER_SECOND_PER_THREAD = 1.2e8, 5e6
"""Points integrated in each plane, and non-zeros packed, per second and thread."""
GPU_PRODUCTS_PER_SECOND = 3e11
"""The same on a GPU: an assumption for a small GPU, which the window corrects."""
GPU_IMAGES, GPU_BYTES_PER_LINE, GPU_STEP_BYTES = 10, 4 + 4, 4 * 4 + 8
"""Number of images; memory of a line for counts and background, and of a line of a subset."""
LINES_READ_PER_SECOND = 2e7
SCATTER_BYTES_PER_LINE = 4 * 4
"""Memory of a line for scatter [bytes].

Expected scatter and weights, and background and subsets once more.
"""
PASSES_OF_ROUND, LINES_SCATTERED_PER_SECOND = 3, 3e6
"""Passes for the image of a round; lines whose scatter is read per second."""
SMALLER = "Choose larger voxels, thicker planes or more subsets."
SMALLER_IN_LAYERS = f"{SMALLER} You can also combine all crystal layers."


class WorkEstimate(NamedTuple):
    """Size of a response.

    Attributes
    ----------
    n_stored : number of stored non-zeros
    n_products : non-zeros of all lines and planes, which is the number of products of a projection
    """

    n_stored: float
    n_products: float


def work(scanner: DualHead, response: AnalyticResponse) -> WorkEstimate:
    """Return the size of the response of a scanner, accurate to some tens of per cent.

    Parameters
    ----------
    scanner
        panels with their image
    response
        settings of the response
    """
    s = scanner.settings
    n, n_layers = s.voxels_per_pitch, s.n_layers
    # The shadow is as wide as a crystal, plus the voxels that its edge cuts.
    sharp = s.crystal_mm / s.pitch_mm * n + EDGE_VOXELS
    wide = np.full(n_layers, sharp)
    if response.scatter:
        seen_from = np.where(np.arange(n_layers) > 0, SPREAD_FROM_BEHIND, SPREAD_FROM)
        spread_mm = SPREAD_MM * np.log(seen_from / max(response.threshold, MIN_STORED))
        wide += n * np.clip(spread_mm / s.pitch_mm, 0.0, MAX_SPREAD)
    drawn = n * (s.thickness_mm / n_layers + s.plane_mm) / (s.separation_mm + s.thickness_mm)

    def per_plane(a: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        # A pair of layers has the mean width of both.
        steps = np.abs(np.asarray(a, np.float64)).sum(axis=1)
        found = (wide**2).mean() + wide.mean() * SEEN_DEPTH * drawn * steps
        return np.asarray(found, np.float64)

    stored = planes_stored(scanner) * per_plane(stored_orientations(s.n_rows, s.n_columns))
    table = scanner.orientations
    lines = table.n_shifts * per_plane(table.offsets)
    n_pairs = n_layers**2
    return WorkEstimate(float(stored.sum()), s.n_planes * n_pairs * float(lines.sum()))


def _decoded_bytes(scanner: DualHead, size: WorkEstimate, *, is_penalised: bool) -> float:
    """Return the memory of rows decoded for CPU kernels, for forward and back projection."""
    n_z, _, n_x = scanner.grid.shape
    # Large images do not fit in the vector kernels, so rows are decoded piece by piece.
    if scanner.settings.n_layers > 1 or not fits_in_lanes(4 * n_z * n_x):
        return SORTED_BYTES
    # Rows are decoded by subset, and the first pass of MAP has subsets of its own.
    copies = 4 if is_penalised else 2
    return min(MAX_CACHED_BYTES, copies * DECODED_ROWS * BYTES_PER_DECODED * size.n_stored)


def planes_stored(scanner: DualHead) -> int:
    """Return the number of stored planes of each row, for all pairs of layers.

    Parameters
    ----------
    scanner
        panels with their image
    """
    s = scanner.settings
    # Unequal layers have no mirror symmetry, so all of their planes are stored.
    unequal = s.n_layers * (s.n_layers - 1) // 2
    return s.n_layers * n_stored_planes(s.n_planes) + unequal * s.n_planes


def estimate(
    protocol: DualHeadProtocol,
    scanner: DualHead,
    *,
    on: DeviceInfo,
    is_stored: bool = True,
    columns: int = 2,
    factors: bool = False,
    left: float = 1.0,
    scatter: bool = False,
) -> Requirements:
    """Return memory and time of a run.

    Parameters
    ----------
    protocol
        protocol of the run
    scanner
        panels of the histogram
    on
        device
    is_stored
        True if the response exists; otherwise the time includes its computation
    columns
        number of values of each line in the scan
    factors
        True if lines differ, so that sensitivities are not symmetric
    left
        fraction of the updates that remain
    scatter
        True if scatter in the object is simulated
    """
    scanner = protocol.grid.scanner_for(scanner)
    size, n_lines, image = (
        work(scanner, protocol.response),
        scanner.n_lors,
        4 * scanner.grid.n_voxels,
    )
    algorithm, response = protocol.algorithm, int(BYTES_PER_NONZERO * size.n_stored)
    subsets = algorithm.n_parts
    # Without factors, eight symmetries share one sensitivity, except in MAP.
    sensitivities = image * subsets // (1 if factors or algorithm.is_penalised else 8)
    more = PRIOR_IMAGES if protocol.prior.strength else 0
    images, gpu_images = (n + more for n in (IMAGES, GPU_IMAGES))
    memory = (
        BASE_BYTES
        + response
        + _decoded_bytes(scanner, size, is_penalised=algorithm.is_penalised)
        + n_lines * (4 * columns + BYTES_PER_LINE)
        + (images + algorithm.extra_images) * image
    )
    gpu = None
    if on.is_gpu:
        lines = n_lines * (GPU_BYTES_PER_LINE + GPU_STEP_BYTES / subsets)
        gpu = GpuRequirements(
            int(GPU_SAFETY * (lines + gpu_images * image)),
            int(GPU_SAFETY * (lines + gpu_images * image + sensitivities + response)),
            on.free_bytes,
            "the images and the lines",
            "response matrix and sensitivities",
        )
    # With several layers a GPU only projects; image and lines stay on the host.
    on_host = gpu is None or scanner.settings.n_layers > 1
    if on_host or (gpu is not None and gpu.streams):
        memory += sensitivities
    if on_host:
        memory += n_lines * STEP_BYTES / subsets
    rate = PRODUCTS_PER_SECOND_PER_THREAD * max(on.threads, 1)
    pass_s = size.n_products / (GPU_PRODUCTS_PER_SECOND if on.is_gpu else rate)
    if scatter:
        memory += n_lines * SCATTER_BYTES_PER_LINE
    stages = {
        "start": START_S,
        "read": n_lines / LINES_READ_PER_SECOND,
        "response": 0.0 if is_stored else build_seconds(protocol, scanner, on.threads),
        "kernels": KERNELS_S,
        **({"scatter": _scatter_seconds(protocol, n_lines, pass_s)} if scatter else {}),
        "sensitivity": pass_s,
        # Two panels need more iterations of MAP than rings, often all of them.
        "reconstruct": algorithm.n_passes * left * pass_s,
    }
    if protocol.error_replicates is not None:
        from engine.modalities.error_maps.needs import error_needs  # few runs have an error map

        seconds, passes, n = stages["reconstruct"], algorithm.n_passes, scanner.grid.n_voxels
        error = error_needs(protocol, n, seconds, passes=passes, has_shared_rays=False)
        memory, stages["errors"] = memory + error.memory_bytes, error.seconds
    free = free_memory()
    return Requirements(int(memory), free, stages, gpu, once="response")


def _scatter_seconds(protocol: DualHeadProtocol, n_lines: int, pass_s: float) -> float:
    """Return the time of all rounds: images of one iteration, and scatter of the lines [s]."""
    rounds = protocol.corrections.of(LineScatter).rounds
    return rounds * (PASSES_OF_ROUND * pass_s + n_lines / LINES_SCATTERED_PER_SECOND)


def build_seconds(protocol: DualHeadProtocol, scanner: DualHead, threads: int) -> float:
    """Return the time to compute a response [s].

    Parameters
    ----------
    protocol
        protocol with the settings of the response
    scanner
        panels with their image
    threads
        number of threads
    """
    s = scanner.settings
    n_rows = len(stored_orientations(s.n_rows, s.n_columns))
    points = n_rows * protocol.response.n_points * planes_stored(scanner)
    seconds = points / POINTS_PER_SECOND_PER_THREAD
    seconds += work(scanner, protocol.response).n_stored / PACKED_PER_SECOND_PER_THREAD
    return seconds / max(threads, 1)
