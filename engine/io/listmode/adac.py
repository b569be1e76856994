"""Read list mode of the ADAC positron camera: text with a header and lines `t x1 y1 x2 y2`.

t is in ms. (x1, y1) is the detection on the first head, (x2, y2) on the second, in mm. z is 0 at
the
first head and the separation at the second. The heads are continuous, so positions are sorted into
the bins of the scanner `adac`. In our coordinates, about the centre of the camera,

x = x_file − 300 mm,   y = z_file − separation / 2,   z = 300 mm − y_file.

This rotates the camera and does not mirror it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from math import floor
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from engine.core.arrays import Array
from engine.core.errors import FileFormatError, GeometryError
from engine.data.histogram import with_settings
from engine.data.listmode import ListMode
from engine.geometry.dual_head import DualHead
from engine.io.base import ListModeReader
from engine.io.safety.cut_off import CutOff
from engine.io.safety.open_input import InputFile
from engine.io.safety.ranges import SEPARATION_MM, in_range
from engine.io.scanners import read_scanner

SCANNER = "adac"
MIDDLE_MM = 300.0
"""Centre of the heads, along x and y of the file."""
FIELDS = 5
"""Numbers for each event."""
LONGEST_LINE = 4096
"""Number of characters at the end of the text that contain its last line."""
LATE_MS = 1000.0
"""A first event after this time gets a note: the clock began before the scan."""
SEPARATION = re.compile(r"^\s*separation\s*=\s*([0-9.]+)\s*$", re.IGNORECASE | re.MULTILINE)
MAX_BYTES = 1 << 30
MAX_MS = 2.0**32 - 1
NEAR_MM = 0.5
"""Largest difference of the separation from that of the scanner."""


class AdacCsv(ListModeReader):
    """ADAC list mode."""

    format_name: ClassVar[str] = "ADAC list mode (CSV)"

    @classmethod
    def accepts(cls, file: InputFile) -> bool:
        # The suffix .csv is too common, but every ADAC header states the separation of the heads.
        return SEPARATION.search(file.head.decode("utf-8", errors="replace")) is not None

    @classmethod
    def read(cls, file: InputFile, *, scanner: str | None = None) -> ListMode:
        path, text = file.path, file.text(MAX_BYTES)
        n_cut = _cut_off(text)
        rows = _rows(text[: len(text) - n_cut], path)
        _refuse_times(rows[:, 0], path)
        cut = CutOff(path.name, len(rows), n_cut)
        first_ms = float(rows[0, 0])
        separation_mm = _separation_mm(text, path)
        place, notes = _scanner_for(separation_mm, scanner, path)
        crystals, inside = _crystals(rows, place)
        # The heads are continuous detectors, so positions can be outside the bins of the scanner.
        n_outside = len(rows) - int(np.count_nonzero(inside))
        if n_outside:
            notes += (f"{n_outside:,} events outside the heads of the scanner were removed.",)
        mapping = (
            f"x = file x − {MIDDLE_MM:g} mm, y = file z − {separation_mm / 2:g} mm, "
            f"z = {MIDDLE_MM:g} mm − file y"
        )
        if first_ms >= LATE_MS:
            notes += (f"The first event is at {first_ms:,.0f} ms; times are counted from there.",)
        return ListMode(
            scanner=place,
            crystals=crystals[inside],
            time_ms=(rows[inside, 0] - first_ms).astype(np.uint32),
            duration_s=(float(rows[-1, 0]) - first_ms) / 1000,
            info={
                "format": cls.name,
                "data_file": path.name,
                "separation_mm": separation_mm,
                "coordinates": mapping,
                "axes": "xyz",
                **cut.facts,
            },
            notes=(*cut.notes, *notes),
        )


def _cut_off(text: str) -> int:
    """Return the length of the last line if it is only the beginning of an event.

    Without a line end, its last number may lack digits.
    """
    lines, n_after = text[-LONGEST_LINE:].splitlines(keepends=True), 0
    while lines and not lines[-1].strip():
        n_after += len(lines.pop())
    last = lines[-1] if lines else ""
    fields, is_ended = last.split(), last.endswith("\n")
    if len(fields) > FIELDS or (is_ended and len(fields) == FIELDS):
        return 0
    try:
        # With "0" appended, a number that ends in a sign, a point or "e" is still the beginning of
        # one.
        [float(field) for field in (*fields[:-1], f"{fields[-1]}0")]
    except (ValueError, IndexError):
        return 0  # a comment at the end, not an event
    return len(last) + n_after


def _rows(text: str, path: Path) -> NDArray[np.float64]:
    """Return the numbers after the header and before any comment at the end, (n, 5)."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if _is_event(line)), None)
    if first is None:
        raise FileFormatError(
            f"{path.name}: contains no line with the five numbers t x1 y1 x2 y2; choose another "
            "file."
        )
    stop = next(i for i in range(len(lines), first, -1) if _is_event(lines[i - 1]))
    try:
        # loadtxt parses in C. Only if it fails are the lines tested one by one, to name the wrong
        # one.
        rows = np.loadtxt(islice(lines, first, stop), ndmin=2)
    except ValueError as e:
        wrong = next((i for i in range(first, stop) if not _is_event(lines[i])), first)
        raise FileFormatError(
            f"{path.name}: line {wrong + 1} is {lines[wrong].strip()[:40]!r}, expected the five "
            "numbers t x1 y1 x2 y2; copy the file again."
        ) from e
    bad = ~np.isfinite(rows).all(axis=1)
    if bad.any():
        raise FileFormatError(
            f"{path.name}: event {int(np.argmax(bad)):,} contains NaN or infinite values; copy the "
            "file again."
        )
    return np.asarray(rows)


