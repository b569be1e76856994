"""Choice of the enlarged view when a comparison of two volumes begins and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.views.colour.raster_view import RasterView

if TYPE_CHECKING:
    from app.views.slices.ortho_view import OrthoView

MIN_ROW_PX = 150
"""Least height of a row of a comparison for images that can be judged [px]."""


class ComparisonStart:
    """Begins a comparison with both volumes in sight, and large enough to be judged.

    A projection or a 3D view would show one volume on top of the other. In a low window, three
    rows of images would be too small, so one plane of both volumes and their difference fills it.
    """

    def __init__(self) -> None:
        self._was_compared = False
        self._chosen: RasterView | None = None

    def alone(self, views: OrthoView) -> RasterView | None:
        """Return the view to show alone; None for all.

        Parameters
        ----------
        views
            the views with their state
        """
        is_compared, alone = views.state.fusion.is_compared, views.enlarged
        was, self._was_compared = self._was_compared, is_compared
        if is_compared and not was:
            is_low = views.panes.height() < 3 * MIN_ROW_PX
            if alone is None or alone is views.turning:
                active = [view for view in views.slices if view is views.active]
                self._chosen = (active or [views.axial])[0] if is_low else None
                return self._chosen
        elif was and not is_compared:
            chosen, self._chosen = self._chosen, None
            # A view that the user has enlarged since then stays.
            return None if alone is chosen else alone
        return alone
