"""What a run teaches about the time of the next one: a factor for each stage."""

from __future__ import annotations

from collections.abc import Mapping

from app.state.models.run_record import RunRecord
from engine.data.runs.events import Measured
from engine.modalities import Requirements

SPEED_BOUNDS = (0.02, 50.0)
COMPILED_ONCE = "kernels"
"""A stage that takes long the first time only."""
ITERATIONS = "reconstruct"
MATTERS_S = 0.3
"""A stage that neither is nor was foretold to be longer teaches nothing."""


def learnt_stages(
    ratios: Mapping[str, float], estimate: Requirements, record: RunRecord
) -> dict[str, float]:
    """Return the measured over the estimated time of the stages of a run, where it tells one.

    `ratios` are those known before. A stage that had less to do than was foretold tells nothing:
    one taken from a cache, or iterations that ended early.
    """
    least = estimate.least or estimate
    found = {}
    for stage in record.timings:
        least_s, most_s = least.stages.get(stage.stage, 0), estimate.stages.get(stage.stage, 0)
        if least_s > 0 and _tells(stage, most_s, record):
            before = ratios.get(stage.stage, 1.0)
            found[stage.stage] = learnt(before, stage.seconds, least_s, most_s)
    return found


def _tells(stage: Measured, estimate_s: float, record: RunRecord) -> bool:
    if stage.stage == COMPILED_ONCE or stage.figures.get("from_cache"):
        return False
    if stage.stage == ITERATIONS and record.ended_early:
        return False
    return max(stage.seconds, estimate_s) >= MATTERS_S


def learnt(ratio: float, measured_s: float, least_s: float, most_s: float) -> float:
    """Return the measured over the foretold time nearest to `ratio` that explains a run."""
    low, high = SPEED_BOUNDS
    explained = min(max(ratio, measured_s / most_s), measured_s / least_s)
    return min(max(explained, low), high)
