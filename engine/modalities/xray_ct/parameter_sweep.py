"""Slices for several values of the rotation axis or of the detector roll.

Each candidate is a preview with a protocol that contains the value. Image, label and the result of
a run with this value therefore always match.
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
"""Default distance between candidates [columns, degrees]."""
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
"""Step and setting that contain the value."""
N_CANDIDATES, MIN_CANDIDATES, MAX_CANDIDATES = 9, 3, 99
OFF_MIDDLE = 0.3
"""Heights of the slices that show a roll, as a fraction of the volume above and below its middle.

The middle slice itself hardly changes with the roll.
"""


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

    The best value is the result of the search that a run makes. If the search fails, and for a
    roll, it is the value with the best score.

    Parameters
    ----------
    scan
        scan of a run
    protocol
        protocol of a run
    of
        "axis" for the column of the rotation axis, from 0, shown in the central slice; "roll" for
        the rotation of the detector in its plane, shown in one slice above the middle and one below
    on
        device, for its number of threads
    around
        middle of the values [columns or degrees]; None for the value of a run
    step
        distance between values; None for the default
    n
        number of values
    score
        score of a slice, lower is better; None to choose it by the angular range
    on_progress
        called with the number of slices done and in total; may raise to stop

    Raises
    ------
    SettingsError
        if the number of candidates or the step is invalid
    DataError
        if a roll would move slices off the detector
    """
    step = STEPS[of] if step is None else step
    # A step of zero would try the same value again and again.
    if not (MIN_CANDIDATES <= n <= MAX_CANDIDATES and np.isfinite(step) and step > 0):
        raise SettingsError(
            f"got {n} candidates with a step of {step:g}, expected {MIN_CANDIDATES} to "
            f"{MAX_CANDIDATES} candidates and a step above 0."
        )
    slice_preview = SlicePreview(scan, on=on)
    prepared = slice_preview.prepared(protocol)
    start = _start(prepared, protocol, of)
    middle = start if around is None else around
    # Rounding removes digits that the file of a protocol would otherwise contain.
    tried = [round(middle + (k - (n - 1) / 2) * step, 6) for k in range(n)]
    if of == "roll":
        _expect_rows_for(tried, scan.shape)
    rated_by: Score = score or _suited(prepared)
    rate = SCORES[rated_by]
    slices = _slices(slice_preview, protocol, of)
    found = []
    for k, value in enumerate(tried):
        images = [_image(slice_preview, with_value(each, of, value)) for each in slices]
        # A roll moves the upper and the lower slice in opposite directions, so both are scored.
        bad = float(np.mean([rate(image) for image in images]))
        found.append(Candidate(value, bad, np.concatenate(images, axis=1)))
        on_progress(k + 1, n)
    method = prepared.info.get(CentreOfRotation.kind, {}).get("method", NOT_FOUND)
    # A measured axis is more accurate than the score of a slice.
    if of == "roll" or score is not None or method == NOT_FOUND:
        scores = np.array([one.score for one in found], np.float64)
        start = lowest(np.asarray(tried, np.float64), scores)
        method = BEST[rated_by]
    return Estimate(start, method, UNITS[of], tuple(found), rated_by)


def with_value(protocol: CtProtocol, of: Of, value: float) -> CtProtocol:
    """Return the protocol with this value of axis or roll.

    Parameters
    ----------
    protocol
        protocol to change
    of
        "axis" or "roll"
    value
        value to set
    """
    kind, key = SET[of]
    # "on", because a value that the user has chosen must not be skipped silently.
    step = getattr(protocol.steps, kind).model_copy(update={"use": "on", key: float(value)})
    return protocol.model_copy(update={"steps": protocol.steps.model_copy(update={kind: step})})


def _start(prepared: Projections, protocol: CtProtocol, of: Of) -> float:
    """Return the value that a run would use."""
    if of == "roll":
        kind, key = SET[of]
        return float(getattr(getattr(protocol.steps, kind), key) or 0.0)
    return round(float(prepared.geometry.axis_column.mean()), 2)


def _expect_rows_for(degrees: list[float], shape: tuple[int, int, int]) -> None:
    """Refuse rolls that move a slice off the detector: its empty parts would get a good score."""
    _, n_rows, n_columns = shape
    most = max(map(abs, degrees))
    rows = n_columns / 2 * float(np.sin(np.radians(most)))
    if rows > (0.5 - OFF_MIDDLE) * n_rows:
        want = int(np.ceil(rows / (0.5 - OFF_MIDDLE)))
        raise DataError(
            f"A detector roll of {most:g}° shifts the outer columns by {rows:.1f} rows, which is "
            f"too much for a detector of {n_rows:,} rows; use smaller steps, or a scan of at "
            f"least {want:,} rows."
        )


def _suited(prepared: Projections) -> Score:
    """Return the score for typical errors of this scan: blurred edges or dark seams."""
    # In half a turn, a wrong axis causes dark seams; in a whole turn it doubles edges.
    return "sharpness" if coverage(prepared.geometry.angles_rad).is_whole else "negativity"


def _slices(slice_preview: SlicePreview, protocol: CtProtocol, of: Of) -> list[CtProtocol]:
    """Return protocols whose central slices are compared, with equal width and in 1/mm."""
    grid = slice_preview.central_slice(protocol).grid
    x, y, z = grid.centre_mm
    # One fixed grid: otherwise the slice would move together with the axis.
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
