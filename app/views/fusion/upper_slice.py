"""The upper of two images in an orthogonal slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.views.fusion import comparing
from app.views.fusion.resampling import resampled, slice_through
from app.views.fusion.upper_layer import UpperLayer, Values
from app.views.planes.placing import VolumePlacing
from app.views.planes.plane_geometry import slice_centre
from app.views.slices.slab import SlabCutter
from app.views.volume_facts import min_value
from engine.data import Volume
from engine.geometry import Orientation, Point, Rect

if TYPE_CHECKING:
    from app.views.state import ViewState


class UpperSlice(UpperLayer):
    """Computes stale values when they are painted."""

    def __init__(
        self,
        state: ViewState,
        cutter: SlabCutter | None = None,
        *,
        is_difference: bool = False,
    ) -> None:
        super().__init__(state, is_difference=is_difference)
        self._cutter = cutter or SlabCutter()

    def forget_values(self) -> None:
        super().forget_values()
        # A slab cache holds many slices, so it is freed when no slab is shown.
        is_thick = bool(self.state.slab_now.kind)
        self._cutter.keep_only(self.fusion.volume if is_thick else None)

    def values(
        self, orientation: Orientation, lower: Values, rect: Rect, point_mm: Point | None = None
    ) -> tuple[Values, Rect] | None:
        """Return the values to colour.

        Parameters
        ----------
        orientation
            plane of the view
        lower
            values of the lower volume, for a comparison
        rect
            rectangle of `lower` in the plane [mm]
        point_mm
            a point in the plane; None for the cursor

        Returns
        -------
        values and their rectangle; None outside the second volume
        """
        if self._is_stale:
            self._is_stale = False
            point_mm = point_mm or self.state.cursor_mm
            if self.compares:
                self._found = self._comparison_values(orientation, lower, rect, point_mm)
            else:
                self._found = self._own_values(orientation, point_mm)
        return self._found

    def _own_values(self, orientation: Orientation, at: Point) -> tuple[Values, Rect] | None:
        volume = self.fusion.volume
        if volume is None:
            return None
        blended = self.state.interpolation == "linear"
        slab = self.state.slab_now

        def cut(axis: int, index: int) -> Values:
            return self._cutter.cut(volume, axis, index, slab)

        thick = cut if slab.kind else None
        return slice_through(
            volume, self.fusion.placing, orientation, at, blended=blended, cut=thick
        )

    def _comparison_values(
        self, orientation: Orientation, lower: Values, rect: Rect, at: Point
    ) -> tuple[Values, Rect] | None:
        fusion, volume, base = self.fusion, self.fusion.volume, self.state.volume
        if volume is None or base is None or fusion.obstacle(fusion.mode):
            return None
        # The lower slice is one of the volume's own, so the plane is moved to its centre.
        point = slice_centre(base.grid, orientation.normal, at)
        shape = (lower.shape[0], lower.shape[1])

        def of_upper(each: Volume) -> Values:
            return resampled(each, fusion.placing, orientation, point, rect, shape)

        def of_lower(each: Volume) -> Values:
            return resampled(each, VolumePlacing(), orientation, point, rect, shape)

        there, errors = of_upper(volume), None
        if fusion.mode == "significance":
            errors = fusion.difference_errors
        if errors is not None:
            least = min_value(base), min_value(volume)
            found = comparing.significance(lower, there, least, errors, (of_lower, of_upper))
            return found, rect
        if self._is_difference or fusion.mode == "difference":
            return comparing.difference(lower, there), rect
        return comparing.ratio(lower, there, self.state.window[1]), rect
