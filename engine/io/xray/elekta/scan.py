"""Read Elekta XVI scans: a folder of `.his` frames with its `_Frames.xml`.

T = (65536 − raw) / 65536,   gantry angle, source to axis 1000 mm and to panel 1536 mm,
offset of the panel = −(UCentre, VCentre),   panel of 409.6 mm without its four outer pixels

The RTK project reads these scans in the same way (its readers of HIS frames and of XVI 5's
`_Frames.xml`, and its Elekta look-up table: raw values are small in air, and the two extreme values
count as air).

A Heimann `.his` file is one frame of a PerkinElmer panel: 16-bit values after a header of 68 bytes.
Byte 0: 0x7000; 2: size of the header; 10: size of a second header before the values; 12 … 18: first
and last column and row; 20: number of frames; 32: type of the values (4: unsigned 16 bits). All are
16-bit little-endian. As documented by the manufacturer of the panel and the RTK project.

Read `_Frames.xml` of an Elekta XVI scan: gantry angle and panel centre of each frame.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.core.json_types import Plain
from engine.data.projections import Projections
from engine.geometry.rtk import RtkParameters, from_rtk
from engine.io.base import ProjectionsReader
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_input
from engine.io.xray.angles import read_angles
from engine.io.xray.frames import SIDES, Images, assemble, listed
from engine.io.xray.stack import Stack, read_images, series
from engine.io.xray.text.xml_text import XmlText

NAMED = re.compile(r"^(?P<number>\d+)(?P<prefix>\D.*)?\.his$", re.IGNORECASE)
SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, PANEL_MM = 1000.0, 1536.0, 409.6
OUTER = 4
"""Pixels at each edge of the panel that measure nothing."""
OPEN = 65536.0
BRIGHT = "the file contains no open beam; 65,536 counts are used, as in RTK"
MARK = b"\0\x70\x44\0"
HEADER_BYTES = 68
UNSIGNED_16 = 4
ENDING = "_frames.xml"
FRAME, ANGLE = "Frame", "GantryAngle"
PLACED = ANGLE, "UCentre", "VCentre"
SPELLINGS = {
    **dict.fromkeys((ANGLE, "Angle", ANGLE[1:], "Gantryngle"), ANGLE),
    **dict.fromkeys(("UCentre", "Uentre"), "UCentre"),
    **dict.fromkeys(("VCentre", "Ventre"), "VCentre"),
    **{name: name for name in ("Seq", "Exposed", "kV", "mA")},
}
"""Element names. Some anonymisers remove a letter from them."""
MARKS = (b"<Frame", b"Centre", b"entre>")


class Elekta(ProjectionsReader):
    """Elekta XVI cone-beam scan."""

    format_name: ClassVar[str] = "Elekta XVI"
    spans_folders: ClassVar[bool] = True

    @classmethod
    def files_elsewhere(cls, settings: Path) -> Iterator[Path]:
        ends = (*cls.companions, ENDING)
        yield from (each for each in entries(settings.parent) if each.name.lower().endswith(ends))

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        return is_his(file) or is_frames(file)

    @classmethod
    def read(cls, file: InputFile) -> Projections:
        path = file.path
        frames = read_frames(file) if is_frames(file) else _adjacent_frames(path)
        files = _files(path, frames)
        angles = read_angles(frames.gantry_deg, "deg", f"{path.name}: GantryAngle")
        n_used = len(angles.rad)
        values = read_images(files[:n_used], path, _transmitted)
        n = values.shape[1]
        # The geometry uses the whole panel, and is cropped together with the images.
        parameters = RtkParameters.upright(
            angles.rad, SOURCE_AXIS_MM, SOURCE_DETECTOR_MM, -frames.centre_mm[:n_used]
        )
        geometry = from_rtk(parameters, shape=(n, n), pixel_mm=(PANEL_MM / n, PANEL_MM / n))
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


def _adjacent_frames(image: Path) -> Frames:
    found = [each for each in entries(image.parent) if each.name.lower().endswith(ENDING)]
    if len(found) != 1:
        raise FileFormatError(
            f"{image.name}: found {len(found)} *_Frames.xml files in its folder, expected one with "
            "the angles of this scan; export the scan with XVI 5 or newer, or open a folder of "
            "TIFF projections with `isocenter import`."
        )
    with open_input(found[0]) as file:
        return read_frames(file)


def _files(path: Path, frames: Frames) -> list[Path]:
    """Return the file of each frame by its number; refuse files of two scans."""
    # Names are NUMBER.SERIES.his; the rest differs between scans.
    stacks = series(path.parent, NAMED)
    if len(stacks) > 1:
        every = sorted(each.name for stack in stacks.values() for each in stack.files)
        raise FileFormatError(
            f"{path.name}: the folder contains frames from {len(stacks)} scans "
            f"({', '.join(every[:4])}); keep the frames of only one scan."
        )
    stack = next(iter(stacks.values()), Stack())
    files = dict(zip(stack.numbers, stack.files, strict=True))
    # A dictionary would silently keep the last of two files.
    if len(files) != len(stack):
        raise FileFormatError(
            f"{path.name}: two files in the folder have the same frame number; remove one of them."
        )
    missing = [number for number in frames.numbers if number not in files]
    if missing:
        raise FileFormatError(
            f"{path.name}: missing frames: {listed(missing)} (files in the folder: {len(files):,}, "
            f"listed frames: {len(frames.numbers):,}, missing: {len(missing):,}); copy the whole "
            "scan again."
        )
    if len(set(frames.numbers)) < len(frames.numbers):
        raise FileFormatError(
            f"{path.name}: a frame is listed twice (files in the folder: {len(files):,}, listed "
            f"frames: {len(frames.numbers):,}); copy the whole scan again."
        )
    return [files[number] for number in frames.numbers]


def _transmitted(file: InputFile) -> Images:
    """Return transmitted counts (rows, columns) of a frame: 65536 minus the stored values."""
    raw = read_his(file)
    rows, columns = raw.shape
    if rows != columns or rows <= 2 * OUTER:
        raise GeometryError(
            f"{file.name}: the panel has {rows} x {columns} pixels (rows x columns), expected a "
            f"square panel with more than {2 * OUTER} rows; export it again."
        )
    # Both ends of the range count as air, as in RTK.
    ends = (raw == 0) | (raw == np.iinfo(np.uint16).max)
    return np.asarray(OPEN - np.where(ends, 1, raw), np.float32)


def _info(frames: Frames) -> Plain:
    facts = {"voltage_kv": frames.voltage_kv, "current_ma": frames.current_ma}
    return {"format": Elekta.name, **{name: fact for name, fact in facts.items() if fact > 0}}


def is_his(file: InputFile) -> bool:
    """Return True if a file begins like a frame."""
    return file.head.startswith(MARK)


def read_his(file: InputFile) -> NDArray[np.uint16]:
    """Return the values (rows, columns) of a frame.

    Parameters
    ----------
    file
        `.his` file

    Raises
    ------
    FileFormatError
        if values are not unsigned 16-bit, there are several frames, or the file is truncated
    """
    if len(file.head) < HEADER_BYTES or not is_his(file):
        raise FileFormatError(
            f"{file.name}: not a HIS frame, or its header is truncated; copy it again."
        )
    # First and last column and row are inclusive, hence + 1 below.
    more, left, top, right, bottom, n_frames = struct.unpack_from("<6H", file.head, 10)
    (kind,) = struct.unpack_from("<H", file.head, 32)
    rows, columns = bottom - top + 1, right - left + 1
    if kind != UNSIGNED_16 or n_frames != 1 or min(rows, columns) < 1:
        raise FileFormatError(
            f"{file.name}: contains {n_frames} frames of {rows} x {columns} pixels with data type "
            f"{kind}, expected one frame with data type {UNSIGNED_16}; export it again."
        )
    start = HEADER_BYTES + more
    wanted = start + 2 * rows * columns
    # Longer files are accepted, because the header states where the values end.
    if file.size < wanted:
        raise FileFormatError(
            f"{file.name}: the file has {file.size:,} bytes, expected {wanted:,} for {rows:,} x "
            f"{columns:,} pixels (rows x columns); copy it again."
        )
    values: NDArray[np.uint16] = file.array(np.dtype("<u2"), (rows, columns), start)
    return values


@dataclass(frozen=True)
class Frames:
    """Values of the exposed frames of a scan.

    Attributes
    ----------
    numbers : frame numbers, from 1 if the file has none
    gantry_deg : (n,) gantry angle [°]
    centre_mm : (n, 2) panel centre along its columns and rows [mm]
    n_dark : number of frames without exposure, which are left out
    voltage_kv, current_ma : of the tube; 0 if not stated
    """

    numbers: tuple[int, ...]
    gantry_deg: NDArray[np.float64]
    centre_mm: NDArray[np.float64]
    n_dark: int
    voltage_kv: float
    current_ma: float


def is_frames(file: InputFile) -> bool:
    """Return True if name and first bytes of a file are those of a list of frames."""
    # Both, because other programs also write lists of frames in XML.
    named = file.name.lower().endswith(ENDING)
    return named and MARKS[0] in file.head and any(mark in file.head for mark in MARKS[1:])


class _Text(XmlText):
    """Texts of each frame and of the scan."""

    max_bytes = 50_000_000

    def __init__(self, file: InputFile) -> None:
        super().__init__(file)
        self.frames: list[dict[str, str]] = []
        self.scan: dict[str, str] = {}

    def opened(self, name: str) -> None:
        if name == FRAME:
            self.frames.append({})

    def closed(self, name: str, text: str) -> None:
        if (known := SPELLINGS.get(name)) is not None:
            # If a name occurs twice in a frame, its first text counts.
            (self.frames[-1] if FRAME in self.places else self.scan).setdefault(known, text)


def read_frames(file: InputFile) -> Frames:
    """Return the exposed frames of a scan.

    Parameters
    ----------
    file
        `_Frames.xml`

    Raises
    ------
    FileFormatError
        if the file is damaged, no frame was exposed, or a frame lacks its angle or panel centre
    """
    seen = _Text(file)
    seen.read()
    numbered = [(_number(seen, stated, k), stated) for k, stated in enumerate(seen.frames, 1)]
    # Frames without exposure are dark images, not views.
    exposed = [each for each in numbered if each[1].get("Exposed", "true").lower() != "false"]
    if not exposed:
        seen.refuse("no frame was exposed")
    rows = [
        [seen.number(stated, name, f"frame {number}") for name in PLACED]
        for number, stated in exposed
    ]
    values = np.array(rows)
    # The tube values are the same for all frames and are stated for the scan.
    voltage, current = (
        seen.number(seen.scan, name) if seen.scan.get(name) else 0.0 for name in ("kV", "mA")
    )
    return Frames(
        tuple(number for number, _ in exposed),
        values[:, 0],
        values[:, 1:],
        len(numbered) - len(exposed),
        voltage,
        current,
    )


def _number(seen: _Text, stated: dict[str, str], place: int) -> int:
    """Return the stated number of a frame, otherwise its position in the file."""
    if not stated.get("Seq"):
        return place
    number = seen.number(stated, "Seq", f"frame {place}")
    if not number.is_integer():
        seen.refuse(f"frame {place}: 'Seq' is {number:g}, expected an integer")
    return int(number)
