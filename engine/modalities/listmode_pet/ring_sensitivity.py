"""Exact sensitivity of a ring scanner without a body: the sum over all lines.

s_n = Σ_i u_r1 u_r2 v_p1 v_p2 g(Δ, |t|) m(p, |t|) A_in

Lines that differ only in their rings are added together (`engine.kernels.rays.ring_sums`). Of
transaxial lines that symmetries of scanner and grid map onto each other, only one is computed, and
the image is then averaged over the symmetries.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.geometry.grid import ImageGrid
from engine.geometry.symmetry import IDENTITY, Mirror, moved, symmetries, symmetrise
from engine.kernels.blocks import run_blocks
from engine.kernels.rays.ring_sums import N_NODES, RingPairs, TransaxialLines, add_lines, tabulate
from engine.modalities.listmode_pet.ring_weights import EVEN, RingWeights, Values

TABLE_BYTES = 1 << 25
"""Memory for the tables of a thread."""
CLASSES_AT_ONCE = 8
"""Number of line classes that share a table, which is larger than a CPU core's cache."""
Whole = NDArray[np.int64]


def exact_image(weights: RingWeights, grid: ImageGrid, *, threads: int) -> NDArray[np.float32]:
    """Return s of all lines, with the same bits for any number of threads.

    Parameters
    ----------
    weights
        weights of the lines
    grid
        grid of the image
    threads
        number of threads

    Returns
    -------
    exact_image
        (n_z, n_y, n_x) float32 [mm]
    """
    scanner = weights.scanner
    mirrors: tuple[Mirror, ...] = (IDENTITY,)
    # Interference of crystals depends on their position in the block, which breaks symmetries.
    if weights.interference is None:
        of_crystals = np.outer(weights.rings, weights.places).ravel()
        mirrors = symmetries(scanner.positions_mm, of_crystals, grid)
    lines, pairs = _lines(weights, grid, mirrors), _pairs(weights, grid)
    n_z, n_y, n_x = grid.shape
    # The other half of an image that is its own mirror image is known.
    n_summed = -(-n_z // 2) if _is_even(weights, grid) else n_z
    n_differences = len(weights.classes)
    image = np.empty(grid.shape, np.float64)
    # Tables of a slab must fit in the cache of a core, so slabs are thin.
    per_slab = 8 * n_differences * (N_NODES + 1)
    n_slabs = max(1, min(-(-n_summed // threads), TABLE_BYTES // per_slab))

    def work(_: int, start: int, stop: int) -> None:
        table = np.zeros((n_differences, N_NODES + 1, stop - start))
        tabulate(pairs, start, table)
        sums = np.zeros((n_y, n_x, stop - start))
        storage = np.empty((2, stop - start))
        add_lines(lines, table, np.empty((CLASSES_AT_ONCE, *table.shape[1:])), storage, sums)
        image[start:stop] = sums.transpose(2, 0, 1)

    # Threads share slabs, not lines: each voxel is summed by one thread, in one order.
    run_blocks(work, n_summed, threads, rows=n_slabs)
    image[n_summed:] = image[: n_z - n_summed][::-1]
    return symmetrise(image, mirrors).astype(np.float32)


def _is_even(weights: RingWeights, grid: ImageGrid) -> bool:
    """Return True if rings, weights and slabs are symmetric about the middle of the axis."""
    rings = weights.rings
    return grid.centre_mm[2] == 0 and bool((np.abs(rings - rings[::-1]) <= EVEN * rings).all())


def _pairs(weights: RingWeights, grid: ImageGrid) -> RingPairs:
    """Return the pairs of rings, in slabs of the grid."""
    first, second = weights.scanner.ring_pairs.T
    s = weights.scanner.settings
    z_mm = (np.arange(s.n_rings) - (s.n_rings - 1) / 2) * s.ring_pitch_mm
    slabs = (z_mm - grid.centre_mm[2]) / grid.voxel_mm[2] + 0.5 * grid.shape[0]
    product = weights.rings[first] * weights.rings[second]
    live = product > 0
    first, second = first[live], second[live]
    differences = np.abs(first - second).astype(np.int64)
    return RingPairs(slabs[first], slabs[second], differences, product[live])


def _lines(weights: RingWeights, grid: ImageGrid, mirrors: tuple[Mirror, ...]) -> TransaxialLines:
    """Return one line of each orbit of transaxial lines, sorted by distance from the axis."""
    scanner, s = weights.scanner, weights.scanner.settings
    n = s.n_crystals_per_ring
    view, bin = np.divmod(np.arange(scanner.n_views * s.n_tangential), s.n_tangential)
    t = bin - s.n_tangential // 2
    ends, off = np.stack(scanner.places(view, t)), np.abs(t)
    # Lines with a dead end add nothing, and are left out before the symmetries.
    products = weights.places[ends[0]] * weights.places[ends[1]]
    if weights.interference is not None:
        _, _, place = scanner.line_classes(ends.T)
        products = products * weights.interference[place, off]
    live = products > 0
    ends, off, products = ends[:, live], off[live], products[live]
    rows, counts = _orbits(ends, scanner.positions_mm[:n], mirrors)
    ends, off, products = ends[:, rows], off[rows], products[rows] * counts
    # Lines at the same distance share a table of lengths and weights.
    order = np.argsort(off, kind="stable")
    ends, off = ends[:, order], off[order]
    low_mm = np.array(grid.centre_mm) - 0.5 * np.array(grid.size_mm)
    pixels = (scanner.positions_mm[:n, :2] - low_mm[:2]) / np.array(grid.voxel_mm[:2])
    starts = np.searchsorted(off, np.arange(weights.classes.shape[1] + 1))
    flat = np.ascontiguousarray(np.concatenate([pixels[ends[0]], pixels[ends[1]]], axis=1))
    return TransaxialLines(flat, products[order], starts, _factors(weights))


def _factors(weights: RingWeights) -> Values:
    """Return g √(D² + (Δ p)²), (n_off, n_apart) [mm]."""
    s = weights.scanner.settings
    n_differences, n_off = weights.classes.shape
    chord = 2 * s.radius_mm * np.cos(np.pi * np.arange(n_off) / s.n_crystals_per_ring)
    length = np.hypot(chord[:, None], np.arange(n_differences) * s.ring_pitch_mm)
    return np.ascontiguousarray(weights.classes.T * length)


def _orbits(ends: Whole, points_mm: Values, mirrors: tuple[Mirror, ...]) -> tuple[Whole, Whole]:
    """Return one line of each set that symmetries map onto each other, and the size of the set."""
    n = len(points_mm)
    least = np.full(ends.shape[1], n * n)
    for mirror in {(swap, (x, y, 1)) for swap, (x, y, _) in mirrors}:
        one, other = _places(moved(points_mm, mirror), points_mm)[ends]
        least = np.minimum(least, np.minimum(one, other) * n + np.maximum(one, other))
    first, counts = np.zeros(n * n, np.int64), np.bincount(least, minlength=n * n)
    # Written in reverse order, so that the first line of a set remains.
    first[least[::-1]] = np.arange(len(least))[::-1]
    orbits = np.flatnonzero(counts)
    return first[orbits], counts[orbits]


def _places(wanted_mm: Values, points_mm: Values) -> Whole:
    """Return the nearest places on the ring, where place 0 is at the first angle."""
    n = len(points_mm)
    turn = np.arctan2(wanted_mm[:, 1], wanted_mm[:, 0])
    turn -= np.arctan2(points_mm[0, 1], points_mm[0, 0])
    return np.round(turn * n / (2 * np.pi)).astype(np.int64) % n
