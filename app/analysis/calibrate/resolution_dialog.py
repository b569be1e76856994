"""Dialog to measure the resolution of a ring scanner with point sources."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDoubleSpinBox,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.analysis.calibrate.scan_list import ScanList
from app.analysis.calibrate.scanner_choice import ScannerChoice
from app.analysis.calibrate.width_table import WIDTHS, WidthTable
from app.language.translation import tr
from app.state.models.inputs import DATA, role_made_on
from app.state.services.context import AppContext
from app.state.services.saving import may_write
from app.state.services.threads import Task
from app.ui.forms.number_box import TEXT_MARGIN_PX
from app.ui.theme.file_dialogs import ask_save
from app.ui.theme.formatting import sentence_case
from app.ui.theme.widgets import button, fit_to_screen, label, set_tone
from app.views.literal_text import literal_tip

if TYPE_CHECKING:  # the kernels are not needed to open the window
    from engine.tools.resolution import MeasuredResolution, ResolutionRequest

SIZE_PX = (980, 560)
FORM_PX = 300
ROLE = role_made_on("measure_resolution").key
KINDS = tr("Table of widths (*.txt)")
LEAD = tr(
    "The resolution is measured with point sources in air, each smaller than 1 mm. Put one source "
    "near the centre of the scanner and others farther out. Sources in one scan must be at least "
    "25 mm apart."
)


class ResolutionDialog(QDialog):
    """Measure the sources, and save or use the table of widths.

    Signals
    -------
    progressed : sentence about the progress, sent by the thread that reads the process
    """

    progressed = Signal(str)

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Measure the resolution"))
        fit_to_screen(self, *SIZE_PX)
        self._context = context
        self.scans = ScanList(context.preferences, _open_scan(context), takes_sinograms=True)
        self.scanner = ScannerChoice(context)
        self.diameter = QDoubleSpinBox()
        self.diameter.setRange(0.0, 10.0)
        self.diameter.setDecimals(2)
        self.diameter.setSingleStep(0.1)
        self.diameter.setSuffix(tr(" mm"))
        self.diameter.lineEdit().setTextMargins(TEXT_MARGIN_PX, 0, 0, 0)
        self.diameter.setAccessibleName(tr("Diameter of the sources"))
        self.state = label("", wrap=True)
        self.table = WidthTable()
        self.use = QCheckBox(tr("Use for the open scan"))
        self.keep = QCheckBox(tr("Use for all scans from this scanner"))
        self.act = button(tr("Measure"), self._measure_or_stop, role="primary")
        self.save = button(tr("Save …"), self._save, tr("Save the widths as a table"))
        self.close_button = button(tr("Close"), self.reject)
        self.made: MeasuredResolution | None = None
        self._is_busy = self._is_closed = self._is_stopping = False
        self._lay_out()
        # A result next to other inputs would be saved with wrong facts.
        self.scans.changed.connect(self._forget)
        self.scanner.currentIndexChanged.connect(self._forget)
        self.diameter.valueChanged.connect(self._forget)
        self.progressed.connect(lambda text: self._say(text, "muted"))
        # Another scan may be opened meanwhile, from another scanner.
        context.session.study.inputs_changed.connect(self._allow)
        self._forget()

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
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.state)
        right.addWidget(label(WIDTHS, "muted", wrap=True))
        right.addWidget(self.table, 1)
        middle = QHBoxLayout()
        middle.setSpacing(16)
        middle.addWidget(inside)
        middle.addLayout(right, 1)
        buttons = QHBoxLayout()
        for box in (self.use, self.keep):
            buttons.addWidget(box)
            buttons.addSpacing(8)
        buttons.addStretch(1)
        for each in (self.act, self.save, self.close_button):
            # Enter in a field must not start the measurement.
            each.setAutoDefault(False)
            buttons.addWidget(each)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 14, 18, 14)
        column.setSpacing(10)
        column.addWidget(label(LEAD, wrap=True))
        column.addLayout(middle, 1)
        column.addLayout(buttons)

    # measuring

    def _measure_or_stop(self) -> None:
        if self._is_busy:
            self._is_stopping = True
            self._allow()
            return
        if not self.scans.paths:
            self._say(tr("Add a scan of point sources first."), "missing")
            return
        from engine.tools.resolution import ResolutionRequest

        request = ResolutionRequest(
            tuple(self.scans.paths), self.scanner.chosen, self.diameter.value()
        )
        self._forget()
        self._is_busy, self._is_stopping = True, False
        self._allow()
        self._context.commands.run_task(
            lambda task: self._measured(task, request),
            self._show,
            failed=tr("The resolution could not be measured."),
            on_failure=lambda text: self._say(sentence_case(text), "missing"),
            on_end=self._ended,
        )

    def _measured(self, task: Task, request: ResolutionRequest) -> MeasuredResolution | str:
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

    def _ended(self) -> None:
        self._is_busy = False
        self._allow()

    def _show(self, found: MeasuredResolution | str) -> None:
        if self._is_closed:
            return
        if isinstance(found, str):
            self._say(sentence_case(found), "missing")
            return
        self.made = found
        self.table.show_sources(found.sources)
        n = len(found.sources)
        text = (
            tr("1 point source was measured.")
            if n == 1
            else tr("{n} point sources were measured.", n=n)
        )
        self._say(" ".join((text, *found.remarks)), "look" if found.remarks else "ok")
        self._allow()

    def _forget(self) -> None:
        """Clear the result after the inputs have changed."""
        self.made = None
        self.table.show_sources(())
        self._say(tr("Nothing has been measured yet."), "muted")
        self._allow()

    def _say(self, text: str, tone: str) -> None:
        if self._is_closed:
            return
        self.state.setText(text)
        set_tone(self.state, tone)

    def _why_not_used(self) -> str:
        """Return the reason why the open scan cannot use the result; empty if it can."""
        study, made = self._context.session.study, self.made
        if DATA not in study.inputs or ROLE not in study.roles:
            return tr("Open a scan that can use a measured resolution.")
        if made is None or study.scanner is None:
            return ""
        # The name of a scanner is free text. The fingerprint covers its geometry.
        if study.scanner.fingerprint() != made.scanner.fingerprint():
            return tr("The open scan is from a different scanner: {name}.", name=study.scanner.name)
        return ""

    def _allow(self) -> None:
        if self._is_closed:
            return
        has_made, reason = self.made is not None, self._why_not_used()
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
        folder = self.scans.paths[0].parent
        chosen = ask_save(self, tr("Save the widths"), folder / "resolution.txt", KINDS)
        target = chosen.with_suffix(".txt") if chosen is not None else None
        scans = tuple(self.scans.paths)
        if target is None or not may_write(self, target, self._context.session, scans):
            return
        # Read now: the boxes can change or be deleted while the file is written.
        use, keep = self.use.isEnabled() and self.use.isChecked(), self.keep.isChecked()
        self._context.commands.run_task(
            lambda _: made.write(target),
            lambda _: self._saved(made, target, use=use, keep=keep),
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )

    def _saved(self, made: MeasuredResolution, target: Path, *, use: bool, keep: bool) -> None:
        commands = self._context.commands
        self._context.session.add_log("info", tr("Saved: {target}", target=target))
        self._say(tr("Saved: {name}.", name=target.name), "ok")
        if keep:
            commands.keep_measured(made.scanner, ROLE, target)
        if use:
            commands.set_input(ROLE, str(target))

    def done(self, result: int) -> None:
        """Close and delete the dialog; a measurement ends without a result.

        Parameters
        ----------
        result
            result code of Qt; all codes close the dialog
        """
        self._is_closed = True
        super().done(result)
        self.deleteLater()


def _open_scan(context: AppContext) -> tuple[Path, ...]:
    """Return the file of the open scan if its scanner can use a measured resolution."""
    study = context.session.study
    if DATA not in study.inputs or ROLE not in study.roles:
        return ()
    return (Path(study.inputs[DATA].value),)
