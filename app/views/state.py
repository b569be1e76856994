"""The shared state of all linked views: volume, cursor, window, display."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from app.views.colour import windows
from app.views.colour.colours import ViewColours
from app.views.colour.volume_colours import VolumeAppearance
from app.views.fusion.fusion_state import FusionState
from app.views.planes.plane_geometry import ViewTurn, clamp_to, slice_index
from app.views.slices.slab import Slab
from app.views.slices.start_cursor import shows_something
from app.views.text import length_unit
from app.views.volume_facts import facts_of
from engine.data import Volume, power_of
from engine.geometry import Convention, ImageGrid, PlaneName, Point

if TYPE_CHECKING:
    from app.views.line import Line
    from app.views.slices.slice_marks import SliceMarks

Interpolation = Literal["linear", "nearest"]


class ViewState(VolumeAppearance):
    """The shared display state. Views read it and repaint on its signals.

    `fusion` is the second volume and its fusion mode.
    """

    cursor_changed = Signal()
    fit_requested = Signal()
    line_changed = Signal()
    marks_changed = Signal()
    slab_changed = Signal()
    magnifier_changed = Signal()
    crosshair_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.fusion = FusionState(self)
        # Both directions: the user may change either of the two.
        for one, other in ((self, self.fusion), (self.fusion, self)):
            one.window_changed.connect(partial(self._link_windows, one, other))
            one.colour_map_changed.connect(partial(self._link_colours, one, other))
        self.cursor_mm: Point = (0.0, 0.0, 0.0)
        self.interpolation: Interpolation = "linear"
        self.convention: Convention = "radiological"
        self.line: Line | None = None
        self.draws_lines = False
        self.marks: list[SliceMarks] = []
        self.blurred_axis: int | None = None
        self.note = ""
        self.box: ImageGrid | None = None
        self.stated_axes = ""
        self.magnifies = False
        self.shows_crosshair = True
        self.slab, self._thick = Slab(), Slab("highest")
        self._turns: dict[PlaneName, ViewTurn] = {}

    @property
    def subjects(self) -> tuple[object, object]:
        """Runs or files of both volumes; another scan has another one."""
        return self.subject, self.fusion.subject

    @property
    def length_unit(self) -> str:
        """Unit of lengths: mm, or pixels if their size is unknown."""
        return length_unit(self.unit)

    def set_volume(self, volume: Volume | None, keep_window: bool = True) -> None:
        """Show a volume.

        Parameters
        ----------
        volume
            the volume; one of equal grid and unit keeps cursor and window
        keep_window
            False always fits the window
        """
        before, self.volume = self.volume, volume
        if volume is not None:
            # Before the signals: captions and fields format their numbers with this power.
            self.power = power_of(facts_of(volume).largest)
            self.fusion.fit_power()
            self._fit_to_volume(before, volume, keep_window)
        self.volume_changed.emit()

    def _fit_to_volume(self, before: Volume | None, volume: Volume, keep_window: bool) -> None:
        same_unit = before is not None and before.unit == volume.unit
        same_grid = before is not None and before.grid == volume.grid
        # Only the two greys follow the unit. A colour map that the user chose stays.
        if not same_unit and self.colour_map in ("grey", "grey_inverted"):
            self.set_colour_map(windows.default_colours(volume.unit))
        # A position that the user stated is only valid for the volume it was stated for.
        if before is None or before.axes != volume.axes or not same_grid:
            self.stated_axes = ""
        if not same_grid:
            # The centre of the grid is often empty, for example between two lungs or outside a
            # phantom.
            self.set_cursor(facts_of(volume).initial_cursor)
            self.set_line(None)
        if not (keep_window and same_unit and same_grid):
            self.auto_window()

    def _link_windows(self, one: VolumeAppearance, other: VolumeAppearance) -> None:
        """Copy the window if windows are linked and the units are equal."""
        if self.fusion.links_windows and one.unit == other.unit:
            other.set_window(*one.window)

    def _link_colours(self, one: VolumeAppearance, other: VolumeAppearance) -> None:
        """Copy the colour map if windows are linked."""
        is_linked = self.fusion.links_windows and one.unit == other.unit
        if is_linked and one.colour_map != other.colour_map:
            other.set_colour_map(one.colour_map)

    def set_cursor(self, point_mm: Point) -> None:
        """Move the cursor.

        Parameters
        ----------
        point_mm
            (x, y, z) [mm]; clipped to the outermost voxel centres
        """
        point = clamp_to(self.volume.grid, point_mm) if self.volume else point_mm
        if point != self.cursor_mm:
            self.cursor_mm = point
            self.cursor_changed.emit()

    def centre_on_structures(self) -> None:
        """Move the cursor to visible structures, unless its slices show some already."""
        # The cursor stays if possible: the user may compare one position in successive images.
        if self.volume is not None and not self._something_at(self.volume, self.cursor_mm):
            self.set_cursor(facts_of(self.volume).initial_cursor)

    @staticmethod
    def _something_at(volume: Volume, point_mm: Point) -> bool:
        return shows_something(volume, point_mm, facts_of(volume).bright_top)

    def step_cursor(self, axis: int, n_voxels: int) -> None:
        """Move the cursor by whole voxels, to a voxel centre.

        Parameters
        ----------
        axis
            0, 1, 2 for x, y, z
        n_voxels
            number of voxels, with sign
        """
        if self.volume is None:
            return
        grid, point = self.volume.grid, list(self.cursor_mm)
        index = slice_index(grid, axis, point[axis]) + n_voxels
        point[axis] = float(grid.lower_mm[axis] + (index + 0.5) * grid.voxel_mm[axis])
        self.set_cursor((point[0], point[1], point[2]))

    def set_blurred_axis(self, axis: int | None) -> None:
        """Set the axis with poor resolution.

        Parameters
        ----------
        axis
            0, 1, 2 for x, y, z: the direction without measured lines; None for none
        """
        if axis != self.blurred_axis:
            self.blurred_axis = axis
            self.display_changed.emit()

    def set_note(self, note: str) -> None:
        """Set a note for all views, such as "frozen".

        Parameters
        ----------
        note
            the note; "" for none
        """
        if note != self.note:
            self.note = note
            self.display_changed.emit()

    def set_box(self, box: ImageGrid | None) -> None:
        """Draw the border of another grid.

        Parameters
        ----------
        box
            the grid, such as that of the planned image; None for none
        """
        if box != self.box:
            self.box = box
            self.display_changed.emit()

    @property
    def axes(self) -> str:
        """Patient directions of the axes, from the volume or else as set by the user."""
        return self.positioned(self.volume).sides if self.volume is not None else "LPS"

    @property
    def is_stated(self) -> bool:
        """True if the user set the patient position, because the volume does not state it."""
        return self.volume is not None and self.axes != self.volume.sides

    def positioned(self, volume: Volume) -> Volume:
        """Return a volume with the patient position that the user has set.

        Parameters
        ----------
        volume
            the volume; one with another grid than the displayed volume is returned unchanged
        """
        is_like = self.volume is not None and self.volume.grid == volume.grid
        return volume.positioned(self.stated_axes) if is_like else volume

    def state_axes(self, axes: str) -> None:
        """Set the patient position of a volume that does not state it.

        Parameters
        ----------
        axes
            patient directions of x, y and z; "" for unknown
        """
        if axes != self.stated_axes:
            self.stated_axes = axes
            self.display_changed.emit()

    def turn_of(self, plane: PlaneName) -> ViewTurn:
        """Return the rotation and mirroring of a plane on the screen.

        Parameters
        ----------
        plane
            name of the plane
        """
        return self._turns.get(plane, ViewTurn())

    def set_turn(self, plane: PlaneName, turn: ViewTurn) -> None:
        """Rotate or mirror a plane on the screen. Its letters follow.

        Parameters
        ----------
        plane
            name of the plane
        turn
            the rotation and mirroring
        """
        if turn != self.turn_of(plane):
            self._turns[plane] = turn
            self.display_changed.emit()

    def set_line(self, line: Line | None) -> None:
        """Set the line of the profile.

        Parameters
        ----------
        line
            the line; None removes it
        """
        if line != self.line:
            self.line = line
            self.line_changed.emit()

    def set_draws_lines(self, draws: bool) -> None:
        """Choose the function of a drag in a slice.

        Parameters
        ----------
        draws
            True draws a line, False moves the cursor
        """
        if draws != self.draws_lines:
            self.draws_lines = draws
            self.line_changed.emit()

    def toggle_crosshair(self) -> None:
        """Hide the crosshair in all views, or show it again."""
        self.shows_crosshair = not self.shows_crosshair
        self.crosshair_changed.emit()

    def toggle_magnifier(self) -> None:
        """Switch the magnifier on or off."""
        self.magnifies = not self.magnifies
        self.magnifier_changed.emit()

    def set_slab(self, slab: Slab) -> None:
        """Show several slices combined, or single ones.

        Parameters
        ----------
        slab
            kind and thickness
        """
        if slab != self.slab:
            # The last real slab is stored for the key that switches it on and off.
            self.slab, self._thick = slab, slab if slab.kind else self._thick
            self.slab_changed.emit()

    def toggle_slab(self) -> None:
        """Show single slices, or the last slab again."""
        self.set_slab(replace(self.slab, kind="") if self.slab.kind else self._thick)

    @property
    def slab_now(self) -> Slab:
        """The slab of the displayed slices. Two volumes are compared slice by slice."""
        # Differences of maxima would not be those of any voxel.
        return Slab() if self.fusion.shows_comparison else self.slab

    def add_marks(self, marks: SliceMarks) -> None:
        """Add marks that slices show and the pointer can move.

        Parameters
        ----------
        marks
            the marks
        """
        self.marks.append(marks)
        self.marks_changed.emit()

    def value_at_cursor(self) -> float | None:
        """Return the value of the voxel at the cursor; None without a volume."""
        index = self._index_at(self.cursor_mm)
        return None if self.volume is None or index is None else float(self.volume.values[index])

    def text_at_cursor(self) -> str:
        """Return the value of the voxel at the cursor, with error and unit; empty without one."""
        return self.text_at(self.cursor_mm)

    def text_at(self, point_mm: Point) -> str:
        """Return the value of the voxel at a point, with error and unit; empty without one.

        Parameters
        ----------
        point_mm
            point (x, y, z); one outside the volume gives the nearest voxel
        """
        index = self._index_at(point_mm)
        return "" if index is None else self.text_of(index)

    def _index_at(self, point_mm: Point) -> tuple[int, int, int] | None:
        if self.volume is None:
            return None
        # Clamped again: the cursor may still belong to the previous, larger volume.
        return self.volume.grid.index_of(clamp_to(self.volume.grid, point_mm))

    def reset(self) -> None:
        """Reset cursor, window, zoom and rotations."""
        # Rotations first, because fitting depends on the orientation.
        self._turns = {}
        if self.volume is not None:
            self.set_cursor(facts_of(self.volume).initial_cursor)
            self.auto_window()
        self.fit_requested.emit()

    def set_interpolation(self, interpolation: Interpolation) -> None:
        """Set the interpolation.

        Parameters
        ----------
        interpolation
            "nearest" shows each voxel as a block, "linear" blends them
        """
        self.interpolation = interpolation
        self.display_changed.emit()

    def toggle_interpolation(self) -> None:
        """Switch to the other interpolation."""
        self.set_interpolation("nearest" if self.interpolation == "linear" else "linear")

    def set_convention(self, convention: Convention) -> None:
        """Set the patient sides on the screen.

        Parameters
        ----------
        convention
            "radiological" shows the patient's right on the left, "neurological" on the right
        """
        self.convention = convention
        self.display_changed.emit()

    def set_colours(self, colours: ViewColours) -> None:
        self.fusion.set_colours(colours)
        super().set_colours(colours)
