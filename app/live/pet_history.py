"""Count rates and position of the activity over the time of a running scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.live import LivePetUpdate

    Curve = NDArray[np.float64]

MOST = 4000
"""Maximum number of points. Above it, every second point is dropped: a screen shows no more."""
ROUND = 0.05
"""An object is round about z if its variances across differ by less than this part."""
COLUMNS = ("time", "prompts", "delayeds", "x", "y", "z", "turn")


class PetHistory:
    """Curves of one scan."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []

    def begin_anew(self) -> None:
        """Forget the scan before."""
        self._rows = []

    def add(self, update: LivePetUpdate) -> None:
        """Take up the figures of a moment, if the scan has gone on since the last."""
        figures, place = update.statistics, update.place
        now_s = figures.image_until_s
        if self._rows and now_s < self._rows[-1][0]:
            self.begin_anew()  # another scan has begun
        if not figures.events or (self._rows and now_s <= self._rows[-1][0]):
            return
        nowhere = (np.nan, np.nan, np.nan)
        centre = nowhere if place is None else tuple(float(each) for each in place.centre_mm)
        turn = np.nan if place is None else main_axis_deg(place.covariance)
        rates = figures.prompts_per_s, figures.delayeds_per_s
        self._rows.append((now_s, *rates, *centre, turn))
        if len(self._rows) > MOST:
            del self._rows[1::2]

    def column(self, name: str) -> Curve:
        """Return a curve: "time" [s], "prompts", "delayeds" [1/s], "x", "y", "z" [mm], "turn" [°].

        Places are told from where the activity was first seen.
        """
        found = np.array([row[COLUMNS.index(name)] for row in self._rows], np.float64)
        if name == "turn":
            known = np.isfinite(found)
            found[known] = np.unwrap(found[known], period=180.0)
        if name in ("x", "y", "z", "turn"):
            seen = found[np.isfinite(found)]
            found = found - seen[0] if len(seen) else found
        return found


def main_axis_deg(covariance: Curve) -> float:
    """Return the angle of the longer axis across z from x [°], NaN where none is longer.

    tan 2φ = 2 C_xy / (C_xx − C_yy)
    """
    xx, yy, xy = covariance[0, 0], covariance[1, 1], covariance[0, 1]
    longer = np.hypot(xx - yy, 2 * xy)
    if not np.isfinite(longer) or longer < ROUND * (xx + yy):
        return float("nan")
    return float(np.degrees(np.arctan2(2 * xy, xx - yy)) / 2)
