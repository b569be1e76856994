"""Read Bruker SkyScan scans: a `.log` and a TIFF stack of flat-corrected transmissions.

The object turns by `Rotation Step` in `Rotation Direction` (CC: counter-clockwise, seen from
above), so the source turns the other way. Row 0 is the top; `Optical Axis` counts lines from the
bottom.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engine.core.errors import FileFormatError
from engine.data.planned_scan import AFTER_STEMS, PlannedScan
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.angles import Angles, read_angles
from engine.io.xray.frames import assemble
from engine.io.xray.pose import turned_cone
from engine.io.xray.stack import Stack, read_stack, refuse_missing, refuse_more, series
from engine.io.xray.text.keyvalue import Fields, read_fields, refuse_distances

MARKS = (b"[system]", b"[acquisition]", b"rotation step (deg)")
FACTS = {
    "voltage_kv": "source voltage (kv)",
    "current_ua": "source current (ua)",
    "exposure_ms": "exposure (ms)",
}
OFF = ("off", "no", "0")


class Bruker(ProjectionsReader):
    """Bruker SkyScan scan."""

    format_name: ClassVar[str] = "Bruker SkyScan"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        low = file.head.lower()
        return all(mark in low for mark in MARKS)

    @classmethod
    def may_read_series(cls, settings: Path, prefix: str) -> bool:
        with open_input(settings) as file:
            return prefix in _prefixes(read_fields(file, "="))

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path, fields = file.path, read_fields(file, "=")
        stack = _stack(fields)
        angles = _angles(fields, len(stack))
        # The stack can have one view more than the angles: the last view at 360°.
        images, whole = read_stack(stack.first(len(angles.rad)), path)
        # Reconstructed slices in the same folder are floating-point images.
        if not whole:
            raise FileFormatError(
                f"{path.name}: the images do not contain integers; choose the raw projections, not "
                "the reconstructed slices."
            )
        full = _full_scale(fields)
        notes = [
            *angles.notes,
            f"{path.name}: the file does not state the viewing side of the images; a view from the "
            "source is assumed.",
        ]
        return assemble(
            path,
            images,
            _geometry(fields, angles.rad),
            "transmission" if _corrected(fields) else "counts",
            whole_numbers=whole,
            white_level=full,
            info={"format": cls.name, **fields.facts(FACTS)},
            notes=notes,
        )

    @classmethod
    def planned(cls, file: InputFile, shape: tuple[int, int]) -> PlannedScan:
        fields = read_fields(file, "=")
        angles = _angles(fields, fields.whole("number of files"))
        prefix = fields.text("filename prefix") or file.path.stem
        return PlannedScan(
            cls.name,
            _geometry(fields, angles.rad),
            prefix.rstrip(AFTER_STEMS),
            white_level=_full_scale(fields) if _corrected(fields) else None,
            may_lack_last=True,
        )


def _angles(fields: Fields, n_views: int) -> Angles:
    step = fields.number("rotation step (deg)")
    clockwise = (fields.text("rotation direction") or "CC").upper() == "CW"
    # A clockwise object is a source that turns counter-clockwise, which is positive here.
    turned = step * np.arange(n_views) * (1.0 if clockwise else -1.0)
    return read_angles(turned, "deg", fields.path.name)


def _corrected(fields: Fields) -> bool:
    return (fields.text("flat field correction") or "ON").lower() not in OFF


def _full_scale(fields: Fields) -> float:
    bits = fields.optional("depth (bits)") or 16.0
    if bits not in (8, 10, 12, 14, 16):
        raise FileFormatError(
            f"{fields.path.name}: 'Depth (bits)' is {bits:g}, expected 8, 10, 12, 14 or 16; "
            "correct the log."
        )
    return float(2**bits - 1)


def _prefixes(fields: Fields) -> tuple[str, str]:
    """Return the possible prefixes of the projections; slices and thumbnails have longer ones."""
    prefix = fields.text("filename prefix") or fields.path.stem
    return prefix, f"{prefix}_"


def _stack(fields: Fields) -> Stack:
    """Return the projections; the log states one more than were used for the scan."""
    path = fields.path
    stacks = series(path.parent)
    prefixes = _prefixes(fields)
    fits = {p: s for p, s in stacks.items() if p in prefixes}
    if len(fits) != 1:
        raise FileFormatError(
            f"{path.name}: found {len(fits)} series of TIFF images such as {prefixes[0]}0000.tif, "
            "expected one; copy the whole scan into the folder of the log."
        )
    stack = next(iter(fits.values()))
    n_files = fields.whole("number of files")
    refuse_missing(stack, path, n_files - 1)
    refuse_more(stack, path, n_files)
    return stack


def _geometry(fields: Fields, angles: Any) -> XrayGeometry:
    sod, sdd = fields.positive("object to source (mm)"), fields.positive("camera to source (mm)")
    refuse_distances(fields.path, sod, sdd)
    rows, columns = fields.whole("number of rows"), fields.whole("number of columns")
    width = _pixel_mm(fields, sdd / sod)
    height = width * _ratio(fields)
    line = fields.optional("optical axis (line)")
    middle = (rows - 1) / 2
    # The optical axis is the row of the central ray; it is rarely the middle row.
    low = 0.0 if line is None else (line - middle) * height
    return turned_cone(
        angles,
        source_mm=(0.0, -sod, 0.0),
        detector_mm=(0.0, sdd - sod, -low),
        u_mm=(width, 0.0, 0.0),
        v_mm=(0.0, 0.0, -height),
        shape=(rows, columns),
    )


def _pixel_mm(fields: Fields, magnification: float) -> float:
    """Return the pixel width on the camera."""
    image = fields.optional("image pixel size (um)")
    camera = fields.optional("camera pixel size (um)")
    if image is None and camera is None:
        raise FileFormatError(f"{fields.path.name}: the pixel size is missing; copy the log again.")
    # The image pixel size is that at the rotation axis; the camera is farther away.
    if image is not None:
        return fields.positive("image pixel size (um)") * 1e-3 * magnification
    return fields.positive("camera pixel size (um)") * 1e-3


def _ratio(fields: Fields) -> float:
    """Return the ratio of pixel height to width."""
    return 1.0 if fields.text("cameraxyratio") is None else fields.positive("cameraxyratio")
