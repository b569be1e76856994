"""Build checked projections from numbers and a geometry: sizes, flats, bad pixels, lost views."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import largest, rest
from engine.core.errors import DataError, FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.projections import Projections, info_of
from engine.geometry.xray import XrayGeometry
from engine.io.safety.ranges import WHITE_LEVEL, in_range, refuse_impossible_beam

Kind = Literal["counts", "transmission", "integrals"]
Images = NDArray[np.float32]
SATURATED = tuple(float(2**bits - 1) for bits in (8, 10, 12, 14, 16))
"""Largest values of the usual converters."""
MOST_NAMED = 8
BLOCK = 32
"""Views looked at at once."""
KINDS: tuple[Kind, ...] = ("counts", "transmission", "integrals")
WORDS = {"counts": "counts", "transmission": "transmissions", "integrals": "line integrals"}
LIMITS: dict[str, float] = {"transmission": 100.0, "integrals": 1000.0}
"""Beyond these, values are counts."""
LARGEST_TRANSMISSION = 1.5
LARGEST_INTEGRAL = 50.0


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
    remedy: str = "correct the kind or state the open beam",
) -> Projections:
    """Return checked projections; what is odd but usable is told in the notes.

    Views that were lost, without light or without numbers, are left out.

    Parameters
    ----------
    path
        file, for sentences
    values
        (n_views, rows, columns); they may be changed
    geometry
        of these views
    kind
        counts, transmission or line integrals
    flats, darks
        (n, rows, columns) open-beam and beam-off images, None where there are none
    bad_pixels
        (rows, columns) known beforehand
    pixel_mm_known
        False where one pixel is taken as one millimetre
    calibrated
        whether the file says where the axis is seen
    whole_numbers
        whether the file stores whole numbers, so that the largest of them is saturation
    white_level
        counts of the open beam; transmissions are divided by it
    info, notes
        facts and remarks of the reader
    remedy
        what to do where values are too large for their kind
    """
    _refuse_other_sizes(path, values, geometry, flats, darks)
    refuse_impossible_beam(path, geometry)
    if white_level is not None:
        in_range(path, "the white level", white_level, WHITE_LEVEL)
    message = list(notes)
    lost = _lost_views(path, values, kind, message)
    if lost.any():
        chosen = np.flatnonzero(~lost)
        values, geometry = _compacted(values, chosen), geometry.select(chosen)
        info = info_of(info or {}, chosen)
    bad = np.zeros(values.shape[1:], bool) if bad_pixels is None else bad_pixels.copy()
    bad |= _not_numbers(path, values, message)
    if whole_numbers:
        _saturated(path, values, message)
    if white_level is not None and kind == "transmission":
        values /= np.float32(white_level)
    _refuse_other_kind(path, values, kind, remedy)
    bad |= _unlit(path, flats, darks, message)
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
    """Refuse another number of images than of angles."""
    if n_images != n_angles:
        raise GeometryError(
            f"{path.name}: {n_images:,} projections but {n_angles:,} angles; each projection needs "
            "one angle, so copy the missing files or correct the list."
        )


def guess_kind(path: Path, values: Images, notes: list[str]) -> Kind:
    """Tell from floating-point numbers alone what they are, and say so."""
    kind = _kind_of(values)
    notes.append(f"{path.name}: no flat images; the values look like {WORDS[kind]}.")
    return kind


def _kind_of(values: Images) -> Kind:
    """The air around the object decides: 1 in transmissions, 0 in line integrals."""
    sample = values[:: max(len(values) // 16, 1)]
    sample = sample[np.isfinite(sample)]
    if not sample.size:
        return "integrals"
    low, high = (float(v) for v in np.quantile(sample, (0.001, 0.999)))
    if high > LARGEST_INTEGRAL:
        return "counts"
    if low < -0.05 or high > LARGEST_TRANSMISSION:
        return "integrals"
    histogram, edges = np.histogram(sample, 64, (min(low, 0.0), max(high, 1.0)))
    return "transmission" if edges[int(histogram.argmax())] > 0.5 else "integrals"


def listed(numbers: Iterable[Any], n_all: int | None = None) -> str:
    """Return a list in words, cut where it is long; `n_all` where only its beginning is given."""
    names = [str(n) for n in numbers]
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {(n_all or len(names)) - MOST_NAMED:,} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _refuse_other_sizes(
    path: Path, values: Images, geometry: XrayGeometry, flats: Images | None, darks: Images | None
) -> None:
    if values.ndim != 3 or not values.size:
        raise FileFormatError(
            f"{path.name}: projections of shape {values.shape}, expected (view, row, column)."
        )
    if values.shape[1:] != tuple(geometry.shape):
        raise GeometryError(
            f"{path.name}: projections of {values.shape[1]:,} x {values.shape[2]:,} pixels, but "
            f"the settings state {geometry.shape[0]:,} x {geometry.shape[1]:,} (rows x columns); "
            "choose the settings of this scan."
        )
    refuse_count(path, len(values), geometry.n_views)
    for what, images in (("flat", flats), ("dark", darks)):
        if images is not None and images.shape[1:] != values.shape[1:]:
            raise GeometryError(
                f"{path.name}: {what} images have {' x '.join(map(str, images.shape[1:]))} pixels, "
                f"but projections have {values.shape[1]} x {values.shape[2]} (rows x columns); use "
                f"{what} images with the same detector and binning."
            )
        if images is not None and not np.isfinite(images).all():
            n_bad = int((~np.isfinite(images)).sum())
            raise DataError(
                f"{path.name}: {n_bad:,} values of the {what} images are not numbers; repair the "
                "images or remove them."
            )


def _not_numbers(path: Path, values: Images, notes: list[str]) -> NDArray[np.bool_]:
    """Return the pixels that never hold a number; count all others."""
    never = np.ones(values.shape[1:], bool)
    n_bad = 0
    for start in range(0, len(values), BLOCK):
        bad = ~np.isfinite(values[start : start + BLOCK])
        n_bad += int(np.count_nonzero(bad))
        never &= bad.all(axis=0)
        rest(values)
    if n_bad:
        always = int(never.sum())
        more = f", {always:,} of the pixels in every view" if always else ""
        notes.append(f"{path.name}: {n_bad:,} values are not numbers{more}.")
    return never


def _saturated(path: Path, values: Images, notes: list[str]) -> None:
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
            f"{path.name}: values up to {top:,.6g} are too large for {WORDS[kind]}, expected at "
            f"most about {'1' if kind == 'transmission' else '20'}; they look like counts, so "
            f"{remedy}."
        )


def _lost_views(path: Path, values: Images, kind: Kind, notes: list[str]) -> NDArray[np.bool_]:
    """Return the views to leave out; zeros of line integrals may be a beam beside the object."""
    zeros, no_numbers = np.zeros((2, len(values)), bool)
    for view, image in enumerate(values):
        zeros[view], no_numbers[view] = not image.any(), not np.isfinite(image).any()
        if not view % BLOCK:
            rest(values)
    if no_numbers.all():
        raise DataError(f"{path.name}: all values are NaN or infinite; export the scan again.")
    lost = np.flatnonzero(zeros | no_numbers)
    if 2 * len(lost) >= len(values):
        raise DataError(
            f"{path.name}: {len(lost):,} of {len(values):,} views contain "
            f"{_lost_words(zeros, no_numbers)}, starting with view {lost[0]}; was the scan stopped "
            "early?"
        )
    if kind == "integrals" and zeros.any():
        notes.append(
            f"{path.name}: views {listed(np.flatnonzero(zeros))} contain only zeros; if they were "
            "not measured, remove them and their angles from the scan."
        )
        zeros[:] = False
    out = zeros | no_numbers
    if out.any():
        which, held = listed(np.flatnonzero(out)), _lost_words(zeros, no_numbers)
        notes.append(f"{path.name}: views {which} contain {held} and are not used.")
    return out


def _compacted(values: Images, chosen: NDArray[np.integer]) -> Images:
    """Return only these views, in their old place: there may be no room for a copy."""
    for to, view in enumerate(chosen):
        values[to] = values[view]
    return values[: len(chosen)]


def _lost_words(zeros: NDArray[np.bool_], no_numbers: NDArray[np.bool_]) -> str:
    words = ("only zeros", zeros), ("no numbers", no_numbers)
    return " or ".join(word for word, found in words if found.any())


def _unlit(
    path: Path, flats: Images | None, darks: Images | None, notes: list[str]
) -> NDArray[np.bool_] | bool:
    """Pixels whose flat is not above their dark."""
    if flats is None:
        return False
    light = flats.mean(axis=0, dtype=np.float64)
    if darks is not None:
        light = light - darks.mean(axis=0, dtype=np.float64)
    unlit = light <= 0
    if 2 * int(unlit.sum()) >= unlit.size:
        raise DataError(
            f"{path.name}: in {int(unlit.sum()):,} of {unlit.size:,} pixels the flat images are "
            "not brighter than the dark images; are they empty or swapped?"
        )
    if unlit.any():
        notes.append(
            f"{path.name}: {int(unlit.sum()):,} of {unlit.size:,} pixels get no light in the flat "
            "images and count as bad."
        )
    return unlit
