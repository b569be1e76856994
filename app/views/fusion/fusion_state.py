"""The state of a second volume: position, mixing, warnings."""

from __future__ import annotations

import weakref
from typing import Literal

from PySide6.QtCore import Signal

from app.language.translation import tr
from app.views.colour import windows
from app.views.colour.colours import ViewColours
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion import comparing
from app.views.fusion.comparing import COMPARING, DifferenceErrors
from app.views.planes.placing import VolumePlacing
from app.views.volume_facts import facts_of
from app.views.volume_kind import is_anatomical
from engine.analysis.regions import quantile
from engine.data import Volume, power_of

FusionMode = Literal[
    "blend", "swipe", "blink", "side by side", "compare", "difference", "ratio", "significance"
]
OVERLAY_MAPS = ("hot", "viridis")
"""Default colour maps over a grey volume, and over one that already uses the first map."""
OPACITY = 0.5
SWIPE = 0.5


class FusionState(VolumeAppearance):
    """The second volume, with its own window and colours.

    It is painted over the first volume, but anatomy is always below function.

    Attributes
    ----------
    placing : maps points of the displayed image to points of this volume
    mode : how the two are combined
    opacity : opacity of the upper volume in a blend, 0 to 1
    swipe : share of the pane's width where the upper volume begins, 0 to 1
    hides_low : True if values below the window are transparent
    links_windows : True if both share window and colour map, which requires equal units
    warning : message that stays on the images; empty if there is none
    note : note about the pair; empty if there is none
    compared : display settings of a comparison
    blinks_up : True while a blinking view shows this volume
    is_error : True if this is the error of the first volume
    same_scan : True if both are from one scan, None if that is unknown
    """

    mixing_changed = Signal()

    def __init__(self, lower: VolumeAppearance) -> None:
        super().__init__(lower)
        self._lower = lower
        self.placing = VolumePlacing()
        self.mode: FusionMode = "blend"
        self.opacity, self.swipe, self.blinks_up = OPACITY, SWIPE, False
        # The opacity to return to, in case the first action is to hide the volume.
        self._before = OPACITY
        self.hides_low, self.links_windows = True, False
        self.warning = self.note = ""
        self.is_error = False
        self.same_scan: bool | None = None
        self._errors: DifferenceErrors | None = None
        self._errors_of: tuple[weakref.ref[Volume], weakref.ref[Volume]] | None = None
        self.colour_map = OVERLAY_MAPS[0]
        self.compared = ComparisonAppearance(self)

    @property
    def is_below(self) -> bool:
        """True if the first volume is painted over this one, such as PET over CT or MR."""
        upper = self._lower.volume
        if self.volume is None or upper is None:
            return False
        return is_anatomical(self.volume) and not is_anatomical(upper)

    @property
    def is_blended_below(self) -> bool:
        """True if the first volume is mixed over this one in a single image."""
        return self.mode in ("blend", "swipe") and self.is_below

    @property
    def compares(self) -> bool:
        """True if a comparison is displayed."""
        return self.has_values and self.mode in COMPARING

    @property
    def shows_comparison(self) -> bool:
        """True if a view shows a comparison, alone or next to both volumes."""
        return self.compares or self.is_compared

    @property
    def is_side_by_side(self) -> bool:
        """True if both volumes are displayed side by side, with or without their difference."""
        return self.has_values and self.mode in ("side by side", "compare")

    @property
    def is_compared(self) -> bool:
        """True if both volumes are displayed side by side with their difference."""
        return self.has_values and self.mode == "compare" and not self.obstacle("compare")

    @property
    def blinks(self) -> bool:
        """True if the views show both volumes in turn."""
        return self.has_values and self.mode == "blink"

    def set_second_volume(
        self,
        volume: Volume | None,
        placing: VolumePlacing,
        name: str,
        *,
        is_error: bool = False,
        same_scan: bool | None = None,
    ) -> None:
        """Set or remove the second volume.

        Parameters
        ----------
        volume
            the volume; None removes it. One of equal unit and grid keeps the window.
        placing
            maps points of the displayed image to points of the volume
        name
            name for captions
        is_error
            True if it is the error of the first volume
        same_scan
            True if both volumes are from one scan; None if that is unknown
        """
        if same_scan != self.same_scan:
            self._errors = None
        self.is_error, self.same_scan = is_error, same_scan
        if (placing, name) == (self.placing, self.name) and volume is self.volume:
            return
        before, self.volume, self.placing, self.name = self.volume, volume, placing, name
        if volume is None:
            self._errors = None
        if volume is not None:
            self.fit_power()
            # The next image of a run has the same grid and keeps the user's window.
            if before is None or before.unit != volume.unit or before.grid != volume.grid:
                self.auto_window()
        self._fit_comparison()
        self.volume_changed.emit()

    def fit_power(self) -> None:
        """Take the power of ten of the first volume if both have one unit, else the own one."""
        lower = self._lower
        if self.volume is None:
            return
        # Two notations of one unit cannot be compared. Bq/mL and HU differ in magnitude.
        is_one_unit = lower.volume is not None and lower.unit == self.volume.unit
        self.power = lower.power if is_one_unit else power_of(facts_of(self.volume).largest)

    def set_messages(self, warning: str, note: str) -> None:
        """Set the messages about the pair.

        Parameters
        ----------
        warning
            message on the images; "" for none
        note
            note; "" for none
        """
        if (warning, note) != (self.warning, self.note):
            self.warning, self.note = warning, note
            self.mixing_changed.emit()

    def obstacle(self, mode: FusionMode) -> str:
        """Return the reason why the two volumes cannot be shown in a mode.

        Parameters
        ----------
        mode
            fusion mode

        Returns
        -------
        a sentence; empty if they can
        """
        if self._lower.volume is None or self.volume is None:
            return ""
        if self.is_error and (mode in COMPARING or mode == "compare"):
            return tr("Comparisons need a second image. The upper volume is the error of this one.")
        return comparing.obstacle(mode, self._lower.volume, self.volume, self.same_scan)

    @property
    def difference_errors(self) -> DifferenceErrors | None:
        """Errors for the mode "significance", cached; None if there is an obstacle."""
        lower, upper = self._lower.volume, self.volume
        if lower is None or upper is None or self.obstacle("significance"):
            return None
        known = self._errors_of is not None and (
            self._errors_of[0]() is lower and self._errors_of[1]() is upper
        )
        if self._errors is None or not known:
            self._errors_of = weakref.ref(lower), weakref.ref(upper)
            self._errors = comparing.errors_of_difference(
                lower, upper, same_scan=bool(self.same_scan)
            )
        return self._errors

    @property
    def limit(self) -> float | None:
        """Largest significance without a true change (95 %); None without two error maps."""
        if self._lower.volume is None or self.volume is None or self.obstacle("significance"):
            return None
        errors = (self._lower.volume.error, self.volume.error)
        return quantile(min(error.n for error in errors if error is not None) - 1)

    def set_mode(self, mode: FusionMode) -> None:
        """Set how the two volumes are combined.

        Parameters
        ----------
        mode
            blend, swipe, blink, side by side, both with their difference, difference, ratio, or
            difference divided by its error
        """
        if mode != self.mode:
            self.mode, self.blinks_up = mode, False
            # Before the signal, so that views never paint the new mode with an old window.
            self._fit_comparison()
            self.volume_changed.emit()

    def set_opacity(self, opacity: float) -> None:
        """Set the opacity of the upper volume in a blend.

        Parameters
        ----------
        opacity
            0 transparent to 1 opaque; other values are clipped
        """
        self._set_mixing("opacity", min(max(opacity, 0.0), 1.0))

    def toggle_hidden(self) -> None:
        """Hide the upper volume of a blend, or show it again; show the other one of a blink."""
        if self.mode == "blink":
            self.set_blinks_up(not self.blinks_up)
            return
        opacity = self._before if self.opacity == 0 else 0.0
        # Remember the last visible opacity, to restore it.
        self._before = self.opacity or self._before
        self.set_opacity(opacity)

    def set_blinks_up(self, is_up: bool) -> None:
        """Choose the volume that a blinking view shows.

        Parameters
        ----------
        is_up
            True for this volume, False for the first one
        """
        self._set_mixing("blinks_up", is_up)

    def set_swipe(self, part: float) -> None:
        """Set the border of a swipe.

        Parameters
        ----------
        part
            share of the pane's width, 0 to 1; other values are clipped
        """
        self._set_mixing("swipe", min(max(part, 0.0), 1.0))

    def set_hides_low(self, hides: bool) -> None:
        """Choose the appearance of low values.

        Parameters
        ----------
        hides
            True if values below the window are transparent
        """
        if hides != self.hides_low:
            self.hides_low = hides
            self.display_changed.emit()

    def set_links_windows(self, links: bool) -> None:
        """Choose if both volumes share a window.

        Parameters
        ----------
        links
            True to share it
        """
        self._set_mixing("links_windows", links)

    def set_colours(self, colours: ViewColours) -> None:
        self.compared.set_colours(colours)
        super().set_colours(colours)

    def _fit_comparison(self) -> None:
        """Give a comparison a suitable window."""
        lower, upper = self._lower, self
        if self.mode in ("difference", "compare"):
            low, high = lower.window
            # Half the window of the volume: smaller differences matter more than the full range.
            self.compared.begin(0.0, (high - low) / 2, lower.unit, lower.power)
        elif self.mode == "significance":
            self.compared.begin(0.0, comparing.SPREAD, tr("× error"), 0)
        elif self.mode == "ratio":
            unit = "" if lower.unit == upper.unit else f"{upper.unit} / {lower.unit}"
            tops = [max(abs(end) for end in appearance.window) for appearance in (lower, upper)]
            # Different units: equal shares of the two windows count as equal.
            middle = 1.0 if not unit else tops[1] / tops[0]
            self.compared.begin(middle, middle, unit, 0)

    def _set_mixing(self, name: str, value: float) -> None:
        if value != getattr(self, name):
            setattr(self, name, value)
            self.mixing_changed.emit()


