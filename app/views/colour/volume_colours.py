"""The appearance of a volume: display window, colour map, displayed numbers."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.views.colour import windows
from app.views.colour.colour_maps import COLOUR_MAPS, colour_map
from app.views.colour.colours import DARK, ViewColours
from app.views.colour.windows import Preset, Window
from app.views.text import number, with_error
from app.views.volume_facts import facts_of
from engine.data import Volume, scaled_number, unit_text


class VolumeAppearance(QObject):
    """A volume with its window and colour map. Views read it and repaint on its signals.

    `power` is the power of ten that is moved from displayed values into the unit. `name` is the
    name of the volume in captions. `subject` identifies its run or file: all images of a run share
    it, those of another scan have another one. Signals have no arguments: a hidden or slow view
    reads the latest state.
    """

    volume_changed = Signal()
    window_changed = Signal()
    display_changed = Signal()
    colour_map_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.volume: Volume | None = None
        self.name = ""
        self.subject: object = None
        self.power = 0
        self.window: Window = (0.0, 1.0)
        self.colour_map = COLOUR_MAPS[0].key
        self.colours: ViewColours = DARK

    @property
    def unit(self) -> str:
        """Unit of the displayed values, empty without a volume."""
        return self.volume.unit if self.volume else ""

    @property
    def shown_unit(self) -> str:
        """Unit of displayed numbers, including the power of ten."""
        text = unit_text(self.unit, self.power)
        # g/mL alone does not tell a reader that the values are SUV.
        return f"SUV {text}" if self.unit.startswith("g/mL") else text

    @property
    def has_values(self) -> bool:
        """True if there are values to show."""
        return self.volume is not None

    def to_shown(self, value: float) -> float:
        """Convert a value to its displayed number, in `shown_unit`.

        Parameters
        ----------
        value
            value in the unit of the volume
        """
        return value / 10.0**self.power

    def shown_number(self, value: float, figures: int = 3) -> str:
        """Format a value for use before `shown_unit`.

        Parameters
        ----------
        value
            value in the unit of the volume
        figures
            significant digits

        Returns
        -------
        text with at most one power of ten
        """
        shown = self.to_shown(value)
        # With a power in the unit, a second one in the number would be confusing.
        return scaled_number(shown, figures) if self.power else number(shown, figures)

    def shown_text(self, value: float, figures: int = 3) -> str:
        """Format a value with its unit.

        Parameters
        ----------
        value
            value in the unit of the volume
        figures
            significant digits
        """
        return f"{self.shown_number(value, figures)} {self.shown_unit}".rstrip()

    def shown_with_error(self, value: float, sd: float) -> str:
        """Format a value with its error and unit.

        Parameters
        ----------
        value
            value in the unit of the volume
        sd
            standard deviation of the value in the same unit

        Returns
        -------
        text such as "4.21 ± 0.32 kBq/mL"
        """
        shown = with_error(self.to_shown(value), self.to_shown(sd))
        return f"{shown} {self.shown_unit}".rstrip()

    def text_of(self, index: tuple[int, int, int]) -> str:
        """Return the value of a voxel with its unit, and with its error if the volume has a map.

        Parameters
        ----------
        index
            (z, y, x) of the voxel

        Returns
        -------
        text such as "4.21 ± 0.32 kBq/mL"; without error where the replicates do not vary; empty
        without a volume
        """
        if self.volume is None:
            return ""
        value, error = float(self.volume.values[index]), self.volume.error
        spread = 0.0 if error is None else error.at(index)
        # Equal replicates do not show the error: the Hessian leaves out voxels near 0.
        return self.shown_with_error(value, spread) if spread > 0 else self.shown_text(value)

    def from_shown(self, shown: float) -> float:
        """Convert a displayed number to a value.

        Parameters
        ----------
        shown
            number in `shown_unit`

        Returns
        -------
        value in the unit of the volume
        """
        return shown * 10.0**self.power

    @property
    def is_pinned(self) -> bool:
        """True if the lower window limit should be zero."""
        return windows.pinned_to_zero(self.unit, diverging=self.is_diverging)

    @property
    def fits_automatically(self) -> bool:
        """True if the window can be fitted to the values."""
        return True

    @property
    def bar_marks(self) -> tuple[float, ...]:
        """Values to mark in the colour bar, in the unit of the volume."""
        return ()

    @property
    def is_diverging(self) -> bool:
        """True if the colour map needs a window around a centre."""
        return colour_map(self.colour_map).diverging

    def set_window(self, low: float, high: float) -> None:
        """Set the window.

        Parameters
        ----------
        low, high
            values at the two ends of the colour map, in the unit of the volume
        """
        # Typed or dragged limits may be equal, exchanged or not finite.
        window = windows.valid(low, high)
        if window != self.window:
            self.window = window
            self.window_changed.emit()

    def auto_window(self) -> None:
        """Set a window that shows most of the volume."""
        if self.volume is not None:
            # From the cached facts: reading all values may take seconds.
            self.set_window(*facts_of(self.volume).auto_window(diverging=self.is_diverging))

    def window_presets(self) -> list[Preset]:
        """Return named windows for this volume; none without a volume."""
        if self.volume is None:
            return []
        # Not cached: presets are only needed when the menu opens.
        return windows.presets(self.volume.values, self.volume.unit, diverging=self.is_diverging)

    def set_colour_map(self, key: str) -> None:
        """Set the colour map. A change to or from a difference map resets the window.

        Parameters
        ----------
        key
            key of the colour map; an unknown one gives the default
        """
        was_diverging, self.colour_map = self.is_diverging, colour_map(key).key
        self.display_changed.emit()
        self.colour_map_changed.emit()
        # A difference map needs a symmetric window; others a window from zero.
        if was_diverging != self.is_diverging:
            self.auto_window()

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme.

        Parameters
        ----------
        colours
            colours of the theme
        """
        self.colours = colours
        self.display_changed.emit()
