"""What all linked views share: the volume, the cursor, the window, the way of display."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from app.views import windows
from app.views.colour_maps import COLOUR_MAPS, colour_map
from app.views.colours import DARK, ViewColours
from app.views.planes import Convention, clamp_to, slice_index
from app.views.start_cursor import place_to_look, shows_something
from app.views.text import length_unit, power_of, unit_text
from app.views.windows import Preset, Window
from engine.data import Volume
from engine.geometry import Point

if TYPE_CHECKING:
    from app.views.line import Line

Interpolation = Literal["linear", "nearest"]


class ViewState(QObject):
    """The shared display state; views read it and repaint on its signals.

    `power` is the power of ten that is taken out of values on the screen.

    Signals carry nothing: a view that is hidden, or slower than the signals, reads the latest.
    """

    volume_changed = Signal()
    cursor_changed = Signal()
    window_changed = Signal()
    display_changed = Signal()
    fit_requested = Signal()
    line_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.volume: Volume | None = None
        self.power = 0
        self.cursor_mm: Point = (0.0, 0.0, 0.0)
        self.window: Window = (0.0, 1.0)
        self.colour_map = COLOUR_MAPS[0].key
        self.interpolation: Interpolation = "linear"
        self.convention: Convention = "radiological"
        self.colours: ViewColours = DARK
        self.line: Line | None = None
        self.draws_lines = False
        self.blurred_axis: int | None = None
        self.note = ""

    @property
    def unit(self) -> str:
        """Unit of the values on show, empty without a volume."""
        return self.volume.unit if self.volume else ""

    @property
    def shown_unit(self) -> str:
        """Unit of the numbers on the screen: the values' own, less the power of ten."""
        return unit_text(self.unit, self.power)

    def to_shown(self, value: float) -> float:
        """Return a value as its number stands on the screen, in `shown_unit`."""
        return value / 10.0**self.power

    def from_shown(self, shown: float) -> float:
        """Return the value of a number on the screen."""
        return shown * 10.0**self.power

    @property
    def length_unit(self) -> str:
        """In what lengths are told: mm, or pixels where their size is not known."""
        return length_unit(self.unit)

    @property
    def is_pinned(self) -> bool:
        """Whether the window's lower bound belongs at zero."""
        return windows.pinned_to_zero(self.unit, diverging=self._diverging)

    def set_volume(self, volume: Volume | None, keep_window: bool = True) -> None:
        """Show a volume; one on the same grid, in the same unit, keeps cursor and window."""
        before, self.volume = self.volume, volume
        if volume is not None:
            self.power = power_of(windows.largest(volume.values))
            self._settle(before, volume, keep_window)
        self.volume_changed.emit()

    def _settle(self, before: Volume | None, volume: Volume, keep_window: bool) -> None:
        same_unit = before is not None and before.unit == volume.unit
        same_grid = before is not None and before.grid == volume.grid
        if not same_unit and self.colour_map in ("grey", "grey_inverted"):
            self.set_colour_map(windows.usual_colours(volume.unit))
        if not same_grid:
            self.set_cursor(place_to_look(volume))
            self.set_line(None)
        if not (keep_window and same_unit and same_grid):
            self.auto_window()

    def set_cursor(self, point_mm: Point) -> None:
        """Move the cursor, at most to the outermost voxel centres."""
        point = clamp_to(self.volume.grid, point_mm) if self.volume else point_mm
        if point != self.cursor_mm:
            self.cursor_mm = point
            self.cursor_changed.emit()

    def find_something(self) -> None:
        """Move the cursor to something, unless a slice through it shows something already."""
        if self.volume is not None and not shows_something(self.volume, self.cursor_mm):
            self.set_cursor(place_to_look(self.volume))

    def step_cursor(self, axis: int, n_voxels: int) -> None:
        """Move the cursor by whole voxels along axis 0, 1, 2 (x, y, z), onto a voxel centre."""
        if self.volume is None:
            return
        grid, point = self.volume.grid, list(self.cursor_mm)
        index = slice_index(grid, axis, point[axis]) + n_voxels
        point[axis] = float(grid.lower_mm[axis] + (index + 0.5) * grid.voxel_mm[axis])
        self.set_cursor((point[0], point[1], point[2]))

    def set_blurred_axis(self, axis: int | None) -> None:
        """Say along which axis (0, 1, 2: x, y, z) the scan saw no lines; None if along all."""
        if axis != self.blurred_axis:
            self.blurred_axis = axis
            self.display_changed.emit()

    def set_note(self, note: str) -> None:
        """Say in every view what is on show, such as that it is frozen; "" if it is the newest."""
        if note != self.note:
            self.note = note
            self.display_changed.emit()

    def set_line(self, line: Line | None) -> None:
        """Take the values along another line; None along none."""
        if line != self.line:
            self.line = line
            self.line_changed.emit()

    def set_draws_lines(self, draws: bool) -> None:
        """Whether dragging in a slice draws a line instead of moving the cursor."""
        if draws != self.draws_lines:
            self.draws_lines = draws
            self.line_changed.emit()

    def value_at_cursor(self) -> float | None:
        """Value of the voxel that holds the cursor."""
        if self.volume is None:
            return None
        index = self.volume.grid.index_of(clamp_to(self.volume.grid, self.cursor_mm))
        return None if index is None else float(self.volume.values[index])

    def set_window(self, low: float, high: float) -> None:
        """Values at the two ends of the colour map, in the volume's unit."""
        window = windows.valid(low, high)
        if window != self.window:
            self.window = window
            self.window_changed.emit()

    def auto_window(self) -> None:
        """Set a window that shows most of the volume."""
        if self.volume is not None:
            values, unit = self.volume.values, self.volume.unit
            self.set_window(*windows.auto_window(values, unit, diverging=self._diverging))

    def window_presets(self) -> list[Preset]:
        """Named windows for this volume, none without one."""
        if self.volume is None:
            return []
        return windows.presets(self.volume.values, self.volume.unit, diverging=self._diverging)

    def reset(self) -> None:
        """Cursor, window and zoom as for a volume never seen before."""
        if self.volume is not None:
            self.set_cursor(place_to_look(self.volume))
            self.auto_window()
        self.fit_requested.emit()

    def set_colour_map(self, key: str) -> None:
        """Choose a colour map; to and from a difference map the window is set anew."""
        was_diverging, self.colour_map = self._diverging, colour_map(key).key
        self.display_changed.emit()
        if was_diverging != self._diverging:
            self.auto_window()

    def set_interpolation(self, interpolation: Interpolation) -> None:
        """Show voxels as they are ("nearest") or blended ("linear")."""
        self.interpolation = interpolation
        self.display_changed.emit()

    def toggle_interpolation(self) -> None:
        """The other of the two."""
        self.set_interpolation("nearest" if self.interpolation == "linear" else "linear")

    def set_convention(self, convention: Convention) -> None:
        """Patient's right at screen left ("radiological") or at screen right ("neurological")."""
        self.convention = convention
        self.display_changed.emit()

    def set_colours(self, colours: ViewColours) -> None:
        """Paint in another theme."""
        self.colours = colours
        self.display_changed.emit()

    @property
    def _diverging(self) -> bool:
        return colour_map(self.colour_map).diverging
