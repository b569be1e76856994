"""Slices for several values of the rotation axis or of the detector roll.

Each candidate is a look with the protocol in which the value stands, so that picture, label and
what a run with this value does cannot part.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.core.backend import Backend
from engine.core.errors import DataError, SettingsError
from engine.core.json_types import Plain
from engine.corrections.preprocess import CentreOfRotation, Roll
from engine.corrections.preprocess.parameter_sweep import SCORES, Candidate, Estimate, Score, lowest
from engine.corrections.preprocess.rotation_axis import NOT_FOUND
from engine.data.projections import Projections
from engine.modalities.xray_ct.preview import SlicePreview
from engine.modalities.xray_ct.protocol import CtProtocol
from engine.recon.filtering.redundancy import coverage

Of = str
"""Key of a parameter: "axis" or "roll"."""
OnProgress = Callable[[int, int], None]

STEPS: dict[Of, float] = {"axis": 0.5, "roll": 0.25}
"""From one candidate to the next [columns, degrees]."""
BEST: dict[Score, str] = {
    "sharpness": "sharpest slice",
    "negativity": "slice with the fewest negative values",
    "entropy": "slice with the clearest histogram",
}
UNITS: dict[Of, str] = {"axis": "pixels", "roll": "°"}
SET: dict[Of, tuple[str, str]] = {
    "axis": (CentreOfRotation.kind, CentreOfRotation.sought),
    "roll": (Roll.kind, "degrees"),
}
"""Step and setting that hold the value."""
N_CANDIDATES, FEWEST, MOST = 9, 3, 99
OFF_MIDDLE = 0.3
"""Heights of the slices that show a roll, of the volume's, above and below its middle: the middle
itself hardly moves."""


def candidates(
    scan: Projections,
    protocol: CtProtocol,
    *,
    of: Of,
    on: Backend,
    around: float | None = None,
    step: float | None = None,
    n: int = N_CANDIDATES,
    score: Score | None = None,
    on_progress: OnProgress = lambda done, total: None,
) -> Estimate:
    """Reconstruct slices with each of the values.

    The best is what a run finds in the scan itself; where it finds nothing, and for a roll, the
    value with the best score.

    Parameters
    ----------
    scan, protocol
        scan and protocol of a run
    of
        "axis", the column of the rotation axis, from 0: the central slice; or "roll", the turn of
        the detector in its plane: a slice above the middle and one below, side by side
    on
        threads
    around
        middle of the values, what a run would take if None [columns or degrees]
    step, n
        from one value to the next, and how many
    score
        score of a slice, lower is better; None: chosen by the angular range
    on_progress
        called with the slices done and the slices in all; may raise to stop
    """
    step = STEPS[of] if step is None else step
    if not (FEWEST <= n <= MOST and np.isfinite(step) and step > 0):
        raise SettingsError(
            f"{n} candidates with a step of {step:g}, expected "
            f"{FEWEST} to {MOST} candidates and a step other than 0."
        )
    slice_preview = SlicePreview(scan, on=on)
    prepared = slice_preview.prepared(protocol)
    start = _start(prepared, protocol, of)
    middle = start if around is None else around
    tried = [round(middle + (k - (n - 1) / 2) * step, 6) for k in range(n)]
    if of == "roll":
        _expect_rows_for(tried, scan.shape)
    rated_by: Score = score or _suited(prepared)
    rate = SCORES[rated_by]
    slices = _slices(slice_preview, protocol, of)
    found = []
    for k, value in enumerate(tried):
        images = [_image(slice_preview, with_value(each, of, value)) for each in slices]
        bad = float(np.mean([rate(image) for image in images]))
        found.append(Candidate(value, bad, np.concatenate(images, axis=1)))
        on_progress(k + 1, n)
    method = prepared.info.get(CentreOfRotation.kind, {}).get("method", NOT_FOUND)
    if of == "roll" or score is not None or method == NOT_FOUND:
        scores = np.array([one.score for one in found], np.float64)
        start = lowest(np.asarray(tried, np.float64), scores)
        method = BEST[rated_by]
    return Estimate(start, method, UNITS[of], tuple(found), rated_by)


def with_value(protocol: CtProtocol, of: Of, value: float) -> CtProtocol:
    """Return the protocol in which the axis or the roll has this value."""
    kind, key = SET[of]
    step = getattr(protocol.steps, kind).model_copy(update={"use": "on", key: float(value)})
    return protocol.model_copy(update={"steps": protocol.steps.model_copy(update={kind: step})})


def _start(prepared: Projections, protocol: CtProtocol, of: Of) -> float:
    """Return what a run takes."""
    if of == "roll":
        kind, key = SET[of]
        return float(getattr(getattr(protocol.steps, kind), key) or 0.0)
    return round(float(prepared.geometry.axis_column.mean()), 2)


def _expect_rows_for(degrees: list[float], shape: tuple[int, int, int]) -> None:
    """Refuse rolls that carry a slice off the detector: its empty parts would pass for good."""
    _, n_rows, n_columns = shape
    most = max(map(abs, degrees))
    rows = n_columns / 2 * float(np.sin(np.radians(most)))
    if rows > (0.5 - OFF_MIDDLE) * n_rows:
        want = int(np.ceil(rows / (0.5 - OFF_MIDDLE)))
        raise DataError(
            f"A roll of {most:g}° shifts columns by {rows:.1f} rows, too many for a "
            f"detector of {n_rows:,} rows; use a scan of at least {want:,} rows, or "
            "smaller steps."
        )


def _suited(prepared: Projections) -> Score:
    """Return the score for errors of this scan: blurred edges or dark seams."""
    return "sharpness" if coverage(prepared.geometry.angles_rad).is_whole else "negativity"


def _slices(slice_preview: SlicePreview, protocol: CtProtocol, of: Of) -> list[CtProtocol]:
    """Protocols whose central slices are to be looked at, of one width and in 1/mm."""
    grid = slice_preview.central_slice(protocol).grid
    x, y, z = grid.centre_mm
    fixed: Plain = {"voxel_mm": grid.voxel_mm, "diameter_mm": float(grid.size_mm[0])}
    grids = [fixed]
    if of == "roll":
        away, thick = OFF_MIDDLE * float(grid.size_mm[2]), grid.voxel_mm[2]
        heights = (z + away, z - away)
        grids = [{**fixed, "centre_mm": (x, y, h), "length_mm": thick} for h in heights]
    return [
        protocol.model_copy(
            update={"grid": protocol.grid.model_copy(update=each), "hounsfield": None}
        )
        for each in grids
    ]


def _image(slice_preview: SlicePreview, protocol: CtProtocol) -> NDArray[np.float32]:
    return np.asarray(slice_preview.central_slice(protocol).volume.values[0], np.float32)
