"""Memory and time that a dual-head run needs.

The response is not read for this. A plane of a row is the shadow of a crystal, W voxels wide,
drawn out along the way between the depths of detection: about W² + W (d_row + d_column) voxels.
Crystals that scatter widen it by some millimetres, the more the smaller the values that are kept.
Of L layers of crystals L pairs are stored by half of the planes and L (L − 1) / 2 by all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.core.backend.devices import DeviceInfo
from engine.corrections.histogram import LineScatter
from engine.geometry.dual_head import DualHead
from engine.geometry.dual_head_symmetry import n_stored_planes, stored_orientations
from engine.io.safety.budget import free_memory
from engine.kernels.matrix.memory import MOST_KEPT_BYTES, fits_in_lanes
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
"""Voxels cut by the edge of the shadow; part of the crystals' depth that counts."""
SPREAD_MM, SPREAD_FROM, SPREAD_FROM_BEHIND = 2.16, 0.05, 0.4
"""Millimetres by which crystals that scatter widen the shadow, for each factor of e by which the
smallest value kept is below a part of the largest: as counted of rows of DHAPET. In layers behind
the first one more photons were scattered before: as counted of the same in two layers."""
LEAST_STORED, MOST_SPREAD = 1e-5, 12.0
"""Below, nothing more is found; pitches that rows reach at most beyond the lines of their crystals,
six on either side."""
BYTES_PER_NONZERO = 4
"""Place and half-precision value."""
SORTED_BYTES = 1.5e8
"""Rows decoded for the kernels at a time, where they are not kept."""
BYTES_PER_DECODED, DECODED_ROWS = 12, 1.5
"""Place, value and group; rows that are decoded for each stored one, those interchanged besides."""
BYTES_PER_LINE = 4 * 4
"""Prompts and factors, with background and in subsets."""
STEP_BYTES = 4 * 4 + 2 * 8
"""For each line of a subset: expected counts, ratio, the pictures of both, logarithms."""
IMAGES = 10
"""Float32 images alive at once: iterate, shares, the copy by phases, sums, previews, filters."""
PRIOR_IMAGES = 12
"""Images that a prior among neighbours has besides: its weights, and what an update makes."""
PRODUCTS_PER_SECOND_PER_THREAD = 8.0e9
"""Non-zeros times lines, forward or back, on the CPU: half of the rate measured for DHAPET."""
POINTS_PER_SECOND_PER_THREAD, PACKED_PER_SECOND_PER_THREAD = 1.2e8, 5e6
"""Points integrated, in each plane, and non-zeros packed for a response that is not kept yet."""
GPU_PRODUCTS_PER_SECOND = 3e11
"""The same on a GPU: assumed, for a small card; the window corrects it by what it measures."""
GPU_IMAGES, GPU_BYTES_PER_LINE, GPU_STEP_BYTES = 10, 4 + 4, 4 * 4 + 8
"""Images; counts and background; for each line of a subset what a step needs besides."""
LINES_READ_PER_SECOND = 2e7
SCATTER_BYTES_PER_LINE = 4 * 4
"""Expected scatter and its weights, with background and in subsets once more."""
PASSES_OF_ROUND, LINES_SCATTERED_PER_SECOND = 3, 3e6
"""Forward, back and sensitivities of the image of a round; lines whose scatter is read."""
SMALLER = "choose larger voxels, thicker planes or more subsets"
SMALLER_IN_LAYERS = f"{SMALLER}, or combine all crystal layers"


class WorkEstimate(NamedTuple):
    """Size of a response.

    Attributes
    ----------
    n_stored : non-zeros that are stored
    n_products : non-zeros of all lines, all planes: products of a projection
    """

    n_stored: float
    n_products: float


