"""Crystal maps: text tables `ring det [layer] x y z` in mm, as STIR writes them.

Columns are separated by tabs, commas or blanks; `#` begins a comment; an empty line after the
first crystal ends the table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.errors import FileFormatError, GeometryError
from engine.geometry.crystal_map import CrystalMap
from engine.geometry.tof import TofBins
from engine.io.safety.open_input import read_text
from engine.io.scanners.toml_scanner import MIN_CRYSTAL_PITCH_MM, RADIUS_MM

MAX_BYTES = 256_000_000
MAX_KEY = (65_535, 16_777_215, 65_535)
"""Largest ring, place and layer."""
FOV_OF_BORE = math.sin(math.radians(45))
"""Part of the smallest crystal radius that lines of response reach. They deviate up to 45° from the
direction to the axis (SAFIR: ±45 of 90 tangential bins)."""
NAME = "Crystal map"
"""Name of every map, because the file name could contain a patient's name."""
WHOLE_BORE = 1.0001
"""Part of the largest crystal radius that lines reach if a coincidence rule decides: all lines."""
NICE_VOXELS_MM = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)


@dataclass(frozen=True)
class _Row:
    line: int
    key: tuple[int, int, int]
    point_mm: tuple[float, float, float]


def read_crystal_map(path: Path) -> CrystalMap:
    """Read a crystal map; voxel size and field of view follow from the crystals.

    Parameters
    ----------
    path
        table of `ring det [layer] x y z`, positions in mm

    Raises
    ------
    FileFormatError
        if a line is damaged, or a crystal or a position occurs twice
    GeometryError
        if the positions are not plausible in mm
    """
    rows = _rows(path)
    _refuse_repeated(path, rows)
    keys = np.array([row.key for row in rows], np.int32)
    points = np.array([row.point_mm for row in rows])
    _refuse_radii(path, rows, points)
    return mapped(NAME, keys, points, path=path)


def mapped(
    name: str,
    keys: NDArray[np.int32],
    points_mm: NDArray[np.float64],
    *,
    path: Path,
    tof: TofBins | None = None,
    coincident: NDArray[np.bool_] | None = None,
) -> CrystalMap:
    """Return a crystal map; voxel size and field of view follow from the crystals.

    Parameters
    ----------
    name, keys, points_mm, tof
        see `CrystalMap`
    path
        file with the crystals, for error messages
    coincident
        rule of coincidence, see `CrystalMap`; it replaces the limit of the field of view. None: a
        line must pass the axis within sin(45°) of the smallest crystal radius.

    Raises
    ------
    GeometryError
        if the lengths are not in mm
    """
    pitch_mm = _pitch(path, points_mm)
    # Spatial resolution near the centre is about half the crystal pitch.
    voxel = _nice(pitch_mm / 2)
    radii = np.hypot(points_mm[:, 0], points_mm[:, 1])
    radius = float(radii.min()) * FOV_OF_BORE
    # Add one pitch: crystal positions are centres, and the field of view ends at crystal faces.
    length = float(np.ptp(points_mm[:, 2])) + pitch_mm
    return CrystalMap(
        name,
        keys,
        points_mm,
        fov_radius_mm=radius if coincident is None else WHOLE_BORE * float(radii.max()),
        voxel_mm=(voxel, voxel, voxel),
        fov_mm=(2 * voxel * math.ceil(radius / voxel), voxel * math.ceil(length / voxel)),
        tof=tof,
        coincident=coincident,
    )


def _rows(path: Path) -> list[_Row]:
    rows: list[_Row] = []
    n_columns = 0
    for number, line in enumerate(read_text(path, MAX_BYTES).splitlines(), 1):
        # STIR ends its tables with an empty line; text after it is not part of the map.
        if not line.strip() and rows:
            break
        fields = line.partition("#")[0].replace(",", " ").split()
        if not fields:
            continue
        # The first crystal decides if there is a layer column. Mixed tables would shift the
        # coordinates.
        n_columns = n_columns or len(fields)
        rows.append(_row(path, number, fields, n_columns))
    if len(rows) < 2:
        raise FileFormatError(
            f"{path.name}: the number of crystals is {len(rows)}, expected at least 2; write one "
            "line with `ring det [layer] x y z` per crystal, in mm."
        )
    return rows


