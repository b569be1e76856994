"""The state of a second volume: position, mixing, warnings."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Signal

from app.language.translation import tr
from app.views.colour import windows
from app.views.colour.colours import ViewColours
from app.views.colour.volume_colours import VolumeAppearance
from app.views.planes.placing import VolumePlacing
from app.views.volume_facts import facts_of
from app.views.volume_kind import is_anatomical
from engine.data import Volume, power_of

FusionMode = Literal["blend", "swipe", "beside", "difference", "ratio"]
COMPARING: tuple[FusionMode, ...] = ("difference", "ratio")
OVERLAY_MAPS = ("hot", "viridis")
"""Default colour maps over a grey volume, and over a volume that already uses the first one."""
OPACITY = 0.5
SWIPE = 0.5


class FusionState(VolumeAppearance):
    """The second volume, with a window and colours of its own.

    It is painted over the first one, except that anatomy always lies below function.

    Attributes
    ----------
    placing : from points of the picture to those of this volume
    mode : how the two are shown
    opacity : of the upper one where they are blended, 0 to 1
    swipe : part of a pane's width from which the upper one is shown, 0 to 1
    hides_low : whether what is below the window lets the lower picture through
    links_windows : whether both have one window and colour map, which takes one unit
    warning : what must be said of the two as long as they are on show; empty if nothing
    remark : what to keep in mind of them; empty if nothing
    compared : how their difference or ratio is shown
    """

    mixing_changed = Signal()

    def __init__(self, lower: VolumeAppearance) -> None:
        super().__init__(lower)
        self._lower = lower
        self.placing = VolumePlacing()
        self.mode: FusionMode = "blend"
        self.opacity, self.swipe = OPACITY, SWIPE
        self._before = OPACITY
        self.hides_low, self.links_windows = True, False
        self.warning = self.remark = ""
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
        """True if a difference or ratio is displayed."""
        return self.has_values and self.mode in COMPARING

    @property
    def is_side_by_side(self) -> bool:
        """True if both volumes are displayed side by side."""
        return self.has_values and self.mode == "beside"

    def lay(self, volume: Volume | None, placing: VolumePlacing, name: str) -> None:
        """Set or remove the second volume. A similar volume keeps its window."""
        if (placing, name) == (self.placing, self.name) and volume is self.volume:
            return
        before, self.volume, self.placing, self.name = self.volume, volume, placing, name
        if volume is not None:
            self.power = power_of(facts_of(volume).largest)
            if before is None or before.unit != volume.unit or before.grid != volume.grid:
                self.auto_window()
        self._fit_comparison()
        self.volume_changed.emit()

    def say(self, warning: str, remark: str) -> None:
        """Set the warning about both volumes. It stays on the image."""
        if (warning, remark) != (self.warning, self.remark):
            self.warning, self.remark = warning, remark
            self.mixing_changed.emit()

    def set_mode(self, mode: FusionMode) -> None:
        """Blend, swipe, stand side by side, or show the difference or ratio."""
        if mode != self.mode:
            self.mode = mode
            self._fit_comparison()
            self.volume_changed.emit()

    def set_opacity(self, opacity: float) -> None:
        """Let the lower picture through, 1 not at all."""
        self._mix("opacity", min(max(opacity, 0.0), 1.0))

    def toggle_hidden(self) -> None:
        """Take the upper picture away where the two are blended, or bring it back."""
        opacity = self._before if self.opacity == 0 else 0.0
        self._before = self.opacity or self._before
        self.set_opacity(opacity)

    def set_swipe(self, part: float) -> None:
        """Show the upper picture from this part of a pane's width on."""
        self._mix("swipe", min(max(part, 0.0), 1.0))

    def set_hides_low(self, hides: bool) -> None:
        """True if values below the window are transparent."""
        if hides != self.hides_low:
            self.hides_low = hides
            self.display_changed.emit()

    def set_links_windows(self, links: bool) -> None:
        """True if both volumes share a window."""
        self._mix("links_windows", links)

    def set_colours(self, colours: ViewColours) -> None:
        self.compared.set_colours(colours)
        super().set_colours(colours)

    def _fit_comparison(self) -> None:
        """Give difference and ratio a window that suits the two volumes."""
        lower, upper = self._lower, self
        if self.mode == "difference":
            low, high = lower.window
            self.compared.begin(0.0, (high - low) / 2, lower.unit, lower.power)
        elif self.mode == "ratio":
            unit = "" if lower.unit == upper.unit else f"{lower.unit} / {upper.unit}"
            tops = [max(abs(end) for end in appearance.window) for appearance in (lower, upper)]
            middle = 1.0 if not unit else tops[0] / tops[1]
            self.compared.begin(middle, middle, unit, 0)

    def _mix(self, name: str, value: float) -> None:
        if value != getattr(self, name):
            setattr(self, name, value)
            self.mixing_changed.emit()


class ComparisonAppearance(VolumeAppearance):
    """How a difference or a ratio is shown: about 0, or about 1.

    `middle` is the value that says that both are the same.
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
        return self._fusion.compares

    @property
    def is_pinned(self) -> bool:
        return False

    def begin(self, middle: float, half_width: float, unit: str, power: int) -> None:
        """Take the window that fits another pair of volumes."""
        if (unit, middle) != self._pair:
            self._pair = unit, middle
            self.middle, self._unit, self.power = middle, unit, power
            self.set_window(middle - half_width, middle + half_width)

    def set_window(self, low: float, high: float) -> None:
        half = abs(high - low) / 2
        super().set_window(self.middle - half, self.middle + half)

    def auto_window(self) -> None:
        """The window stays about its middle."""

    def window_presets(self) -> list[windows.Preset]:
        """Named windows about the middle: parts of the one there is."""
        low, high = self.window
        half = (high - low) / 2
        parts = (
            (2.0, tr("Twice as wide")),
            (0.5, tr("Half as wide")),
            (0.2, tr("A fifth as wide")),
        )
        return [
            windows.Preset(title, (self.middle - part * half, self.middle + part * half))
            for part, title in parts
        ]
