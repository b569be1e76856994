"""Read scans of Varian on-board imagers: `Scan.xml`, `Acquisitions` and the open beam.

Angles are those of the source, clockwise facing the gantry. Columns run to the left as seen from
the source, and rows down from the head. This is the geometry of RTK (gantry 180° − KVSourceRtn,
detector offsets KVDetectorLat and KVDetectorLng), rotated by half a turn about x. Images state
lengths in cm, `Scan.xml` in mm.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.folder import entries, is_folder
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.angles import read_angles
from engine.io.xray.frames import SIDES, Images, allocate_images, assemble
from engine.io.xray.pose import turned_cone
from engine.io.xray.stack import Stack, folder_of_series, refuse_missing, refuse_other_size, series
from engine.io.xray.text.keyvalue import refuse_distances
from engine.io.xray.varian.open_beam import (
    ANGLE,
    CALIBRATIONS,
    CHAMBER,
    VOLTAGE,
    Facts,
    numbers_of,
    open_beam,
    to_one_exposure,
)
from engine.io.xray.varian.settings import NAME, VarianSettings, is_settings, read_settings
from engine.io.xray.varian.xim import MARK, Xim, read_xim

PROJECTION = re.compile(r"^Proj_(?P<number>\d+)\.xim$", re.IGNORECASE)
ACQUISITIONS = "Acquisitions"
FACTS = {"voltage_kv": VOLTAGE, "current_ma": "KVMilliAmperes", "exposure_ms": "KVMilliSeconds"}
SCAN = "AcquisitionId"
DIFFERENT_MM = 1.0
"""Larger differences of distances between images and settings are noted."""


class Varian(ProjectionsReader):
    """Varian cone-beam scan."""

    format_name: ClassVar[str] = "Varian (XIM)"
    spans_folders: ClassVar[bool] = True

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        stated = _path_of_settings(settings)
        root = stated.parent if stated else settings.parent
        if stated:
            yield stated
        above = [each for each in (root / ACQUISITIONS, root / CALIBRATIONS) if is_folder(each)]
        inside = [each for folder in above for each in entries(folder)]
        inner = (each / "Current" for each in inside)
        for folder in dict.fromkeys((settings.parent, root, *inside, *inner)):
            if is_folder(folder):
                files = entries(folder)
                yield from (each for each in files if each.suffix.lower() in cls.companions)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return file.head.startswith(MARK) or is_settings(file)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path = file.path
        whole = is_settings(file)
        folder = _acquisition(path) if whole else path.parent
        settings = read_settings(file) if whole else _settings_above(path)
        notes: list[str] = []
        facts, values = _images(path, _series(path, folder), notes)
        angles = read_angles(_each(path, facts, ANGLE), "deg", f"{path.name}: {ANGLE}")
        n_used = len(angles.rad)
        facts, values = facts[:n_used], values[:n_used]
        geometry = _geometry(path, facts, settings, angles.rad, values.shape[1:], notes)
        flats = open_beam(settings, values.shape[1:], facts, notes) if settings else None
        if settings is None:
            notes.append(
                f"{path.name}: no {NAME} in a folder above it, so the open beam is unknown."
            )
        return assemble(
            path,
            to_one_exposure(path, values, numbers_of(facts, CHAMBER), notes),
            geometry,
            "counts",
            flats=flats,
            calibrated=True,
            info=_info(facts[0]),
            notes=[*angles.notes, *notes, f"{path.name}: {SIDES}."],
        )


def _path_of_settings(path: Path) -> Path | None:
    """Return the settings of a scan, given them or a projection; None if there are none."""
    if path.name.lower() == NAME.lower():
        return path
    # Scan.xml is two folders above Acquisitions/NUMBER/Proj_00001.xim, or next to copied images.
    near = path.parent, *path.parent.parents[: 2 if path.parent.parent.name == ACQUISITIONS else 0]
    found = (
        each for folder in near for each in entries(folder) if each.name.lower() == NAME.lower()
    )
    return next(found, None)


def _settings_above(path: Path) -> VarianSettings | None:
    found = _path_of_settings(path)
    if found is None:
        return None
    with open_input(found) as file:
        return read_settings(file)


def _acquisition(settings: Path) -> Path:
    """Return the only folder of projections of a scan."""
    above = settings.parent / ACQUISITIONS
    inside = [each for each in entries(above) if is_folder(each)] if is_folder(above) else []
    return folder_of_series(settings, (*inside, settings.parent), PROJECTION, "Proj_00001.xim")


def _series(path: Path, folder: Path) -> Stack:
    stack = series(folder, PROJECTION).get("")
    if stack is None:
        raise FileFormatError(
            f"{path.name}: this is a single image, not a scan; open {NAME} of its scan, or a "
            "projection such as Proj_00001.xim."
        )
    refuse_missing(stack, path)
    return stack


def _images(path: Path, stack: Stack, notes: list[str]) -> tuple[list[Xim], Images]:
    """Return facts and values of the images; images taken with the beam off have no values."""
    facts: list[Xim] = []
    values = np.empty((0, 0, 0), np.float32)
    for each in stack.files:
        with open_input(each) as file:
            image = read_xim(file)
        # The machine also stores frames in which the beam was off.
        if image.values is None:
            continue
        # MV images are portal images of the treatment beam, with another geometry.
        if image.texts.get("ImageSourceId", "").startswith("MV"):
            raise FileFormatError(
                f"{each.name}: this image was taken with the treatment beam; open a scan taken "
                "with the kV source."
            )
        if not facts:
            shape = (len(stack), *image.values.shape)
            values = allocate_images(shape, path.name)
        refuse_other_size(each, image.values.shape, values.shape[1:])
        values[len(facts)] = image.values
        facts.append(Xim(None, image.numbers, image.texts))
    if not facts:
        raise FileFormatError(
            f"{path.name}: none of the images contains pixel values; copy the scan again."
        )
    # Copied folders can mix scans, whose numbers then form one series.
    scans = {each.numbers.get(SCAN) for each in facts}
    if len(scans) > 1:
        notes.append(
            f"{path.name}: images of {len(scans):,} scans, according to their {SCAN}; do they "
            "belong together?"
        )
    if len(facts) < len(stack):
        notes.append(
            f"{path.name}: {len(stack) - len(facts):,} images without values are not used."
        )
    return facts, values[: len(facts)]


def _each(path: Path, facts: Facts, name: str) -> NDArray[np.float64]:
    """Return a number of each view; refuse a view that does not state it."""
    without = [k for k, each in enumerate(facts) if name not in each.numbers]
    if without:
        raise FileFormatError(
            f"{path.name}: {name!r} is missing in {len(without):,} of {len(facts):,} images, "
            f"starting with image {without[0]} of the series; export the scan again."
        )
    return np.array([each.numbers[name] for each in facts])


def _geometry(
    path: Path,
    facts: Facts,
    settings: VarianSettings | None,
    angles_rad: NDArray[np.float64],
    shape: tuple[int, ...],
    notes: list[str],
) -> XrayGeometry:
    rows, columns = shape
    width, height = (_cm(path, facts, name) for name in ("PixelWidth", "PixelHeight"))
    if min(width, height) <= 0:
        raise FileFormatError(
            f"{path.name}: the pixel size is {width:g} x {height:g} mm, expected more than 0; "
            "export the scan again."
        )
    if settings:
        sad, sid = settings.source_axis_mm, settings.source_detector_mm
        lateral = settings.lateral_mm
        _tell_other_distances(path, facts, settings, notes)
    else:
        # Without settings, the vertical positions of source and detector give the distances.
        sad = _cm(path, facts, "KVSourceVrt")
        sid = sad - _cm(path, facts, "KVDetectorVrt")
        lateral = None
    refuse_distances(path, sad, sid)
    stated = "KVDetectorLat" in facts[0].numbers
    # The image states the position when it was taken, the settings only the planned one.
    aside = _cm(path, facts, "KVDetectorLat") if stated or lateral is None else lateral
    along = _cm(path, facts, "KVDetectorLng")
    return turned_cone(
        angles_rad,
        source_mm=(0.0, -sad, 0.0),
        detector_mm=(-aside, sid - sad, -along),
        u_mm=(-width, 0.0, 0.0),
        v_mm=(0.0, 0.0, -height),
        shape=(rows, columns),
    )


def _cm(path: Path, facts: Facts, name: str) -> float:
    """Return a length of the scan [mm]: the median of the images, which state cm."""
    return 10 * float(np.median(_each(path, facts, name)))


def _tell_other_distances(
    path: Path, facts: Facts, settings: VarianSettings, notes: list[str]
) -> None:
    wanted = settings.source_axis_mm, settings.source_axis_mm - settings.source_detector_mm
    for name, mm in zip(("KVSourceVrt", "KVDetectorVrt"), wanted, strict=True):
        stated = [10 * each.numbers[name] for each in facts if name in each.numbers]
        if stated and abs(float(np.median(stated)) - mm) > DIFFERENT_MM:
            notes.append(
                f"{path.name}: {name} of the images is {np.median(stated):.1f} mm, but {NAME} "
                f"states {mm:.1f} mm, which is used."
            )


def _info(first: Xim) -> Plain:
    info: Plain = {"format": Varian.name}
    for key, name in FACTS.items():
        if first.numbers.get(name, 0.0) > 0:
            info[key] = first.numbers[name]
    return info
