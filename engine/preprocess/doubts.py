"""What the steps found in a scan that makes its picture doubtful, though nothing failed."""

from __future__ import annotations

from engine.data.projections import Projections
from engine.preprocess.bad_pixels import BadPixels
from engine.preprocess.base import percent

MOST_REPLACED = 0.05
"""Share of the values that neighbours may stand for without a word."""


def doubts(projections: Projections) -> tuple[str, ...]:
    """Return a sentence for each thing worth a warning in projections after their steps."""
    facts = projections.info.get(BadPixels.kind, {})
    n_replaced = facts.get("unmeasured", 0) + facts.get("outliers", 0)
    if n_replaced <= MOST_REPLACED * projections.values.size:
        return ()
    return (
        f"{percent(n_replaced, projections.values.size)} of the values are saturated, defective or "
        "outliers and were guessed from their neighbours; scan again with less exposure, or "
        "crop the detector to what it measured.",
    )
