"""Read Nikon / X-Tek scans: `.xtekct` settings and a TIFF stack, divided by the white level.

The object turns, and images are seen from behind the detector: columns run to the left as seen from
the source, row 0 is the top. The sign of the centre of rotation is that of CIL's reader.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import EngineError, FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.planned_scan import PlannedScan
from engine.data.projections import Projections
from engine.geometry.xray import XrayGeometry
from engine.io.base import ProjectionsReader
from engine.io.folder import exists, is_folder, path_next_to
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.angles import read_angles
from engine.io.xray.find import LISTS
from engine.io.xray.frames import assemble
from engine.io.xray.pose import turned_cone
from engine.io.xray.stack import Stack, read_stack, refuse_missing, refuse_more, series
from engine.io.xray.text.keyvalue import Fields, read_fields, refuse_distances, settings_text

MARK = b"[xtekct]"
FACTS = {"voltage_kv": "xraykv", "current_ua": "xrayua", "white_level": "whitelevel"}


class Nikon(ProjectionsReader):
    """Nikon scan."""

    format_name: ClassVar[str] = "Nikon XTEK"

    @classmethod
    def may_read_series(cls, settings: Path, prefix: str) -> bool:
        with open_input(settings) as file:
            return _is_named(read_fields(file, "="), prefix)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path, fields = file.path, read_fields(file, "=")
        n_views = fields.whole("projections")
        stack = _stack(fields, n_views)
        angles = read_angles(_angles(fields, n_views), "deg", path.name)
        white = fields.positive("whitelevel")
        images, whole = read_stack(stack.first(len(angles.rad)), path)
        notes = list(angles.notes)
        geometry = _geometry(fields, angles.rad, notes)
        return assemble(
            path,
            images,
            geometry,
            "transmission",
            whole_numbers=whole,
            white_level=white,
            info={"format": cls.name, **fields.facts(FACTS)},
            notes=notes,
        )

    @classmethod
    def planned(cls, file: InputFile, shape: tuple[int, int]) -> PlannedScan:
        fields = read_fields(file, "=")
        n_views = fields.whole("projections")
        try:
            listed = _angles(fields, n_views)
        except EngineError:  # the list of angles is still being written
            listed = _planned(fields, n_views) + fields.number("initialangle")
        angles = read_angles(listed, "deg", file.name)
        folder = fields.text("inputfoldername") or ""
        return PlannedScan(
            cls.name,
            _geometry(fields, angles.rad, []),
            fields.text("name") or "",
            folder="" if folder == "." else folder,
            white_level=fields.positive("whitelevel"),
        )


def _is_named(fields: Fields, prefix: str) -> bool:
    """Return True if the settings name a series of images."""
    wanted = fields.text("name")
    return bool(wanted) and prefix.rstrip("_- ") == wanted


def _stack(fields: Fields, n_views: int) -> Stack:
    path = fields.path
    folder = path.parent
    name = fields.text("inputfoldername")
    # The settings keep the folder of the scanner; copies often have the images next to the
    # settings.
    if name and name not in (".", folder.name):
        inner = path_next_to(path, name)
        folder = inner if is_folder(inner) else folder
    stacks = series(folder)
    # Renamed images: if no name fits, the only series of the folder is used.
    fits = {p: s for p, s in stacks.items() if _is_named(fields, p)} or stacks
    if len(fits) != 1:
        raise FileFormatError(
            f"{path.name}: found {len(fits)} series of numbered TIFF images in {folder.name}, "
            f"expected one series named {fields.text('name')!r}; copy the whole scan."
        )
    stack = next(iter(fits.values()))
    refuse_missing(stack, path, n_views)
    # One more image is accepted, because some scans end with a repeat of the first view.
    refuse_more(stack, path, n_views, n_extra=1)
    return stack.first(n_views)


def _angles(fields: Fields, n_views: int) -> NDArray[np.floating]:
    """Return the rotation in each view [°]: measured if there is a list, otherwise planned."""
    planned = _planned(fields, n_views)
    folder, stem = fields.path.parent, fields.path.stem
    for ending in LISTS:
        for path in (folder / f"{stem}{ending}", folder / ending):
            if exists(path):
                with open_input(path) as file:
                    return _measured(file, planned, fields) + fields.number("initialangle")
    return planned + fields.number("initialangle")


def _planned(fields: Fields, n_views: int) -> NDArray[np.floating]:
    """Return the rotation of each view relative to the first [°]."""
    return fields.number("angularstep") * np.arange(n_views, dtype=np.float64)


def _measured(
    file: InputFile, planned: NDArray[np.floating], fields: Fields
) -> NDArray[np.floating]:
    """Return the listed angles relative to the first, with the sign of the planned angles."""
    path = file.path
    rows = [line.replace(":", " ").split() for line in settings_text(file).splitlines()]
    values: list[float] = []
    for row in rows:
        try:
            number, angle = float(row[0]), float(row[1])
        except (IndexError, ValueError):
            continue
        # View numbers count from 0 or from 1; other lines are headings.
        if number in (len(values), len(values) + 1):
            values.append(angle)
    if len(values) != len(planned):
        raise GeometryError(
            f"{path.name}: contains {len(values):,} angles, but {fields.path.name} states "
            f"{len(planned):,} projections; copy the list of angles for this scan."
        )
    # The list restarts at 0° after a turn.
    turned = np.asarray(np.unwrap(np.array(values), period=360.0), np.float64)
    turned -= turned[0]
    # The list can count in the opposite direction of the planned steps.
    if turned[-1] * planned[-1] < 0:
        turned = -turned
    off = float(np.abs(turned - planned).max())
    if off > 2 * abs(planned[1] - planned[0] if len(planned) > 1 else 1.0):
        raise GeometryError(
            f"{path.name}: the angles differ by up to {off:.5g}° from those planned in "
            f"{fields.path.name}; copy the list of angles for this scan."
        )
    return turned


def _geometry(fields: Fields, angles: NDArray[np.floating], notes: list[str]) -> XrayGeometry:
    sod, sdd = fields.positive("srctoobject"), fields.positive("srctodetector")
    refuse_distances(fields.path, sod, sdd)
    offset = fields.optional("objectoffsetx")
    rows, columns = fields.whole("detectorpixelsy"), fields.whole("detectorpixelsx")
    height = fields.positive("detectorpixelsizey")
    top, bottom = (fields.optional(f"centreofrotation{end}") or 0.0 for end in ("top", "bottom"))
    # Without an object offset, the axis on the detector is scaled back to the object.
    if offset is None:
        offset = (top + bottom) / 2 * sod / sdd
    roll, tilt = fields.optional("objectroll"), math.radians(fields.optional("objecttilt") or 0.0)
    # Without a roll, the difference of the axis between top and bottom row gives the inclination.
    lean = -math.atan2(top - bottom, rows * height) if roll is None else math.radians(roll)
    if offset:
        notes.append(
            f"{fields.path.name}: the axis is {offset:.4g} mm off centre; its sign differs between "
            "vendors, so check the rotation axis."
        )
    if abs(lean) + abs(tilt) > 1e-6:
        notes.append(
            f"{fields.path.name}: the settings state a rotation axis with a roll of "
            f"{math.degrees(lean):.3g}° and a tilt of {math.degrees(tilt):.3g}°."
        )
    upright = _upright(lean, -tilt)
    at = {
        "source_mm": (offset, -sod, 0.0),
        "detector_mm": (
            offset + (fields.optional("detectoroffsetx") or 0.0),
            sdd - sod,
            fields.optional("detectoroffsety") or 0.0,
        ),
        "u_mm": (-fields.positive("detectorpixelsizex"), 0.0, 0.0),
        "v_mm": (0.0, 0.0, -height),
    }
    pose: Plain = {key: tuple(upright @ np.array(a)) for key, a in at.items()}
    return turned_cone(angles - np.pi, **pose, shape=(rows, columns))


def _upright(lean: float, tilt: float) -> NDArray[np.floating]:
    """Return the smallest rotation that makes the inclined and tilted axis vertical."""
    c, s, ct, st = math.cos(lean), math.sin(lean), math.cos(tilt), math.sin(tilt)
    about_x = np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
    about_y = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    axis = about_x @ about_y @ np.array([0.0, 0.0, 1.0])
    x, y, z = axis
    k = 1.0 / (1.0 + z)
    return np.array([[1 - k * x * x, -k * x * y, -x], [-k * x * y, 1 - k * y * y, -y], [x, y, z]])