def work(scanner: DualHead, response: AnalyticResponse) -> WorkEstimate:
    """Return the size of the response of a scanner, within some tens of per cent."""
    s = scanner.settings
    n, n_layers = s.voxels_per_pitch, s.n_layers
    sharp = s.crystal_mm / s.pitch_mm * n + EDGE_VOXELS
    wide = np.full(n_layers, sharp)
    if response.scatter:
        seen_from = np.where(np.arange(n_layers) > 0, SPREAD_FROM_BEHIND, SPREAD_FROM)
        spread_mm = SPREAD_MM * np.log(seen_from / max(response.threshold, LEAST_STORED))
        wide += n * np.clip(spread_mm / s.pitch_mm, 0.0, MOST_SPREAD)
    drawn = n * (s.thickness_mm / n_layers + s.plane_mm) / (s.separation_mm + s.thickness_mm)

    def per_plane(a: object) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        # a pair of layers has the mean of both of them
        steps = np.abs(np.asarray(a, np.float64)).sum(axis=1)
        found = (wide**2).mean() + wide.mean() * SEEN_DEPTH * drawn * steps
        return np.asarray(found, np.float64)

    stored = planes_stored(scanner) * per_plane(stored_orientations(s.n_rows, s.n_columns))
    table = scanner.orientations
    lines = table.n_shifts * per_plane(table.offsets)
    n_pairs = n_layers**2
    return WorkEstimate(float(stored.sum()), s.n_planes * n_pairs * float(lines.sum()))


def _decoded_bytes(scanner: DualHead, size: WorkEstimate) -> float:
    """Memory of rows as the processor's kernels read them, one way forward and another back."""
    n_z, _, n_x = scanner.grid.shape
    if scanner.settings.n_layers > 1 or not fits_in_lanes(4 * n_z * n_x):
        return SORTED_BYTES
    return min(MOST_KEPT_BYTES, 2 * DECODED_ROWS * BYTES_PER_DECODED * size.n_stored)


def planes_stored(scanner: DualHead) -> int:
    """Planes of each row that are stored, of all pairs of layers."""
    s = scanner.settings
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
    """Return what a histogram of `scanner`, with the protocol's image, needs.

    is_stored : True if the response is there; else the time has its computation in it
    columns : values of each line that the scan has
    factors : True if lines differ, so that sensitivities are not symmetric
    left : share of the updates still to do
    scatter : True if scatter in the object is simulated
    """
    scanner = protocol.grid.scanner_for(scanner)
    size, n_lines, image = (
        work(scanner, protocol.response),
        scanner.n_lors,
        4 * scanner.grid.n_voxels,
    )
    subsets, response = protocol.algorithm.n_subsets, int(BYTES_PER_NONZERO * size.n_stored)
    sensitivities = image * subsets // (1 if factors else 8)
    more = PRIOR_IMAGES if protocol.prior.strength else 0
    images, gpu_images = (n + more for n in (IMAGES, GPU_IMAGES))
    memory = (
        BASE_BYTES
        + response
        + _decoded_bytes(scanner, size)
        + n_lines * (4 * columns + BYTES_PER_LINE)
        + images * image
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
    # with several layers of crystals a GPU projects alone: image and lines stay on the host
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
        "reconstruct": protocol.algorithm.n_passes * left * pass_s,
    }
    free = free_memory()
    return Requirements(int(memory), free, stages, gpu, once="response")


def _scatter_seconds(protocol: DualHeadProtocol, n_lines: int, pass_s: float) -> float:
    """Return the time of the rounds: images of one iteration, and the scatter of lines."""
    rounds = protocol.corrections.of(LineScatter).rounds
    return rounds * (PASSES_OF_ROUND * pass_s + n_lines / LINES_SCATTERED_PER_SECOND)


def build_seconds(protocol: DualHeadProtocol, scanner: DualHead, threads: int) -> float:
    """Return the time that the computation of a response takes."""
    s = scanner.settings
    n_rows = len(stored_orientations(s.n_rows, s.n_columns))
    points = n_rows * protocol.response.n_points * planes_stored(scanner)
    seconds = points / POINTS_PER_SECOND_PER_THREAD
    seconds += work(scanner, protocol.response).n_stored / PACKED_PER_SECOND_PER_THREAD
    return seconds / max(threads, 1)
