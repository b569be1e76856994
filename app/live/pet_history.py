"""Count rates and position of the activity over the time of a running scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.live import LivePetUpdate

    Curve = NDArray[np.float64]

MAX_ROWS = 4000
"""Maximum number of points. Above it, every second point is dropped: a screen shows no more."""
ROUND = 0.05
"""An object counts as round about z if its transverse variances differ relatively by less."""
COLUMNS = ("time", "prompts", "delayeds", "x", "y", "z", "turn")


class PetHistory:
    """Curves of one scan."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []

    def restart(self) -> None:
        """Start a new scan with empty curves."""
        self._rows = []

    def add(self, update: LivePetUpdate) -> None:
        """Add the figures of an update, if the scan has continued since the last one.

        Parameters
        ----------
        update
            newest update; a time before the last one means that another scan has started
        """
        figures, place = update.statistics, update.place
        now_s = figures.image_until_s
        # A replay can start again from its beginning.
        if self._rows and now_s < self._rows[-1][0]:
            self.restart()  # another scan has begun
        if not figures.events or (self._rows and now_s <= self._rows[-1][0]):
            return
        nowhere = (np.nan, np.nan, np.nan)
        centre = nowhere if place is None else tuple(float(each) for each in place.centre_mm)
        turn = np.nan if place is None else main_axis_deg(place.covariance)
        rates = figures.prompts_per_s, figures.delayeds_per_s
        self._rows.append((now_s, *rates, *centre, turn))
        if len(self._rows) > MAX_ROWS:
            # Dropping every second point keeps the whole scan at half the resolution.
            del self._rows[1::2]

    def column(self, name: str) -> Curve:
        """Return a curve over the updates.

        Parameters
        ----------
        name
            "time" [s], "prompts", "delayeds" [1/s], "x", "y", "z" [mm] or "turn" [°]

        Returns
        -------
        Curve
            positions and rotations are relative to the first known one
        """
        found = np.array([row[COLUMNS.index(name)] for row in self._rows], np.float64)
        if name == "turn":
            known = np.isfinite(found)
            # An axis has no direction, so angles repeat after 180°.
            found[known] = np.unwrap(found[known], period=180.0)
        if name in ("x", "y", "z", "turn"):
            seen = found[np.isfinite(found)]
            found = found - seen[0] if len(seen) else found
        return found


def main_axis_deg(covariance: Curve) -> float:
    """Return the angle between x and the longer axis across z [°].

        tan 2φ = 2 C_xy / (C_xx − C_yy)

    Parameters
    ----------
    covariance
        (3, 3) covariance of the activity [mm²]

    Returns
    -------
    float
        NaN if the object is round
    """
    xx, yy, xy = covariance[0, 0], covariance[1, 1], covariance[0, 1]
    # The difference between the two eigenvalues of the transverse covariance.
    longer = np.hypot(xx - yy, 2 * xy)
    if not np.isfinite(longer) or longer < ROUND * (xx + yy):
        return float("nan")
    return float(np.degrees(np.arctan2(2 * xy, xx - yy)) / 2)
