"""Subsets and iterations of each frame or gate, from its counts.

All frames make the same number of updates, so that a region over time does not change with them. A
frame with few counts has fewer subsets and more passes. If the protocol sets the passes, all frames
have the subsets of the frame with the fewest counts. If it sets the subsets, all frames have them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.modalities.fit_subsets import fewer_subsets, too_many_subsets
from engine.modalities.listmode_pet.protocol import ListModeProtocol
from engine.modalities.stages import Stage
from engine.protocols.run_context.context import RunContext
from engine.recon.algorithms import Algorithm, Osem
from engine.recon.algorithms.subsets import CountDemand


def fit_frames(
    context: RunContext[ListModeProtocol], before: Algorithm, demands: Sequence[CountDemand]
) -> Stage[tuple[Algorithm, ...]]:
    """Return the algorithm of each frame, and report it.

    Parameters
    ----------
    context
        run whose algorithm is fitted to the median frame
    before
        algorithm of the protocol
    demands
        counts of each frame, and counts that subsets and images need
    """
    found = frame_algorithms(before, context.protocol.algorithm, demands)
    least = min(demands, key=lambda each: each.n_counts)
    few = min(found, key=lambda each: each.n_subsets)
    text = fewer_subsets(before, few, least)
    if text:
        # One line for all frames: tens of frames would fill the report.
        most = max(each.n_subsets for each in found)
        others = f"frames have {few.n_subsets} to {most} subsets"
        yield context.log.applied("subsets", f"{others}; the frame with the fewest counts: {text}")
    n_few = sum(each.n_counts < each.for_image for each in demands)
    too_many = too_many_subsets(before, least)
    if too_many:
        yield context.log.warn(f"{too_many} This is the frame with the fewest counts.")
    if n_few:
        yield context.log.warn(
            f"{n_few} of {len(demands)} frames have few counts (minimum "
            f"{least.n_counts:,.0f}): an image of this field of view needs about "
            f"{least.for_image:,.0f} to show more than noise; choose longer frames."
        )
    return found


def frame_algorithms(
    before: Algorithm, fitted: Algorithm, demands: Sequence[CountDemand]
) -> tuple[Algorithm, ...]:
    """Return the algorithm of each frame.

    Parameters
    ----------
    before
        algorithm of the protocol
    fitted
        algorithm of the median frame
    demands
        counts of each frame, and counts that subsets and images need
    """
    # Only an open number of subsets can adapt to a frame.
    if before.is_penalised:
        # All frames have one strength, because a region over time would otherwise change with it.
        median = max(float(np.median([each.n_counts for each in demands])), 1.0)
        return tuple(before.for_counts(d).for_frame(d.n_counts / median) for d in demands)
    if not isinstance(before, Osem) or before.subsets is not None:
        return (fitted,) * len(demands)
    if before.iterations is not None:
        least = min(demands, key=lambda each: each.n_counts)
        return (before.for_counts(least),) * len(demands)
    # Equal numbers of updates give frames the same convergence.
    n_updates = fitted.n_iterations * fitted.n_subsets
    return tuple(before.for_counts(each, n_updates=n_updates) for each in demands)
