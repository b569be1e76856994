"""The list of annotations: select, edit text, delete, undo."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QVBoxLayout, QWidget

from app.analysis.measure.annotation_marks import AnnotationMarks
from app.analysis.measure.annotation_text import listed
from app.analysis.measure.curve_window import CurveWindow
from app.language.translation import tr
from app.state.models.annotation_model import AnnotationModel
from app.state.services.context import AppContext
from app.ui.theme.questions import ask_text
from app.ui.theme.widgets import button, icon_button, label
from engine.analysis.regions import Annotation

EMPTY = tr(
    "Press Tools next to the views to draw distances, angles, arrows, text and curves. "
    "Annotations are saved with the scan and with the study."
)
MAX_ROWS, MIN_ROWS = 6, 2


class AnnotationsBox(QWidget):
    """List of the annotations of the displayed scan."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._state = context.session.view
        regions = context.session.regions
        self.model = AnnotationModel(regions)
        self.marks = AnnotationMarks(self.model, self._state, lambda: self._ask_text(""))
        self.note = label(EMPTY, "muted", wrap=True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Annotations"))
        self.list.setToolTip(tr("F2 edits the text. Delete removes the annotation."))
        self.words = button(
            tr("Text …"), self._change_text, tr("Edit the text of the annotation (F2)")
        )
        self.delete = button(
            tr("Delete"), self._delete, tr("Delete the selected annotation (Delete)")
        )
        self.straighten = button(
            tr("Straighten …"),
            self._straighten,
            tr("Show the image straightened along the curve"),
        )
        self.curve_window: CurveWindow | None = None
        self._commands = context.commands
        self.undo = icon_button(
            "undo",
            context.theme,
            regions.undo,
            tr("Undo the last change to annotations or regions"),
        )
        self.redo = icon_button(
            "redo", context.theme, regions.redo, tr("Redo the last undone change")
        )
        self._lay_out()
        for keys, act in ((tr("Delete"), self._delete), ("F2", self._change_text)):
            QShortcut(QKeySequence(keys), self.list, act)
        self.list.currentRowChanged.connect(self._choose_row)
        for signal in (self.model.changed, self._state.volume_changed):
            signal.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.words, 1)
        row.addWidget(self.delete, 1)
        row.addWidget(self.undo)
        row.addWidget(self.redo)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.note)
        column.addWidget(self.list)
        column.addLayout(row)
        column.addWidget(self.straighten)

    def refresh(self) -> None:
        """Show the annotations."""
        model, unit = self.model, self._state.length_unit
        # Filling the list would otherwise select rows and move the crosshair.
        with QSignalBlocker(self.list):
            self.list.clear()
            self.list.addItems([listed(each, unit) for each in model.annotations])
            self.list.setCurrentRow(model.chosen)
        # The list is as high as its content, up to a limit: it is inside a scroll area.
        rows = min(max(self.list.count(), MIN_ROWS), MAX_ROWS)
        self.list.setFixedHeight(rows * (self.fontMetrics().height() + 6) + 8)
        self.list.setVisible(bool(model.annotations))
        self.note.setVisible(not model.annotations)
        for each in (self.words, self.delete):
            each.setEnabled(model.chosen_one is not None)
        chosen = model.chosen_one
        self.straighten.setVisible(chosen is not None and chosen.kind == "curve")
        self.undo.setEnabled(model.regions.can_undo)
        self.redo.setEnabled(model.regions.can_redo)

    def _choose_row(self, row: int) -> None:
        self.model.choose(row)
        found = self.model.chosen_one
        if found is not None:
            # The middle point: the corner of an angle, the centre of a curve.
            self._state.set_cursor(found.points_mm[len(found.points_mm) // 2])

    def _straighten(self) -> None:
        if self.curve_window is None:
            # One window is reused, because the curve in it follows the annotation.
            self.curve_window = CurveWindow(self, self.model, self._state, self._commands)
        self.curve_window.straighten(self.model.chosen)

    def _delete(self) -> None:
        if self.model.chosen_one is not None:
            self.model.remove(self.model.chosen)

    def _change_text(self) -> None:
        found = self.model.chosen_one
        if found is None:
            return
        words = self._ask_text(found.text)
        if words:
            values = found.model_dump() | {"text": words}
            self.model.change(self.model.chosen, Annotation.model_validate(values))

    def _ask_text(self, start: str) -> str:
        """Return a text that an annotation can have."""
        typed = ask_text(self.window(), tr("Annotation"), tr("Text"), start)
        # Pasted text can contain line breaks, which an annotation does not accept.
        return "".join(sign for sign in typed if sign.isprintable()).strip()[:120]
