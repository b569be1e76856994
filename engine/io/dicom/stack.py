"""Order the slices of one series: one patient, different positions, none missing.

Slices are sorted by their position along the normal n of the first one, h = n · position. File
names
and instance numbers do not define the position of a slice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.io import recogniser
from engine.io.dicom.headers import Header
from engine.io.dicom.slices import Slice
from engine.io.dicom.uneven import (
    SAME_PLACE_MM,
    UNEVEN,
    lacking_after,
    typical_step,
    uneven_steps,
)
from engine.io.safety.open_input import open_input

SAME_DIRECTION = 1e-4
KINDS = ("CT", "MR", "PT")
OF_ONE_SERIES = (
    *("PatientID", "IssuerOfPatientID", "FrameOfReferenceUID", "Modality", "Rows", "Columns"),
    *("Units", "RescaleType", "KVP", "SeriesType", "NumberOfTimeSlices", "DecayCorrection"),
)
"""Attributes that all slices of a series share."""


def refuse_mixed(headers: Sequence[Header]) -> None:
    """Refuse objects that are not slices, and slices that do not belong together.

    Parameters
    ----------
    headers
        headers of one series

    Raises
    ------
    FileFormatError
        names the object, or the first attribute that differs and its two files
    """
    first = headers[0]
    kind = first.text("Modality")
    if kind not in KINDS or not first.is_image:
        with open_input(first.path) as file:
            # Reports, plans and screenshots get advice of their own.
            known = recogniser.recognised(file)
            if known is not None:
                raise FileFormatError(known.refuse(file))
        raise FileFormatError(
            f"{first.path.name}: contains no readable slices (modality {kind!r}); choose a file "
            f"from a series with one of the modalities {', '.join(KINDS)}."
        )
    for keyword in OF_ONE_SERIES:
        other = next((h for h in headers if h.text(keyword) != first.text(keyword)), None)
        if other is not None:
            raise FileFormatError(
                f"{first.path.name} and {other.path.name} belong to the same series, but their "
                f"{keyword} differs; export the series again into an empty folder."
            )
    # A table in place of slope and intercept, as in digital radiography (PS3.3 C.11.1).
    if first.dataset.get("ModalityLUTSequence"):
        raise FileFormatError(
            f"{first.path.name}: its values need a modality look-up table, expected a rescale "
            "slope and intercept; export the original series."
        )
    if int(first.text("SamplesPerPixel") or 1) != 1:
        raise FileFormatError(
            f"{first.path.name}: this is a colour image, expected a greyscale image; choose the "
            "original series."
        )


def in_order(slices: Sequence[Slice], n_stated: int | None) -> list[Slice]:
    """Return the slices of a series sorted by position.

    Parameters
    ----------
    slices
        slices in any order
    n_stated
        number of slices that the series states; None if it does not

    Raises
    ------
    GeometryError
        if slices are missing, share a position, or differ in orientation
    FileFormatError
        if the number differs from the stated one
    """
    first = slices[0]
    _refuse_other_planes(slices)
    ordered = sorted(slices, key=lambda each: float(first.normal @ each.position))
    heights = np.array([float(first.normal @ each.position) for each in ordered])
    steps = np.diff(heights)
    # Two slices at one position are frames, echoes or b-values that share a series.
    for k in np.flatnonzero(steps < SAME_PLACE_MM)[:1]:
        one, other = (_named(each, slices) for each in (ordered[k], ordered[k + 1]))
        raise GeometryError(
            f"{one} and {other} have the same position ({heights[k]:.2f} mm along the series); "
            "remove one of them, or export a single time frame or echo."
        )
    if len(steps):
        _refuse_gaps(ordered, heights, steps, slices)
        _refuse_crooked(ordered, heights)
    if n_stated is not None and n_stated != len(ordered):
        raise FileFormatError(
            f"{first.path.parent.name}: the number of slices is {len(ordered)}, but the series "
            f"should have {n_stated}; copy the complete series."
        )
    return ordered


def affine_of(ordered: Sequence[Slice], n_slices: int) -> NDArray[np.float64]:
    """Return the matrix from (column, row, slice) to LPS.

    Parameters
    ----------
    ordered
        slices in order
    n_slices
        number of evenly spaced slices between the first and the last one

    Returns
    -------
    affine
        (4, 4) [mm]

    Raises
    ------
    GeometryError
        for a single slice without a thickness
    """
    first, last = ordered[0], ordered[-1]
    if n_slices > 1:
        # From the ends, because rounding errors of single positions then average out. It also
        # includes the shift of a tilted gantry, whose step is not parallel to the normal.
        step = (last.position - first.position) / (n_slices - 1)
    elif first.thickness > 0:
        step = first.normal * first.thickness
    else:
        raise GeometryError(
            f"{first.path.name}: the only slice of the series has no slice thickness; copy the "
            "complete series."
        )
    affine = np.eye(4)
    affine[:3, 0] = first.across * first.spacing[1]
    affine[:3, 1] = first.down * first.spacing[0]
    affine[:3, 2], affine[:3, 3] = step, first.position
    return affine


def _refuse_other_planes(slices: Sequence[Slice]) -> None:
    # A scout (localiser) can have the UID of the series, but another orientation.
    first = slices[0]
    for each in slices[1:]:
        turned = max(
            float(np.abs(each.across - first.across).max()),
            float(np.abs(each.down - first.down).max()),
        )
        if turned > SAME_DIRECTION or not np.allclose(each.spacing, first.spacing, rtol=1e-4):
            raise GeometryError(
                f"{_named(first, slices)} and {_named(each, slices)} have different orientations "
                "or pixel sizes; remove the scout image, or export the series without it."
            )


def _refuse_gaps(
    ordered: Sequence[Slice],
    heights: NDArray[np.float64],
    steps: NDArray[np.float64],
    slices: Sequence[Slice],
) -> None:
    for k in uneven_steps(steps):
        n_lost = lacking_after(ordered, steps, int(k))
        if n_lost:
            one, other = (_named(each, slices) for each in (ordered[k], ordered[k + 1]))
            raise GeometryError(
                f"missing slices: {n_lost} between {one} and {other} (at {heights[k]:.2f} and "
                f"{heights[k + 1]:.2f} mm, expected a spacing of {typical_step(steps):.2f} mm); "
                "copy the complete series."
            )


def _refuse_crooked(ordered: Sequence[Slice], heights: NDArray[np.float64]) -> None:
    """Refuse slices whose positions are not on a straight line."""
    first, along = ordered[0].position, ordered[-1].position - ordered[0].position
    # At least 0.02 mm, because positions are often rounded to 0.01 mm.
    most = max(UNEVEN * typical_step(np.diff(heights)), 0.02)
    for each, height in zip(ordered, heights, strict=True):
        part = (height - heights[0]) / (heights[-1] - heights[0])
        off = float(np.linalg.norm(each.position - first - part * along))
        if off > 2 * most:
            raise GeometryError(
                f"{_named(each, ordered)}: the slice is {off:.2f} mm away from the line through "
                "the other slices; export the series again."
            )


def _named(one: Slice, slices: Sequence[Slice]) -> str:
    many = any(each.frame for each in slices)
    return f"{one.path.name}, frame {one.frame + 1}" if many else one.path.name
