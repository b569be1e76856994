"""Oblique slices of the displayed image, also while it is being reconstructed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.state.models.session import Session
from app.state.services.commands import Commands
from app.state.services.slice_reader import ComputedSlices, SliceMaker, SliceReader

if TYPE_CHECKING:
    from engine.geometry import ImageGrid, Plane
    from engine.results import VolumeSlices


class ImagePlaneReader(SliceReader):
    """Computes slices of the displayed image while a view shows them."""

    image_forms = True

    def __init__(self, session: Session, commands: Commands) -> None:
        super().__init__(session, commands)
        self._slices: VolumeSlices | None = None
        self._made_of: VolumeSlices | None = None
        self._grid: ImageGrid | None = None
        self._is_new = True
        session.view.volume_changed.connect(self._follow)

    @property
    def slices(self) -> SliceMaker | None:
        return self._slices

    def _follow(self) -> None:
        """React to another image; without a viewer, free the memory of the previous one."""
        # Only a flag: up to twelve previews arrive per second, and most are never sliced.
        self._is_new = True
        if not self._is_active and self._slices is not None:
            self._slices = self._grid = self.newest = None
            self.prepared.emit()
        self.refresh()

    def _use_new_image(self) -> None:
        """Use another image. If its grid is unchanged, the planes stay."""
        from engine.results import VolumeSlices

        self._is_new = False
        volume = self.view.volume
        self._slices = None if volume is None else VolumeSlices(volume)
        grid = None if volume is None else volume.grid
        if grid != self._grid:
            self._grid, self._planes, self.newest = grid, (), None
        self.fault = ""
        self.prepared.emit()

    def refresh(self) -> None:
        if not self._is_active or self._is_busy:
            return
        if self._is_new:
            self._use_new_image()
        slices, planes = self._slices, self._planes
        if slices is None or not planes or self._is_busy:
            return
        newest = self.newest
        # An iterate replaces the source but not the planes, so the source is compared too.
        if newest is None or newest.planes != planes or self._made_of is not slices:
            self._made_of = slices
            self.begin(lambda: _fine_slices(slices, planes), self.store_slices)


def _fine_slices(slices: VolumeSlices, planes: tuple[Plane, ...]) -> ComputedSlices:
    return ComputedSlices(slices.values(planes), planes, is_fine=True)
