"""Read Varian on-board imagers before TrueBeam: a folder of `.hnd` images and `ProjectionInfo.xml`.

Distances and panel position are the calibrated ones of the XML file; each image states its angle:
GantryAngle = CTProjectionAngle, panel offset = CalibratedDetectorOffset, for a half fan
+ DetectorPosLat. This is the geometry of RTK, which uses 139,000 counts for the open beam.

A `.hnd` file is one projection and its header. The header has 1,024 bytes; the RTK project
publishes its layout. The table of widths follows, with two bits for each pixel below the first row,
then the values, compressed as in `.xim`, to the end.

Read `ProjectionInfo.xml` of a Varian on-board imager: distances and panel position.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from engine.io.xray.frames import SIDES, Images, assemble
from engine.io.xray.stack import Stack, folder_of_series, read_images, refuse_missing, series
from engine.io.xray.text.keyvalue import refuse_distances
from engine.io.xray.text.xml_text import XmlText
from engine.io.xray.varian.open_beam import numbers_of, to_one_exposure
from engine.io.xray.varian.xim import BYTES, MAX_PIXELS, UNKNOWN, ImageBytes, Xim, from_differences

PROJECTION = re.compile(r"^(?P<prefix>.*?)(?P<number>\d+)\.hnd$", re.IGNORECASE)
OPEN = 139_000.0
FACTS = {"voltage_kv": "XRayKV", "current_ma": "XRayMA"}
PIXEL = "IDUResolutionX", "IDUResolutionY"
ANGLE, CHAMBER = "CTProjectionAngle", "CTNormChamber"
BRIGHT = "the files contain no open beam; 139,000 counts are used, as in RTK"
MARK = b"VARIAN_VA_INTERNAL"
HEADER_BYTES = 1024
TEXTS = "<32s4x4s4x8s8s16s4x16s4x16s4x"
"""Type, checksum, date, time and names, each followed by a number that is skipped."""
SIZES_AT = struct.calcsize(TEXTS)
DOUBLES_AT = SIZES_AT + 8 + 8 + 16 + 12 + 4
"""Offset after columns, rows, slice position, modality, window, level, offset and type."""
DOUBLES = (
    *("GantryRtn", "SAD", "SFD", "CollX1", "CollX2", "CollY1", "CollY2", "CollRtn"),
    *("FieldX", "FieldY", "BladeX1", "BladeX2", "BladeY1", "BladeY2"),
    *("IDUPosLng", "IDUPosLat", "IDUPosVrt", "IDUPosRtn", "PatientSupportAngle"),
    *("TableTopEccentricAngle", "CouchVrt", "CouchLng", "CouchLat"),
    *("IDUResolutionX", "IDUResolutionY", "ImageResolutionX", "ImageResolutionY"),
    *("Energy", "DoseRate", "XRayKV", "XRayMA", "MetersetExposure", "AcqAdjustment"),
    *("CTProjectionAngle", "CTNormChamber"),
)
NAME = "projectioninfo.xml"
HALF_FAN = "halffan"
NAMES = (
    *("CalibratedSAD", "CalibratedSID", "CalibratedDetectorOffsetX", "CalibratedDetectorOffsetY"),
    *("DetectorPosLat", "FanType"),
)


class VarianObi(ProjectionsReader):
    """Varian cone-beam scan of an on-board imager before TrueBeam."""

    format_name: ClassVar[str] = "Varian OBI (HND)"
    spans_folders: ClassVar[bool] = True

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        folder, above = settings.parent, settings.absolute().parent.parent
        is_settings = settings.name.lower() == NAME
        inside = [each for each in entries(folder) if is_folder(each)] if is_settings else []
        for each in (file for one in (folder, *inside) for file in entries(one)):
            if each.suffix.lower() in cls.companions or each.name.lower() == NAME:
                yield each
        if not is_settings:
            yield from (each for each in entries(above) if each.name.lower() == NAME)

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
        n_used = len(angles.rad)
        notes = [*angles.notes, *(f"{path.name}: {each}." for each in (BRIGHT, SIDES))]
        chambers = numbers_of(facts[:n_used], CHAMBER)
        return assemble(
            path,
            # The open beam of RTK applies to a constant tube output, so views are scaled to one
            # exposure.
            to_one_exposure(path, values[:n_used], chambers, notes),
            _geometry(path, settings, facts, angles.rad, values.shape[1:]),
            "transmission",
            calibrated=True,
            white_level=OPEN,
            info=_info(facts[0]),
            notes=notes,
        )


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
    return folder_of_series(settings, (settings.parent, *inner), PROJECTION, "Proj_0000.hnd")


def _series(path: Path, folder: Path) -> Stack:
    stacks = series(folder, PROJECTION)
    if not stacks:
        raise FileFormatError(
            f"{path.name}: this is a single image, not a scan; open {NAME} of its scan."
        )
    # Numbers restart for each scan, so two scans would be mixed.
    if len(stacks) > 1:
        raise FileFormatError(
            f"{path.name}: the folder contains images from {len(stacks)} scans "
            f"({', '.join(sorted(stacks)[:4])}); keep the images of only one scan."
        )
    (stack,) = stacks.values()
    refuse_missing(stack, path)
    return stack


def _images(path: Path, stack: Stack) -> tuple[list[Xim], Images]:
    facts: list[Xim] = []

    def read(file: InputFile) -> NDArray[np.int64]:
        values, numbers = read_hnd(file)
        facts.append(Xim(None, numbers, {}))
        return values

    values = read_images(stack.files, path, read)
    return facts, values


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
        in_range(path, name, float(np.median(numbers_of(facts, name))), PIXEL_MM)
        for name in PIXEL
    )
    refuse_distances(path, settings.source_axis_mm, settings.source_detector_mm)
    return from_rtk(
        RtkParameters.upright(
            gantry_rad,
            settings.source_axis_mm,
            settings.source_detector_mm,
            np.tile(settings.offset_mm, (len(gantry_rad), 1)),
        ),
        shape=(rows, columns),
        pixel_mm=(width, height),
    )


def _info(first: Xim) -> Plain:
    stated = {key: first.numbers.get(name, 0.0) for key, name in FACTS.items()}
    return {"format": VarianObi.name, **{key: fact for key, fact in stated.items() if fact > 0}}


def read_hnd(file: InputFile) -> tuple[NDArray[np.int64], dict[str, float]]:
    """Return image and numbers of a `.hnd` file, without unknown values.

    Parameters
    ----------
    file
        `.hnd` file

    Raises
    ------
    FileFormatError
        if the file is damaged
    """
    left = ImageBytes(file.path, file.read())
    head = left.take(HEADER_BYTES)
    columns, rows = struct.unpack_from("<2I", head, SIZES_AT)
    if not (1 < columns <= MAX_PIXELS and 1 < rows <= MAX_PIXELS):
        raise FileFormatError(
            f"{file.name}: the image size is {rows:,} x {columns:,} pixels (rows x columns), "
            f"expected 2 to {MAX_PIXELS:,} for both; copy it again."
        )
    numbers = struct.unpack_from(f"<{len(DOUBLES)}d", head, DOUBLES_AT)
    table = left.take(-(-(rows - 1) * columns // 4))
    n = (rows - 1) * columns - 1
    pairs = np.frombuffer(table, np.uint8)[:, None] >> np.array([0, 2, 4, 6], np.uint8)
    # The header states no size of the compressed values, but the table determines it.
    n_bytes = 4 * (columns + 1) + int(BYTES[(pairs & 3).reshape(-1)[:n]].sum())
    values = from_differences(left, table, left.take(n_bytes), (rows, columns))
    # Unknown values are stored as the largest float.
    known = {k: n for k, n in zip(DOUBLES, numbers, strict=True) if abs(n) < UNKNOWN}
    return values, known


@dataclass(frozen=True)
class ObiSettings:
    """Planned settings of a scan.

    Attributes
    ----------
    source_axis_mm, source_detector_mm : calibrated distances
    offset_mm : offset of the panel centre, along its columns and rows
    """

    source_axis_mm: float
    source_detector_mm: float
    offset_mm: tuple[float, float]


def is_obi_settings(file: InputFile) -> bool:
    """Return True if name and first bytes of a file are those of the settings of a scan."""
    return file.name.lower() == NAME and file.head.lstrip(b"\xef\xbb\xbf\r\n ").startswith(b"<")


class _Text(XmlText):
    """The first text of each required element."""

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.found: dict[str, str] = {}

    def closed(self, name: str, text: str) -> None:
        if name in NAMES:
            self.found.setdefault(name, text)


def read_obi_settings(file: InputFile) -> ObiSettings:
    """Return the settings without loading other files.

    Parameters
    ----------
    file
        `ProjectionInfo.xml`

    Raises
    ------
    FileFormatError
        if the file is damaged, or a distance or the panel position is missing
    """
    seen = _Text(file)
    seen.read()
    source_axis, source_detector, across, along = (
        seen.number(seen.found, name) for name in NAMES[:4]
    )
    if "FanType" not in seen.found:
        seen.refuse("'FanType' is missing")
    # In a half fan, the panel is shifted sideways to widen the field of view.
    if seen.found["FanType"].lower() == HALF_FAN:
        across += seen.number(seen.found, "DetectorPosLat")
    return ObiSettings(source_axis, source_detector, (across, along))
