"""The open volumes: the one that is shown, and the one that is fused with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.state.models.images.error_images import NAMES, error_image, has_error
from app.state.models.images.open_volume import IMAGE, OpenVolume
from app.state.models.images.pair_display import PairDisplay
from app.state.models.images.suv_images import SuvImages
from app.state.models.images.volume_origin import NO_SIDES, PairingNote, pairing_note_of
from app.views.planes.placing import NO_SIDES as NOT_TOLD
from app.views.planes.placing import VolumePlacing
from app.views.state import ViewState
from engine.data import Plain, Volume
from engine.geometry import Point


class OpenVolumes(QObject):
    """The open volumes: the image of the run first, then others in the order they were opened.

    Signals
    -------
    changed : the list, the base or the overlay changed

    Attributes
    ----------
    others : open volumes other than the image of the run
    suv : images as the views show them, in SUV where all facts are known
    provenance : provenance of the run; empty before it ends
    """

    changed = Signal()

    def __init__(self, view: ViewState) -> None:
        super().__init__(view)
        self._display = PairDisplay(view)
        self._image: OpenVolume | None = None
        self.suv = SuvImages()
        self.provenance: Plain = {}
        self.others: tuple[OpenVolume, ...] = ()
        self._base_key, self._overlay_key = IMAGE, ""
        self._before_error = ""

    @property
    def image(self) -> OpenVolume | None:
        """The image of the run, even if another volume is shown."""
        return self._image

    @property
    def items(self) -> tuple[OpenVolume, ...]:
        """All open volumes."""
        return (*((self._image,) if self._image is not None else ()), *self.others)

    @property
    def base(self) -> OpenVolume | None:
        """The volume that is shown."""
        return self._volume_with_key(self._base_key)

    @property
    def overlay(self) -> OpenVolume | None:
        """The volume over the base; None without fusion."""
        return (
            self._error_of_base()
            if self._asks_for_error
            else self._volume_with_key(self._overlay_key)
        )

    @property
    def shown_error(self) -> str:
        """Key of the error that is shown over the base; "" if the slices show the image."""
        return self._overlay_key if self._asks_for_error and has_error(self.base_volume) else ""

    @property
    def base_volume(self) -> Volume | None:
        """Values of the volume that is shown, in the unit of the view."""
        base = self.base
        return self._in_view_unit(base) if base is not None else None

    def _in_view_unit(self, opened: OpenVolume) -> Volume:
        """Return the values of a volume in the unit of the view."""
        # Time frames of the run do not repeat dose and weight.
        is_of_run = opened.kind in ("image", "iterate")
        return self.suv.shown(opened.volume, self.provenance if is_of_run else None)

    def set_suv(self, on: bool) -> None:
        """Show PET images in SUV where all facts are known, or in their own unit.

        Parameters
        ----------
        on
            True for SUV
        """
        if on != self.suv.is_on:
            self.suv.is_on = on
            self._display.forget_windows()
            self._show()

    @property
    def _asks_for_error(self) -> bool:
        return self._overlay_key in NAMES

    def _error_of_base(self) -> OpenVolume | None:
        base, volume, key = self.base, self.base_volume, self._overlay_key
        if base is None or volume is None or not has_error(volume):
            return None
        return OpenVolume(key, NAMES[key], "error", error_image(volume, key), base.origin)

    @property
    def shows_image(self) -> bool:
        """True if the image of the run is shown."""
        return self._base_key == IMAGE

    @property
    def base_fits_run(self) -> bool:
        """True if values at one position can be compared in the base and the images of the run."""
        base, image = self.base, self._image
        if base is None or image is None:
            return False
        if base is image:
            return True
        same_unit = self._in_view_unit(base).unit == self._in_view_unit(image).unit
        same_place = image.placing_over(base) == VolumePlacing()
        return same_unit and same_place and base.origin.is_same_scan(image.origin) is True

    def in_image_mm(self, point_mm: Point) -> Point:
        """Convert a point of the displayed volume to the image of the run.

        Parameters
        ----------
        point_mm
            point (x, y, z) in the axes of the base [mm]

        Returns
        -------
        the point in the axes of the image of the run; unchanged without one
        """
        base, image = self.base, self._image
        if base is None or image is None or base is image:
            return point_mm
        x, y, z = image.placing_over(base).to_volume(np.array(point_mm))
        return float(x), float(y), float(z)

    @property
    def pairing_note(self) -> PairingNote:
        """Warning and note about the pair that is shown."""
        base, overlay = self.base, self.overlay
        if base is None or overlay is None or overlay.kind == "error":
            return PairingNote()
        found = pairing_note_of(base.origin, overlay.origin)
        # Without a patient position, left and right may be exchanged between the two.
        sides = NO_SIDES if NOT_TOLD in (base.volume.axes, overlay.volume.axes) else ""
        return PairingNote(found.warning, "; ".join(filter(None, (found.note, sides))))

    # The image of the run

    def take_image(self, image: OpenVolume | None, *, refit: bool = False) -> None:
        """Replace the image of the run.

        Parameters
        ----------
        image
            the new image; None if there is none
        refit
            True fits window and cursor to it if it is shown
        """
        # The user has waited for the first image of a run, so it replaces an open file.
        if self._image is None and image is not None:
            self._base_key = IMAGE
        self._image = image
        if image is None and self._base_key == IMAGE:
            self._overlay_key = ""
        self._show(refit=refit)

    def return_to_image(self) -> None:
        """Show the image of the run, unless it lies over another volume."""
        if IMAGE not in (self._base_key, self._overlay_key):
            self.set_base(IMAGE)

    def forget_others(self) -> None:
        """Close all volumes but the image of the run: a new scan may be another patient."""
        self.others = ()
        self._display.forget_scans()
        self._base_key, self._overlay_key = IMAGE, ""
        self._show()

    # Other volumes

    def add(self, opened: OpenVolume) -> None:
        """Open a volume.

        Parameters
        ----------
        opened
            replaces an open volume with the same key, otherwise it comes last
        """
        others = [opened if each.key == opened.key else each for each in self.others]
        self.others = tuple(others) if opened in others else (*others, opened)
        self._show()

    def rename(self, names: Mapping[str, str]) -> None:
        """Rename open volumes.

        Parameters
        ----------
        names
            new name by key; volumes without an entry keep their names
        """
        image = self._image
        others = tuple(replace(o, name=names.get(o.key, o.name)) for o in self.others)
        # Compare first: `changed` makes every view redraw.
        same = [o.name for o in others] == [o.name for o in self.others]
        if image is not None and names.get(IMAGE, image.name) != image.name:
            self._image, same = replace(image, name=names[IMAGE]), False
        if not same:
            self.others = others
            self._show()

    def close(self, key: str) -> None:
        """Close a volume.

        Parameters
        ----------
        key
            its key; if it is shown, the image of the run takes its place
        """
        self.others = tuple(each for each in self.others if each.key != key)
        self._display.forget_windows(key)
        self._overlay_key = "" if self._overlay_key == key else self._overlay_key
        self._base_key = IMAGE if self._base_key == key else self._base_key
        self._show()

    def set_base(self, key: str) -> None:
        """Show an open volume.

        Parameters
        ----------
        key
            its key; unknown keys are ignored. If it is the overlay, both change places.
        """
        if key == self._base_key or self._volume_with_key(key) is None:
            return
        before = self._base_key
        self._display.keep_windows()
        # Windows of an error belong to one volume.
        self._display.forget_windows(*NAMES)
        self._base_key = key
        if self._overlay_key == key:
            self._overlay_key = before if self._volume_with_key(before) is not None else ""
        self._show(switched=True)

    def set_overlay(self, key: str) -> None:
        """Show an open volume over the base.

        Parameters
        ----------
        key
            its key; "" removes the overlay, the key of the base swaps both
        """
        if key == self._base_key:
            self.swap()
        elif key != self._overlay_key:
            self._display.keep_windows()
            self._overlay_key = key if self._volume_with_key(key) is not None else ""
            self._show(switched=True)

    def show_error(self, key: str) -> None:
        """Show the error of the base over it, or the volume that was over it before.

        Parameters
        ----------
        key
            `SPREAD` or `RELATIVE`; "" shows the image again
        """
        if key == (self._overlay_key if self._asks_for_error else ""):
            return
        self._display.keep_windows()
        if not self._asks_for_error:
            self._before_error = self._overlay_key
        before = self._before_error
        self._overlay_key = key or (before if self._volume_with_key(before) is not None else "")
        self._show(switched=True)

    def swap(self) -> None:
        """Exchange base and overlay. The error of an image stays over it."""
        self.set_base(self._overlay_key)

    # The displayed volumes

    def _volume_with_key(self, key: str) -> OpenVolume | None:
        return next((each for each in self.items if each.key == key), None)

    def _show(self, *, refit: bool = False, switched: bool = False) -> None:
        """Update the view; `refit` and `switched` as in `PairDisplay.show`."""
        self._display.show(
            (self._base_key, self._in_display(self.base)),
            (self._overlay_key, self._in_display(self.overlay)),
            self.pairing_note,
            refit=refit,
            switched=switched,
        )
        self.changed.emit()

    def _in_display(self, opened: OpenVolume | None) -> OpenVolume | None:
        """Return a volume with its values in the unit of the view; an error has its own unit."""
        if opened is None or opened.kind == "error":
            return opened
        return replace(opened, volume=self._in_view_unit(opened))
