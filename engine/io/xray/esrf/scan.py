"""Read ESRF scans: a folder of `.edf` images with the `.info` text of the acquisition.

NAME0000.edf … are the views, TOMO_N of them evenly over ScanRange degrees; later numbers were taken
to check for motion. refHSTvvvv.edf (or refnnnn_vvvv.edf) are flats taken before view v. dark.edf is
the dark image (or darkend0000.edf, the sum of DARK_N). PixelSize [µm] is that in the object; rays
are parallel. Names and units are those of the ESRF's own readers.

The angles are the positions of the motor that moved by the scan range; otherwise even steps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.formatting import Information
from engine.data.projections import Projections
from engine.io.base import ProjectionsReader
from engine.io.folder import entries, is_file
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.angles import read_angles
from engine.io.xray.esrf.edf import is_edf, read_edf
from engine.io.xray.frames import Images, assemble
from engine.io.xray.pose import turned_parallel
from engine.io.xray.stack import Stack, read_images, refuse_missing, refuse_other_size, series
from engine.io.xray.text.keyvalue import Fields, read_fields

MARKS = b"tomo_n", b"scanrange"
FLAT = re.compile(r"^refHST(?P<number>\d+)\.edf$", re.IGNORECASE)
RAW_FLAT = re.compile(r"^ref\d+_(?P<number>\d+)\.edf$", re.IGNORECASE)
DARK = "dark.edf"
DARK_SUM = re.compile(r"^darkend\d+\.edf$", re.IGNORECASE)
MAX_VIEWS = 1_000_000
MIRROR = (
    "no file states the sense of rotation; if the volume is a mirror image of the object, reverse "
    "the angles"
)
Array = NDArray[np.float64]
Headers = Sequence[dict[str, str]]
"""Names and positions of the motors in each view."""
STEPS_OFF = 1.0
"""Tolerance of the motor's range against the scan range [steps]."""


class EsrfEdf(ProjectionsReader):
    """ESRF scan of EDF images."""

    format_name: ClassVar[str] = "ESRF EDF"
    spans_folders: ClassVar[bool] = True

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        ends = (*cls.suffixes, *cls.companions)
        yield from (each for each in entries(settings.parent) if each.suffix.lower() in ends)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return _is_info(file) or (is_edf(file) and _info_of(file.path) is not None)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        if _is_info(file):
            return _read(file)
        info = _info_of(file.path)
        if info is None:
            raise FileFormatError(
                f"{file.name}: its .info file is missing; copy the whole scan again."
            )
        with open_input(info) as settings:
            return _read(settings)


def _read(file: InputFile) -> Projections:
    path, fields = file.path, read_fields(file, "=")
    n_views = fields.whole("tomo_n")
    if n_views > MAX_VIEWS:
        raise FileFormatError(
            f"{path.name}: 'tomo_n' is {n_views:,}, expected at most {MAX_VIEWS:,}; correct the "
            "settings."
        )
    views, n_more = _views(path, fields, n_views)
    # Headers are read with the images, because only they contain the motor positions.
    values, headers, is_whole = _images(path, views)
    notes = [f"{path.name}: {MIRROR}."]
    if n_more:
        notes.append(f"{path.name}: {n_more:,} images after the last view are not used.")
    degrees = turned_deg(path, headers, n_views, fields.positive("scanrange"), notes)
    angles = read_angles(degrees, "deg", f"{path.name}: angles")
    flats, flat_views = _flats(path, n_views, values.shape[1:], notes)
    pixel_um = fields.optional("pixelsize") or 0.0
    # Without PixelSize, one pixel is 1 mm, and a note states this.
    edge = pixel_um / 1e3 if pixel_um > 0 else 1.0
    n_used = len(angles.rad)
    rows, columns = values.shape[1:]
    facts = {"format": EsrfEdf.name, **_facts(fields)}
    return assemble(
        path,
        values[:n_used],
        turned_parallel(angles.rad, pixel_mm=(edge, edge), shape=(rows, columns)),
        "counts",
        flats=flats,
        darks=_darks(path, fields, values.shape[1:], notes),
        pixel_mm_known=pixel_um > 0,
        whole_numbers=is_whole,
        info=facts if flats is None else {**facts, "flat_views": flat_views},
        notes=[*angles.notes, *notes],
    )


def _is_info(file: InputFile) -> bool:
    head = file.head.lower()
    is_text = file.path.suffix.lower() in EsrfEdf.suffixes and b"\0" not in head
    return is_text and all(mark in head for mark in MARKS)


def _info_of(image: Path) -> Path | None:
    """Return the `.info` file of an image, by its name or because it is the only one."""
    texts = [each for each in entries(image.parent) if each.suffix.lower() in EsrfEdf.suffixes]
    named = [each for each in texts if image.name.startswith(each.stem)]
    # `scan` and `scan_2` both match an image of scan_2; the longer name wins.
    found = max(named, key=lambda each: len(each.stem)) if named else None
    only = texts[0] if len(texts) == 1 else None
    chosen = found or only
    if chosen is None or not is_file(chosen):
        return None
    with open_input(chosen) as file:
        return chosen if _is_info(file) else None


