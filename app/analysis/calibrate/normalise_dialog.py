"""Dialog to create a normalisation: describe the source, follow the progress, save the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QProgressBar,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.analysis.calibrate.normalise_request import NormaliseForm
from app.language.translation import tr
from app.state.models.inputs import DATA, role_made_on
from app.state.models.normalising_model import MeasuringPhase, NormalisingModel
from app.state.services.context import AppContext
from app.state.services.normalising_job import NormalisingJob
from app.state.services.saving import may_write
from app.ui.theme.file_dialogs import ask_save
from app.ui.theme.plot_colours import view_colours
from app.ui.theme.questions import ask
from app.ui.theme.widgets import button, fit_to_screen, label, scrolled, set_tone
from app.views.literal_text import literal_tip
from app.views.plots.convergence_view import ConvergenceView
from engine.tools.normalisation_scan import SMALL

if TYPE_CHECKING:  # the kernels are not needed to open the dialog
    from app.analysis.calibrate.normalise_result import NormaliseResult
    from engine.tools.normalisation_scan import MeasuredNormalisation, NormalisationRequest

SIZE_PX = (1120, 700)
FORM_PX = 330
ROLE = role_made_on("normalise").key
KINDS = tr("Normalisation (*.h5)")
LEAD = tr(
    "A normalisation corrects for the efficiency of each crystal and for the geometry of the "
    "lines of response. It is created from scans of a source with a known shape. Create a new one "
    "after each service. It applies to every scan from the scanner."
)
USE_TIP = tr("Use the result as the normalisation of the open scan")
KEEP_TIP = tr(
    "Use the result for every scan from this scanner that you open from now on. Scans "
    "from other scanners are not affected."
)


class NormaliseDialog(QDialog):
    """Non-modal dialog, because a large scanner takes an hour."""

    def __init__(self, parent: QWidget | None, context: AppContext) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Create a normalisation"))
        fit_to_screen(self, *SIZE_PX)
        self._context, self._theme = context, context.theme
        self.model = NormalisingModel()
        self.job = NormalisingJob(context.commands, self)
        self.form = NormaliseForm(context)
        self.state = label("", wrap=True)
        self.counted = label("", "muted", wrap=True)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Events counted"))
        self.plot = ConvergenceView(SMALL)
        self._components: NormaliseResult | None = None
        self._result = scrolled(QWidget())
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.use = QCheckBox(tr("Use for the open scan"))
        self.keep = QCheckBox(tr("Use for all scans from this scanner"))
        self.keep.setToolTip(literal_tip(KEEP_TIP))
        self.act = button(tr("Start"), self._start_or_stop, role="primary")
        self.rest = button(tr("Pause"), self._rest, tr("Pause after the current step, or continue"))
        self.save = button(tr("Save …"), self._save, tr("Save the result as a normalisation file"))
        self.close_button = button(tr("Close"), self.reject)
        self._request: NormalisationRequest | None = None
        self._is_closed = False
        self._lay_out()
        self._connect()
        self._paint()
        self._show()

    @property
    def components(self) -> NormaliseResult:
        """The components of the result, created with the first one."""
        if self._components is None:
            # Imported late: its plots take longer to import than a dialog may take to open.
            from app.analysis.calibrate.normalise_result import NormaliseResult

            self._components = NormaliseResult()
            self._components.set_colours(view_colours(self._theme))
            self._result.setWidget(self._components)
        return self._components

    def _lay_out(self) -> None:
        progress = QWidget()
        column = QVBoxLayout(progress)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.counted)
        column.addWidget(self.plot, 1)
        self.tabs.addTab(progress, tr("Progress"))
        self.tabs.addTab(self._result, tr("Result"))
        form = scrolled(self.form)
        form.setFixedWidth(FORM_PX)
        right = QVBoxLayout()
        right.setSpacing(8)
        right.addWidget(self.state)
        right.addWidget(self.bar)
        right.addWidget(self.tabs, 1)
        middle = QHBoxLayout()
        middle.setSpacing(16)
        middle.addWidget(form)
        middle.addLayout(right, 1)
        buttons = QHBoxLayout()
        for box in (self.use, self.keep):
            buttons.addWidget(box)
            buttons.addSpacing(8)
        buttons.addStretch(1)
        for each in (self.act, self.rest, self.save, self.close_button):
            # Enter in a field of the form must not start the measurement.
            each.setAutoDefault(False)
            buttons.addWidget(each)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(18, 14, 18, 14)
        outside.setSpacing(10)
        outside.addWidget(label(LEAD, wrap=True))
        outside.addLayout(middle, 1)
        outside.addLayout(buttons)

    def _connect(self) -> None:
        self.job.event_received.connect(self.model.take)
        self.job.failed.connect(self.model.refuse)
        self.job.ended.connect(self._ended)
        self.model.changed.connect(self._show)
        # Another scan may be opened meanwhile, which may not accept this normalisation.
        self._context.session.study.inputs_changed.connect(self._show_choices)
        self._theme.changed.connect(self._paint)

    # measuring

    def _start_or_stop(self) -> None:
        if self.job.is_busy:
            self.model.ask_to_stop()
            self.job.stop()
            return
        request = self.form.request()
        if isinstance(request, str):
            self.model.refuse(request)
            return
        # Kept for saving: the form may be edited after the start.
        self._request = request
        self.tabs.setCurrentIndex(0)
        self.model.begin()
        self.job.start(request)
        self._show()

    def _rest(self) -> None:
        self.model.ask_to_rest(not self.model.is_pause_requested)
        self.job.rest(self.model.is_pause_requested)

    def _ended(self) -> None:
        self.model.end()
        if self.model.made is not None:
            self.components.show_made(self.model.made)
            self.tabs.setCurrentIndex(1)

    def may_close(self) -> bool:
        """Ask before a running measurement is lost; return True if the dialog may close."""
        if not self.job.is_busy:
            return True
        text = tr("The normalisation is still being computed. Nothing has been saved yet.")
        return ask(self, tr("Normalisation in progress"), text, tr("Stop and close"))

    def reject(self) -> None:
        """Close, unless the user wants to continue a running measurement."""
        if self.may_close():
            super().reject()

    def done(self, result: int) -> None:
        """Close the dialog.

        A running measurement is stopped first, and a file that is being written is completed.

        Parameters
        ----------
        result
            result code of Qt; all codes close the dialog
        """
        self._is_closed = True
        self.job.stop()
        super().done(result)
        if self.job.is_busy:
            # The worker process still sends events to this object until it has ended.
            self.job.ended.connect(self.deleteLater)
        else:
            self.deleteLater()

    # keeping

    def _save(self) -> None:
        made = self.model.made
        if made is None or self._request is None:
            return
        folder = self._request.scans[0].parent
        chosen = ask_save(self, tr("Save the normalisation"), folder / "normalisation.h5", KINDS)
        target = chosen.with_suffix(".h5") if chosen is not None else None
        session = self._context.session
        if target is None or not may_write(self, target, session, self._request.scans):
            return
        use, keep = self.use.isEnabled() and self.use.isChecked(), self.keep.isChecked()
        self._context.commands.run_task(
            lambda _: made.write(target),
            lambda _: self._saved(made, target, use=use, keep=keep),
            busy=tr("Writing {name}", name=target.name),
            failed=tr("{name} could not be written.", name=target.name),
        )

    def _saved(self, made: MeasuredNormalisation, target: Path, *, use: bool, keep: bool) -> None:
        commands = self._context.commands
        self._context.session.add_log("info", tr("Saved: {target}", target=target))
        if not self._is_closed:
            self.state.setText(tr("Saved: {name}.", name=target.name))
        if keep:
            commands.keep_measured(made.scanner, ROLE, target)
        if use:
            commands.set_input(ROLE, str(target))

    def _why_not_used(self) -> str:
        """Return the reason why the open scan cannot use the result; empty if it can."""
        study, made = self._context.session.study, self.model.made
        if DATA not in study.inputs or ROLE not in study.roles:
            return tr("Open a scan that can use a normalisation.")
        if made is None or study.scanner is None:
            return ""
        # The name of a scanner is free text. The fingerprint covers its geometry.
        same = study.scanner.fingerprint() == made.scanner.fingerprint()
        return (
            ""
            if same
            else tr("The open scan is from a different scanner: {name}.", name=study.scanner.name)
        )

    # display

    def _show(self) -> None:
        model, busy = self.model, self.job.is_busy
        self.state.setText(model.state_words)
        set_tone(self.state, self._tone)
        self.counted.setText(model.counted_words)
        self.counted.setVisible(bool(model.counted_words))
        self.bar.setVisible(busy)
        counting = model.phase is MeasuringPhase.COUNTING and model.part > 0
        # A range of 0 to 0 makes Qt show a busy indicator, for steps without known length.
        self.bar.setRange(0, 1000 if counting or model.rests else 0)
        self.bar.setValue(int(1000 * model.part))
        self.plot.show_changes(model.changes)
        # The result tab is empty before the first measurement.
        self.tabs.setTabEnabled(1, model.made is not None)
        self.form.setEnabled(not busy)
        self.act.setText(tr("Stop") if busy else tr("Start"))
        self.act.setEnabled(not model.is_ending)
        self.rest.setText(tr("Continue") if model.is_pause_requested else tr("Pause"))
        self.rest.setEnabled(busy and not model.is_ending)
        self._show_choices()

    def _show_choices(self) -> None:
        """Enable the actions that the result allows."""
        has_made, reason = self.model.made is not None, self._why_not_used()
        self.use.setEnabled(has_made and not reason)
        self.use.setToolTip(literal_tip(reason or USE_TIP))
        self.keep.setEnabled(has_made)
        self.save.setEnabled(has_made and not self.job.is_busy)

    @property
    def _tone(self) -> str:
        match self.model.phase:
            case MeasuringPhase.REFUSED:
                return "missing"
            case MeasuringPhase.DONE:
                return "ok"
        return "muted"

    def _paint(self) -> None:
        colours = view_colours(self._theme)
        self.plot.set_colours(colours)
        if self._components is not None:
            self._components.set_colours(colours)
