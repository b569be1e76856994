"""Correct the detector position of views that a microscope shifted on purpose.

A shifted view shows the same object some pixels aside. Manufacturers differ in the sign, so both
are tried: with the right one, mean profiles of neighbouring views along rows and columns agree
best after they are shifted back. Shifts below half a pixel are ignored.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.geometry.xray import XrayGeometry
from engine.io.xray.frames import Images

SMALL = 0.5
"""Smaller shifts are ignored [pixels]."""
DECIDED = 0.9
"""A sign is accepted if the difference falls below this part of that without shifts."""
MAX_COMPARED = 200
Numbers = NDArray[np.float64]


def shifted_views(
    path: Path,
    values: Images,
    flats: Images | None,
    geometry: XrayGeometry,
    columns: Numbers,
    rows: Numbers,
    notes: list[str],
) -> XrayGeometry:
    """Return the geometry with the detector of each view at its shifted position.

    Parameters
    ----------
    path
        file, for notes
    values, flats
        (n_views, rows, columns) counts; (n, rows, columns) open beam, None if there is none
    geometry
        geometry without shifts
    columns, rows
        (n_views,) recorded shifts [pixels]
    notes
        notes of the scan; the result is added
    """
    most = [
        float(np.abs(move).max()) if np.isfinite(move).all() else 0.0 for move in (columns, rows)
    ]
    if max(most) < SMALL:
        return geometry
    # Divide by the flats first: a fixed pattern of the detector would favour no shift.
    light = np.ones(values.shape[1:]) if flats is None else np.maximum(flats.mean(axis=0), 1e-6)
    signs = []
    for move, largest, axis in ((columns, most[0], 0), (rows, most[1], 1)):
        signs.append(_sign(values, light, move, axis) if largest >= SMALL else 0.0)
    for what, sign, largest in zip(("columns", "rows"), signs, most, strict=True):
        if largest < SMALL:
            continue
        notes.append(
            f"{path.name}: views are shifted by up to {largest:.2g} {what}; the geometry is "
            "corrected."
            if sign
            else f"{path.name}: views are shifted by up to {largest:.2g} {what}; the views do not "
            "confirm these shifts, so they are not used."
        )
    if not any(signs):
        return geometry
    zero = np.zeros(len(values))
    return geometry.shifted(
        columns=signs[0] * columns if signs[0] else zero, rows=signs[1] * rows if signs[1] else zero
    )


def _sign(values: Images, light: Numbers, move: Numbers, axis: int) -> float:
    """Return 1 or −1, whichever makes neighbouring views agree; 0 if neither does."""
    first = max((len(values) - MAX_COMPARED) // 2, 0)
    chosen = slice(first, first + MAX_COMPARED)
    some = np.stack([(view / light).mean(axis=axis) for view in values[chosen]])
    moves = move[chosen]
    # Only differences between views can be compared; a common shift is part of the axis position.
    moves = moves - moves.mean()
    differences = {sign: _difference(some, sign * moves) for sign in (0.0, 1.0, -1.0)}
    best = min((1.0, -1.0), key=lambda sign: differences[sign])
    return best if differences[best] < DECIDED * differences[0.0] else 0.0


def _difference(profiles: Numbers, moves: Numbers) -> float:
    """Return the mean square difference of neighbours after shifting each back [pixels]."""
    n = profiles.shape[1]
    # Pixels at the edge have no partner in the shifted neighbour.
    margin = min(int(np.ceil(np.abs(moves).max())) + 1, n // 4)
    places = np.arange(n)[margin : n - margin]
    moved = np.stack(
        [np.interp(places - m, np.arange(n), p) for m, p in zip(moves, profiles, strict=True)]
    )
    return float(np.mean(np.diff(moved, axis=0) ** 2))
