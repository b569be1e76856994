"""The upper of two images in an oblique slice.

A slice has the centre c and the unit vectors a (across) and d (down). It is seen with d downwards
(s = 1) or upwards (s = −1). A point of the view (u, v) [mm] from the centre is

    c + u a + s v d
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from app.language.translation import tr
from app.views.fusion import comparing
from app.views.fusion.fusion_text import note_of
from app.views.fusion.resampling import N_ACROSS, on_plane
from app.views.fusion.upper_layer import UpperLayer, Values
from app.views.planes.placing import VolumePlacing
from app.views.state import ViewState
from app.views.volume_facts import min_value
from engine.data import Volume
from engine.geometry import Plane, Rect

SIDE_BY_SIDE_NOTE = tr("the Volume tab shows both volumes side by side")


class UpperPlane(UpperLayer):
    """Computes stale values when they are painted.

    Parameters
    ----------
    state : display settings of both volumes
    repaint : called when something becomes stale

    Attributes
    ----------
    is_over_lower : True if the slice belongs to the lower volume
    """

    def __init__(self, state: ViewState, repaint: Callable[[], object]) -> None:
        super().__init__(state)
        self._repaint = repaint
        self.is_over_lower = True
        for volume in (state, self.fusion):
            volume.volume_changed.connect(self.forget_values)
        for appearance in (self.fusion, self.fusion.compared):
            appearance.window_changed.connect(self.forget_colours)
            appearance.display_changed.connect(self.forget_colours)
        self.fusion.mixing_changed.connect(self._repaint)

    @property
    def is_there(self) -> bool:
        """True if a second volume covers this slice."""
        return self.is_over_lower and self.fusion.has_values

    def forget_values(self) -> None:
        super().forget_values()
        self._repaint()

    def forget_colours(self) -> None:
        super().forget_colours()
        self._repaint()

    def note(self) -> str:
        """Return a note about both volumes; empty if there is none."""
        return SIDE_BY_SIDE_NOTE if self.fusion.is_side_by_side else note_of(self.state)

    def values(self, plane: Plane, sign: float, rect: Rect) -> tuple[Values, Rect] | None:
        """Return the values to colour.

        Parameters
        ----------
        plane
            position of the slice
        sign
            s in the formula of the module
        rect
            the whole slice in its view [mm]

        Returns
        -------
        values and their rectangle; None without an overlay
        """
        if self._is_stale:
            # Set first: an error while sampling must not repeat at every paint.
            self._is_stale = False
            made = self._compute(plane, sign, rect)
            self._found = None if made is None or np.isnan(made).all() else (made, rect)
        return self._found

    def _compute(self, plane: Plane, sign: float, rect: Rect) -> Values | None:
        fusion, upper, base = self.fusion, self.fusion.volume, self.state.volume
        if upper is None or base is None or fusion.is_side_by_side:
            return None
        if not fusion.compares:
            # As fine as the finer of the two, so that no detail of the overlay is lost.
            step = min(plane.pixel_mm, *upper.grid.voxel_mm)
            return _resampled(upper, fusion.placing, plane, sign, rect, step)
        if fusion.obstacle(fusion.mode):
            return None

        # Both volumes are sampled at the same points, so that differences are exact per pixel.
        def of_lower(each: Volume) -> Values:
            return _resampled(each, VolumePlacing(), plane, sign, rect, plane.pixel_mm)

        def of_upper(each: Volume) -> Values:
            return _resampled(each, fusion.placing, plane, sign, rect, plane.pixel_mm)

        lower, there, errors = of_lower(base), of_upper(upper), None
        if fusion.mode == "significance":
            errors = fusion.difference_errors
        if errors is not None:
            least = min_value(base), min_value(upper)
            return comparing.significance(lower, there, least, errors, (of_lower, of_upper))
        if fusion.mode == "difference":
            return comparing.difference(lower, there)
        return comparing.ratio(lower, there, self.state.window[1])


def _resampled(
    volume: Volume, placing: VolumePlacing, plane: Plane, sign: float, rect: Rect, step_mm: float
) -> Values:
    """Return the values of a volume in the slice, at most `N_ACROSS` along its longer side."""
    step = max(max(rect.width, rect.height) / N_ACROSS, step_mm)
    shape = (math.ceil(rect.height / step), math.ceil(rect.width / step))
    across, down, _ = plane.turn.T
    corner = np.array(plane.centre_mm) + rect.u * across + sign * rect.v * down
    return on_plane(volume, placing, corner, (sign * down, across), rect, shape)
