"""Read Varian on-board imagers before TrueBeam: a folder of `.hnd` images and `ProjectionInfo.xml`.

Distances and panel position are the calibrated ones of the XML file; each image states its angle:
GantryAngle = CTProjectionAngle, panel offset = CalibratedDetectorOffset, for a half fan
+ DetectorPosLat. This is the geometry of RTK, which uses 139,000 counts for the open beam.
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
from engine.data.projections import Projections
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.folder import entries, is_file, is_folder
from engine.io.safety.open_input import InputFile, open_input
from engine.io.safety.ranges import PIXEL_MM, in_range
from engine.io.xray.angles import read_angles
from engine.io.xray.frames import Images, assemble
from engine.io.xray.image_storage import allocate_images
from engine.io.xray.stack import Stack, refuse_missing
from engine.io.xray.text.keyvalue import refuse_distances
from engine.io.xray.varian.hnd import MARK, read_hnd
from engine.io.xray.varian.obi_settings import NAME, ObiSettings, is_obi_settings, read_obi_settings
from engine.io.xray.varian.open_beam import CHAMBER, refuse_other_size, to_one_exposure
from engine.io.xray.varian.xim import Xim

PROJECTION = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.hnd$", re.IGNORECASE)
OPEN = 139_000.0
FACTS = {"voltage_kv": "XRayKV", "current_ma": "XRayMA"}
PIXEL = "IDUResolutionX", "IDUResolutionY"
ANGLE, CHAMBER_HERE = "CTProjectionAngle", "CTNormChamber"
BRIGHT = "the files contain no open beam; 139,000 counts are used, as in RTK"
SIDES = (
    "the file does not state the patient position; the orientation letters assume head first, "
    "supine"
)


class VarianObi(ProjectionsReader):
    """Varian cone-beam scan of an on-board imager before TrueBeam."""

    name: ClassVar[str] = "Varian scan (HND)"
    format_name: ClassVar[str] = "Varian OBI (HND)"
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)
    companions: ClassVar[tuple[str, ...]] = (".hnd",)
    spans_folders: ClassVar[bool] = True

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        yield from files_of(settings)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head.startswith(MARK) or is_obi_settings(file)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path = file.path
        if is_obi_settings(file):
            settings, folder = read_obi_settings(file), _folder_below(path)
        else:
            settings, folder = _settings_above(path), path.parent
        stack = _series(path, folder)
        facts, values = _images(path, stack)
        stated = np.array([each.numbers.get(ANGLE, np.nan) for each in facts])
        angles = read_angles(stated, "deg", f"{path.name}: {ANGLE}")
        kept = len(angles.rad)
        notes = [*angles.notes, *(f"{path.name}: {each}." for each in (BRIGHT, SIDES))]
        chambers = _numbers(facts[:kept], CHAMBER_HERE)
        # The chamber has another name in `.hnd`; the correction is that of `.xim`.
        exposures = [Xim(None, {CHAMBER: each}, {}) for each in chambers]
        return assemble(
            path,
            # The open beam of RTK applies to a constant tube output, so views are scaled to one
            # exposure.
            to_one_exposure(path, values[:kept], exposures, notes),
            _geometry(path, settings, facts, angles.rad, values.shape[1:]),
            "transmission",
            calibrated=True,
            white_level=OPEN,
            info=_info(facts[0]),
            notes=notes,
        )


def files_of(path: Path) -> Iterator[Path]:
    """Yield the files of a scan, whichever of them is named; possibly too many."""
    folder, above = path.parent, path.absolute().parent.parent
    is_settings = path.name.lower() == NAME
    inside = [each for each in entries(folder) if is_folder(each)] if is_settings else []
    for each in (file for one in (folder, *inside) for file in entries(one)):
        if each.suffix.lower() in VarianObi.companions or each.name.lower() == NAME:
            yield each
    if not is_settings:
        yield from (each for each in entries(above) if each.name.lower() == NAME)


def _settings_above(image: Path) -> ObiSettings:
    """Return the settings next to an image or in the parent folder."""
    # Exports differ: the settings are next to the images or one folder above.
    for folder in (image.parent, image.absolute().parent.parent):
        for each in entries(folder):
            if each.name.lower() == NAME and is_file(each):
                with open_input(each) as file:
                    return read_obi_settings(file)
    raise FileFormatError(
        f"{image.name}: ProjectionInfo.xml with the distances is not in this folder or its parent; "
        "copy it there, or open a folder of TIFF projections with `isocenter import`."
    )


def _folder_below(settings: Path) -> Path:
    """Return the only folder of projections of a scan: that of the settings, or one inside it."""
    inner = [each for each in entries(settings.parent) if is_folder(each)]
    found = [each for each in (settings.parent, *inner) if _numbered(each)]
    if len(found) > 1:
        names = ", ".join(each.name for each in found[:4])
        raise FileFormatError(
            f"{settings.name}: found {len(found)} scans ({names}); open an image from one of them."
        )
    if not found:
        raise FileFormatError(
            f"{settings.name}: found no Proj_0000.hnd in its subfolders; copy the complete scan."
        )
    return found[0]


def _numbered(folder: Path) -> list[tuple[str, int, Path]]:
    matches = ((PROJECTION.match(each.name), each) for each in entries(folder))
    return sorted((m["prefix"], int(m["number"]), each) for m, each in matches if m)


def _series(path: Path, folder: Path) -> Stack:
    found = _numbered(folder)
    if not found:
        raise FileFormatError(
            f"{path.name}: this is a single image, not a scan; open {NAME} of its scan."
        )
    # Numbers restart for each scan, so two scans would be mixed.
    prefixes = sorted({prefix for prefix, _, _ in found})
    if len(prefixes) > 1:
        raise FileFormatError(
            f"{path.name}: the folder contains images from {len(prefixes)} scans "
            f"({', '.join(prefixes[:4])}); keep the images of only one scan."
        )
    stack = Stack(tuple(each for _, _, each in found), tuple(number for _, number, _ in found))
    refuse_missing(stack, path)
    return stack


def _images(path: Path, stack: Stack) -> tuple[list[Xim], Images]:
    facts: list[Xim] = []
    values = np.empty((0, 0, 0), np.float32)
    for k, each in enumerate(stack.files):
        with open_input(each) as file:
            image = read_hnd(file)
        # For the type only: `read_hnd` always returns values.
        if image.values is None:
            raise FileFormatError(f"{each.name}: contains no values; copy it again.")
        if not k:
            values = allocate_images((len(stack), *image.values.shape), path.name)
        refuse_other_size(each, image, values.shape[1:])
        values[k] = image.values
        facts.append(Xim(None, image.numbers, {}))
    return facts, values


def _numbers(facts: Sequence[Xim], name: str) -> list[float]:
    """Return a number of each image; 0 if the machine did not store it."""
    return [each.numbers.get(name, 0.0) for each in facts]


def _geometry(
    path: Path,
    settings: ObiSettings,
    facts: Sequence[Xim],
    gantry_rad: NDArray[np.float64],
    shape: tuple[int, ...],
) -> XrayGeometry:
    rows, columns = shape
    width, height = (
        # The median ignores single images with a damaged header.
        in_range(path, name, float(np.median(_numbers(facts, name))), PIXEL_MM)
        for name in PIXEL
    )
    refuse_distances(path, settings.source_axis_mm, settings.source_detector_mm)
    zero = np.zeros(len(gantry_rad))
    return from_rtk(
        RtkParameters(
            gantry_rad=gantry_rad,
            out_of_plane_rad=zero,
            in_plane_rad=zero,
            source_isocentre_mm=zero + settings.source_axis_mm,
            source_detector_mm=zero + settings.source_detector_mm,
            source_offset_mm=np.zeros((len(zero), 2)),
            projection_offset_mm=np.tile(settings.offset_mm, (len(zero), 1)),
        ),
        shape=(rows, columns),
        pixel_mm=(width, height),
    )


def _info(first: Xim) -> Plain:
    stated = {key: first.numbers.get(name, 0.0) for key, name in FACTS.items()}
    return {"format": VarianObi.name, **{key: fact for key, fact in stated.items() if fact > 0}}