def _row(path: Path, number: int, fields: list[str], n_columns: int) -> _Row:
    where = f"{path.name}, line {number}"
    if len(fields) not in (5, 6) or len(fields) != n_columns:
        want = n_columns if n_columns in (5, 6) else "5 or 6"
        raise FileFormatError(
            f"{where}: the number of columns is {len(fields)}, expected {want}; write `ring det "
            "[layer] x y z`."
        )
    key = [_integer(where, text) for text in fields[:-3]]
    ring, place, layer = (*key, 0)[:3]
    # `CrystalMap` packs these into one 64-bit number: 16 bits ring, 24 bits place, 16 bits layer.
    if any(not 0 <= k <= most for k, most in zip((ring, place, layer), MAX_KEY, strict=True)):
        raise FileFormatError(
            f"{where}: ring {ring}, det {place}, layer {layer} is out of range; number rings from "
            f"0 to {MAX_KEY[0]}, dets from 0 to {MAX_KEY[1]} and layers from 0 to {MAX_KEY[2]}."
        )
    x, y, z = (_length(where, text) for text in fields[-3:])
    return _Row(number, (ring, place, layer), (x, y, z))


def _integer(where: str, text: str) -> int:
    try:
        return int(text)
    except ValueError as e:
        raise FileFormatError(
            f"{where}: {text!r} is not a whole number; expected `ring det [layer] x y z`."
        ) from e


def _length(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError as e:
        raise FileFormatError(
            f"{where}: {text!r} is not a number; expected a position in mm."
        ) from e
    if not math.isfinite(value):
        raise FileFormatError(f"{where}: a position is {text!r}; expected a finite number in mm.")
    return value


def _refuse_repeated(path: Path, rows: list[_Row]) -> None:
    keys: dict[tuple[int, int, int], int] = {}
    # Two crystals at one point would give lines of length 0.
    points: dict[tuple[float, float, float], int] = {}
    for row in rows:
        earlier = keys.setdefault(row.key, row.line)
        if earlier != row.line:
            ring, place, layer = row.key
            raise FileFormatError(
                f"{path.name}, line {row.line}: ring {ring}, det {place}, layer {layer} is already "
                f"on line {earlier}; list each crystal once."
            )
        earlier = points.setdefault(row.point_mm, row.line)
        if earlier != row.line:
            raise FileFormatError(
                f"{path.name}, line {row.line}: the crystal on line {earlier} has the same "
                "position; list each position once."
            )


# A map in cm or m has radii outside the range of real scanners.
def _refuse_radii(path: Path, rows: list[_Row], points: NDArray[np.float64]) -> None:
    radius = np.hypot(points[:, 0], points[:, 1])
    low, high = RADIUS_MM
    bad = np.flatnonzero((radius < low) | (radius > high))
    if len(bad):
        raise GeometryError(
            f"{path.name}, line {rows[bad[0]].line}: the crystal is {radius[bad[0]]:g} mm from the "
            f"axis, expected {low:g} to {high:g} mm; give positions in mm."
        )


def _pitch(path: Path, points: NDArray[np.float64]) -> float:
    """Return the median distance to the nearest crystal [mm]; refuse lengths that are not in mm."""
    from scipy.spatial import KDTree

    # k=[2]: the nearest point of each crystal is the crystal itself.
    distances, _ = KDTree(points).query(points, k=[2])
    pitch = float(np.median(distances))
    if pitch < MIN_CRYSTAL_PITCH_MM:
        raise GeometryError(
            f"{path.name}: the crystal pitch is {pitch:.3f} mm, expected at least "
            f"{MIN_CRYSTAL_PITCH_MM:g} mm; give positions in mm, not cm."
        )
    return pitch


def _nice(voxel_mm: float) -> float:
    # Compare ratios, not differences, so that small voxels are not rounded up to twice their size.
    return min(NICE_VOXELS_MM, key=lambda nice: abs(math.log(nice / voxel_mm)))
