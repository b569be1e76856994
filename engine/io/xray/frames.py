"""Build checked projections from images and a geometry: sizes, flats, bad pixels, lost views.

Large images are in a temporary file instead of memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import largest, release_pages
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.core.paths import cache_dir
from engine.data.projections import Projections, info_of
from engine.data.storage.columns import Scratch
from engine.geometry.xray import XrayGeometry
from engine.io.safety.budget import SMALL_BYTES, free_memory, refuse_large_data
from engine.io.safety.ranges import WHITE_LEVEL, in_range, refuse_impossible_beam

Kind = Literal["counts", "transmission", "integrals"]
Images = NDArray[np.float32]
SATURATED = tuple(float(2**bits - 1) for bits in (8, 10, 12, 14, 16))
"""Largest values of common analogue-to-digital converters."""
MAX_NAMED = 8
BLOCK = 32
"""Views that are checked at once."""
KINDS: tuple[Kind, ...] = ("counts", "transmission", "integrals")

LIMITS: dict[str, float] = {"transmission": 100.0, "integrals": 1000.0}
"""Larger values are counts."""
LARGEST_TRANSMISSION = 1.5
LARGEST_INTEGRAL = 50.0
SIDES = (
    "the file does not state the patient position; the orientation letters assume head first, "
    "supine"
)
"""Note of formats that state no patient position."""
WHOLE_SETS = 7
"""Number of copies of the projections that a run needs in memory. If fewer fit, the projections are
read into a file, because the run will also work with files."""
WHAT = "the projections"


def assemble(
    path: Path,
    values: Images,
    geometry: XrayGeometry,
    kind: Kind,
    *,
    flats: Images | None = None,
    darks: Images | None = None,
    bad_pixels: NDArray[np.bool_] | None = None,
    pixel_mm_known: bool = True,
    calibrated: bool = False,
    whole_numbers: bool = False,
    white_level: float | None = None,
    info: Plain | None = None,
    notes: Iterable[str] = (),
    remedy: str = "Correct the kind or state the open beam.",
) -> Projections:
    """Return checked projections, with notes about unusual but usable data.

    Views without light or without finite values are left out.

    Parameters
    ----------
    path
        file, for messages
    values
        (n_views, rows, columns); this array is changed unless it is read-only
    geometry
        geometry of these views
    kind
        counts, transmission or line integrals
    flats, darks
        (n, rows, columns) open-beam and beam-off images; None if there are none
    bad_pixels
        (rows, columns) known bad pixels; None if unknown
    pixel_mm_known
        False if one pixel counts as 1 mm
    calibrated
        True if the file states the position of the rotation axis
    whole_numbers
        True if the file stores integers, so that the largest possible value is saturation
    white_level
        counts of the open beam, by which transmissions are divided; None: no division
    info, notes
        facts and notes of the reader
    remedy
        remedy for values that are too large for their kind

    Raises
    ------
    GeometryError
        if sizes or numbers of images do not match, or the beam is not plausible
    DataError
        if most views are empty, or values are too large for their kind
    """
    _refuse_other_sizes(path, values, geometry, flats, darks)
    refuse_impossible_beam(path, geometry)
    if white_level is not None:
        in_range(path, "white_level", white_level, WHITE_LEVEL)
    message = list(notes)
    # First, because an empty view would spoil the checks of pixels below.
    lost = _lost_views(path, values, kind, message)
    if lost.any():
        chosen = np.flatnonzero(~lost)
        values, geometry = _compacted(values, chosen), geometry.select(chosen)
        info = info_of(info or {}, chosen)
    bad = np.zeros(values.shape[1:], bool) if bad_pixels is None else bad_pixels.copy()
    # After lost views are removed: a pixel is bad only if it fails in all others.
    bad |= _not_numbers(path, values, message)
    if whole_numbers:
        _saturated(path, values, message)
    if white_level is not None and kind == "transmission":
        # In place: a second copy of the projections may not fit into memory.
        values /= np.float32(white_level)
    _refuse_other_kind(path, values, kind, remedy)
    bad |= _unexposed(path, flats, darks, message)
    if not pixel_mm_known:
        message.append(
            f"{path.name}: the pixel size is unknown and set to 1 mm, so lengths are in pixels and "
            "attenuation is per pixel."
        )
    return Projections(
        values=values,
        geometry=geometry,
        kind=kind,
        flats=flats,
        darks=darks,
        bad_pixels=bad if bad.any() else None,
        pixel_mm_known=pixel_mm_known,
        calibrated=calibrated,
        info=info or {},
        notes=tuple(message),
    )


def refuse_count(path: Path, n_images: int, n_angles: int) -> None:
    """Refuse different numbers of images and angles.

    Parameters
    ----------
    path
        file, for the error message
    n_images, n_angles
        numbers to compare

    Raises
    ------
    GeometryError
        if they differ
    """
    if n_images != n_angles:
        raise GeometryError(
            f"{path.name}: the number of projections is {n_images:,}, but the number of angles is "
            f"{n_angles:,}; copy the missing files, or correct the list of angles."
        )


def guess_kind(path: Path, values: Images, notes: list[str]) -> Kind:
    """Return the kind of floating-point values, and add a note about the guess.

    Parameters
    ----------
    path
        file, for the note
    values
        (n_views, rows, columns)
    notes
        notes of the scan

    Returns
    -------
    kind
        by the most frequent value, which is that of air: 1 in transmissions, 0 in line integrals
    """
    kind = _kind_of(values)
    notes.append(f"{path.name}: no flat images; the values look like the kind {kind!r}.")
    return kind


def _kind_of(values: Images) -> Kind:
    """Return the kind by the value of air: 1 in transmissions, 0 in line integrals."""
    sample = values[:: max(len(values) // 16, 1)]
    sample = sample[np.isfinite(sample)]
    if not sample.size:
        return "integrals"
    # Quantiles instead of extremes, because single pixels can be defective.
    low, high = (float(v) for v in np.quantile(sample, (0.001, 0.999)))
    if high > LARGEST_INTEGRAL:
        return "counts"
    # Noise makes line integrals of air slightly negative; transmissions stay above 0.
    if low < -0.05 or high > LARGEST_TRANSMISSION:
        return "integrals"
    histogram, edges = np.histogram(sample, 64, (min(low, 0.0), max(high, 1.0)))
    return "transmission" if edges[int(histogram.argmax())] > 0.5 else "integrals"


def listed(numbers: Iterable[Any]) -> str:
    """Return a list as text.

    Parameters
    ----------
    numbers
        numbers or names

    Returns
    -------
    text
        at most 8 items, then three dots for the others
    """
    names = [str(n) for n in numbers]
    if len(names) > MAX_NAMED:
        return ", ".join([*names[:MAX_NAMED], "..."])
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _refuse_other_sizes(
    path: Path, values: Images, geometry: XrayGeometry, flats: Images | None, darks: Images | None
) -> None:
    if values.ndim != 3 or not values.size:
        raise FileFormatError(
            f"{path.name}: the projections have the shape {values.shape}, expected three axes "
            "(view, row, column); export the scan again."
        )
    if values.shape[1:] != tuple(geometry.shape):
        raise GeometryError(
            f"{path.name}: the projections have {values.shape[1]:,} x {values.shape[2]:,} pixels, "
            f"but the settings state {geometry.shape[0]:,} x {geometry.shape[1]:,} (rows x "
            "columns); choose the settings of this scan."
        )
    refuse_count(path, len(values), geometry.n_views)
    for name, images in (("flats", flats), ("darks", darks)):
        if images is not None and images.shape[1:] != values.shape[1:]:
            raise GeometryError(
                f"{path.name}: the images in {name!r} have "
                f"{' x '.join(map(str, images.shape[1:]))} pixels, but the projections have "
                f"{values.shape[1]} x {values.shape[2]} (rows x columns); use images from the same "
                "detector and binning."
            )
        # One NaN in a flat would spoil its pixel in every view.
        if images is not None and not np.isfinite(images).all():
            n_bad = int((~np.isfinite(images)).sum())
            raise DataError(
                f"{path.name}: the images in {name!r} contain NaN or infinite values (number: "
                f"{n_bad:,}); replace or remove these images."
            )


def _not_numbers(path: Path, values: Images, notes: list[str]) -> NDArray[np.bool_]:
    """Return the pixels without a finite value in any view; note the number of such values."""
    never = np.ones(values.shape[1:], bool)
    n_bad = 0
    for start in range(0, len(values), BLOCK):
        bad = ~np.isfinite(values[start : start + BLOCK])
        n_bad += int(np.count_nonzero(bad))
        never &= bad.all(axis=0)
        # Projections can be in a mapped file; let the system drop pages that were read.
        release_pages(values)
    if n_bad:
        notes.append(
            f"{path.name}: some values are not numbers (values: {n_bad:,}, pixels without a number "
            f"in any view: {int(never.sum()):,})."
        )
    return never


def _saturated(path: Path, values: Images, notes: list[str]) -> None:
    # Only the largest value of a converter is saturation; other maxima are real counts.
    top = largest(values)
    if top not in SATURATED:
        return
    n_top = sum(
        int(np.count_nonzero(values[k : k + BLOCK] == top)) for k in range(0, len(values), BLOCK)
    )
    notes.append(
        f"{path.name}: {n_top:,} values ({n_top / values.size:.2g} of all) are saturated at "
        f"{top:.0f}, the detector maximum."
    )


def _refuse_other_kind(path: Path, values: Images, kind: Kind, remedy: str) -> None:
    limit = LIMITS.get(kind)
    top = 0.0 if limit is None else largest(values)
    if limit is not None and top > limit:
        raise DataError(
            f"{path.name}: the values reach {top:,.6g}, expected at most about "
            f"{'1' if kind == 'transmission' else '20'} for the kind {kind!r}. {remedy}"
        )


def _lost_views(path: Path, values: Images, kind: Kind, notes: list[str]) -> NDArray[np.bool_]:
    """Return the views to leave out; zeros in line integrals can be views next to the object."""
    # View by view, because a mask of all values would take a quarter of their memory.
    zeros, no_numbers = np.zeros((2, len(values)), bool)
    for view, image in enumerate(values):
        zeros[view], no_numbers[view] = not image.any(), not np.isfinite(image).any()
        if not view % BLOCK:
            release_pages(values)
    if no_numbers.all():
        raise DataError(f"{path.name}: all values are NaN or infinite; export the scan again.")
    lost = np.flatnonzero(zeros | no_numbers)
    # Half of the views cannot be reconstructed usefully; the scan was probably stopped.
    if 2 * len(lost) >= len(values):
        raise DataError(
            f"{path.name}: too many of the {len(values):,} views are unusable, starting with view "
            f"{lost[0]} (only zeros: {int(zeros.sum()):,}, no numbers: "
            f"{int(no_numbers.sum()):,}); use a complete scan."
        )
    if kind == "integrals" and zeros.any():
        notes.append(
            f"{path.name}: views {listed(np.flatnonzero(zeros))} contain only zeros (number: "
            f"{int(zeros.sum()):,}); if they were not measured, remove them and their angles from "
            "the scan."
        )
        zeros[:] = False
    out = zeros | no_numbers
    if out.any():
        notes.append(
            f"{path.name}: views {listed(np.flatnonzero(out))} are not used (only zeros: "
            f"{int(zeros.sum()):,}, no numbers: {int(no_numbers.sum()):,})."
        )
    return out


def _compacted(values: Images, chosen: NDArray[np.integer]) -> Images:
    """Return only these views, moved within the array, because a copy may not fit into memory.

    A read-only array belongs to the caller and is copied.
    """
    if not values.flags.writeable:
        return values[chosen]
    for to, view in enumerate(chosen):
        values[to] = values[view]
    return values[: len(chosen)]


def _unexposed(
    path: Path, flats: Images | None, darks: Images | None, notes: list[str]
) -> NDArray[np.bool_] | bool:
    """Return the pixels with flats that are not brighter than the darks."""
    if flats is None:
        return False
    # float64: sums of many 16-bit counts exceed the 24 bits of float32.
    light = flats.mean(axis=0, dtype=np.float64)
    if darks is not None:
        light = light - darks.mean(axis=0, dtype=np.float64)
    unlit = light <= 0
    if 2 * int(unlit.sum()) >= unlit.size:
        raise DataError(
            f"{path.name}: in {int(unlit.sum()):,} of {unlit.size:,} pixels the flat images are "
            "not brighter than the dark images; check that they are not empty or swapped."
        )
    if unlit.any():
        notes.append(
            f"{path.name}: {int(unlit.sum()):,} of {unlit.size:,} pixels get no light in the flat "
            "images and count as bad."
        )
    return unlit


def allocate_images(shape: tuple[int, ...], name: str) -> Images:
    """Return an uninitialised float32 array for images (n, rows, columns).

    It is in memory, or in a temporary file if a run with these images would need too much memory.
    The file is removed with the array.

    Parameters
    ----------
    shape
        shape of the images
    name
        name of the file that they are read from, for the error message

    Raises
    ------
    ResourceError
        if neither memory nor disk has enough space
    """
    n_bytes = 4 * math.prod(int(n) for n in shape)
    # Small scans do not ask the system for free memory.
    if n_bytes < SMALL_BYTES or WHOLE_SETS * n_bytes <= free_memory():
        return np.empty(shape, np.float32)
    scratch = Scratch(cache_dir())
    # If the images fit neither the disk nor the memory, the memory is reported.
    if n_bytes > scratch.free_bytes:
        refuse_large_data(n_bytes, name)
    return scratch.empty(shape, np.float32)
