"""Read and write measured resolution: a text file with widths by distance from the axis.

Each line contains distance, and radial, tangential and axial full width at half maximum, in mm, as
in NEMA NU 2 tables; `#` begins a comment. Distances increase. The axial width of the model is the
mean of its column.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.core.errors import DataError, FileFormatError
from engine.core.visible_text import visible_line
from engine.geometry.point_spread import PointSpread
from engine.io.safety.atomic_write import write_atomically
from engine.io.safety.open_input import open_input, refuse_not_finite
from engine.io.text.rows import numbers_of, rows_of

MAX_BYTES = 1_000_000
N_COLUMNS, COLUMNS = 4, "distance, radial, tangential and axial width in mm"
WANTED = "Each line needs the distance, radial, tangential and axial width in mm."
WIDEST_MM = 50.0


def read_point_spread(path: Path) -> PointSpread:
    """Read a table of widths.

    Parameters
    ----------
    path
        text file with four columns

    Returns
    -------
    widths
        radial and tangential width at each distance, and one axial width [mm]

    Raises
    ------
    EngineError
        if the lines are not increasing distances with widths above 0 and up to 50 mm
    """
    with open_input(path) as file:
        lines = file.text(MAX_BYTES).splitlines()
    rows = [numbers_of(path, row, N_COLUMNS, WANTED) for row in rows_of(lines)]
    if not rows:
        raise FileFormatError(f"{path.name}: contains no widths. {WANTED}")
    table = np.array(rows)
    refuse_not_finite(path, table)
    radius, widths = table[:, 0], table[:, 1:]
    # Widths are interpolated between the distances, which needs a strict order.
    bad = np.flatnonzero((radius < 0) | (np.diff(radius, prepend=-np.inf) <= 0))
    if len(bad):
        raise DataError(
            f"{path.name}: the distance in row {bad[0] + 1} is {radius[bad[0]]:g} mm, expected "
            "increasing distances of at least 0 mm; correct the table."
        )
    if not ((widths > 0) & (widths <= WIDEST_MM)).all():
        raise DataError(
            f"{path.name}: the widths are {widths.min():g} to {widths.max():g} mm, expected more "
            f"than 0 and at most {WIDEST_MM:g} mm; correct the table."
        )
    return PointSpread(radius, widths[:, 0], widths[:, 1], float(widths[:, 2].mean()))


def write_point_spread(spread: PointSpread, path: Path, *, notes: Sequence[str] = ()) -> None:
    """Write a table of widths.

    Parameters
    ----------
    spread
        widths by distance from the axis
    path
        target; an existing file is replaced
    notes
        comments at the top, one line each
    """
    axial = np.broadcast_to(spread.axial_at(np.zeros(1)), spread.radius_mm.shape)
    columns = spread.radius_mm, spread.radial_mm, spread.tangential_mm, axial
    rows = [" ".join(f"{value:.4f}" for value in row) for row in zip(*columns, strict=True)]
    comments = [f"# {visible_line(note)}" for note in (*notes, COLUMNS)]
    write_atomically("\n".join([*comments, *rows, ""]).encode(), path)
