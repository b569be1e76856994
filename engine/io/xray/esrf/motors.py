"""Find the angles of an ESRF scan: from the motor that moved by the scan range, or even steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.data.reading_note import Information
from engine.io.xray.frames import listed

Array = NDArray[np.float64]
Headers = Sequence[dict[str, str]]
"""Names and positions of the motors in each view."""
STEPS_OFF = 1.0
"""Tolerance of the motor's range against the scan range [steps]."""


def turned_deg(
    path: Path, headers: Headers, n_views: int, range_deg: float, notes: list[str]
) -> Array:
    """Return the angle of each view, and add a note about their source.

    Parameters
    ----------
    path
        `.info` file, for messages
    headers
        motor names and positions of each view
    n_views
        number of views
    range_deg
        ScanRange [°]
    notes
        notes of the scan, to which one is added

    Returns
    -------
    angles
        (n_views,) [°]; even steps if no motor, or several, moved by the scan range
    """
    step = range_deg / n_views
    fits = {
        name: places
        for name, places in _positions(headers).items()
        if _turns(places, step, n_views)
    }
    # The name of the rotation motor differs between beamlines, so its movement identifies it.
    if len(fits) == 1:
        name, places = next(iter(fits.items()))
        text = f"{path.name}: angles are the positions of the motor {name}."
        notes.append(Information(text))
        return places
    if fits:
        notes.append(
            f"{path.name}: the motors {listed(sorted(fits))} all moved by the scan range; even "
            f"steps of {step:g}° are used."
        )
    else:
        notes.append(
            f"{path.name}: no motor moved by the scan range; even steps of {step:g}° are used."
        )
    return np.arange(n_views, dtype=np.float64) * step


def _turns(places: Array, step: float, n_views: int) -> bool:
    """Return True if a motor moved in one direction, by the span of the views."""
    if n_views < 2:
        return False
    ways = np.diff(places)
    # Other motors stand still or move back and forth during a scan.
    one_way = bool((ways > 0).all() or (ways < 0).all())
    return one_way and abs(abs(places[-1] - places[0]) - step * (n_views - 1)) <= STEPS_OFF * step


def _positions(headers: Headers) -> dict[str, Array]:
    """Return the positions of all motors, if all views name them in the same order."""
    names = headers[0]["motor_mne"].split()
    rows = [each["motor_pos"].split() for each in headers]
    same = all(each["motor_mne"].split() == names for each in headers)
    # Without names for all positions, positions cannot be assigned to motors.
    if not names or not same or any(len(row) != len(names) for row in rows):
        return {}
    try:
        values = np.array(rows, float)
    except ValueError:
        return {}
    whole = np.isfinite(values).all(axis=0)
    return {name: values[:, k] for k, name in enumerate(names) if whole[k]}
