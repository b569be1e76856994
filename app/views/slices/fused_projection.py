"""The projection of a second volume over that of the first one, for the turning view."""

from __future__ import annotations

import math

import numpy as np

from app.views.colour.windows import Window
from app.views.fusion.upper_layer import UpperLayer, Values
from app.views.planes.placing import FEETWARDS, UNTURNED
from app.views.slices import projection
from app.views.slices.projection import Projector, gain_of
from app.views.state import ViewState
from engine.data import Volume
from engine.geometry import Convention, Rect

MIXED = ("blend", "swipe")


class FusedProjection(UpperLayer):
    """Projects the second volume in the direction of the first one.

    Only volumes with parallel axes can be projected in one direction about z. Others, errors and
    comparisons leave the projection of the first volume alone.
    """

    def __init__(self, state: ViewState) -> None:
        super().__init__(state)
        self._projector: Projector | None = None
        self._gain = 1.0

    @property
    def is_there(self) -> bool:
        """True if the projection shows both volumes."""
        fusion = self.fusion
        if not fusion.has_values or fusion.is_error or fusion.mode not in MIXED:
            return False
        rows = np.round(fusion.placing.matrix, 6)
        return any(np.array_equal(rows, np.array(each)) for each in (UNTURNED, FEETWARDS))

    def shown_window(self) -> Window:
        """Return the window of the second volume, as wide as its projection needs."""
        low, high = self.fusion.window
        return low, low + self._gain * (high - low)

    def values(
        self, base: Volume, degrees: float, convention: Convention, *, is_turned: bool
    ) -> tuple[Values, Rect] | None:
        """Return the projection and its rectangle in the view of the first volume.

        Parameters
        ----------
        base
            the first volume; its grid is the centre of the view
        degrees
            angle of view about z of the first volume
        convention
            patient sides on the screen
        is_turned
            True if z of the first volume points to the feet

        Returns
        -------
        values (rows, columns) and their rectangle [mm]; None without a second volume
        """
        if self._is_stale:
            self._is_stale = False
            self._found = self._compute(base, degrees, convention, is_turned)
        return self._found

    def _compute(
        self, base: Volume, degrees: float, convention: Convention, is_turned: bool
    ) -> tuple[Values, Rect] | None:
        volume, placing = self.fusion.volume, self.fusion.placing
        if volume is None:
            return None
        if self._projector is None or self._projector.volume is not volume:
            self._projector = Projector(volume)
            self._gain = gain_of(self._projector, convention) if self.fusion.is_pinned else 1.0
        values, rect = self._projector.project(degrees, convention)
        sign, shift = placing.matrix[2, 2], placing.shift_mm[2]
        top = rect.v + shift if sign > 0 else -(rect.v + rect.height + shift)
        centre = placing.to_base(np.array(volume.grid.centre_mm, float))
        angle = math.radians(degrees)
        right = np.array([math.cos(angle), math.sin(angle)])
        across = float((centre[:2] - np.array(base.grid.centre_mm[:2])) @ right)
        if convention == "neurological":
            across = -across
        place = Rect(rect.u + across, top, rect.width, rect.height)
        # Both flips cancel if both volumes have z to the feet.
        if (sign < 0) != is_turned:
            values = values[::-1]
        if is_turned:
            place = projection.turned_over(place)
        return np.ascontiguousarray(values), place
