"""Correct the detector position of views that a microscope shifted on purpose.

A moved view shows the same object so many pixels aside. Makers differ in the sign, so both are
tried: over neighbouring views the mean profiles along rows and along columns, moved back, differ
least with the right one. What moves less than half a pixel is left out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.geometry.xray import XrayGeometry
from engine.io.xray.frames import Images

SMALL = 0.5
"""Shifts below this number of pixels are left out."""
DECIDED = 0.9
"""Part of the difference without shifts below which a sign is taken."""
MOST_COMPARED = 200
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
    """Return the geometry whose detector is where each view was taken.

    Parameters
    ----------
    path
        file, for notes
    values, flats
        (n_views, rows, columns) counts; (n, rows, columns) open beam, None where there is none
    geometry
        of the views as if nothing had moved
    columns, rows
        (n_views,) recorded shifts [pixels]
    notes
        to which is added what was found
    """
    most = [
        float(np.abs(move).max()) if np.isfinite(move).all() else 0.0 for move in (columns, rows)
    ]
    if max(most) < SMALL:
        return geometry
    light = np.ones(values.shape[1:]) if flats is None else np.maximum(flats.mean(axis=0), 1e-6)
    signs = []
    for move, largest, axis in ((columns, most[0], 0), (rows, most[1], 1)):
        signs.append(_sign(values, light, move, axis) if largest >= SMALL else 0.0)
    for what, sign, largest in zip(("columns", "rows"), signs, most, strict=True):
        if largest < SMALL:
            continue
        taken = (
            "the geometry is corrected"
            if sign
            else ("the views do not confirm these shifts, so they are not used")
        )
        notes.append(f"{path.name}: views are shifted by up to {largest:.2g} {what}; {taken}.")
    if not any(signs):
        return geometry
    zero = np.zeros(len(values))
    return geometry.shifted(
        columns=signs[0] * columns if signs[0] else zero, rows=signs[1] * rows if signs[1] else zero
    )


def _sign(values: Images, light: Numbers, move: Numbers, axis: int) -> float:
    """Return 1 or −1, whichever lets neighbouring views agree, 0 where neither does."""
    first = max((len(values) - MOST_COMPARED) // 2, 0)
    chosen = slice(first, first + MOST_COMPARED)
    some = np.stack([(view / light).mean(axis=axis) for view in values[chosen]])
    moves = move[chosen]
    moves = moves - moves.mean()
    differences = {sign: _difference(some, sign * moves) for sign in (0.0, 1.0, -1.0)}
    best = min((1.0, -1.0), key=lambda sign: differences[sign])
    return best if differences[best] < DECIDED * differences[0.0] else 0.0


def _difference(profiles: Numbers, moves: Numbers) -> float:
    """Mean square difference of neighbours, each moved on by its shift [pixels]."""
    n = profiles.shape[1]
    margin = min(int(np.ceil(np.abs(moves).max())) + 1, n // 4)
    places = np.arange(n)[margin : n - margin]
    moved = np.stack(
        [np.interp(places - m, np.arange(n), p) for m, p in zip(moves, profiles, strict=True)]
    )
    return float(np.mean(np.diff(moved, axis=0) ** 2))
