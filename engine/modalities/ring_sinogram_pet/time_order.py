"""Find the order of the TOF bins of a sinogram from its counts.

Files number their TOF bins from one end of a line, from the other, or outwards from its middle, and
few state which. The counts show it: with the image x from the same counts without time of flight,

L(o) = Σ_jt y_jt log(A_j,o(t) x + g_jt)

is largest for the correct order o, by far more than its noise. The exception is an object that
looks the same from both ends of every line; then no order is better than another. Times of a sample
of lines suffice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import to_host
from engine.core.backend import Backend
from engine.data.sinogram import Sinogram
from engine.data.timing.timed_counts import TimedCounts
from engine.geometry.grid import ImageGrid
from engine.modalities.ring_sinogram_pet.model import build, rows_of, uniform_start
from engine.operators.rays import RayProjector, Rays
from engine.recon.model.counts import log_sum_of

LINES, COUNTS, SEED = 1_000_000, 200_000, 1
"""Largest number of lines for the image, and of timed counts for the decision.

Seed of the choice.
"""
UPDATES, SUBSETS, COARSE_MM = 16, 8, 8.0
MIN_GAIN = 12.0
"""Smallest gain over the next order; the probability of more by chance is below 10⁻⁵."""


@dataclass(frozen=True)
class TimeOrder:
    """Order of the TOF bins in a file.

    Attributes
    ----------
    text : description
    numbers : the file's number of each TOF bin, towards the second end of a line
    gain : gain of the log-likelihood over the next best order
    """

    text: str
    numbers: tuple[int, ...]
    gain: float

    @property
    def is_sure(self) -> bool:
        """True if the counts distinguish this order from the others."""
        return self.gain >= MIN_GAIN


def orders(n_times: int) -> dict[str, tuple[int, ...]]:
    """Return the possible orders by description, without duplicates.

    Parameters
    ----------
    n_times
        number of TOF bins

    Returns
    -------
    orders
        for each, the file's numbers of the TOF bins towards the second crystal
    """
    rising = tuple(range(n_times))
    outwards = tuple(int(k) for k in np.argsort(_outwards(n_times)))
    named = {
        "towards the second crystal": rising,
        "towards the first crystal": rising[::-1],
        "outwards, first towards the second crystal": outwards,
        "outwards, first towards the first crystal": outwards[::-1],
    }
    # With one or two bins some orders are equal; the first description is kept.
    first = {numbers: text for text, numbers in reversed(named.items())}
    return {text: numbers for text, numbers in named.items() if first[numbers] == text}


def _outwards(n_times: int) -> list[int]:
    """Return the positions 0, +1, −1, +2, −2, ... of the TOF bins of a file."""
    return [(k + 1) // 2 * (1 if k % 2 else -1) for k in range(n_times)]


def found_order(data: Sinogram, grid: ImageGrid, *, on: Backend) -> TimeOrder:
    """Return the order of TOF bins that explains the counts best.

    Parameters
    ----------
    data
        usable counts with factors and background
    grid
        grid of the image
    on
        device
    """
    timed = data.timed
    if timed is None:
        raise TypeError(
            "the order of TOF bins cannot be estimated because the sinogram contains no TOF "
            "information; load a TOF sinogram."
        )
    # The image must not use the times whose order is in question.
    image, coarse = _image(data, grid, on)
    rows = _sample(len(timed.counts), COUNTS)
    scores = {}
    for text, numbers in orders(timed.n_times).items():
        scores[text] = _score(data, timed, rows, numbers, image, coarse, on)
    best, *others = sorted(scores, key=scores.__getitem__, reverse=True)
    gain = scores[best] - scores[others[0]]
    return TimeOrder(best, orders(timed.n_times)[best], gain)


def _image(data: Sinogram, grid: ImageGrid, on: Backend) -> tuple[NDArray[np.float32], ImageGrid]:
    """Return the image of the counts without time of flight, on coarse voxels."""
    coarse = coarser(grid)
    lines = rows_of(data)
    sampled = np.zeros(data.layout.n_bins, np.float32)
    # Factors of 0 exclude a line everywhere: from counts, background and sensitivity.
    sampled[lines[_sample(len(lines), LINES)]] = 1
    factors = sampled if data.factors is None else data.factors * sampled
    still = replace(data, timed=None, factors=factors, prompts=data.prompts * sampled)
    if data.background is not None:
        still = replace(still, background=data.background * sampled)
    model = build(still, coarse, n_subsets=SUBSETS, on=on)
    x = uniform_start(still, coarse, model)
    loop = model.em_loop(x, SUBSETS)
    for update in range(UPDATES):
        loop.update(update % SUBSETS)
    return to_host(loop.snapshot()()), coarse


def coarser(grid: ImageGrid) -> ImageGrid:
    """Return a grid over the same box with voxels of at least `COARSE_MM`.

    Parameters
    ----------
    grid
        grid of the image
    """
    # TOF distinguishes centimetres, so small voxels would only cost time.
    dx, dy, dz = (max(mm, COARSE_MM) for mm in grid.voxel_mm)
    wide, deep, long = grid.size_mm
    shape = (math.ceil(long / dz), math.ceil(deep / dy), math.ceil(wide / dx))
    return ImageGrid(shape, (dx, dy, dz), grid.centre_mm)


def _score(
    data: Sinogram,
    timed: TimedCounts,
    rows: NDArray[np.int64],
    numbers: Sequence[int],
    image: NDArray[np.float32],
    grid: ImageGrid,
    on: Backend,
) -> float:
    """Return the log-likelihood of these timed counts in an order, up to a constant."""
    place = np.argsort(numbers).astype(np.int16)
    bins = timed.bins[rows].astype(np.int64)
    rays = Rays(data.layout.points_mm, data.layout.ends_of(bins), place[timed.times[rows]])
    expected = to_host(RayProjector(rays, grid, on=on, tof=data.scanner.tof)(image))
    if data.factors is not None:
        expected = expected * data.factors[bins]
    if timed.background is not None:
        expected = expected + timed.background[rows]
    # The coarse image lacks some activity; the floor keeps a single count from deciding.
    floor = 1e-3 * float(expected.mean())
    return log_sum_of(expected + floor, timed.counts[rows])[0]


def _sample(n: int, max_size: int) -> NDArray[np.int64]:
    """Return ascending numbers below n: all, or a seeded selection."""
    if n <= max_size:
        return np.arange(n)
    return np.sort(np.random.default_rng(SEED).choice(n, max_size, replace=False))
