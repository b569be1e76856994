"""List-mode sensitivity: the expected counts of each voxel over all lines of response.

s_n = Σ over all lines i of n_i a_i A_in  [mm], time-of-flight bins summed.

For a ring, s = s0 · r: s0 is the exact image of the lines without a body (`ring_sensitivity`), r
the ratio of sums over the same sampled lines with and without it (`body_ratio`).

All lines are traced for other scanners, for line factors that do not depend on rings, places and
classes only, and if the user asks for it. Alternatively, evenly distributed samples are traced in
batches with a random shift each (Cranley & Patterson, SIAM J Numer Anal 13 (1976) 904): s = (n_lors
/ m) Σ over the m sampled lines. The spread of the batches gives the standard error of each voxel.
If symmetries map scanner and grid onto themselves and nothing attenuates, a batch is averaged over
them: one line then counts for sixteen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import module_of
from engine.core.backend import Backend
from engine.core.backend.gpu import Array
from engine.data.line_factors import crystal_product, live_lines
from engine.data.listmode import ListMode
from engine.geometry.grid import ImageGrid
from engine.geometry.sampling import stratified
from engine.geometry.symmetry import IDENTITY, Mirror, symmetries, symmetrise
from engine.modalities.listmode_pet.body_ratio import ratio_of
from engine.modalities.listmode_pet.protocol import SensitivitySettings
from engine.modalities.listmode_pet.ring_sensitivity import exact_image
from engine.modalities.listmode_pet.ring_weights import RingWeights
from engine.modalities.listmode_pet.sampling_effort import (
    BATCH,
    BATCH_ON_GPU,
    EXACT_BELOW,
    LINES_PER_EVENT,
    MAX_AT_ONCE,
    MAX_LINES_PER_EVENT,
    MIN_BATCHES,
    TRACED_BELOW,
    VOXELS_PER_LINE,
)
from engine.operators.rays import RayProjector, Rays

VOXELS_AT_ONCE = 2**24
"""Number of voxels whose errors are computed at once."""

OnProgress = Callable[[int, int], None]
Trace = Callable[[Array], Array]


@dataclass(frozen=True)
class Sensitivity:
    """Sensitivity image with its standard error.

    Attributes
    ----------
    image : (n_z, n_y, n_x) float32 [mm]
    n_lors : number of lines of response of the scanner
    n_traced : number of lines that were traced, or sampled for the ratio
    error_percent : standard error, median over the voxels that are seen; 0 if exact
    is_ratio : True if it is exact except for a sampled ratio of body and uneven crystals
    """

    image: NDArray[np.float32]
    n_lors: int
    n_traced: int
    error_percent: float
    is_ratio: bool = False

    def describe(self) -> str:
        """Return method and error as a clause with numbers."""
        if self.is_ratio:
            return (
                f"exact over all {self.n_lors:,} lines of response, multiplied by the "
                f"losses in body and crystals from a sample of {self.n_traced:,} "
                f"lines, standard error {self.error_percent:.1f} %"
            )
        if self.n_traced == self.n_lors:
            return f"exact, over all {self.n_lors:,} lines of response"
        return (
            f"sampled from {self.n_traced:,} of {self.n_lors:,} lines of response, "
            f"standard error {self.error_percent:.1f} %"
        )


def compute_sensitivity(
    data: ListMode,
    grid: ImageGrid,
    settings: SensitivitySettings,
    *,
    on: Backend,
    reproducible: bool = False,
    on_progress: OnProgress | None = None,
) -> Sensitivity:
    """Return the sensitivity of a scan.

    Lines that are traced one by one stay on the device; only the finished image is copied back.

    Parameters
    ----------
    data
        scan with its scanner and line factors
    grid
        grid of the image
    settings
        method, error and seed
    on
        device
    reproducible
        True for the same bits on any device
    on_progress
        called with the work done and in total; may raise to stop
    """
    # Fewer lines are traced faster than the tables of a ring are built.
    if settings.method != "exact" and data.scanner.n_lors > TRACED_BELOW:
        found = _of_ring(data, grid, settings, on=on, on_progress=on_progress)
        if found is not None:
            return found
    there = _on_device(data, on)
    batch = BATCH_ON_GPU if on.is_cuda and not reproducible else BATCH

    def trace(numbers: Array) -> Array:
        return back_project(there, grid, numbers, on=on, reproducible=reproducible)

    n_lors = data.scanner.n_lors
    wanted = max(EXACT_BELOW, LINES_PER_EVENT * data.n_events)
    exact = settings.method == "exact" or (settings.method == "auto" and n_lors <= wanted)
    if exact:
        return _exact(trace, n_lors, grid, batch, on=on, on_progress=on_progress)
    # More lines than the noise of the events justifies would only cost time.
    enough = min(n_lors, LINES_PER_EVENT * data.n_events)
    most = n_lors if settings.method == "sampled" else MAX_LINES_PER_EVENT * data.n_events
    most = max(most, EXACT_BELOW)
    mirrors = _symmetries(data, grid)

    def trace_evenly(numbers: Array) -> Array:
        return symmetrise(trace(numbers), mirrors)

    lines = min(max(batch, grid.n_voxels // VOXELS_PER_LINE), n_lors)
    sampling = (lines, enough, most)
    found = _sampled(trace_evenly, n_lors, grid, sampling, settings, on=on, on_progress=on_progress)
    # The user asked for an error, so it is reached even if it takes all lines.
    if settings.method == "sampled" and found.error_percent > settings.error_percent:
        # A sample with this error would trace more lines than there are.
        return _exact(trace, n_lors, grid, batch, on=on, on_progress=on_progress)
    return found


def _of_ring(
    data: ListMode,
    grid: ImageGrid,
    settings: SensitivitySettings,
    *,
    on: Backend,
    on_progress: OnProgress | None,
) -> Sensitivity | None:
    """Return the sensitivity of a ring.

    None for other scanners, or if too few lines were sampled.
    """
    weights = RingWeights.of(data)
    if weights is None:
        return None
    n_lors, image = data.scanner.n_lors, exact_image(weights, grid, threads=on.threads)
    # Without body and with even crystals the ratio is exactly 1.
    if weights.mu_map is None and weights.crystals is None:
        if on_progress is not None:
            on_progress(n_lors, n_lors)
        return Sensitivity(image, n_lors, n_lors, 0.0)
    wanted = settings.error_percent
    # The exact part has no noise, so only the ratio needs samples.
    left = ratio_of(
        weights, grid, threads=on.threads, error_percent=wanted, on_progress=on_progress
    )
    if left.error_percent > settings.error_percent:
        return None
    return Sensitivity(image * left.values, n_lors, left.n_lines, left.error_percent, is_ratio=True)


def _on_device(data: ListMode, on: Backend) -> ListMode:
    """Return the data with the tables of the line factors on the device."""
    return replace(data, line_factors=tuple(f.on_device(on) for f in data.line_factors))


def _symmetries(data: ListMode, grid: ImageGrid) -> tuple[Mirror, ...]:
    # The coincidence rule of some scanners is not symmetric, even if their crystals are.
    if not data.scanner.rule_is_even:
        return (IDENTITY,)
    weights = crystal_product(data.line_factors, data.scanner)
    return (IDENTITY,) if weights is None else symmetries(data.scanner.positions_mm, weights, grid)


def back_project(
    data: ListMode,
    grid: ImageGrid,
    numbers: Array,
    *,
    on: Backend,
    reproducible: bool = False,
) -> Array:
    """Return Σ n a A over some lines, on the device.

    Parameters
    ----------
    data
        scan with line factors on the device
    grid
        grid of the image
    numbers
        numbers of the lines
    on
        device
    reproducible
        True for integer sums

    Returns
    -------
    image
        (n_z, n_y, n_x) float32 [mm]
    """

    def part(start: int) -> Array:
        lines = numbers[start : start + MAX_AT_ONCE]
        return _part(data, grid, lines, on=on, reproducible=reproducible)

    image = part(0)
    for start in range(MAX_AT_ONCE, len(numbers), MAX_AT_ONCE):
        image += part(start)
    return image


def _part(
    data: ListMode, grid: ImageGrid, numbers: Array, *, on: Backend, reproducible: bool
) -> Array:
    scanner = data.scanner
    crystals = scanner.lors(numbers)
    crystals, weights = live_lines(
        data.line_factors,
        crystals[scanner.in_coincidence(crystals)],
        scanner,
        on=on,
        reproducible=reproducible,
    )
    A = RayProjector(Rays(scanner.positions_mm, crystals), grid, on=on, reproducible=reproducible)
    return A.T(on.to_device(weights))


def _exact(
    trace: Trace,
    n_lors: int,
    grid: ImageGrid,
    batch: int,
    *,
    on: Backend,
    on_progress: OnProgress | None,
) -> Sensitivity:
    # float64, because thousands of batches are added.
    total = on.xp.zeros(grid.shape, np.float64)
    for start in range(0, n_lors, batch):
        stop = min(start + batch, n_lors)
        total += trace(on.xp.arange(start, stop, dtype=np.int64))
        if on_progress is not None:
            on_progress(stop, n_lors)
    return Sensitivity(on.to_host(total.astype(np.float32)), n_lors, n_lors, 0.0)


def _sampled(
    trace: Trace,
    n_lors: int,
    grid: ImageGrid,
    sampling: tuple[int, int, int],
    settings: SensitivitySettings,
    *,
    on: Backend,
    on_progress: OnProgress | None,
) -> Sensitivity:
    """Add batches until the error is small enough.

    Parameters
    ----------
    trace
        function from line numbers to an image
    n_lors
        number of lines of response of the scanner
    grid
        grid of the image
    sampling
        lines of a batch, lines that suffice, largest number of lines
    settings
        error and seed
    on
        device
    on_progress
        called with the work done and in total; may raise to stop
    """
    rng = np.random.default_rng(settings.seed)
    n, enough, most = sampling
    total, squares = on.xp.zeros(grid.shape), on.xp.zeros(grid.shape)
    n_batches, error, needed = 0, np.inf, max(MIN_BATCHES * n, enough)
    while n_batches < MIN_BATCHES or n_batches * n < needed:
        _add(trace(on.to_device(stratified(n_lors, n, rng))), total, squares)
        n_batches += 1
        if n_batches >= MIN_BATCHES:
            error = _median_error(total, squares, n_batches)
            # The error falls with the square root of the number of lines.
            wanted = int(n_batches * n * (error / settings.error_percent) ** 2)
            needed = min(max(enough, wanted), most)
        if on_progress is not None:
            on_progress(n_batches * n, max(needed, n_batches * n))
    traced = n_batches * n
    image = on.to_host((total * (n_lors / traced)).astype(np.float32))
    return Sensitivity(image, n_lors, traced, error)


def _add(batch: Array, total: Array, squares: Array) -> None:
    """Add a batch and its square to the sums."""
    batch = batch.astype(np.float64)
    total += batch
    squares += batch * batch


def _median_error(total: Array, squares: Array, n: int) -> float:
    """Return the relative standard error [%], median over the voxels that are seen."""
    xp, (n_z, n_y, n_x) = module_of(total), total.shape
    n_planes = max(1, VOXELS_AT_ONCE // (n_y * n_x))
    starts = range(0, n_z, n_planes)
    slabs = ((total[z : z + n_planes], squares[z : z + n_planes]) for z in starts)
    errors = xp.concatenate([_errors(*slab, n) for slab in slabs])
    return 100 * float(xp.median(errors)) if errors.size else 0.0


def _errors(total: Array, squares: Array, n: int) -> Array:
    """Return the relative standard errors of the voxels that are seen."""
    xp, seen = module_of(total), total > 0
    mean = total[seen] / n
    # Rounding can make a tiny variance negative.
    variance = xp.maximum(squares[seen] / n - mean * mean, 0) / (n - 1)
    return xp.sqrt(variance) / mean
