"""Learn from a run how long the next one takes: a factor for each stage."""

from __future__ import annotations

from collections.abc import Mapping

from app.state.models.run_record import RunRecord
from engine.data.runs.events import Measured
from engine.modalities import Requirements

SPEED_BOUNDS = (0.02, 50.0)
COMPILED_ONCE = "kernels"
"""Stage that is slow only the first time, because kernels are compiled."""
ITERATIONS = "reconstruct"
MATTERS_S = 0.3
"""Stages with a shorter measured and estimated time are too noisy to learn from [s]."""


def learnt_stages(
    ratios: Mapping[str, float], estimate: Requirements, record: RunRecord
) -> dict[str, float]:
    """Return measured over estimated time of the stages of a run.

    A stage with less work than estimated is left out: one that came from a cache, or iterations
    that ended early.

    Parameters
    ----------
    ratios
        ratios known before, by stage
    estimate
        estimate before the run, without measured speeds
    record
        record of the finished run

    Returns
    -------
    new ratios by stage, only of stages that allow one
    """
    minimum = estimate.minimum or estimate
    found = {}
    for stage in record.timings:
        min_s, max_s = minimum.stages.get(stage.stage, 0), estimate.stages.get(stage.stage, 0)
        if min_s > 0 and _is_informative(stage, max_s, record):
            before = ratios.get(stage.stage, 1.0)
            found[stage.stage] = learnt(before, stage.seconds, min_s, max_s)
    return found


def _is_informative(stage: Measured, estimate_s: float, record: RunRecord) -> bool:
    if stage.stage == COMPILED_ONCE or stage.figures.get("from_cache"):
        return False
    if stage.stage == ITERATIONS and record.ended_early:
        return False
    return max(stage.seconds, estimate_s) >= MATTERS_S


def learnt(ratio: float, measured_s: float, min_s: float, max_s: float) -> float:
    """Return the ratio nearest to the old one that explains a run.

    Parameters
    ----------
    ratio
        ratio known before
    measured_s
        measured time of the stage [s]
    min_s, max_s
        range of the estimated time [s]

    Returns
    -------
    a ratio within `SPEED_BOUNDS`
    """
    low, high = SPEED_BOUNDS
    # If the measured time is within the estimated range, the old ratio stays.
    explained = min(max(ratio, measured_s / max_s), measured_s / min_s)
    # One run on a busy computer must not make all later estimates useless.
    return min(max(explained, low), high)
