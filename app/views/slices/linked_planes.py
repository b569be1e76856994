"""One scale and one pan for the slices that have about one size on the screen.

The three slices of a volume then show a lesion in one size. A pan in one slice moves the others
along the axis that both share. Slices of other sizes, such as those next to a large view, keep a
scale of their own, because the small ones would make the large one small.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from app.views.slices.slice_view import SliceView
from app.views.viewport import Viewport

ALIKE = 0.6
"""Least ratio of two lengths of views that share a scale. A layout fits their sizes to images."""


class LinkedPlanes:
    """Links the scale and the pan of slices in different planes.

    Parameters
    ----------
    views : the slices of one volume
    """

    def __init__(self, views: Sequence[SliceView]) -> None:
        self._views = tuple(views)
        self._spreading = False
        for view in self._views:
            view.fitted_scale = self._fitted_scale(view)
            view.part_changed.connect(lambda view=view: self._apply_to_others(view))

    def _slices_of_size(self, view: SliceView) -> list[SliceView]:
        """Return the visible slices about as large as a view, and the view itself."""
        size = view.size()
        return [
            each
            for each in self._views
            if each is view
            or (
                each.isVisible()
                and _are_similar(each.width(), size.width())
                and _are_similar(each.height(), size.height())
            )
        ]

    def _fitted_scale(self, view: SliceView) -> Callable[[], float]:
        def scale() -> float:
            volume = view.state.volume
            if volume is None:
                return float("inf")
            return min(
                Viewport.fit(
                    each.image_rect(volume), (each.width(), each.height()), each.margin_px
                ).px_per_mm
                for each in self._slices_of_size(view)
            )

        return scale

    def _apply_to_others(self, view: SliceView) -> None:
        """Give the other slices the scale and the centre of one that was zoomed or moved."""
        shown = view.viewport
        if self._spreading or shown is None:
            return
        # The others report their change too, which must not start another update.
        self._spreading = True
        try:
            for other in self._slices_of_size(view):
                if other is view:
                    continue
                if view.is_fitted:
                    other.fit()
                else:
                    self._move(other, view, shown)
        finally:
            self._spreading = False

    def _move(self, other: SliceView, view: SliceView, shown: Viewport) -> None:
        theirs = other.viewport
        if theirs is None:
            return
        orientation = view.orientation
        # A plane knows two of the three coordinates; the third one stays.
        place = list(other.orientation.to_patient(*theirs.centre, 0.0))
        there = orientation.to_patient(*shown.centre, 0.0)
        for axis in (orientation.right.axis, orientation.down.axis):
            place[axis] = there[axis]
        centre = other.orientation.to_screen((place[0], place[1], place[2]))
        other.show_part(replace(theirs, centre=centre, px_per_mm=shown.px_per_mm))


def _are_similar(one: int, other: int) -> bool:
    return min(one, other) >= ALIKE * max(one, other)
