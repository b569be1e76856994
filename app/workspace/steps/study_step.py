"""Card of the scan: its file, scanner and drawing, with a count of its warnings."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.language.translation import named, tr
from app.state.models.inputs import DATA
from app.state.models.study_model import StudyModel
from app.state.services.context import AppContext
from app.ui.theme.icons import set_icon
from app.ui.theme.widgets import button, label, set_paragraphs
from app.views.literal_text import literal_tip
from app.workspace.steps.dose_row import DoseRow, dose_text
from app.workspace.steps.folded_warnings import FoldedWarnings, RunWarning
from app.workspace.steps.input_row import InputRow
from app.workspace.steps.scanner_drawing import ScannerDrawing
from app.workspace.steps.scanner_row import ScannerRow
from app.workspace.steps.step_panel import StepPanel
from app.workspace.steps.tracer_binding import TRACER
from engine.core.errors import EngineError
from engine.data.runs.events import warnings_among
from engine.modalities import all_roles

NO_SCAN = tr(
    "Open a scan or drop it on the window: list-mode data, a histogram or X-ray projections."
)


class StudyStep(StepPanel):
    """Chooses the scan and its scanner, and owns the rows of the other inputs.

    Attributes
    ----------
    rows : row of each input by its role, the scan first
    inputs : container with the rows of all inputs except the scan
    """

    title = tr("Scan")

    def __init__(self, number: int, context: AppContext) -> None:
        super().__init__(number, context.theme)
        self._commands, self._order = context.commands, context.session.order
        self._study, self._run = context.session.study, context.session.run
        self._view = context.session.view
        # Rows of all modalities exist; `_show` hides those that the protocol does not use.
        self.rows = {DATA: InputRow(DATA, tr("Scan"), NO_SCAN, context)}
        for role in all_roles():
            self.rows[role.key] = InputRow(
                role.key, named(role.title), named(role.without), context, role.making
            )
        self.scanner = ScannerRow(context)
        self.drawing = ScannerDrawing(context.theme)
        self._absent = label("", "muted", wrap=True)
        self._notes = label("", "muted", wrap=True)
        self._facts = label("", wrap=True)
        # Named, because the page Judge counts the warnings of the run.
        words = tr("1 warning about this scan"), tr("{n} warnings about this scan")
        self.warnings = FoldedWarnings(context, words=words)
        self.open = button(tr("Open …"), lambda: self._commands.choose(DATA))
        set_icon(self.open, "open", context.theme)
        self.dose = DoseRow(context)
        brief: tuple[QWidget, ...] = (self._facts, self.dose, self.warnings, self.open)
        body = self.rows[DATA], self._notes, self._absent, self.scanner, self.drawing
        for part in brief:
            self.brief.addWidget(part)
        for each in body:
            self.body.addWidget(each)
        self.inputs = QWidget()
        column = QVBoxLayout(self.inputs)
        column.setContentsMargins(0, 0, 0, 0)
        for role in all_roles():
            column.addWidget(self.rows[role.key])
        study, run = self._study, self._run
        for signal in (
            *(study.inputs_changed, study.protocol_changed, run.state_changed),
            self._order.changed,
        ):
            signal.connect(self._show)
        self._view.volume_changed.connect(self._follow_volume)
        self._show()

    def _show(self) -> None:
        study, run = self._study, self._run
        for role, row in self.rows.items():
            row.show_input(study.inputs.get(role), not run.state.is_active)
            row.show_reading(study.reading.get(role, ""))
            row.show_making(study.scanner)
            row.setVisible(role in study.roles)
        self.scanner.setVisible(study.modality.takes_scanner)
        set_paragraphs(self._absent, words_on(study))
        self._absent.setVisible(bool(self._absent.text()))
        self.scanner.show_choice()
        self._draw()
        self._show_brief()
        self._show_state()

    def _draw(self) -> None:
        """Draw the scanner unless the centre shows the drawing of an open scan."""
        self._has_volume = self._view.volume is not None
        try:
            grid = self._study.grid()
        # Impossible settings are reported in the step Volume. Here only the box is left out.
        except EngineError:
            grid = None
        self.drawing.show_scanner(self._study.scanner if self._has_volume else None, grid)

    def _follow_volume(self) -> None:
        # Each preview of a run is a new volume, and only the first one changes the centre.
        if (self._view.volume is not None) is not self._has_volume:
            self._draw()

    def _show_brief(self) -> None:
        """Show the name and patient, and the number of warnings; notes only inform."""
        inputs = self._study.inputs
        data, notes = inputs.get(DATA), inputs.scan.notes if inputs.scan else ()
        patient = self._order.describe()
        facts = [data.name] if data is not None else []
        facts += [tr("Patient: {patient}.", patient=patient)] if patient else []
        self.dose.refresh()
        has_dose = inputs.scan is not None and TRACER in self._study.roles
        facts += filter(None, [dose_text(self._study)]) if has_dose else []
        set_paragraphs(self._facts, facts, 2)
        self._facts.setVisible(bool(facts))
        known = list(warnings_among(notes))
        set_paragraphs(self._notes, [each for each in notes if each not in known])
        self._notes.setVisible(bool(self._notes.text()))
        active = self._run.state.is_active
        self.warnings.show_warnings([RunWarning(each) for each in known], editable=not active)
        self.open.setText(tr("Open another scan …") if data is not None else tr("Open …"))
        busy = tr("A reconstruction is running.") if active else ""
        self.open.setEnabled(not active)
        self.open.setToolTip(literal_tip(busy or tr("Choose a scan (Ctrl+O)")))

    def _show_state(self) -> None:
        inputs = self._study.inputs
        data = inputs.get(DATA)
        if self._study.reading:
            self.show_summary(tr("reading …"), "warning")
        elif data is None:
            self.show_summary(tr("no scan yet"), "waiting")
        elif fault := inputs.fault():
            self.show_summary(fault, "missing")
        else:
            # Notes that only inform do not change the state of the step.
            known = [*warnings_among(inputs.scan.notes if inputs.scan else ()), self._study.misfit]
            notes = " ".join(filter(None, known))
            self.show_summary(data.text, "warning" if notes else "ok", notes)


def words_on(study: StudyModel) -> list[str]:
    """Return notes about the treatment of the open scan.

    Parameters
    ----------
    study
        the open study

    Returns
    -------
    one or two sentences each
    """
    words = [study.note, study.misfit, study.modality.absent]
    if len(study.suitable) > 1:
        words.append(study.modality.approach)
    if study.scanner is not None:
        words.append(study.scanner.caution)
    return [text for text in words if text]
