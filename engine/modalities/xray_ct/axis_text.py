"""Describe the axis of an X-ray scan and its source, for the record of the run."""

from __future__ import annotations

from collections.abc import Sequence

from engine.corrections.preprocess.rotation_axis import CentreOfRotation
from engine.data.projections import Projections
from engine.data.runs.record import RecordedCorrection


def axis_text(corrections: Sequence[RecordedCorrection], prepared: Projections) -> str:
    """Return the column of the axis after the steps, and its source, in words.

    Parameters
    ----------
    corrections
        results of the steps that ran
    prepared
        scan after these steps
    """
    # The summary of the step also states how the axis was found.
    rows = [row for row in corrections if row.kind == CentreOfRotation.kind]
    if rows and rows[-1].state == "applied":
        return rows[-1].text
    column = float(prepared.geometry.axis_column.mean())
    return f"axis at column {column:.2f}, from the geometry of the scan"
