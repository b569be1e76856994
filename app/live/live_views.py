"""Three slices of a running scan, their planes in 3-D, and the newest projection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from app.live.projection_pane import ProjectionPane
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_views import PlaneViews
from engine.geometry import Plane

if TYPE_CHECKING:
    from engine.live import LiveImages, LiveUpdate

WHOLE_TURN_DEG = 179.0
"""Until views cover so much, the window of values follows them: the level of the image changes."""


class LiveViews(PlaneViews):
    """The slices of a running scan, and its newest projection."""

    def __init__(self) -> None:
        self.projection = ProjectionPane()
        super().__init__(self.projection)
        self._asked: tuple[Plane, ...] | None = None
        self._follows = True

    def begin(self, placement: PlanePlacement | None = None) -> None:
        super().begin(placement)
        self._asked, self._follows = None, True
        self.projection.state.set_volume(None)

    def window_chosen(self) -> None:
        self._follows = False

    def want(self, placement: PlanePlacement) -> None:
        if self.can_move:
            self._asked = placement.planes
        super().want(placement)

    def show_update(self, update: LiveUpdate) -> None:
        """Show the newest data."""
        if update.images is not None:
            self.show_images(update.images)
        if update.projection is not None:
            self.projection.show_frame(update.projection)

    def show_images(self, images: LiveImages, note: str = "") -> None:
        """Show slices. `note` describes them if they are not the newest."""
        self._agree(tuple(images.planes), is_newest=not note)
        for view in self.slices:
            view.note = note
        self.show_slices(images.values, images.planes)
        if self._follows:
            self.auto_window()
            self._follows = float(np.degrees(images.covered_rad)) < WHOLE_TURN_DEG

    def _agree(self, there: tuple[Plane, ...], *, is_newest: bool) -> None:
        """Take up where the slices are if others were made than were asked for.

        Another detector has other slices than those that are on show: what is there is true.
        """
        if self.placement is None or (is_newest and self._are_others(there, self.placement.planes)):
            self.placement = self._first = PlanePlacement.of(there)
            self.scene.show_placement(self.placement)
            self._asked = None
        elif is_newest and there == self._asked:
            self._asked = None

    def _are_others(self, there: tuple[Plane, ...], wanted: tuple[Plane, ...]) -> bool:
        if self._asked is None:
            return there != wanted
        return _sizes(there) != _sizes(self._asked)


def _sizes(planes: Sequence[Plane]) -> list[tuple[tuple[int, int], float]]:
    return [(plane.shape, plane.pixel_mm) for plane in planes]
