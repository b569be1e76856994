"""Read Elekta XVI scans: a folder of `.his` frames with its `_Frames.xml`.

T = (65536 − raw) / 65536,   gantry angle, source to axis 1000 mm and to panel 1536 mm,
offset of the panel = −(UCentre, VCentre),   panel of 409.6 mm without its four outer pixels

The RTK project reads these scans in the same way (its readers of HIS frames and of XVI 5's
`_Frames.xml`, and its Elekta look-up table: raw values are small in air, and the two extreme values
count as air).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.io.base import ProjectionsReader
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.angles import read_angles
from engine.io.xray.elekta.frames import ENDING, Frames, is_frames, read_frames
from engine.io.xray.elekta.his import is_his, read_his
from engine.io.xray.frames import Images, assemble, listed
from engine.io.xray.image_storage import allocate_images

NAMED = re.compile(r"^(?P<number>\d+)(?P<rest>\D.*)?\.his$", re.IGNORECASE)
SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, PANEL_MM = 1000.0, 1536.0, 409.6
OUTER = 4
"""Pixels at each edge of the panel that measure nothing."""
OPEN = 65536.0
SIDES = (
    "the file does not state the patient position; the orientation letters assume head first, "
    "supine"
)
BRIGHT = "the file contains no open beam; 65,536 counts are used, as in RTK"


class Elekta(ProjectionsReader):
    """Elekta XVI cone-beam scan."""

    name: ClassVar[str] = "Elekta XVI scan"
    format_name: ClassVar[str] = "Elekta XVI"
    suffixes: ClassVar[tuple[str, ...]] = (".xml",)
    companions: ClassVar[tuple[str, ...]] = (".his",)
    spans_folders: ClassVar[bool] = True

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        yield from files_of(settings)

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_his(file) or is_frames(file)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path = file.path
        frames = read_frames(file) if is_frames(file) else _adjacent_frames(path)
        files = _files(path, frames)
        angles = read_angles(frames.gantry_deg, "deg", f"{path.name}: GantryAngle")
        kept = len(angles.rad)
        values = _values(path, files[:kept])
        n = values.shape[1]
        zero = np.zeros(kept)
        # The geometry uses the whole panel, and is cropped together with the images.
        geometry = from_rtk(
            RtkParameters(
                gantry_rad=angles.rad,
                out_of_plane_rad=zero,
                in_plane_rad=zero,
                source_isocentre_mm=zero + SOURCE_AXIS_MM,
                source_detector_mm=zero + SOURCE_DETECTOR_MM,
                source_offset_mm=np.zeros((kept, 2)),
                projection_offset_mm=-frames.centre_mm[:kept],
            ),
            shape=(n, n),
            pixel_mm=(PANEL_MM / n, PANEL_MM / n),
        )
        inner = slice(OUTER, n - OUTER)
        notes = [*angles.notes, *(f"{path.name}: {each}." for each in (BRIGHT, SIDES))]
        if frames.n_dark:
            notes.append(f"{path.name}: {frames.n_dark:,} unexposed frames are not used.")
        return assemble(
            path,
            np.ascontiguousarray(values[:, inner, inner]),
            geometry.cropped(inner, inner),
            "transmission",
            # The frames state the panel offset measured by flexmap calibration, so the axis is
            # known.
            calibrated=True,
            white_level=OPEN,
            info=_info(frames),
            notes=notes,
        )


def files_of(path: Path) -> Iterator[Path]:
    """Yield the files of a scan, whichever of them is named."""
    for each in entries(path.parent):
        if each.name.lower().endswith((".his", ENDING)):
            yield each


def _adjacent_frames(image: Path) -> Frames:
    found = [each for each in entries(image.parent) if each.name.lower().endswith(ENDING)]
    if len(found) != 1:
        what = f"{len(found)} files *_Frames.xml" if found else "no _Frames.xml"
        raise FileFormatError(
            f"{image.name}: found {what} in its folder, expected one with the angles of this scan; "
            "export the scan with XVI 5 or newer, or open a folder of TIFF projections with "
            "`isocenter import`."
        )
    with open_input(found[0]) as file:
        return read_frames(file)


def _files(path: Path, frames: Frames) -> list[Path]:
    """Return the file of each frame by its number; refuse files of two scans."""
    matches = ((NAMED.match(each.name), each) for each in entries(path.parent))
    numbered = [
        (int(match["number"]), match["rest"] or "", each) for match, each in matches if match
    ]
    # Names are NUMBER.SERIES.his; the rest differs between scans.
    scans = {rest for _, rest, _ in numbered}
    if len(scans) > 1:
        names = ", ".join(each.name for _, _, each in numbered[:4])
        raise FileFormatError(
            f"{path.name}: the folder contains frames from {len(scans)} scans ({names}); keep the "
            "frames of only one scan."
        )
    files = {number: each for number, _, each in numbered}
    # A dictionary would silently keep the last of two files.
    if len(files) != len(numbered):
        raise FileFormatError(
            f"{path.name}: two files in the folder have the same frame number; remove one of them."
        )
    missing = [number for number in frames.numbers if number not in files]
    if missing or len(set(frames.numbers)) < len(frames.numbers):
        what = "a frame is listed twice"
        if missing:
            number = "frame" if len(missing) == 1 else "frames"
            what = f"{number} {listed(missing)} {'is' if len(missing) == 1 else 'are'} missing"
        raise FileFormatError(
            f"{path.name}: {what} ({len(files):,} files for {len(frames.numbers):,} frames); copy "
            "the whole scan again."
        )
    return [files[number] for number in frames.numbers]


def _values(path: Path, files: Sequence[Path]) -> Images:
    """Return transmitted counts (n, rows, columns): 65536 minus the stored values."""
    values = np.empty((0, 0, 0), np.float32)
    for k, each in enumerate(files):
        with open_input(each) as file:
            raw = read_his(file)
        if not k:
            rows, columns = raw.shape
            if rows != columns or rows <= 2 * OUTER:
                raise GeometryError(
                    f"{each.name}: the panel has {rows} x {columns} pixels (rows x columns), "
                    f"expected a square panel with more than {2 * OUTER} rows; export it again."
                )
            values = allocate_images((len(files), rows, columns), path.name)
        if raw.shape != values.shape[1:]:
            raise GeometryError(
                f"{each.name}: has {raw.shape[0]} x {raw.shape[1]} pixels, but the previous frames "
                f"have {values.shape[1]} x {values.shape[2]} (rows x columns); open frames from a "
                "single scan."
            )
        # Both ends of the range count as air, as in RTK.
        ends = (raw == 0) | (raw == np.iinfo(np.uint16).max)
        values[k] = OPEN - np.where(ends, 1, raw)
    return values


def _info(frames: Frames) -> Plain:
    facts = {"voltage_kv": frames.voltage_kv, "current_ma": frames.current_ma}
    return {"format": Elekta.name, **{name: fact for name, fact in facts.items() if fact > 0}}
