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
"""Angle up to which the grey window follows the images, because their level still changes."""


class LiveViews(PlaneViews):
    """Slices of a running scan, and its newest projection."""

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
        # A window that the user chose stays until the next scan.
        self._follows = False

    def want(self, placement: PlanePlacement) -> None:
        if self.can_move:
            # Images of the old planes can still arrive; they must not reset the new ones.
            self._asked = placement.planes
        super().want(placement)

    def show_update(self, update: LiveUpdate) -> None:
        """Show the newest slices and projection; missing parts stay as they are.

        Parameters
        ----------
        update
            newest update of the session
        """
        if update.images is not None:
            self.show_images(update.images)
        if update.projection is not None:
            self.projection.show_frame(update.projection)

    def show_images(self, images: LiveImages, note: str = "") -> None:
        """Show slices.

        Parameters
        ----------
        images
            slices with their planes
        note
            text in the views if the images are not the newest; such images do not move the planes
        """
        # Stored or frozen images show their own planes, which must not become the current ones.
        self._accept_planes(tuple(images.planes), is_newest=not note)
        for view in self.slices:
            view.stale_note = note
        self.show_slices(images.values, images.planes)
        if self._follows:
            self.auto_window()
            # With half a rotation the level of the image no longer changes.
            self._follows = float(np.degrees(images.covered_rad)) < WHOLE_TURN_DEG

    def _accept_planes(self, there: tuple[Plane, ...], *, is_newest: bool) -> None:
        """Accept the planes of the images if they are not those that were requested.

        With another detector the slices differ from the displayed ones. The planes of the images
        are valid.
        """
        if self.placement is None or (
            is_newest and self._are_other_planes(there, self.placement.planes)
        ):
            self.placement = self._first = PlanePlacement.of(there)
            self.scene.show_placement(self.placement)
            self._asked = None
        elif is_newest and there == self._asked:
            self._asked = None

    def _are_other_planes(self, there: tuple[Plane, ...], wanted: tuple[Plane, ...]) -> bool:
        if self._asked is None:
            return there != wanted
        # While a move is pending, positions differ anyway. Another size or pixel means another
        # scan.
        return _shapes_and_pixels(there) != _shapes_and_pixels(self._asked)


def _shapes_and_pixels(planes: Sequence[Plane]) -> list[tuple[tuple[int, int], float]]:
    return [(plane.shape, plane.pixel_mm) for plane in planes]
