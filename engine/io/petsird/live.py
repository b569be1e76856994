"""Live times of a PETSIRD file: their mean weights the lines, their changes the time frames."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.data.timing.live_time import LiveTimes
from engine.io.petsird.blocks import Blocks
from engine.io.petsird.efficiencies import crystal_efficiencies, of_bins

OfBins = list[NDArray[np.float32]]
"""A value of each detection bin, by type of module: (n_crystals, n_energies)."""


def live_of_blocks(blocks: Blocks, path: Path) -> list[OfBins]:
    """Return what each block says, in the order of the file."""
    return [
        of_bins(said["singlesAliveTimeFractions"], blocks.geometry, path, "live times")
        for _, _, said in blocks.alive
    ]


def mean_live(blocks: Blocks, live: Sequence[OfBins]) -> tuple[OfBins | None, tuple[str, ...]]:
    """Return the mean over the scan, and what is not used of it."""
    if not live:
        return None, ()
    lengths = [stop - start for start, stop, _ in blocks.alive]
    total = sum(lengths) or len(lengths)
    sums = [
        sum((ms or 1) * one for ms, one in zip(lengths, of_type, strict=True))
        for of_type in zip(*live, strict=True)
    ]
    mean = [np.asarray(each / total, np.float32) for each in sums]
    if any(row for _, _, said in blocks.alive for row in said["modulePairAliveTimeFractions"]):
        return mean, ("Live times of module pairs are not used; those of crystals are used.",)
    return mean, ()


def live_times(
    blocks: Blocks, live: Sequence[OfBins], bins: OfBins, mean: OfBins | None, crystals: Array
) -> LiveTimes | None:
    """Return how live times change during the scan; None where they do not.

    Parameters
    ----------
    blocks
        that say them
    live
        what they say
    bins
        efficiencies of detection bins, by which energies of a crystal are weighted
    mean
        over the scan
    crystals
        (n, 2) of all events
    """
    if mean is None or len(live) < 2:
        return None
    whole = crystal_efficiencies(_product(bins, mean))
    counts = np.bincount(crystals.ravel(), minlength=len(whole))
    weights = np.where(whole > 0, counts, 0)
    if not weights.any():
        return None
    parts = [
        np.divide(found, whole, out=np.zeros(len(whole)), where=whole > 0)
        for found in (crystal_efficiencies(_product(bins, each)) for each in live)
    ]
    first_ms = min(start for start, _ in blocks.spans_ms)
    return LiveTimes.of([start - first_ms for start, _, _ in blocks.alive], parts, weights)


def _product(one: OfBins, other: OfBins) -> OfBins:
    return [a * b for a, b in zip(one, other, strict=True)]
