"""Measured resolution: a text file of widths by distance from the axis.

Each line holds distance, radial, tangential and axial full width at half maximum, in mm, as the
NEMA tables of a scanner have them; `#` begins a comment. Distances ascend; the axial width of the
image is the mean of the column.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from engine.core.errors import DataError, FileFormatError
from engine.geometry.point_spread import PointSpread
from engine.io.safety.open_input import open_input, refuse_not_finite
from engine.io.text.rows import numbers_of, rows_of

MAX_BYTES = 1_000_000
N_COLUMNS, COLUMNS = 4, "distance, radial, tangential and axial width in mm"
WIDEST_MM = 50.0


def read_point_spread(path: Path) -> PointSpread:
    """Return the widths in a file.

    Raises
    ------
    EngineError
        if it holds something else than ascending distances with widths of 0 to 50 mm
    """
    with open_input(path) as file:
        lines = file.text(MAX_BYTES).splitlines()
    rows = [numbers_of(path, row, N_COLUMNS, COLUMNS) for row in rows_of(lines)]
    if not rows:
        raise FileFormatError(f"{path.name}: contains no widths; expected lines of {COLUMNS}.")
    table = np.array(rows)
    refuse_not_finite(path, table)
    radius, widths = table[:, 0], table[:, 1:]
    if radius[0] < 0 or (np.diff(radius) <= 0).any():
        raise DataError(f"{path.name}: distances from the axis must be at least 0 and increase.")
    if not ((widths > 0) & (widths <= WIDEST_MM)).all():
        raise DataError(
            f"{path.name}: widths are between {widths.min():g} and {widths.max():g}, expected more "
            f"than 0 and at most {WIDEST_MM:g} mm."
        )
    return PointSpread(radius, widths[:, 0], widths[:, 1], float(widths[:, 2].mean()))
