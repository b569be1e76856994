"""Dialog to measure the resolution of a ring scanner with point sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QVBoxLayout, QWidget

from app.analysis.calibrate.measurement_dialog import MeasurementDialog
from app.analysis.calibrate.scan_list import ScanList
from app.analysis.calibrate.scanner_choice import ScannerChoice
from app.analysis.calibrate.width_table import WIDTHS, WidthTable
from app.language.translation import tr
from app.state.models.inputs import DATA, role_created_on
from app.state.services.context import AppContext
from app.state.services.threads import Task
from app.ui.forms.number_box import TEXT_MARGIN_PX
from app.ui.theme.formatting import sentence_case
from app.ui.theme.widgets import button, label
from app.views.literal_text import literal_tip

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.resolution import MeasuredResolution, ResolutionRequest

SIZE_PX = (980, 560)
FORM_PX = 300
ROLE = role_created_on("measure_resolution").key
KINDS = tr("Table of widths (*.txt)")
LEAD = tr(
    "The resolution is measured with point sources in air, each smaller than 1 mm. Put one source "
    "near the centre of the scanner and others farther out. Sources in one scan must be at least "
    "25 mm apart."
)


class ResolutionDialog(MeasurementDialog):
    """Measure the sources, and save or use the table of widths.

    Signals
    -------
    progressed : sentence about the progress, sent by the thread that reads the process
    """

    progressed = Signal(str)

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(
            parent,
            context,
            tr("Measure the resolution"),
            SIZE_PX,
            role=ROLE,
            save_tip=tr("Save the widths as a table"),
        )
        self.scans = ScanList(context.preferences, _open_scan(context), takes_sinograms=True)
        self.scanner = ScannerChoice(context)
        self.diameter = QDoubleSpinBox()
        self.diameter.setRange(0.0, 10.0)
        self.diameter.setDecimals(2)
        self.diameter.setSingleStep(0.1)
        self.diameter.setSuffix(tr(" mm"))
        self.diameter.lineEdit().setTextMargins(TEXT_MARGIN_PX, 0, 0, 0)
        self.diameter.setAccessibleName(tr("Diameter of the sources"))
        self.table = WidthTable()
        self.act = button(tr("Measure"), self._measure_or_stop, role="primary")
        self.made: MeasuredResolution | None = None
        self._is_busy = self._is_stopping = False
        self._lay_out()
        # Otherwise a result could be saved with inputs of another measurement.
        self.scans.changed.connect(self._clear_result)
        self.scanner.currentIndexChanged.connect(self._clear_result)
        self.diameter.valueChanged.connect(self._clear_result)
        self.progressed.connect(lambda text: self._show_text(text, "muted"))
        # Another scan may be opened meanwhile, from another scanner.
        context.session.study.inputs_changed.connect(self._enable_inputs)
        self._clear_result()

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setFixedWidth(FORM_PX)
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(6)
        for title, widget in (
            (tr("Scans of point sources"), self.scans),
            (tr("Scanner"), self.scanner),
            (tr("Diameter of the sources"), self.diameter),
        ):
            rows.addWidget(label(title, "heading"))
            rows.addWidget(widget)
            rows.addSpacing(6)
        rows.addStretch(1)
        widths = label(WIDTHS, "muted", wrap=True)
        self._arrange(LEAD, inside, (widths, self.table), (self.act,))

    # measuring

    def _measure_or_stop(self) -> None:
        if self._is_busy:
            self._is_stopping = True
            self._enable_inputs()
            return
        if not self.scans.paths:
            self._show_text(tr("Add a scan of point sources first."), "missing")
            return
        from engine.tools.resolution import ResolutionRequest

        request = ResolutionRequest(
            tuple(self.scans.paths), self.scanner.chosen, self.diameter.value()
        )
        self._clear_result()
        self._is_busy, self._is_stopping = True, False
        self._enable_inputs()
        self._context.commands.run_task(
            lambda task: self._result_of_process(task, request),
            self._show,
            failed=tr("The resolution could not be measured."),
            on_failure=lambda text: self._show_text(sentence_case(text), "missing"),
            on_end=self._finish_measurement,
        )

    def _result_of_process(
        self, task: Task, request: ResolutionRequest
    ) -> MeasuredResolution | str:
        """Return the result of the process, or the reason why there is none; in a thread."""
        from engine.tools.resolution import (
            MeasuredResolution,
            ReadingSources,
            resolution_in_process,
        )

        def is_wanted() -> bool:
            return not (task.isInterruptionRequested() or self._is_stopping or self._is_closed)

        for event in resolution_in_process(request, is_wanted):
            if isinstance(event, MeasuredResolution):
                return event
            if isinstance(event, ReadingSources):
                self.progressed.emit(
                    tr(
                        "Measuring the sources in {name} (scan {number} of {total}) …",
                        name=event.name,
                        number=event.number,
                        total=event.total,
                    )
                )
            else:
                return event.text
        return tr("Stopped. Nothing has been measured.")

    def _finish_measurement(self) -> None:
        self._is_busy = False
        self._enable_inputs()

    def _show(self, found: MeasuredResolution | str) -> None:
        if self._is_closed:
            return
        if isinstance(found, str):
            self._show_text(sentence_case(found), "missing")
            return
        self.made = found
        self.table.show_sources(found.sources)
        n = len(found.sources)
        text = (
            tr("1 point source was measured.")
            if n == 1
            else tr("{n} point sources were measured.", n=n)
        )
        self._show_text(" ".join((text, *found.notes)), "warning" if found.notes else "ok")
        self._enable_inputs()

    def _clear_result(self) -> None:
        """Clear the result after the inputs have changed."""
        self.made = None
        self.table.show_sources(())
        self._show_text(tr("Nothing has been measured yet."), "muted")
        self._enable_inputs()

    def _enable_inputs(self) -> None:
        if self._is_closed:
            return
        made = self.made
        has_made, scanner = made is not None, made.scanner if made is not None else None
        reason = self._use_obstacle(scanner, tr("Open a scan that can use a measured resolution."))
        for each in (self.scans, self.scanner, self.diameter):
            each.setEnabled(not self._is_busy)
        self.act.setText(tr("Stop") if self._is_busy else tr("Measure"))
        self.act.setEnabled(not self._is_stopping or not self._is_busy)
        self.save.setEnabled(has_made)
        self.use.setEnabled(has_made and not reason)
        self.use.setToolTip(
            literal_tip(reason or tr("Use the table as the measured resolution of the open scan"))
        )
        self.keep.setEnabled(has_made)
        self.keep.setToolTip(
            literal_tip(
                tr("Use the table for every scan from this scanner that you open from now on")
            )
        )

    # keeping

    def _save(self) -> None:
        made = self.made
        if made is None:
            return
        start, scans = self.scans.paths[0].with_name("resolution.txt"), tuple(self.scans.paths)
        self._save_as(tr("Save the widths"), start, KINDS, made.write, made.scanner, scans)


def _open_scan(context: AppContext) -> tuple[Path, ...]:
    """Return the file of the open scan if its scanner can use a measured resolution."""
    study = context.session.study
    if DATA not in study.inputs or ROLE not in study.roles:
        return ()
    return (Path(study.inputs[DATA].value),)
