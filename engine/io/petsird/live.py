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
"""One value for each detection bin, by module type: (n_crystals, n_energies)."""


def live_of_blocks(blocks: Blocks, path: Path) -> list[OfBins]:
    """Return the live fractions in each block, in the order of the file.

    Parameters
    ----------
    blocks
        all blocks
    path
        file, for messages
    """
    return [
        of_bins(said["singlesAliveTimeFractions"], blocks.geometry, path, "live times")
        for _, _, said in blocks.alive
    ]


def mean_live(blocks: Blocks, live: Sequence[OfBins]) -> tuple[OfBins | None, tuple[str, ...]]:
    """Return the mean live fractions over the scan, and notes.

    Parameters
    ----------
    blocks
        all blocks
    live
        live fractions of each block

    Returns
    -------
    mean, notes
        None if the file states no live times
    """
    if not live:
        return None, ()
    lengths = [stop - start for start, stop, _ in blocks.alive]
    total = sum(lengths) or len(lengths)
    sums = [
        # Weighted by length. Blocks of length 0 count equally if the file states no lengths at all.
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
    """Return the changes of live times during the scan.

    Parameters
    ----------
    blocks
        blocks with live times
    live
        live fractions of each block
    bins
        efficiencies of detection bins, which weight the energies of a crystal
    mean
        mean live fractions over the scan
    crystals
        (n, 2) crystals of all events

    Returns
    -------
    live
        None if they do not change
    """
    if mean is None or len(live) < 2:
        return None
    whole = crystal_efficiencies(_product(bins, mean))
    counts = np.bincount(crystals.ravel(), minlength=len(whole))
    # Weighted by events, because crystals that detect more matter more for a frame.
    weights = np.where(whole > 0, counts, 0)
    if not weights.any():
        return None
    parts = [
        np.divide(found, whole, out=np.zeros(len(whole)), where=whole > 0)
        # Relative to the mean, which the efficiencies already contain.
        for found in (crystal_efficiencies(_product(bins, each)) for each in live)
    ]
    first_ms = min(start for start, _ in blocks.spans_ms)
    return LiveTimes.of([start - first_ms for start, _, _ in blocks.alive], parts, weights)


def _product(one: OfBins, other: OfBins) -> OfBins:
    return [a * b for a, b in zip(one, other, strict=True)]
