"""The Measure tab: line profile, annotations, rods, phantoms."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.analysis.measure.annotations_box import AnnotationsBox
from app.analysis.measure.line_profile_panel import LineProfileBox, write_text
from app.analysis.measure.quality_panel import QualityBox
from app.analysis.measure.rods_panel import RodsBox
from app.analysis.measure.time_curve_panel import TimeCurveBox
from app.language.translation import tr
from app.state.services.context import AppContext
from app.state.services.saving import ask_target
from app.ui.theme.widgets import label, scrolled


class MeasureTab(QWidget):
    """Tools that measure the displayed image."""

    title = tr("Measure")

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        state = context.session.view
        self.line = LineProfileBox(state, context.theme, self._save)
        self.over_time = TimeCurveBox(context.session, context.theme, self._save)
        self.annotations = AnnotationsBox(context)
        self.rods = RodsBox(context.session, self._save)
        self.quality = QualityBox(context)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(10)
        column.addWidget(self.over_time)
        column.addWidget(label(tr("Line profile"), "heading"))
        column.addWidget(self.line)
        column.addSpacing(6)
        column.addWidget(label(tr("Annotations"), "heading"))
        column.addWidget(self.annotations)
        column.addSpacing(6)
        column.addWidget(label(tr("Rods"), "heading"))
        column.addWidget(self.rods)
        column.addSpacing(6)
        column.addWidget(label(tr("Phantom"), "heading"))
        column.addWidget(self.quality)
        column.addStretch(1)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(0, 0, 0, 0)
        # The tab has more content than a small screen is high.
        outside.addWidget(scrolled(inside))

    def _save(self, name: str, text: str) -> None:
        """Ask for a file and write a table."""
        start = Path(self._context.preferences.folder_last_used or Path.home()) / name
        session = self._context.session
        target = ask_target(self, session, tr("Save as CSV"), start, tr("Tables (*.csv)"))
        if target is None:
            return
        self._context.preferences.folder_last_used = str(target.parent)
        self._context.commands.run_task(
            lambda _: write_text(text, target),
            lambda path: self._context.session.add_log("info", tr("Saved: {path}", path=path)),
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )
