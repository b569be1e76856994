"""Read CASToR look-up tables (.lut) of crystals: x, y, z [mm] and a unit vector, six float32 each.

CASToR's axes are left-handed: x and z are kept, and y is reversed. An adjacent scanner description
`.hscan` states which crystals are in coincidence: those separated by an angle of at least δ, whose
lines are at most R cos(δ / 2) from the axis.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from engine.core.errors import FileFormatError, GeometryError, ScannerMissingError
from engine.data.formatting import Information
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.tof import TofBins
from engine.io.castor import SUFFIX, TEXT_SUFFIX
from engine.io.castor.header import read_header
from engine.io.folder import entries
from engine.io.safety.open_input import InputFile, open_input
from engine.io.scanners.crystal_map import mapped

GEOMETRY_SUFFIX = ".geom"
VALUES = 6
"""Numbers for each crystal."""
PER_RING = 1 << 16
"""Crystals of an artificial ring, because the keys of a map limit the number of places."""
AXES_NOTE = Information(
    "CASToR's axes are left-handed: y is reversed; x and z are those of the file."
)
UNIT_TOLERANCE = 1e-2
FARTHEST_MM = 5000.0


def read_table(path: Path, name: str, tof: TofBins | None) -> CrystalMap:
    """Return the scanner of a look-up table.

    Parameters
    ----------
    path
        file with suffix .lut
    name
        name of the scanner
    tof
        TOF bins of the scan; None without TOF

    Raises
    ------
    EngineError
        if it is not a look-up table, or positions are impossible
    """
    with open_input(path) as file:
        table = _table(file)
    points = np.array(table[:, :3], np.float64) * (1.0, -1.0, 1.0)
    number = np.arange(len(points))
    # CASToR numbers crystals in one sequence, while a crystal map needs (ring, place, layer).
    keys = np.stack([number // PER_RING, number % PER_RING, np.zeros_like(number)], -1)
    found = mapped(name, keys.astype(np.int32), points, path=path, tof=tof)
    min_angle_deg = _min_angle_deg(path.with_suffix(TEXT_SUFFIX))
    if min_angle_deg:
        radius = float(np.hypot(points[:, 0], points[:, 1]).max())
        # Without the angle, the default field of view would include lines that the scanner rejects.
        found.fov_radius_mm = radius * math.cos(math.radians(min_angle_deg) / 2)
    return found


def _table(file: InputFile) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    n, rest = divmod(file.size, 4 * VALUES)
    if rest or n < 2:
        raise FileFormatError(
            f"{file.name}: has {file.size:,} bytes, but a look-up table has 24 bytes per crystal; "
            "copy it again."
        )
    table = file.array("<f4", (n, VALUES))
    if not np.isfinite(table).all():
        raise FileFormatError(
            f"{file.name}: the look-up table contains NaN or infinite values; write it again."
        )
    # The file has no mark, so unit vectors are the only proof of its format and byte order.
    length = np.linalg.norm(table[:, 3:].astype(np.float64), axis=1)
    if np.abs(length - 1).max() > UNIT_TOLERANCE:
        k = int(np.abs(length - 1).argmax())
        raise FileFormatError(
            f"{file.name}: the direction vector of crystal {k:,} has the length {length[k]:g}, "
            "expected 1; choose a little-endian CASToR look-up table."
        )
    if np.abs(table[:, :3]).max() > FARTHEST_MM:
        raise GeometryError(
            f"{file.name}: crystals are up to {np.abs(table[:, :3]).max():g} mm from the centre, "
            f"expected at most {FARTHEST_MM:g} mm; give positions in mm."
        )
    return table


def _min_angle_deg(path: Path) -> float:
    """Return the smallest angle between two crystals in coincidence [degrees]; 0 if not stated."""
    if not path.is_file():
        return 0.0
    with open_input(path) as file:
        angle_deg = read_header(file).number("min angle difference")
    if not 0 <= angle_deg < 180:
        raise GeometryError(
            f"{path.name}: min angle difference is {angle_deg:g} degrees, expected 0 to 180; "
            "correct the scanner description."
        )
    return angle_deg


def adjacent_table(header: Path, scanner: str, of: str) -> Path:
    """Return the look-up table next to a header.

    Parameters
    ----------
    header
        header of the scan
    scanner
        scanner name in the header; its table is preferred, otherwise the only one is used
    of
        format of the scan, for the error

    Raises
    ------
    ScannerMissingError
        if there is no table, or several
    """
    listed = entries(header.parent)
    tables = [each for each in listed if each.suffix.lower() == SUFFIX]
    # Case is ignored, because copies between systems can change it.
    named = [each for each in tables if each.stem.lower() == scanner.lower()]
    if len(named or tables) == 1:
        return (named or tables)[0]
    if any(each.suffix.lower() == GEOMETRY_SUFFIX for each in listed):
        raise ScannerMissingError(
            f"{header.name}: the crystal positions are unknown. Look-up tables in the same folder: "
            f"{len(tables)}, expected: 1. Copy {scanner}.lut from CASToR's folder "
            "config/scanner, make it from the .geom file with the option -olut of castor-recon, or "
            "choose the scanner.",
            of,
        )
    raise ScannerMissingError(
        f"{header.name}: the crystal positions are unknown. Look-up tables in the same folder: "
        f"{len(tables)}, expected: 1. Copy {scanner}.lut from CASToR's folder "
        "config/scanner, or choose the scanner.",
        of,
    )
