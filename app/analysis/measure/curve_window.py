"""Window with the displayed volume along a curve. It follows changes of both."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.language.translation import tr
from app.state.models.annotation_model import AnnotationModel
from app.state.services.commands import Commands
from app.ui.forms.number_box import NumberBox
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip
from app.views.slices.curved_view import CurvedView
from app.views.state import ViewState
from engine.analysis.quality import CurvedPlane, curved_plane
from engine.analysis.regions import Annotation, RegionSet

SIZE_PX = (760, 380)
MAX_MM, BOX_PX = 100.0, 80


class CurveWindow(QDialog):
    """Window of a straightened curve; a thread computes the images, only the newest is shown."""

    def __init__(
        self, parent: QWidget, model: AnnotationModel, state: ViewState, commands: Commands
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Image along a curve"))
        # A tool window stays above the main window without blocking it.
        self.setWindowFlag(Qt.WindowType.Tool)
        self._model, self._state, self._commands = model, state, commands
        self._which, self._is_busy = -1, False
        self._known: RegionSet | None = None
        self._wanted: tuple[object, ...] | None = None
        self._thickness_mm = 0.0
        self.view = CurvedView(state)
        self.view.pointed.connect(state.set_cursor)
        self.thickness = NumberBox(False, 0.0, MAX_MM)
        self.thickness.setFixedWidth(BOX_PX)
        self.thickness.show_number(0)
        self.thickness.edited.connect(self._take_thickness)
        tip = tr("Averaging width across the curve ({length_unit})", length_unit=state.length_unit)
        self.thickness.setAccessibleName(tip)
        self.thickness.setToolTip(literal_tip(tip))
        self.copy = button(tr("Copy"), self._copy, tr("Copy the image to the clipboard"))
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 8)
        row.addWidget(
            label(tr("Thickness ({length_unit})", length_unit=state.length_unit), "caption")
        )
        row.addWidget(self.thickness)
        row.addStretch(1)
        row.addWidget(self.copy)
        row.addWidget(
            button(tr("Close"), self.reject, tr("Close this window. The curve is not deleted."))
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view, 1)
        column.addLayout(row)
        self.resize(*SIZE_PX)
        # The window stays open while the curve is edited and iterates arrive.
        model.changed.connect(self._follow_curve)
        state.volume_changed.connect(self.refresh)

    def straighten(self, which: int) -> None:
        """Show the volume along a curve.

        Parameters
        ----------
        which
            index of the annotation; if it is not a curve the view is empty
        """
        self._which, self._known = which, self._model.regions.current
        self.show()
        self.raise_()
        self.refresh()

    @property
    def curve(self) -> Annotation | None:
        """The curve; None after it was deleted."""
        found = self._model.annotations
        made = found[self._which] if 0 <= self._which < len(found) else None
        return made if made is not None and made.kind == "curve" else None

    def _follow_curve(self) -> None:
        """Find the curve again: others were removed, or those of another scan are shown."""
        before, now = self._known, self._model.regions.current
        self._known = now
        if before is None or not 0 <= self._which < len(before.annotations):
            return
        own = before.annotations[self._which]
        if now.scans and before.scans and not set(now.scans) & set(before.scans):
            self._which = -1
        # With as many annotations as before, the curve itself was edited.
        elif len(now.annotations) != len(before.annotations):
            self._which = now.annotations.index(own) if own in now.annotations else -1
        self.refresh()

    def refresh(self) -> None:
        """Start the next computation, or wait until the current one has ended."""
        curve, volume, thick = self.curve, self._state.volume, self._thickness_mm
        if curve is None or volume is None:
            self.view.show_plane(None)
            return
        # The identity of a volume is enough here, and comparing its values would be slow.
        wanted = (curve, id(volume), thick)
        # While a task runs, changes are ignored; `_finish_task` then starts with the newest state.
        if self._is_busy or wanted == self._wanted or not self.isVisible():
            return
        self._is_busy, self._wanted = True, wanted
        points, axis = curve.points_mm, curve.axis
        self._commands.run_task(
            lambda _: curved_plane(volume, points, axis, thickness_mm=thick),
            self._show,
            failed=tr("The image along the curve could not be computed."),
            on_end=self._finish_task,
        )

    def _show(self, made: CurvedPlane) -> None:
        thick = tr(
            "mean over {thickness_mm:g} {length_unit}",
            thickness_mm=self._thickness_mm,
            length_unit=self._state.length_unit,
        )
        self.view.show_plane(made, thick if self._thickness_mm else "")

    def _finish_task(self) -> None:
        self._is_busy = False
        self.refresh()

    def _take_thickness(self) -> None:
        typed = self.thickness.raw()
        # The box returns its text if that is not a number.
        if isinstance(typed, int | float) and math.isfinite(typed):
            self._thickness_mm = min(max(float(typed), 0.0), MAX_MM)
        self.thickness.show_number(self._thickness_mm)
        self.refresh()

    def _copy(self) -> None:
        QApplication.clipboard().setImage(self.view.grab().toImage())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
