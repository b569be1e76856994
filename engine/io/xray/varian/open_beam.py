"""Find the open beam of a Varian scan, and scale it and all views to the same exposure.

The normalisation chamber in front of the tube measures its output. Counts are multiplied by c0 / c,
with c the chamber value of the image and c0 the median of all views.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.formatting import Information
from engine.io.folder import entries, is_folder
from engine.io.safety.open_input import open_input
from engine.io.xray.frames import Images
from engine.io.xray.stack import refuse_other_size
from engine.io.xray.varian.settings import VarianSettings
from engine.io.xray.varian.xim import Xim, read_xim

CALIBRATIONS = "Calibrations"
CHAMBER, ANGLE, VOLTAGE = "KVNormChamber", "KVSourceRtn", "KVKiloVolts"
DIFFERENT_KV = 1.0
Facts = Sequence[Xim]
"""Facts that the image of each view states."""


def numbers_of(facts: Facts, name: str) -> list[float]:
    """Return a number of each image; 0 if the machine did not store it."""
    return [each.numbers.get(name, 0.0) for each in facts]


def to_one_exposure(
    path: Path, values: Images, chamber: Sequence[float], notes: list[str]
) -> Images:
    """Scale all views to the same tube output.

    Parameters
    ----------
    path
        scan, for the note
    values
        (n_views, rows, columns), changed in place
    chamber
        chamber value of each view; 0 if it is not stated
    notes
        notes of the scan; one is added if a chamber value is missing

    Returns
    -------
    values
        unchanged if a chamber value is missing
    """
    output = np.array(chamber)
    if (output <= 0).any():
        notes.append(
            f"{path.name}: {int((output <= 0).sum()):,} images do not state the tube output "
            f"({CHAMBER}); equal brightness is assumed."
        )
        return values
    values *= (np.median(output) / output).astype(np.float32)[:, None, None]
    return values


def open_beam(
    settings: VarianSettings, shape: tuple[int, ...], facts: Facts, notes: list[str]
) -> Images | None:
    """Read the calibrations with the filter of the scan, scaled to the exposure of its views.

    Parameters
    ----------
    settings
        settings of the scan, in whose folder the calibrations are
    shape
        (rows, columns) of the views
    facts
        facts of each view
    notes
        notes of the scan

    Returns
    -------
    flats
        (n, rows, columns); None if there are no calibrations

    Raises
    ------
    FileFormatError
        if a calibration is damaged, has another voltage, or several could belong to the scan
    """
    name = settings.path.name
    files = _calibrations(settings, facts)
    if not files:
        notes.append(f"{name}: no open beam under {CALIBRATIONS}, so it is unknown.")
        return None
    chamber = numbers_of(facts, CHAMBER)
    flats = np.empty((len(files), *shape), np.float32)
    for k, path in enumerate(files):
        with open_input(path) as file:
            image = read_xim(file)
        if image.values is None:
            raise FileFormatError(
                f"{path.name}: the open-beam image contains no values; copy it again."
            )
        refuse_other_size(path, image.values.shape, shape)
        flats[k] = image.values
        # Another voltage changes the spectrum, which no factor can correct.
        _refuse_other_beam(path, image, facts[0])
        reading = image.numbers.get(CHAMBER, 0.0)
        # Without all chamber values, the exposures cannot be compared.
        if min(*chamber, reading) > 0:
            flats[k] *= np.float32(np.median(chamber) / reading)
    if len(files) > 1:
        text = f"{name}: the open beam is the mean of {len(files):,} calibrations."
        notes.append(Information(text))
    return flats


def _refuse_other_beam(path: Path, image: Xim, view: Xim) -> None:
    voltages = [each.numbers.get(VOLTAGE, 0.0) for each in (image, view)]
    if min(voltages) > 0 and abs(voltages[0] - voltages[1]) > DIFFERENT_KV:
        raise FileFormatError(
            f"{path.name}: the open-beam image was taken at {voltages[0]:g} kV, but the scan at "
            f"{voltages[1]:g} kV; copy the calibration of this scan to {CALIBRATIONS}."
        )


def _calibrations(settings: VarianSettings, facts: Facts) -> list[Path]:
    """Return the open-beam images, if possible those of the scan's direction of rotation."""
    above = settings.path.parent / CALIBRATIONS
    folders = entries(above) if is_folder(above) else []
    # The bow-tie filter changes the open beam in every column, so the calibration must have it too.
    name = re.compile(r"filterbowtie(_.*)?\.xim" if settings.bowtie else r"filter\.xim")
    found: list[Path] = []
    used: list[str] = []
    for air in (each for each in folders if each.name.lower().startswith("air-")):
        # `Current` contains the calibration in use, if there is such a folder.
        inside = [entries(each) for each in (air / "Current", air) if is_folder(each)]
        fits = [each for each in inside[0] if name.fullmatch(each.name.lower())] if inside else []
        found += fits
        used += [air.name] if fits else []
    if len(used) > 1:
        raise FileFormatError(
            f"{settings.path.name}: found {len(used)} open-beam calibrations "
            f"({', '.join(used[:4])}); keep only the one for this scan in {CALIBRATIONS}."
        )
    turned = np.unwrap(numbers_of(facts, ANGLE), period=360)
    # The filter moves slightly with the gantry, so each direction of rotation has a calibration.
    sense = "_cw" if turned[-1] > turned[0] else "_cc"
    return [each for each in found if sense in each.name.lower()] or found
