"""Find the slices in DICOM files: their series and positions. PS3.3 C.7.6.2.

    p(r, c) = position + r · spacing_0 · down + c · spacing_1 · across  [mm, LPS]

for row r and column c. A classic file is one slice. An Enhanced file contains many, whose positions
are in functional groups (C.7.6.16).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.io.dicom.headers import REMEDY, Header, damage, reason_of

GROUPS = {
    "PixelSpacing": "PixelMeasuresSequence",
    "SliceThickness": "PixelMeasuresSequence",
    "ImageOrientationPatient": "PlaneOrientationSequence",
    "ImagePositionPatient": "PlanePositionSequence",
    "RescaleSlope": "PixelValueTransformationSequence",
    "RescaleIntercept": "PixelValueTransformationSequence",
    "RescaleType": "PixelValueTransformationSequence",
}
"""Attribute -> functional group of Enhanced files that contains it."""


@dataclass(frozen=True)
class Slice:
    """One slice of a series.

    Attributes
    ----------
    path : file
    frame : number of the frame in the file, from 0
    position : centre of the first pixel [mm, LPS]
    across, down : unit vectors along a row and along a column
    spacing : distance between rows, and between columns [mm]
    thickness : slice thickness [mm]; 0 if not stated
    slope, intercept : value = intercept + slope · number
    number : InstanceNumber of a file with one slice; None if not stated
    """

    path: Path
    frame: int
    position: NDArray[np.float64]
    across: NDArray[np.float64]
    down: NDArray[np.float64]
    spacing: tuple[float, float]
    thickness: float
    slope: float
    intercept: float
    number: int | None = None

    @property
    def normal(self) -> NDArray[np.float64]:
        """Unit vector perpendicular to the slice."""
        return np.cross(self.across, self.down)


def slices_of(header: Header) -> list[Slice]:
    """Return the slices of an image.

    Parameters
    ----------
    header
        header of a classic or Enhanced file

    Raises
    ------
    FileFormatError
        if positions are missing, or the header is damaged
    """
    name = header.path.name
    try:
        n_frames = int(header.dataset.get("NumberOfFrames") or 1)
        described = len(header.dataset.get("PerFrameFunctionalGroupsSequence") or ())
        if n_frames < 1:
            raise FileFormatError(
                f"{name}: states {n_frames:,} frames, expected at least 1. {REMEDY}"
            )
        # Multi-frame files without positions are ultrasound or screenshots, not a stack of slices.
        if n_frames > max(described, 1):
            raise FileFormatError(
                f"{name}: contains {n_frames:,} frames, but positions for only {described:,}. "
                f"{REMEDY}"
            )
        return [_slice(header, frame) for frame in range(n_frames)]
    except damage() as e:
        raise FileFormatError(
            f"{name}: damaged DICOM header. Export the series again. Reason: {reason_of(e)}."
        ) from e


def _slice(header: Header, frame: int) -> Slice:
    orientation = _numbers(header, frame, "ImageOrientationPatient", 6)
    across, down = orientation[:3], orientation[3:]
    lengths = float(np.linalg.norm(across)), float(np.linalg.norm(down))
    # Direction cosines are decimal strings, often rounded to 4 to 6 digits.
    if not np.allclose([*lengths, float(across @ down) + 1], 1, atol=1e-3):
        raise FileFormatError(
            f"{header.path.name}: ImageOrientationPatient is {orientation.tolist()}, expected two "
            f"perpendicular unit vectors. {REMEDY}"
        )
    spacing = _numbers(header, frame, "PixelSpacing", 2)
    thickness = _frame_attribute(header, frame, "SliceThickness")
    slope, intercept = (
        _frame_attribute(header, frame, f"Rescale{name}") for name in ("Slope", "Intercept")
    )
    return Slice(
        header.path,
        frame,
        _numbers(header, frame, "ImagePositionPatient", 3),
        across / lengths[0],
        down / lengths[1],
        (float(spacing[0]), float(spacing[1])),
        float(str(thickness)) if thickness else 0.0,
        1.0 if slope is None else float(str(slope)),
        0.0 if intercept is None else float(str(intercept)),
        _number(header),
    )


def _number(header: Header) -> int | None:
    stated = header.text("InstanceNumber")
    # InstanceNumber of an Enhanced file counts files, not slices.
    is_one = "PerFrameFunctionalGroupsSequence" not in header.dataset
    return int(stated) if is_one and stated.isdigit() else None


def _numbers(header: Header, frame: int, keyword: str, n: int) -> NDArray[np.float64]:
    found = _frame_attribute(header, frame, keyword)
    values = [] if found is None else [float(each) for each in _sequence(found)]
    if len(values) != n or not np.isfinite(values).all():
        raise FileFormatError(
            f"{header.path.name}: has no valid {keyword}, so the positions of its slices are "
            "unknown; export the original series, not a screenshot or scout."
        )
    return np.array(values)


def _sequence(found: object) -> Sequence[float]:
    return found if isinstance(found, Sequence) else ()


def _frame_attribute(header: Header, frame: int, keyword: str) -> object:
    """Return an attribute of a frame: from the file, the frame's group, or the shared group."""
    dataset = header.dataset
    if dataset.get(keyword) is not None:
        return dataset[keyword].value
    each = dataset.get("PerFrameFunctionalGroupsSequence")
    shared = dataset.get("SharedFunctionalGroupsSequence")
    for group in (each[frame] if each else None, shared[0] if shared else None):
        inner = None if group is None else group.get(GROUPS[keyword])
        if inner and inner[0].get(keyword) is not None:
            return inner[0][keyword].value
    return None
