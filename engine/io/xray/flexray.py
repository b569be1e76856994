"""Read FleX-ray scans: TIFF images (`scan_`, flats `io`, darks `di`) and `scan settings.txt`.

Lengths are in mm, the voxel size in µm. Motor positions are used as stated. The file does not
contain the calibration of the machine, so the rotation axis has to be found.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.core.json_types import Plain
from engine.data.planned_scan import PlannedScan
from engine.data.projections import Projections
from engine.io.base import ProjectionsReader
from engine.io.safety.open_input import InputFile
from engine.io.xray.angles import read_angles
from engine.io.xray.frames import Images, assemble
from engine.io.xray.pose import turned_cone
from engine.io.xray.stack import Stack, read_stack, refuse_missing, refuse_more, series
from engine.io.xray.text.keyvalue import Fields, read_fields, refuse_distances

SCAN, FLAT, DARK = "scan_", "io", "di"
MARKS = (b"sod", b"sdd")
RAW_CENTRE, RAW_PIXEL_MM = (971, 767), 0.0748
"""Middle pixel (column, row) of the whole unbinned detector, and its pixel size."""
FINE_STEP_DEG = 0.001
"""Chosen steps are multiples of this."""
BEFORE = "# pre flat fields"
FACTS = {
    "voltage_kv": "tube voltage",
    "power_w": "tube power",
    "exposure_ms": "exposure time (ms)",
    "averages": "number of averages",
}


class FlexRay(ProjectionsReader):
    """FleX-ray scan folder."""

    format_name: ClassVar[str] = "FleX-ray"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        # Whole keys: "sod" and "sdd" occur inside words of many texts.
        lines = [line.strip() for line in file.head.lower().splitlines()]
        return all(any(_is_key(line, mark) for line in lines) for mark in MARKS)

    @classmethod
    def may_read_series(cls, settings: Path, prefix: str) -> bool:
        return prefix in (SCAN, FLAT, DARK)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path, fields = file.path, read_fields(file, ":")
        stacks = series(path.parent)
        # The number of angles follows from the images: a scan can be stopped early.
        stack = _projections(stacks, fields)
        angles = read_angles(_angles(fields, len(stack)), "deg", path.name)
        flats, darks = (_optional(stacks, prefix, path) for prefix in (FLAT, DARK))
        images, whole = read_stack(stack.first(len(angles.rad)), path)
        shape = images.shape[1:]
        notes = [
            *angles.notes,
            f"{path.name}: the file contains no machine calibration; check the rotation axis.",
        ]
        if flats is None:
            notes.append(f"{path.name}: no flat images io000000.tif, so the open beam is unknown.")
        return assemble(
            path,
            images,
            turned_cone(angles.rad, **_pose(fields), shape=shape),
            "counts",
            flats=flats,
            darks=darks,
            whole_numbers=whole,
            info={
                "format": cls.name,
                **fields.facts(FACTS),
                **_flat_views(fields, flats, len(images)),
            },
            notes=notes,
        )

    @classmethod
    def planned(cls, file: InputFile, shape: tuple[int, int]) -> PlannedScan:
        fields = read_fields(file, ":")
        angles = read_angles(_angles(fields, _planned(fields)), "deg", file.name)
        geometry = turned_cone(angles.rad, **_pose(fields), shape=shape)
        return PlannedScan(cls.name, geometry, SCAN.rstrip("_"), FLAT, DARK)


def _planned(fields: Fields) -> int:
    """Return the number of images; some settings do not count the last, which repeats the first."""
    stated = fields.whole("# projections")
    span = fields.number("last angle") - fields.number("start angle")
    # With a round step between `stated` angles, the repeated last view is already counted.
    if stated < 2 or _is_round(span / (stated - 1)) or not _is_round(span / stated):
        return stated
    return stated + 1


def _is_round(step_deg: float) -> bool:
    return abs(step_deg / FINE_STEP_DEG - round(step_deg / FINE_STEP_DEG)) < 1e-6


def _is_key(line: bytes, key: bytes) -> bool:
    name, found, _ = line.partition(b":")
    return bool(found) and name.strip() == key


def _projections(stacks: dict[str, Stack], fields: Fields) -> Stack:
    stack = stacks.get(SCAN)
    if stack is None:
        raise FileFormatError(
            f"{fields.path.name}: found no projections such as {SCAN}000000.tif in its folder; "
            "copy the whole folder."
        )
    wanted = fields.optional("# projections")
    refuse_missing(stack, fields.path, int(wanted) if wanted else None)
    if wanted:  # some settings do not count the repeated last view
        refuse_more(stack, fields.path, int(wanted), n_extra=1)
    # The numbers show a gap at the start, which `refuse_missing` cannot see.
    if stack.numbers[0] not in (0, 1):
        raise FileFormatError(
            f"{fields.path.name}: the projections before {stack.files[0].name} are missing; copy "
            "the whole folder."
        )
    return stack


def _optional(stacks: dict[str, Stack], prefix: str, path: Path) -> Images | None:
    stack = stacks.get(prefix)
    if stack is None:
        return None
    refuse_missing(stack, path)
    return read_stack(stack, path)[0]


def _angles(fields: Fields, n_views: int) -> Any:
    return np.linspace(fields.number("start angle"), fields.number("last angle"), n_views)


def _pose(fields: Fields) -> Plain:
    """Return source, detector and pixel steps at angle 0; row 0 is the top of the image."""
    sod, sdd = fields.positive("sod"), fields.positive("sdd")
    refuse_distances(fields.path, sod, sdd)
    pixel = _pixel_mm(fields, sdd / sod)
    axis = fields.optional("tra_obj") or 0.0
    right, up = _window(fields)
    # Positions relative to the axis: the stage moves sideways by tra_obj.
    source = ((fields.optional("tra_tube") or 0.0) - axis, -sod, fields.optional("ver_tube") or 0.0)
    detector = (
        (fields.optional("tra_det") or 0.0) + right - axis,
        sdd - sod,
        (fields.optional("ver_det") or 0.0) + up,
    )
    return {
        "source_mm": source,
        "detector_mm": detector,
        "u_mm": (pixel, 0.0, 0.0),
        "v_mm": (0.0, 0.0, -pixel),
    }


def _pixel_mm(fields: Fields, magnification: float) -> float:
    """Return the pixel size from the voxel size [µm]; the stated pixel, in mm or µm, must agree."""
    # The voxel size is stated for the binning used; the pixel size is given in mm or µm, by
    # version.
    pixel = fields.positive("voxel size") * 1e-3 * magnification
    stated = fields.optional("binned pixel size")
    if stated is not None and not any(
        abs(stated * scale - pixel) < 0.02 * pixel for scale in (1.0, 1e-3)
    ):
        raise FileFormatError(
            f"{fields.path.name}: the binned pixel size is {stated:g}, but the voxel size, SOD and "
            f"SDD result in {pixel:.5g} mm; correct the settings."
        )
    return pixel


def _window(fields: Fields) -> tuple[float, float]:
    """Return the centre of the read-out window relative to the detector, right and up [mm].

    Rows count upwards, as in the reader of the scanner's laboratory (CWI).
    """
    text = fields.text("roi (ltrb)")
    if text is None:
        return 0.0, 0.0
    try:
        left, top, right, bottom = (float(part) for part in text.split(","))
    except ValueError as e:
        raise FileFormatError(
            f"{fields.path.name}: 'ROI (LTRB)' is {text!r}, expected four numbers; correct the "
            "settings."
        ) from e
    # Integer division, as in CWI's reader.
    across = (left + right) // 2 - RAW_CENTRE[0]
    up = (top + bottom) // 2 - RAW_CENTRE[1]
    return across * RAW_PIXEL_MM, up * RAW_PIXEL_MM


def _flat_views(fields: Fields, flats: Images | None, n_views: int) -> Plain:
    """Return the views of the flats: the stated number before the scan, the others after it."""
    before = fields.optional(BEFORE)
    # Flats before and after the scan follow the drift of the beam.
    if flats is None or before is None or not 0 < before < len(flats):
        return {}
    return {"flat_views": [0 if k < before else n_views for k in range(len(flats))]}