def _views(path: Path, fields: Fields, n_views: int) -> tuple[Stack, int]:
    """Return the images of the views, and the number of images after them."""
    # If a scan was renamed, `prefix` still contains the old name.
    prefixes = dict.fromkeys((fields.text("prefix") or path.stem, path.stem))
    for prefix in prefixes:
        form = re.compile(f"{re.escape(prefix)}(?P<number>\\d+)\\.edf$", re.IGNORECASE)
        found = series(path.parent, form).get("")
        if found is not None:
            stack = found.first(sum(number < n_views for number in found.numbers))
            refuse_missing(stack, path, n_views)
            return stack, len(found) - len(stack)
    raise FileFormatError(
        f"{path.name}: found no images such as {next(iter(prefixes))}0000.edf in its folder; copy "
        "the whole scan."
    )


def _images(path: Path, stack: Stack) -> tuple[Images, Headers, bool]:
    """Return values and headers of the views, and True if the values are integers."""
    headers: list[dict[str, str]] = []
    kinds: list[str] = []

    def read(file: InputFile) -> NDArray[np.generic]:
        image, header = read_edf(file)
        headers.append({name: header.get(name, "") for name in ("motor_mne", "motor_pos")})
        kinds.append(image.dtype.kind)
        return image

    values = read_images(stack.files, path, read)
    return values, headers, kinds[0] in "iu"


def _stacked(files: Sequence[Path], shape: tuple[int, ...], path: Path) -> Images:
    images = read_images(files, path, lambda file: read_edf(file)[0])
    refuse_other_size(files[0], images.shape[1:], shape)
    return images


def _flats(
    path: Path, n_views: int, shape: tuple[int, ...], notes: list[str]
) -> tuple[Images | None, list[int]]:
    """Return the flats, and the view after each."""
    # refHST files are medians of the raw flats, so these are used only without them.
    for form in (FLAT, RAW_FLAT):
        found = series(path.parent, form).get("")
        if found is not None:
            flat_views = [min(view, n_views) for view in found.numbers]
            return _stacked(found.files, shape, path), flat_views
    notes.append(f"{path.name}: no flats refHST0000.edf next to it, so the open beam is unknown.")
    return None, []


def _darks(path: Path, fields: Fields, shape: tuple[int, ...], notes: list[str]) -> Images | None:
    """Return the dark image, otherwise the sum of several divided by their number."""
    named = {each.name.lower(): each for each in entries(path.parent)}
    if DARK in named:
        return _stacked([named[DARK]], shape, path)
    sums = [each for name, each in named.items() if DARK_SUM.match(name)]
    n_darks = fields.optional("dark_n") or 0.0
    if not sums or n_darks < 1:
        notes.append(f"{path.name}: no dark image dark.edf next to it, so none is subtracted.")
        return None
    notes.append(
        f"{path.name}: {sums[0].name} is assumed to be the sum of DARK_N = {n_darks:g} dark images."
    )
    return _stacked(sums, shape, path) / np.float32(n_darks)


def _facts(fields: Fields) -> Plain:
    count_s = fields.fact("count_time") or 0.0
    energy = fields.fact("energy") or 0.0
    facts = {"exposure_ms": 1e3 * count_s, "energy_kev": energy}
    return {name: fact for name, fact in facts.items() if fact > 0}


def turned_deg(
    path: Path, headers: Headers, n_views: int, range_deg: float, notes: list[str]
) -> Array:
    """Return the angle of each view, and add a note about their source.

    Parameters
    ----------
    path
        `.info` file, for messages
    headers
        motor names and positions of each view
    n_views
        number of views
    range_deg
        ScanRange [°]
    notes
        notes of the scan, to which one is added

    Returns
    -------
    angles
        (n_views,) [°]; even steps if no motor, or several, moved by the scan range
    """
    step = range_deg / n_views
    fits = {
        name: places
        for name, places in _positions(headers).items()
        if _turns(places, step, n_views)
    }
    # The name of the rotation motor differs between beamlines, so its movement identifies it.
    if len(fits) == 1:
        name, places = next(iter(fits.items()))
        text = f"{path.name}: angles are the positions of the motor {name}."
        notes.append(Information(text))
        return places
    if fits:
        notes.append(
            f"{path.name}: the motors {', '.join(sorted(fits))} all moved by the scan range; even "
            f"steps of {step:g}° are used."
        )
    else:
        notes.append(
            f"{path.name}: no motor moved by the scan range; even steps of {step:g}° are used."
        )
    return np.arange(n_views, dtype=np.float64) * step


def _turns(places: Array, step: float, n_views: int) -> bool:
    """Return True if a motor moved in one direction, by the span of the views."""
    if n_views < 2:
        return False
    ways = np.diff(places)
    # Other motors stand still or move back and forth during a scan.
    one_direction = bool((ways > 0).all() or (ways < 0).all())
    return (
        one_direction
        and abs(abs(places[-1] - places[0]) - step * (n_views - 1)) <= STEPS_OFF * step
    )


def _positions(headers: Headers) -> dict[str, Array]:
    """Return the positions of all motors, if all views name them in the same order."""
    names = headers[0]["motor_mne"].split()
    rows = [each["motor_pos"].split() for each in headers]
    same = all(each["motor_mne"].split() == names for each in headers)
    # Without names for all positions, positions cannot be assigned to motors.
    if not names or not same or any(len(row) != len(names) for row in rows):
        return {}
    try:
        values = np.array(rows, float)
    except ValueError:
        return {}
    whole = np.isfinite(values).all(axis=0)
    return {name: values[:, k] for k, name in enumerate(names) if whole[k]}