class ComparisonAppearance(VolumeAppearance):
    """Display settings of a comparison.

    `middle` is the value of equal images: 0 for a difference, 1 for a ratio of equal units.
    """

    def __init__(self, fusion: FusionState) -> None:
        super().__init__(fusion)
        self._fusion = fusion
        self.middle = 0.0
        self.colour_map = "difference"
        self._unit, self._pair = "", ("", -1.0)

    @property
    def unit(self) -> str:
        return self._unit

    @property
    def has_values(self) -> bool:
        # Its controls are disabled unless a comparison is displayed.
        return self._fusion.shows_comparison

    @property
    def is_pinned(self) -> bool:
        return False

    @property
    def fits_automatically(self) -> bool:
        return False

    @property
    def bar_marks(self) -> tuple[float, ...]:
        limit = self._fusion.limit if self._fusion.mode == "significance" else None
        return () if limit is None else (-limit, limit)

    def begin(self, middle: float, half_width: float, unit: str, power: int) -> None:
        """Set the window for a new pair of volumes.

        Parameters
        ----------
        middle
            value of equal images
        half_width
            distance from the middle to each limit
        unit
            unit of the comparison
        power
            power of ten that is moved into the unit
        """
        # The same kind of comparison keeps the user's window.
        if (unit, middle) != self._pair:
            self._pair = unit, middle
            self.middle, self._unit, self.power = middle, unit, power
            self.set_window(middle - half_width, middle + half_width)

    def set_window(self, low: float, high: float) -> None:
        # The colours are symmetric, so any window is centred on the middle again.
        half = abs(high - low) / 2
        super().set_window(self.middle - half, self.middle + half)

    def auto_window(self) -> None:
        """Do nothing: the window stays centred on its middle."""

    def window_presets(self) -> list[windows.Preset]:
        """Return named windows about the middle, as multiples of the current one."""
        low, high = self.window
        half = (high - low) / 2
        parts = (
            (2.0, tr("Window width × 2")),
            (0.5, tr("Window width × 0.5")),
            (0.2, tr("Window width × 0.2")),
        )
        return [
            windows.Preset(title, (self.middle - part * half, self.middle + part * half))
            for part, title in parts
        ]