def _is_event(line: str) -> bool:
    # `float` also accepts digits of other scripts.
    fields = line.split() if line.isascii() else []
    try:
        return len([float(field) for field in fields]) == FIELDS
    except ValueError:
        return False


def _refuse_times(times_ms: Array, path: Path) -> None:
    if times_ms.min() < 0 or times_ms.max() > MAX_MS:
        raise FileFormatError(
            f"{path.name}: times run from {times_ms.min():g} to {times_ms.max():g} ms, expected 0 "
            f"to {MAX_MS:,.0f} ms in the first column (t x1 y1 x2 y2); choose another file."
        )
    back = np.flatnonzero(np.diff(times_ms) < 0)
    if len(back):
        k = int(back[0])
        raise FileFormatError(
            f"{path.name}: time runs backwards at event {k + 1:,}, from {times_ms[k]:g} to "
            f"{times_ms[k + 1]:g} ms; export the events of one scan in time order."
        )


def _separation_mm(text: str, path: Path) -> float:
    found = SEPARATION.search(text)
    stated = found[1] if found else "0"
    try:
        separation_mm = float(stated)
    except ValueError as e:
        raise FileFormatError(
            f"{path.name}: 'separation' is {stated[:40]!r}, expected the separation of the heads "
            "in mm; correct the header."
        ) from e
    return in_range(path, "separation [mm]", separation_mm, SEPARATION_MM)


def _scanner_for(
    separation_mm: float, named: str | None, path: Path
) -> tuple[DualHead, tuple[str, ...]]:
    """Return the camera with the separation of the heads in the file."""
    scanner = read_scanner(named or SCANNER)
    if not isinstance(scanner, DualHead) or scanner.settings.n_layers != 1:
        raise GeometryError(
            f"{path.name}: the chosen scanner {scanner.name!r} does not have two single-layer "
            f"panels; omit the scanner to use {SCANNER!r}. Chosen scanner: {scanner.describe()}."
        )
    s = scanner.settings
    # The file states the distance of the detection points, the scanner that of the crystal
    # surfaces.
    depths_mm = 2 * scanner.depth_mm(0)
    if abs(separation_mm - s.separation_mm - depths_mm) <= NEAR_MM:
        return scanner, ()
    if named is not None:
        raise GeometryError(
            f"{path.name}: the heads are {separation_mm:g} mm apart, but those of {scanner.name!r} "
            f"are {s.separation_mm + depths_mm:g} mm apart; omit the scanner, or choose the "
            "scanner of this scan."
        )
    distance_mm = separation_mm - depths_mm
    n_planes = floor(distance_mm / s.plane_mm)
    if n_planes < 1:
        raise GeometryError(
            f"{path.name}: the heads are {separation_mm:g} mm apart, which leaves no space for an "
            "image; correct the separation in the header."
        )
    n_planes -= 1 - n_planes % 2  # an odd number has a plane at the centre
    note = f"The heads of {scanner.name} are {separation_mm:g} mm apart, as stated in the file."
    return with_settings(scanner, separation_mm=distance_mm, n_planes=n_planes), (note,)


def _crystals(rows: Array, scanner: DualHead) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the bins on both heads, (n, 2), and whether both positions are on the heads."""
    s = scanner.settings
    crystals, inside = [], np.ones(len(rows), bool)
    for panel, (x, y) in enumerate(_heads(rows)):
        column = np.floor((x - MIDDLE_MM) / s.pitch_mm + s.n_columns / 2).astype(np.int64)
        # Rows follow z, which is −y of the file.
        row = np.floor((MIDDLE_MM - y) / s.pitch_mm + s.n_rows / 2).astype(np.int64)
        inside &= (row >= 0) & (row < s.n_rows) & (column >= 0) & (column < s.n_columns)
        crystals.append((panel * s.n_rows + row) * s.n_columns + column)
    return np.stack(crystals, -1).astype(np.int32), inside


def _heads(rows: Array) -> Sequence[tuple[Array, Array]]:
    return (rows[:, 1], rows[:, 2]), (rows[:, 3], rows[:, 4])
