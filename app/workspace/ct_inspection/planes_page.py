"""Oblique slices of a stored scan: three slices, their positions and their provenance."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.services.slice_reader import SliceReader
from app.state.services.slice_saving import SlicesOnShow
from app.ui.theme.formatting import sentence_case
from app.ui.theme.widgets import button, label, set_tone
from app.views.colour.colours import ViewColours
from app.views.note import Note
from app.views.planes.plane_placement import PlanePlacement
from app.views.planes.plane_views import PlaneViews
from engine.geometry import ImageGrid, Plane

KEEP_TIP = tr("Save the three slices to files with their positions and provenance")
RESET_TIP = tr("Reset the slices to planes through the centre, perpendicular to z, y and x (R)")
PREPARES = tr("The slices are being prepared …")
ROUGH, FINE = tr("Coarse preview while moving."), tr("Full resolution.")


class PlanesPage(QWidget):
    """Shows slices and requests others from a reader.

    `two_fit_changed` reports if the overlay of the displayed volume applies to these slices.

    Parameters
    ----------
    reader : computes slices
    keep : called with slices to save them
    """

    two_fit_changed = Signal()

    def __init__(self, reader: SliceReader, keep: Callable[[SlicesOnShow], object]) -> None:
        super().__init__()
        self._keep_slices = keep
        self._reader = reader
        self._is_new = self._follows = self._showed_two = True
        self._fitted: object | None = None
        self._grid: ImageGrid | None = None
        self.views = PlaneViews(fused=reader.view)
        self.text = label("", "muted", wrap=True)
        self.reset = button(tr("Reset planes"), self.views.reset, RESET_TIP)
        self.keep = button(tr("Save slices …"), self._save_slices, KEEP_TIP)
        self._note = Note(PREPARES, self.views)
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.keep)
        row.addWidget(self.reset)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.views, 1)
        column.addLayout(row)
        self.setFocusProxy(self.views.scene)
        self.views.placed.connect(reader.place)
        self.views.window_set.connect(self._hold_window)
        reader.prepared.connect(self._use_source)
        reader.made.connect(self._show)
        reader.state_changed.connect(self._show_state)
        self._use_source()

    def set_colours(self, colours: ViewColours) -> None:
        """Set the colours of the theme.

        Parameters
        ----------
        colours
            colours of the theme
        """
        self.views.set_colours(colours)
        self._note.set_colours(colours)

    def showEvent(self, event: QShowEvent) -> None:
        self._reader.set_active(True)
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        # The prepared projections can take most of the memory.
        self._reader.set_active(False)
        super().hideEvent(event)

    def _use_source(self) -> None:
        """Use another scan. If the grid is unchanged, the planes stay."""
        slices = self._reader.slices
        grid = None if slices is None else slices.grid
        self.views.can_move = slices is not None
        if slices is None or grid is None:
            self._grid = None
            self.views.begin()
        elif grid != self._grid:
            self._grid, self._is_new, self._follows = grid, True, True
            placement = first_placement(grid, slices.first_planes())
            self.views.begin(placement)
            # Requests the first slices; `begin` only draws their positions.
            self.views.want(placement)
        self._show_state()

    def _show(self) -> None:
        reader = self._reader
        if reader.newest is None or reader.slices is None:
            return
        made, unit = reader.newest, reader.slices.unit
        self.views.show_slices(made.values, made.planes, unit=unit)
        # The window follows a running reconstruction until the user sets it.
        is_other = reader.image_forms and self._follows and reader.slices is not self._fitted
        if self._is_new or is_other:
            self._is_new, self._fitted = False, reader.slices
            self.views.auto_window()
        self._show_state()

    def _hold_window(self) -> None:
        """Keep the display window that the user has set."""
        self._follows = False

    @property
    def shows_two(self) -> bool:
        """True if the overlay of the displayed volume applies to these slices."""
        return self._reader.is_of_view

    def _show_state(self) -> None:
        reader = self._reader
        if self.shows_two != self._showed_two:
            self._showed_two = self.shows_two
            for view in self.views.slices:
                view.set_fused(self._showed_two)
            self.two_fit_changed.emit()
        text, tone = reader.fault, "missing"
        if not text and reader.slices is not None:
            text, tone = self._method_text(), "muted"
        self.text.setText(text)
        set_tone(self.text, tone)
        self.reset.setEnabled(reader.slices is not None)
        # Coarse slices are only for orientation and are never saved.
        self.keep.setEnabled(reader.newest is not None and reader.newest.is_fine)
        self._note.setVisible(reader.newest is None and reader.is_working)

    def _save_slices(self) -> None:
        slices, made = self._reader.slices, self._reader.newest
        data = self._reader.data
        if slices is None or made is None or data is None:
            return
        # Read now: the user may move the planes while the file dialog is open.
        planes = made.planes
        shown = SlicesOnShow(
            made.values, planes, slices.unit, lambda: slices.provenance(data, planes)
        )
        self._keep_slices(shown)

    def _method_text(self) -> str:
        """Return methods and settings of the slices, and if they are coarse."""
        reader = self._reader
        slices, made = reader.slices, reader.newest
        if slices is None:
            return ""
        words = [f"{sentence_case('; '.join(slices.messages))}."]
        if made is not None:
            words.append(FINE if made.is_fine else ROUGH)
        return " ".join([*words, *slices.warnings])


def first_placement(grid: ImageGrid, planes: tuple[Plane, Plane, Plane]) -> PlanePlacement:
    """Return slices across z, y and x in the box of a volume.

    Parameters
    ----------
    grid
        grid of the volume
    planes
        slices across z, y and x
    """
    axial, coronal, sagittal = planes
    # Each plane gives the coordinate that is normal to it.
    point = (sagittal.centre_mm[0], coronal.centre_mm[1], axial.centre_mm[2])
    width, depth, height = (float(edge) for edge in grid.size_mm)
    return PlanePlacement(planes, point, grid.centre_mm, (width, depth, height))
